if(SKIM_SANITIZE)
  add_compile_options(-fsanitize=${SKIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${SKIM_SANITIZE})
endif()

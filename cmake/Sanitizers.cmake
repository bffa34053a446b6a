# The build type of the sanitizer presets: optimised enough to be quick, and with asserts, which Release leaves out.
set(CMAKE_CXX_FLAGS_CHECKED "-O1 -g1")
# Looking for races runs so few tests that optimising more than the kernels takes longer than it saves.
if(SKIM_SANITIZE STREQUAL thread)
  set(CMAKE_CXX_FLAGS_CHECKED "-O0 -g1")
endif()

if(SKIM_SANITIZE)
  add_compile_options(-fsanitize=${SKIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SKIM_SANITIZE})
  add_compile_definitions(SKIM_SANITIZED)
endif()

# Sanitized programs are so large that the usual linker takes seconds for each.
find_program(SKIM_LLD ld.lld)
if(SKIM_SANITIZE AND SKIM_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

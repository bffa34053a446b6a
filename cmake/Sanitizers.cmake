# The build type of the sanitizer presets: moderately optimized, with asserts.
set(CMAKE_CXX_FLAGS_CHECKED "-O1 -g1")
# The thread sanitizer runs few tests, so optimizing more than the kernels does not pay off.
if(SKIM_SANITIZE STREQUAL thread)
  set(CMAKE_CXX_FLAGS_CHECKED "-O0 -g1")
endif()

if(SKIM_SANITIZE)
  add_compile_options(-fsanitize=${SKIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SKIM_SANITIZE})
  add_compile_definitions(SKIM_SANITIZED)
endif()

# lld links the large sanitized programs much faster than the default linker.
find_program(SKIM_LLD ld.lld)
if(SKIM_SANITIZE AND SKIM_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

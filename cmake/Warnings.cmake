# Warnings are errors: a warning that may stay is a warning nobody reads.
add_library(skim_warnings INTERFACE)
target_compile_options(skim_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                               -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Werror)
# GCC 12 sees overlapping and overlong copies in std::string's own operator+ (its bugs 105651 and 105329). The sanitizer
# build finds real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(skim_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()

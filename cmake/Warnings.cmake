# Warnings are errors.
add_library(skim_warnings INTERFACE)
target_compile_options(skim_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                               -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Werror)
# False positives of GCC 12 in std::string::operator+ (GCC bugs 105651 and 105329). The sanitizer build finds real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(skim_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()

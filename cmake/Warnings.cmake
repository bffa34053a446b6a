# Warnings are errors: a warning that may stay is a warning nobody reads.
add_library(skim_warnings INTERFACE)
target_compile_options(skim_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                               -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Werror)

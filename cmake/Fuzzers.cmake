# Builds each `x_fuzz.cpp` as the program `x_fuzz`; tools/fuzz runs them. The library is built with coverage counters for
# libFuzzer.
if(SKIM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SKIM_FUZZ needs clang for libFuzzer: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
endif()

# The build type of the preset `fuzz`, for long runs: no sanitizer, but asserts and the checks of the standard library.
set(CMAKE_CXX_FLAGS_FUZZ "-O2 -g1 -D_GLIBCXX_ASSERTIONS")

# Sources that a fuzzer compiles itself, because they are not part of the library. Those of src/train include no torch.
set(SKIM_SOURCES_OF_options_fuzz cli/options.cpp cli/suggest.cpp cli/printable.cpp)
set(SKIM_SOURCES_OF_suggest_fuzz cli/suggest.cpp)
set(SKIM_SOURCES_OF_checkpoint_fuzz train/checkpoint.cpp train/training_config.cpp train/options_table.cpp)

function(skim_fuzz_coverage target)
  if(SKIM_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link
                           -fsanitize-coverage-ignorelist=${CMAKE_SOURCE_DIR}/cmake/fuzz_ignorelist.txt)
    # Tracing comparisons takes two thirds of the time of a tokenizer; the sanitizer build does it.
    if(NOT SKIM_SANITIZE)
      target_compile_options(${target} PRIVATE -fno-sanitize-coverage=trace-cmp)
    endif()
  endif()
endfunction()

function(skim_fuzzer name source)
  set(sources ${source})
  foreach(other IN LISTS SKIM_SOURCES_OF_${name})
    list(APPEND sources ${CMAKE_SOURCE_DIR}/src/${other})
  endforeach()
  add_executable(${name} ${sources})
  skim_internal(${name})
  skim_fuzz_coverage(${name})
  target_link_libraries(${name} PRIVATE CLI11::CLI11)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzzers)
endfunction()

function(skim_fuzzers)
  if(NOT SKIM_FUZZ)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*_fuzz.cpp)
  add_custom_target(fuzzers)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    skim_fuzzer(${name} ${source})
    add_dependencies(fuzzers ${name})
  endforeach()
endfunction()

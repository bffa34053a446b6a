# Collects the sources of a directory: `x.cpp` goes into the library, `x_test.cpp` into the test program.
set(SKIM_LIBRARY_SOURCES "")
set(SKIM_TEST_FOLDERS "")

function(skim_folder folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|_fuzz\\.cpp$|_main\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(SKIM_LIBRARY_SOURCES ${SKIM_LIBRARY_SOURCES} ${sources} PARENT_SCOPE)
  if(tests)
    string(REPLACE "src/" "" name ${folder})
    set(SKIM_TEST_FOLDERS ${SKIM_TEST_FOLDERS} ${name} PARENT_SCOPE)
    set(SKIM_TESTS_OF_${name} ${tests} PARENT_SCOPE)
  endif()
endfunction()

# Instrumented kernels compile very slowly (minutes per file), because every intrinsic is an instrumented function. These
# builds omit the emulated target and AVX-512, and the pointer checks that the address sanitizer covers. Bounds, shifts,
# overflows and addresses stay checked. The fuzzers of parsers hardly call kernels.
function(skim_instrumented_kernels)
  if(NOT (SKIM_SANITIZE OR SKIM_FUZZ) OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    return()
  endif()
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/*.cpp)
  list(FILTER kernels EXCLUDE REGEX "_test\\.cpp$")
  set(options -O1 -march=x86-64-v2 -DHWY_DISABLE_PCLMUL_AES)
  if(SKIM_SANITIZE STREQUAL thread OR NOT SKIM_SANITIZE)
    list(APPEND options -DSKIM_ONE_TARGET)
  else()
    list(APPEND options -DSKIM_FEW_TARGETS -fno-sanitize=null,alignment,pointer-overflow,object-size)
  endif()
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()

# Groups directories that use the JSON library into one unit and one test program, because parsing that library dominates
# compile time.
function(skim_find_group folder group)
  if(folder MATCHES "^(base|spec|file|tasks|wire)$")
    set(folder data)
  elseif(folder MATCHES "^(eval|interchange)$")
    set(folder measuring)
  endif()
  set(${group} ${folder} PARENT_SCOPE)
endfunction()

# Lowers the optimization level of code that is not hot, to save compile time; with sanitizers also that of the server.
# Not of src/file: every test that loads a model would be slower.
function(skim_set_optimization group target)
  if(group STREQUAL measuring)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(group MATCHES "^(measuring|server)$")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Checked>:-O0>)
  endif()
endfunction()

function(skim_library_includes target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  skim_fuzz_coverage(${target})
  target_link_libraries(${target} PRIVATE tl::expected Threads::Threads hwy::hwy nlohmann_json::nlohmann_json
                        simdjson::simdjson utf8proc::utf8proc skim_warnings)
endfunction()

# The objects of one group. With CMAKE_UNITY_BUILD (test presets) its sources are compiled as one unit. Sanitized builds
# reverse their order, so that a source that depends on an include of another one fails in one of the builds. Options are
# set per group, because CMake excludes a source with its own options from the unit. Kernels are compiled separately:
# each is included once per instruction set.
function(skim_group_objects group sources)
  if(SKIM_SANITIZE)
    list(REVERSE sources)
  endif()
  add_library(skim_${group} OBJECT ${sources})
  skim_library_includes(skim_${group})
  skim_set_optimization(${group} skim_${group})
  if(group STREQUAL kernels)
    set_target_properties(skim_${group} PROPERTIES UNITY_BUILD OFF)
    # A hot loop takes up to a quarter longer when its functions start at an unfortunate offset in a cache line.
    target_compile_options(skim_${group} PRIVATE -falign-functions=64)
  else()
    set_target_properties(skim_${group} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
    # This warning treats a source included by the unit as a header.
    target_compile_options(skim_${group} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# One library of all directories.
macro(skim_finish_library)
  skim_instrumented_kernels()
  set(groups "")
  foreach(source IN LISTS SKIM_LIBRARY_SOURCES)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    skim_find_group(${folder} group)
    list(APPEND groups ${group})
    list(APPEND sources_of_${group} ${source})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  set(objects "")
  foreach(group IN LISTS groups)
    skim_group_objects(${group} "${sources_of_${group}}")
    list(APPEND objects $<TARGET_OBJECTS:skim_${group}>)
  endforeach()
  add_library(skim_library STATIC ${objects})
  add_library(skim::skim ALIAS skim_library)
  set_target_properties(skim_library PROPERTIES OUTPUT_NAME skim EXPORT_NAME skim LINKER_LANGUAGE CXX)
  target_include_directories(skim_library PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
  target_compile_features(skim_library PUBLIC cxx_std_20)
  # nlohmann_json is header-only and not needed by users of the installed library.
  target_link_libraries(skim_library PUBLIC tl::expected Threads::Threads PRIVATE hwy::hwy simdjson::simdjson
                        utf8proc::utf8proc)
endmacro()

# Gives a target access to the internal headers of the library.
function(skim_internal target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE skim_library hwy::hwy nlohmann_json::nlohmann_json skim_warnings)
endfunction()

# Lowers the optimization level of code that is not hot, to save compile time: the command line (-O1), tests (-O0). In
# sanitized builds only the library is optimized.
function(skim_low_optimization target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}> $<$<CONFIG:Checked>:-O0>)
endfunction()

# Precompiled headers of the tests: parsing gtest takes longer than compiling most tests.
function(skim_test_headers)
  file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cpp "")
  add_library(skim_test_headers OBJECT ${CMAKE_BINARY_DIR}/test_headers.cpp)
  skim_internal(skim_test_headers)
  skim_low_optimization(skim_test_headers -O0)
  target_link_libraries(skim_test_headers PRIVATE GTest::gtest GTest::gtest_main GTest::gmock)
  # Executables are compiled with -fPIE, so the precompiled header must be, too.
  set_target_properties(skim_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(skim_test_headers PRIVATE -fPIE)
  # Only the sanitizer build has tests that use JSON.
  target_precompile_headers(skim_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>
                            $<$<CXX_COMPILER_ID:Clang>:<nlohmann/json.hpp$<ANGLE-R>>)
endfunction()

# A gtest program; ctest runs each test case separately.
function(skim_test target)
  add_executable(${target} ${ARGN})
  skim_internal(${target})
  skim_low_optimization(${target} -O0)
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gtest_main GTest::gmock)
  if(TARGET skim_test_headers)
    target_precompile_headers(${target} REUSE_FROM skim_test_headers)
  endif()
  # Omits parameter values from the names, because not every value prints deterministically.
  gtest_discover_tests(${target} TEST_PREFIX "${target}." NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
                       WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTIES TIMEOUT 300)
endfunction()

function(skim_folder_tests)
  if(NOT SKIM_TESTS)
    return()
  endif()
  skim_test_headers()
  set(groups "")
  foreach(folder IN LISTS SKIM_TEST_FOLDERS)
    if(NOT folder IN_LIST SKIM_TESTED_ELSEWHERE)
      skim_find_group(${folder} group)
      list(APPEND groups ${group})
      list(APPEND tests_of_${group} ${SKIM_TESTS_OF_${folder}})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    skim_test(${group}_test ${tests_of_${group}})
    set_target_properties(${group}_test PROPERTIES UNITY_BUILD_BATCH_SIZE 20)
  endforeach()
endfunction()

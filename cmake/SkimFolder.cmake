# A folder's sources are what stands in it: `x.cpp` goes into the library, `x_test.cpp` into the folder's test program.
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

# Every intrinsic of the kernels is a function with checks of its own once sanitized: five minutes a file. So those
# builds leave out the emulated target and AVX-512, which this machine may not run anyway, and the checks on pointers
# that the address sanitizer and the hardware make as well. Bounds, shifts, overflows and addresses stay checked.
function(skim_quick_kernels)
  if(NOT SKIM_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    return()
  endif()
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/*.cpp)
  list(FILTER kernels EXCLUDE REGEX "_test\\.cpp$")
  set(options -O1 -march=x86-64-v2 -DHWY_DISABLE_PCLMUL_AES)
  if(SKIM_SANITIZE STREQUAL thread)
    list(APPEND options -DSKIM_ONE_TARGET)
  else()
    list(APPEND options -DSKIM_FEW_TARGETS -fno-sanitize=null,alignment,pointer-overflow,object-size)
  endif()
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()

# Folders that all use the JSON library are compiled together, and their tests are one program: expanding that library
# takes longer than all the rest.
function(skim_group_of folder group)
  if(folder MATCHES "^(base|spec|file|tasks|wire)$")
    set(folder data)
  elseif(folder MATCHES "^(eval|interchange|bench)$")
    set(folder measuring)
  endif()
  set(${group} ${folder} PARENT_SCOPE)
endfunction()

# What only prepares, counts and reports is not hot, and optimising it takes longer than running it in tests: with
# sanitizers that goes for requests, too. Not for files: every test that loads a model would wait for them.
function(skim_level_of group target)
  if(group STREQUAL measuring)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(group MATCHES "^(measuring|server)$")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Checked>:-O0>)
  endif()
endfunction()

function(skim_library_includes target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE SKIM_VERSION="${PROJECT_VERSION}")
  skim_count_coverage(${target})
  target_link_libraries(${target} PRIVATE tl::expected Threads::Threads hwy::hwy nlohmann_json::nlohmann_json skim_warnings)
endfunction()

# The objects of one group. With CMAKE_UNITY_BUILD, as the presets for tests have it, its sources are compiled as one.
# Sanitized builds take them in reverse, so that a source that leans on an include or a name of another one fails in
# one of the builds. Options are the group's, not its sources': CMake leaves a source with options of its own out of
# the unit. Kernels are files of their own: each is read once for every instruction set.
function(skim_group_objects group sources)
  if(SKIM_SANITIZE)
    list(REVERSE sources)
  endif()
  add_library(skim_${group} OBJECT ${sources})
  skim_library_includes(skim_${group})
  skim_level_of(${group} skim_${group})
  if(group STREQUAL kernels)
    set_target_properties(skim_${group} PROPERTIES UNITY_BUILD OFF)
  else()
    set_target_properties(skim_${group} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
    # To this warning a source that another one includes is a header.
    target_compile_options(skim_${group} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# One library of all folders, so that users link one thing.
macro(skim_finish_library)
  skim_quick_kernels()
  set(groups "")
  foreach(source IN LISTS SKIM_LIBRARY_SOURCES)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    skim_group_of(${folder} group)
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
  # The JSON library is headers only: users of the installed library have no need of it.
  target_link_libraries(skim_library PUBLIC tl::expected Threads::Threads PRIVATE hwy::hwy)
endmacro()

# A program of ours that may look inside the library.
function(skim_inside target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE skim_library hwy::hwy nlohmann_json::nlohmann_json skim_warnings)
endfunction()

# For what is not hot: the command line (-O1), and tests and what they need alone (-O0). Optimising them would take
# longer than running them. Sanitized code takes longest to optimise; there the library is, and the rest is not.
function(skim_compile_quickly target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}> $<$<CONFIG:Checked>:-O0>)
endfunction()

# What all tests include, compiled once: reading gtest takes longer than compiling most tests.
function(skim_test_headers)
  file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cpp "")
  add_library(skim_test_headers OBJECT ${CMAKE_BINARY_DIR}/test_headers.cpp)
  skim_inside(skim_test_headers)
  skim_compile_quickly(skim_test_headers -O0)
  target_link_libraries(skim_test_headers PRIVATE GTest::gtest GTest::gtest_main GTest::gmock)
  # Programs are compiled with -fPIE, and a precompiled header must be, too.
  set_target_properties(skim_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(skim_test_headers PRIVATE -fPIE)
  # The sanitizer build has the tests that use JSON.
  target_precompile_headers(skim_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>
                            $<$<CXX_COMPILER_ID:Clang>:<nlohmann/json.hpp$<ANGLE-R>>)
endfunction()

# A gtest program; each of its cases is a test of its own to ctest.
function(skim_test target)
  add_executable(${target} ${ARGN})
  skim_inside(${target})
  skim_compile_quickly(${target} -O0)
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gtest_main GTest::gmock)
  if(TARGET skim_test_headers)
    target_precompile_headers(${target} REUSE_FROM skim_test_headers)
  endif()
  # Parameter values are left out of the names: not every value prints the same twice.
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
      skim_group_of(${folder} group)
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

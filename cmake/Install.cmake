# `cmake --install build/release --prefix DIR`: programs, library, headers and the CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skim)
install(TARGETS skim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET skim-train)
  # Started by `skim train`. Optional: building the target skim alone does not build it.
  install(TARGETS skim-train RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
install(TARGETS skim_library EXPORT skim ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/skim FILES_MATCHING PATTERN "*.skim")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/skim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT skim FILE skim-targets.cmake NAMESPACE skim:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/skim-config.cmake.in ${CMAKE_BINARY_DIR}/skim-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break compatibility.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/skim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/skim-config.cmake ${CMAKE_BINARY_DIR}/skim-config-version.cmake
        ${CMAKE_SOURCE_DIR}/cmake/Findutf8proc.cmake DESTINATION ${package_dir})

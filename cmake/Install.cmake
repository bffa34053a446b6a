# `cmake --install build/release --prefix DIR`: the programs, the library, its headers, and what find_package(skim) needs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skim)
install(TARGETS skim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET skim-train)
  # `skim train` starts it. Optional, because a build of the target skim alone does not make it.
  install(TARGETS skim-train RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
install(TARGETS skim_library EXPORT skim ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/skim FILES_MATCHING PATTERN "*.skim")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/skim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT skim FILE skim-targets.cmake NAMESPACE skim:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/skim-config.cmake.in ${CMAKE_BINARY_DIR}/skim-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Below 1.0 a new minor number may break users.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/skim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/skim-config.cmake ${CMAKE_BINARY_DIR}/skim-config-version.cmake
        DESTINATION ${package_dir})

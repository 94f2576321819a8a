# The installed package: find_package(tscatter) gives tscatter::tscatter.
include(CMakePackageConfigHelpers)

install(TARGETS tscatter EXPORT tscatter_targets)
install(
  EXPORT tscatter_targets
  FILE tscatter-targets.cmake
  NAMESPACE tscatter::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tscatter)
configure_package_config_file(cmake/tscatter-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tscatter-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tscatter)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tscatter-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tscatter-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/tscatter-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tscatter)
install(
  DIRECTORY lib/tscatter
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.hpp")
if(TSCATTER_BUILD_APP)
  install(TARGETS tscatter_app)
endif()

# The installed package: find_package(tscatter) gives tscatter::tscatter.
include(CMakePackageConfigHelpers)

# tscatter/tscatter.hpp and what it includes. The other headers are internal: some need fmt.
set(tscatter_public_headers
    apply.hpp
    core/bytes.hpp
    core/dtype.hpp
    core/error.hpp
    core/output.hpp
    core/reduction.hpp
    core/shape.hpp
    core/tensor.hpp
    core/unreachable.hpp
    engine/engine.hpp
    explain/explain.hpp
    explain/history.hpp
    io/files/durability.hpp
    io/files/file.hpp
    io/files/file_system.hpp
    io/formats/npy_file.hpp
    io/formats/npz_archive.hpp
    io/formats/npz_output.hpp
    io/files/output_file.hpp
    io/journal/in_place_file.hpp
    io/journal/rollback.hpp
    io/files/temporary_file.hpp
    ops/attribute.hpp
    ops/operation.hpp
    ops/registry.hpp
    orders/verdict.hpp
    verify/verify.hpp
    tscatter.hpp)
list(TRANSFORM tscatter_public_headers PREPEND ${PROJECT_SOURCE_DIR}/lib/tscatter/)
target_sources(
  tscatter
  PUBLIC FILE_SET
         HEADERS
         BASE_DIRS
         ${PROJECT_SOURCE_DIR}/lib
         FILES
         ${tscatter_public_headers})

install(TARGETS tscatter EXPORT tscatter_targets FILE_SET HEADERS)
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
if(TSCATTER_BUILD_APP)
  install(TARGETS tscatter_app)
endif()

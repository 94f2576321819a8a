# The installed package: find_package(tscatter) gives tscatter::tscatter.
include(CMakePackageConfigHelpers)

# tscatter/tscatter.hpp and what it includes. The other headers are internal: some need fmt.
set(tscatter_public_headers
    apply/apply.hpp
    compare/census.hpp
    compare/difference_grid.hpp
    core/bytes.hpp
    core/dtype.hpp
    core/error.hpp
    core/progress.hpp
    core/reduction.hpp
    core/shape.hpp
    core/tensor.hpp
    engine/run_options.hpp
    explain/explain.hpp
    generate/generate.hpp
    io/formats/tensor_files.hpp
    ops/attribute.hpp
    ops/operation.hpp
    orders/verdict.hpp
    reach/history.hpp
    tscatter.hpp
    verify/verify.hpp)
list(TRANSFORM tscatter_public_headers PREPEND ${PROJECT_SOURCE_DIR}/lib/tscatter/)
target_sources(
  tscatter
  PUBLIC FILE_SET
         HEADERS
         BASE_DIRS
         ${PROJECT_SOURCE_DIR}/lib
         FILES
         ${tscatter_public_headers})

# What `cmake --install` takes, and nothing else, is built by the target tscatter_installed.
add_custom_target(tscatter_installed)
macro(install_target target)
  install(TARGETS ${target} ${ARGN})
  add_dependencies(tscatter_installed ${target})
endmacro()

install_target(tscatter EXPORT tscatter_targets FILE_SET HEADERS)
install(
  EXPORT tscatter_targets
  FILE tscatter-targets.cmake
  NAMESPACE tscatter::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tscatter)
configure_package_config_file(cmake/tscatter-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tscatter-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tscatter)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tscatter-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tscatter-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/tscatter-config-version.cmake
              cmake/tscatter-batch.cmake cmake/tscatter-batch-tests.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tscatter)
# Where it is installed is known only then: cmake --install has --prefix.
set(tscatter_file_offsets)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  set(tscatter_file_offsets " -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64")
endif()
install(CODE "
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(PROJECT_VERSION ${PROJECT_VERSION})
  set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
  set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
  set(tscatter_file_offsets \"${tscatter_file_offsets}\")
  file(REAL_PATH \"\${CMAKE_INSTALL_PREFIX}\" CMAKE_INSTALL_PREFIX)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tscatter.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tscatter.pc @ONLY)")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tscatter.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TSCATTER_BUILD_APP)
  install_target(tscatter_app)
  if(TSCATTER_BUILD_MPI)
    install_target(tscatter_mpi)
  endif()
endif()
if(TSCATTER_BUILD_C)
  install_target(tscatter_c FILE_SET HEADERS)
  install(CODE "
    set(PROJECT_VERSION ${PROJECT_VERSION})
    set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
    set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
    file(REAL_PATH \"\${CMAKE_INSTALL_PREFIX}\" CMAKE_INSTALL_PREFIX)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/tscatter_c.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tscatter_c.pc @ONLY)")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tscatter_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
# The manual page and the completion scripts are what the program prints. Another machine's program does not run here.
# install_printed(WORDS NAME FOLDER)
function(install_printed words name folder)
  set(printed ${CMAKE_CURRENT_BINARY_DIR}/printed/${folder})
  install(CODE "
    file(MAKE_DIRECTORY ${printed})
    execute_process(COMMAND ${PROJECT_BINARY_DIR}/tscatter ${words} OUTPUT_FILE ${printed}/${name} COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${printed}/${name} DESTINATION ${folder})
endfunction()
if(TSCATTER_BUILD_APP AND NOT CMAKE_CROSSCOMPILING)
  install_printed("help --format man" tscatter.1 ${CMAKE_INSTALL_MANDIR}/man1)
  install_printed("completion bash" tscatter ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install_printed("completion zsh" _tscatter ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install_printed("completion fish" tscatter.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  if(TSCATTER_BUILD_MPI)
    # Its own page, with the flags of ranks; by the same functions, which call it tscatter.
    set(page ${CMAKE_CURRENT_BINARY_DIR}/printed/tscatter-mpi.1)
    install(CODE "
      execute_process(COMMAND ${PROJECT_BINARY_DIR}/tscatter-mpi help --format man OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
      string(REPLACE [[.TH TSCATTER ]] [[.TH TSCATTER-MPI ]] text \"\${text}\")
      string(REPLACE [[tscatter \\- ]] [[tscatter-mpi \\- by the ranks of an MPI job, ]] text \"\${text}\")
      file(WRITE ${page} \"\${text}\")")
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()

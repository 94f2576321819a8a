# Installs a built tree, then configures, builds and runs the project in this folder against what was installed.
#   cmake -DBUILD_DIR=… -DWORK_DIR=… -DGENERATOR=… -DCXX=… -DCONFIG=… [-DTOOLCHAIN=… -DEMULATOR=…] -P run.cmake
cmake_minimum_required(VERSION 3.25)

set(ENV{DESTDIR} "")
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE headers ${WORK_DIR}/prefix/*.hpp)
foreach(header IN LISTS headers)
  file(STRINGS ${header} foreign REGEX "#include *<(fmt|nlohmann|CLI|spdlog)/|#include *<zlib")
  if(foreign)
    message(FATAL_ERROR "${header} needs what the package does not bring: ${foreign}")
  endif()
endforeach()

execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
          -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
          -DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EMULATOR} ${WORK_DIR}/build/package_test COMMAND_ERROR_IS_FATAL ANY)

# Installs a built tree, then configures, builds and runs the project in this folder against what was installed.
#   cmake -DBUILD_DIR=… -DWORK_DIR=… -DGENERATOR=… -DCXX=… -DCC=… -DCONFIG=… [-DTOOLCHAIN=… -DEMULATOR=…] -P run.cmake
cmake_minimum_required(VERSION 3.25)

set(ENV{DESTDIR} "")
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix COMMAND_ERROR_IS_FATAL ANY)

# `./dev build` builds the target tscatter_installed alone.
if(GENERATOR STREQUAL Ninja)
  execute_process(COMMAND ninja -C ${BUILD_DIR} -t query tscatter_installed OUTPUT_VARIABLE built COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE binaries RELATIVE ${WORK_DIR}/prefix ${WORK_DIR}/prefix/bin/* ${WORK_DIR}/prefix/lib*/*tscatter*.a
       ${WORK_DIR}/prefix/lib*/*tscatter*.so)
  foreach(binary IN LISTS binaries)
    get_filename_component(name ${binary} NAME)
    if(NOT built MATCHES "[/ ]${name}\n")
      message(FATAL_ERROR "${binary} is installed, but ./dev build does not build it")
    endif()
  endforeach()
endif()

file(GLOB_RECURSE headers ${WORK_DIR}/prefix/*.hpp)
list(LENGTH headers number)
if(number GREATER 22)
  message(FATAL_ERROR "${number} headers are installed, more than 22")
endif()
foreach(header IN LISTS headers)
  file(STRINGS ${header} foreign REGEX "#include *<(fmt|nlohmann|CLI|spdlog)/|#include *<zlib")
  if(foreign)
    message(FATAL_ERROR "${header} needs what the package does not bring: ${foreign}")
  endif()
endforeach()

# What the program prints, if there is one that runs here.
if(EXISTS ${WORK_DIR}/prefix/bin/tscatter AND NOT TOOLCHAIN)
  foreach(file man/man1/tscatter.1 bash-completion/completions/tscatter zsh/site-functions/_tscatter
               fish/vendor_completions.d/tscatter.fish)
    file(SIZE ${WORK_DIR}/prefix/share/${file} size)
    if(size EQUAL 0)
      message(FATAL_ERROR "share/${file} is empty")
    endif()
  endforeach()
endif()

execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
          -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
          -DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EMULATOR} ${WORK_DIR}/build/package_test COMMAND_ERROR_IS_FATAL ANY)

# tscatter_add_batch(): the cases as tests. A wrong case fails in its own test and in its part, and what cannot be listed fails.
if(EXISTS ${WORK_DIR}/prefix/bin/tscatter AND NOT TOOLCHAIN)
  set(ENV{XDG_STATE_HOME} ${WORK_DIR}/state)
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build OUTPUT_VARIABLE outcomes ERROR_VARIABLE why)
  foreach(outcome "maker.run [.]+   Passed" "maker.sum [.]+   Passed" "maker.made [.]+   Passed" "maker.wrong [.]+[*]+Failed"
                  "maker.later [.]+[*]+Skipped" "maker.a .b;. . .[$]x. [*] [.]+   Passed" "maker.. [.]+   Passed"
                  "maker.two words [.]+   Passed" "maker.it's 50% #1 [.]+   Passed" "parts.1of2 [.]+   Passed" "parts.2of2 [.]+[*]+Failed"
                  "lost.cases [.]+[*]+Failed" "3 tests failed out of 12" "fast +=")
    if(NOT outcomes MATCHES "${outcome}")
      message(FATAL_ERROR "tscatter_add_batch: no ${outcome} in\n${outcomes}${why}")
    endif()
  endforeach()
endif()

# By pkg-config, where it is there and the program is for this machine.
find_program(pkg_config pkg-config)
if(pkg_config AND NOT TOOLCHAIN)
  file(GLOB_RECURSE description ${WORK_DIR}/prefix/tscatter.pc)
  get_filename_component(folder "${description}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  execute_process(COMMAND ${pkg_config} --cflags --libs tscatter OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                                                                                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  execute_process(COMMAND ${CXX} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${flags} -o ${WORK_DIR}/by_pkg_config
                          COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${WORK_DIR}/by_pkg_config COMMAND_ERROR_IS_FATAL ANY)
endif()

# The library for C.
file(GLOB_RECURSE description ${WORK_DIR}/prefix/tscatter_c.pc)
if(pkg_config AND description AND NOT TOOLCHAIN)
  execute_process(COMMAND ${pkg_config} --cflags --libs tscatter_c OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                                                                                    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  get_filename_component(folder "${description}" DIRECTORY)
  execute_process(COMMAND ${CC} -std=c11 ${CMAKE_CURRENT_LIST_DIR}/../c/example.c ${flags} -Wl,-rpath,${folder}/.. -o ${WORK_DIR}/c_example
                          COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${WORK_DIR}/c_example COMMAND_ERROR_IS_FATAL ANY)
endif()

# Beside another project: without the program and the tests.
file(WRITE ${WORK_DIR}/beside/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(beside LANGUAGES CXX)
add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/../.. tscatter)
add_executable(beside ${CMAKE_CURRENT_LIST_DIR}/main.cpp)
target_link_libraries(beside PRIVATE tscatter::tscatter)
if(TARGET tscatter_app OR TARGET tscatter_test_support)
  message(FATAL_ERROR \"the program or the tests are built, too\")
endif()
")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR}/beside -B ${WORK_DIR}/beside/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
          -DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} COMMAND_ERROR_IS_FATAL ANY)

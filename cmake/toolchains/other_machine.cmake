# Another machine, and its libraries from a folder of their own: packages of Debian, unpacked in build/machines (packaging/chores/machines.sh).
# tscatter_machine is its name, tscatter_libraries that of its folders; its programs are run by qemu's user mode emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${tscatter_machine})
set(CMAKE_LIBRARY_ARCHITECTURE ${tscatter_libraries})
get_filename_component(tscatter_root ${CMAKE_CURRENT_LIST_DIR}/../../build/machines/${tscatter_machine} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${tscatter_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

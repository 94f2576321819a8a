# A Debian cross compiler, and the libraries of the other machine from a folder of their own: ./dev portability unpacks
# their packages in build/machines. Programs are linked statically, so that they run without that machine's C library.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${tscatter_machine})
set(CMAKE_CXX_COMPILER ${tscatter_triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${tscatter_libraries})

get_filename_component(tscatter_root ${CMAKE_CURRENT_LIST_DIR}/../../build/machines/${tscatter_machine} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${tscatter_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${tscatter_root}/usr/include ${tscatter_root}/usr/include/${tscatter_libraries})
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)

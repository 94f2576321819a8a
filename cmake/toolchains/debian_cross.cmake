# A Debian cross compiler. Programs are linked statically, so that they run without the other machine's C library.
include(${CMAKE_CURRENT_LIST_DIR}/other_machine.cmake)
set(CMAKE_CXX_COMPILER ${tscatter_triplet}-g++)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${tscatter_root}/usr/include ${tscatter_root}/usr/include/${tscatter_libraries})
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)

# Read behind project() by the preset static: programs need no library where they are run, and do not say where they were built.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
string(APPEND CMAKE_CXX_FLAGS " -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=.")
string(APPEND CMAKE_EXE_LINKER_FLAGS " -static -s")

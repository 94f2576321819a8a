# Programs that need no library where they are run: ./dev tarball. Where they were built does not stand in them.
get_filename_component(tscatter_source ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(CMAKE_CXX_FLAGS_INIT "-ffile-prefix-map=${tscatter_source}=.")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)

# i386: 32 bits. An x86-64 machine runs its programs itself.
set(tscatter_machine i386)
set(tscatter_triplet i686-linux-gnu)
set(tscatter_libraries i386-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)

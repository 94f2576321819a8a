# s390x: big-endian, 64 bits, long double of 113 bits. Run by qemu's user mode emulation.
set(tscatter_machine s390x)
set(tscatter_triplet s390x-linux-gnu)
set(tscatter_libraries s390x-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)

# aarch64: char is unsigned, a product and a sum may be one instruction, pages may have 64 KiB. Run by qemu's user mode emulation.
set(tscatter_machine aarch64)
set(tscatter_triplet aarch64-linux-gnu)
set(tscatter_libraries aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

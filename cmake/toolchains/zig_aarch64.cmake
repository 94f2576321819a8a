# aarch64, with zig's compiler. When the emulator runs its programs, they take the C library of build/machines, and pages have 64 KiB.
# Of a processor without SVE: the emulator's SVE stores fail in large pages that hold translated code (qemu 7.2).
set(tscatter_machine aarch64)
set(tscatter_libraries aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu cortex-a72 -p 65536 -L ${tscatter_root})

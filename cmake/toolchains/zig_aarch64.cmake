# aarch64, with zig's compiler. When the emulator runs its programs, they take the C library of build/machines, and pages have 64 KiB.
set(tscatter_machine aarch64)
set(tscatter_libraries aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -p 65536 -L ${tscatter_root})

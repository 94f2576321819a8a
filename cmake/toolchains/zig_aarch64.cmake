# aarch64, with zig's compiler. Its programs take the C library of build/machines when the emulator runs them.
set(tscatter_machine aarch64)
set(tscatter_libraries aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${tscatter_root})

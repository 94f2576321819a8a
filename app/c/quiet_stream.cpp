// A stream that takes everything and shows nothing. A static libpng that was compiled for programs
// does not link into a shared library, but for its one use of a variable of the C library: stderr,
// for warnings. It finds this one in its place.
#include <cstdio>

extern "C" {
__attribute__((visibility("hidden")))
std::FILE* tscatter_quiet_stream __asm__("stderr") = ::fmemopen(nullptr, 1, "w");
}

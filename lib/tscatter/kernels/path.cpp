#include "tscatter/kernels/path.hpp"

#include <atomic>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tscatter {
namespace {

std::atomic<KernelPath> chosen{KernelPath::automatic};

#if defined(__x86_64__)

// Asked of the processor itself: __builtin_cpu_supports is always 0 where the compiler's runtime
// was not started by libgcc (zig c++).
struct Cpuid {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
};

Cpuid cpuid(unsigned leaf) {
  Cpuid got;
  if (__get_cpuid_count(leaf, 0, &got.a, &got.b, &got.c, &got.d) == 0) return {};
  return got;
}

// Whether the system keeps the upper halves of the registers when it changes threads.
// REQUIRES: bit_OSXSAVE.
bool keeps_wide_registers() {
  constexpr unsigned sse_and_avx = 6;
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & sse_and_avx) == sse_and_avx;
}

bool detect_avx2() {
  constexpr unsigned features = bit_OSXSAVE | bit_AVX | bit_F16C;
  if ((cpuid(1).c & features) != features) return false;
  return keeps_wide_registers() && (cpuid(7).b & bit_AVX2) != 0;
}

bool has_avx2() {
  static const bool has = detect_avx2();
  return has;
}

#else

bool has_avx2() { return false; }

#endif

}  // namespace

bool set_kernel_path(KernelPath path) {
  if (path == KernelPath::avx2 && !has_avx2()) return false;
  chosen = path;
  return true;
}

bool takes_avx2() { return chosen != KernelPath::portable && has_avx2(); }

std::string_view kernel_path_name() { return takes_avx2() ? "avx2" : "portable"; }

}  // namespace tscatter

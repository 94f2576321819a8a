#include "tscatter/kernels/path.hpp"

#include <atomic>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tscatter {
namespace {

std::atomic<KernelPath> chosen{KernelPath::automatic};

#if defined(__x86_64__)

bool has_f16c() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && has_f16c();
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

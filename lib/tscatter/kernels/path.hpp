// Which instructions the kernels use. The result has the same bits on every path.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tscatter {

enum class KernelPath : std::uint8_t { automatic, portable, avx2 };

constexpr std::optional<KernelPath> kernel_path_from_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> names{"automatic", "portable", "avx2"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<KernelPath>(i);
  }
  return std::nullopt;
}

// Selects the path from now on. Returns false and changes nothing if the processor lacks it.
bool set_kernel_path(KernelPath path);

// The path in use: "avx2" or "portable".
std::string_view kernel_path_name();
bool takes_avx2();

// With the checks of sanitizers, code that is flattened takes minutes to compile.
#if defined(TSCATTER_SANITIZES_ADDRESSES) || defined(TSCATTER_SANITIZES_THREADS)
#define TSCATTER_FLATTEN
#else
#define TSCATTER_FLATTEN gnu::flatten,
#endif

#if defined(__x86_64__)
template <class Work>
[[TSCATTER_FLATTEN gnu::target("avx2")]] void run_wide(const Work& work) {
  work();
}
#endif
template <class Work>
[[TSCATTER_FLATTEN]] void run_portable(const Work& work) {
  work();
}
#undef TSCATTER_FLATTEN

// Calls work(), compiled for wider vectors where they are in use: the results have the same bits.
template <class Work>
void vectorised(const Work& work) {
#if defined(__x86_64__)
  if (takes_avx2()) return run_wide(work);
#endif
  run_portable(work);
}

}  // namespace tscatter

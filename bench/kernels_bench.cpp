// The kernels alone, on data that stays in the cache: every loop on every path that the processor
// supports.
//
//   tscatter_kernels_bench --benchmark_filter='reduce/float16/.*/4096'
//
// Names: reduce/dtype/reduction/path/elements, scatter/dtype/reduction, gather/bytes/stride,
// spread/bytes/stride, reverse/bytes.
#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/kernels/move.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace {

using tscatter::DType;
using tscatter::DTypeInfo;
using tscatter::KernelPath;
using tscatter::Reduction;

constexpr std::int64_t tile_bytes = std::int64_t{512} * 1024;

// The dtype's 1 (of a complex, 1 + 0i), which no reduction turns into a denormal or an infinity.
std::vector<std::byte> ones(DType dtype, std::int64_t count) {
  const DTypeInfo& info = tscatter::info(dtype);
  std::uint64_t one = 1;
  if (dtype == DType::float16) one = 0x3c00;
  if (dtype == DType::bfloat16) one = 0x3f80;
  if (dtype == DType::float32 || dtype == DType::complex64) one = std::bit_cast<std::uint32_t>(1.F);
  if (dtype == DType::float64 || dtype == DType::complex128) one = std::bit_cast<std::uint64_t>(1.);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * info.size);
  for (std::size_t i = 0; i < bytes.size(); i += info.size) std::memcpy(&bytes[i], &one, info.word);
  return bytes;
}

void count_work(benchmark::State& state, std::int64_t elements, std::size_t size) {
  state.SetItemsProcessed(state.iterations() * elements);
  state.SetBytesProcessed(state.iterations() * elements * static_cast<std::int64_t>(size));
}

void bench_reduce(benchmark::State& state, DType dtype, Reduction reduction, KernelPath path) {
  tscatter::set_kernel_path(path);
  const tscatter::ReduceLoop loop = tscatter::reduce_loop(dtype, reduction);
  const std::int64_t count = state.range(0);
  std::vector<std::byte> into = ones(dtype, count);
  const std::vector<std::byte> updates = ones(dtype, count);
  for ([[maybe_unused]] auto _ : state) {
    loop(into.data(), updates.data(), count);
    benchmark::ClobberMemory();
  }
  count_work(state, count, tscatter::info(dtype).size);
}

// Random places in one tile, as an engine's worker sees them.
template <class Record>
void bench_scatter(benchmark::State& state, DType dtype, Reduction reduction) {
  const std::size_t size = tscatter::info(dtype).size;
  const auto loop = tscatter::scatter_loop<Record>(dtype, size, reduction);
  const std::int64_t elements = tile_bytes / static_cast<std::int64_t>(size);
  std::vector<std::byte> tile = ones(dtype, elements);
  std::vector<Record> records(8192);
  std::mt19937 random{1};
  std::uniform_int_distribution<std::uint32_t> destination(
      0, static_cast<std::uint32_t>(elements - 1));
  for (Record& record : records) {
    record.destination = destination(random);
    std::memcpy(record.value.data(), tile.data(), size);
  }
  for ([[maybe_unused]] auto _ : state) {
    loop(tile.data(), 0, records);
    benchmark::ClobberMemory();
  }
  count_work(state, static_cast<std::int64_t>(records.size()), size);
}

constexpr std::int64_t moved = 16384;  // elements

void bench_gather(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  const std::int64_t stride = state.range(1);
  const std::vector<std::byte> from(static_cast<std::size_t>(moved * stride * size));
  std::vector<std::byte> into(static_cast<std::size_t>(moved * size));
  for ([[maybe_unused]] auto _ : state) {
    tscatter::gather(into.data(), from.data(), stride, moved, static_cast<std::size_t>(size));
    benchmark::ClobberMemory();
  }
  count_work(state, moved, static_cast<std::size_t>(size));
}

void bench_spread(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  const std::int64_t stride = state.range(1);
  const std::vector<std::byte> from(static_cast<std::size_t>(moved * size));
  std::vector<std::byte> into(static_cast<std::size_t>(moved * stride * size));
  for ([[maybe_unused]] auto _ : state) {
    tscatter::spread(into.data(), stride, from.data(), moved, static_cast<std::size_t>(size));
    benchmark::ClobberMemory();
  }
  count_work(state, moved, static_cast<std::size_t>(size));
}

void bench_reverse(benchmark::State& state) {
  const auto word = static_cast<std::size_t>(state.range(0));
  std::vector<std::byte> bytes(static_cast<std::size_t>(moved) * word);
  for ([[maybe_unused]] auto _ : state) {
    tscatter::reverse_words(bytes, word);
    benchmark::ClobberMemory();
  }
  count_work(state, moved, word);
}

// Calls visit(dtype, reduction, "dtype/reduction") for each pair that is defined.
template <class Visit>
void for_each_reduction(const Visit& visit) {
  for (const DTypeInfo& info : tscatter::dtype_table) {
    for (const tscatter::ReductionInfo& row : tscatter::reduction_table) {
      if (tscatter::reduce_loop(info.dtype, row.reduction) == nullptr) continue;
      visit(info, row.reduction, std::string(info.name) + "/" + std::string(row.name));
    }
  }
}

void register_reduce() {
  for (const KernelPath path : {KernelPath::portable, KernelPath::avx2}) {
    if (!tscatter::set_kernel_path(path)) continue;
    const std::string suffix = path == KernelPath::avx2 ? "/avx2" : "/portable";
    for_each_reduction([&](const DTypeInfo& info, Reduction reduction, const std::string& pair) {
      std::string name = "reduce/";
      name.append(pair).append(suffix);
      benchmark::RegisterBenchmark(name.c_str(), bench_reduce, info.dtype, reduction, path)
          ->Arg(16)
          ->Arg(4096);
    });
  }
  tscatter::set_kernel_path(KernelPath::automatic);
}

void register_scatter(const DTypeInfo& info, Reduction reduction, const std::string& pair) {
  if (info.size == 0 || info.size > 8) return;
  const std::string name = "scatter/" + pair;
  if (info.size == 8) {
    benchmark::RegisterBenchmark(name.c_str(), bench_scatter<tscatter::LargeRecord>, info.dtype,
                                 reduction);
  } else {
    benchmark::RegisterBenchmark(name.c_str(), bench_scatter<tscatter::SmallRecord>, info.dtype,
                                 reduction);
  }
}

void register_moves() {
  for (const std::int64_t size : {1, 2, 4, 8, 16}) {
    for (const std::int64_t stride : {2, 16}) {
      benchmark::RegisterBenchmark("gather", bench_gather)->Args({size, stride});
      benchmark::RegisterBenchmark("spread", bench_spread)->Args({size, stride});
    }
    if (size > 1 && size <= 8) benchmark::RegisterBenchmark("reverse", bench_reverse)->Arg(size);
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_reduce();
  for (const DType dtype : {DType::uint8, DType::uint16, DType::uint32, DType::uint64}) {
    const DTypeInfo& info = tscatter::info(dtype);
    register_scatter(info, Reduction::none, std::string(info.name) + "/none");
  }
  for_each_reduction(register_scatter);
  register_moves();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

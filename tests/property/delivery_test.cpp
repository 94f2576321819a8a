// The same case run in every way: numbers of workers, sizes of tiles, memory and files, copied and
// in place. TSCATTER_SEED and TSCATTER_CASES as in property_test.cpp; one case in twenty is used.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"
#include "property/random_case.hpp"
#include "property/run_case.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter::property {
namespace {

constexpr std::uint64_t first_seed = 20240611;
constexpr Extent delivered_cases{.whole = 20000, .sample = 4000, .slowed = 1000};
constexpr std::uint64_t one_in = 20;
constexpr std::array threads{1, 2, 7};
constexpr std::array<std::int64_t, 3> tile_bytes{1, 48, 512 * 1024};

void save(const std::filesystem::path& path, const TensorHeader& header,
          std::span<const std::byte> bytes) {
  NpyFileOutput file(path);
  file.begin(header, SpanSource(bytes)).write(0, bytes);
  file.commit();
}

std::vector<std::byte> load(const std::filesystem::path& path) {
  const Tensor tensor = open_npy(path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.byte_size()));
  tensor.source().read(0, bytes);
  return bytes;
}

// A case whose operands are .npy files.
class Files {
 public:
  Files(const Case& c, const TemporaryDirectory& directory) : case_{c}, directory_{directory} {
    for (const auto& [name, dense] : c.call.operands) {
      const oracle::Layout layout = c.layouts.find(name)->second;
      headers_[name] = oracle::header_of(dense, layout);
      save(directory / (name + ".npy"), headers_[name], oracle::stored(dense, layout));
    }
  }

  std::vector<std::byte> copied(const RunOptions& options) const {
    NpyFileOutput output(directory_ / "output.npy");
    apply(operation(), arguments(nullptr), output, options);
    return load(directory_ / "output.npy");
  }

  std::vector<std::byte> in_place(const RunOptions& options) const {
    const std::filesystem::path path = directory_ / "changed.npy";
    std::filesystem::copy_file(directory_ / "data.npy", path,
                               std::filesystem::copy_options::overwrite_existing);
    {
      InPlaceFile output = npy_in_place(path);
      apply(operation(), arguments(&output.data()), output, options);
    }
    return load(path);
  }

 private:
  const Operation& operation() const { return case_.call.row(); }

  // The dtype is the case's: a .npy has no name for bfloat16.
  Arguments arguments(const Tensor* data) const {
    Arguments arguments;
    for (const auto& [name, header] : headers_) {
      const bool is_open = name == "data" && data != nullptr;
      const Tensor tensor = is_open ? *data : open_npy(directory_ / (name + ".npy"));
      arguments.operands.emplace(name, Tensor(header, tensor.shared_source(), name));
    }
    arguments.attributes = case_.call.attributes;
    arguments.index = case_.call.index;
    return arguments;
  }

  const Case& case_;
  const TemporaryDirectory& directory_;
  std::map<std::string, TensorHeader, std::less<>> headers_;
};

std::vector<std::byte> in_memory(Case c, Destination destination, const RunOptions& options) {
  c.delivery.destination = destination;
  c.delivery.options = options;
  const Outcome outcome = run_case(c);
  if (outcome.error) throw Error(*outcome.error);
  if (!outcome.misuse.empty()) throw std::runtime_error(outcome.misuse);
  return outcome.output;
}

// The ways in which the bytes differ from those of one worker in memory; "" when in none.
std::string differing_ways(const Case& c, const TemporaryDirectory& directory) {
  const std::vector<std::byte> expected = in_memory(c, Destination::memory, {.threads = 1});
  const Files files(c, directory);
  std::string ways;
  const auto compare = [&](std::string_view way, const RunOptions& options,
                           const std::vector<std::byte>& bytes) {
    if (bytes == expected) return;
    ways += fmt::format(" {} with {} threads and tiles of {} bytes;", way, options.threads,
                        options.tile_bytes);
  };
  for (const int count : threads) {
    for (const std::int64_t bytes : tile_bytes) {
      const RunOptions options{.threads = count, .tile_bytes = bytes};
      RunOptions uncounted = options;
      uncounted.counting = Counting::left_out;
      compare("memory", options, in_memory(c, Destination::memory, options));
      compare("memory in place", uncounted, in_memory(c, Destination::in_place, uncounted));
      compare("file", uncounted, files.copied(uncounted));
      compare("file in place", options, files.in_place(options));
      RunOptions windowed = options;
      windowed.entry_memory = 2 * RunOptions::bytes_per_entry;
      compare("file in windows", windowed, files.copied(windowed));
      compare("file in place in windows", windowed, files.in_place(windowed));
    }
  }
  return ways;
}

}  // namespace

TEST_CASE(
    "a case has the same bytes at any number of threads and size of tiles, in memory and in files, "
    "copied and in place",
    "[property]") {
  const std::uint64_t first = from_environment("TSCATTER_SEED", first_seed);
  const std::uint64_t cases = extent("TSCATTER_CASES", delivered_cases);
  const std::uint64_t run = std::max<std::uint64_t>(cases / one_in, 1);
  std::cout << "ways of delivery: TSCATTER_SEED=" << first << " TSCATTER_CASES=" << cases
            << std::endl;
  const TemporaryDirectory directory;
  for (std::uint64_t seed = first; seed < first + run; ++seed) {
    INFO("TSCATTER_SEED=" << seed << " TSCATTER_CASES=1");
    Random random(seed);
    const Case c = random_case_with_data(random);
    const std::string ways = differing_ways(c, directory);
    if (!ways.empty()) FAIL("differs:" << ways << ' ' << to_string(c));
  }
  std::cout << "ways of delivery: " << run << " cases in " << threads.size() * tile_bytes.size() * 6
            << " ways each, all bytes equal" << std::endl;
  SUCCEED();
}

TEST_CASE("a case in ranges of the output has the same bytes, and writes nothing else",
          "[property]") {
  const std::uint64_t first = from_environment("TSCATTER_SEED", first_seed);
  const std::uint64_t cases = extent("TSCATTER_CASES", delivered_cases);
  const std::uint64_t run = std::max<std::uint64_t>(cases / one_in, 1);
  std::cout << "ranges: TSCATTER_SEED=" << first << " TSCATTER_CASES=" << cases << std::endl;
  constexpr std::byte untouched{0xA5};
  for (std::uint64_t seed = first; seed < first + run; ++seed) {
    Random random(seed);
    const Case c = random_legal_case(random);
    INFO("TSCATTER_SEED=" << seed << " TSCATTER_CASES=1: " << to_string(c));
    const oracle::Dense& data = c.call.operand("data");
    const auto elements = static_cast<std::int64_t>(data.count());
    const std::vector<std::byte> whole = in_memory(c, Destination::memory, {.threads = 1});
    for (const std::int64_t parts : {1, 2, 3, 7}) {
      std::vector<std::byte> together;
      RunOptions options = c.delivery.options;
      for (std::int64_t part = 0; part < parts; ++part) {
        options.range = {.begin = elements * part / parts, .end = elements * (part + 1) / parts};
        std::vector<std::byte> some = in_memory(c, Destination::memory, options);
        const auto size = static_cast<std::int64_t>(data.type.size);
        const auto begin = some.begin() + options.range->begin * size;
        const auto end = some.begin() + options.range->end * size;
        together.insert(together.end(), begin, end);
        std::fill(begin, end, untouched);
        REQUIRE(std::ranges::count(some, untouched) == std::ssize(some));
      }
      REQUIRE(together == whole);
    }
  }
  std::cout << "ranges: " << run << " cases, all bytes equal" << std::endl;
}

}  // namespace tscatter::property

// Options for random cases of an operation, legal ones and ones that break one rule each, and their
// writing as a batch. Form and scheme: docs/generate.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::generate {

// The version of the scheme: the bytes depend on it and on the options.
inline constexpr int scheme = 4;

enum class Duplicates : std::uint8_t { none, some, heavy };

inline constexpr std::array<std::string_view, 3> duplicates_names{"none", "some", "heavy"};

enum class ValueSet : std::uint8_t {
  exact,     // sums and products are exact in any order
  rounding,  // full significands, similar magnitudes
  swamp,     // magnitudes so different that the order of a sum shows
  special,   // NaN, infinities, signed zeros, subnormals, the largest and the smallest
  full,      // all bit patterns; every value of 8- and 16-bit types
};

inline constexpr std::array<std::string_view, 5> value_set_names{"exact", "rounding", "swamp",
                                                                 "special", "full"};

constexpr std::string_view to_string(ValueSet set) {
  return value_set_names[static_cast<std::size_t>(set)];
}

enum class Broken : bool { left_out, added };

enum class IndexEntries : bool {
  of_all_kinds,
  plain,  // a list, not empty where data has a place; each in range, and none negative
};

// How the cases are written.
enum class Layout : std::uint8_t {
  npy,   // .npy files, and cases.jsonl
  onnx,  // node tests of ONNX: a folder each, with a model and a data set
  mlir,  // modules of StableHLO: a file each, with constants and a check of the result
};

inline constexpr std::array<std::string_view, 3> layout_names{"npy", "onnx", "mlir"};

struct GenerateOptions {
  const Operation* operation = nullptr;
  std::uint64_t seed = 0;
  std::int64_t count = 100;             // of legal cases, and of broken ones if they are added
  std::vector<DType> dtypes{};          // of data; empty: all that the operation accepts
  std::vector<Reduction> reductions{};  // empty: all that the operation has
  std::vector<DType> index_dtypes{};  // of index tensors; empty: all that the operation takes, and
                                      // one that holds the indices where the drawn one does not
  std::int64_t max_rank = 6;          // of data
  std::optional<std::int64_t> max_elements{};  // of a tensor; nullopt: 4096, or 65,536 where the
                                               // set full shows every value of a 16-bit type
  std::optional<std::int64_t> depth{};         // of index entries of the form nd; nullopt: all
  IndexEntries entries = IndexEntries::of_all_kinds;
  std::optional<Duplicates> duplicates{};  // nullopt: all
  std::optional<ValueSet> set{};           // nullopt: those that fit the dtype in turn
  Broken broken = Broken::left_out;
  Layout layout = Layout::npy;
};

struct WriteOptions {
  StopFlag stop = nullptr;                    // stops the writing after the current case
  std::function<void(std::int64_t)> written;  // called with the number of cases that are written
};

// Writes the operands and the expected output of each case as .npy files, and cases.jsonl beside
// them; or node tests of ONNX or modules of StableHLO, and cases.txt. The same options give the
// same bytes on every machine. Creates the directory if needed. cases.jsonl is marked as incomplete
// until the end, so that the same call can be repeated after a kill. Throws Error (file,
// generate.g5 and file.*) and Cancelled.
void write_suite(const GenerateOptions& cases, const std::filesystem::path& directory,
                 const WriteOptions& options = {});

}  // namespace tscatter::generate

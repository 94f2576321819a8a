// Archives compared tensor by tensor, for compare.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "text/document.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

enum class FoundIn : std::uint8_t { both, actual, expected };

// A tensor that differs, or that one archive alone has.
struct TensorDifference {
  std::string name;
  FoundIn found = FoundIn::both;
  std::optional<Census> census = {};  // of a tensor that both have
  // The dtype, as the file names it, of elements that cannot be used: their bytes were compared.
  std::string as_bytes = {};
  std::string reason = {};  // why there is no census
};

struct ArchiveComparison {
  std::int64_t tensors = 0;  // that one of them has, at least
  std::vector<TensorDifference> differences;
  std::vector<std::string> as_bytes = {};  // the dtypes of tensors whose bytes were compared
  bool has_other_metadata = false;  // where both formats have any; it is told, but no difference

  bool is_match() const { return differences.empty(); }
};

// The tolerance for elements of a dtype; nullopt: opaque ones.
using ToleranceOf = std::function<Tolerance(std::optional<DType>)>;

// In the order of `expected`, then what `actual` alone has. `options` without a tolerance.
// `has_bfloat16`: as of SidesAsked. Throws Error as compare() does.
ArchiveComparison compare_archives(const Archive& actual, const Archive& expected,
                                   const CompareOptions& options, const ToleranceOf& tolerance_of,
                                   bool has_bfloat16 = false);

// "2 of 5 (w, b)". REQUIRES: some differ.
std::string figures_line(const ArchiveComparison& comparison);

// In words the first line is a summary. Keys: docs/compare.md.
Document comparison_document(const ArchiveComparison& comparison);

// What differs, without the summary. In words only.
Document comparison_tables(const ArchiveComparison& comparison);

}  // namespace tscatter::app

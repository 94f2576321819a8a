#include "compare/archives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "compare/sides.hpp"
#include "jobs/operand.hpp"
#include "text/figure.hpp"
#include "text/reports.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/float8.hpp"

namespace tscatter::app {
namespace {

// Returns the tensor with the dtype of `other` if a .npz has kept its elements as records of the
// same size, without the name of their dtype; any other tensor as it is.
Tensor as_of(const Tensor& tensor, const Tensor& other) {
  if (other.type().dtype == DType::bfloat16) return viewed_as(tensor, DType::bfloat16);
  if (float8_of(other.type()) == nullptr || tensor.type().descr != "'|V1'") return tensor;
  return {{.type = other.type(), .shape = tensor.shape(), .order = tensor.order()},
          tensor.shared_source(),
          tensor.name()};
}

// Maps each name to the members that have it, in the order of the archive.
using PlacesByName = std::multimap<std::string_view, std::size_t>;

PlacesByName places_by_name(const std::vector<ArchiveMember>& members) {
  PlacesByName places;
  for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].name, i);
  return places;
}

// The first place of that name, which is taken away; nullopt if there is none.
std::optional<std::size_t> take_place(PlacesByName& places, const std::string& name) {
  const auto found = places.lower_bound(name);
  if (found == places.end() || found->first != name) return std::nullopt;
  const std::size_t place = found->second;
  places.erase(found);
  return place;
}

std::vector<std::size_t> sorted_places(const PlacesByName& places) {
  std::vector<std::size_t> sorted(places.size());
  std::ranges::transform(places, sorted.begin(), &PlacesByName::value_type::second);
  std::ranges::sort(sorted);
  return sorted;
}

// None, where the format has no place for it.
ArchiveMetadata sorted_metadata(const Archive& archive) {
  ArchiveMetadata metadata = archive.metadata().value_or(ArchiveMetadata());
  std::ranges::sort(metadata);
  return metadata;
}

bool has_other_metadata(const Archive& actual, const Archive& expected) {
  return sorted_metadata(actual) != sorted_metadata(expected);
}

std::int64_t count(const ArchiveComparison& comparison, FoundIn found) {
  return std::ranges::count(comparison.differences, found, &TensorDifference::found);
}

std::string_view word_of(FoundIn found) {
  switch (found) {
    case FoundIn::both: return "both";
    case FoundIn::actual: return "actual";
    case FoundIn::expected: return "expected";
  }
  unreachable();
}

// REQUIRES: one archive alone has it.
std::string_view only_in(FoundIn found) {
  return found == FoundIn::actual ? "only in ACTUAL" : "only in EXPECTED";
}

std::string summary(const ArchiveComparison& comparison) {
  const std::string tensors = counted(comparison.tensors, "tensor");
  std::string text = comparison.is_match() ? fmt::format("equal: {}", tensors)
                                           : fmt::format("different: {} of {}",
                                                         comparison.differences.size(), tensors);
  for (const FoundIn found : {FoundIn::actual, FoundIn::expected}) {
    if (const std::int64_t some = count(comparison, found); some > 0)
      text += fmt::format(", {} {}", some, only_in(found));
  }
  if (!comparison.as_bytes.empty()) {
    const std::set<std::string> dtypes(comparison.as_bytes.begin(), comparison.as_bytes.end());
    text += fmt::format(" ({} compared as bytes: {})", comparison.as_bytes.size(),
                        fmt::join(dtypes, ", "));
  }
  return comparison.has_other_metadata ? text + " (the metadata differs)" : text;
}

Document difference_row(const TensorDifference& difference) {
  Document row{{"name", difference.name}, {"in", word_of(difference.found)}};
  row.show("", "  " + difference.name);
  if (difference.census) {
    const bool is_of_bytes = !difference.as_bytes.empty();
    if (is_of_bytes) row.put("as_bytes", difference.as_bytes);
    row.put("census", census_document(*difference.census));
    row.show("", is_of_bytes ? fmt::format("{}, as bytes: {}", difference.as_bytes,
                                           census_line(*difference.census))
                             : census_line(*difference.census));
  } else if (!difference.reason.empty()) {
    row.put("reason", difference.reason);
    row.show("", difference.reason);
  } else {
    row.show("", std::string(only_in(difference.found)));
  }
  return row;
}

// The tensor of members()[index]: as it is listed, if its elements cannot be used.
struct Place {
  const Archive& archive;
  std::size_t index;

  std::optional<ListedTensor> listed() const { return archive.listed_at(index); }
};

// A tensor's header, as the file has it.
struct ListedAs {
  std::string dtype;
  Shape shape;
};

ListedAs listed_as(const Place& place) {
  if (auto listed = place.listed())
    return {.dtype = std::move(listed->dtype), .shape = std::move(listed->shape)};
  const Tensor tensor = place.archive.tensor_at(place.index);
  return {.dtype = to_string(tensor.type()), .shape = tensor.shape()};
}

// How the headers of a tensor differ whose elements cannot be used in one archive, or in both; ""
// if dtype and shape are the same.
std::string other_header(const ListedAs& actual, const ListedAs& expected) {
  if (actual.dtype != expected.dtype)
    return fmt::format("dtype differs: got {}, expected {}", actual.dtype, expected.dtype);
  if (actual.shape != expected.shape)
    return fmt::format("shape differs: got {}, expected {}", tscatter::to_string(actual.shape),
                       tscatter::to_string(expected.shape));
  return "";
}

// Compares two tensors, at least one of them with elements that cannot be used: their headers, then
// their bytes. nullopt: equal.
std::optional<TensorDifference> listed_difference(const std::string& name, const Place& actual,
                                                  const Place& expected,
                                                  const CompareOptions& options,
                                                  std::vector<std::string>& as_bytes) {
  const ListedAs one = listed_as(actual);
  const ListedAs other = listed_as(expected);
  TensorDifference difference{.name = name, .reason = other_header(one, other)};
  if (!difference.reason.empty()) return difference;
  as_bytes.push_back(one.dtype);
  difference.as_bytes = one.dtype;
  difference.census = compare(actual.listed()->bytes, expected.listed()->bytes, options);
  return difference.census->is_match() ? std::nullopt : std::optional(difference);
}

Table table_of(const ArchiveComparison& comparison) {
  Table table{.front = TableFront::nothing};
  for (const TensorDifference& each : comparison.differences)
    table.rows.push_back(difference_row(each));
  return table;
}

}  // namespace

ArchiveComparison compare_archives(const Archive& actual, const Archive& expected,
                                   const CompareOptions& options, const ToleranceOf& tolerance_of,
                                   bool has_bfloat16) {
  const std::vector<ArchiveMember> got = actual.members();
  const std::vector<ArchiveMember> wanted = expected.members();
  PlacesByName places = places_by_name(got);
  ArchiveComparison comparison{.tensors = static_cast<std::int64_t>(wanted.size()),
                               .differences = {},
                               .has_other_metadata = has_other_metadata(actual, expected)};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& name = wanted[i].name;
    const std::optional<std::size_t> place = take_place(places, name);
    if (!place) {
      comparison.differences.push_back({.name = name, .found = FoundIn::expected});
      continue;
    }
    const Place ours{.archive = actual, .index = *place};
    const Place theirs{.archive = expected, .index = i};
    if (ours.listed() || theirs.listed()) {
      if (auto found = listed_difference(name, ours, theirs, options, comparison.as_bytes))
        comparison.differences.push_back(*std::move(found));
      continue;
    }
    const auto tensor_at = [&](const Archive& archive, std::size_t at) {
      const Tensor tensor = archive.tensor_at(at);
      return has_bfloat16 ? as_bfloat16(tensor) : tensor;
    };
    const Tensor one = tensor_at(actual, *place);
    const Tensor other = tensor_at(expected, i);
    CompareOptions tolerant = options;
    const auto dtype = numeric_dtype(as_of(one, other));
    if (takes_tolerance(dtype)) tolerant.tolerance = tolerance_of(dtype);
    Census census = compare_numbers(as_of(one, other), as_of(other, one), tolerant);
    if (!census.is_match())
      comparison.differences.push_back({.name = name, .census = std::move(census)});
  }
  for (const std::size_t place : sorted_places(places)) {
    ++comparison.tensors;
    comparison.differences.push_back({.name = got[place].name, .found = FoundIn::actual});
  }
  return comparison;
}

std::string figures_line(const ArchiveComparison& comparison) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> names;
  for (const TensorDifference& each : comparison.differences) {
    if (names.size() < most_named) names.push_back(each.name);
  }
  if (comparison.differences.size() > most_named) names.emplace_back("…");
  return fmt::format("{} of {} ({})", comparison.differences.size(),
                     grouped(comparison.tensors).text, fmt::join(names, ", "));
}

Document comparison_document(const ArchiveComparison& comparison) {
  Document document;
  document.line(summary(comparison));
  document.put({{"match", comparison.is_match()},
                {"tensors", comparison.tensors},
                {"different", count(comparison, FoundIn::both)},
                {"only_in_actual", count(comparison, FoundIn::actual)},
                {"only_in_expected", count(comparison, FoundIn::expected)},
                {"metadata_differs", comparison.has_other_metadata}});
  if (!comparison.as_bytes.empty())
    document.put("as_bytes", static_cast<std::int64_t>(comparison.as_bytes.size()));
  document.add("differences", table_of(comparison));
  return document;
}

Document comparison_tables(const ArchiveComparison& comparison) {
  Document document;
  document.show(table_of(comparison));
  return document;
}

}  // namespace tscatter::app

#include "commands/compare_archives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "jobs/operand.hpp"
#include "text/census_text.hpp"
#include "text/figure.hpp"
#include "tscatter/core/float8.hpp"
#include "tscatter/io/formats/float8_numbers.hpp"

namespace tscatter::app {
namespace {

// Records that have lost the name of their dtype, in a .npz, with that of `other`.
Tensor as_of(const Tensor& tensor, const Tensor& other) {
  if (other.type().dtype != DType::opaque) return viewed_as(tensor, other.type().dtype);
  if (float8_of(other.type()) == nullptr || tensor.type().descr != "'|V1'") return tensor;
  return {{.type = other.type(), .shape = tensor.shape(), .order = tensor.order()},
          tensor.shared_source(),
          tensor.name()};
}

std::set<std::string> names_of(const std::vector<ArchiveMember>& members) {
  std::set<std::string> names;
  for (const ArchiveMember& member : members) names.insert(member.name);
  return names;
}

bool has_other_metadata(const Archive& actual, const Archive& expected) {
  auto one = actual.metadata();
  auto other = expected.metadata();
  if (!one || !other) return false;
  std::ranges::sort(*one);
  std::ranges::sort(*other);
  return *one != *other;
}

std::int64_t count(const ArchiveComparison& comparison, FoundIn found) {
  return std::ranges::count(comparison.differences, found, &TensorDifference::found);
}

std::string_view word_of(FoundIn found) {
  switch (found) {
    case FoundIn::both: return "both";
    case FoundIn::actual: return "actual";
    case FoundIn::expected: break;
  }
  return "expected";
}

std::string summary(const ArchiveComparison& comparison) {
  const std::string tensors = fmt::format("{} tensor{}", grouped(comparison.tensors).text,
                                          comparison.tensors == 1 ? "" : "s");
  std::string text = comparison.is_match() ? fmt::format("equal: {}", tensors)
                                           : fmt::format("different: {} of {}",
                                                         comparison.differences.size(), tensors);
  for (const auto& [found, words] : {std::pair(FoundIn::actual, "only in ACTUAL"),
                                     std::pair(FoundIn::expected, "only in EXPECTED")}) {
    if (const std::int64_t some = count(comparison, found); some > 0)
      text += fmt::format(", {} {}", some, words);
  }
  if (!comparison.as_bytes.empty()) {
    const std::set<std::string> dtypes(comparison.as_bytes.begin(), comparison.as_bytes.end());
    text += fmt::format(" ({} compared as bytes: {})", comparison.as_bytes.size(),
                        escape_control(fmt::format("{}", fmt::join(dtypes, ", "))));
  }
  return comparison.has_other_metadata ? text + " (the metadata differs)" : text;
}

Document difference_row(const TensorDifference& difference) {
  Document row{{"name", difference.name}, {"in", word_of(difference.found)}};
  row.show("", "  " + escape_control(difference.name));
  if (difference.census) {
    const bool is_of_bytes = !difference.as_bytes.empty();
    if (is_of_bytes) row.put("as_bytes", difference.as_bytes);
    row.put("census", census_document(*difference.census));
    row.show("", is_of_bytes ? fmt::format("{}, as bytes: {}", escape_control(difference.as_bytes),
                                           census_line(*difference.census))
                             : census_line(*difference.census));
  } else if (!difference.reason.empty()) {
    row.put("reason", difference.reason);
    row.show("", escape_control(difference.reason));
  } else {
    row.show(
        "", fmt::format("only in {}", difference.found == FoundIn::actual ? "ACTUAL" : "EXPECTED"));
  }
  return row;
}

// A tensor as it is listed.
struct ListedAs {
  std::string dtype;
  Shape shape;
};

ListedAs listed_as(const Archive& archive, const std::string& name) {
  if (const auto listed = archive.listed(name))
    return {.dtype = listed->dtype, .shape = listed->shape};
  const Tensor tensor = archive.tensor(name);
  return {.dtype = to_string(tensor.type()), .shape = tensor.shape()};
}

// Of a tensor whose elements cannot be used in one archive, or in both: "" if dtype and shape are
// the same.
std::string other_header(const ListedAs& actual, const ListedAs& expected) {
  if (actual.dtype != expected.dtype)
    return fmt::format("dtype differs: got {}, expected {}", actual.dtype, expected.dtype);
  if (actual.shape != expected.shape)
    return fmt::format("shape differs: got {}, expected {}", to_string(actual.shape),
                       to_string(expected.shape));
  return "";
}

// nullopt: equal, or the elements of both can be used.
std::optional<TensorDifference> listed_difference(const std::string& name, const Archive& actual,
                                                  const Archive& expected,
                                                  const CompareOptions& options,
                                                  std::vector<std::string>& as_bytes) {
  const ListedAs one = listed_as(actual, name);
  const ListedAs other = listed_as(expected, name);
  TensorDifference difference{.name = name, .reason = other_header(one, other)};
  if (!difference.reason.empty()) return difference;
  as_bytes.push_back(one.dtype);
  CompareOptions exact = options;
  exact.tolerance = {};
  difference.as_bytes = one.dtype;
  difference.census = compare(actual.listed(name)->bytes, expected.listed(name)->bytes, exact);
  return difference.census->is_match() ? std::nullopt : std::optional(difference);
}

}  // namespace

Census compare_numbers(const Tensor& actual, const Tensor& expected,
                       const CompareOptions& options) {
  if (!same_dtype(actual.type(), expected.type())) return compare(actual, expected, options);
  return compare(as_numbers(actual), as_numbers(expected), options);
}

ArchiveComparison compare_archives(const Archive& actual, const Archive& expected,
                                   const CompareOptions& options) {
  const std::vector<ArchiveMember> got = actual.members();
  const std::vector<ArchiveMember> wanted = expected.members();
  const std::set<std::string> got_names = names_of(got);
  const std::set<std::string> wanted_names = names_of(wanted);
  ArchiveComparison comparison{.tensors = static_cast<std::int64_t>(wanted.size()),
                               .differences = {},
                               .has_other_metadata = has_other_metadata(actual, expected)};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& name = wanted[i].name;
    if (!got_names.contains(name)) {
      comparison.differences.push_back({.name = name, .found = FoundIn::expected});
      continue;
    }
    if (actual.listed(name) || expected.listed(name)) {
      if (auto other = listed_difference(name, actual, expected, options, comparison.as_bytes))
        comparison.differences.push_back(*std::move(other));
      continue;
    }
    const Tensor one = actual.tensor(name);
    const Tensor other = expected.tensor_at(i);
    Census census = compare_numbers(as_of(one, other), as_of(other, one), options);
    if (!census.is_match())
      comparison.differences.push_back({.name = name, .census = std::move(census)});
  }
  for (const ArchiveMember& member : got) {
    if (wanted_names.contains(member.name)) continue;
    ++comparison.tensors;
    comparison.differences.push_back({.name = member.name, .found = FoundIn::actual});
  }
  return comparison;
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
  Table table{.front = TableFront::nothing};
  for (const TensorDifference& each : comparison.differences)
    table.rows.push_back(difference_row(each));
  document.add("differences", std::move(table));
  return document;
}

}  // namespace tscatter::app

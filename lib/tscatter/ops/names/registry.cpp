#include "tscatter/ops/names/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <tuple>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter {
namespace {

using names::Namespace;
using names::Versions;

// An operation under its name in parts.
struct Entry {
  std::size_t space;  // in names::all
  std::string order;  // folded, without version
  std::string name;   // folded, without namespace, package and version
  std::optional<unsigned> version;
  const Operation* operation;
};

// nullopt unless the text is a number without leading zeros.
std::optional<unsigned> version_number(std::string_view text) {
  unsigned number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.front() == '0') return std::nullopt;
  return number;
}

std::string_view without_namespace(std::string_view name) {
  return name.substr(name.find('.') + 1);  // all of it where there is no dot
}

// "scatter" of "tensor.scatter". `name`: folded, without namespace.
std::string_view without_package(const Namespace& space, std::string_view name) {
  for (const std::string_view package : space.packages) {
    const bool is_in = !package.empty() && name.starts_with(package) &&
                       name.substr(package.size()).starts_with('.');
    if (is_in) return name.substr(package.size() + 1);
  }
  return name;
}

// "scatter" of "torch.Tensor.scatter_", folded.
std::string name_within(const Namespace& space, std::string_view name) {
  return std::string(without_package(space, folded(without_namespace(name))));
}

Entry entry_of(std::size_t space, const Operation& operation) {
  const std::string_view name = without_namespace(operation.name);
  const std::size_t hyphen = std::min(name.rfind('-'), name.size());
  const std::string_view whole =
      operation.name.substr(0, operation.name.size() - name.size() + hyphen);
  const std::string order = folded(whole);
  Entry entry{.space = space,
              .order = order,
              .name = std::string(without_package(*names::all[space], without_namespace(order))),
              .version = std::nullopt,
              .operation = &operation};
  if (hyphen < name.size()) entry.version = version_number(name.substr(hyphen + 1));
  return entry;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> sorted = [] {
    std::vector<Entry> all;
    for (std::size_t space = 0; space < names::all.size(); ++space) {
      for (const Operation& row : names::all[space]->operations)
        all.push_back(entry_of(space, row));
    }
    std::ranges::sort(
        all, {}, [](const Entry& each) { return std::tie(each.space, each.order, each.version); });
    return all;
  }();
  return sorted;
}

// nullopt if there is no such namespace.
std::optional<std::size_t> space_of(std::string_view name) {
  if (name.find('.') == std::string_view::npos) return 0;
  const std::string wanted = folded(namespace_of(name));
  if (wanted.empty()) return std::nullopt;
  for (std::size_t space = 0; space < names::all.size(); ++space) {
    const Namespace& each = *names::all[space];
    if (each.name == wanted || std::ranges::count(each.aliases, wanted) > 0) return space;
  }
  return std::nullopt;
}

bool is_version(const Entry& entry, unsigned wanted) {
  switch (names::all[entry.space]->versions) {
    case Versions::exact: return entry.version == wanted;
    case Versions::opset: return entry.version && *entry.version <= wanted;
  }
  unreachable();
}

// `wanted`: folded, without a namespace.
bool is_named(const Entry& entry, std::string_view wanted) {
  if (!wanted.starts_with(entry.name)) return false;
  const std::string_view version = wanted.substr(entry.name.size());
  return version.empty() || version_number(version);
}

bool is_meant(const Entry& entry, std::string_view wanted) {
  if (!is_named(entry, wanted)) return false;
  const std::string_view version = wanted.substr(entry.name.size());
  return version.empty() || is_version(entry, *version_number(version));
}

const Operation* find_in(std::size_t space, std::string_view wanted) {
  const Operation* newest = nullptr;
  for (const Entry& each : entries()) {
    if (each.space == space && is_meant(each, wanted)) newest = each.operation;
  }
  return newest;
}

// The operations that the word means in some namespace; else all versions of what it names.
std::vector<std::string_view> namesakes(std::string_view word) {
  const std::string wanted = folded(without_namespace(word));
  std::vector<std::string_view> found;
  for (std::size_t space = 0; space < names::all.size(); ++space) {
    if (const Operation* meant = find_in(space, wanted)) found.push_back(meant->name);
  }
  if (!found.empty()) return found;
  for (const Entry& each : entries()) {
    if (is_named(each, wanted)) found.push_back(each.operation->name);
  }
  return found;
}

// Those whose names end in it, as numpy.add.at does in "add.at".
std::vector<std::string_view> names_ending_in(std::string_view word) {
  const std::string name = folded(word);
  const std::string end = fmt::format(".{}", name);
  std::vector<std::string_view> found;
  for (const Entry& each : entries()) {
    if (each.name == name || each.name.ends_with(end)) found.push_back(each.operation->name);
  }
  return found;
}

bool has(const Operation& operation, Reduction reduction) {
  return std::ranges::count(operation.reductions(), reduction) > 0;
}

// The newest version of each name that passes the test.
template <class Test>
std::vector<const Entry*> newest_that(const Test& test) {
  std::vector<const Entry*> newest;
  for (const Entry& each : entries()) {
    if (!test(each)) continue;
    const bool is_newer =
        !newest.empty() && newest.back()->space == each.space && newest.back()->name == each.name;
    if (is_newer) newest.pop_back();
    newest.push_back(&each);
  }
  return newest;
}

// "torch.putt" of "torch.ops.aten.putt"; of OpenVINO without the namespace.
std::string name_of_wrong(std::string_view word) {
  const std::optional<std::size_t> space = space_of(word);
  if (!space) return std::string(word);
  if (*space == 0) return std::string(without_namespace(word));
  const Namespace& its = *names::all[*space];
  return fmt::format("{}.{}", its.name, name_within(its, word));
}

bool has_version(std::string_view name) {
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

// The newest version of each operation: what a name without a version means.
std::vector<std::string> newest_names() {
  std::vector<std::string> names;
  for (const Entry* each : newest_that([](const Entry&) { return true; }))
    names.emplace_back(each->operation->name);
  return names;
}

}  // namespace

std::vector<const Operation*> operations_with(Reduction reduction, const Operation& beside) {
  const std::vector<const Entry*> all = newest_that([&](const Entry& each) {
    return each.operation->unanswered.empty() && has(*each.operation, reduction);
  });
  const auto own = std::ranges::find(entries(), beside.name,
                                     [](const Entry& each) { return each.operation->name; });
  const auto some_that = [&](const auto& test) {
    std::vector<const Operation*> some;
    for (const Entry* each : all) {
      if (test(*each)) some.push_back(each->operation);
    }
    return some;
  };
  const auto in_namespace = [&](const Entry& each) { return each.space == own->space; };
  const auto of_name = [&](const Entry& each) {
    return in_namespace(each) && each.name == own->name;
  };
  if (auto versions = some_that(of_name); !versions.empty()) return versions;
  if (auto others = some_that(in_namespace); !others.empty()) return others;
  return some_that([](const Entry&) { return true; });
}

std::span<const Operation* const> operations() {
  static const std::vector<const Operation*> all = [] {
    std::vector<const Operation*> rows;
    for (const Entry& each : entries()) rows.push_back(each.operation);
    return rows;
  }();
  return all;
}

const Operation* find_operation(std::string_view name) {
  const std::optional<std::size_t> space = space_of(name);
  return space ? find_in(*space, name_within(*names::all[*space], name)) : nullptr;
}

std::string_view reduction_word(std::string_view operation, Reduction reduction) {
  return find_operation(operation)->word_of(reduction);
}

std::vector<std::string> operation_names() {
  std::vector<std::string> known;
  for (const Operation* each : operations()) known.emplace_back(each->name);
  return known;
}

bool is_namespace(std::string_view name) {
  return std::ranges::any_of(operations(), [&](const Operation* each) {
    return !name.empty() && equal_ignoring_case(namespace_of(each->name), name);
  });
}

namespace {

// The operation that a word with a namespace is nearest to, of those in it; "" if none is near.
std::string nearest_in_namespace(std::string_view word) {
  const std::optional<std::size_t> space = space_of(word);
  if (!space || word.find('.') == std::string_view::npos) return {};
  std::vector<std::string> own;
  for (const Operation& each : names::all[*space]->operations)
    own.emplace_back(without_namespace(each.name));
  const std::string* best = nearest_name(without_namespace(word), own);
  return best == nullptr ? std::string() : fmt::format("{}.{}", names::all[*space]->name, *best);
}

}  // namespace

std::string unknown_operation_hint(std::string_view word, const std::vector<std::string>& others,
                                   std::string_view otherwise) {
  const std::vector<std::string_view> same = namesakes(word);
  if (!same.empty()) return fmt::format(" (nearest: {})", fmt::join(same, ", "));
  std::vector<std::string> known = has_version(word) ? operation_names() : newest_names();
  std::ranges::copy_if(others, std::back_inserter(known),
                       [](const std::string& name) { return find_operation(name) == nullptr; });
  std::string hint = synonym_hint(name_of_wrong(word), known);
  if (!hint.empty()) return hint;
  const std::vector<std::string_view> ending = names_ending_in(word);
  if (!ending.empty()) return fmt::format(" (nearest: {})", fmt::join(ending, ", "));
  hint = nearest_hint(name_of_wrong(word), known, "");
  if (!hint.empty()) return hint;
  const std::string nearest = nearest_in_namespace(word);
  if (!nearest.empty()) return fmt::format(" (nearest: {})", nearest);
  return otherwise.empty() ? std::string() : fmt::format(" ({})", otherwise);
}

}  // namespace tscatter

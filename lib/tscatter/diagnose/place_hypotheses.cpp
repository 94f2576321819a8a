// Hypotheses about places: updates that are read elsewhere, results that stand elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

constexpr std::int64_t most_elements = 4096;  // of a result of which every shift is tried
constexpr std::int64_t most_bytes = std::int64_t{4} << 20U;  // of such a result
constexpr std::size_t most_reads = std::size_t{1} << 20U;
constexpr std::size_t most_other_writers = 64;  // that would explain an element

// The number that the element would have in the other memory order.
std::int64_t transposed(const TensorHeader& header, std::int64_t number) {
  const MemoryOrder other = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c;
  const std::vector<std::int64_t> own = strides_of(header.shape, header.order);
  const std::vector<std::int64_t> others = strides_of(header.shape, other);
  std::int64_t moved = 0;
  for (std::size_t axis = 0; axis < own.size(); ++axis)
    moved += number / own[axis] % header.shape[axis] * others[axis];
  return moved;
}

// Where the result of an element stands instead: its number, or -1.
using Moved = std::function<std::int64_t(std::int64_t number)>;

void try_moved(Examination& examination, std::string_view name, std::string words,
               const Moved& from) {
  const std::int64_t count = examination.data().count();
  std::vector<std::int64_t> numbers;
  for (const std::int64_t number : examination.numbers()) {
    const std::int64_t other = from(number);
    numbers.push_back(other >= 0 && other < count ? other : number);
  }
  const auto reached =
      reached_elements(examination.lowered(), examination.data(), examination.updates(), numbers);
  if (reached) examination.try_all(name, std::move(words), *reached, examination.trial());
}

// Whether the shift explains the first wrong elements.
bool begins_well(const Examination& examination, const std::vector<std::vector<std::byte>>& values,
                 std::int64_t shift) {
  constexpr std::size_t some = 3;
  std::size_t explained = 0;
  const std::size_t tried = std::min(some, examination.wrong().size());
  for (std::size_t i = 0; i < tried; ++i) {
    const std::int64_t from = examination.numbers()[i] - shift;
    if (from < 0 || from >= std::ssize(values)) continue;
    if (values[static_cast<std::size_t>(from)] == examination.wrong()[i].actual) ++explained;
  }
  return 2 * explained > tried;
}

// Whether enough of the elements would come from within the result: one alone may be a coincidence.
bool is_telling(const Examination& examination, std::int64_t count, std::int64_t shift) {
  const std::span<const std::int64_t> numbers = examination.numbers();
  const auto inside = std::ranges::count_if(
      numbers, [&](std::int64_t number) { return number - shift >= 0 && number - shift < count; });
  return inside >= 2 && 2 * inside >= std::ssize(numbers);
}

// By one along each axis, in a large result; by any number of elements in a small one.
void try_constant_shifts(Examination& examination, std::string_view name) {
  const TensorHeader& header = examination.data().header();
  const std::int64_t count = header.count();
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(std::min(count, most_elements)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  const bool is_small = count <= most_elements && examination.data().byte_size() <= most_bytes;
  const auto all = is_small ? reached_elements(examination.lowered(), examination.data(),
                                               examination.updates(), numbers)
                            : std::nullopt;
  if (!all) {
    const std::vector<std::int64_t> strides = strides_of(header.shape, header.order);
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      for (const std::int64_t sign : {-1, 1}) {
        if (header.shape[axis] == 1) continue;
        try_moved(examination, name, fmt::format("shifted by {} along axis {}", sign, axis),
                  [&](std::int64_t number) { return number - sign * strides[axis]; });
      }
    }
    return;
  }
  std::vector<std::vector<std::byte>> values;
  for (const Reached& each : *all) {
    const auto value =
        examination.trial().value_after(each.data.data(), terms_of(each, examination.type().size));
    values.emplace_back(value.begin(), value.end());
  }
  for (std::int64_t shift = 1 - count; shift < count; ++shift) {
    if (shift == 0 || !is_telling(examination, count, shift) ||
        !begins_well(examination, values, shift))
      continue;
    examination.try_each(name, fmt::format("shifted by {:+} elements", shift), [&](std::size_t i) {
      const std::int64_t from = examination.numbers()[i] - shift;
      if (from < 0 || from >= count)  // whatever stands there
        return i < examination.wrong().size() ? Fit::none : Fit::legal;
      const bool is_it = values[static_cast<std::size_t>(from)] == examination.elements()[i].actual;
      return is_it ? Fit::bits : Fit::none;
    });
  }
}

struct OtherWriter {
  std::int64_t entry;
  Fit fit;
};

// The entries whose update would leave what was got of a wrong element, and that do not go there;
// none if they are too many to tell anything.
std::vector<OtherWriter> other_writers(Examination& examination, const ListedWrites& writes,
                                       NativeElements& updates, std::size_t element) {
  const Reached& reached = examination.reached()[element];
  const std::int64_t part = part_of_entries(writes, examination.numbers()[element]);
  std::vector<OtherWriter> writers;
  auto own = reached.entries.begin();
  for (std::int64_t entry = 0; entry < writes.entries.count(); ++entry) {
    examination.look_at_stop();
    if (own != reached.entries.end() && *own == entry) {
      ++own;
      continue;
    }
    const Fit fit =
        examination.trial().fit(reached.data.data(), {updates.at(part + writes.update_of(entry))},
                                examination.wrong()[element].actual.data());
    if (fit == Fit::none) continue;
    if (writers.size() == most_other_writers) return {};
    writers.push_back({.entry = entry, .fit = fit});
  }
  return writers;
}

struct RowReading {
  std::string words;
  std::function<std::int64_t(std::int64_t entry)> row;
};

std::vector<RowReading> row_readings(std::int64_t entries) {
  std::vector<RowReading> readings;
  const auto within = [entries](std::int64_t row) { return ((row % entries) + entries) % entries; };
  for (const std::int64_t by : {1, -1, 2, -2, 3, -3, 4, -4}) {
    const bool is_told = 2 * std::abs(by) > entries || 2 * by == -entries;  // the other way round
    if (is_told) continue;
    readings.push_back({fmt::format("each entry with the updates of the entry {:+} from it", by),
                        [=](std::int64_t entry) { return within(entry + by); }});
  }
  readings.push_back({"each entry with the updates of the first one",
                      [](std::int64_t) -> std::int64_t { return 0; }});
  readings.push_back(
      {"each entry with the updates of the last one", [=](std::int64_t) { return entries - 1; }});
  readings.push_back({"updates in reversed order of the entries",
                      [=](std::int64_t entry) { return entries - 1 - entry; }});
  readings.push_back({"updates read with twice the stride",
                      [=](std::int64_t entry) { return within(2 * entry); }});
  return readings;
}

}  // namespace

void try_rows(Examination& examination, std::string_view name) {
  const Tensor& updates = examination.updates();
  const std::int64_t entries = examination.lowered().index_entries;
  const auto try_reading = [&](const std::string& words, const UpdatesReading& reading) {
    const auto reached = reached_elements(examination.lowered(), examination.data(), updates,
                                          examination.numbers(), reading);
    if (reached) examination.try_all(name, words, *reached, examination.trial());
  };
  const auto* listed = std::get_if<ListedWrites>(&examination.lowered().plan.writes);
  if (listed != nullptr && entries > 1 && listed->entries.count() == entries &&
      examination.has_few_entries()) {
    for (const RowReading& each : row_readings(entries)) try_reading(each.words, {.row = each.row});
  }
  if (updates.rank() < 2) return;
  try_reading("updates read in the other memory order", {.element = [&](std::int64_t number) {
                return transposed(updates.header(), number);
              }});
}

void try_other_writers(Examination& examination, std::string_view name) {
  const auto* listed = std::get_if<ListedWrites>(&examination.lowered().plan.writes);
  if (listed == nullptr) return;
  const std::int64_t entries = listed->entries.count();
  if (entries < 2 || static_cast<std::size_t>(entries) * examination.wrong().size() > most_reads)
    return;
  NativeElements updates(examination.updates());
  std::map<std::int64_t, std::vector<ElementFit>> by_entry;
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    for (const auto& [entry, fit] : other_writers(examination, *listed, updates, i))
      by_entry[entry].push_back({.element = i, .fit = fit});
  }
  examination.updates().source().check_view();
  for (auto& [entry, fits] : by_entry) {
    examination.add({.name = name,
                     .words = fmt::format("written by {}, which does not go there",
                                          examination.entry_text(entry)),
                     .fits = std::move(fits)});
  }
}

void try_shifts(Examination& examination, std::string_view name) {
  const TensorHeader& header = examination.data().header();
  try_constant_shifts(examination, name);
  if (header.rank() < 2) return;
  try_moved(examination, name, "written in the other memory order", [&](std::int64_t number) {
    const TensorHeader other{
        .type = header.type,
        .shape = header.shape,
        .order = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c};
    return transposed(other, number);
  });
}

}  // namespace tscatter::diagnose

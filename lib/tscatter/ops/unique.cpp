
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter {
namespace {

struct Repeated {
  std::int64_t earlier;
  std::int64_t entry;
};

// A bit for each destination. Where these take more than the entries do, the entries are sorted.
template <class Destination>
std::optional<std::int64_t> first_repeat_by_bits(std::span<const Destination> destinations,
                                                 std::int64_t count) {
  std::vector<bool> is_written(static_cast<std::size_t>(count), false);
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (is_dropped(destinations[i])) continue;
    if (is_written[destinations[i]]) return static_cast<std::int64_t>(i);
    is_written[destinations[i]] = true;
  }
  return std::nullopt;
}

template <class Destination>
std::optional<std::int64_t> first_repeat_by_order(std::span<const Destination> destinations) {
  std::vector<std::int64_t> entries;
  entries.reserve(destinations.size());
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (!is_dropped(destinations[i])) entries.push_back(static_cast<std::int64_t>(i));
  }
  const auto destination_of = [&](std::int64_t entry) {
    return std::pair(destinations[static_cast<std::size_t>(entry)], entry);
  };
  std::ranges::sort(entries, {}, destination_of);
  std::optional<std::int64_t> first;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const bool repeats = destination_of(entries[i]).first == destination_of(entries[i - 1]).first;
    if (repeats && (!first || entries[i] < *first)) first = entries[i];
  }
  return first;
}

template <class Destination>
std::optional<Repeated> first_repeated(std::span<const Destination> destinations,
                                       std::int64_t count) {
  constexpr std::int64_t bits_an_entry = 64;
  const bool has_few = count / bits_an_entry <= static_cast<std::int64_t>(destinations.size());
  const auto entry =
      has_few ? first_repeat_by_bits(destinations, count) : first_repeat_by_order(destinations);
  if (!entry) return std::nullopt;
  const auto earlier =
      std::ranges::find(destinations, destinations[static_cast<std::size_t>(*entry)]);
  return Repeated{.earlier = earlier - destinations.begin(), .entry = *entry};
}

// Finds repeats among entries that are not listed, with a bit for each destination, as many
// destinations at a time as memory allows.
class UnlistedRepeats {
 public:
  UnlistedRepeats(const ListedWrites& writes, StopFlag stop) : writes_{writes}, stop_{stop} {}

  std::optional<Repeated> first() const {
    std::optional<std::int64_t> entry;
    for (std::int64_t begin = 0; begin < writes_.destinations; begin += at_once) {
      const auto found = first_from(begin, entry.value_or(writes_.reader->size()));
      if (found) entry = found;
    }
    if (!entry) return std::nullopt;
    std::uint64_t destination = 0;
    writes_.reader->read(*entry, {&destination, 1});
    const auto is_same = [&](std::uint64_t each) { return each == destination; };
    const std::optional<std::int64_t> earlier = find_entry(*entry, is_same);
    if (!earlier) refuse_changed_entries();
    return Repeated{.earlier = *earlier, .entry = *entry};
  }

 private:
  static constexpr std::int64_t at_once = std::int64_t{1} << 27U;  // destinations: 16 MiB of bits

  // The first entry before `end` for which is_wanted(its destination).
  template <class IsWanted>
  std::optional<std::int64_t> find_entry(std::int64_t end, const IsWanted& is_wanted) const {
    constexpr std::int64_t piece = std::int64_t{16} * 1024;
    std::vector<std::uint64_t> destinations;
    for (std::int64_t first = 0; first < end; first += piece) {
      check_stop(stop_);
      destinations.resize(static_cast<std::size_t>(std::min(piece, end - first)));
      writes_.reader->read(first, destinations);
      const auto found = std::ranges::find_if(destinations, is_wanted);
      if (found != destinations.end()) return first + (found - destinations.begin());
    }
    return std::nullopt;
  }

  // The first that repeats one of the destinations from `begin` on.
  std::optional<std::int64_t> first_from(std::int64_t begin, std::int64_t end) const {
    const std::int64_t count = std::min(at_once, writes_.destinations - begin);
    std::vector<bool> is_written(static_cast<std::size_t>(count), false);
    return find_entry(end, [&](std::uint64_t destination) {
      const std::uint64_t place = destination - static_cast<std::uint64_t>(begin);
      if (is_dropped(destination) || place >= static_cast<std::uint64_t>(count)) return false;
      const bool repeats = is_written[place];
      is_written[place] = true;
      return repeats;
    });
  }

  const ListedWrites& writes_;
  StopFlag stop_;
};

std::optional<Repeated> first_repeated(const ListedWrites& writes, StopFlag stop) {
  if (writes.reader != nullptr) return UnlistedRepeats(writes, stop).first();
  return writes.destination_of_entry.visit(
      [&](auto destinations) { return first_repeated(destinations, writes.destinations); });
}

// How an entry stands in indices: of an entry that is a place in a window, where its window does.
class EntryText {
 public:
  EntryText(const Tensor& indices, const EntryAxes& axes)
      : indices_{indices}, axes_{axes}, shape_{shape_of(axes)} {
    const std::int64_t entries = element_count(shape_);
    depth_ = entries == 0 ? 0 : indices.count() / entries;
  }

  // "indices[2]": of several coordinates, the place that they have in common.
  std::string place(std::int64_t entry) const {
    return fmt::format("indices{}", shape_.empty() ? "" : to_string(axes_.position(entry)));
  }

  // "5", "[1, 3]": as it stands there.
  std::string value(std::int64_t entry) const {
    const std::int64_t first = number_of(entry) * depth_;
    if (depth_ == 1) return integer_text(indices_, first);
    std::string text;
    for (std::int64_t j = 0; j < depth_; ++j)
      text += fmt::format("{}{}", j == 0 ? "" : ", ", integer_text(indices_, first + j));
    return fmt::format("[{}]", text);
  }

 private:
  static Shape shape_of(const EntryAxes& axes) {
    if (!axes.of_indices) return axes.shape;
    Shape shape;
    for (const std::size_t axis : *axes.of_indices) shape.push_back(axes.shape[axis]);
    return shape;
  }

  // In row-major order.
  std::int64_t number_of(std::int64_t entry) const {
    const Position position = axes_.position(entry);
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis)
      number = number * shape_[axis] + position[axis];
    return number;
  }

  const Tensor& indices_;
  const EntryAxes& axes_;
  Shape shape_;
  std::int64_t depth_ = 0;
};

std::string_view label_of(const Operation& operation, Check check, std::string_view otherwise) {
  const std::string_view label = operation.label(check);
  return label.empty() ? otherwise : label;
}

[[noreturn]] void refuse_repeated(const Operation& operation, const Tensor& indices,
                                  const LoweredPlan& lowered, const Repeated& repeated) {
  const EntryAxes axes = lowered.entries();
  const EntryText text(indices, axes);
  // operation.o6
  fail(ErrorKind::rule, label_of(operation, Check::duplicates, "operation.o6"), operation.id,
       "{} must name another place than {}, got {}", text.place(repeated.entry),
       text.place(repeated.earlier), text.value(repeated.entry));
}

// "data[:, 3]": the place along data's named axes; the axes behind them are left out.
std::string destination_text(const Tensor& data, const EntryAxes& axes, std::int64_t destination) {
  const auto begin = data.shape().begin() + static_cast<std::ptrdiff_t>(axes.first);
  const Shape sizes(begin, begin + static_cast<std::ptrdiff_t>(axes.depth));
  const std::vector<std::int64_t> strides = strides_of(sizes, data.order());
  std::string text;
  for (std::size_t i = 0; i < axes.first; ++i) text += ":, ";
  for (std::size_t i = 0; i < axes.depth; ++i) {
    const std::int64_t place = destination / strides[i] % sizes[i];
    text += fmt::format("{}{}", i == 0 ? "" : ", ", place);
  }
  return fmt::format("data[{}]", text);
}

// Of NumPy's index, whose entries have places in several tensors: in the result, without the axes
// at either end that are taken whole.
[[noreturn]] void refuse_repeated_item(const Operation& operation, const Tensor& data,
                                       const ListedWrites& writes, const Repeated& repeated) {
  const auto destination = writes.destination_of_entry.visit([&](auto list) {
    return static_cast<std::int64_t>(list[static_cast<std::size_t>(repeated.entry)]);
  });
  const Shape& shape = writes.named.shape;
  const auto place = [&](std::int64_t entry) {
    return shape.empty() ? "" : to_string(position_of(shape, entry));
  };
  // operation.o6
  fail(ErrorKind::rule, label_of(operation, Check::duplicates, "operation.o6"), operation.id,
       "index{} must name another place than index{}, got {}", place(repeated.entry),
       place(repeated.earlier), destination_text(data, writes.named, destination));
}

}  // namespace

void require_unique(const Operation& operation, const Arguments& arguments,
                    const LoweredPlan& lowered, StopFlag stop) {
  const auto* listed = std::get_if<ListedWrites>(&lowered.plan.writes);
  const bool is_checked = operation.policies.duplicates == DuplicatePolicy::forbidden;
  if (!is_checked || listed == nullptr || arguments.operand("data").count() == 0) return;
  const auto repeated = first_repeated(*listed, stop);
  if (!repeated) return;
  if (operation.form == Form::index)
    refuse_repeated_item(operation, arguments.operand("data"), *listed, *repeated);
  refuse_repeated(operation, arguments.operand("indices"), lowered, *repeated);
}

}  // namespace tscatter

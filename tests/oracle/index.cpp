#include "oracle/index.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter::oracle {
namespace {

template <class Kind>
const Kind* as(const IndexItem& item) {
  return std::get_if<Kind>(&item.what);
}

const Dense* tensor_of(const Call& call, const IndexItem& item) {
  const auto* operand = as<OperandItem>(item);
  return operand == nullptr ? nullptr : &call.operand(operand->operand);
}

bool is_mask(const Dense& tensor) { return tensor.type.dtype == DType::boolean; }

std::size_t axes_of(const Call& call, const IndexItem& item) {
  if (as<EllipsisItem>(item) != nullptr || as<NewAxisItem>(item) != nullptr) return 0;
  const Dense* tensor = tensor_of(call, item);
  return tensor != nullptr && is_mask(*tensor) ? tensor->shape.size() : 1;
}

// Where a single index goes.
std::optional<std::int64_t> place_along(const Call& call, Int128 index, Int128 size) {
  const Policies policies = call.policies();
  if (drops_negative(call, index)) return std::nullopt;
  if (index < 0 && policies.negative == NegativeIndex::from_the_end) {
    if (index >= -size) return static_cast<std::int64_t>(index + size);
  } else if (index >= 0 && index < size) {
    return static_cast<std::int64_t>(index);
  }
  return place_outside(policies.outside, index, size);
}

// An array of indices: integers, a place where each goes, for one axis; of a mask an array of the
// places for each of its axes.
struct Places {
  std::size_t axis;  // of data
  Shape shape;
  std::vector<std::optional<std::int64_t>> at;  // row-major
  std::vector<bool> refused = {};  // where `at` is nullopt, and nothing drops the entry
};

// One of data's axes that an item takes by a slice, an item that gives a new axis, or the place
// where the arrays meet.
struct ResultAxis {
  std::int64_t count;
  std::optional<std::size_t> axis;       // of data
  std::vector<std::int64_t> taken = {};  // its positions
  bool is_named = false;                 // of entries
};

struct Resolved {
  std::vector<ResultAxis> before, after;  // the arrays
  std::vector<Places> arrays;
  Shape together;
  std::vector<std::optional<std::int64_t>> fixed;  // of data's axes, integers among slices
};

// Places where a mask is true, found by a scan in row-major order.
std::vector<Places> places_of_mask(const Dense& mask, std::size_t axis) {
  std::vector<Places> places;
  for (std::size_t i = 0; i < mask.shape.size(); ++i)
    places.push_back({.axis = axis + i, .shape = {0}, .at = {}});
  for_each_index(mask.shape, [&](const Position& at) {
    if (*mask.at(at) == std::byte{0}) return;
    for (std::size_t i = 0; i < at.size(); ++i) {
      places[i].at.emplace_back(at[i]);
      ++places[i].shape.front();
    }
  });
  return places;
}

// nullopt: they do not broadcast.
std::optional<Shape> both(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t in_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t in_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1) return std::nullopt;
    shape[shape.size() - 1 - i] = in_a == 1 ? in_b : in_a;
  }
  return shape;
}

class Resolver {
 public:
  explicit Resolver(const Call& call) : call_{call}, shape_{call.operand("data").shape} {}

  Resolved resolve() {
    resolved_.fixed.resize(shape_.size());
    std::size_t named = 0;
    for (const IndexItem& item : call_.index) named += axes_of(call_, item);
    const bool has_arrays = needs_arrays(shape_.size() - named);
    bool has_ellipsis = false;
    for (const IndexItem& item : call_.index) {
      if (as<EllipsisItem>(item) != nullptr) {
        has_ellipsis = true;
        take_whole(shape_.size() - named);
        ends_ = ends_ || !resolved_.arrays.empty();
      } else {
        take(item, has_arrays);
      }
    }
    if (!has_ellipsis) take_whole(shape_.size() - named);
    return place_arrays();
  }

 private:
  // Integers are arrays beside arrays, and where a policy has to say what they mean.
  bool needs_arrays(std::size_t left_out) const {
    std::size_t axis = 0;
    for (const IndexItem& item : call_.index) {
      if (tensor_of(call_, item) != nullptr) return true;
      if (const auto* integer = as<IntegerItem>(item)) {
        const Int128 size = shape_[axis];
        const bool wraps = call_.policies().negative == NegativeIndex::from_the_end;
        if (integer->index >= size || integer->index < (wraps ? -size : Int128{0})) return true;
      }
      axis += as<EllipsisItem>(item) != nullptr ? left_out : axes_of(call_, item);
    }
    return false;
  }

  void take_whole(std::size_t axes) {
    for (std::size_t i = 0; i < axes; ++i) take_slice({});
  }

  void take_slice(const SliceItem& slice) {
    const std::int64_t size = shape_[axis_];
    const Int128 step = slice.step.value_or(1);
    constexpr Int128 far = Int128{1} << 100;
    const Int128 start = slice.start ? Int128{*slice.start} : step < 0 ? far : 0;
    const Int128 stop = slice.stop ? Int128{*slice.stop} : step < 0 ? -far : far;
    auto taken = slice_positions(start, stop, step, size);
    const auto count = static_cast<std::int64_t>(taken.size());
    axes_.push_back({.count = count, .axis = axis_++, .taken = std::move(taken)});
    ends_ = ends_ || !resolved_.arrays.empty();
  }

  void take(const IndexItem& item, bool has_arrays) {
    if (const auto* slice = as<SliceItem>(item)) return take_slice(*slice);
    if (as<NewAxisItem>(item) != nullptr) {
      axes_.push_back({.count = 1, .axis = std::nullopt});
      ends_ = ends_ || !resolved_.arrays.empty();
      return;
    }
    const auto* integer = as<IntegerItem>(item);
    if (integer != nullptr && !has_arrays) {
      const std::int64_t size = shape_[axis_];
      resolved_.fixed[axis_++] = place_along(call_, integer->index, size);
      return;
    }
    begin_array();
    if (integer != nullptr) {
      Places place{.axis = axis_, .shape = {}, .at = {}};
      place.at.push_back(place_along(call_, integer->index, shape_[axis_]));
      place.refused.push_back(is_refused(integer->index));
      resolved_.arrays.push_back(std::move(place));
      ++axis_;
    } else {
      take_tensor(*tensor_of(call_, item));
    }
  }

  void take_tensor(const Dense& tensor) {
    if (is_mask(tensor)) {
      for (Places& each : places_of_mask(tensor, axis_))
        resolved_.arrays.push_back(std::move(each));
      axis_ += tensor.shape.size();
      return;
    }
    Places places{.axis = axis_, .shape = tensor.shape, .at = {}};
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      places.at.push_back(place_along(call_, integer_at(tensor, i), shape_[axis_]));
      places.refused.push_back(is_refused(integer_at(tensor, i)));
    }
    resolved_.arrays.push_back(std::move(places));
    ++axis_;
  }

  bool is_refused(Int128 index) const {
    return !drops_outside(call_) && !drops_negative(call_, index) &&
           !place_along(call_, index, shape_[axis_]);
  }

  // Arrays that nothing divides are put where the first stands, others in front.
  void begin_array() {
    if (resolved_.arrays.empty()) {
      at_ = axes_.size();
    } else if (ends_) {
      at_ = 0;
    }
  }

  Resolved place_arrays() {
    name_axes();
    const auto at = axes_.begin() + static_cast<std::ptrdiff_t>(at_);
    resolved_.before.assign(axes_.begin(), at);
    resolved_.after.assign(at, axes_.end());
    for (const Places& each : resolved_.arrays)
      resolved_.together = both(resolved_.together, each.shape).value_or(Shape{});
    return std::move(resolved_);
  }

  bool is_whole(const ResultAxis& axis) const {
    return axis.axis && axis.count == shape_[*axis.axis] &&
           (axis.count < 2 || axis.taken[1] > axis.taken[0]);
  }

  // All axes that entries name: from the first to the last that is not whole.
  void name_axes() {
    std::vector<bool> whole(shape_.size(), false);
    for (const ResultAxis& axis : axes_) {
      if (is_whole(axis)) whole[*axis.axis] = true;
    }
    const auto first = std::ranges::find(whole, false) - whole.begin();
    const auto last = std::find(whole.rbegin(), whole.rend(), false);
    const auto end = whole.rend() - last;
    for (ResultAxis& axis : axes_) {
      const auto number = static_cast<std::ptrdiff_t>(axis.axis.value_or(shape_.size()));
      axis.is_named = number >= first && number < end;
    }
  }

  const Call& call_;
  const Shape& shape_;
  Resolved resolved_;
  std::vector<ResultAxis> axes_;
  std::size_t axis_ = 0;
  std::size_t at_ = 0;
  bool ends_ = false;
};

Shape result_of(const Resolved& resolved) {
  Shape shape;
  for (const ResultAxis& axis : resolved.before) shape.push_back(axis.count);
  shape.insert(shape.end(), resolved.together.begin(), resolved.together.end());
  for (const ResultAxis& axis : resolved.after) shape.push_back(axis.count);
  return shape;
}

// What stands at one place of the result.
struct Named {
  Position entry = {};
  Position element = {};
  bool is_kept = true;  // a dropped one has no element
};

Named named_at(const Resolved& resolved, const Position& at, std::size_t rank) {
  Named named{.entry = {}, .element = Position(rank, 0)};
  for (std::size_t i = 0; i < rank; ++i) named.element[i] = resolved.fixed[i].value_or(0);
  const std::size_t arrays_end = resolved.before.size() + resolved.together.size();
  Position together;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const bool is_array = i >= resolved.before.size() && i < arrays_end;
    if (is_array) together.push_back(at[i]);
    if (is_array) named.entry.push_back(at[i]);
    if (is_array) continue;
    const ResultAxis& axis = i < arrays_end ? resolved.before[i] : resolved.after[i - arrays_end];
    if (axis.axis) named.element[*axis.axis] = axis.taken[static_cast<std::size_t>(at[i])];
  }
  for (const Places& each : resolved.arrays) {
    const auto place = each.at[row_major(each.shape, within(each.shape, together))];
    named.is_kept = named.is_kept && place.has_value();
    named.element[each.axis] = place.value_or(0);
  }
  return named;
}

// The axes [first, end) of data that entries name.
std::pair<std::size_t, std::size_t> named_axes(const Resolved& resolved, std::size_t rank) {
  std::vector<bool> whole(rank, false);
  for (const auto* axes : {&resolved.before, &resolved.after}) {
    for (const ResultAxis& axis : *axes) {
      if (axis.axis && !axis.is_named) whole[*axis.axis] = true;
    }
  }
  const auto first = std::ranges::find(whole, false) - whole.begin();
  const auto end = whole.rend() - std::find(whole.rbegin(), whole.rend(), false);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(end)};
}

std::optional<Check> broken_tensor(const Call& call, const Dense& tensor, std::size_t axis) {
  const Shape& data = call.operand("data").shape;
  if (!is_mask(tensor)) {
    const bool is_taken = std::ranges::count(call.row().index_dtypes, tensor.type.dtype) > 0;
    return is_taken ? std::nullopt : std::optional(Check::indices_dtype);
  }
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] != data[axis + i]) return Check::indices_shape;
  }
  return tensor.shape.empty() ? std::optional(Check::indices_shape) : std::nullopt;
}

}  // namespace

std::optional<Check> broken_items(const Call& call) {
  const std::size_t rank = call.operand("data").shape.size();
  std::size_t axes = 0;
  std::ptrdiff_t ellipses = 0;
  for (const IndexItem& item : call.index) {
    if (as<NewAxisItem>(item) != nullptr && !call.row().takes_new_axes) return Check::indices_rank;
    axes += axes_of(call, item);
    ellipses += as<EllipsisItem>(item) != nullptr ? 1 : 0;
  }
  if (axes > rank || ellipses > 1) return Check::indices_rank;
  std::size_t axis = 0;
  for (const IndexItem& item : call.index) {
    const auto* slice = as<SliceItem>(item);
    if (slice != nullptr && slice->step == 0) return Check::step_not_zero;
    const Dense* tensor = tensor_of(call, item);
    if (tensor != nullptr) {
      if (const auto check = broken_tensor(call, *tensor, axis)) return check;
    }
    axis += as<EllipsisItem>(item) != nullptr ? rank - axes : axes_of(call, item);
  }
  std::optional<Shape> together = Shape{};
  for (const Places& each : Resolver(call).resolve().arrays) {
    together = both(*together, each.shape);
    if (!together) return Check::indices_shape;
  }
  return std::nullopt;
}

Shape indexed_shape(const Call& call) { return result_of(Resolver(call).resolve()); }

ItemEntries item_entries(const Call& call) {
  const Resolved resolved = Resolver(call).resolve();
  if (resolved.arrays.empty()) return {};
  const std::size_t rank = call.operand("data").shape.size();
  const auto named_ones = named_axes(resolved, rank);
  const auto first = static_cast<std::ptrdiff_t>(named_ones.first);
  const auto end = static_cast<std::ptrdiff_t>(named_ones.second);
  ItemEntries entries{.exist = true, .first = named_ones.first};
  Resolved alone = resolved;  // with one place of each axis that entries do not name
  for (auto* axes : {&alone.before, &alone.after}) {
    for (ResultAxis& axis : *axes) {
      if (axis.is_named) continue;
      axis.count = 1;
      axis.taken.assign(1, 0);
    }
  }
  for_each_index(result_of(alone), [&](const Position& at) {
    Named named = named_at(alone, at, rank);
    ++entries.all;
    if (!named.is_kept) return;
    const auto from = named.element.begin();
    entries.kept.push_back({std::move(named.entry), {from + first, from + end}});
  });
  return entries;
}

void for_each_item_write(const Call& call, const std::function<void(const Write&)>& visit) {
  const Resolved resolved = Resolver(call).resolve();
  const std::size_t rank = call.operand("data").shape.size();
  const Shape& updates = call.operand("updates").shape;
  for_each_index(result_of(resolved), [&](const Position& at) {
    Named named = named_at(resolved, at, rank);
    if (!named.is_kept) return;
    Write write{std::nullopt, std::move(named.element), within(updates, at)};
    if (!resolved.arrays.empty()) write.entry = std::move(named.entry);
    visit(write);
  });
}

std::optional<std::string> first_wrong_item(const Call& call) {
  const Resolved resolved = Resolver(call).resolve();
  for (const Places& each : resolved.arrays) {
    std::size_t axis = 0;
    std::size_t named = 0;
    for (const IndexItem& item : call.index) named += axes_of(call, item);
    std::string text;
    for (const IndexItem& item : call.index) {
      if (axis == each.axis && axes_of(call, item) == 1) text = item.text;
      axis += as<EllipsisItem>(item) != nullptr ? call.operand("data").shape.size() - named
                                                : axes_of(call, item);
    }
    std::optional<std::string> wrong;
    for_each_index(each.shape, [&](const Position& at) {
      const bool is_mask_place = each.refused.empty();
      if (wrong || is_mask_place || !each.refused[row_major(each.shape, at)]) return;
      wrong = at.empty() ? text : fmt::format("{}[{}]", text, fmt::join(at, ", "));
    });
    if (wrong) return wrong;
  }
  return std::nullopt;
}

Position within(const Shape& shape, const Position& at) {
  Position place(shape.size(), 0);
  for (std::size_t i = 1; i <= std::min(shape.size(), at.size()); ++i) {
    if (shape[shape.size() - i] != 1) place[shape.size() - i] = at[at.size() - i];
  }
  return place;
}

bool fits_result(const Shape& updates, const Shape& result) {
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const std::int64_t size = updates[updates.size() - 1 - i];
    if (size != 1 && (i >= result.size() || size != result[result.size() - 1 - i])) return false;
  }
  return true;
}

}  // namespace tscatter::oracle

// Hypotheses about indices that are read otherwise: off by one, as another dtype, transposed,
// beyond their own axis.
// Hypotheses about slices: a step or a start that is not heeded, or is one place off.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/diagnose/examination.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/ops/forms/window.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::diagnose {
namespace {

using Values = std::vector<std::int64_t>;
using Limits = std::numeric_limits<std::int64_t>;

constexpr std::int64_t most_values = std::int64_t{1} << 19U;  // of indices, held three times

// The axis of indices with the coordinates of an entry; their rank: it has one.
std::size_t axis_of_coordinates(const Call& call, std::size_t rank) {
  switch (call.operation->form) {
    case Form::nd: return rank - 1;
    case Form::block: return 0;
    case Form::window: return forms::index_vector_dim(*call.operation, call.arguments);
    case Form::rows:
    case Form::elements:
    case Form::start:
    case Form::slice:
    case Form::batched_rows:
    case Form::index:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal:
    case Form::segment: return rank;
  }
  unreachable();
}

// The axes of data that `depth` coordinates count along; none for an item of an index.
std::vector<std::int64_t> indexed_axes(const Call& call, std::int64_t depth) {
  if (!call.arguments.index.empty()) return {};
  if (const auto axis = named_axis(call)) return {*axis};
  std::vector<std::int64_t> first(static_cast<std::size_t>(depth));
  std::iota(first.begin(), first.end(), 0);
  switch (call.operation->form) {
    case Form::batched_rows: return {1};
    case Form::window: return forms::dims_listed(call.arguments, "scatter_dims_to_operand_dims");
    case Form::rows:
    case Form::nd:
    case Form::elements:
    case Form::start:
    case Form::slice:
    case Form::index:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal:
    case Form::segment:
    case Form::block: return first;
  }
  unreachable();
}

// The values of indices in the order of the file, and the axes of data that they count along.
struct IndexValues {
  TensorHeader header;
  Values values = {};
  std::vector<std::byte> bytes = {};    // native
  bool are_exact = true;                // as int64
  std::int64_t depth = 1;               // coordinates of an entry
  std::int64_t stride = 1;              // how far apart they are
  std::vector<std::int64_t> axes = {};  // that they count along

  // Which coordinate a value is.
  std::int64_t coordinate(std::size_t place) const {
    return static_cast<std::int64_t>(place) / stride % depth;
  }
};

IndexValues read(const Call& call, const Tensor& indices) {
  IndexValues read{.header = indices.header()};
  read.values.reserve(static_cast<std::size_t>(indices.count()));
  read_native(indices, 0, indices.count(), read.bytes);
  for_each_value(indices, [&](auto value) {
    read.values.push_back(saturated(value));
    read.are_exact = read.are_exact && std::in_range<std::int64_t>(value);
  });
  const std::size_t axis = axis_of_coordinates(call, indices.rank());
  if (axis < indices.rank()) {
    read.depth = indices.shape()[axis];
    read.stride = strides_of(indices.shape(), indices.order())[axis];
  }
  read.axes = indexed_axes(call, read.depth);
  return read;
}

// A tensor of indices, and what reports call it: by its own word, or an item as it was written,
// unless that is a list.
struct NamedIndices {
  std::string operand;
  std::string text;
};

std::vector<NamedIndices> indices_of(const Call& call) {
  const Arguments& arguments = call.arguments;
  std::vector<NamedIndices> all;
  if (arguments.find("indices") != nullptr)
    all.push_back({"indices", std::string(entries_name(*call.operation))});
  for (const IndexItem& item : arguments.index) {
    const auto* operand = std::get_if<OperandItem>(&item.what);
    const bool has_positions = operand != nullptr && operand->operand != "indices" &&
                               is_integer(arguments.operand(operand->operand).type().dtype);
    const bool is_list = item.text.starts_with('[');
    if (has_positions) all.push_back({operand->operand, is_list ? "index" : item.text});
  }
  return all;
}

// Whether sums of it, and its product with another one, are integers of 64 bits.
bool is_near(std::int64_t value) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  return value > -limit && value < limit;
}

class Readings {
 public:
  Readings(Examination& examination, NamedIndices named)
      : examination_{examination},
        named_{std::move(named)},
        indices_{read(examination.call(), examination.call().arguments.operand(named_.operand))} {}

  void try_all() {
    if (indices_.values.empty() || indices_.depth == 0 || !indices_.are_exact) return;
    off_by_one();
    reversed_coordinates();
    narrower();
    halves();
    other_memory_order();
    other_strides();
    spilled();
    negative_as_zero();
    first_for_all();
  }

 private:
  // What is then out of range is dropped, if the operation may do that.
  Suspect* attempt(const std::string& words, Values values) {
    if (values == indices_.values) return nullptr;
    const bool takes_long = takes_indices_of(examination_.operation(), DType::int64);
    if (!takes_long && !std::ranges::all_of(values, std::in_range<std::int32_t, std::int64_t>))
      return nullptr;
    Operation own = examination_.operation();
    if (can_override(own, Policy::outside) && own.policies.outside == OutsideIndex::error)
      own.policies.outside = OutsideIndex::drop_window;
    TensorHeader header = indices_.header;
    Call call{.operation = &own, .arguments = examination_.call().arguments};
    header.type = ElementType::of(takes_long ? DType::int64 : DType::int32);
    std::shared_ptr<const Source> source;
    if (takes_long) {
      source = owned_source(std::move(values));
    } else {
      source = owned_source(std::vector<std::int32_t>(values.begin(), values.end()));
    }
    call.arguments.operands.insert_or_assign(named_.operand, Tensor(header, std::move(source)));
    return examination_.try_call(words, call);
  }

  // The same where it must explain more than data's value.
  void attempt_to_show(const std::string& words, Values values) {
    const Suspect* const added = attempt(words, std::move(values));
    if (added != nullptr && examination_.leaves_data(*added)) examination_.take_back();
  }

  void off_by_one() {
    for (std::int64_t j = 0; j < indices_.depth; ++j) {
      shift(j, 1);
      shift(j, -1);
    }
  }

  // Adds to the j-th coordinates. An index at int64's own end cannot be off that way; it may be off
  // the other way.
  void shift(std::int64_t j, std::int64_t by) {
    Values values = indices_.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (indices_.coordinate(i) != j) continue;
      if (values[i] == (by > 0 ? Limits::max() : Limits::min())) return;
      values[i] += by;
    }
    std::string words = fmt::format("{} off by {:+}", named_.text, by);
    if (!indices_.axes.empty())
      words += fmt::format(" along axis {}", indices_.axes[static_cast<std::size_t>(j)]);
    attempt(words, std::move(values));
  }

  void reversed_coordinates() {
    if (indices_.depth < 2) return;
    Values values = indices_.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t j = indices_.coordinate(i);
      const std::int64_t other =
          static_cast<std::int64_t>(i) + (indices_.depth - 1 - 2 * j) * indices_.stride;
      values[i] = indices_.values[static_cast<std::size_t>(other)];
    }
    attempt("the coordinates of indices in reversed order", std::move(values));
  }

  void narrower() {
    for (const DType dtype :
         {DType::int32, DType::uint32, DType::int16, DType::uint16, DType::int8, DType::uint8}) {
      Values values = indices_.values;
      visit_integer_dtype(dtype, [&]<class T>() {
        for (std::int64_t& each : values) each = saturated(static_cast<T>(each));
      });
      attempt(fmt::format("{} cut to {}", named_.text, info(dtype).name), std::move(values));
    }
  }

  // The first bytes of indices as integers of half the width.
  void halves() {
    const std::size_t size = indices_.header.type.size;
    if (size < 2) return;
    constexpr std::array dtypes{DType::int8, DType::int16, DType::int32};
    for (const DType half : dtypes) {
      if (info(half).size * 2 != size) continue;
      Values values;
      values.reserve(indices_.values.size());
      visit_integer_dtype(half, [&]<class T>() {
        for (std::size_t i = 0; i < indices_.values.size(); ++i) {
          T value;
          std::memcpy(&value, indices_.bytes.data() + i * sizeof(T), sizeof(T));
          values.push_back(saturated(value));
        }
      });
      attempt(fmt::format("the bytes of {} read as {}", named_.text, info(half).name),
              std::move(values));
    }
  }

  void other_memory_order() {
    if (indices_.header.rank() < 2) return;
    Values values = indices_.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t other = transposed(indices_.header, static_cast<std::int64_t>(i));
      values[i] = indices_.values[static_cast<std::size_t>(other)];
    }
    attempt(named_.text + " read in the other memory order", std::move(values));
  }

  // What lies beyond the indices is not known: such an index is left as it is.
  void other_strides() {
    for (const OtherLength& each : other_lengths(examination_.call(), indices_.header)) {
      Values values = indices_.values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto other = static_cast<std::size_t>(each.to(static_cast<std::int64_t>(i)));
        if (other < values.size()) values[i] = indices_.values[other];
      }
      attempt(fmt::format("{} read {}", named_.text, each.words()), std::move(values));
    }
  }

  // Each entry's offset alone is checked, not its coordinates: what passes the end of a row goes on
  // in the next one.
  void spilled() {
    if (examination_.operation().form != Form::nd || indices_.depth < 2) return;
    const Shape& data = examination_.data().shape();
    const Shape sizes(data.begin(), data.begin() + indices_.depth);
    if (!is_near(element_count(sizes))) return;
    Values values = indices_.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (indices_.coordinate(i) != 0) continue;
      const auto at = [&](std::size_t j) -> std::int64_t& {
        return values[i + j * static_cast<std::size_t>(indices_.stride)];
      };
      std::int64_t offset = 0;
      for (std::size_t j = 0; j < sizes.size(); ++j) {
        if (!is_near(at(j))) return;
        offset = offset * sizes[j] + at(j);
      }
      for (std::size_t j = sizes.size(); j-- > 1;) {
        if (offset < 0) break;
        at(j) = offset % sizes[j];
        offset /= sizes[j];
      }
      at(0) = offset;
    }
    attempt("indices that pass the end of an axis go on in the next row", std::move(values));
  }

  void negative_as_zero() {
    Values values = indices_.values;
    for (std::int64_t& each : values) each = std::max<std::int64_t>(each, 0);
    attempt_to_show(fmt::format("negative {} taken as 0", named_.text), std::move(values));
  }

  void first_for_all() {
    Values values = indices_.values;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          indices_.values[static_cast<std::size_t>(indices_.coordinate(i) * indices_.stride)];
    attempt_to_show(fmt::format("{} of the first entry for all", named_.text), std::move(values));
  }

  Examination& examination_;
  NamedIndices named_;
  IndexValues indices_;
};

}  // namespace

void try_index_readings(Examination& examination) {
  const Arguments& arguments = examination.call().arguments;
  for (NamedIndices& each : indices_of(examination.call())) {
    if (arguments.operand(each.operand).count() <= most_values)
      Readings(examination, std::move(each)).try_all();
  }
}

namespace {

// An item of the index that takes a slice of an axis of data.
struct SlicedAxis {
  std::size_t item;
  std::size_t axis;
  std::int64_t size;
  SliceRange range;

  std::int64_t last() const { return range.first + (range.count - 1) * range.step; }
};

// How many axes of data the item takes; nullopt: those that the others leave.
std::optional<std::size_t> axes_taken(const Arguments& arguments, const IndexItem& item) {
  if (std::holds_alternative<EllipsisItem>(item.what)) return std::nullopt;
  if (std::holds_alternative<NewAxisItem>(item.what)) return 0;
  const auto* operand = std::get_if<OperandItem>(&item.what);
  const Tensor* index = operand == nullptr ? nullptr : arguments.find(operand->operand);
  const bool is_mask = index != nullptr && index->type().dtype == DType::boolean;
  return is_mask ? index->rank() : 1;
}

std::vector<SlicedAxis> sliced_axes(const Examination& examination) {
  const Arguments& arguments = examination.call().arguments;
  const Shape& shape = examination.data().shape();
  std::size_t left = shape.size();
  for (const IndexItem& each : arguments.index) left -= axes_taken(arguments, each).value_or(0);
  std::vector<SlicedAxis> sliced;
  std::size_t axis = 0;
  for (std::size_t i = 0; i < arguments.index.size(); ++i) {
    const IndexItem& item = arguments.index[i];
    if (const auto* slice = std::get_if<SliceItem>(&item.what)) {
      const std::int64_t size = shape[axis];
      sliced.push_back(
          {.item = i,
           .axis = axis,
           .size = size,
           .range = clamp_slice(slice->start, slice->stop, slice->step.value_or(1), size)});
    }
    axis += axes_taken(arguments, item).value_or(left);
  }
  return sliced;
}

void try_sliced(Examination& examination, std::string words,
                const std::vector<SlicedAxis>& sliced) {
  Arguments arguments = examination.call().arguments;
  for (const SlicedAxis& each : sliced) {
    const std::int64_t behind = each.last() + (each.range.step < 0 ? -1 : 1);
    arguments.index[each.item].what =
        SliceItem{.start = each.range.first,
                  .stop = behind < 0 ? -each.size - 1 : behind,  // before the first one
                  .step = each.range.step};
  }
  examination.try_prepared(std::move(words), examination.operation(), arguments);
}

}  // namespace

void try_slices(Examination& examination) {
  if (!std::holds_alternative<LatticeWrites>(examination.lowered().plan.writes)) return;
  const std::vector<SlicedAxis> own = sliced_axes(examination);
  const auto is_empty = [](const SlicedAxis& each) { return each.range.count == 0; };
  if (std::ranges::any_of(own, is_empty)) return;
  std::vector<SlicedAxis> dense = own;
  std::size_t stepped = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const SliceRange range = own[i].range;
    const std::int64_t one = range.step < 0 ? -1 : 1;
    const std::string along = fmt::format("along axis {}", own[i].axis);
    std::vector<SlicedAxis> other = own;
    if (range.step != one) {
      ++stepped;
      dense[i].range.step = one;
      other[i].range.step = one;
      try_sliced(examination, fmt::format("the step {} not heeded", along), other);
    }
    other[i].range = {.first = 0, .step = range.step, .count = range.count};
    if (range.first != 0 && range.step > 0)
      try_sliced(examination, fmt::format("the start {} not heeded", along), other);
    for (const std::int64_t by : {1, -1}) {
      other[i].range.first = range.first + by;
      const auto [low, high] = std::minmax({other[i].range.first, other[i].last()});
      if (low >= 0 && high < own[i].size)
        try_sliced(examination, fmt::format("the slice off by {:+} {}", by, along), other);
    }
  }
  if (stepped > 1) try_sliced(examination, "no step heeded", dense);
}

}  // namespace tscatter::diagnose

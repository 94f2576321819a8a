#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tscatter/core/buffer.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/forms/index_place.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

// What stands for a destination while an entry's positions are added up.
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

// The positions of one item, as destinations that they add.
class PositionsPart {
 public:
  // `strides`: of data's named axes, in destinations; `first`: of these axes.
  PositionsPart(const IndexPositions& item, const Shape& data, const Shape& together,
                std::size_t first, const std::vector<std::int64_t>& strides)
      : item_{item}, tensor_{item.tensor}, size_{data[item.axis]} {
    for (std::size_t i = 0; i < item.axes; ++i) {
      sizes_.push_back(data[item.axis + i]);
      strides_.push_back(strides[item.axis + i - first]);
    }
    reads_mask_ = item.mask != nullptr && together == item.shape();
    if (item.mask != nullptr && !reads_mask_) hold_places();
    if (!reads_mask_) tensor_ = broadcast_to(tensor_, together);
  }

  const IndexPositions& item() const { return item_; }
  std::int64_t size() const { return size_; }

  // Adds what the positions from `first` on, in the order of `together`, say; `none` where there is
  // no place, also where there was none before. Returns whether all have one.
  bool add(std::int64_t first, std::span<std::int64_t> destinations, const Policies& policies,
           std::vector<std::byte>& scratch) const {
    const auto count = static_cast<std::int64_t>(destinations.size());
    if (reads_mask_) {
      std::vector<std::int64_t> places(destinations.size());
      item_.mask->places(first, places);
      for (std::size_t i = 0; i < places.size(); ++i) put(destinations[i], of_place(places[i]));
      return true;
    }
    read_row_major(tensor_, first, count, scratch);
    bool all = true;
    visit_integer_dtype(tensor_.type().dtype, [&]<class T>() {
      const std::byte* from = scratch.data();
      for (std::int64_t& destination : destinations) {
        T index;
        std::memcpy(&index, from, sizeof(T));
        from += sizeof(T);
        const std::int64_t place = destination_of(index, policies);
        all = all && place != none;
        put(destination, place);
      }
    });
    return all;
  }

 private:
  static void put(std::int64_t& destination, std::int64_t place) {
    destination = destination == none || place == none ? none : destination + place;
  }

  template <class T>
  std::int64_t destination_of(T index, const Policies& policies) const {
    if (item_.mask != nullptr) return of_place(static_cast<std::int64_t>(index));
    const std::int64_t place = place_of(index, size_, policies);
    return place == nowhere ? none : place * strides_.front();
  }

  // Of a place in the mask, in row-major order.
  std::int64_t of_place(std::int64_t place) const {
    std::int64_t destination = 0;
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      destination += place % sizes_[i] * strides_[i];
      place /= sizes_[i];
    }
    return destination;
  }

  void hold_places() {
    held_ = std::make_shared<Buffer<std::int64_t>>(
        memory_size(item_.mask->trues(), sizeof(std::int64_t)));
    item_.mask->places(0, held_->span());
    tensor_ = view(std::as_bytes(held_->span()), DType::int64, {item_.mask->trues()});
  }

  IndexPositions item_;
  Tensor tensor_;  // integers, broadcast
  std::int64_t size_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> strides_;
  bool reads_mask_ = false;
  std::shared_ptr<Buffer<std::int64_t>> held_;  // places where a mask that is broadcast is true
};

// An entry is a place in the loops outer, together, inner, which are nested in this order: slices
// that run before the positions, the positions, and slices after them.
class IndexEntriesReader final : public EntryReader {
 public:
  IndexEntriesReader(const Operation& operation, const Tensor& data, const ResolvedIndex& index,
                     const EntryAxes& named)
      : rule_{rule_of(operation, Check::index_range)},
        policies_{operation.policies},
        data_name_{data.name()},
        together_{index.together} {
    const std::vector<std::int64_t> strides =
        destination_strides(data.header(), named.first, named.depth);
    const auto stride_of = [&](std::size_t axis) { return strides[axis - named.first]; };
    for (std::size_t axis = named.first; axis < named.first + named.depth; ++axis) {
      const std::optional<SliceRange>& slice = index.slices[axis];
      if (slice && slice->count > 0) origin_ += slice->first * stride_of(axis);
    }
    for (std::size_t i = 0; i < index.result.size(); ++i) {
      const std::optional<std::size_t> axis = index.axes[i];
      const bool is_named =
          axis && *axis >= named.first && *axis < named.first + named.depth;
      if (!is_named) continue;
      const SliceRange& slice = *index.slices[*axis];
      const std::int64_t step = slice.count > 1 ? slice.step : 1;
      (i < index.together_at ? outer_ : inner_)
          .append({.count = slice.count, .stride = step * stride_of(*axis)});
    }
    for (const IndexPositions& item : index.positions)
      parts_.emplace_back(item, data.shape(), index.together, named.first, strides);
  }

  std::int64_t size() const override { return outer_.count() * places() * inner_.count(); }

  void read(std::int64_t first, std::span<std::uint64_t> into) const override {
    Held held;
    fill(first, into, held);
  }

  DestinationList list(std::int64_t destinations, const Parallelism& parallelism) const {
    constexpr std::int64_t at_once = 4 * held_places;
    DestinationList list(size(), destinations);
    list.visit([&](auto all) {
      const CountedBytes counted{parallelism.progress, size()};
      for_each_task((size() + at_once - 1) / at_once, parallelism.threads, parallelism.stop,
                    counted, [&] {
                      return [&, held = Held()](std::int64_t task) mutable {
                        const auto first = static_cast<std::size_t>(task * at_once);
                        const std::size_t count =
                            std::min<std::size_t>(at_once, all.size() - first);
                        fill(static_cast<std::int64_t>(first), all.subspan(first, count), held);
                      };
                    });
    });
    if (can_drop(policies_)) list.count_dropped();
    return list;
  }

  // Where there are no entries, positions are checked all the same.
  void check_positions(const Parallelism& parallelism) const {
    Held held;
    for (std::int64_t first = 0; first < places(); first += held_places) {
      if (parallelism.stop != nullptr && *parallelism.stop) throw Cancelled();
      hold(first, held);
    }
  }

 private:
  static constexpr std::int64_t held_places = std::int64_t{16} * 1024;

  // Destinations of some places of `together`, without slices.
  struct Held {
    std::int64_t first = -1;
    std::vector<std::int64_t> destinations = {};
    std::vector<std::byte> scratch = {};
  };

  std::int64_t places() const { return element_count(together_); }

  void hold(std::int64_t first, Held& held) const {
    held.first = first;
    held.destinations.assign(static_cast<std::size_t>(std::min(held_places, places() - first)),
                             origin_);
    bool all = true;
    for (const PositionsPart& part : parts_)
      all = part.add(first, held.destinations, policies_, held.scratch) && all;
    if (!all && !can_drop(policies_)) refuse();
  }

  // The destinations of places from `place` on, as many as are held.
  std::span<const std::int64_t> places_from(std::int64_t place, Held& held) const {
    const std::int64_t first = place / held_places * held_places;
    if (held.first != first) hold(first, held);
    return std::span(held.destinations).subspan(static_cast<std::size_t>(place - first));
  }

  template <class Destination>
  static void put(std::int64_t place, std::int64_t offset, Destination& into) {
    into = place == none ? dropped_entry<Destination> : static_cast<Destination>(place + offset);
  }

  template <class Destination>
  void fill(std::int64_t first, std::span<Destination> into, Held& held) const {
    const std::int64_t inner = inner_.count();
    for (std::size_t filled = 0; filled < into.size();) {
      const std::int64_t entry = first + static_cast<std::int64_t>(filled);
      const std::int64_t place = entry / inner % places();
      const std::int64_t outer = outer_.offset(entry / inner / places());
      const auto some = places_from(place, held);
      const auto rest = into.subspan(filled);
      filled += inner == 1 ? put_places(some, outer, rest)
                           : put_inner(some.front(), outer, entry % inner, rest);
    }
  }

  template <class Destination>
  static std::size_t put_places(std::span<const std::int64_t> places, std::int64_t offset,
                                std::span<Destination> into) {
    const std::size_t count = std::min(places.size(), into.size());
    for (std::size_t i = 0; i < count; ++i) put(places[i], offset, into[i]);
    return count;
  }

  template <class Destination>
  std::size_t put_inner(std::int64_t place, std::int64_t outer, std::int64_t first,
                        std::span<Destination> into) const {
    const std::int64_t end =
        std::min(inner_.count(), first + static_cast<std::int64_t>(into.size()));
    inner_.visit_pieces(
        first, end,
        [&](std::int64_t at, std::int64_t count, std::int64_t offset, std::int64_t stride) {
          for (std::int64_t i = 0; i < count; ++i)
            put(place, outer + offset + i * stride,
                into[static_cast<std::size_t>(at - first + i)]);
        });
    return static_cast<std::size_t>(end - first);
  }

  // The first index that is out of range: of the first item that has one, in row-major order.
  [[noreturn]] void refuse() const {
    for (const PositionsPart& part : parts_) {
      const Tensor& tensor = part.item().tensor;
      if (part.item().mask != nullptr) continue;
      std::vector<std::byte> bytes;
      for (std::int64_t at = 0; at < tensor.count(); ++at) {
        read_row_major(tensor, at, 1, bytes);
        const bool is_right = visit_integer_dtype(tensor.type().dtype, [&]<class T>() {
          T index;
          std::memcpy(&index, bytes.data(), sizeof(T));
          return place_of(index, part.size(), policies_) != nowhere;
        });
        if (!is_right) refuse(part, at);
      }
    }
    refuse_changed_entries();
  }

  [[noreturn]] void refuse(const PositionsPart& part, std::int64_t at) const {
    const IndexPositions& item = part.item();
    const bool wraps = policies_.negative == NegativeIndex::from_the_end;
    fail(ErrorKind::rule, rule_.label, rule_.operation,
         "{} must be in [{}, {}) for axis {} of {}, got {}",
         place_text(item.text, item.tensor, at), wraps ? -part.size() : 0, part.size(), item.axis,
         data_name_, integer_text(item.tensor, at));
  }

  RuleOf rule_;
  Policies policies_;
  std::string data_name_;
  Shape together_;
  std::int64_t origin_ = 0;  // of the first points of all slices
  StridedAxes outer_;
  StridedAxes inner_;
  std::vector<PositionsPart> parts_;
};

// Lowers a resolved index.
class IndexLowering {
 public:
  IndexLowering(const Operation& operation, const Arguments& arguments,
                const Parallelism& parallelism)
      : operation_{operation},
        data_{arguments.operand("data")},
        updates_{arguments.operand("updates").header()},
        index_{resolve_index(operation, arguments, parallelism)} {}

  LoweredPlan lower(const Parallelism& parallelism) const {
    return index_.positions.empty() ? lattice() : listed(parallelism);
  }

  // Without a list of the places where a mask is true, if there is nothing else to the index.
  std::optional<LoweredPlan> masked() const {
    const bool is_alone = index_.positions.size() == 1 && index_.positions.front().axis == 0 &&
                          index_.positions.front().mask != nullptr &&
                          index_.together_at == 0;
    const bool is_c = data_.order() == MemoryOrder::c && updates_.order == MemoryOrder::c;
    if (!is_alone || !is_c) return std::nullopt;
    if (operation_.policies.duplicates == DuplicatePolicy::forbidden) return std::nullopt;
    const IndexPositions& item = index_.positions.front();
    std::int64_t block = 1;
    for (std::size_t axis = item.axes; axis < data_.rank(); ++axis) {
      if (!is_whole(axis)) return std::nullopt;
      block *= data_.shape()[axis];
    }
    if (block == 0) return std::nullopt;
    return LoweredPlan{.plan = {.writes = MaskWrites{.mask = item.mask, .block = block}},
                       .index_entries = item.mask->trues(),
                       .dropped = dropped(0)};
  }

 private:
  std::optional<std::int64_t> dropped(std::int64_t entries) const {
    return can_drop(operation_.policies) ? std::optional(entries) : std::nullopt;
  }

  bool is_whole(std::size_t axis) const {
    const std::optional<SliceRange>& slice = index_.slices[axis];
    return slice && slice->count == data_.shape()[axis] && slice->first == 0 &&
           (slice->step == 1 || slice->count <= 1);
  }

  // How far apart elements of updates are along each axis of data; 0 without an axis of the result.
  std::vector<std::int64_t> strides_along_data() const {
    const std::vector<std::int64_t> strides = strides_of(updates_.shape, updates_.order);
    std::vector<std::int64_t> along(data_.rank(), 0);
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (index_.axes[i]) along[*index_.axes[i]] = strides[i];
    }
    return along;
  }

  LoweredPlan lattice() const {
    const std::vector<std::int64_t> output = strides_of(data_.shape(), data_.order());
    const std::vector<std::int64_t> updates = strides_along_data();
    LatticeBuilder lattice;
    for (std::size_t i = 0; i < data_.rank(); ++i) {
      const std::size_t axis = data_.order() == MemoryOrder::c ? i : data_.rank() - 1 - i;
      const SliceRange& slice = *index_.slices[axis];
      lattice.shift_output(slice.first * output[axis]);
      // A step that is not taken may be too long to multiply.
      const std::int64_t step = slice.count > 1 ? slice.step : 1;
      lattice.append({.count = slice.count,
                      .output_stride = step * output[axis],
                      .updates_stride = updates[axis]});
    }
    return {.plan = {.writes = lattice.build()}, .dropped = dropped(0)};
  }

  // All axes but those at either end that the index takes whole.
  EntryAxes named() const {
    EntryAxes named;
    std::size_t end = data_.rank();
    while (end > 0 && is_whole(end - 1)) --end;
    while (named.first < end && is_whole(named.first)) ++named.first;
    named.depth = end - named.first;
    named.of_indices.emplace();
    return named;
  }

  // With the axes of the entries: of the result, but for those that are whole axes of data at
  // either end, and new ones.
  UpdatesWalk walk(EntryAxes& named) const {
    const std::vector<std::int64_t> strides = strides_of(updates_.shape, updates_.order);
    UpdatesWalk walk{.entries = {}, .strides = strides_along_data()};
    for (std::size_t i = 0; i < index_.result.size(); ++i) {
      const std::optional<std::size_t> axis = index_.axes[i];
      const bool is_position =
          i >= index_.together_at && i < index_.together_at + index_.together.size();
      const bool is_sliced =
          axis && *axis >= named.first && *axis < named.first + named.depth;
      if (!is_position && !is_sliced) continue;
      if (is_position) named.of_indices->push_back(named.shape.size());
      named.shape.push_back(index_.result[i]);
      walk.entries.push_back({.count = index_.result[i], .stride = strides[i]});
    }
    return walk;
  }

  LoweredPlan listed(const Parallelism& parallelism) const {
    EntryAxes axes = named();
    const UpdatesWalk updates = walk(axes);
    ListedWrites writes = listed_writes(data_.header(), axes.first, axes.depth, updates);
    const auto reader =
        std::make_shared<const IndexEntriesReader>(operation_, data_, index_, axes);
    const std::int64_t entries = reader->size();
    writes.named = std::move(axes);
    if (entries == 0) {
      reader->check_positions(parallelism);
    } else if (parallelism.may_list(entries)) {
      writes.destination_of_entry = reader->list(writes.destinations, parallelism);
    } else {
      read_again(writes, reader, parallelism);
    }
    const auto left_out = dropped(writes.dropped());
    return {.plan = {.writes = std::move(writes)}, .index_entries = entries, .dropped = left_out};
  }

  const Operation& operation_;
  const Tensor& data_;
  const TensorHeader& updates_;
  ResolvedIndex index_;
};

// NumPy's assignment takes more axes of length 1 in front.
Shape without_leading_ones(const Shape& shape, std::size_t rank) {
  auto begin = shape.begin();
  while (static_cast<std::size_t>(shape.end() - begin) > rank && *begin == 1) ++begin;
  return {begin, shape.end()};
}

}  // namespace

Shape updates_of_index(const Operation& operation, const Arguments& arguments) {
  return resolve_index(operation, arguments).result;
}

void validate_index(const Operation& operation, const Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  require_rank_at_least_1(rule_of(operation, Check::data_rank), "data", data);
  require_dtype_of_data(rule_of(operation, Check::updates_dtype), arguments.operand("updates"),
                        data);
}

Arguments prepare_index(const Operation& operation, Arguments arguments) {
  require_rank_at_least_1(rule_of(operation, Check::data_rank), "data",
                          arguments.operand("data"));
  const Tensor& updates = arguments.operand("updates");
  const Shape result = updates_of_index(operation, arguments);
  const Shape given = without_leading_ones(updates.shape(), result.size());
  if (!broadcasts_to(given, result)) {
    const RuleOf rule = rule_of(operation, Check::updates_shape);
    fail(ErrorKind::rule, rule.label, rule.operation,
         "updates must broadcast to {}, the shape of the places that the index names, got {}",
         to_string(result), to_string(updates.shape()));
  }
  Tensor fitted = updates.shape() == given
                      ? updates
                      : Tensor({.type = updates.type(), .shape = given, .order = updates.order()},
                               updates.shared_source(), updates.name());
  arguments.operands.insert_or_assign("updates", broadcast_to(fitted, result));
  return arguments;
}

LoweredPlan lower_index(const Operation& operation, const Arguments& arguments,
                        const Parallelism& parallelism) {
  return IndexLowering(operation, arguments, parallelism).lower(parallelism);
}

LoweredPlan lower_index_for_run(const Operation& operation, const Arguments& arguments,
                                const Parallelism& parallelism) {
  const IndexLowering lowering(operation, arguments, parallelism);
  auto masked = lowering.masked();
  return masked ? *std::move(masked) : lowering.lower(parallelism);
}

}  // namespace tscatter::forms

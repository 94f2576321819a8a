#include "tscatter/ops/forms/index_entries.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

// What stands for a destination while an entry's positions are added up.
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

template <class Destination>
void put(std::int64_t place, std::int64_t offset, Destination& into) {
  into = place == none ? dropped_entry<Destination> : static_cast<Destination>(place + offset);
}

template <class Destination>
std::size_t put_places(std::span<const std::int64_t> places, std::int64_t offset,
                       std::span<Destination> into) {
  const std::size_t count = std::min(places.size(), into.size());
  for (std::size_t i = 0; i < count; ++i) put(places[i], offset, into[i]);
  return count;
}

}  // namespace

// The positions of one item, as destinations that they add.
class PositionsPart {
 public:
  // `strides`: of data's named axes, in destinations; `first`: of these axes.
  PositionsPart(const IndexPositions& item, const Shape& data, const Shape& together,
                std::size_t first, const std::vector<std::int64_t>& strides)
      : item_{item}, tensor_{item.tensor} {
    for (std::size_t i = 0; i < item.axes; ++i) {
      size_ *= data[item.axis + i];
      sizes_.push_back(data[item.axis + i]);
      strides_.push_back(strides[item.axis + i - first]);
    }
    is_row_major_ = strides_ == strides_of(sizes_, MemoryOrder::c);
    reads_mask_ = item.mask != nullptr && together == item.shape();
    if (item.mask != nullptr && !reads_mask_) hold_places();
    if (!reads_mask_) tensor_ = broadcast_to(tensor_, together);
  }

  const IndexPositions& item() const { return item_; }
  std::int64_t size() const { return size_; }

  // The positions where they lie in memory, if they are the destinations.
  std::optional<PlainIndices> plain(NegativeIndex negative) const {
    const bool is_plain = item_.mask == nullptr && is_row_major_ &&
                          tensor_.order() == MemoryOrder::c &&
                          size_ < std::numeric_limits<std::uint32_t>::max();
    const auto view = is_plain ? native_view(tensor_) : std::nullopt;
    if (!view) return std::nullopt;
    return PlainIndices(*view, tensor_.type().dtype, size_, negative);
  }

  // Adds what the positions from `first` on, in the order of `together`, say; `none` where the
  // entry is dropped, also where it was before. Returns false if one is refused.
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
        const std::int64_t place = item_.mask != nullptr ? static_cast<std::int64_t>(index)
                                                         : place_of(index, size_, policies);
        all = all && place != refused_place;
        put(destination, place < 0 ? none : of_place(place));
      }
    });
    return all;
  }

 private:
  static void put(std::int64_t& destination, std::int64_t place) {
    destination = destination == none || place == none ? none : destination + place;
  }

  // Of a position along the item's axes, in row-major order.
  std::int64_t of_place(std::int64_t place) const {
    if (is_row_major_) return place;
    if (strides_.size() == 1) return place * strides_.front();
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
  Tensor tensor_;          // integers, broadcast
  std::int64_t size_ = 1;  // how many positions there are
  Shape sizes_;
  std::vector<std::int64_t> strides_;
  bool is_row_major_ = false;  // a position is what it adds
  bool reads_mask_ = false;
  std::shared_ptr<Buffer<std::int64_t>> held_;  // places where a mask that is broadcast is true
};

IndexEntriesReader::IndexEntriesReader(const Operation& operation, const Tensor& data,
                                       const ResolvedIndex& index, const EntryAxes& named)
    : operation_{operation}, data_name_{data.name()}, together_{index.together} {
  const std::vector<std::int64_t> strides =
      destination_strides(data.header(), named.first, named.depth);
  const auto stride_of = [&](std::size_t axis) { return strides[axis - named.first]; };
  for (std::size_t axis = named.first; axis < named.first + named.depth; ++axis) {
    const std::optional<SliceRange>& slice = index.slices[axis];
    if (slice && slice->count > 0) origin_ += slice->first * stride_of(axis);
  }
  for (std::size_t i = 0; i < index.result.size(); ++i) {
    const std::optional<std::size_t> axis = index.axes[i];
    const bool is_named = axis && *axis >= named.first && *axis < named.first + named.depth;
    if (!is_named) continue;
    const SliceRange& slice = *index.slices[*axis];
    const std::int64_t step = slice.count > 1 ? slice.step : 1;
    (i < index.together_at ? outer_ : inner_)
        .append({.count = slice.count, .stride = step * stride_of(*axis)});
  }
  for (const IndexPositions& item : index.positions)
    parts_.push_back(std::make_shared<const PositionsPart>(item, data.shape(), index.together,
                                                           named.first, strides));
  const bool is_alone =
      parts_.size() == 1 && origin_ == 0 && outer_.count() == 1 && inner_.count() == 1;
  if (is_alone) plain_ = parts_.front()->plain(operation_.policies.negative);
}

void IndexEntriesReader::read(std::int64_t first, std::span<std::uint64_t> into) const {
  Held held;
  fill(first, into, held);
}

void IndexEntriesReader::read(std::int64_t first, std::span<std::uint32_t> into) const {
  if (plain_ && plain_->read(first, into)) return;
  Held held;
  fill(first, into, held);
}

std::int64_t IndexEntriesReader::check(std::int64_t first, std::int64_t count) const {
  return plain_ && plain_->are_in_range(first, count) ? 0 : EntryReader::check(first, count);
}

void IndexEntriesReader::check_positions(StopFlag stop) const {
  Held held;
  for (std::int64_t first = 0; first < places(); first += held_places) {
    check_stop(stop);
    hold(first, held);
  }
  // An item without positions leaves the others no entry.
  if (places() == 0) check_items();
}

void IndexEntriesReader::hold(std::int64_t first, Held& held) const {
  held.first = first;
  held.destinations.assign(static_cast<std::size_t>(std::min(held_places, places() - first)),
                           origin_);
  bool all = true;
  for (const auto& part : parts_)
    all = part->add(first, held.destinations, operation_.policies, held.scratch) && all;
  if (!all) refuse();
}

// The destinations of places from `place` on, as many as are held.
std::span<const std::int64_t> IndexEntriesReader::places_from(std::int64_t place,
                                                              Held& held) const {
  const std::int64_t first = place / held_places * held_places;
  if (held.first != first) hold(first, held);
  return std::span(held.destinations).subspan(static_cast<std::size_t>(place - first));
}

template <class Destination>
std::size_t IndexEntriesReader::put_inner(std::int64_t place, std::int64_t outer,
                                          std::int64_t first, std::span<Destination> into) const {
  const std::int64_t end = std::min(inner_.count(), first + static_cast<std::int64_t>(into.size()));
  inner_.visit_pieces(
      first, end,
      [&](std::int64_t at, std::int64_t count, std::int64_t offset, std::int64_t stride) {
        for (std::int64_t i = 0; i < count; ++i)
          put(place, outer + offset + i * stride, into[static_cast<std::size_t>(at - first + i)]);
      });
  return static_cast<std::size_t>(end - first);
}

template <class Destination>
void IndexEntriesReader::fill(std::int64_t first, std::span<Destination> into, Held& held) const {
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

void IndexEntriesReader::refuse() const {
  check_items();
  refuse_changed_entries();
}

// Refuses the first index that is out of range: of the first item that has one, in row-major order.
void IndexEntriesReader::check_items() const {
  for (const auto& part : parts_) {
    const Tensor& tensor = part->item().tensor;
    if (part->item().mask != nullptr) continue;
    std::vector<std::byte> bytes;
    for (std::int64_t at = 0; at < tensor.count(); ++at) {
      read_row_major(tensor, at, 1, bytes);
      const bool is_right = visit_integer_dtype(tensor.type().dtype, [&]<class T>() {
        T index;
        std::memcpy(&index, bytes.data(), sizeof(T));
        return place_of(index, part->size(), operation_.policies) != refused_place;
      });
      if (!is_right) refuse(*part, at);
    }
  }
}

void IndexEntriesReader::refuse(const PositionsPart& part, std::int64_t at) const {
  const IndexPositions& item = part.item();
  const bool wraps = operation_.policies.negative == NegativeIndex::from_the_end;
  const std::string of = item.is_flat ? "the elements" : fmt::format("axis {}", item.axis);
  tscatter::refuse(operation_, Check::index_range, "{} must be in [{}, {}) for {} of {}, got {}",
                   place_text(item.text, item.tensor, at), wraps ? -part.size() : 0, part.size(),
                   of, data_name_, integer_text(item.tensor, at));
}

}  // namespace tscatter::forms

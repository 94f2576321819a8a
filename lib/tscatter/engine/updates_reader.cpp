#include "tscatter/engine/updates_reader.hpp"

#include "tscatter/core/byte_order.hpp"
#include "tscatter/kernels/move.hpp"

namespace tscatter {

UpdatesReader::UpdatesReader(const Tensor& updates, std::endian byte_order)
    : updates_{updates},
      view_{updates.source().view()},
      repeats_{updates.source().repeated() &&
               updates.source().repeated()->size() == updates.type().size},
      reverses_{updates.type().word() > 1 && updates.type().byte_order != byte_order} {}

const std::byte* UpdatesReader::fetch(const StridedRun& run) {
  const std::size_t size = updates_.type().size;
  const std::int64_t offset = run.updates * static_cast<std::int64_t>(size);
  const bool is_packed = run.updates_stride == 1 || run.count == 1;
  if (view_ && is_packed && !reverses_) return view_->data() + offset;

  const std::size_t bytes = static_cast<std::size_t>(run.count) * size;
  if (repeats_ && packed_.size() >= bytes) return packed_.data();
  packed_.resize(bytes);
  if (view_) {
    gather(packed_.data(), view_->data() + offset, run.updates_stride, run.count, size);
  } else if (is_packed) {
    updates_.source().read(offset, packed_);
  } else {
    read_strided(run, packed_);
  }
  if (reverses_) reverse_words(packed_, updates_.type().word());
  return packed_.data();
}

const std::byte* UpdatesReader::fetch(const EntryRows& entries) {
  if (entries.rows == 1) return fetch({.updates = entries.first, .count = entries.length});
  const auto size = static_cast<std::int64_t>(updates_.type().size);
  packed_.resize(static_cast<std::size_t>(entries.count() * size));
  copy_rows({.first = packed_.data(), .stride = entries.length * size},
            {.first = view_->data() + entries.first * size, .stride = entries.stride * size},
            entries.rows, entries.length * size);
  if (reverses_) reverse_words(packed_, updates_.type().word());
  return packed_.data();
}

void UpdatesReader::read_strided(const StridedRun& run, std::span<std::byte> into) const {
  const std::size_t size = updates_.type().size;
  for (std::int64_t i = 0; i < run.count; ++i) {
    const std::int64_t element = run.updates + i * run.updates_stride;
    updates_.source().read(element * static_cast<std::int64_t>(size),
                           into.subspan(static_cast<std::size_t>(i) * size, size));
  }
}

}  // namespace tscatter

#include "tscatter/explain/column_reader.hpp"

#include <algorithm>
#include <cstring>

namespace tscatter {
namespace {

// Calls visit(batch, elements of its block) for the columns.
template <class Visit>
void visit_batches(Range columns, std::int64_t block, const Visit& visit) {
  for (std::int64_t column = columns.begin; column < columns.end;) {
    const std::int64_t begin = column % block;
    const std::int64_t end = std::min(block, begin + columns.end - column);
    visit(column / block, Range{.begin = begin, .end = end});
    column += end - begin;
  }
}

}  // namespace

ColumnReader::ColumnReader(const ListedWrites& writes, const Tensor& data, const Tensor& updates,
                           std::span<const std::byte> start)
    : writes_{writes},
      data_{data},
      updates_{updates},
      start_{start},
      data_reader_{data, std::endian::native},
      updates_reader_{updates, std::endian::native} {}

void ColumnReader::copy(UpdatesReader& reader, const StridedRun& run, std::byte* into) const {
  const std::size_t size = data_.type().size;
  std::memcpy(into + static_cast<std::size_t>(run.output) * size, reader.fetch(run),
              static_cast<std::size_t>(run.count) * size);
}

void ColumnReader::read_data(std::int64_t destination, Range columns, std::byte* into) {
  if (!start_.empty()) {
    for (std::int64_t i = 0; i < columns.length(); ++i) into = std::ranges::copy(start_, into).out;
    return;
  }
  const std::int64_t block = writes_.blocks.count();
  if (block == 1) {
    copy(data_reader_,
         {.updates = element(destination, columns.begin),
          .count = columns.length(),
          .updates_stride = writes_.destinations},
         into);
    return;
  }
  visit_batches(columns, block, [&](std::int64_t batch, Range part) {
    copy(data_reader_,
         {.output = batch * block + part.begin - columns.begin,
          .updates = (batch * writes_.destinations + destination) * block + part.begin,
          .count = part.length()},
         into);
  });
}

void ColumnReader::read_update(std::int64_t entry, Range columns, std::byte* into) {
  const std::int64_t block = writes_.blocks.count();
  const std::int64_t origin = writes_.update_of(entry);
  if (block == 1 && writes_.batches.is_linear()) {
    copy(updates_reader_,
         {.updates = origin + writes_.batches.offset(columns.begin),
          .count = columns.length(),
          .updates_stride = writes_.batches.stride()},
         into);
    return;
  }
  visit_batches(columns, block, [&](std::int64_t batch, Range part) {
    const std::int64_t first = batch * block - columns.begin;
    visit_block(writes_.blocks, first, origin + writes_.batches.offset(batch), part,
                [&](const StridedRun& run) { copy(updates_reader_, run, into); });
  });
}

bool ColumnReader::find_in_memory(EntryGroup group, Range columns,
                                  std::vector<const std::byte*>& rows) const {
  const std::byte* const data = data_reader_.in_memory();
  const std::byte* const updates = updates_reader_.in_memory();
  const std::int64_t block = writes_.blocks.count();
  const std::int64_t batch = columns.begin / block;
  const bool is_together = columns.length() > 0 && (columns.end - 1) / block == batch &&
                           writes_.blocks.is_linear() && writes_.blocks.stride() == 1;
  if (data == nullptr || updates == nullptr || !start_.empty() || !is_together) return false;
  const auto size = static_cast<std::int64_t>(data_.type().size);
  const std::int64_t in_updates = writes_.batches.offset(batch) + columns.begin % block;
  rows.assign(1, data + element(group.front().destination, columns.begin) * size);
  for (const IndexEntry& each : group)
    rows.push_back(updates + (writes_.update_of(each.entry) + in_updates) * size);
  return true;
}

void ColumnReader::check() const {
  data_.source().check_view();
  updates_.source().check_view();
}

}  // namespace tscatter

#include "tscatter/reach/column_reader.hpp"

#include <algorithm>
#include <cstring>

#include "tscatter/reach/elements.hpp"

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
      of_data_{.reader = {data, std::endian::native}},
      of_updates_{.reader = {updates, std::endian::native}} {}

// visit_runs(visit) calls visit(StridedRun) for the columns, whose outputs count from the first of
// them. A single run need not be copied.
template <class VisitRuns>
const std::byte* ColumnReader::row(Rows& rows, Range columns, const VisitRuns& visit_runs) const {
  const std::size_t size = data_.type().size;
  const std::byte* row = nullptr;
  visit_runs([&](const StridedRun& run) {
    const std::byte* fetched = rows.reader.fetch(run);
    row = fetched;
    if (run.count == columns.length()) return;
    rows.copied.resize(static_cast<std::size_t>(columns.length()) * size);
    std::memcpy(rows.copied.data() + static_cast<std::size_t>(run.output) * size, fetched,
                static_cast<std::size_t>(run.count) * size);
    row = rows.copied.data();
  });
  return row;
}

const std::byte* ColumnReader::data(std::int64_t destination, Range columns) {
  if (!start_.empty()) {
    std::vector<std::byte>& copied = of_data_.copied;
    copied.resize(static_cast<std::size_t>(columns.length()) * start_.size());
    for (auto at = copied.begin(); at != copied.end();) at = std::ranges::copy(start_, at).out;
    return copied.data();
  }
  const auto number = [&](std::int64_t column) {
    return ElementPlace::of_column(writes_, destination, column).number(writes_);
  };
  return row(of_data_, columns, [&](const auto& visit) {
    const std::int64_t block = writes_.blocks.count();
    if (block == 1) {
      return visit(StridedRun{.updates = number(columns.begin),
                              .count = columns.length(),
                              .updates_stride = writes_.destinations});
    }
    visit_batches(columns, block, [&](std::int64_t batch, Range part) {
      const std::int64_t column = batch * block + part.begin;
      visit(StridedRun{
          .output = column - columns.begin, .updates = number(column), .count = part.length()});
    });
  });
}

const std::byte* ColumnReader::update(std::int64_t entry, Range columns) {
  const std::int64_t origin = writes_.update_of(entry);
  return row(of_updates_, columns, [&](const auto& visit) {
    const std::int64_t block = writes_.blocks.count();
    const StridedAxes& batches = writes_.batches;
    if (block == 1 && batches.is_linear()) {
      return visit(StridedRun{.updates = origin + batches.offset(columns.begin),
                              .count = columns.length(),
                              .updates_stride = batches.stride()});
    }
    visit_batches(columns, block, [&](std::int64_t batch, Range part) {
      visit_block(writes_.blocks, batch * block - columns.begin, origin + batches.offset(batch),
                  part, visit);
    });
  });
}

bool ColumnReader::has_in_memory(Range columns) const {
  const std::int64_t block = writes_.blocks.count();
  return of_data_.reader.in_memory() != nullptr && of_updates_.reader.in_memory() != nullptr &&
         start_.empty() && columns.length() > 0 &&
         (columns.end - 1) / block == columns.begin / block && writes_.blocks.is_linear() &&
         writes_.blocks.stride() == 1;
}

void ColumnReader::check() const {
  data_.source().check_view();
  updates_.source().check_view();
}

}  // namespace tscatter

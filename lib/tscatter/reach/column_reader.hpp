// ColumnReader: the elements of one destination side by side. Column c = batch * block + j is
// element j of its block in that batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/engine/readers.hpp"
#include "tscatter/orders/terms.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Each worker has its own. Elements are packed, in native byte order.
class ColumnReader {
 public:
  // Ignores destination_of_entry. `start`: what elements begin with in the place of data's values;
  // may be empty. REQUIRES: all outlive the reader.
  ColumnReader(const ListedWrites& writes, const Tensor& data, const Tensor& updates,
               std::span<const std::byte> start = {});

  std::int64_t columns() const { return writes_.batches.count() * writes_.blocks.count(); }

  // What the elements begin with, and what the entry's update has there. Valid until the next call.
  const std::byte* data(std::int64_t destination, Range columns);
  const std::byte* update(std::int64_t entry, Range columns);

  // Whether the columns of data and of updates lie in memory as they are returned: then they stay.
  bool has_in_memory(Range columns) const;

  // Throws Error (file) if something that was read turned out to be missing from its file.
  void check() const;

 private:
  // One of the two tensors, and what was copied of it.
  struct Rows {
    UpdatesReader reader;
    std::vector<std::byte> copied = {};
  };

  template <class VisitRuns>
  const std::byte* row(Rows& rows, Range columns, const VisitRuns& visit_runs) const;

  const ListedWrites& writes_;
  const Tensor& data_;
  const Tensor& updates_;
  std::span<const std::byte> start_;
  Rows of_data_;
  Rows of_updates_;
};

// Some columns of one destination; each row is read when asked for.
class ReadTerms final : public orders::TermTable {
 public:
  ReadTerms(ColumnReader& reader, EntryGroup group, Range columns)
      : reader_{reader}, group_{group}, columns_{columns} {}

  std::size_t columns() const override { return static_cast<std::size_t>(columns_.length()); }
  std::int64_t updates() const override { return static_cast<std::int64_t>(group_.size()); }
  bool stays() const override { return reader_.has_in_memory(columns_); }
  const std::byte* data() override { return reader_.data(group_.front().destination, columns_); }
  const std::byte* update(std::int64_t index) override {
    return reader_.update(group_[static_cast<std::size_t>(index)].entry, columns_);
  }

 private:
  ColumnReader& reader_;
  EntryGroup group_;
  Range columns_;
};

}  // namespace tscatter

// ColumnReader: the elements of one destination side by side. Column c = batch * block + j is
// element j of its block in that batch. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/engine/updates_reader.hpp"
#include "tscatter/orders/terms.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Each worker has its own. Elements are packed, in native byte order.
class ColumnReader {
 public:
  // Ignores destination_of_entry. `start`: what elements begin with in the place of data's values;
  // may be empty. REQUIRES: all outlive the reader.
  ColumnReader(const ListedWrites& writes, const Tensor& data, const Tensor& updates,
               std::span<const std::byte> start);

  std::int64_t columns() const { return writes_.batches.count() * writes_.blocks.count(); }

  // The number of the element in the order of data's file.
  std::int64_t element(std::int64_t destination, std::int64_t column) const {
    const std::int64_t block = writes_.blocks.count();
    return (column / block * writes_.destinations + destination) * block + column % block;
  }

  // What the elements begin with.
  void read_data(std::int64_t destination, Range columns, std::byte* into);
  void read_update(std::int64_t entry, Range columns, std::byte* into);

  // Sets `rows` to where the columns of data, then of each update, lie in memory, packed; false
  // where they do not.
  bool find_in_memory(EntryGroup group, Range columns, std::vector<const std::byte*>& rows) const;

  // Throws Error (file) if something that was read turned out to be missing from its file.
  void check() const;

 private:
  void copy(UpdatesReader& reader, const StridedRun& run, std::byte* into) const;

  const ListedWrites& writes_;
  const Tensor& data_;
  const Tensor& updates_;
  std::span<const std::byte> start_;
  UpdatesReader data_reader_;
  UpdatesReader updates_reader_;
};

// Some columns of one destination; each row is read when asked for.
class ReadTerms final : public orders::TermTable {
 public:
  ReadTerms(ColumnReader& reader, EntryGroup group, Range columns, std::vector<std::byte>& row)
      : reader_{reader}, group_{group}, columns_{columns}, row_{row} {}

  std::size_t columns() const override { return static_cast<std::size_t>(columns_.length()); }
  std::int64_t updates() const override { return static_cast<std::int64_t>(group_.size()); }
  bool stays() const override { return false; }
  const std::byte* data() override {
    reader_.read_data(group_.front().destination, columns_, row_.data());
    return row_.data();
  }
  const std::byte* update(std::int64_t index) override {
    reader_.read_update(group_[static_cast<std::size_t>(index)].entry, columns_, row_.data());
    return row_.data();
  }

 private:
  ColumnReader& reader_;
  EntryGroup group_;
  Range columns_;
  std::vector<std::byte>& row_;  // REQUIRES: room for the columns
};

}  // namespace tscatter

// IndexEntriesReader: where the entries of NumPy's index go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/plan/destinations.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter::forms {

class PositionsPart;

// An entry is a place in the loops outer, together, inner, which are nested in this order: slices
// that run before the positions, the positions, and slices after them. Its destination counts
// along data's named axes.
class IndexEntriesReader final : public EntryReader {
 public:
  IndexEntriesReader(const Operation& operation, const Tensor& data, const ResolvedIndex& index,
                     const EntryAxes& named);

  std::int64_t size() const override { return outer_.count() * places() * inner_.count(); }

  // Throws Error (the rule index_range) for the first index that is out of range: of the first item
  // that has one, in row-major order.
  void read(std::int64_t first, std::span<std::uint64_t> into) const override;
  void read(std::int64_t first, std::span<std::uint32_t> into) const override;
  std::int64_t check(std::int64_t first, std::int64_t count) const override;
  bool reads_memory() const override { return plain_ && !can_drop(operation_.policies); }
  std::optional<PlainEntries> plain_entries() const override {
    return plain_ && !moves(operation_.policies) ? std::optional(plain_->entries()) : std::nullopt;
  }

  // Checks positions without their entries. Throws as read() does, and Cancelled.
  void check_positions(StopFlag stop) const;

 private:
  static constexpr std::int64_t held_places = std::int64_t{16} * 1024;

  // Destinations of some places of `together`, without slices.
  struct Held {
    std::int64_t first = -1;
    std::vector<std::int64_t> destinations = {};
    std::vector<std::byte> scratch = {};
  };

  std::int64_t places() const { return element_count(together_); }
  void hold(std::int64_t first, Held& held) const;
  std::span<const std::int64_t> places_from(std::int64_t place, Held& held) const;
  template <class Destination>
  void fill(std::int64_t first, std::span<Destination> into, Held& held) const;
  template <class Destination>
  std::size_t put_inner(std::int64_t place, std::int64_t outer, std::int64_t first,
                        std::span<Destination> into) const;
  void check_items() const;
  [[noreturn]] void refuse() const;
  [[noreturn]] void refuse(const PositionsPart& part, std::int64_t at) const;

  Operation operation_;
  std::string data_name_;
  Shape together_;
  std::int64_t origin_ = 0;  // of the first points of all slices
  StridedAxes outer_;
  StridedAxes inner_;
  std::vector<std::shared_ptr<const PositionsPart>> parts_;
  std::optional<PlainIndices> plain_;  // one item's indices, which are the destinations
};

}  // namespace tscatter::forms

#include "tscatter/engine/entry_records.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tscatter {
namespace {

class ReceivedDestinations final : public EntryReader {
 public:
  explicit ReceivedDestinations(std::shared_ptr<const Source> source)
      : source_{std::move(source)} {}

  std::int64_t size() const override { return source_->size() / each; }
  void read(std::int64_t first, std::span<std::uint64_t> into) const override {
    source_->read(first * each, std::as_writable_bytes(into));
  }

 private:
  static constexpr std::int64_t each = sizeof(std::uint64_t);

  std::shared_ptr<const Source> source_;
};

// The blocks of updates whose numbers were received.
class NumberedBlocks final : public Source {
 public:
  NumberedBlocks(std::shared_ptr<const Source> numbers, std::shared_ptr<const Source> updates,
                 std::int64_t block_bytes)
      : numbers_{std::move(numbers)}, updates_{std::move(updates)}, block_bytes_{block_bytes} {}

  std::int64_t size() const override { return numbers_->size() / each * block_bytes_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const std::int64_t within = offset % block_bytes_;
      const auto some = static_cast<std::size_t>(
          std::min(block_bytes_ - within, static_cast<std::int64_t>(into.size())));
      updates_->read(number(offset / block_bytes_) * block_bytes_ + within, into.first(some));
      into = into.subspan(some);
      offset += static_cast<std::int64_t>(some);
    }
  }

 private:
  static constexpr std::int64_t each = sizeof(std::int64_t);

  std::int64_t number(std::int64_t block) const {
    std::int64_t number = 0;
    numbers_->read(block * each, std::as_writable_bytes(std::span(&number, 1)));
    return number;
  }

  std::shared_ptr<const Source> numbers_;
  std::shared_ptr<const Source> updates_;
  std::int64_t block_bytes_;
};

// Whether updates holds the blocks one after another, in the order of the entries.
bool is_packed(const ListedWrites& writes) {
  const std::int64_t block = writes.blocks.count();
  const bool is_whole = block == 1 || (writes.blocks.is_linear() && writes.blocks.stride() == 1);
  const bool is_in_order = writes.entries.count() <= 1 ||
                           (writes.has_linear_entries() && writes.entries.stride() == block);
  return is_whole && is_in_order;
}

}  // namespace

std::optional<EntryRecords> EntryRecords::of(ScatterPlan plan, const Tensor& updates) {
  const auto* listed = std::get_if<ListedWrites>(&plan.writes);
  const bool can_be_dealt = listed != nullptr && listed->reader != nullptr &&
                            listed->batches.count() == 1 && listed->blocks.count() > 0 &&
                            is_packed(*listed);
  if (!can_be_dealt) return std::nullopt;
  return EntryRecords(std::move(plan), updates);
}

EntryRecords::EntryRecords(ScatterPlan plan, const Tensor& updates)
    : plan_{std::move(plan)},
      updates_{updates},
      block_{writes().blocks.count()},
      block_bytes_{block_ * static_cast<std::int64_t>(updates.type().size)} {}

void EntryRecords::check(Range entries, std::vector<std::uint64_t>& destinations) const {
  destinations.resize(static_cast<std::size_t>(std::max<std::int64_t>(entries.length(), 0)));
  if (!destinations.empty()) writes().reader->read(entries.begin, destinations);
}

void EntryRecords::read(Range entries, EntryBatch& into) const {
  check(entries, into.destinations);
  into.payloads.resize(into.destinations.size() * static_cast<std::size_t>(payload_size()));
  if (into.payloads.empty()) return;
  if (has_values()) return updates_.source().read(entries.begin * block_bytes_, into.payloads);
  for (std::int64_t i = 0; i < entries.length(); ++i) {
    const std::int64_t number = entries.begin + i;
    std::memcpy(into.payloads.data() + i * number_size, &number, number_size);
  }
}

ScatterPlan EntryRecords::received_plan(std::shared_ptr<const Source> destinations) const {
  auto reader = std::make_shared<const ReceivedDestinations>(std::move(destinations));
  ListedWrites received{.destinations = writes().destinations,
                        .destination_of_entry = {},
                        .batches = {},
                        .entries = {},
                        .blocks = {}};
  received.entries.append({.count = reader->size(), .stride = block_});
  received.blocks.append({.count = block_, .stride = 1});
  received.reader = std::move(reader);
  ScatterPlan plan = plan_;
  plan.writes = std::move(received);
  return plan;
}

Tensor EntryRecords::received_updates(std::shared_ptr<const Source> payloads) const {
  const std::int64_t entries = payloads->size() / payload_size();
  std::shared_ptr<const Source> source = std::move(payloads);
  if (!has_values())
    source =
        std::make_shared<NumberedBlocks>(std::move(source), updates_.shared_source(), block_bytes_);
  return {
      {.type = updates_.type(), .shape = {entries, block_}}, std::move(source), updates_.name()};
}

}  // namespace tscatter

#include "tscatter/verify/slot_explanations.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/updates_reader.hpp"
#include "tscatter/kernels/move.hpp"
#include "tscatter/verify/slot_index.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t piece_bytes = std::int64_t{64} * 1024;
constexpr std::size_t most_listed = 16;

// A part of one slot's block in one batch.
struct Piece {
  std::int64_t batch = 0;
  std::size_t slot = 0;  // its place in the list
  Range part = {};       // of the block
};

// All pieces of the slots' blocks, batch after batch, so that actual is read front to back.
class Pieces {
 public:
  Pieces(const ListedWrites& writes, std::size_t slots, std::size_t element_size)
      : block_{writes.blocks.count()},
        slots_{static_cast<std::int64_t>(slots)},
        size_{std::max<std::int64_t>(piece_bytes / static_cast<std::int64_t>(element_size), 1)},
        per_block_{(block_ + size_ - 1) / size_},
        count_{writes.batches.count() * slots_ * per_block_} {}

  std::int64_t count() const { return count_; }
  // So many that they are worth a task.
  std::int64_t per_task() const {
    return std::max<std::int64_t>(size_ / std::max<std::int64_t>(block_, 1), 1);
  }
  Piece at(std::int64_t index) const {
    const std::int64_t begin = index % per_block_ * size_;
    const std::int64_t in_batches = index / per_block_;
    return {.batch = in_batches / slots_,
            .slot = static_cast<std::size_t>(in_batches % slots_),
            .part = {.begin = begin, .end = std::min(begin + size_, block_)}};
  }

 private:
  std::int64_t block_;
  std::int64_t slots_;
  std::int64_t size_;
  std::int64_t per_block_;
  std::int64_t count_;
};

// Reads a piece of actual and compares it with what writers would have left there.
class PieceReader {
 public:
  explicit PieceReader(const OverwriteJob& job)
      : job_{job}, size_{job.data.type().size}, updates_{job.updates, job.data.type().byte_order} {}

  void read(const Piece& piece, std::int64_t slot) {
    const ListedWrites& writes = job_.writes;
    part_ = piece.part;
    element_ = (piece.batch * writes.slots + slot) * writes.blocks.count() + part_.begin;
    updates_origin_ = writes.batches.offset(piece.batch);
    actual_.resize(static_cast<std::size_t>(part_.length()) * size_);
    job_.actual.read(element_, actual_);
  }

  // Of the output: the first element of the piece.
  std::int64_t element() const { return element_; }
  std::int64_t length() const { return part_.length(); }
  std::span<const std::byte> actual_at(std::int64_t place) const {
    return std::span(actual_).subspan(static_cast<std::size_t>(place) * size_, size_);
  }

  bool agrees(std::int64_t entry) {
    bool agrees = true;
    visit_runs(entry, [&](std::int64_t place, const std::byte* bytes, std::int64_t count) {
      agrees = agrees && std::memcmp(at(place), bytes, static_cast<std::size_t>(count) * size_) == 0;
    });
    return agrees;
  }

  // Calls visit(place) for each element that the writer explains, or for each that it does not.
  template <class Visit>
  void visit_elements(std::int64_t entry, bool explained, const Visit& visit) {
    visit_runs(entry, [&](std::int64_t place, const std::byte* bytes, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const bool is_equal =
            std::memcmp(at(place + i), bytes + static_cast<std::size_t>(i) * size_, size_) == 0;
        if (is_equal == explained) visit(place + i);
      }
    });
  }

  std::vector<std::byte> value(std::int64_t entry, std::int64_t place) {
    const std::byte* bytes = updates_.fetch(
        {.updates = updates_origin_ + job_.writes.entries.offset(entry) +
                    job_.writes.blocks.offset(part_.begin + place),
         .count = 1});
    return {bytes, bytes + size_};
  }

 private:
  const std::byte* at(std::int64_t place) const {
    return actual_.data() + static_cast<std::size_t>(place) * size_;
  }

  template <class Visit>
  void visit_runs(std::int64_t entry, const Visit& visit) {
    visit_block(job_.writes.blocks, 0, updates_origin_ + job_.writes.entries.offset(entry), part_,
                [&](const StridedRun& run) {
                  visit(run.output - part_.begin, updates_.fetch(run), run.count);
                });
  }

  const OverwriteJob& job_;
  std::size_t size_;
  UpdatesReader updates_;
  Range part_;
  std::int64_t element_ = 0;
  std::int64_t updates_origin_ = 0;
  std::vector<std::byte> actual_;
};

Finding finding_of(PieceReader& reader, const OverwriteJob& job, ElementClass element_class,
                   std::int64_t place, std::int64_t last_writer) {
  const std::span<const std::byte> actual = reader.actual_at(place);
  Finding finding{.verdict = {.element_class = element_class},
                  .number = reader.element() + place,
                  .actual = {actual.begin(), actual.end()},
                  .in_order = reader.value(last_writer, place)};
  if (!job.data.type().is_native()) {
    reverse_words(finding.actual, job.data.type().word());
    reverse_words(finding.in_order, job.data.type().word());
  }
  return finding;
}

}  // namespace

class SlotExplanations::Worker {
 public:
  Worker(SlotExplanations& all, const OverwriteJob& job)
      : all_{all}, job_{job}, reader_{job}, findings_{job.numbering, job.options.worst} {}

  void look(const Piece& piece) {
    const std::span<const std::int64_t> writers = all_.writers_of(piece.slot);
    const std::size_t first = all_.begin_[piece.slot];
    reader_.read(piece, all_.slots_[piece.slot]);
    bool is_explained = false;
    for (std::size_t i = writers.size(); i-- > 0;) {
      agreeing_.resize(writers.size());
      agreeing_[i] = all_.still_explains(first + i) && reader_.agrees(writers[i]);
      is_explained = is_explained || agreeing_[i];
    }
    if (!is_explained) return look_closer(writers, first, piece.slot);
    for (std::size_t i = 0; i < writers.size(); ++i) {
      if (!agreeing_[i] && all_.still_explains(first + i)) all_.rule_out(first + i);
    }
  }

  Findings& findings() { return findings_; }

 private:
  // No writer that explains all before explains all of this: element by element.
  void look_closer(std::span<const std::int64_t> writers, std::size_t first, std::size_t slot) {
    explained_.assign(static_cast<std::size_t>(reader_.length()), 0);
    for (const std::int64_t entry : writers) {
      reader_.visit_elements(entry, true, [&](std::int64_t place) {
        explained_[static_cast<std::size_t>(place)] = 1;
      });
    }
    for (std::size_t i = 0; i < writers.size(); ++i) {
      if (!all_.still_explains(first + i)) continue;
      bool fails = false;
      reader_.visit_elements(writers[i], false, [&](std::int64_t place) {
        fails = fails || explained_[static_cast<std::size_t>(place)] != 0;
      });
      if (fails) all_.rule_out(first + i);
    }
    std::int64_t wrong = 0;
    for (std::size_t place = 0; place < explained_.size(); ++place) {
      if (explained_[place] != 0) continue;
      ++wrong;
      add_wrong(static_cast<std::int64_t>(place), writers.back());
    }
    all_.wrong_[slot].fetch_add(wrong, std::memory_order_relaxed);
  }

  void add_wrong(std::int64_t place, std::int64_t last_writer) {
    findings_.add({.element_class = ElementClass::wrong}, reader_.element() + place,
                  [&](Finding& finding) {
                    finding = finding_of(reader_, job_, ElementClass::wrong, place, last_writer);
                  });
  }

  SlotExplanations& all_;
  const OverwriteJob& job_;
  PieceReader reader_;
  Findings findings_;
  std::vector<char> agreeing_;
  std::vector<char> explained_;
};

SlotExplanations::SlotExplanations(const OverwriteJob& job, std::vector<std::int64_t> slots)
    : job_{job},
      slots_{std::move(slots)},
      begin_(slots_.size() + 1, 0),
      wrong_(slots_.size()),
      findings_{job.numbering, job.options.worst} {
  group_entries();
  look();
  conclude();
}

void SlotExplanations::group_entries() {
  const SlotIndex index(slots_);
  job_.writes.slot_of_entry.visit([&](auto slot_of_entry) {
    for (const auto slot : slot_of_entry) {
      if (const auto at = index.find(static_cast<std::int64_t>(slot))) ++begin_[*at + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    entries_ = Buffer<std::int64_t>(begin_.back());
    std::int64_t entry = 0;
    for (const auto slot : slot_of_entry) {
      if (const auto at = index.find(static_cast<std::int64_t>(slot)))
        entries_.span()[begin_[*at]++] = entry;
      ++entry;
    }
  });
  // Each begin is now the end of its slot.
  std::shift_right(begin_.begin(), begin_.end(), 1);
  begin_.front() = 0;
  alive_ = std::vector<std::atomic<std::uint64_t>>((entries_.size() + 63) / 64);
  for (auto& word : alive_) word = ~std::uint64_t{0};
}

void SlotExplanations::look() {
  const Pieces pieces(job_.writes, slots_.size(), job_.data.type().size);
  const std::int64_t per_task = pieces.per_task();
  std::mutex mutex;
  std::deque<Worker> workers;
  for_each_task((pieces.count() + per_task - 1) / per_task, job_.threads, job_.options.stop, [&] {
    const std::scoped_lock lock(mutex);
    return [&, worker = &workers.emplace_back(*this, job_)](std::int64_t task) {
      const std::int64_t end = std::min((task + 1) * per_task, pieces.count());
      for (std::int64_t i = task * per_task; i < end; ++i) worker->look(pieces.at(i));
      job_.updates.source().check_view();
    };
  });
  for (Worker& worker : workers) findings_.merge(std::move(worker.findings()));
}

ElementClass SlotExplanations::class_of(std::size_t slot) const {
  if (wrong_[slot] == elements_of_slot()) return ElementClass::wrong;
  if (still_explains(begin_[slot + 1] - 1)) return ElementClass::in_order;
  for (std::size_t writer = begin_[slot]; writer < begin_[slot + 1]; ++writer) {
    if (still_explains(writer)) return ElementClass::reordered;
  }
  return ElementClass::torn;
}

void SlotExplanations::conclude() {
  std::array<std::int64_t, 6> offered{};
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const ElementClass element_class = class_of(slot);
    if (element_class != ElementClass::reordered && element_class != ElementClass::torn) continue;
    findings_.count(element_class, elements_of_slot() - wrong_[slot]);
    if (offered[static_cast<std::size_t>(element_class)]++ < job_.options.worst)
      findings_.offer_worst(first_difference(slot, element_class));
  }
}

// The first element of the slot's block that some writer explains, but not the last one.
Finding SlotExplanations::first_difference(std::size_t slot, ElementClass element_class) const {
  const std::span<const std::int64_t> writers = writers_of(slot);
  PieceReader reader(job_);
  std::optional<Finding> found;
  visit_pieces(slot, [&](const Piece& piece) {
    if (found) return;
    reader.read(piece, slots_[slot]);
    reader.visit_elements(writers.back(), false, [&](std::int64_t place) {
      if (!found && is_explained(reader, place, writers))
        found = finding_of(reader, job_, element_class, place, writers.back());
    });
  });
  return *std::move(found);
}

}  // namespace tscatter

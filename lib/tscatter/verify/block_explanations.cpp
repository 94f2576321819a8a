#include "tscatter/verify/block_explanations.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/reach/column_reader.hpp"
#include "tscatter/reach/elements.hpp"
#include "tscatter/verify/actual_reader.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t piece_bytes = std::int64_t{64} * 1024;
constexpr std::size_t most_listed = 16;

// A part of one destination's block in one batch.
struct Piece {
  std::int64_t batch = 0;
  std::size_t destination = 0;  // its place in the list
  Range part = {};              // of the block
};

// All pieces of the destinations' blocks, batch after batch, so that actual is read front to back.
class Pieces {
 public:
  Pieces(const ListedWrites& writes, std::size_t destinations, std::size_t element_size)
      : block_{writes.blocks.count()},
        destinations_{static_cast<std::int64_t>(destinations)},
        size_{std::max<std::int64_t>(piece_bytes / static_cast<std::int64_t>(element_size), 1)},
        per_block_{(block_ + size_ - 1) / size_},
        count_{writes.batches.count() * destinations_ * per_block_} {}

  std::int64_t count() const { return count_; }
  // Those of one destination.
  template <class Visit>
  void visit_destination(std::size_t destination, const Visit& visit) const {
    for (std::int64_t batch = 0;
         batch < count_ / std::max<std::int64_t>(destinations_ * per_block_, 1); ++batch) {
      const std::int64_t first =
          (batch * destinations_ + static_cast<std::int64_t>(destination)) * per_block_;
      for (std::int64_t i = first; i < first + per_block_; ++i) visit(at(i));
    }
  }
  // How many pieces are worth a task.
  std::int64_t per_task() const {
    return std::max<std::int64_t>(size_ / std::max<std::int64_t>(block_, 1), 1);
  }
  Piece at(std::int64_t index) const {
    const std::int64_t begin = index % per_block_ * size_;
    const std::int64_t in_batches = index / per_block_;
    return {.batch = in_batches / destinations_,
            .destination = static_cast<std::size_t>(in_batches % destinations_),
            .part = {.begin = begin, .end = std::min(begin + size_, block_)}};
  }

 private:
  std::int64_t block_;
  std::int64_t destinations_;
  std::int64_t size_;
  std::int64_t per_block_;
  std::int64_t count_;
};

// Reads a piece of `actual`, and compares it with what each writer would leave. Elements are
// native.
class PieceReader {
 public:
  // REQUIRES: `job` outlives it.
  explicit PieceReader(const OverwriteJob& job)
      : job_{job},
        size_{job.data.type().size},
        legal_{job.legal},
        takes_other_bits_{legal_.are_any_others() && has_other_bits(job.data.type().dtype)},
        rows_{job.writes, job.data, job.updates} {}

  void read(const Piece& piece, std::int64_t destination) {
    const std::int64_t first = piece.batch * job_.writes.blocks.count();
    columns_ = {.begin = first + piece.part.begin, .end = first + piece.part.end};
    element_ =
        ElementPlace::of_column(job_.writes, destination, columns_.begin).number(job_.writes);
    actual_.resize(static_cast<std::size_t>(columns_.length()) * size_);
    job_.actual.read(element_, actual_);
    turn_elements(actual_, job_.data.type());
  }

  // The number of the piece's first element in the output.
  std::int64_t element() const { return element_; }

  bool agrees(std::int64_t entry) {
    if (std::memcmp(actual_.data(), left_by(entry, columns_), actual_.size()) == 0) return true;
    bool agrees = takes_other_bits_;
    if (agrees) visit_elements(entry, false, [&](std::int64_t) { agrees = false; });
    return agrees;
  }

  // Calls visit(place) for each element that the writer explains, or for each that it does not.
  template <class Visit>
  void visit_elements(std::int64_t entry, bool explained, const Visit& visit) {
    visit_pairs(entry, [&](std::int64_t place, const std::byte* left, const std::byte* actual) {
      if (is_explained(left, actual) == explained) visit(place);
    });
  }

  // Calls visit(place, verdict) for each element that the writer explains by other bits.
  template <class Visit>
  void visit_other_bits(std::int64_t entry, const Visit& visit) {
    visit_pairs(entry, [&](std::int64_t place, const std::byte* left, const std::byte* actual) {
      if (std::memcmp(actual, left, size_) == 0) return;
      const ElementVerdict verdict = beside(left, actual);
      if (is_legal(verdict.element_class)) visit(place, verdict);
    });
  }

  // Of an element that the writer does not explain.
  ElementVerdict verdict_of_wrong(std::int64_t place, std::int64_t writer) {
    const std::int64_t column = columns_.begin + place;
    const std::byte* left = rows_.update(writer, {.begin = column, .end = column + 1});
    return beside(left, actual_.data() + static_cast<std::size_t>(place) * size_);
  }

  // A flag for each element of the piece.
  std::vector<char> explained_by(EntryGroup writers) {
    std::vector<char> explained(static_cast<std::size_t>(columns_.length()), 0);
    for (const IndexEntry& writer : writers) {
      visit_elements(writer.entry, true,
                     [&](std::int64_t place) { explained[static_cast<std::size_t>(place)] = 1; });
    }
    return explained;
  }

  // As much of both as is shown.
  Finding finding(const ElementVerdict& verdict, std::int64_t place, std::int64_t last_writer) {
    const std::size_t shown = shown_bytes(job_.data.type());
    const std::byte* actual = actual_.data() + static_cast<std::size_t>(place) * size_;
    const std::int64_t column = columns_.begin + place;
    const std::byte* in_order = rows_.update(last_writer, {.begin = column, .end = column + 1});
    return {.verdict = verdict,
            .number = element_ + place,
            .actual = {actual, actual + shown},
            .in_order = {in_order, in_order + shown}};
  }

 private:
  ElementVerdict beside(const std::byte* left, const std::byte* actual) const {
    return verdict_beside(job_.data.type().dtype, left, actual, legal_);
  }

  bool is_explained(const std::byte* left, const std::byte* actual) const {
    return std::memcmp(actual, left, size_) == 0 ||
           (takes_other_bits_ && is_legal(beside(left, actual).element_class));
  }

  template <class Visit>
  void visit_pairs(std::int64_t entry, const Visit& visit) {
    const std::byte* left = left_by(entry, columns_);
    const std::byte* actual = actual_.data();
    for (std::int64_t place = 0; place < columns_.length(); ++place) {
      visit(place, left, actual);
      actual += size_;
      left += size_;
    }
  }

  const std::byte* left_by(std::int64_t entry, Range columns) {
    const std::byte* update = rows_.update(entry, columns);
    if (job_.data.type().dtype != DType::boolean) return update;
    bools_.assign(update, update + columns.length());
    make_canonical_bools(bools_);
    return bools_.data();
  }

  const OverwriteJob& job_;
  std::size_t size_;
  LegalBits legal_;
  bool takes_other_bits_;
  ColumnReader rows_;
  Range columns_;
  std::int64_t element_ = 0;
  std::vector<std::byte> actual_;
  std::vector<std::byte> bools_;
};

// Replaces each destination by the index where its entries begin. Both are ascending.
std::vector<std::int64_t> first_of_each(std::vector<std::int64_t> destinations,
                                        std::span<const IndexEntry> entries) {
  std::size_t at = 0;
  for (std::int64_t& destination : destinations) {
    while (entries[at].destination < destination) ++at;
    destination = static_cast<std::int64_t>(at);
  }
  return destinations;
}

}  // namespace

class BlockExplanations::Worker {
 public:
  Worker(BlockExplanations& all, const OverwriteJob& job)
      : all_{all}, reader_{job}, findings_{job.no_findings()} {}

  void look(const Piece& piece) {
    const EntryGroup writers = all_.writers_of(piece.destination);
    const std::size_t first = all_.first_writer(piece.destination);
    reader_.read(piece, writers.front().destination);
    bool is_explained = false;
    agreeing_.resize(writers.size());
    for (std::size_t i = 0; i < writers.size(); ++i) {
      agreeing_[i] = all_.still_explains(first + i) && reader_.agrees(writers[i].entry);
      is_explained = is_explained || agreeing_[i];
    }
    if (!is_explained) return look_closer(writers, first, piece.destination);
    for (std::size_t i = 0; i < writers.size(); ++i) {
      if (!agreeing_[i] && all_.still_explains(first + i)) all_.rule_out(first + i);
    }
  }

  // Adds the elements of the destination's block that the writer explains by other bits.
  void add_other_bits(const Pieces& pieces, std::size_t destination, const IndexEntry& writer,
                      bool is_last) {
    pieces.visit_destination(destination, [&](const Piece& piece) {
      reader_.read(piece, writer.destination);
      reader_.visit_other_bits(writer.entry,
                               [&](std::int64_t place, const ElementVerdict& verdict) {
                                 add(verdict, place, writer.entry);
                                 // All of the block are counted as that.
                                 if (!is_last) findings_.count(ElementClass::reordered, -1);
                               });
    });
  }

  // Takes back what would explain wrong elements of the destination's block, if that would be the
  // last writer, and another one explains other elements, or would: the block would be torn.
  void withdraw_hints(const Pieces& pieces, std::size_t destination) {
    const EntryGroup writers = all_.writers_of(destination);
    const ElementClass element_class = all_.class_of(destination);
    bool is_torn = element_class == ElementClass::reordered || element_class == ElementClass::torn;
    DeviationCounts hints{};
    pieces.visit_destination(destination, [&](const Piece& piece) {
      reader_.read(piece, writers.front().destination);
      const std::vector<char> explained = reader_.explained_by(writers);
      for (std::size_t i = 0; i < explained.size(); ++i) {
        if (explained[i] != 0) continue;
        const auto place = static_cast<std::int64_t>(i);
        const auto hint = reader_.verdict_of_wrong(place, writers.back().entry).deviation;
        ++hints[static_cast<std::size_t>(hint)];
        is_torn = is_torn || (hint == orders::Deviation::none && may_be_explained(writers, place));
      }
    });
    if (!is_torn || all_.may_be_mixed()) return;
    for (const auto hint : {orders::Deviation::other_nan, orders::Deviation::other_zero})
      findings_.withdraw_explanation(hint, hints[static_cast<std::size_t>(hint)]);
  }

  Findings& findings() { return findings_; }

 private:
  // No writer that has explained everything so far explains all of this piece: examines it element
  // by element.
  void look_closer(EntryGroup writers, std::size_t first, std::size_t destination) {
    const std::vector<char> explained = reader_.explained_by(writers);
    for (std::size_t i = 0; i < writers.size(); ++i) {
      if (!all_.still_explains(first + i)) continue;
      bool fails = false;
      reader_.visit_elements(writers[i].entry, false, [&](std::int64_t place) {
        fails = fails || explained[static_cast<std::size_t>(place)] != 0;
      });
      if (fails) all_.rule_out(first + i);
    }
    std::int64_t wrong = 0;
    for (std::size_t place = 0; place < explained.size(); ++place) {
      if (explained[place] != 0) continue;
      ++wrong;
      add_wrong(static_cast<std::int64_t>(place), writers.back().entry);
    }
    all_.wrong_[destination].fetch_add(wrong, std::memory_order_relaxed);
  }

  void add_wrong(std::int64_t place, std::int64_t last_writer) {
    add(reader_.verdict_of_wrong(place, last_writer), place, last_writer);
  }

  // Whether a writer would explain a wrong element if the options allowed it.
  bool may_be_explained(EntryGroup writers, std::int64_t place) {
    return std::ranges::any_of(writers, [&](const IndexEntry& writer) {
      return reader_.verdict_of_wrong(place, writer.entry).deviation != orders::Deviation::none;
    });
  }

  void add(const ElementVerdict& verdict, std::int64_t place, std::int64_t last_writer) {
    findings_.add(verdict, reader_.element() + place, [&](Finding& finding) {
      finding = reader_.finding(verdict, place, last_writer);
    });
  }

  BlockExplanations& all_;
  PieceReader reader_;
  Findings findings_;
  std::vector<char> agreeing_;
};

BlockExplanations::BlockExplanations(const OverwriteJob& job,
                                     std::vector<std::int64_t> destinations)
    : job_{job},
      entries_{GroupedEntries::sorted(job.writes.destination_of_entry, job.writes.destinations,
                                      {.threads = job.threads, .stop = job.options.stop})},
      first_{first_of_each(std::move(destinations), entries_.all())},
      alive_((entries_.size() + 63) / 64),
      wrong_(first_.size()),
      findings_{job.no_findings()} {
  for (auto& word : alive_) word = ~std::uint64_t{0};
  look();
  if (job.legal.are_any_others()) look_at_bits();
  const DeviationCounts& hints = findings_.would_explain();
  const auto has = [&](orders::Deviation hint) {
    return hints[static_cast<std::size_t>(hint)] > 0;
  };
  if (has(orders::Deviation::other_nan) || has(orders::Deviation::other_zero)) look_at_hints();
  conclude();
}

template <class Function>
void BlockExplanations::for_each_number(std::int64_t count, std::int64_t per_task,
                                        const Function& function) {
  std::mutex mutex;
  std::deque<Worker> workers;
  const Parallelism parallelism{.threads = job_.threads, .stop = job_.options.stop};
  for_each_task((count + per_task - 1) / per_task, parallelism, [&] {
    const std::scoped_lock lock(mutex);
    return [&, worker = &workers.emplace_back(*this, job_)](std::int64_t task) {
      const std::int64_t end = std::min((task + 1) * per_task, count);
      for (std::int64_t i = task * per_task; i < end; ++i) function(*worker, i);
      job_.updates.source().check_view();
    };
  });
  for (Worker& worker : workers) findings_.merge(std::move(worker.findings()));
}

void BlockExplanations::look() {
  const Pieces pieces(job_.writes, first_.size(), job_.data.type().size);
  for_each_number(pieces.count(), pieces.per_task(),
                  [&](Worker& worker, std::int64_t i) { worker.look(pieces.at(i)); });
}

void BlockExplanations::look_at_bits() {
  const Pieces pieces(job_.writes, first_.size(), job_.data.type().size);
  const auto destinations = static_cast<std::int64_t>(first_.size());
  for_each_number(destinations, pieces.per_task(), [&](Worker& worker, std::int64_t i) {
    const auto destination = static_cast<std::size_t>(i);
    const std::optional<std::size_t> writer = explaining_writer(destination);
    if (!writer || wrong_[destination] == elements_of_destination()) return;
    const EntryGroup writers = writers_of(destination);
    worker.add_other_bits(pieces, destination, writers[*writer], *writer + 1 == writers.size());
  });
}

void BlockExplanations::look_at_hints() {
  const Pieces pieces(job_.writes, first_.size(), job_.data.type().size);
  const auto destinations = static_cast<std::int64_t>(first_.size());
  for_each_number(destinations, pieces.per_task(), [&](Worker& worker, std::int64_t i) {
    const auto destination = static_cast<std::size_t>(i);
    if (wrong_[destination] > 0 && writers_of(destination).size() > 1)
      worker.withdraw_hints(pieces, destination);
  });
}

std::optional<std::size_t> BlockExplanations::explaining_writer(std::size_t destination) const {
  const EntryGroup writers = writers_of(destination);
  const std::size_t first = first_writer(destination);
  for (std::size_t writer = writers.size(); writer-- > 0;) {
    if (still_explains(first + writer)) return writer;
  }
  return std::nullopt;
}

ElementClass BlockExplanations::class_of(std::size_t destination) const {
  if (wrong_[destination] == elements_of_destination()) return ElementClass::wrong;
  const std::optional<std::size_t> writer = explaining_writer(destination);
  if (!writer) return may_be_mixed() ? ElementClass::reordered : ElementClass::torn;
  const bool is_last = *writer + 1 == writers_of(destination).size();
  return is_last ? ElementClass::in_order : ElementClass::reordered;
}

void BlockExplanations::conclude() {
  std::array<std::int64_t, 6> offered{};
  for (std::size_t destination = 0; destination < first_.size(); ++destination) {
    const ElementClass element_class = class_of(destination);
    if (element_class != ElementClass::reordered && element_class != ElementClass::torn) continue;
    findings_.count(element_class, elements_of_destination() - wrong_[destination]);
    if (offered[static_cast<std::size_t>(element_class)]++ >= job_.options.worst) continue;
    findings_.offer_worst(first_difference(destination, element_class));
  }
}

// The first element of the destination's block that some writer explains, but not the last one.
// Its order is the last writer that explains the block, or else, where each element has an order of
// its own, the last one that explains the element.
Finding BlockExplanations::first_difference(std::size_t destination,
                                            ElementClass element_class) const {
  const EntryGroup writers = writers_of(destination);
  PieceReader reader(job_);
  std::optional<Finding> found;
  std::optional<std::size_t> writer = explaining_writer(destination);
  const Pieces pieces(job_.writes, first_.size(), job_.data.type().size);
  pieces.visit_destination(destination, [&](const Piece& piece) {
    if (found) return;
    reader.read(piece, writers.front().destination);
    const std::vector<char> explained = reader.explained_by(writers);
    std::optional<std::size_t> first;
    reader.visit_elements(writers.back().entry, false, [&](std::int64_t place) {
      const auto at = static_cast<std::size_t>(place);
      if (!first && explained[at] != 0) first = at;
    });
    if (!first) return;
    found = reader.finding({.element_class = element_class}, static_cast<std::int64_t>(*first),
                           writers.back().entry);
    for (std::size_t i = writers.size(); !writer && may_be_mixed() && i-- > 0;)
      if (reader.explained_by(writers.subspan(i, 1))[*first] != 0) writer = i;
    if (writer) found->order = {static_cast<std::int64_t>(*writer)};
  });
  job_.updates.source().check_view();
  // file.f3
  if (!found) {
    fail(ErrorKind::file, "file.f3", job_.updates.name(), "changed while it was read");
  }
  return *std::move(found);
}

TornBlock BlockExplanations::torn_block(std::size_t destination) const {
  const EntryGroup writers = writers_of(destination);
  TornBlock block{
      .position = job_.numbering.position(first_difference(destination, ElementClass::torn).number),
      .elements = elements_of_destination() - wrong_[destination],
      .writers = static_cast<std::int64_t>(writers.size())};
  std::vector<std::int64_t> explained(writers.size(), 0);
  PieceReader reader(job_);
  const Pieces pieces(job_.writes, first_.size(), job_.data.type().size);
  pieces.visit_destination(destination, [&](const Piece& piece) {
    reader.read(piece, writers.front().destination);
    for (std::size_t i = 0; i < writers.size(); ++i)
      reader.visit_elements(writers[i].entry, true, [&](std::int64_t) { ++explained[i]; });
  });
  std::vector<std::size_t> best(writers.size());
  std::iota(best.begin(), best.end(), std::size_t{0});
  std::ranges::stable_sort(best, std::greater(), [&](std::size_t i) { return explained[i]; });
  best.resize(std::min(best.size(), most_listed));
  for (const std::size_t i : best) {
    block.best_writers.push_back(
        {.entry = job_.writes.named.position(writers[i].entry), .explained = explained[i]});
  }
  return block;
}

std::vector<TornBlock> BlockExplanations::torn_blocks(std::int64_t most) const {
  std::vector<TornBlock> blocks;
  for (std::size_t destination = 0; destination < first_.size(); ++destination) {
    if (static_cast<std::int64_t>(blocks.size()) == most) break;
    if (class_of(destination) == ElementClass::torn) blocks.push_back(torn_block(destination));
  }
  return blocks;
}

}  // namespace tscatter

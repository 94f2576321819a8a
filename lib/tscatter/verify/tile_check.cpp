#include "tscatter/verify/tile_check.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/kernels/move.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/reach/elements.hpp"
#include "tscatter/verify/actual_reader.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t narrow = 64;  // columns; below, elements with equally many terms are joined
constexpr std::size_t most_columns = 4096;
constexpr std::int64_t row_bytes = std::int64_t{1} << 20U;  // of the terms that are judged at once
constexpr std::int64_t gathered_bytes = std::int64_t{1} << 20U;  // of terms that wait to be judged

std::size_t columns_at_once(std::int64_t rows, std::int64_t element_size) {
  const std::int64_t columns = row_bytes / std::max<std::int64_t>(rows * element_size, 1);
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(columns, 1, static_cast<std::int64_t>(most_columns)));
}

template <class Words>
std::int64_t differing_words(const std::byte* a, const std::byte* b, std::int64_t count) {
  std::int64_t differing = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Words x;
    Words y;
    std::memcpy(&x, a + i * static_cast<std::int64_t>(sizeof(Words)), sizeof(Words));
    std::memcpy(&y, b + i * static_cast<std::int64_t>(sizeof(Words)), sizeof(Words));
    differing += x != y ? 1 : 0;
  }
  return differing;
}

std::int64_t differing_elements(const std::byte* a, const std::byte* b, std::int64_t count,
                                std::size_t size) {
  switch (size) {
    case 1: return differing_words<std::uint8_t>(a, b, count);
    case 2: return differing_words<std::uint16_t>(a, b, count);
    case 4: return differing_words<std::uint32_t>(a, b, count);
    case 8: return differing_words<std::uint64_t>(a, b, count);
    default: return differing_words<std::array<std::uint64_t, 2>>(a, b, count);
  }
}

bool is_aligned(const std::byte* address, std::size_t word) {
  return reinterpret_cast<std::uintptr_t>(address) % word == 0;
}

}  // namespace

TileCheck::TileCheck(const CheckJob& job)
    : job_{job},
      tile_job_{.data = job.data,
                .updates = job.updates,
                .output = sink_,
                .writers = job.writers,
                .reduction = job.combination.reduction,
                .initial = job.combination.initial,
                .mean = job.combination.mean,
                .combiner = combiner(job.data.type().dtype, job.combination.reduction,
                                     job.combination.accumulation),
                .phase = 0},
      worker_{tile_job_},
      updates_{job.updates, tile_job_.working_order()},
      findings_{job.no_findings()},
      gathered_{job.data.type().size * (job.factors == nullptr ? 1 : 2),
                tile_job_.tile_elements()} {
  if (!reduces()) return;
  if (job.factors != nullptr) factors_.emplace(*job.factors, tile_job_.working_order());
  const DType dtype = job.data.type().dtype;
  const auto& combination = job.combination;
  const orders::JudgeOptions options{.nan = job.options.nan,
                                     .subnormals = job.options.subnormals,
                                     .accumulation = tile_job_.combiner.is_wide()
                                                         ? combination.accumulation
                                                         : Accumulation::each_step,
                                     .rounds_sum = combination.mean.rounds_sum()};
  judge_ = orders::make_any_element_judge(dtype, combination.reduction, options);
  if (!has_other_bits(dtype)) return;
  variants_ = judged_variants(job.call, dtype, combination.reduction, options);
  second_look_ =
      std::make_unique<SecondLook>(dtype, combination.reduction, job.options.zeros, variants_);
}

void TileCheck::check(std::int64_t tile) {
  tile_ = tile_job_.tile(tile);
  worker_.process(tile_, tile);
  in_order_ = canonical(sink_.bytes());
  actual_.resize(in_order_.size());
  job_.actual.read(tile_.begin, actual_);
  const Range all{.begin = 0, .end = tile_.length()};
  if (!differs(all)) return;
  is_native_ = false;
  has_start_ = false;
  gathered_.clear();
  if (judge_) judge_->forget();
  if (second_look_) second_look_->forget();
  std::visit([&](const auto& writers) { check_form(writers); }, job_.writers.form());
  job_.data.source().check_view();
  job_.updates.source().check_view();
}

std::span<const std::byte> TileCheck::canonical(std::span<const std::byte> computed) {
  if (job_.data.type().dtype != DType::boolean) return computed;
  native_in_order_.assign(computed.begin(), computed.end());
  make_canonical_bools(native_in_order_);
  return native_in_order_;
}

bool TileCheck::differs(Range places) const {
  return std::memcmp(actual_at(places.begin), in_order_at(places.begin),
                     static_cast<std::size_t>(places.length() * job_.element_size())) != 0;
}

bool TileCheck::element_differs(std::int64_t place) const {
  return differs({.begin = place, .end = place + 1});
}

template <class Visit>
void TileCheck::visit_differing(Range places, const Visit& visit) const {
  const std::int64_t piece = std::max<std::int64_t>(256 / job_.element_size(), 1);
  for (std::int64_t first = places.begin; first < places.end; first += piece) {
    const Range some{.begin = first, .end = std::min(first + piece, places.end)};
    if (!differs(some)) continue;
    for (std::int64_t place = some.begin; place < some.end; ++place) {
      if (element_differs(place)) visit(place);
    }
  }
}

// Each point is written once: there is no other order. What a reduction makes of the one update has
// other bits where it is a NaN.
void TileCheck::check_form(const LatticeWriters& writers) {
  std::vector<bool> touched(static_cast<std::size_t>(tile_.length()), false);
  writers.visit_extents(tile_, [&](Range extent) {
    const std::int64_t count = extent.length();
    std::fill_n(touched.begin() + (extent.begin - tile_.begin), count, true);
  });
  if (reduces()) writers.visit(tile_, [&](const StridedRun& run) { gather_run(run); });
  visit_differing({.begin = 0, .end = tile_.length()}, [&](std::int64_t place) {
    const bool is_touched = touched[static_cast<std::size_t>(place)];
    if (is_touched && reduces()) return;  // is among those that were gathered
    is_touched ? add_other(place) : add_other_untouched(place);
  });
  judge_gathered();
}

// The elements that differ, each with its update.
void TileCheck::gather_run(const StridedRun& run) {
  for (std::int64_t i = 0; i < run.count; ++i) {
    const std::int64_t place = run.output + i * run.output_stride - tile_.begin;
    if (!element_differs(place)) continue;
    gathered_.begin(place, 1, gathered_bytes);
    const StridedRun one{.updates = run.updates + i * run.updates_stride, .count = 1};
    gathered_.append({updates_.fetch(one), job_.data.type().size});
    if (factors_) gathered_.append({factors_->fetch(one), job_.data.type().size});
    if (gathered_.byte_size() > gathered_bytes) judge_gathered();
  }
}

template <class Record>
void TileCheck::check_form(const ElementWriters<Record>& writers) {
  const std::span<const Record> records = writers.of_tile(tile_);
  const std::int64_t shift = writers.destination_origin(tile_) - tile_.begin;
  visit_differing({.begin = 0, .end = tile_.length()},
                  [&](std::int64_t place) { gathered_.add(place); });
  gathered_.count(records, shift);
  gathered_.drop_untouched([&](std::int64_t place) { add_other_untouched(place); });
  if (!reduces()) {
    for (const Element& element : gathered_.elements())
      differing_destinations_.add(tile_.begin + element.place);
    return;
  }
  gathered_.gather(records, shift);
  judge_gathered();
}

std::span<const IndexEntry> TileCheck::sorted_writers(std::span<const IndexEntry> writers) {
  if (is_sorted_by_destination(writers)) return writers;
  if (writers.data() == sorted_from_ && writers.size() == sorted_count_) return sorted_;
  sorted_.assign(writers.begin(), writers.end());
  sort_by_destination(sorted_);
  sorted_from_ = writers.data();
  sorted_count_ = writers.size();
  return sorted_;
}

void TileCheck::check_form(const BlockWriters& writers) {
  const std::int64_t batch_size = writers.writes().destinations * writers.writes().blocks.count();
  bool is_any = false;
  writers.visit_batches(
      tile_, [&](std::int64_t number, Range local, Range, std::span<const IndexEntry> some) {
        is_any = true;
        check_batch(writers,
                    {.number = number, .local = local, .origin = number * batch_size - tile_.begin},
                    sorted_writers(some));
      });
  if (!is_any) {
    visit_differing({.begin = 0, .end = tile_.length()},
                    [&](std::int64_t place) { add_other_untouched(place); });
  }
  judge_gathered();
}

void TileCheck::check_batch(const BlockWriters& writers, const Batch& batch,
                            std::span<const IndexEntry> sorted) {
  const std::int64_t block = writers.writes().blocks.count();
  std::int64_t done = batch.local.begin;
  const auto check_untouched = [&](std::int64_t end) {
    visit_differing({.begin = batch.origin + done, .end = batch.origin + end},
                    [&](std::int64_t place) { add_other_untouched(place); });
  };
  visit_groups(sorted, [&](EntryGroup group) {
    const std::int64_t destination = group.front().destination;
    const Range part =
        intersection(batch.local, {.begin = destination * block, .end = (destination + 1) * block});
    if (part.begin >= part.end) return;
    check_untouched(part.begin);
    check_block(writers.writes(), batch, part, group);
    done = part.end;
  });
  check_untouched(batch.local.end);
}

void TileCheck::check_block(const ListedWrites& writes, const Batch& batch, Range part,
                            std::span<const IndexEntry> writers) {
  if (!differs({.begin = batch.origin + part.begin, .end = batch.origin + part.end})) return;
  if (!reduces()) {
    differing_destinations_.add(writers.front().destination);
  } else if (part.length() >= narrow) {
    judge_wide(writes, batch, part, writers);
  } else {
    gather_narrow(writes, batch, part, writers);
  }
}

// A part of a row of terms, in memory or copied to `packed`, which has room for it.
const std::byte* TileCheck::row_of(UpdatesReader& from, const StridedAxes& blocks,
                                   std::int64_t updates, Range part, std::byte* packed) const {
  const std::int64_t size = job_.element_size();
  const std::byte* row = packed;
  visit_block(blocks, 0, updates, part, [&](const StridedRun& run) {
    const std::byte* fetched = from.fetch(run);
    const bool stays = from.in_memory() != nullptr && (run.updates_stride == 1 || run.count == 1) &&
                       run.count == part.length() && is_aligned(fetched, job_.data.type().word());
    if (stays) {
      row = fetched;
    } else {
      std::copy_n(fetched, run.count * size, packed + (run.output - part.begin) * size);
    }
  });
  return row;
}

void TileCheck::judge_wide(const ListedWrites& writes, const Batch& batch, Range part,
                           std::span<const IndexEntry> writers) {
  make_native();
  read_start({.begin = batch.origin + part.begin, .end = batch.origin + part.end});
  const std::int64_t size = job_.element_size();
  const std::int64_t destination_begin = writers.front().destination * writes.blocks.count();
  const std::int64_t batch_updates = writes.batches.offset(batch.number);
  const auto rows = static_cast<std::int64_t>(writers.size());
  const auto step = static_cast<std::int64_t>(columns_at_once(rows, size));
  for (std::int64_t first = part.begin; first < part.end; first += step) {
    const Range some{.begin = first, .end = std::min(first + step, part.end)};
    const std::int64_t place = batch.origin + some.begin;
    if (!differs({.begin = place, .end = place + some.length()})) continue;
    const auto room = static_cast<std::size_t>(rows * some.length() * size) * (factors_ ? 2 : 1);
    if (rows_.size() < room) rows_.resize(room);
    judge_->begin_rows(rows);
    std::byte* packed = rows_.data();
    const Range of_block{.begin = some.begin - destination_begin,
                         .end = some.end - destination_begin};
    const auto next_row = [&](UpdatesReader& from, const IndexEntry& writer) {
      const std::int64_t updates = batch_updates + writes.update_of(writer.entry);
      std::byte* const room_of_row = std::exchange(packed, packed + some.length() * size);
      return row_of(from, writes.blocks, updates, of_block, room_of_row);
    };
    for (const IndexEntry& writer : writers) {
      judge_->add_row(next_row(updates_, writer));
      if (factors_) judge_->add_factors(next_row(*factors_, writer));
    }
    const orders::Columns columns{.data = data_.data() + place * size,
                                  .actual = actual_at(place),
                                  .in_order = in_order_at(place),
                                  .count = static_cast<std::size_t>(some.length()),
                                  .divisor = divisor_of(tile_job_.division(), rows)};
    if (judge_->is_of_last_order(columns) && count_reordered(place, some.length())) continue;
    take_verdicts(columns,
                  [&](std::size_t column) { return place + static_cast<std::int64_t>(column); });
  }
}

void TileCheck::gather_narrow(const ListedWrites& writes, const Batch& batch, Range part,
                              std::span<const IndexEntry> writers) {
  const std::int64_t destination_begin = writers.front().destination * writes.blocks.count();
  const std::int64_t batch_updates = writes.batches.offset(batch.number);
  const Range places{.begin = batch.origin + part.begin, .end = batch.origin + part.end};
  for (std::int64_t place = places.begin; place < places.end; ++place) {
    if (!element_differs(place)) continue;
    const std::int64_t in_block = place - batch.origin - destination_begin;
    const std::int64_t from = batch_updates + writes.blocks.offset(in_block);
    gathered_.begin(place, static_cast<std::int64_t>(writers.size()), gathered_bytes);
    for (const IndexEntry& writer : writers) {
      const StridedRun one{.updates = from + writes.update_of(writer.entry), .count = 1};
      gathered_.append({updates_.fetch(one), job_.data.type().size});
      if (factors_) gathered_.append({factors_->fetch(one), job_.data.type().size});
    }
    if (gathered_.byte_size() > gathered_bytes) judge_gathered();
  }
}

// Only touched elements are judged.
void TileCheck::read_start(Range places) {
  const std::int64_t size = job_.element_size();
  data_.resize(actual_.size());
  const auto into = std::span(data_).subspan(static_cast<std::size_t>(places.begin * size),
                                             static_cast<std::size_t>(places.length() * size));
  const std::vector<std::byte> start =
      start_value(job_.data.type().dtype, job_.combination.reduction, job_.combination.initial);
  if (start.empty()) return read_elements(job_.data, tile_.begin + places.begin, into);
  repeat(start, into);
}

void TileCheck::make_native() {
  if (std::exchange(is_native_, true)) return;
  if (job_.data.type().is_native()) return;
  native_in_order_.assign(in_order_.begin(), in_order_.end());
  turn_elements(native_in_order_, job_.data.type());
  in_order_ = native_in_order_;
  turn_elements(actual_, job_.data.type());
}

// Elements with the same number of terms are judged together.
void TileCheck::judge_gathered() {
  if (gathered_.is_empty()) return;
  make_native();
  if (!std::exchange(has_start_, true)) read_start({.begin = 0, .end = tile_.length()});
  gathered_.sort();
  const std::span<const Element> elements = gathered_.elements();
  for (std::size_t first = 0; first < elements.size();) {
    const std::int64_t terms = elements[first].terms;
    const std::size_t most = columns_at_once(terms, job_.element_size());
    std::size_t last = first;
    while (last < elements.size() && elements[last].terms == terms && last - first < most) ++last;
    judge_group(elements.subspan(first, last - first));
    first = last;
  }
  gathered_.clear();
}

void TileCheck::judge_group(std::span<const Element> elements) {
  const auto size = static_cast<std::size_t>(job_.element_size());
  const std::size_t columns = elements.size();
  const auto rows = static_cast<std::size_t>(elements.front().terms);
  columns_.resize(3 * columns * size);
  for (std::size_t c = 0; c < columns; ++c) {
    const auto place = static_cast<std::size_t>(elements[c].place) * size;
    std::memcpy(columns_.data() + c * size, data_.data() + place, size);
    std::memcpy(columns_.data() + (columns + c) * size, actual_.data() + place, size);
    std::memcpy(columns_.data() + (2 * columns + c) * size, in_order_.data() + place, size);
  }
  judge_->begin_rows(elements.front().terms);
  // A single element's terms need no transposing.
  if (columns > 1) rows_.resize(rows * columns * size * (factors_ ? 2 : 1));
  std::byte* next = rows_.data();
  const auto next_row = [&](std::size_t row, std::size_t offset) -> const std::byte* {
    if (columns == 1) return gathered_.term(elements.front(), row) + offset;
    std::byte* const into = std::exchange(next, next + columns * size);
    for (std::size_t c = 0; c < columns; ++c)
      std::memcpy(into + c * size, gathered_.term(elements[c], row) + offset, size);
    return into;
  };
  for (std::size_t row = 0; row < rows; ++row) {
    judge_->add_row(next_row(row, 0));
    if (factors_) judge_->add_factors(next_row(row, size));
  }
  take_verdicts(
      orders::Columns{.data = columns_.data(),
                      .actual = columns_.data() + columns * size,
                      .in_order = columns_.data() + 2 * columns * size,
                      .count = columns,
                      .divisor = divisor_of(tile_job_.division(), elements.front().terms)},
      [&](std::size_t column) { return elements[column].place; });
}

// Whether a reordered element there, or farther on, may have to be listed.
bool TileCheck::may_list_reordered(std::int64_t place) const {
  const ElementVerdict reordered{.element_class = ElementClass::reordered};
  return !job_.numbering.is_row_major() ||
         findings_.may_be_among_worst(reordered, tile_.begin + place);
}

// Counts elements that one order explains. Returns false if one of them may have to be listed.
bool TileCheck::count_reordered(std::int64_t place, std::int64_t count) {
  if (may_list_reordered(place)) return false;
  findings_.count(ElementClass::reordered, differing_elements(actual_at(place), in_order_at(place),
                                                              count, job_.data.type().size));
  return true;
}

template <class PlaceOf>
void TileCheck::take_verdicts(const orders::Columns& columns, const PlaceOf& place_of) {
  verdicts_.resize(columns.count);
  const auto reordered =
      may_list_reordered(0) ? orders::Reordered::listed : orders::Reordered::counted;
  findings_.count(ElementClass::reordered, judge_->judge(columns, verdicts_, reordered));
  std::span<const std::uint32_t> differing = judge_->differing();
  if (may_change_verdicts(columns)) {
    differing_.assign(differing.begin(), differing.end());
    differing = differing_;
    second_look_->look({*judge_, columns, differing, verdicts_});
  }
  for (const std::uint32_t column : differing) add(verdicts_[column], place_of(column));
}

bool TileCheck::may_change_verdicts(const orders::Columns& columns) {
  return second_look_ &&
         second_look_->may_change({*judge_, columns, judge_->differing(), verdicts_});
}

// An element for which one value is legal, and which has another.
void TileCheck::add_other(std::int64_t place) {
  const DType dtype = job_.data.type().dtype;
  if (!has_other_bits(dtype)) return add(wrong_element, place);
  make_native();
  add(verdict_beside(dtype, in_order_at(place), actual_at(place), job_.legal), place);
}

void TileCheck::add(const ElementVerdict& verdict, std::int64_t place) {
  findings_.add(verdict, tile_.begin + place, [&](Finding& finding) {
    const std::size_t size = shown_bytes(job_.data.type());
    finding.actual.assign(actual_at(place), actual_at(place) + size);
    finding.in_order.assign(in_order_at(place), in_order_at(place) + size);
    if (is_native_) return;
    turn_elements(finding.actual, job_.data.type());
    turn_elements(finding.in_order, job_.data.type());
  });
}

}  // namespace tscatter

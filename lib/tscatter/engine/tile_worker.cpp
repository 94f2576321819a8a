#include "tscatter/engine/tile_worker.hpp"

#include <algorithm>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/engine/entry_loops.hpp"
#include "tscatter/kernels/move.hpp"

namespace tscatter {
namespace {

// Whether runs of several elements are written.
template <class Form>
constexpr bool has_runs = true;
template <class Record>
constexpr bool has_runs<ElementWriters<Record>> = false;
template <>
constexpr bool has_runs<BoxWriters> = false;

}  // namespace

void TileWorker::process(Range tile, std::int64_t index) {
  if (const auto memory = job_.output.memory()) {
    const auto size = static_cast<std::size_t>(tile.length() * job_.element_size());
    process_in_memory(
        tile, memory->subspan(static_cast<std::size_t>(tile.begin * job_.element_size()), size));
  } else if (job_.output.holds_data()) {
    if (job_.writes_runs()) {
      process_runs(tile, index);
    } else if (job_.writers.meets(tile)) {
      process_touched(tile, index);
    }
  } else {
    process_whole(tile);
  }
}

void TileWorker::process_in_memory(Range tile, std::span<std::byte> memory) {
  if (job_.output.holds_data()) {
    if (job_.writers.meets(tile)) traffic_.written += apply(tile, memory) * job_.element_size();
    return;
  }
  load(tile, memory);
  apply(tile, memory);
  traffic_.written += static_cast<std::int64_t>(memory.size());
}

void TileWorker::process_whole(Range tile) {
  const std::int64_t size = tile.length() * job_.element_size();
  const std::span<std::byte> bytes = buffer_.room(static_cast<std::size_t>(size));
  load(tile, bytes);
  apply(tile, bytes);
  job_.output.write(tile.begin * job_.element_size(), bytes);
  traffic_.written += size;
}

void TileWorker::process_touched(Range tile, std::int64_t index) {
  const std::int64_t origin = tile.begin * job_.element_size();
  touched_.mark(job_, tile, job_.granule_size());
  if (job_.kept != nullptr) job_.kept->require(index, touched_.sum());
  const std::span<std::byte> bytes = buffer_.room(static_cast<std::size_t>(touched_.tile_bytes()));
  const auto bytes_at = [bytes](std::int64_t first, std::int64_t count) {
    return bytes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  };
  touched_.visit([&](std::int64_t first, std::int64_t count) {
    job_.data.source().read(origin + first, bytes_at(first, count));
    traffic_.read += count;
  });
  apply(tile, bytes);
  touched_.visit([&](std::int64_t first, std::int64_t count) {
    job_.output.write(origin + first, bytes_at(first, count));
    traffic_.written += count;
  });
}

void TileWorker::process_runs(Range tile, std::int64_t index) {
  const std::int64_t size = job_.element_size();
  if (job_.kept != nullptr) job_.kept->require(index, job_.sum_of_runs(tile));
  std::visit(
      [&](const auto& writers) {
        if constexpr (has_runs<std::decay_t<decltype(writers)>>) {
          writers.visit(tile, [&](const StridedRun& run) {
            const std::span bytes(updates_.fetch(run), static_cast<std::size_t>(run.count * size));
            // The zeros in place of a truncated file's bytes must not reach data's own file.
            job_.updates.source().check_view();
            job_.output.write(run.output * size, bytes);
            traffic_.written += run.count * size;
          });
        }
      },
      job_.writers.form());
}

void TileWorker::load(Range tile, std::span<std::byte> bytes) {
  if (job_.writers.overwrites(tile)) return;
  job_.data.source().read(tile.begin * job_.element_size(), bytes);
  traffic_.read += static_cast<std::int64_t>(bytes.size());
}

std::int64_t TileWorker::apply(Range tile, std::span<std::byte> bytes) {
  if (job_.computes_reversed()) reverse_words(bytes, job_.data.type().word());
  const std::span<std::byte> values = hooks_.prepare(tile, bytes);
  const std::int64_t applied =
      std::visit([&](const auto& writers) { return apply_writers(writers, tile, values); },
                 job_.writers.form());
  hooks_.finish(tile, bytes);
  if (job_.counts_written) traffic_.touched += hooks_.touched();
  if (job_.computes_reversed()) reverse_words(bytes, job_.data.type().word());
  job_.updates.source().check_view();
  return applied;
}

template <class Record>
std::int64_t TileWorker::apply_writers(const ElementWriters<Record>& writers, Range tile,
                                       std::span<std::byte> bytes) {
  if (!job_.combiner.is_wide()) return writers.apply(tile, bytes.data());
  const std::span<const Record> records = writers.of_tile(tile);
  const std::int64_t shift = writers.destination_origin(tile) - tile.begin;
  for (const Record& record : records) {
    std::byte* const place = bytes.data() + (shift + record.destination) * job_.value_size();
    job_.combiner.reduce(place, record.value.data(), 1);
  }
  return static_cast<std::int64_t>(records.size());
}

std::int64_t TileWorker::apply_writers(const StraightWriters& writers, Range tile,
                                       std::span<std::byte> bytes) {
  if (applies_elements(job_, writers, tile))
    return apply_elements(job_, writers, tile, bytes.data(), updates_, hooks_);
  if (moves_blocks(writers, tile)) return move_blocks(writers, bytes.data());
  if (updates_.in_memory() != nullptr && applies_rows(job_, writers, tile))
    return apply_rows(job_, writers, tile, bytes.data(), {updates_.in_memory(), streams_});
  return apply_runs(writers, tile, bytes);
}

std::int64_t TileWorker::apply_writers(const BlockWriters& writers, Range tile,
                                       std::span<std::byte> bytes) {
  if (updates_.in_memory() != nullptr && writes_single_elements(job_, writers))
    return apply_single_elements(job_, writers, tile, bytes.data(), updates_.in_memory());
  return apply_runs(writers, tile, bytes);
}

std::int64_t TileWorker::apply_writers(const BoxWriters& writers, Range box,
                                       std::span<std::byte> bytes) {
  std::int64_t applied = 0;
  writers.visit_blocks(box, [&](const BoxWriters::Block& block) {
    const std::byte* updates = updates_.fetch(block.entries);
    const std::int64_t count = block.entries.count();
    if (block.ahead.length() > 0) {
      prefetch_far(bytes.data() + block.ahead.begin * job_.value_size(),
                   block.ahead.length() * job_.value_size());
      if (updates_.in_memory() != nullptr)
        prefetch(updates + 2 * count * job_.element_size(), count * job_.element_size());
    }
    if (!block.has_dropped) {
      place(writers, {block.places, updates, count, block.origin}, bytes.data());
      applied += count;
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_dropped(block.places[i])) continue;
      place(writers, {block.places + i, updates + i * job_.element_size(), 1, block.origin},
            bytes.data());
      ++applied;
    }
  });
  writers.check_view();
  return applied;
}

std::int64_t TileWorker::apply_writers(const MaskWriters& writers, Range tile,
                                       std::span<std::byte> bytes) {
  if (job_.combiner.reduce != nullptr || !writers.has_single_elements())
    return apply_runs(writers, tile, bytes);
  const MaskWriters::Beside beside = writers.beside(tile);
  place_where(bytes.data(), beside.mask, updates_.fetch(beside.updates), beside.updates.count,
              job_.data.type().size);
  return beside.updates.count;
}

void TileWorker::place(const BoxWriters& writers, const PlacedUpdates& updates, std::byte* values) {
  const auto& [places, from, count, origin] = updates;
  hooks_.count({places, static_cast<std::size_t>(count)}, origin);
  values += origin * job_.value_size();
  if (!job_.combiner.is_wide()) return writers.loop()(values, places, from, count);
  for (std::int64_t i = 0; i < count; ++i)
    job_.combiner.reduce(values + places[i] * job_.value_size(), from + i * job_.element_size(), 1);
}

template <class Form>
std::int64_t TileWorker::apply_writers(const Form& writers, Range tile,
                                       std::span<std::byte> bytes) {
  return apply_runs(writers, tile, bytes);
}

template <class Form>
std::int64_t TileWorker::apply_runs(const Form& writers, Range tile, std::span<std::byte> bytes) {
  if (streams_) return stream_runs(writers, tile, bytes);
  std::int64_t applied = 0;
  writers.visit(tile, [&](const StridedRun& run) {
    apply_run(run, tile, bytes);
    applied += run.count;
  });
  return applied;
}

// Each run is copied when the next one is known, which is fetched meanwhile.
template <class Form>
std::int64_t TileWorker::stream_runs(const Form& writers, Range tile, std::span<std::byte> bytes) {
  const std::int64_t size = job_.element_size();
  const std::byte* const updates = updates_.in_memory();
  StridedRun last{.output = tile.begin};
  std::int64_t applied = 0;
  const auto copy_last = [&](const StridedRun& next) {
    stream(bytes.data() + (last.output - tile.begin) * size, updates + last.updates * size,
           static_cast<std::size_t>(last.count * size), updates + next.updates * size);
    applied += last.count;
    last = next;
  };
  writers.visit(tile, [&](const StridedRun& run) {
    if (run.is_packed()) return copy_last(run);
    apply_run(run, tile, bytes);
    applied += run.count;
  });
  copy_last(last);
  finish_streams();
  return applied;
}

// Few rows at once, without a look at where each goes.
bool TileWorker::moves_blocks(const StraightWriters& writers, Range tile) const {
  return job_.combiner.reduce == nullptr && !streams_ && writers.is_packed() &&
         updates_.in_memory() != nullptr && tile.length() == job_.data.count() &&
         !keeps_last_rows(job_, writers);
}

std::int64_t TileWorker::move_blocks(const StraightWriters& writers, std::byte* output) {
  const std::int64_t size = job_.element_size();
  const std::int64_t block = writers.writes().blocks.count() * size;
  writers.visit_batches(
      {.begin = 0, .end = job_.data.count()}, [&](std::int64_t first, std::int64_t updates) {
        writers.visit_pieces([&](std::int64_t entry, auto destinations) {
          tscatter::move_blocks(output + first * size, destinations,
                                updates_.in_memory() + updates * size + entry * block,
                                static_cast<std::size_t>(block));
        });
      });
  return writers.sizes().updates_read;
}

void TileWorker::apply_run(const StridedRun& run, Range tile, std::span<std::byte> bytes) {
  const std::int64_t size = job_.element_size();
  const std::int64_t value_size = job_.value_size();
  const ReduceLoop reduce = job_.combiner.reduce;
  const std::byte* updates = updates_.fetch(run);
  std::byte* into = bytes.data() + (run.output - tile.begin) * value_size;
  if (reduce == nullptr && run.output_stride == 1) {
    std::copy_n(updates, run.count * size, into);
  } else if (reduce == nullptr) {
    spread(into, run.output_stride, updates, run.count, static_cast<std::size_t>(size));
  } else if (run.output_stride == 1) {
    reduce(into, updates, run.count);
  } else {
    for (std::int64_t i = 0; i < run.count; ++i)
      reduce(into + i * run.output_stride * value_size, updates + i * size, 1);
  }
}

}  // namespace tscatter

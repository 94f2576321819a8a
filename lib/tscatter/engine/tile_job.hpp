// TileJob: what all workers of a run share and none changes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/engine/writers.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/plan/destinations.hpp"

namespace tscatter {

// KeptTiles: the ranges of each tile that an undo log has kept, as checksums. For jobs that read
// their entries again for the change: if the entries differ by then, they would write ranges that
// were not kept. A checksum of ranges, whatever their order; 0 without ranges.
class RangesSum {
 public:
  void add(ByteRange range) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t mixed = static_cast<std::uint64_t>(range.begin) * odd;
    mixed = (mixed ^ mixed >> 32U ^ static_cast<std::uint64_t>(range.end)) * odd;
    sum_ += mixed ^ mixed >> 29U;
  }
  std::uint32_t value() const { return static_cast<std::uint32_t>(sum_ ^ sum_ >> 32U); }

 private:
  std::uint64_t sum_ = 0;
};

class KeptTiles {
 public:
  void begin(std::int64_t tiles) { sums_.assign(static_cast<std::size_t>(tiles), 0); }
  // From any thread, each tile once.
  void keep(std::int64_t tile, const RangesSum& sum) {
    sums_[static_cast<std::size_t>(tile)] = sum.value();
  }
  // Throws Error (file, file.f3) unless these are the ranges that were kept for the tile.
  void require(std::int64_t tile, const RangesSum& sum) const {
    if (sums_[static_cast<std::size_t>(tile)] != sum.value()) refuse_changed_entries();
  }

 private:
  std::vector<std::uint32_t> sums_;
};

struct TileJob {
  const Tensor& data;
  const Tensor& updates;
  Sink& output;
  const Writers& writers;
  Reduction reduction;
  InitialValue initial;
  MeanRules mean;
  Combiner combiner;
  std::int64_t phase;                             // how many elements shorter the first tile is
  std::optional<OutputPart> part = std::nullopt;  // that is written; nullopt: all of the output
  // Where there is an undo log, and entries are read again after it is sealed.
  KeptTiles* kept = nullptr;
  // Whether workers count the elements that they write, each once: of boxes and of ranges of single
  // elements, whose indices are then not read once more.
  bool counts_written = false;
  // Of the only tile: in each a worker applies its share of the entries.
  int copies = 1;

  std::int64_t element_size() const { return static_cast<std::int64_t>(data.type().size); }
  Division division() const {
    return {.reduction = reduction, .initial = initial, .rules = mean, .dtype = data.type().dtype};
  }
  // The bytes of an element while updates are applied to it.
  std::int64_t value_size() const {
    return combiner.is_wide() ? static_cast<std::int64_t>(info(combiner.accumulator).size)
                              : element_size();
  }
  std::int64_t tile_elements() const { return writers.sizes().tile_elements; }
  std::int64_t run_bytes() const { return writers.sizes().run_elements * element_size(); }
  OutputPart written() const {
    return part.value_or(OutputPart{.range = {.begin = 0, .end = data.count()}});
  }
  std::int64_t tiles() const { return written().tiles(tile_elements(), phase); }
  // Empty where a tile is not among what is written.
  Range tile(std::int64_t index) const { return written().tile(index, tile_elements(), phase); }
  // Whether updates are written directly to the output, without reading data: whole runs that are
  // not short, if the output allows.
  bool writes_runs() const {
    constexpr std::int64_t shortest = 512;  // bytes, at the mean
    const bool are_known = !std::holds_alternative<StreamedWriters>(writers.form());
    return are_known && reduction == Reduction::none && output.write_unit() <= 1 &&
           run_bytes() >= shortest;
  }
  // The checksum of the runs that are written to the tile.
  RangesSum sum_of_runs(Range tile) const {
    RangesSum sum;
    writers.visit_extents(tile, [&](Range extent) {
      sum.add({.begin = extent.begin * element_size(), .end = extent.end * element_size()});
    });
    return sum;
  }
  // The unit, in bytes, that is read, changed and written back when little of a tile is touched.
  std::int64_t granule_size() const {
    constexpr std::int64_t sector = 512;
    return std::max(sector, output.write_unit());
  }
  // Whether runs bypass the caches: when the output's memory is larger.
  bool streams_runs() const {
    constexpr std::int64_t shortest = 1024;                               // bytes, at the mean
    constexpr std::int64_t larger_than_caches = std::int64_t{32} << 20U;  // bytes
    return reduction == Reduction::none && data.byte_size() >= larger_than_caches &&
           output.memory() && run_bytes() >= shortest;
  }
  // Whether elements change byte order for the computation: only reductions need native order.
  bool computes_reversed() const {
    return reduction != Reduction::none && !data.type().is_native();
  }
  std::endian working_order() const {
    return reduction != Reduction::none ? std::endian::native : data.type().byte_order;
  }
};

}  // namespace tscatter

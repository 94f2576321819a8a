// TileCheck: how one worker verifies one tile. The engine's own worker computes the tile in order;
// elements that differ from it are judged. Each worker has its own TileCheck; all share a CheckJob,
// which nobody changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/engine/tile_worker.hpp"
#include "tscatter/orders/any_element_judge.hpp"
#include "tscatter/verify/actual_reader.hpp"
#include "tscatter/verify/destination_set.hpp"
#include "tscatter/verify/findings.hpp"
#include "tscatter/verify/gathered_terms.hpp"

namespace tscatter {

struct CheckJob {
  const Tensor& data;
  const Tensor& updates;
  const ActualReader& actual;
  const Writers& writers;
  Reduction reduction;
  InitialValue initial;
  Accumulation accumulation;
  const Numbering& numbering;
  WrongPlaces& places;
  const VerifyOptions& options;

  std::int64_t element_size() const { return static_cast<std::int64_t>(data.type().size); }
};

class TileCheck {
 public:
  explicit TileCheck(const CheckJob& job);
  TileCheck(const TileCheck&) = delete;
  TileCheck& operator=(const TileCheck&) = delete;

  std::int64_t tiles() const { return tile_job_.tiles(); }
  void check(std::int64_t tile);

  Findings& findings() { return findings_; }
  // Without a reduction: the destinations where an element differs from the last writer's.
  DestinationSet& differing_destinations() { return differing_destinations_; }

 private:
  // Keeps the tile that the engine's worker computed.
  class TileSink final : public Sink {
   public:
    void write(std::int64_t, std::span<const std::byte> bytes) override { bytes_ = bytes; }
    std::span<const std::byte> bytes() const { return bytes_; }

   private:
    std::span<const std::byte> bytes_;
  };

  using Element = GatheredTerms::Element;

  bool reduces() const { return job_.reduction != Reduction::none; }
  // None of these is used for a check.
  [[noreturn]] void check_form(const UngroupedWriters&) { unreachable(); }
  [[noreturn]] void check_form(const StreamedWriters&) { unreachable(); }
  [[noreturn]] void check_form(const BoxWriters&) { unreachable(); }
  void check_form(const LatticeWriters& writers);
  void check_form(const BlockWriters& writers);
  template <class Record>
  void check_form(const ElementWriters<Record>& writers);

  std::span<const std::byte> canonical(std::span<const std::byte> computed);

  // Visits the elements that differ in a part of the tile.
  template <class Visit>
  void visit_differing(Range places, const Visit& visit) const;
  bool differs(Range places) const;
  bool element_differs(std::int64_t place) const;

  // Blocks.
  struct Batch {
    std::int64_t number;
    Range local;          // of the tile, counted from the batch's first element
    std::int64_t origin;  // of the batch, from the tile's first element
  };
  void check_batch(const BlockWriters& writers, const Batch& batch,
                   std::span<const IndexEntry> sorted);
  void check_block(const ListedWrites& writes, const Batch& batch, Range part,
                   std::span<const IndexEntry> writers);
  void judge_wide(const ListedWrites& writes, const Batch& batch, Range part,
                  std::span<const IndexEntry> writers);
  void gather_narrow(const ListedWrites& writes, const Batch& batch, Range part,
                     std::span<const IndexEntry> writers);
  const std::byte* row_of(const ListedWrites& writes, std::int64_t updates, Range part,
                          std::byte* packed);
  std::span<const IndexEntry> sorted_writers(std::span<const IndexEntry> writers);

  void make_native();
  void read_start(Range places);
  void judge_gathered();
  void judge_group(std::span<const Element> elements);
  template <class PlaceOf>
  void take_verdicts(const orders::Columns& columns, const PlaceOf& place_of);
  // An element that no update reaches must equal data.
  void add_wrong_untouched(std::int64_t place) {
    findings_.count_wrong_untouched();
    add(wrong_element, place);
  }
  bool may_list_reordered(std::int64_t place) const;
  bool count_reordered(std::int64_t place, std::int64_t count);
  void add(const ElementVerdict& verdict, std::int64_t place);

  const std::byte* actual_at(std::int64_t place) const {
    return actual_.data() + place * job_.element_size();
  }
  const std::byte* in_order_at(std::int64_t place) const {
    return in_order_.data() + place * job_.element_size();
  }

  const CheckJob& job_;
  TileSink sink_;
  TileJob tile_job_;
  TileWorker worker_;
  UpdatesReader updates_;
  std::unique_ptr<orders::AnyElementJudge> judge_;  // of reductions
  Findings findings_;
  DestinationSet differing_destinations_;

  // Of the tile at hand.
  Range tile_;
  bool is_native_ = false;  // whether actual and in_order have been converted
  bool has_start_ = false;  // whether all of data_ has been read
  std::vector<std::byte> actual_;
  std::span<const std::byte> in_order_;
  std::vector<std::byte> native_in_order_;
  std::vector<std::byte> data_;  // or the value that touched elements begin with in its place
  GatheredTerms gathered_;
  std::vector<std::byte> rows_;
  std::vector<std::byte> columns_;
  std::vector<ElementVerdict> verdicts_;
  std::vector<IndexEntry> sorted_;
  const IndexEntry* sorted_from_ = nullptr;
  std::size_t sorted_count_ = 0;
};

}  // namespace tscatter

// TileCheck: how one worker verifies one tile. The engine's own worker computes the tile in order;
// elements that differ from it are judged. Each worker has its own TileCheck; all share a CheckJob,
// which nobody changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/tile_worker.hpp"
#include "tscatter/orders/any_element_judge.hpp"
#include "tscatter/verify/actual_reader.hpp"
#include "tscatter/verify/second_look.hpp"

namespace tscatter {

// Collects destinations, each once, in memory proportional to the distinct ones.
class DestinationSet {
 public:
  void add(std::int64_t destination) {
    if (!destinations_.empty() && destinations_.back() == destination) return;
    if (destinations_.size() >= most_) sort();
    destinations_.push_back(destination);
  }

  void merge(const DestinationSet& other) {
    destinations_.insert(destinations_.end(), other.destinations_.begin(),
                         other.destinations_.end());
    sort();
  }

  // In ascending order.
  std::vector<std::int64_t> sorted() && {
    sort();
    return std::move(destinations_);
  }

 private:
  static constexpr std::size_t least = 4096;

  void sort() {
    std::sort(destinations_.begin(), destinations_.end());
    destinations_.erase(std::unique(destinations_.begin(), destinations_.end()),
                        destinations_.end());
    most_ = std::max(least, destinations_.size() + destinations_.size() / 2);
  }

  std::vector<std::int64_t> destinations_;
  std::size_t most_ = least;
};

// Elements of a tile that differ, and the terms of each, until they are judged.
class GatheredTerms {
 public:
  // Its terms lie together, from number `begin` on.
  struct Element {
    std::int64_t place;  // in the tile
    std::int64_t terms = 0;
    std::size_t begin = 0;
    std::int64_t filled = 0;
  };

  // `size`: bytes of a term.
  GatheredTerms(std::size_t size, std::int64_t tile_elements)
      : size_{size}, tile_elements_{tile_elements} {}

  bool is_empty() const { return elements_.empty(); }
  std::int64_t byte_size() const { return static_cast<std::int64_t>(terms_.size()); }
  std::span<const Element> elements() const { return elements_; }

  // Of an element, in native byte order.
  const std::byte* term(const Element& element, std::size_t number) const {
    return terms_.data() + (element.begin + number) * size_;
  }

  void clear() {
    elements_.clear();
    terms_.clear();
  }

  // An element whose terms are counted and gathered from records.
  void add(std::int64_t place) { elements_.push_back({.place = place}); }

  // An element of so many terms, which are appended next.
  void begin(std::int64_t place, std::int64_t terms, std::int64_t most_bytes) {
    elements_.push_back({.place = place, .terms = terms, .begin = terms_.size() / size_});
    const std::size_t more = static_cast<std::size_t>(terms) * size_;
    if (static_cast<std::int64_t>(more) > most_bytes) terms_.reserve(terms_.size() + more);
  }
  void append(std::span<const std::byte> bytes) {
    terms_.insert(terms_.end(), bytes.begin(), bytes.end());
  }

  // Records go to the place `shift` + destination.
  template <class Record>
  void count(std::span<const Record> records, std::int64_t shift);
  template <class Record>
  void gather(std::span<const Record> records, std::int64_t shift);

  // Calls visit(place) for elements without terms, which are dropped.
  template <class Visit>
  void drop_untouched(const Visit& visit) {
    std::erase_if(elements_, [&](const Element& element) {
      if (element.terms == 0) visit(element.place);
      return element.terms == 0;
    });
  }

  // Elements with equally many terms come together, in the order of their places.
  void sort() {
    std::ranges::sort(elements_, {},
                      [](const Element& each) { return std::pair(each.terms, each.place); });
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  void note_places() {
    element_at_.resize(static_cast<std::size_t>(tile_elements_), none);
    for (std::size_t i = 0; i < elements_.size(); ++i)
      element_at_[static_cast<std::size_t>(elements_[i].place)] = static_cast<std::uint32_t>(i);
  }
  void forget_places() {
    for (const Element& element : elements_)
      element_at_[static_cast<std::size_t>(element.place)] = none;
  }

  // Calls visit(element, record) for the records that go to an element of these.
  template <class Record, class Visit>
  void visit_records(std::span<const Record> records, std::int64_t shift, const Visit& visit) {
    note_places();
    for (const Record& record : records) {
      const std::uint32_t at = element_at_[static_cast<std::size_t>(shift + record.destination)];
      if (at != none) visit(elements_[at], record);
    }
    forget_places();
  }

  std::size_t size_;
  std::int64_t tile_elements_;
  std::vector<Element> elements_;
  std::vector<std::uint32_t>
      element_at_;  // place -> index into elements_; none where there is none
  std::vector<std::byte> terms_;
};

template <class Record>
void GatheredTerms::count(std::span<const Record> records, std::int64_t shift) {
  visit_records(records, shift, [](Element& element, const Record&) { ++element.terms; });
}

template <class Record>
void GatheredTerms::gather(std::span<const Record> records, std::int64_t shift) {
  std::size_t count = 0;
  for (Element& element : elements_) {
    element.begin = count;
    count += static_cast<std::size_t>(element.terms);
  }
  terms_.resize(count * size_);
  visit_records(records, shift, [&](Element& element, const Record& record) {
    const std::size_t term = element.begin + static_cast<std::size_t>(element.filled++);
    std::memcpy(terms_.data() + term * size_, record.value.data(), size_);
  });
}

struct CheckJob : VerifyJob {
  const Tensor* factors;  // what a number multiplied to get updates, if verdicts depend on it
  const Writers& writers;
  orders::Combination combination;

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

  bool reduces() const { return job_.combination.reduction != Reduction::none; }
  // None of these is used for a check.
  [[noreturn]] void check_form(const StraightWriters&) { unreachable(); }
  [[noreturn]] void check_form(const StreamedWriters&) { unreachable(); }
  [[noreturn]] void check_form(const BoxWriters&) { unreachable(); }
  [[noreturn]] void check_form(const MaskWriters&) { unreachable(); }
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
  void gather_run(const StridedRun& run);
  void gather_narrow(const ListedWrites& writes, const Batch& batch, Range part,
                     std::span<const IndexEntry> writers);
  const std::byte* row_of(UpdatesReader& from, const StridedAxes& blocks, std::int64_t updates,
                          Range part, std::byte* packed) const;
  std::span<const IndexEntry> sorted_writers(std::span<const IndexEntry> writers);

  void make_native();
  void read_start(Range places);
  void judge_gathered();
  void judge_group(std::span<const Element> elements);
  template <class PlaceOf>
  void take_verdicts(const orders::Columns& columns, const PlaceOf& place_of);
  // An element that no update reaches must equal data.
  void add_other_untouched(std::int64_t place) {
    findings_.count_other_untouched();
    add_other(place);
  }
  void add_other(std::int64_t place);
  bool may_change_verdicts(const orders::Columns& columns);
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
  std::optional<UpdatesReader> factors_;
  std::unique_ptr<orders::AnyElementJudge> judge_;  // of reductions
  std::vector<JudgedVariant> variants_;
  std::unique_ptr<SecondLook> second_look_;  // of reductions of dtypes with zeros of two signs
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
  GatheredTerms gathered_;       // a factor follows each term where there are factors
  std::vector<std::byte> rows_;
  std::vector<std::byte> columns_;
  std::vector<ElementVerdict> verdicts_;
  std::vector<std::uint32_t> differing_;
  std::vector<IndexEntry> sorted_;
  const IndexEntry* sorted_from_ = nullptr;
  std::size_t sorted_count_ = 0;
};

}  // namespace tscatter

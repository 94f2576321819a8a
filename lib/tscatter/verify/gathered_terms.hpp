// GatheredTerms: elements of a tile that differ, and the terms of each, until they are judged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tscatter {

class GatheredTerms {
 public:
  // Its terms lie together, from number `begin` on.
  struct Element {
    std::int64_t place;  // in the tile
    std::int64_t terms = 0;
    std::size_t begin = 0;
    std::int64_t filled = 0;
  };

  GatheredTerms(std::size_t element_size, std::int64_t tile_elements)
      : size_{element_size}, tile_elements_{tile_elements} {}

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
  void append(const std::byte* term) { terms_.insert(terms_.end(), term, term + size_); }

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

}  // namespace tscatter

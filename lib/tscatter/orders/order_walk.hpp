// Results of the orders of a few terms, columns at a time: their range, and each of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/term_block.hpp"

namespace tscatter::orders {

// ---- The least and the greatest result that the orders of a few terms leave, eight columns at a
// time.

// A step on finite terms: a rounded sum, or a rounded product of magnitudes. Both are monotonic in
// the accumulator.
template <class T>
struct SumStep {
  static Lane<T> apply(Lane<T> value, Lane<T> term) { return rounded<T>(value + term); }
  [[gnu::always_inline]] static inline void apply(LaneVector<Lane<T>>& value,
                                                  const LaneVector<Lane<T>>& term) {
    value += term;
    round_lanes<T, LaneVector<Lane<T>>, LaneVector<LaneBits<Lane<T>>>>(value);
  }
};
template <class T>
struct ProductStep {
  static Lane<T> apply(Lane<T> value, Lane<T> term) { return rounded<T>(value * term); }
  [[gnu::always_inline]] static inline void apply(LaneVector<Lane<T>>& value,
                                                  const LaneVector<Lane<T>>& term) {
    value *= term;
    round_lanes<T, LaneVector<Lane<T>>, LaneVector<LaneBits<Lane<T>>>>(value);
  }
};

// Since a step is monotonic, the least (greatest) result of a set of terms comes from the least
// (greatest) one of all but its last: a result for each set of terms, not for each order.
template <class T, class Step>
class ResultRange {
 public:
  static constexpr std::size_t lanes = 8;
  using Real = Lane<T>;
  using Lanes = std::array<Real, lanes>;

  // REQUIRES: at most `exact_writers` terms, at least one; no order makes a NaN.
  void find(const Lanes& data, std::span<const Lanes> terms) {
    least_.resize(std::size_t{1} << terms.size());
    greatest_.resize(least_.size());
    least_[0] = data;
    greatest_[0] = data;
    vectorised([&] {
      for (std::size_t applied = 1; applied < least_.size(); ++applied) {
        for (std::size_t first = 0; first < lanes; first += sizeof(Vector) / sizeof(Real))
          find_of(terms.data(), applied, first);
      }
    });
  }

  // After all terms. Valid until the next call.
  const Lanes& least() const { return least_.back(); }
  const Lanes& greatest() const { return greatest_.back(); }

 private:
  using Vector = LaneVector<Real>;

  // From the lane `first` on, as many as a vector has.
  [[gnu::always_inline]] inline void find_of(const Lanes* terms, std::size_t applied,
                                             std::size_t first) {
    Vector low = Vector{} + std::numeric_limits<Real>::infinity();
    Vector high = -low;
    for (std::size_t rest = applied; rest != 0; rest &= rest - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(rest));
      const std::size_t before = applied ^ (std::size_t{1} << last);
      Vector smaller;
      Vector larger;
      Vector term;
      std::memcpy(&smaller, least_[before].data() + first, sizeof(smaller));
      std::memcpy(&larger, greatest_[before].data() + first, sizeof(larger));
      std::memcpy(&term, terms[last].data() + first, sizeof(term));
      Step::apply(smaller, term);
      Step::apply(larger, term);
      low = smaller < low ? smaller : low;
      high = larger > high ? larger : high;
    }
    std::memcpy(least_[applied].data() + first, &low, sizeof(low));
    std::memcpy(greatest_[applied].data() + first, &high, sizeof(high));
  }

  std::vector<Lanes> least_;
  std::vector<Lanes> greatest_;
};

// ---- Applies orders of terms to a vector of columns at a time: given ones, or all of a few terms,
// where orders with the same beginning share its steps.

template <class Real>
using LaneMask = decltype(LaneVector<Real>() == LaneVector<Real>());

template <class Real>
inline constexpr std::size_t vector_lanes = sizeof(LaneVector<Real>) / sizeof(Real);

// Not by memcpy, which GCC splits into halves where `into` is not a register at once.
template <class Real>
[[gnu::always_inline]] inline void load_lanes(const Real* from, LaneVector<Real>& into) {
  using Unaligned [[gnu::vector_size(sizeof(into)), gnu::aligned(sizeof(Real)), gnu::may_alias]] =
      Real;
  into = *reinterpret_cast<const Unaligned*>(from);
}

// REQUIRES: a comparison's result.
template <class Mask>
[[gnu::always_inline]] inline bool is_all(const Mask& mask) {
  std::array<std::uint64_t, sizeof(Mask) / sizeof(std::uint64_t)> words;
  std::memcpy(words.data(), &mask, sizeof(mask));
  std::uint64_t all = ~std::uint64_t{0};
  for (const std::uint64_t word : words) all &= word;
  return all == ~std::uint64_t{0};
}

// Clears the flags, 0 or 1, of noted columns. A note is as wide as a lane: not all compilers narrow
// a single vector well.
template <class Word>
[[gnu::always_inline]] inline void clear_noted(const Word* noted, std::size_t count,
                                               std::uint8_t* flags) {
  for (std::size_t i = 0; i < count; ++i)
    flags[i] &= noted[i] == 0 ? std::uint8_t{1} : std::uint8_t{0};
}

// Notes what an order leaves: whether it is wanted, or something else.
struct NotesWanted {
  template <class Mask>
  [[gnu::always_inline]] static inline void note(const Mask& left, const Mask& wanted,
                                                 Mask& noted) {
    noted |= left == wanted;
  }
};
struct NotesOther {
  template <class Mask>
  [[gnu::always_inline]] static inline void note(const Mask& left, const Mask& wanted,
                                                 Mask& noted) {
    noted |= left != wanted;
  }
};

// All orders of the last terms, as one piece of code that keeps them in registers.
template <class Real, class Step, class Note>
struct LastOrders {
  using Lanes = LaneVector<Real>;
  using Mask = LaneMask<Real>;

  template <std::size_t terms>
  [[gnu::always_inline]] static inline void walk(const Lanes& value,
                                                 const std::array<Lanes, terms>& rest,
                                                 const Mask& wanted, Mask& noted) {
    walk_each(value, rest, wanted, noted, std::make_index_sequence<terms>());
  }

 private:
  template <std::size_t terms, std::size_t... each>
  [[gnu::always_inline]] static inline void walk_each(const Lanes& value,
                                                      const std::array<Lanes, terms>& rest,
                                                      const Mask& wanted, Mask& noted,
                                                      std::index_sequence<each...>) {
    (walk_with<each>(value, rest, wanted, noted), ...);
  }

  template <std::size_t next_term, std::size_t terms>
  [[gnu::always_inline]] static inline void walk_with(const Lanes& value,
                                                      const std::array<Lanes, terms>& rest,
                                                      const Mask& wanted, Mask& noted) {
    Lanes next = value;
    Step::apply(next, rest[next_term]);
    if constexpr (terms == 1) {
      Note::note(reinterpret_cast<Mask>(next), wanted, noted);
    } else {
      std::array<Lanes, terms - 1> others;
      for (std::size_t k = 0; k < terms - 1; ++k) others[k] = rest[k < next_term ? k : k + 1];
      walk<terms - 1>(next, others, wanted, noted);
    }
  }
};

template <class T, class Step>
class OrderWalk {
 public:
  static constexpr std::size_t most_terms = 7;

  // Both clear the flags of the columns whose target an order leaves, bit for bit. Flags are read
  // and written up to a multiple of `TermBlock<T>::padding`.

  // One order after the other, each of all terms.
  static void try_orders(const TermBlock<T>& block, std::span<const std::size_t> orders,
                         std::uint8_t* is_open) {
    vectorised([&] {
      Noted noted;
      for (std::size_t first = 0; first < block.count(); first += lanes)
        try_orders_of(block, first, orders, noted.data() + first);
      clear_noted(noted.data(), block.count(), is_open);
    });
  }

  // All orders. REQUIRES: 2 to `most_terms` terms.
  static void walk(const TermBlock<T>& block, std::uint8_t* is_open) {
    vectorised([&] { walk_block<2>(block, is_open); });
  }

 private:
  using Real = Lane<T>;
  using Lanes = LaneVector<Real>;
  using Mask = LaneMask<Real>;
  static constexpr std::size_t lanes = vector_lanes<Real>;
  static_assert(TermBlock<T>::padding % lanes == 0);

  using Noted = std::array<LaneBits<Real>, TermBlock<T>::most_columns>;

  // The orders of so many terms are one piece of code, which keeps the terms in registers.
  static constexpr std::size_t in_one_piece = HalfWidth<T> ? 3 : 4;

  [[gnu::always_inline]] static inline void try_orders_of(const TermBlock<T>& block,
                                                          std::size_t first,
                                                          std::span<const std::size_t> orders,
                                                          LaneBits<Real>* noted) {
    Lanes data;
    load_lanes<Real>(block.data() + first, data);
    Lanes target;
    load_lanes<Real>(block.target() + first, target);
    Mask found{};
    for (std::size_t at = 0; at < orders.size(); at += block.writers()) {
      Lanes value = data;
      for (std::size_t k = 0; k < block.writers(); ++k) {
        Lanes term;
        load_lanes<Real>(block.term(orders[at + k]) + first, term);
        Step::apply(value, term);
      }
      found |= reinterpret_cast<Mask>(value) == reinterpret_cast<Mask>(target);
    }
    std::memcpy(noted, &found, sizeof(found));
  }

  template <std::size_t last>
  [[gnu::always_inline]] static inline void walk_block(const TermBlock<T>& block,
                                                       std::uint8_t* is_open) {
    if constexpr (last < in_one_piece) {
      if (block.writers() != last) return walk_block<last + 1>(block, is_open);
    }
    Noted noted;
    for (std::size_t first = 0; first < block.count(); first += lanes) {
      std::array<Lanes, most_terms> rest;
      for (std::size_t k = 0; k < block.writers(); ++k)
        load_lanes<Real>(block.term(k) + first, rest[k]);
      Lanes data;
      load_lanes<Real>(block.data() + first, data);
      Lanes target;
      load_lanes<Real>(block.target() + first, target);
      Mask found{};
      for (std::size_t i = std::min(lanes, block.count() - first); i < lanes; ++i) found[i] = -1;
      walk_terms<last>(data, rest, block.writers(), reinterpret_cast<Mask>(target), found);
      std::memcpy(noted.data() + first, &found, sizeof(found));
    }
    clear_noted(noted.data(), block.count(), is_open);
  }

  // The `last` terms are in one piece; of those before, each takes its turn at the end of the rest.
  template <std::size_t last>
  [[gnu::always_inline]] static inline void walk_terms(const Lanes& data,
                                                       std::array<Lanes, most_terms>& rest,
                                                       std::size_t terms, const Mask& target,
                                                       Mask& found) {
    std::array<Lanes, most_terms + 1> values;       // before so many terms
    std::array<std::size_t, most_terms + 1> turns;  // which of so many terms comes next
    std::size_t left = terms;
    Lanes value = data;  // before those that are left
    turns[left] = 0;
    for (;;) {
      if (left == last) {
        std::array<Lanes, last> piece;
        for (std::size_t k = 0; k < last; ++k) piece[k] = rest[k];
        Mask noted{};
        LastOrders<Real, Step, NotesWanted>::walk(value, piece, target, noted);
        found |= noted;
      } else if (turns[left] < left && !is_all(found)) {
        std::swap(rest[turns[left]], rest[left - 1]);
        values[left] = value;
        Step::apply(value, rest[--left]);
        turns[left] = 0;
        continue;
      }
      if (left == terms) return;
      value = values[++left];
      std::swap(rest[turns[left]++], rest[left - 1]);
    }
  }
};

}  // namespace tscatter::orders

// TermBlock: columns side by side for vectors; and FlagList.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/terms.hpp"

namespace tscatter::orders {

// ---- Where flags are set, eight at a time and without a branch for each: which of them are is
// seldom foreseen.

class FlagList {
 public:
  // Lists first + i for each set flag i, ascending, and returns how many there are. `list` has room
  // for one number each, and `room_beyond`.
  static constexpr std::size_t room_beyond = 8;

  [[gnu::always_inline]] static inline std::size_t list(const std::uint8_t* flags,
                                                        std::size_t count, std::uint32_t first,
                                                        std::uint32_t* list) {
    std::size_t listed = 0;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, flags + i, sizeof(word));
      Lanes places;
      std::memcpy(&places, places_of[key_of(word)].data(), sizeof(places));
      places += first + static_cast<std::uint32_t>(i);
      std::memcpy(list + listed, &places, sizeof(places));
      listed += static_cast<std::size_t>((word * each_byte) >> 56U);
    }
    for (; i < count; ++i) {
      list[listed] = first + static_cast<std::uint32_t>(i);
      listed += flags[i];
    }
    return listed;
  }

  static std::size_t count(const std::uint8_t* flags, std::size_t count) {
    std::size_t set = 0;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, flags + i, sizeof(word));
      set += static_cast<std::size_t>((word * each_byte) >> 56U);
    }
    for (; i < count; ++i) set += flags[i];
    return set;
  }

 private:
  using Lanes [[gnu::vector_size(32)]] = std::uint32_t;
  static constexpr std::uint64_t each_byte = 0x0101010101010101U;

  // A bit for each flag; in which order, the machine's byte order says.
  static constexpr std::uint64_t key_of(std::uint64_t word) {
    return (word * 0x0102040810204080U) >> 56U;
  }

  // For each key the places of its flags, then zeros.
  using Places = std::array<std::uint32_t, 8>;
  static constexpr std::array<Places, 256> make_places() {
    std::array<Places, 256> all{};
    for (unsigned bits = 0; bits < 256; ++bits) {
      std::array<std::uint8_t, 8> flags{};
      Places places{};
      std::size_t found = 0;
      for (unsigned i = 0; i < 8; ++i) {
        flags[i] = static_cast<std::uint8_t>((bits >> i) & 1U);
        if (flags[i] != 0) places[found++] = i;
      }
      all[key_of(std::bit_cast<std::uint64_t>(flags))] = places;
    }
    return all;
  }

  static const std::array<Places, 256> places_of;
};

inline constexpr std::array<FlagList::Places, 256> FlagList::places_of = FlagList::make_places();

// ---- Columns gathered from rows, one lane each: data, then the terms in the order of their index
// entries, then the judged value.

template <class T>
class TermBlock {
 public:
  using Real = Lane<T>;

  static constexpr std::size_t most_columns = 256;
  // Of few writers, rows can be read up to a multiple of so many columns.
  static constexpr std::size_t padding = 16;
  // How many columns are gathered at a time, so that the cells fit into a cache.
  static std::size_t columns_at_once(std::size_t writers) {
    constexpr std::size_t most_cells = 32768;
    return std::clamp<std::size_t>(most_cells / (writers + 2), 1, most_columns);
  }

  // of_value transforms data and the judged values, of_term the terms.
  template <class OfValue, class OfTerm>
  void gather(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
              const OfValue& of_value, const OfTerm& of_term) {
    writers_ = rows.writers();
    count_ = columns.size();
    places_.resize(count_);
    std::iota(places_.begin(), places_.end(), 0U);
    constexpr std::size_t few = 16;  // writers
    const bool is_padded = count_ > 1 || writers_ <= few;
    stride_ = is_padded ? (count_ + padding - 1) / padding * padding : 1;
    // The last rows can be read up to a multiple of `padding` columns, too.
    const std::size_t cells = (writers_ + 2) * stride_ + padding;
    if (cells_.size() < cells) cells_.resize(cells);
    for (std::size_t j = 0; j < count_; ++j) {
      cells_[j] = of_value(widened(rows.data[columns[j]]));
      cells_[(writers_ + 1) * stride_ + j] = of_value(widened(rows.actual[columns[j]]));
    }
    for (std::size_t k = 0; k < writers_; ++k) {
      Real* const into = cells_.data() + (k + 1) * stride_;
      const T* const from = rows.terms[k];
      std::size_t j = 0;
      for (; j + at_once <= count_; j += at_once) {
        for (std::size_t i = 0; i < at_once; ++i)
          into[j + i] = of_term(widened(from[columns[j + i]]));
      }
      for (; j < count_; ++j) into[j] = of_term(widened(from[columns[j]]));
    }
  }

  // Of a sum: a - x is a + (-x), bit for bit.
  void gather_sum(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                  Reduction reduction) {
    const auto as_it_is = [](Real x) { return x; };
    if (info(reduction).negates) {
      gather(rows, columns, as_it_is, [](Real x) { return -x; });
    } else {
      gather(rows, columns, as_it_is, as_it_is);
    }
  }

  // Keeps the columns whose flag is set: 0 or 1.
  void keep(const std::uint8_t* flags) {
    const std::size_t kept = FlagList::list(flags, count_, 0, kept_.data());
    for (std::size_t j = 0; j < kept; ++j) places_[j] = places_[kept_[j]];
    for (std::size_t row = 0; row < writers_ + 2; ++row) {
      Real* const cells = cells_.data() + row * stride_;
      std::size_t j = 0;
      for (; j + at_once <= kept; j += at_once) {
        for (std::size_t i = 0; i < at_once; ++i) cells[j + i] = cells[kept_[j + i]];
      }
      for (; j < kept; ++j) cells[j] = cells[kept_[j]];
    }
    count_ = kept;
  }

  std::size_t writers() const { return writers_; }
  std::size_t count() const { return count_; }
  // The row's column that the j-th lane was gathered from.
  std::uint32_t place(std::size_t j) const { return places_[j]; }

  const Real* data() const { return cells_.data(); }
  const Real* term(std::size_t k) const { return cells_.data() + (k + 1) * stride_; }
  const Real* target() const { return cells_.data() + (writers_ + 1) * stride_; }

 private:
  static constexpr std::size_t at_once = 4;  // in loops that compilers do not unroll

  std::size_t writers_ = 0;
  std::size_t count_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> places_;
  std::vector<Real> cells_;
  std::array<std::uint32_t, most_columns + FlagList::room_beyond> kept_{};
};

}  // namespace tscatter::orders

#include "tscatter/orders/row_walk.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/order_walk.hpp"

// For lambdas: what is not inlined into the code for wider vectors would be compiled without them.
#define TSCATTER_INLINED __attribute__((always_inline))

namespace tscatter::orders {
namespace {

// As many columns as a vector has lanes.
template <class T>
struct Group {
  using Lanes = LaneVector<T>;

  std::size_t writers;
  LaneBits<T> sign;    // of the terms is turned: a - x is a + (-x), bit for bit
  std::size_t at = 0;  // of the rows
  const T* data;
  const T* other;
  // Twice, one after the other: so that each may be the first.
  std::array<const T*, 2 * RowWalk<T>::most_terms> terms;

  explicit Group(const typename RowWalk<T>::Rows& rows, const T* other_row)
      : writers{rows.terms.size()},
        sign{rows.is_subtracted ? lane_bits(T{-0.0}) : 0},
        data{rows.data + rows.first},
        other{other_row} {
    for (std::size_t k = 0; k < writers; ++k)
      terms[k] = terms[writers + k] = rows.terms[k] + rows.first;
  }

  [[gnu::always_inline]] inline void load_term(std::size_t k, Lanes& into) const {
    load_lanes<T>(terms[k] + at, into);
    into = reinterpret_cast<Lanes>(reinterpret_cast<LaneVector<LaneBits<T>>>(into) ^ sign);
  }

  [[gnu::always_inline]] inline void load_other(Lanes& into) const {
    load_lanes<T>(other + at, into);
  }

  // The sum of data and the terms from `first` on.
  [[gnu::always_inline]] inline void add(std::size_t first, std::size_t count, Lanes& sum) const {
    load_lanes<T>(data + at, sum);
    for (std::size_t k = first; k < first + count; ++k) {
      Lanes term;
      load_term(k, term);
      sum += term;
    }
  }

  // `last` terms come last in all orders. Of more terms each is the first of some orders.
  template <std::size_t last>
  [[gnu::always_inline]] inline void find_other(const LaneMask<T>& wanted,
                                                LaneMask<T>& noted) const {
    const std::size_t walks = writers == last ? 1 : writers;
    for (std::size_t k = 0; k < walks && !is_all(noted); ++k)
      walk_from<last, NotesOther>(k, wanted, noted);
  }

  // The orders that begin with term `first`, and go on to those after it until `last` are left.
  template <std::size_t last, class Note>
  [[gnu::always_inline]] inline void walk_from(std::size_t first, const LaneMask<T>& wanted,
                                               LaneMask<T>& noted) const {
    Lanes value;
    add(first, writers - last, value);
    std::array<Lanes, last> rest;
    for (std::size_t k = 0; k < last; ++k) load_term(first + writers - last + k, rest[k]);
    LastOrders<T, SumStep<T>, Note>::walk(value, rest, wanted, noted);
  }
};

// The last columns, copied, so that there are as many as lanes.
template <class T>
class LastColumns {
 public:
  static constexpr std::size_t lanes = vector_lanes<T>;

  void copy(Group<T>& group, std::size_t count) {
    group.data = copied(group.data + group.at, count);
    group.other = copied(group.other + group.at, count);
    for (std::size_t k = 0; k < group.writers; ++k)
      group.terms[k] = group.terms[group.writers + k] = copied(group.terms[k] + group.at, count);
    group.at = 0;
  }

 private:
  const T* copied(const T* from, std::size_t count) {
    std::array<T, lanes>& row = rows_[used_++];
    std::copy_n(from, count, row.begin());
    return row.data();
  }

  std::array<std::array<T, lanes>, RowWalk<T>::most_terms + 2> rows_{};
  std::size_t used_ = 0;
};

// Calls visit(group, index of its first column, how many columns it has) group by group. `other`
// begins with the first column.
template <class T, class Visit>
[[gnu::always_inline]] inline void visit_groups(const typename RowWalk<T>::Rows& rows,
                                                const T* other, const Visit& visit) {
  constexpr std::size_t lanes = vector_lanes<T>;
  LastColumns<T> last;
  Group<T> group(rows, other);
  for (std::size_t i = 0; i < rows.count; i += lanes) {
    const std::size_t count = std::min(lanes, rows.count - i);
    if (count < lanes) last.copy(group, count);
    visit(group, i, count);
    group.at += lanes;
  }
}

// Calls function.operator()<how many of the terms are walked in all orders>().
template <class Function>
[[gnu::always_inline]] inline void visit_last(std::size_t terms, const Function& function) {
  if (terms == 2) return function.template operator()<2>();
  if (terms == 3) return function.template operator()<3>();
  return function.template operator()<4>();
}

}  // namespace

template <class T>
void RowWalk<T>::clear_reached(const Rows& rows, const T* actual, std::uint8_t* flags) {
  constexpr std::size_t most_walks = 2;  // what these leave is cheaper to gather
  std::array<LaneBits<T>, most_columns> noted;
  const auto walk = [&]<std::size_t last>() TSCATTER_INLINED {
    const std::size_t walks = rows.terms.size() == last ? 1 : most_walks;
    visit_groups<T>(rows, actual,
                    [&](const Group<T>& group, std::size_t first, std::size_t) TSCATTER_INLINED {
                      LaneVector<T> target;
                      group.load_other(target);
                      LaneMask<T> found{};
                      for (std::size_t k = 0; k < walks; ++k)
                        group.template walk_from<last, NotesWanted>(
                            k, reinterpret_cast<LaneMask<T>>(target), found);
                      found &= target - target == LaneVector<T>{};
                      std::memcpy(noted.data() + first, &found, sizeof(found));
                    });
    clear_noted(noted.data(), rows.count, flags);
  };
  vectorised([&] {
    if (rows.terms.size() == 2) return walk.template operator()<2>();
    return walk.template operator()<3>();
  });
}

template <class T>
bool RowWalk<T>::find_dependent(const Rows& rows, OrderDependence* verdicts) {
  LaneMask<T> nan{};
  const auto walk = [&]<std::size_t last>() TSCATTER_INLINED {
    visit_groups<T>(
        rows, rows.data + rows.first,
        [&](const Group<T>& group, std::size_t first, std::size_t count) TSCATTER_INLINED {
          LaneVector<T> in_order;
          group.add(0, group.writers, in_order);
          nan |= in_order != in_order;  // NOLINT(misc-redundant-expression): of NaN
          LaneMask<T> noted{};
          group.template find_other<last>(reinterpret_cast<LaneMask<T>>(in_order), noted);
          for (std::size_t i = 0; i < count; ++i)
            verdicts[first + i] = noted[i] != 0 ? OrderDependence::yes : OrderDependence::no;
        });
  };
  vectorised([&] { visit_last(rows.terms.size(), walk); });
  bool has_nan = false;
  for (std::size_t i = 0; i < vector_lanes<T>; ++i) has_nan = has_nan || nan[i] != 0;
  return !has_nan;
}

template class RowWalk<float>;
template class RowWalk<double>;

}  // namespace tscatter::orders

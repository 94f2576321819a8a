#include "tscatter/orders/row_walk.hpp"

#include <algorithm>
#include <array>

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

  const T* data;
  const T* const* terms;
  std::size_t writers;
  std::size_t at;  // of the rows
  bool is_subtracted;

  [[gnu::always_inline]] inline void load_term(std::size_t k, Lanes& into) const {
    load_lanes<T>(terms[k] + at, into);
    if (is_subtracted) into = -into;  // a - x is a + (-x), bit for bit
  }

  [[gnu::always_inline]] inline void add_in_order(Lanes& sum) const {
    load_lanes<T>(data + at, sum);
    for (std::size_t k = 0; k < writers; ++k) {
      Lanes term;
      load_term(k, term);
      sum += term;
    }
  }

  // `last` terms come last in all orders. Of more terms each is the first of some orders.
  template <std::size_t last, class Note>
  [[gnu::always_inline]] inline void walk(const LaneMask<T>& wanted, LaneMask<T>& noted) const {
    walk_from<last, Note>(0, wanted, noted);
    if (writers == last) return;
    for (std::size_t k = 1; k < writers && !is_all(noted); ++k)
      walk_from<last, Note>(k, wanted, noted);
  }

 private:
  // The orders that begin with term `next`, and go on to those after it until `last` are left.
  template <std::size_t last, class Note>
  [[gnu::always_inline]] inline void walk_from(std::size_t next, const LaneMask<T>& wanted,
                                               LaneMask<T>& noted) const {
    Lanes value;
    load_lanes<T>(data + at, value);
    for (std::size_t k = last; k < writers; ++k) {
      Lanes term;
      load_term(next, term);
      value += term;
      next = next + 1 == writers ? 0 : next + 1;
    }
    std::array<Lanes, last> rest;
    for (Lanes& term : rest) {
      load_term(next, term);
      next = next + 1 == writers ? 0 : next + 1;
    }
    LastOrders<T, SumStep<T>, Note>::walk(value, rest, wanted, noted);
  }
};

// The last columns, copied, so that there are as many as lanes.
template <class T>
class LastColumns {
 public:
  static constexpr std::size_t lanes = vector_lanes<T>;

  // Goes on with the copies.
  void copy(Group<T>& group, const T*& one, const T*& other, std::size_t count) {
    for (std::size_t k = 0; k < group.writers; ++k)
      terms_[k] = copied(group.terms[k] + group.at, count);
    group.data = copied(group.data + group.at, count);
    group.terms = terms_.data();
    group.at = 0;
    one = copied(one, count);
    other = copied(other, count);
  }

 private:
  const T* copied(const T* from, std::size_t count) {
    std::array<T, lanes>& row = rows_[used_++];
    std::copy_n(from, count, row.begin());
    return row.data();
  }

  std::array<std::array<T, lanes>, RowWalk<T>::most_terms + 3> rows_{};
  std::array<const T*, RowWalk<T>::most_terms> terms_{};
  std::size_t used_ = 0;
};

// Calls visit(group, index of its first column, how many columns it has, two rows there) group by
// group. `one` and `other` begin with the first column.
template <class T, class Visit>
[[gnu::always_inline]] inline void visit_groups(const typename RowWalk<T>::Rows& rows, const T* one,
                                                const T* other, const Visit& visit) {
  constexpr std::size_t lanes = vector_lanes<T>;
  LastColumns<T> last;
  Group<T> group{.data = rows.data,
                 .terms = rows.terms.data(),
                 .writers = rows.terms.size(),
                 .at = rows.first,
                 .is_subtracted = rows.is_subtracted};
  for (std::size_t i = 0; i < rows.count; i += lanes) {
    const std::size_t count = std::min(lanes, rows.count - i);
    if (count < lanes) last.copy(group, one, other, count);
    visit(group, i, count, one, other);
    group.at += lanes;
    one += lanes;
    other += lanes;
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
typename RowWalk<T>::Reached RowWalk<T>::find_unreached(const Rows& rows, const T* actual,
                                                        const T* in_order,
                                                        std::uint32_t* unreached) {
  std::size_t found = 0;
  LaneMask<T> differing{};
  LaneVector<T> special{};
  const auto walk = [&]<std::size_t last>() TSCATTER_INLINED {
    visit_groups<T>(rows, actual, in_order,
                    [&](const Group<T>& group, std::size_t first, std::size_t count,
                        const T* some_actual, const T* some_in_order) TSCATTER_INLINED {
                      LaneVector<T> target;
                      load_lanes<T>(some_actual, target);
                      LaneVector<T> computed;
                      load_lanes<T>(some_in_order, computed);
                      const auto wanted = reinterpret_cast<LaneMask<T>>(target);
                      LaneMask<T> noted = wanted == reinterpret_cast<LaneMask<T>>(computed);
                      differing += noted + 1;
                      special += target - target;
                      if (is_all(noted)) return;
                      group.template walk<last, NotesWanted>(wanted, noted);
                      if (is_all(noted)) return;
                      for (std::size_t i = 0; i < vector_lanes<T>; ++i) {
                        unreached[found] = static_cast<std::uint32_t>(rows.first + first + i);
                        found += i < count && noted[i] == 0 ? 1U : 0U;
                      }
                    });
  };
  vectorised([&] { visit_last(rows.terms.size(), walk); });
  Reached reached{.unreached = found};
  for (std::size_t i = 0; i < vector_lanes<T>; ++i) {
    reached.differing += static_cast<std::size_t>(differing[i]);
    reached.is_finite = reached.is_finite && special[i] == 0;
  }
  return reached;
}

template <class T>
bool RowWalk<T>::find_dependent(const Rows& rows, OrderDependence* verdicts) {
  LaneMask<T> nan{};
  const auto walk = [&]<std::size_t last>() TSCATTER_INLINED {
    visit_groups<T>(
        rows, rows.data, rows.data,
        [&](const Group<T>& group, std::size_t first, std::size_t count, const T*, const T*)
            TSCATTER_INLINED {
              LaneVector<T> in_order;
              group.add_in_order(in_order);
              nan |= in_order != in_order;  // NOLINT(misc-redundant-expression): of NaN
              LaneMask<T> noted{};
              group.template walk<last, NotesOther>(reinterpret_cast<LaneMask<T>>(in_order), noted);
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

// The form window in the oracle: which update goes to which element, as StableHLO's text of scatter
// has it, and the rules on dimension numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/writes.hpp"
#include "tscatter/ops/forms/window.hpp"

namespace tscatter::oracle {

// Lists of axes, and the last one a number.
inline constexpr std::array<std::string_view, 6> dims_operands{
    "update_window_dims",           "inserted_window_dims",
    "input_batching_dims",          "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims", "index_vector_dim"};

// The dimension numbers of a call. REQUIRES: broken_dims() found nothing.
forms::WindowDims window_dims(const Call& call);
std::size_t window_vector_dim(const Call& call);
// Those that the operation has.
void put_dims(Call& call, const forms::WindowDims& dims);

// What is said of a call with windows before an index is looked at, but of dtypes; nullopt: it is
// legal so far. The first, but for the ranks of data and the dtype of indices between them.
std::optional<Check> broken_lists(const Call& call);
std::optional<Check> broken_dims(const Call& call);

// An entry is a place in the axes of updates along which not all of data is written at once; it
// names a place in the axes [first, first + depth) of data.
struct WindowAxes {
  forms::WindowDims dims;
  std::vector<std::optional<std::size_t>> along;  // of data's axes: the axis of updates in windows
  std::size_t first = 0;
  std::size_t depth = 0;
  std::vector<std::size_t> of_entries;  // axes of updates
  Shape entries;
};

WindowAxes window_axes(const Call& call);

// nullopt where the entry is dropped, or an index has no place.
std::optional<Position> window_coordinates(const Call& call, const WindowAxes& axes,
                                           const Position& entry);

// The place in updates of what the entry writes at `before` and `after` its axes of data.
Position window_update(const WindowAxes& axes, const Position& before, const Position& entry,
                       const Position& after);

// The first element of indices that is refused.
std::optional<Position> first_wrong_window(const Call& call);

// The part of an entry that is a place in indices.
Position window_place(const WindowAxes& axes, const Position& entry);

}  // namespace tscatter::oracle

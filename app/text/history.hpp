// One element's history in the reports of verify and explain: data's value, the updates that reach
// it, the value after each.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "text/document.hpp"
#include "text/figure.hpp"
#include "tscatter/reach/history.hpp"

namespace tscatter::app {

// "indices[0]"; "indices" where the position has no axes.
std::string place_text(std::string_view tensor, const Position& position);

// The operation, whose words the operands have, the headings of the columns, and the name of an
// update without an entry.
struct HistoryNames {
  const Operation& operation;
  std::string writer;
  std::string value;
  std::string after;
  std::string slice = {};
};

// Writes the values of one element: the values of its history, and if they are given, the value
// received and the value in order. If two NaNs among them differ, the bits of each NaN are shown.
class HistoryValues {
 public:
  HistoryValues(const History& history, const ElementType& type,
                std::span<const std::byte> got = {}, std::span<const std::byte> in_order = {});

  Figure figure(std::span<const std::byte> value) const {
    return element_figure(value, *type_, bits_);
  }

 private:
  const ElementType* type_;
  NanBits bits_;
};

// The cells of a row that is no update's, in words only. `met`: in the accumulator's column, where
// updates meet in a wider dtype.
struct HistoryCells {
  std::string writer;
  std::string value = {};
  std::string met = {};
  std::string after = {};
};

Document row_without_update(const History& history, const HistoryNames& names,
                            const HistoryCells& cells);

// What divided the sum, if anything did.
void put_divisor(Document& document, const History& history);

// The list of the steps. In words `data` is the row above them, and of more than `most` steps only
// the first and the last are shown.
Table history_table(const History& history, const HistoryValues& values, const HistoryNames& names,
                    Document data, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace tscatter::app

// NumPy's basic index: integers, slices, `...` and None, as words and as a view of a tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// "5", "1:9:2", ":", "::-1", "...", "None", "newaxis", with blanks anywhere; nullopt for another
// word. Numbers beyond int64 in a slice mean its nearest. Throws Error (usage, view.v1) for a slice
// that has more than three parts.
std::optional<BasicItem> parse_basic_item(std::string_view text);

struct IndexedWord {
  std::string operand;
  std::vector<std::string> items;  // without blanks at their ends
};

// "a.npy[ids.npy, 1:9]" -> a.npy, {ids.npy, 1:9}. Items are divided at the commas that are in no
// bracket, brace, parenthesis or quotes. A list may have an index, too: [1, 2, 3][0]. nullopt for a
// word that does not end with an index: it has no bracket, or something other than an index
// follows. Throws Error (usage, view.v2) for a bracket that is not closed, and an item that is
// empty.
std::optional<IndexedWord> split_index(std::string_view word);

// The view of the tensor at the index. `name`: of the view. Throws Error (usage): view.v1 for the
// step 0, view.v3 for items of more axes than it has, and for a second `...`, view.v4 for an
// integer that is out of range.
Tensor basic_view(const Tensor& base, std::span<const BasicItem> items, std::string name);

// Rules of views.
extern const std::span<const Rule> view_rules;

}  // namespace tscatter

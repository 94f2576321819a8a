// TEMPORARY: the types that a colleague's file defines.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "tscatter/core/tensor.hpp"
namespace tscatter {
struct IntegerItem { std::int64_t index; };
struct SliceItem { std::optional<std::int64_t> start, stop, step; };
struct EllipsisItem {};
struct NewAxisItem {};
using BasicItem = std::variant<IntegerItem, SliceItem, EllipsisItem, NewAxisItem>;
std::optional<BasicItem> parse_basic_item(std::string_view text);
struct IndexedWord { std::string operand; std::vector<std::string> items; };
std::optional<IndexedWord> split_index(std::string_view word);
}  // namespace tscatter

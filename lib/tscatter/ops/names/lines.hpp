// What rows of several namespaces are made of: lists, operands, attributes and rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

// ---- Lists

// A literal as a template argument.
template <std::size_t size>
struct Literal {
  // NOLINTNEXTLINE(google-explicit-constructor): of a literal.
  constexpr Literal(const char (&literal)[size]) { std::copy_n(literal, size, text); }

  constexpr std::string_view view() const { return {text, size - 1}; }

  char text[size]{};
};

template <Literal... each>
inline constexpr std::array<std::string_view, sizeof...(each)> words{each.view()...};

template <DType... each>
inline constexpr std::array dtypes{each...};

template <DType... refused>
inline constexpr auto all_but = [] {
  std::array<DType, all_dtypes.size() - sizeof...(refused)> dtypes{};
  std::ranges::copy_if(all_dtypes, dtypes.begin(),
                       [](DType each) { return ((each != refused) && ...); });
  return dtypes;
}();

// What an attribute may be: reductions or words.
template <Reduction... each>
inline constexpr std::array<AttributeValue, sizeof...(each)> reductions{each...};
template <Literal... each>
inline constexpr std::array<AttributeValue, sizeof...(each)> choices{Word{each.view()}...};

// ---- Operands

inline constexpr std::string_view data_help = "the tensor that is updated, of rank 1 or more";

// `own` is what the operation's library calls it.
constexpr OperandInfo operand(std::string_view name, char flag, OperandRole role,
                              std::string_view help, std::string_view own = {},
                              std::string_view alias = {}) {
  return {name, flag, role, Presence::required, help, {alias}, own};
}
constexpr OperandInfo data_operand(std::string_view own = {}, std::string_view help = data_help) {
  return operand("data", 'd', OperandRole::data, help, own);
}
constexpr OperandInfo indices_operand(std::string_view help, std::string_view own = {}) {
  return operand("indices", 'i', OperandRole::integers, help, own);
}
constexpr OperandInfo updates_operand(std::string_view help, std::string_view own = {},
                                      std::string_view alias = {}) {
  return operand("updates", 'u', OperandRole::updates, help, own, alias);
}
constexpr OperandInfo mask_operand(std::string_view help, std::string_view own = {}) {
  return operand("mask", 0, OperandRole::mask, help, own);
}
constexpr OperandInfo index_operand(std::string_view help, std::string_view own = {}) {
  return operand("index", 'i', OperandRole::index, help, own);
}
constexpr OperandInfo list_operand(std::string_view name, std::string_view help) {
  return operand(name, 0, OperandRole::list, help);
}
constexpr OperandInfo optional(OperandInfo operand) {
  operand.presence = Presence::optional;
  return operand;
}

inline constexpr OperandInfo nd_indices =
    indices_operand("index entries along the last axis, of rank 1 or more");
inline constexpr OperandInfo shape_operand =
    list_operand("shape", "the shape of the output, of rank 1 or more");
// An attribute in some namespaces.
inline constexpr OperandInfo axis_operand =
    operand("axis", 'a', OperandRole::integers,
            "an integer, or a tensor of rank 0 or shape [1], in [-r, r)");

inline constexpr std::array nd_operands{
    data_operand(), nd_indices,
    updates_operand("indices.shape[:-1] + data.shape[indices.shape[-1]:]")};

inline constexpr std::array elements_operands{
    data_operand(),
    indices_operand("a position along the axis for each element of updates, of data's rank"),
    updates_operand("indices.shape"), axis_operand};

// ---- Attributes

constexpr AttributeInfo integer(std::string_view name, std::int64_t otherwise,
                                std::string_view help) {
  return {.name = name, .default_value = otherwise, .help = help};
}
constexpr AttributeInfo boolean(std::string_view name, bool otherwise, std::string_view help,
                                std::string_view own = {},
                                std::span<const IndexAnswer> answers = {}) {
  return {.name = name, .default_value = otherwise, .help = help, .own = own, .answers = answers};
}
// The first choice is what it is by default.
constexpr AttributeInfo word(std::string_view name, std::span<const AttributeValue> choices,
                             std::string_view help, std::span<const IndexAnswer> answers) {
  return {.name = name,
          .default_value = choices.front(),
          .choices = choices,
          .help = help,
          .answers = answers};
}
constexpr AttributeInfo reduction(std::span<const AttributeValue> choices,
                                  std::span<const ReductionWord> words = {},
                                  std::string_view own = {}) {
  return {.name = "reduction",
          .flag = 'r',
          .default_value = Reduction::none,
          .choices = choices,
          .help = "how an update combines with the element that is there",
          .words = words,
          .own = own};
}
constexpr AttributeInfo axis(std::string_view help, std::int64_t otherwise = 0) {
  return {.name = "axis", .flag = 'a', .default_value = otherwise, .help = help};
}
constexpr AttributeInfo required(AttributeInfo attribute) {
  attribute.is_required = true;
  return attribute;
}
constexpr AttributeInfo alpha(std::string_view help) {
  return {.name = "alpha", .default_value = Number(std::int64_t{1}), .help = help};
}

inline constexpr std::array accumulate_only{
    boolean("accumulate", false, "whether updates are added, instead of replacing what is there")};

// ---- Rules

// A rule without its label.
struct RuleLine {
  Check check;
  std::string_view text;
};

// The lines and more of them, which come last.
template <std::size_t size, class... Lines>
constexpr std::array<RuleLine, size + sizeof...(Lines)> with(const std::array<RuleLine, size>& some,
                                                             const Lines&... more) {
  std::array<RuleLine, size + sizeof...(Lines)> all{};
  auto next = std::ranges::copy(some, all.begin()).out;
  ((*next++ = more), ...);
  return all;
}

// Room for an id, ".c" and two digits.
template <std::size_t size>
struct LabelText {
  constexpr LabelText(const Literal<size>& id, std::size_t number) {
    append(id.view());
    append(".c");
    if (number >= 10) text[length++] = static_cast<char>('0' + number / 10);
    text[length++] = static_cast<char>('0' + number % 10);
  }

  constexpr void append(std::string_view part) {
    std::copy(part.begin(), part.end(), text.begin() + static_cast<std::ptrdiff_t>(length));
    length += part.size();
  }

  std::array<char, size + 4> text{};
  std::size_t length = 0;
};

template <Literal id, std::size_t number>
inline constexpr LabelText label_text{id, number};

// The lines as rules, labelled id.c1, id.c2 and so on.
template <Literal id, const auto& lines>
inline constexpr auto labelled = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{OperationRule{
      {{label_text<id, i + 1>.text.data(), label_text<id, i + 1>.length}, lines[i].text},
      lines[i].check}...};
}
(std::make_index_sequence<lines.size()>());

// The row with its name, id and rules.
template <Literal name, const auto& lines, Literal id = name>
constexpr Operation named(std::string_view summary, Operation row) {
  row.name = words<name>.front();
  row.id = words<id>.front();
  row.summary = summary;
  row.rules = labelled<id, lines>;
  return row;
}

inline constexpr Decision row_major{Knob::duplicates, "our decision: the text has no order"};

namespace lines {

inline constexpr RuleLine data_rank{Check::data_rank, "data has rank r >= 1"};
inline constexpr RuleLine indices_rank{Check::indices_rank, "indices has rank q >= 1"};
inline constexpr RuleLine index_depth{
    Check::index_depth, "the index depth k = indices.shape[-1] is at most the rank of data"};
inline constexpr RuleLine coordinates_from_0{
    Check::index_range, "coordinate j of each index entry is in [0, s), where s = data.shape[j]"};
inline constexpr RuleLine coordinates_from_the_end{
    Check::index_range,
    "coordinate j of each index entry is in [-s, s), where s = data.shape[j]; a negative one "
    "counts from the end"};
inline constexpr RuleLine elements_rank{Check::indices_rank, "indices has the rank of data"};
inline constexpr RuleLine axis_scalar{Check::axis_scalar,
                                      "axis is of an integer dtype and has rank 0 or shape [1]"};
inline constexpr RuleLine axis_range{Check::axis_range,
                                     "axis is in [-r, r), where r is the rank of data"};
inline constexpr RuleLine integer_indices{Check::indices_dtype, "indices are of an integer dtype"};
inline constexpr RuleLine int32_or_int64{Check::indices_dtype, "indices are int32 or int64"};
inline constexpr RuleLine int64_only{Check::indices_dtype, "indices are int64"};
inline constexpr RuleLine index_from_the_end{
    Check::index_range,
    "each index is in [-s, s), where s is the size of data along axis; a negative one counts from "
    "the end"};
inline constexpr RuleLine elements_shape{
    Check::indices_shape, "along every axis but axis, indices is at most as long as data"};
inline constexpr RuleLine elements_updates{Check::updates_shape,
                                           "updates has the shape of indices"};
inline constexpr RuleLine updates_dtype{Check::updates_dtype, "updates has the dtype of data"};
inline constexpr RuleLine not_bool{Check::data_dtype, "data is not of bool"};
inline constexpr RuleLine sum_dtype{Check::reduction_dtype, "data is of any dtype but opaque ones"};
inline constexpr RuleLine extreme_dtype{Check::reduction_dtype,
                                        "data is of any dtype but opaque and complex ones"};
inline constexpr RuleLine every_reduction{
    Check::reduction_dtype,
    "the reduction is defined for the dtype: opaque dtypes have none only, complex ones no min and "
    "max"};

inline constexpr RuleLine step_not_zero{Check::step_not_zero, "the step of a slice is not 0"};
inline constexpr RuleLine positions_from_the_end{
    Check::index_range,
    "each index is in [-s, s), where s is the size of its axis; a negative one counts from the "
    "end"};

// Of an index by items, before its positions are looked at.
inline constexpr std::array index_items{
    data_rank,
    RuleLine{Check::indices_rank,
             "the items of the index are for at most r axes, and at most one of them is an "
             "ellipsis (...)"},
    RuleLine{Check::indices_dtype, "positions are of an integer dtype, a mask is of bool"},
    RuleLine{Check::indices_shape,
             "positions broadcast to one shape; a mask is as long as data along its axes"},
    step_not_zero,
};

// Of data that the operand shape makes.
inline constexpr std::array base_of_shape{
    RuleLine{Check::list_rank, "shape has rank 1"},
    RuleLine{Check::list_dtype, "shape is int32 or int64"},
    RuleLine{Check::base_shape,
             "shape has at most 64 sizes, each of 0 or more, and output has less than 2^63 "
             "elements and bytes"},
    RuleLine{Check::data_rank, "shape has a size or more"},
};

}  // namespace lines
}  // namespace tscatter::names

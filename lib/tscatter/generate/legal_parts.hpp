// What legal cases of several forms are made of: entries, their words, shapes. Not part of the
// installed interface.
#pragma once

#include <cstdint>
#include <string>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// How many of an axis's places entries name: those that a narrow index dtype holds, as 128 of int8.
std::int64_t named_by_dtype(const Setting& setting, std::int64_t size);
Shape named_by_dtype(const Setting& setting, Shape sizes);

// `line`: see EntriesWanted.
Entries entries_for(const Setting& setting, const Pattern& pattern, const Shape& sizes,
                    std::int64_t block, std::uint64_t line = 0);

std::string duplicates_word(const Entries& entries, const Pattern& pattern);

std::string arrangement_word(const Entries& entries, const Pattern& pattern);

std::string grid_word(const Entries& entries);

GeneratedTensor index_tensor(const Setting& setting, Shape shape, const Entries& entries);

std::string index_word(const GeneratedTensor& indices);

std::string set_word(const Setting& setting);

// Every third case has negative indices or axes.
bool is_negative(const Setting& setting);

// Whether the case's indices may be negative: plain ones and ones of an unsigned dtype may not.
bool may_index_from_the_end(const Setting& setting);

// A shape that updates may have where the form requires this one.
Shape given_updates(const Setting& setting, const Shape& required);

// The same, where it is what the other operands of the case require.
Shape updates_of(const Setting& setting, const GeneratedCase& made);

// As an attribute, or as an operand.
void put_axis(GeneratedCase& made, const Setting& setting, std::int64_t axis);

// "axis-as-list", or nothing.
std::string axis_word(const GeneratedCase& made);

// True at about a third of the places, and at as many as the case has at most.
GeneratedTensor drawn_mask(const Setting& setting, const Shape& shape);

// Changes the entries to what a third of the cases has; returns their words.
std::string let_count_otherwise(const Setting& setting, const Pattern& pattern, Entries& entries,
                                const Shape& sizes);

// The same of windows, which begin at one of `starts`.
std::string let_count_otherwise(const Setting& setting, const Pattern& pattern, Entries& entries,
                                const Shape& sizes, const Shape& starts);

Shape part(const Shape& shape, std::size_t first, std::size_t end);

Shape together(Shape front, const Shape& back);

GeneratedTensor axis_tensor(const Setting& setting, std::int64_t axis);

// How many entries indices have along the axis of `size`, beside `lines` lines.
std::int64_t line_length(const Setting& setting, const Pattern& pattern, std::int64_t size,
                         std::int64_t lines);

// Entries of that shape: lines along the axis, each with places of its own.
Entries entries_along(const Setting& setting, const Pattern& pattern, const Shape& shape,
                      std::size_t axis, std::int64_t size);

// How long updates are along the axis of `size`.
std::int64_t steps_of(const Setting& setting, std::int64_t size, std::uint64_t axis = 0);

}  // namespace tscatter::generate

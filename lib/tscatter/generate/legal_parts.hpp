// What legal cases of several forms are made of: entries, their words, shapes.
#pragma once

#include <cstdint>
#include <string>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// How many of an axis's places entries name: those that a narrow index dtype holds, as 128 of int8.
std::int64_t named_by_dtype(const Setting& setting, std::int64_t size);

// `line`: see EntriesWanted.
Entries entries_for(const Setting& setting, const Shape& sizes, std::int64_t block,
                    std::uint64_t line = 0);

std::string_view duplicates_word(const Entries& entries);

std::string_view arrangement_word(const Entries& entries);

std::string_view grid_word(const Entries& entries);

GeneratedTensor index_tensor(const Setting& setting, Shape shape, const Entries& entries);

std::string_view index_word(const GeneratedTensor& indices);

// Every third case has negative indices or axes.
bool is_negative(const Setting& setting);

// Whether the case's indices may be negative: plain ones and ones of an unsigned dtype may not.
bool may_index_from_the_end(const Setting& setting);

// A shape that updates may have where the form requires this one.
Shape given_updates(const Setting& setting, const Shape& required);

// The same, where it is what the other operands of the case require.
Shape updates_of(const Setting& setting, const GeneratedCase& made);

// As it is written: from the end, if the case has negative axes.
std::int64_t given_axis(const Setting& setting, std::size_t axis, std::size_t rank);

// The given axis, as an attribute or as an operand.
void put_axis(GeneratedCase& made, const Setting& setting, std::size_t axis, std::size_t rank);

// "negative-axis" or "axis-as-list", or both, or nothing.
std::string axis_words(const GeneratedCase& made, const Setting& setting);

// True at about a third of the places, and at as many as the case has at most.
GeneratedTensor drawn_mask(const Setting& setting, const Shape& shape);

// Changes the entries to what a third of the cases has, and sets their words.
void let_count_otherwise(const Setting& setting, Entries& entries, const Shape& sizes);

// The same of windows, which begin at one of `starts`.
void let_count_otherwise(const Setting& setting, Entries& entries, const Shape& sizes,
                         const Shape& starts);

Shape part(const Shape& shape, std::size_t first, std::size_t end);

Shape together(Shape front, const Shape& back);

}  // namespace tscatter::generate

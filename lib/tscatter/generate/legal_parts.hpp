// What the makers of legal cases share: entries, their tensors and the words for them. Not part of
// the installed interface.
#pragma once

#include <string>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// Entries of places in `sizes`, each of `block` elements.
Entries entries_for(const Setting& setting, const Pattern& pattern, Shape sizes,
                    std::int64_t block);
// Changes the entries to what a third of the cases has; returns their words.
std::string let_count_otherwise(const Setting& setting, const Pattern& pattern, Entries& entries,
                                const Shape& sizes);

GeneratedTensor index_tensor(const Setting& setting, Shape shape, const Entries& entries);
GeneratedTensor axis_tensor(const Setting& setting, std::int64_t axis);  // of shape [] or [1]

std::string duplicates_word(const Entries& entries, const Pattern& pattern);
std::string arrangement_word(const Entries& entries, const Pattern& pattern);
std::string grid_word(const Entries& entries);
std::string index_word(const GeneratedTensor& indices);
std::string set_word(const Setting& setting);

// Every third case has negative indices or axes.
bool is_negative(const Setting& setting);

Shape part(const Shape& shape, std::size_t first, std::size_t end);
Shape together(Shape front, const Shape& back);

}  // namespace tscatter::generate

// What legal cases of several forms are made of: entries, their words, shapes; and the table of
// forms as cases know them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tscatter/core/shape.hpp"
#include "tscatter/generate/draws.hpp"
#include "tscatter/generate/generated_case.hpp"
#include "tscatter/generate/large_calls.hpp"
#include "tscatter/ops/forms/forms.hpp"

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

// ---- The table of forms as cases know them: how a legal case is made, and where large data is
// written. Schemes and sets: docs/generate.md.

// Each makes the operands, and as the name the words for what is special about them.
GeneratedCase rows_case(const Setting& setting);
GeneratedCase nd_case(const Setting& setting);
GeneratedCase elements_case(const Setting& setting);
GeneratedCase window_case(const Setting& setting);
GeneratedCase start_case(const Setting& setting);
GeneratedCase slice_case(const Setting& setting);
GeneratedCase batched_rows_case(const Setting& setting);
GeneratedCase index_case(const Setting& setting);
GeneratedCase flat_case(const Setting& setting);
GeneratedCase mask_case(const Setting& setting);
GeneratedCase section_case(const Setting& setting);
GeneratedCase diagonal_case(const Setting& setting);
GeneratedCase segment_case(const Setting& setting);
GeneratedCase block_case(const Setting& setting);

struct FormCases {
  Form form;
  GeneratedCase (*legal)(const Setting&);
  std::vector<LargeCall> (*large)();
};

inline constexpr std::array form_cases{
    FormCases{Form::rows, rows_case, large_rows},
    FormCases{Form::nd, nd_case, large_nd},
    FormCases{Form::elements, elements_case, large_elements},
    FormCases{Form::window, window_case, large_windows},
    FormCases{Form::start, start_case, large_starts},
    FormCases{Form::slice, slice_case, large_slices},
    FormCases{Form::batched_rows, batched_rows_case, large_batched_rows},
    FormCases{Form::index, index_case, large_index},
    FormCases{Form::flat, flat_case, large_flat},
    FormCases{Form::mask, mask_case, large_masks},
    FormCases{Form::section, section_case, large_sections},
    FormCases{Form::diagonal, diagonal_case, large_diagonals},
    FormCases{Form::segment, segment_case, large_segments},
    FormCases{Form::block, block_case, large_blocks},
};
static_assert(std::ranges::equal(form_cases, forms::form_table, {}, &FormCases::form,
                                 &forms::FormInfo::form),
              "each form has its cases, in the order of form_table");

constexpr const FormCases& cases_of(Form form) {
  return form_cases[static_cast<std::size_t>(form)];
}

// ---- The slices of generated cases. Scheme 4 of docs/generate.md.

// The first `count` axes or, if `given`, any axes in any order.
std::vector<std::size_t> draw_axes(const Draws& draws, std::size_t rank, std::size_t count,
                                   bool given);

enum class Sign : bool { positive, negative };

// As they are written: if negative, every other one counts from the end.
std::vector<std::int64_t> given_axes(const std::vector<std::size_t>& axes, std::size_t rank,
                                     Sign sign);

struct Slices {
  std::vector<std::int64_t> start, stop, step;  // of each sliced axis
  Shape shape;                                  // of the slice
  std::string words;                            // what is special about them
};

Slices draw_slices(const Draws& draws, const Shape& data, const std::vector<std::size_t>& axes);

}  // namespace tscatter::generate

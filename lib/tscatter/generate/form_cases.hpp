// The table of forms as cases know them: how a legal case is made, and where large data is
// written. Schemes and sets: docs/generate.md.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "tscatter/generate/generated_case.hpp"
#include "tscatter/generate/large_calls.hpp"
#include "tscatter/ops/forms/forms.hpp"

namespace tscatter::generate {

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

}  // namespace tscatter::generate

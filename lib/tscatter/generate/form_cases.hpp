// The table of forms as cases know them: how a legal case is made, how rules are broken, and where
// large data is written. Schemes and sets: docs/generate.md. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "tscatter/generate/broken_call.hpp"
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

struct FormCases {
  Form form;
  GeneratedCase (*legal)(const Setting&);
  const BrokenForm* broken;
  std::vector<LargeCall> (*large)();
};

inline constexpr std::array form_cases{
    FormCases{Form::rows, rows_case, &broken_rows, large_rows},
    FormCases{Form::nd, nd_case, &broken_nd, large_nd},
    FormCases{Form::elements, elements_case, &broken_elements, large_elements},
    FormCases{Form::window, window_case, &broken_window, large_windows},
    FormCases{Form::start, start_case, &broken_start, large_starts},
    FormCases{Form::slice, slice_case, &broken_slice, large_slices},
    FormCases{Form::batched_rows, batched_rows_case, &broken_batched_rows, large_batched_rows},
};
static_assert(std::ranges::equal(form_cases, forms::form_table, {}, &FormCases::form,
                                 &forms::FormInfo::form),
              "each form has its cases, in the order of form_table");

constexpr const FormCases& cases_of(Form form) {
  return form_cases[static_cast<std::size_t>(form)];
}

}  // namespace tscatter::generate

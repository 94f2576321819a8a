// The shapes in which a witness becomes a call of it.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "diff/witness.hpp"
#include "tscatter/ops/forms/forms.hpp"

namespace tscatter::app {

// Sizes as a literal has them. In those of a list {} stands for its length, in data's sizes for the
// number of places.
struct SizeWords {
  std::string_view data;
  std::string_view indices;
  std::string_view updates;
};

struct FormRow {
  Form form;
  Layout layout;                         // of witnesses that are in this form
  SizeWords list;                        // along the one axis with more than a place
  std::string_view axis = "0";           // of the list
  std::string_view single_indices = {};  // of an entry of rank 0
};

inline constexpr SizeWords along_one_axis{"{}x", "{}x", "{}x"};

inline constexpr std::array form_rows{
    FormRow{Form::rows, Layout::rows, along_one_axis},
    FormRow{Form::nd, Layout::nd, SizeWords{"{}x", "{}x1x", "{}x"}, "0", "1x"},
    FormRow{Form::elements, Layout::elements, along_one_axis},
    // Of calls with answers of their own: no difference is shown.
    FormRow{Form::window, Layout::elements, along_one_axis},
    FormRow{Form::start, Layout::start, SizeWords{"1x{}x", "{}x", "1x{}x"}, "1"},
    FormRow{Form::slice, Layout::slice, along_one_axis},
    FormRow{Form::batched_rows, Layout::batched_rows, SizeWords{"1x{}x1x", "1x{}x", "1x{}x1x"}},
};
static_assert(std::ranges::equal(form_rows, forms::form_table, {}, &FormRow::form,
                                 &forms::FormInfo::form),
              "each form has a row, in the order of form_table");

constexpr const FormRow& row_of(Form form) { return form_rows[static_cast<std::size_t>(form)]; }

// The sizes of a layout that is the same in every form.
struct LayoutRow {
  Layout layout;
  SizeWords sizes;
};

inline constexpr std::array layout_rows{
    LayoutRow{Layout::rows, {"2x2x", "1x", "1x2x"}},
    LayoutRow{Layout::nd, {"2x2x", "1x2x", "1x"}},
    LayoutRow{Layout::elements, {"2x2x", "1x2x", "1x2x"}},
    LayoutRow{Layout::batched_rows, {"1x2x1x", "1x1x", "1x1x1x"}},
    LayoutRow{Layout::start, {"1x2x", "1x", "1x1x"}},
    LayoutRow{Layout::slice, {"3x", "", "1x"}},
    LayoutRow{Layout::batches, {"5x4x", "5x", "5x1x"}},
};

}  // namespace tscatter::app

// The table of what may be wrong with a result: a row for each kind of fault, with how its value at
// an element is computed. docs/verify.md says what each is, in the same order.
#pragma once

#include <span>
#include <string_view>

#include "tscatter/diagnose/examination.hpp"

namespace tscatter::diagnose {

struct Hypothesis {
  std::string_view name;  // in JSON: "without-entry"
  // Adds its suspects.
  void (*examine)(Examination& examination);
  // Whether updates only come from, or go, elsewhere: then a NaN without payload shows nothing, for
  // all that rewrites NaNs makes it.
  bool is_about_places = false;
};

// In the order in which those that explain as much are named.
std::span<const Hypothesis> hypotheses();

// Updates that are missing or count twice (update_hypotheses.cpp).
void try_no_update(Examination& examination);
void try_without_entry(Examination& examination);
void try_without_entries(Examination& examination);
void try_entry_twice(Examination& examination);
void try_all_twice(Examination& examination);
void try_data_twice(Examination& examination);

// Elements that no update reaches (update_hypotheses.cpp).
void try_untouched(Examination& examination);

// Updates that meet otherwise (meeting_hypotheses.cpp).
void try_reductions(Examination& examination);
void try_policies(Examination& examination);
void try_operations(Examination& examination);
void try_axes(Examination& examination);

// NaNs and subnormal numbers (nan_hypotheses.cpp).
void try_nans(Examination& examination);
void try_flushes(Examination& examination);

// Values of another dtype (precision_hypotheses.cpp).
void try_precisions(Examination& examination);  // after the flushes

// Updates that are read elsewhere (row_hypotheses.cpp).
void try_rows(Examination& examination);

// Other places (place_hypotheses.cpp).
void try_other_writers(Examination& examination);
void try_misplaced_entry(Examination& examination);  // after these
void try_shifts(Examination& examination);

// Slices that are read otherwise (index_hypotheses.cpp).
void try_slices(Examination& examination);

// Indices that are read otherwise (index_hypotheses.cpp).
void try_index_readings(Examination& examination);

}  // namespace tscatter::diagnose

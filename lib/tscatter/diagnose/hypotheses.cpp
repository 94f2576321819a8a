#include "tscatter/diagnose/hypotheses.hpp"

#include <array>

namespace tscatter::diagnose {
namespace {

constexpr std::array table{
    Hypothesis{"no-update", try_no_update},
    Hypothesis{"without-entry", try_without_entry},
    Hypothesis{"without-entries", try_without_entries},
    Hypothesis{"entry-twice", try_entry_twice},
    Hypothesis{"all-twice", try_all_twice},
    Hypothesis{"data-twice", try_data_twice},
    Hypothesis{"flush", try_flushes},
    Hypothesis{"reduction", try_reductions},
    Hypothesis{"policy", try_policies},
    Hypothesis{"nan", try_nans},
    Hypothesis{"precision", try_precisions},
    Hypothesis{"axis", try_axes, true},
    Hypothesis{"indices", try_index_readings, true},
    Hypothesis{"slice", try_slices, true},
    Hypothesis{"updates", try_rows, true},
    Hypothesis{"other-writer", try_other_writers, true},
    Hypothesis{"misplaced", try_misplaced_entry, true},
    Hypothesis{"shifted", try_shifts, true},
    Hypothesis{"operation", try_operations},
};

}  // namespace

std::span<const Hypothesis> hypotheses() { return table; }

}  // namespace tscatter::diagnose

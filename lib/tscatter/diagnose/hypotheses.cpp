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
    Hypothesis{"reduction", try_reductions},
    Hypothesis{"policy", try_policies},
    Hypothesis{"nan", try_nans},
    Hypothesis{"precision", try_precisions},
    Hypothesis{"axis", try_axes},
    Hypothesis{"indices", try_index_readings},
    Hypothesis{"slice", try_slices},
    Hypothesis{"updates", try_rows},
    Hypothesis{"other-writer", try_other_writers},
    Hypothesis{"misplaced", try_misplaced_entry},
    Hypothesis{"shifted", try_shifts},
    Hypothesis{"operation", try_operations},
};

}  // namespace

std::span<const Hypothesis> hypotheses() { return table; }

}  // namespace tscatter::diagnose

#include "tscatter/diagnose/hypotheses.hpp"

#include <array>

namespace tscatter::diagnose {
namespace {

constexpr std::array table{
    Hypothesis{"no-update", "data's value", try_no_update},
    Hypothesis{"without-entry", "what all its updates but one leave", try_without_entry},
    Hypothesis{"without-entries", "what all its updates leave but some that follow each other",
               try_without_entries},
    Hypothesis{"entry-twice", "what its updates leave if one is applied twice", try_entry_twice},
    Hypothesis{"all-twice", "what its updates leave if all are applied twice", try_all_twice},
    Hypothesis{"data-twice", "what its updates leave if data's value counts twice", try_data_twice},
    Hypothesis{"reduction", "what its updates leave with another reduction", try_reductions},
    Hypothesis{"policy", "what the operation leaves with another policy", try_policies},
    Hypothesis{"precision", "what its updates leave in a dtype of less precision", try_precisions},
    Hypothesis{"axis", "what the operation leaves along another axis", try_axes},
    Hypothesis{"indices", "what the operation leaves if indices are read otherwise",
               try_index_readings},
    Hypothesis{"updates", "what the operation leaves if updates are read elsewhere", try_rows},
    Hypothesis{"other-writer", "what an update of another entry leaves", try_other_writers},
    Hypothesis{"shifted", "the result of another place, always equally far", try_shifts},
    Hypothesis{"operation", "what another operation leaves", try_operations},
};

}  // namespace

std::span<const Hypothesis> hypotheses() { return table; }

}  // namespace tscatter::diagnose

// The makers of legal cases that do not stand in legal_cases.cpp, one for each form. Not part of
// the installed interface.
#pragma once

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

GeneratedCase elements_case(const Setting& setting);
GeneratedCase batched_rows_case(const Setting& setting);
GeneratedCase start_case(const Setting& setting);
GeneratedCase window_case(const Setting& setting);

}  // namespace tscatter::generate

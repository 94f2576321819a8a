// What explains the wrong elements of a verified result, in words and JSON.
#pragma once

#include <string>
#include <vector>

#include "text/document.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// "without indices[1]", "without indices[1] (20 of 25 wrong elements)", "as with --extremes update,
// or as onnx.ScatterND-18"; "no explanation was found"; empty where nothing is wrong.
std::string diagnosis_line(const Verification& verification);

// Why a result is not legal, whatever the entries: "without indices[…]", or several that explain as
// much of it; else "torn", "no explanation was found", or that dtype or shape differs.
std::vector<std::string> reasons_of(const Verification& verification);

// The diagnoses as a table, and as the member `diagnosis`. Keys: docs/verify.md.
Document diagnosis_document(const Verification& verification);

// The words of the first diagnosis that explains the element; empty if there is none.
std::string diagnosis_of(const ElementReport& element, const Verification& verification);

}  // namespace tscatter::app

// The report of a run or a dry run.
#pragma once

#include <optional>
#include <string>

#include "text/document.hpp"
#include "tscatter/apply.hpp"

namespace tscatter::app {

// `output`: its name; nullopt if the result is printed. `seconds`: nullopt for a dry run.
Document run_document(const tscatter::Report& report, const std::optional<std::string>& output,
                      std::optional<double> seconds);

}  // namespace tscatter::app

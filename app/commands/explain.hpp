// tscatter explain <Operation>: who writes what.
#pragma once

#include <cstdint>
#include <string>

#include "job.hpp"
#include "tscatter/explain/explain.hpp"

namespace tscatter::app {

enum class ExplanationForm : bool { words, json };

// Prints the explanation of what the job would do. Throws Error and Cancelled.
void explain_job(const Job& job, const ExplainOptions& options, ExplanationForm form);

// "1,-2,3" as a position. Throws Error (usage, cli.c60).
Position parse_position(const std::string& text, const std::string& where);

}  // namespace tscatter::app

// tscatter verify <Operation>: whether a result is legal for some order of the updates.
#pragma once

#include <optional>
#include <string>

#include "job.hpp"
#include "operand.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

enum class VerdictForm : bool { words, json };

// Prints the verdict on `actual`. Returns whether it is legal. Throws Error.
bool verify_job(const Job& job, const std::string& actual, VerifyOptions options, VerdictForm form);

// `word` as a result of the job: as the result's dtype where it names none or is opaque. `where`:
// of the flag or key.
Tensor open_actual(const Job& job, const OperandWord& word, const std::string& where,
                   const Arguments& arguments);

}  // namespace tscatter::app

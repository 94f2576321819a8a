// The report of a run or a dry run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "text/document.hpp"
#include "tscatter/apply/apply.hpp"

namespace tscatter::app {

// What a dry run says of a change in place.
struct ChangeInPlace {
  std::int64_t journal_bytes = 0;  // of the undo journal; 0: there is none
};

// `output`: its name; nullopt if the result is printed. `seconds`: nullopt for a dry run.
Document run_document(const tscatter::Report& report, const std::optional<std::string>& output,
                      std::optional<double> seconds,
                      const std::optional<ChangeInPlace>& change = std::nullopt);

}  // namespace tscatter::app

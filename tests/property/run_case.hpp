// Passes a case to the library as its delivery says, and keeps the whole outcome.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "property/random_case.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter::property {

struct Outcome {
  std::optional<Error> error;
  std::vector<std::byte> output;  // bytes as they were written
  bool is_begun = false;          // Output::begin was called
  bool is_committed = false;
  std::string
      misuse;  // how the library broke a contract of Output, Sink or Source; empty: it did not
  Report report;
};

Outcome run_case(const Case& c);

// tscatter::check() on the same operands. REQUIRES: the case is legal.
Report check_case(const Case& c);

}  // namespace tscatter::property

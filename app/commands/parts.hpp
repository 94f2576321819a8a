// tscatter parts, finish and digest: what becomes of a job that is computed by parts.
#pragma once

#include <cstdint>

#include "cli/command.hpp"
#include "parts/part_claim.hpp"

namespace tscatter::app {

Flag unit_flag(std::int64_t& unit);
Flag take_over_flag(TakeOver& take_over);

Command parts_command();
Command finish_command();
Command digest_command();

}  // namespace tscatter::app

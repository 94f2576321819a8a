#include "jobs/leftover.hpp"

#include <fmt/format.h>

#include "jobs/result.hpp"
#include "text/figure.hpp"

namespace tscatter::app {

std::string leftover_words(const Leftover& leftover, Recovery recovery) {
  const bool is_done = recovery == Recovery::done;
  if (leftover.state == UndoState::none) return "nothing to roll back";
  return fmt::format("{} a run in place that was killed: {} in {}",
                     is_done ? "rolled back" : "would roll back", counted(leftover.bytes, "byte"),
                     counted(leftover.ranges, "range"));
}

void report_leftover(const std::string& path, const Leftover& leftover, Recovery recovery) {
  if (leftover.state == UndoState::none) return;
  print_error(
      fmt::format("tscatter: {}: {}\n", escape_control(path), leftover_words(leftover, recovery)));
}

}  // namespace tscatter::app

#include "commands/generate.hpp"

#include <fmt/format.h>

#include <atomic>
#include <string>

#include "batch/console.hpp"
#include "log.hpp"
#include "result.hpp"
#include "signals.hpp"
#include "tscatter/generate/suite.hpp"

namespace tscatter::app {

void list_generated(const generate::CaseGenerator& generator) {
  Console console(nullptr);
  for (std::int64_t i = 0; i < generator.size(); ++i) console.print(generator.at(i).name + "\n");
  console.flush();
}

void write_generated(const generate::CaseGenerator& generator,
                     const std::filesystem::path& directory, ProgressLine progress) {
  const InterruptScope scope;
  std::atomic<std::int64_t> written = 0;
  const auto line = [&] {
    return fmt::format("{} of {} cases written", written.load(), generator.size());
  };
  const bool is_shown = progress == ProgressLine::on_terminals && is_progress_shown();
  Console console(is_shown ? std::function<std::string()>(line) : nullptr);
  write_suite(generator, directory,
              {.stop = InterruptScope::stop(), .written = [&](std::int64_t n) { written = n; }});
  log_info("{} cases in {}", written.load(), directory.native());
}

}  // namespace tscatter::app

// A job, and the same text as a line of a batch: read, never run.
#include "jobs/job.hpp"

#include <string>

#include "batch/cases/case_reader.hpp"
#include "fuzz/target.hpp"

using namespace tscatter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::as_text(data, size));
  fuzz::is_accepted([&] { app::parse_job(text, "fuzz.json"); });
  const app::BatchFile file{.path = "fuzz.jsonl", .name = "fuzz.jsonl", .base = "/"};
  fuzz::is_accepted([&] {
    const auto each = app::CaseReader().read({.number = 1, .text = text, .file = &file});
    fuzz::require(!each || each->error || !each->name.empty(), "a case without a name");
  });
  return 0;
}

// The items of an index, as words behind an inline tensor: what they name is written and read.
#include <string>

#include "fuzz/target.hpp"
#include "jobs/job.hpp"
#include "jobs/job_index.hpp"
#include "jobs/result.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/names/namespaces.hpp"

using namespace tscatter;
using namespace tscatter::app;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::as_text(data, size));
  if (text.find('/') != std::string::npos) return 0;  // files of the machine
  fuzz::is_accepted([&] {
    Job job;
    job.is_from_stdin = true;
    job.operation = operation_of_verb(size % 2 == 0 ? "set" : "add");
    job.cast = cast_of_verbs;
    job.operands["data"] = {.text = "2x3x2xf32=0,1,2,3,4,5,6,7,8,9,10,11"};
    job.operands["updates"] = {.text = "1"};
    add_index(job, text, WordForm::word, "index");
    const Arguments arguments = open_arguments(job);
    fuzz::read_all(forms::gathered(names::getitem, arguments, {.threads = 1}, "got"));
    CapturedOutput output;
    apply(*job.operation, arguments, output);
  });
  return 0;
}

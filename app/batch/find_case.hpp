// One case of a file of cases, by its name.
#pragma once

#include <memory>
#include <string>

#include "batch/batch_case.hpp"
#include "batch/case_files.hpp"

namespace tscatter::app {

struct FoundCase {
  std::shared_ptr<const CaseFiles> files;  // the case refers to them
  BatchCase each;
};

// The first case of that name; `line-12` is the one of line 12. `cases`: a file of JSON Lines, a
// folder, or -. Throws Error: usage (cli.c61) if there is none, what is wrong with the case, and
// file.
FoundCase find_case(const std::string& name, const std::string& cases);

}  // namespace tscatter::app

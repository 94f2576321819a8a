// Windows: a run whose index entries do not fit into the memory is cut by where they go. Each
// window is a part of the output with all entries that go there, so that it is computed as if there
// were no other. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <vector>

#include "tscatter/engine/entry_counts.hpp"
#include "tscatter/engine/output_part.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

struct Window {
  EntryWindow entries;
  OutputPart output;
  bool is_first = true;  // of the windows with these entries: each batch has the same
};

struct WindowOptions {
  std::int64_t most_entries = 1;  // in one window
  Range output = {};              // the elements that are wanted
  bool is_sequential = false;     // the output is written from front to back
};

// The destinations of the entries that may write elements of the range.
Range destinations_of(const ListedWrites& writes, Range output);

// Returns windows that cover everything wanted. REQUIRES: `counts` counted the entries of
// destinations_of(writes, output).
std::vector<Window> windows_of(const EntryCounts& counts, const ListedWrites& writes,
                               const WindowOptions& options);

}  // namespace tscatter

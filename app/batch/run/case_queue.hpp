// Hands out the cases of a batch, in order, to several workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/case_list.hpp"
#include "batch/cases/case_reader.hpp"
#include "batch/plan/file_plan.hpp"
#include "batch/plan/golden_files.hpp"
#include "batch/plan/run_state.hpp"
#include "batch/plan/selection.hpp"
#include "jobs/hash.hpp"
#include "tscatter/core/progress.hpp"

namespace tscatter::app {

// What of a line must be known before the batch is run, found without parsing JSON: most lines of a
// long batch hold their tensors inline.
struct LineScan {
  // False only if the line, where it is a JSON object, has no string that could be a path, and
  // gives no defaults.
  bool may_need_plan = false;
  // Its name, where the line is a case. Known if no plan is needed.
  std::optional<std::string_view> name = {};
};

LineScan scan_of(std::string_view line);

inline bool may_need_plan(std::string_view line) { return scan_of(line).may_need_plan; }

struct CaseTicket {
  std::int64_t number = 0;  // among those that are selected, from 0
  BatchCase each;
  std::string text = {};  // of its line
  bool is_resumed = false;
  std::int64_t left = 0;  // cases after this one
};

class CaseQueue {
 public:
  // Opens the first file. When *stop becomes true, there are no more cases. Throws Error (file).
  CaseQueue(const CaseFiles& files, StopFlag stop, Selection selection, FilePlan& plan,
            const RunState& state);

  // Reads the whole batch to find out what its cases read and write; called once, before next().
  // False if interrupted. Throws Error (file), Error (usage, cli.c14) as the plan does, and Error
  // (usage) if defaults are wrong.
  bool plan_files();

  // The next selected case; nullopt after the last one. From any thread. Throws Error (file).
  std::optional<CaseTicket> next();

  // Known once the files are planned.
  const BatchDigest& digest() const { return digest_; }

  // Known once next() has reached the end.
  std::int64_t cases() const { return static_cast<std::int64_t>(next_.load()); }
  std::int64_t selected() const { return selected_; }
  bool is_all_read() const { return is_planned_ && next_ == list_.size(); }  // false if interrupted
  const Selection& selection() const { return selection_; }
  const CaseFiles& files() const { return files_; }

  const GoldenFiles& golden_files() const { return golden_files_; }

  // How many of the cases were handed out, in percent; nullopt if there are none yet.
  std::optional<int> percent() const;

 private:
  bool plan_line(const Line& line, CaseReader& reader);
  void note_name(std::string_view name);
  void find_repeated_names();
  BatchCase case_of(const Line& line, std::size_t at) const;
  void require_unique(BatchCase& each) const;
  void require_separate(BatchCase& each) const;

  const CaseFiles& files_;
  CaseList list_;
  std::map<const BatchFile*, std::shared_ptr<const CaseDefaults>> defaults_;
  FilePlan& plan_;
  const RunState& state_;
  GoldenFiles golden_files_;
  BatchDigest digest_;
  HashSet names_;                        // until the files are planned
  HashSet twice_;                        // of these, those that may be repeated
  std::vector<std::uint32_t> repeated_;  // numbers of cases that repeat a name
  std::atomic<bool> is_planned_ = false;
  std::mutex mutex_;  // of what follows, and of the list
  std::atomic<std::size_t> next_ = 0;
  Selection selection_;
  std::int64_t selected_ = 0;
};

}  // namespace tscatter::app

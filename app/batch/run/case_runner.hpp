// Runs one case: its job, the comparison with what is expected, and the golden that is written
// anew.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_result.hpp"
#include "compare/archives.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "text/document.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// How a case came out, before it is written down.
struct CaseOutcome {
  CaseState state = CaseState::passed;
  std::string label = {};
  std::string reason = {};   // of a failure: reason_of()
  std::string message = {};  // of a failure, after the reason
  std::optional<Census> census = {};
  std::optional<ArchiveComparison> archives = {};  // where they differ
  std::optional<Verification> verification = {};
  std::optional<DType> dtype = {};  // of data, where the case was compared or verified
  Facts values = {};                // of a small case that is not legal: its operands
  bool is_about_case = false;       // the case itself is wrong, which no xfail excuses
};

// Why a case failed, in two or three words: "values differ", "file is cut", "refused".
std::string_view reason_of(const Census& census);
std::string_view reason_of(const Error& error);

// Operation, reduction, dtype, shape, tolerance, the error beside what is allowed, where, and the
// files, as far as they are known. Paths are those from the working directory.
Document failure_document(const BatchCase& each, const CaseOutcome& came);

// The tables of its census or verification; empty if it has none.
Document failure_tables(const CaseOutcome& came);

// The operands and the result of a case, if they are small enough to be read: nested lists.
Facts values_of(const Arguments& arguments, const Tensor& actual);

class GoldenUpdate;

// What may be written as a golden.
struct NewGolden {
  std::function<std::uint64_t()> hash;
  std::function<void(const OutputWanted&)> require;  // Throws Error if it must not be written there
  std::function<void(const OutputWanted&)> write;
};

NewGolden golden_of(const Tensor& tensor);  // which must outlive it
// The file that is the case's actual, byte by byte: an archive. Throws Error (cli.c16) if the
// golden is called like another kind of file.
NewGolden golden_of_file(const BatchCase& each);

// A case's place among those that share its golden, given up on destruction. A default one is
// nobody's.
class GoldenTurn {
 public:
  GoldenTurn() = default;
  GoldenTurn(GoldenUpdate& update, std::uint64_t golden, std::int64_t line)
      : update_{&update}, golden_{golden}, line_{line} {}
  GoldenTurn(GoldenTurn&& other) noexcept;
  GoldenTurn& operator=(GoldenTurn&&) = delete;
  GoldenTurn(const GoldenTurn&) = delete;
  GoldenTurn& operator=(const GoldenTurn&) = delete;
  ~GoldenTurn();

  void wait() const;  // until the cases before it have given up theirs

 private:
  GoldenUpdate* update_ = nullptr;
  std::uint64_t golden_ = 0;
  std::int64_t line_ = 0;
};

enum class GoldenDeed : bool { write, tell };

// "g.npy", "g.npy (a link to real.npy)"
std::string golden_words(const BatchCase& each);

class GoldenUpdate {
 public:
  GoldenUpdate(GoldenDeed deed, Replacing replacing) : deed_{deed}, replacing_{replacing} {}

  // REQUIRES: `each` has an expected that is a file, and is the next case of the batch.
  GoldenTurn announce(const BatchCase& each);

  // A case passes with its golden as it is. Throws Error (batch.b10) if an earlier case would have
  // written another one.
  void keep(const BatchCase& each, const NewGolden& golden);

  // Throws Error (usage; file.f4) if the golden must not be written under its name: a tensor, or a
  // file that is copied.
  void require_place(const BatchCase& each) const;
  static void require_place_of_file(const BatchCase& each);

  // Writes the case's golden, all or nothing. False if an earlier case would have
  // written the same. Throws Error (batch.b10) if an earlier case needs it different, and Error
  // (file).
  bool write(const BatchCase& each, const NewGolden& golden);

 private:
  friend class GoldenTurn;

  // The case that decided on a golden.
  struct User {
    std::string name;
    std::optional<std::uint64_t> told;  // a hash of what it would have written
  };

  void wait(std::uint64_t golden, std::int64_t line);
  void give_up(std::uint64_t golden, std::int64_t line);
  [[noreturn]] static void refuse(const BatchCase& each, const User& user);

  OutputWanted wanted(const BatchCase& each) const;

  GoldenDeed deed_;
  Replacing replacing_;
  std::mutex mutex_;
  std::condition_variable turned_;
  std::map<std::uint64_t, std::deque<std::int64_t>> lines_;  // of cases under way, by golden
  std::unordered_map<std::uint64_t, User> users_;            // by golden
};

// What the reports need of a failure.
struct FailureWanted {
  bool details = false;
  bool tables = false;  // of its census or verification, as text
  bool json = false;
  bool heatmap = false;  // and the values of small cases
  bool words = false;    // for --by-word
};

struct CaseRunnerOptions {
  bool updates_golden = false;
  bool is_dry = false;  // nothing is written: what would be is told
  Replacing replacing = Replacing::same_kind;
  std::string failed_dir;  // for the outputs of failed cases; empty: they are not kept
  FailureWanted wanted;
};

struct ArchivePair;

class CaseRunner {
 public:
  explicit CaseRunner(CaseRunnerOptions options)
      : options_{std::move(options)},
        update_{options_.is_dry ? GoldenDeed::tell : GoldenDeed::write, options_.replacing} {}

  // Whether cases that share a golden take turns.
  bool takes_turns() const { return options_.updates_golden; }
  // The case's turn at its golden, when goldens are updated. Call in the order of the batch.
  GoldenTurn announce(const BatchCase& each);

  // Safe to call from several threads. Whatever is wrong with the case becomes its result, not an
  // exception. `threads`: for a job that does not set its own.
  CaseResult run(const BatchCase& each, int threads);

 private:
  CaseOutcome outcome(const BatchCase& each, int threads);
  CaseOutcome output(const BatchCase& each, int threads) const;
  CaseOutcome golden(const BatchCase& each, int threads);
  CaseOutcome comparison(const BatchCase& each, int threads);
  CaseOutcome compared(const BatchCase& each, int threads);
  CaseOutcome judged(const BatchCase& each, const ArchivePair& archives, int threads);
  CaseOutcome verified(const BatchCase& each, int threads);
  CaseOutcome judged(const BatchCase& each, const Tensor& actual, const Tensor& expected,
                     int threads);
  CaseOutcome written_anew(const BatchCase& each, const NewGolden& golden, std::string message);
  bool may_update(const BatchCase& each) const;
  bool may_draw();
  Recovery recovery() const;
  std::string keep_output(const BatchCase& each, const Tensor& actual) const;
  CaseOutcome with_nothing_kept(const BatchCase& each, CaseOutcome came) const;

  CaseRunnerOptions options_;
  GoldenUpdate update_;
  std::atomic<int> pictures_ = 0;
};

}  // namespace tscatter::app

// Runs one case: its job, the comparison with what is expected, and the golden that is written
// anew.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// Why a case failed, in two or three words: "values differ", "file is cut", "refused".
std::string_view reason_of(const Census& census);
std::string_view reason_of(const Error& error);

// What the reports need of a failure.
struct FailureWanted {
  bool details = false;
  bool tables = false;  // of its census or verification, as text
  bool json = false;
  bool heatmap = false;  // and the values of small cases
  bool words = false;    // for --by-word
};

// Writes down why the case failed, as far as it is wanted: its figures, tables, JSON and picture.
void show(CaseResult& result, const Census& census, const FailureWanted& wanted);
void show(CaseResult& result, const ArchiveComparison& archives, const FailureWanted& wanted);
void show(CaseResult& result, const Verification& verification, const FailureWanted& wanted);

// The details of a failure, and its facts: operation and reduction before those that are known, the
// files after them. Paths are those from the working directory.
void add_details(CaseResult& result, const BatchCase& each);

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

// A case's turn at a golden that it shares with others. It ends with this object, after those
// before it. A default one is nobody's.
class GoldenTurn {
 public:
  GoldenTurn() = default;
  // `last`: the end of the last turn at the golden, if there was one; then of this one.
  explicit GoldenTurn(std::shared_future<void>& last)
      : before_{std::exchange(last, end_.emplace().get_future().share())} {}
  GoldenTurn(GoldenTurn&&) = default;
  GoldenTurn& operator=(GoldenTurn&&) = delete;
  GoldenTurn(const GoldenTurn&) = delete;
  GoldenTurn& operator=(const GoldenTurn&) = delete;
  ~GoldenTurn() { wait(); }

  // Until the turns before it have ended.
  void wait() const {
    if (before_.valid()) before_.wait();
  }

 private:
  std::optional<std::promise<void>> end_;  // it ends when it is destroyed
  std::shared_future<void> before_;
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
  // The case that decided on a golden.
  struct User {
    std::string name;
    std::optional<std::uint64_t> told;  // a hash of what it would have written
  };

  [[noreturn]] static void refuse(const BatchCase& each, const User& user);

  OutputWanted wanted(const BatchCase& each) const;

  GoldenDeed deed_;
  Replacing replacing_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_future<void>> turns_;  // the last ones, by golden
  std::unordered_map<std::uint64_t, User> users_;                      // by golden
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
  CaseResult outcome(const BatchCase& each, int threads);
  CaseResult tried(const BatchCase& each, int threads);
  CaseResult output(const BatchCase& each, int threads) const;
  CaseResult golden(const BatchCase& each, int threads);
  CaseResult comparison(const BatchCase& each, int threads);
  CaseResult compared(const BatchCase& each, int threads);
  CaseResult judged(const BatchCase& each, const ArchivePair& archives, int threads);
  CaseResult verified(const BatchCase& each, int threads);
  CaseResult judged(const BatchCase& each, const Tensor& actual, const Tensor& expected,
                    int threads);
  CaseResult written_anew(const BatchCase& each, const NewGolden& golden, std::string message);
  bool may_update(const BatchCase& each) const;
  bool may_draw();
  Recovery recovery() const;
  std::string keep_output(const BatchCase& each, const Tensor& actual) const;
  CaseResult with_nothing_kept(const BatchCase& each, CaseResult result) const;

  CaseRunnerOptions options_;
  GoldenUpdate update_;
  std::atomic<int> pictures_ = 0;
};

}  // namespace tscatter::app

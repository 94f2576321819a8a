// The cases of a batch, run by several processes: one reads the batch, keeps its state and writes
// its reports (DealtCases), the others only run what they are told to (ServedCases). Neither knows
// how bytes get from one to the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "batch/cases/case_result.hpp"
#include "batch/run/case_queue.hpp"
#include "batch/run/case_runner.hpp"

namespace tscatter::app {

// "Run this case."
struct CaseRequest {
  std::int64_t number = 0;  // of the case, by which the reply is known
  std::int64_t threads = 1;
  std::int64_t file = 0;  // of the batch, from 0
  std::int64_t line = 0;
  FailureWanted wanted = {};
  std::string defaults = {};  // the line of its file that gives them; empty: none
  std::string text = {};
};

// "This is what came of it." The result has no file, and no command that repeats it: who asked has
// them.
struct CaseReply {
  std::int64_t number = 0;
  CaseResult result = {};
};

// Replies one after another, in CBOR.
void append(std::vector<std::byte>& to, const CaseReply& reply);

// REQUIRES: the bytes are what append() has made, in a process of the same program.
std::vector<CaseReply> replies_in(std::span<const std::byte> bytes);

class DealtCases {
 public:
  // So many processes, this is the first; each runs so many cases at once.
  DealtCases(int processes, int workers, const FailureWanted& wanted);

  // The result of the case, from the process that has most workers left, of several the last: the
  // first has more to do. From the first where it changes an archive, since cases that do take
  // turns, and where its line is long. Waits for it. Throws Cancelled when closed.
  CaseResult run(CaseRunner& here, const CaseTicket& ticket, int threads);

  // What is to be sent to each process, and what came from all of them.
  std::vector<std::vector<std::byte>> take_requests();
  void give_replies(std::span<const std::byte> replies);

  // Nothing comes any more.
  void close();

 private:
  std::size_t choose(const CaseTicket& ticket) const;
  std::future<CaseResult> send(std::size_t to, const CaseTicket& ticket, int threads);

  int workers_;
  FailureWanted wanted_;
  std::mutex mutex_;
  std::vector<int> left_;  // workers of each process that have no case
  std::vector<std::vector<std::byte>> requests_;
  std::map<std::int64_t, std::promise<CaseResult>> awaited_;
  bool is_closed_ = false;
};

class ServedCases {
 public:
  // REQUIRES: the files outlive it; the process that sends requests has the same ones. It says what
  // is wanted of failures.
  ServedCases(const CaseFiles& files, CaseRunnerOptions options, int workers);
  ServedCases(const ServedCases&) = delete;
  ServedCases& operator=(const ServedCases&) = delete;
  ~ServedCases();  // what is not begun is forgotten

  void give_requests(std::span<const std::byte> requests);
  // Of the cases that have ended. Throws what a worker has thrown.
  std::vector<std::byte> take_replies();
  std::int64_t done() const { return done_; }  // cases, from any thread

 private:
  void work();
  CaseResult run(const CaseRequest& request);

  const CaseFiles& files_;
  CaseRunnerOptions options_;
  std::optional<CaseRunner> runner_;  // from the first request on
  int most_threads_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<CaseRequest> requests_;
  std::vector<std::byte> replies_;
  std::exception_ptr error_;
  std::atomic<std::int64_t> done_ = 0;
  bool is_over_ = false;
  std::vector<std::jthread> workers_;
};

}  // namespace tscatter::app

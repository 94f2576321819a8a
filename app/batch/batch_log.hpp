// The log of a batch: -vv tells when each case begins and ends, -v at the end how the workers spent
// their time.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "batch/case_reader.hpp"
#include "batch/case_result.hpp"

namespace tscatter::app {

class BatchLog {
 public:
  // What a worker spends its time on.
  enum class Part : std::uint8_t {
    reading,  // and selecting, and waiting for another worker that reads
    waiting,  // for an archive that another case writes, or for room for results
    running,  // cases
  };

  explicit BatchLog(int workers) : workers_{workers} {}

  // All are safe to call from several threads.
  void begins(const BatchCase& each, int threads) const;
  void ended(const CaseResult& result);

  // Adds its lifetime to a part.
  class Span {
   public:
    Span(BatchLog& log, Part part) : log_{log}, part_{part} {}
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    ~Span();

   private:
    BatchLog& log_;
    Part part_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  void end() const;

 private:
  struct Slow {
    double seconds;
    std::string name;
  };

  int workers_;
  std::mutex mutex_;
  std::array<double, 3> seconds_{};  // by part
  std::int64_t cases_ = 0;
  std::vector<Slow> slowest_;  // the slowest first
};

}  // namespace tscatter::app

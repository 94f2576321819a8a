// --update-golden: rewrites goldens, each for one case only. Cases that share a golden take turns
// in the order of the batch, so that the result does not depend on their timing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "batch/batch_case.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

class GoldenUpdate;

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

class GoldenUpdate {
 public:
  // REQUIRES: `each` has an expected that is a file, and is the next case of the batch.
  GoldenTurn announce(const BatchCase& each);

  // A case passes with its golden as it is.
  void keep(const BatchCase& each);

  // Writes `actual` as the case's golden, all or nothing. Throws Error (batch.b10) if an earlier
  // case needs it different, and Error (file).
  void write(const BatchCase& each, const Tensor& actual);

 private:
  friend class GoldenTurn;

  void wait(std::uint64_t golden, std::int64_t line);
  void give_up(std::uint64_t golden, std::int64_t line);

  std::mutex mutex_;
  std::condition_variable turned_;
  std::map<std::uint64_t, std::deque<std::int64_t>> lines_;  // of cases under way, by golden
  std::unordered_map<std::uint64_t, std::string> users_;     // the case that decided, by golden
};

}  // namespace tscatter::app

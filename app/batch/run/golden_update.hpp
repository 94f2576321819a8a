// --update-golden: rewrites goldens, each for one case only, or (with --dry-run) finds out which it
// would rewrite. Cases that share a golden take turns in the order of the batch, so that the result
// does not depend on their timing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "batch/cases/batch_case.hpp"
#include "jobs/result.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

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

}  // namespace tscatter::app

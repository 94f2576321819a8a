// Ranks: the processes of one MPI job, and how they agree. Only what MPI 3 has, so that every MPI
// of the last ten years will do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace tscatter::app {

// Thrown where a step has failed on another rank, which says why.
struct FailedElsewhere : std::exception {};

class Ranks {
 public:
  // Begins and ends MPI.
  Ranks(int& argc, char**& argv);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  int rank() const { return rank_; }
  int size() const { return size_; }
  // Processor cores for each rank of this machine; at least 1.
  int cores() const { return cores_; }
  // Whether this rank prints an error: that on which all agreed, or rank 0 one that all have.
  bool prints() const { return prints_; }

  // What follows is called by all ranks at once.

  // Before a command line.
  void begin();

  // Runs the step, and waits for all ranks. Where it failed on some, it fails on all: with its own
  // error on the rank that failed at the lowest place (see agree), with FailedElsewhere on others.
  template <class Step>
  void together(const Step& step) {
    std::exception_ptr error;
    try {
      step();
    } catch (...) {
      error = std::current_exception();
    }
    agree(error);
  }
  // The end of such a step. `place`: where it failed, by which the first of several errors is
  // found; of one place it is the lowest rank's. What all have agreed on before is only thrown.
  void agree(const std::exception_ptr& error, std::int64_t place = 0);

  std::int64_t least(std::int64_t value) const;  // of the values of all ranks
  // Gives every rank the values that rank 0 has.
  void broadcast(std::vector<std::int64_t>& values) const;

  // Sends parcels[r] to rank r, and fills `arrived` with what came from all, in their order. False
  // on all ranks if one of them says that it ends; what that one sends is not looked at. REQUIRES:
  // at most 2^31 - 1 bytes are sent by a rank, and as many to it.
  bool exchange(std::span<const std::vector<std::byte>> parcels, bool ends,
                std::vector<std::byte>& arrived) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  int cores_ = 1;
  bool prints_ = true;
  bool has_failed_ = false;  // all have agreed on an error
};

}  // namespace tscatter::app

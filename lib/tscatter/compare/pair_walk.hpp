// PairWalk: cuts two tensors of the same shape and dtype into tasks, and reads what a worker needs
// for each. Three ways:
//   - in the order of the files, if both have the same one
//   - in boxes, if one is C and the other Fortran: small enough for the cache, and wide enough
//     along both files' fastest axes that whole cache lines are used
//   - element by element, in pieces, if an element is longer than a piece
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tscatter/compare/pair_judge.hpp"
#include "tscatter/core/numbering.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

class PairWalk {
 public:
  // What one worker does: run(task) judges every pair of the task.
  class Worker {
   public:
    virtual ~Worker() = default;
    virtual void run(std::int64_t task, PairJudge& judge) = 0;
  };

  virtual ~PairWalk() = default;
  virtual std::int64_t tasks() const = 0;
  virtual std::unique_ptr<Worker> worker() const = 0;
  virtual std::int64_t worker_bytes() const = 0;  // memory that a worker holds
};

// REQUIRES: same dtype and shape, at least one element; both tensors outlive the walk.
std::unique_ptr<PairWalk> pair_walk(const Tensor& actual, const Tensor& expected);

// How the walk numbers the elements.
Numbering numbering_of(const Tensor& actual, const Tensor& expected);

}  // namespace tscatter

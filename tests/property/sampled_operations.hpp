// The operations that long tests take.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "property/environment.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::property {

// Of what goes over all operations, or pairs of them, every so many are taken.
inline std::uint64_t sampling_stride() {
  return extent("TSCATTER_EVERY", {.whole = 1, .sample = 3, .slowed = 3});
}

// Whether the operation has answers of its own: generic.scatter has none.
inline bool has_answers(const Operation& operation) { return operation.unanswered.empty(); }

// A third of each form's operations that `may_take` accepts; with --whole all of those.
inline std::vector<const Operation*> sampled_operations(bool (*may_take)(const Operation&)) {
  const std::uint64_t stride = sampling_stride();
  std::map<Form, std::uint64_t> met;
  std::vector<const Operation*> found;
  for (const Operation* operation : operations())
    if (may_take(*operation) && met[operation->form]++ % stride == 0) found.push_back(operation);
  return found;
}

}  // namespace tscatter::property

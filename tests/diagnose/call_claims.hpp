// What the words of a diagnosis say about the result of any call, by the oracle: the call is made
// again with what they say done otherwise.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/oracle.hpp"

namespace tscatter::planted {

using Bytes = std::vector<std::byte>;

// What each element may be, in row-major order; the first value is that of the order of the
// entries. No value: nothing is said about it.
struct CallClaim {
  bool is_whole = false;  // of the whole call in any order; else of some elements
  std::vector<std::vector<Bytes>> values = {};
  bool are_bools = false;  // every byte but 0 is true

  std::vector<std::vector<Bytes>> others = {};  // that another order leaves, where it overwrites

  bool has(std::size_t element, const std::byte* got) const;
  bool has_in_some_order(std::size_t element, const std::byte* got) const;

 private:
  bool is_among(const std::vector<Bytes>& some, const std::byte* got) const;
};

// nullopt: no such claim can be made of the call.
std::optional<CallClaim> claim_of(const oracle::Call& call, const std::string& words);

// How updates meet in an element, by the call's own policies.
struct MeetingOfCall {
  ElementType type;
  Reduction reduction = Reduction::none;
  InitialValue initial = {};
  Accumulation accumulation = Accumulation::each_step;
  MeanRules mean = {};

  static MeetingOfCall of(const oracle::Call& call);

  // What the first term meets.
  Bytes start(const Bytes& data) const;
  // `divisor`: of a mean; nullopt: by the number of values. `flushes`: subnormal numbers are zero
  // before and after each step.
  Bytes value(const Bytes& data, const std::vector<Bytes>& terms,
              std::optional<std::int64_t> divisor = std::nullopt, bool flushes = false) const;
  std::int64_t divisor_of(const std::vector<Bytes>& terms) const;
};

}  // namespace tscatter::planted

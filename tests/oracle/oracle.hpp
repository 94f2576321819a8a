// The oracle: every operation as its text defines it, one element after another
// (oracle/writes.hpp), and the rules. It shares no code with the library's forms, plans, engine and
// kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/writes.hpp"

namespace tscatter::oracle {

struct Refusal {
  std::string label;  // "scatter_nd_update_15.c4"
  std::string place;  // of an index out of range: "indices[3, 0]"
};

// The rule that the call breaks: rules on ranks, dtypes and shapes first, in the order of their
// dependence, then those on index values; nullopt if the call is legal.
std::optional<Refusal> refusal_of(const Call& call);

struct Result {
  Dense output;
  std::vector<bool> written;  // per element of output, in row-major order
  std::int64_t index_entries = 0;
  std::int64_t dropped = 0;
  std::int64_t duplicates = 0;  // entries whose destination an earlier one has too

  std::int64_t elements_written() const;
};

// REQUIRES: refusal_of(call) is nullopt.
Result apply(const Call& call);

// The first element of a stored result (in data's layout) whose bits differ from the oracle's;
// nullopt if none do.
std::optional<std::size_t> first_difference(const Result& result, Layout layout,
                                            const std::vector<std::byte>& actual);

}  // namespace tscatter::oracle

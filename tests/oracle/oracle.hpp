// The oracle: every operation as its text defines it, one element after another over
// multi-dimensional indices. It shares no code with the library's operations, plans, engine and
// kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/arithmetic.hpp"
#include "oracle/dense.hpp"

namespace tscatter::oracle {

struct Call {
  std::string_view operation;  // "scatter_nd_update_15"
  std::map<std::string, Dense, std::less<>> operands;
  Reduction reduction = Reduction::none;

  const Dense& operand(std::string_view name) const { return operands.find(name)->second; }
};

struct Refusal {
  std::string label;  // "scatter_nd_update_15.c4"
  std::string place;  // of an index out of range: "indices[3, 0]"
};

// The rule that the call breaks: of ranks, dtypes and shapes first, in the order in which they need
// each other, then of index values; nullopt when the call is legal.
std::optional<Refusal> refusal_of(const Call& call);

struct Result {
  Dense output;
  std::vector<bool> written;  // per element of output, in row-major order
  std::int64_t index_entries = 0;
  std::int64_t duplicates = 0;  // entries whose destination an earlier one has too

  std::int64_t elements_written() const;
};

// REQUIRES: refusal_of(call) is nullopt.
Result apply(const Call& call);

// The first element of a stored result (data's layout) that is not bit for bit what the oracle has;
// nullopt when all agree.
std::optional<std::size_t> first_difference(const Result& result, Layout layout,
                                            const std::vector<std::byte>& actual);

// The positions of Python's range(*slice(start, stop, step).indices(size)).
std::vector<std::int64_t> slice_positions(Int128 start, Int128 stop, Int128 step,
                                          std::int64_t size);

// The shape of updates that a legal call has. REQUIRES: only updates may break a rule.
Shape updates_shape(const Call& call);

}  // namespace tscatter::oracle

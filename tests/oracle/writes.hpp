// Which update is written to which element, as the text of each operation defines it, by loops over
// multi-dimensional indices. The oracles of apply(), explain() and verify() are built on it. It
// takes the form and the policies on negative indices and those that are out of range from an
// operation's row, but does not use the library's lowering, plans and engine.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/arithmetic.hpp"
#include "oracle/dense.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::oracle {

// The operation, which is looked for once while the name stays the same.
const Operation& row_called(std::string_view operation);

// Where one index entry goes: its coordinates in the axes that it names, counted from the front.
struct EntryWrite {
  Position entry;  // in indices, without the axis of coordinates
  Position coordinates;
};

struct Call {
  std::string_view operation;  // "scatter_nd_update_15"
  std::map<std::string, Dense, std::less<>> operands;
  Attributes attributes = {};
  std::shared_ptr<const Operation> variant = nullptr;  // the operation with other policies
  std::vector<IndexItem> index = {};                   // of the form index
  bool has_base = false;                               // data that is made stays as it is

  // What the call says, looked up once: of a call that does not change any more.
  struct Answers {
    const Operation* row;
    Policies policies;
    Reduction reduction;
    std::shared_ptr<const std::vector<EntryWrite>> entries = nullptr;  // of a legal call
  };
  std::optional<Answers> answers = std::nullopt;
  void look_up() {
    answers = Answers{.row = &row(), .policies = policies(), .reduction = reduction()};
  }

  const Dense& operand(std::string_view name) const { return operands.find(name)->second; }
  const Operation& row() const {
    if (answers) return *answers->row;
    return variant ? *variant : row_called(operation);
  }
  Reduction reduction() const { return answers ? answers->reduction : row().reduction(attributes); }
  // As the attributes of the call answer them.
  Policies policies() const {
    return answers ? answers->policies : row().policies_of_call(attributes);
  }
  // Whether data's value does not count where updates land.
  bool excludes_data() const {
    if (const auto initial = row().policies.initial)
      return reduction() != Reduction::none && initial->kind != InitialValue::Kind::data;
    const auto given = attributes.find("use_init_val");
    return reduction() != Reduction::none && given != attributes.end() &&
           !std::get<bool>(given->second);
  }
};

// The operand axis or the attribute.
Int128 given_axis(const Call& call);

struct Write {
  std::optional<Position> entry;
  Position element;  // of data
  Position update;   // in updates
};

// The axis that the first coordinate of an entry counts along.
std::size_t first_indexed_axis(const Call& call);

// In row-major order, without those that are dropped; none if the operation has no index entries.
std::shared_ptr<const std::vector<EntryWrite>> entries_of(const Call& call);

struct EntryCounts {
  std::int64_t all = 0;
  std::int64_t dropped = 0;  // out of range, by a policy that drops them
};
EntryCounts entry_counts(const Call& call);

// The first element of indices, in row-major order, that is out of the range of the axis it counts
// along, unless a policy has an answer to that. REQUIRES: only indices may break a rule.
std::optional<Position> first_wrong_index(const Call& call);

// Every write, in the order of the loop.
void for_each_write(const Call& call, const std::function<void(const Write&)>& visit);

// Whether the call's policies may drop entries at all; those that are out of range; and an entry
// with this index, for it is negative.
bool drops(const Call& call);
bool drops_outside(const Call& call);
bool drops_negative(const Call& call, Int128 index);

// Where indices have the entry: of the form start, an entry is a step of a batch, of windows a
// place in one.
Position place_in_indices(const Call& call, const Position& entry);

struct Writes {
  std::vector<std::vector<Write>> of_element;  // in row-major order, each in the order of the loop
  std::vector<EntryWrite> entries;
  std::size_t first_axis = 0;
};

Writes writes_of(const Call& call);

// The shape of updates that a legal call has. REQUIRES: only updates may break a rule.
Shape updates_shape(const Call& call);

// The positions of Python's range(*slice(start, stop, step).indices(size)).
std::vector<std::int64_t> slice_positions(Int128 start, Int128 stop, Int128 step,
                                          std::int64_t size);

// The axes of a slice as they are written.
std::vector<Int128> slice_axes(const Call& call);

Int128 integer_at(const Dense& dense, std::size_t i);

// What the policy makes of an index that is out of range; nullopt if it has no place for it.
std::optional<std::int64_t> place_outside(OutsideIndex policy, Int128 index, Int128 size);

}  // namespace tscatter::oracle

// GeneratedCase: one call of an operation with all that it needs, in memory, and the pieces from
// which the cases of every operation are built. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/generate/draws.hpp"
#include "tscatter/generate/entries.hpp"
#include "tscatter/generate/shapes.hpp"
#include "tscatter/generate/value_sets.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::generate {

struct GeneratedTensor {
  TensorHeader header;           // little-endian, in C order
  std::vector<std::byte> bytes;  // none although there are elements: all are 0

  bool is_hole() const { return bytes.empty() && header.byte_size() > 0; }
};

struct NamedTensor {
  std::string operand;
  GeneratedTensor tensor;
};

struct GeneratedCase {
  std::string name;  // unique among the cases of one run, fit for a file
  const Operation* operation = nullptr;
  std::vector<NamedTensor> operands;
  std::vector<IndexItem> index = {};  // of an operation that has one
  Attributes attributes;              // all that the operation has
  std::string expected_error;         // the label of the broken rule; "": none
  bool has_sparse_result = false;     // all but a few elements of its result are 0

  const GeneratedTensor& operand(std::string_view operand_name) const;

  // Data or, where the operation makes it, updates; nullptr where there are none.
  const GeneratedTensor* values() const;
};

// REQUIRES: the case outlives them.
Arguments arguments_of(const GeneratedCase& generated);

// What is chosen for a case before its operation matters.
struct Setting {
  const Operation* operation = nullptr;
  Draws draws;
  DType dtype = DType::float32;
  Reduction reduction = Reduction::none;
  ValueSet set = ValueSet::exact;
  std::int64_t limit = 4096;  // elements of a tensor
  std::size_t max_rank = 6;
  std::optional<Duplicates> duplicates;
  std::optional<std::size_t> depth;  // of index entries; nullopt: any
  std::optional<DType> index_dtype;  // of all index tensors; nullopt: one that holds the indices
  IndexEntries entries = IndexEntries::of_all_kinds;
};

// The reduction of the case, and a random value for each other attribute.
Attributes attributes_of(const Setting& setting);

// As these answer them.
Policies policies_of(const Setting& setting);

// Says the reduction, where an attribute does.
void put_reduction(Attributes& attributes, Reduction reduction);

// The case's reduction, and every other attribute at its default: a broken rule stays broken.
Attributes default_attributes(const Setting& setting);

// "use_init_val-false": the attributes, except the reduction, that differ from their default, in
// small letters.
std::string attribute_words(const Setting& setting, const Attributes& attributes);

// 8 or 16 if the set has each value of the dtype, in tensors of 2^8 or 2^16 elements; else 0.
unsigned full_bits(ValueSet set, DType dtype);

// (1, 0), (1, 1), (2, 0) … (max_rank, max_rank): a rank and a number of axes, which is the depth
// where that is given.
struct Frame {
  std::size_t rank;
  std::size_t axes;
};
Frame draw_frame(const Setting& setting);

struct DataShape {
  Shape shape;
  std::string_view word;  // for the name
};
DataShape draw_data_shape(const Setting& setting, std::size_t rank);

bool holds(DType dtype, std::int64_t value);

// The first of `drawn`, int8, int16, int32 and int64 that can hold all values.
DType holding(DType drawn, const std::vector<std::int64_t>& values);

// The integer dtype whose turn it is; `further` gives the index tensors of one case different ones.
DType draw_integer_dtype(const Draws& draws, std::size_t further);

// The same for indices, of the dtypes that the operation takes; the given one, if there is one.
DType draw_index_dtype(const Setting& setting);

GeneratedTensor integers(DType dtype, Shape shape, const std::vector<std::int64_t>& values);
// `entries`: the number of index entries; all may have the same destination.
GeneratedTensor data_values(const Setting& setting, Shape shape, std::int64_t entries);
GeneratedTensor update_values(const Setting& setting, Shape shape, std::int64_t entries);
// `scaled`: see ValuesWanted.
GeneratedTensor update_values(const Setting& setting, Shape shape, std::int64_t entries,
                              std::int64_t scaled);

inline constexpr std::int64_t scaled_entries = 12;  // 2^13 is far from the ends of float16

// "unique-sorted-depth-2": the words of a name, without the empty ones.
std::string joined(const std::vector<std::string>& words);

}  // namespace tscatter::generate

// GeneratedCase: one call of an operation with all that it needs, in memory, and the pieces from
// which the cases of every operation are built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/generate/draws.hpp"
#include "tscatter/generate/generate.hpp"
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
std::string joined(std::initializer_list<std::string_view> words);

enum class Arrangement : std::uint8_t { plain, sorted, reversed, ends, one_place };

inline constexpr std::array<std::string_view, 5> arrangement_words{"", "sorted", "reversed", "ends",
                                                                   "one-place"};

struct Pattern {
  Duplicates duplicates = Duplicates::none;
  Arrangement arrangement = Arrangement::plain;
};

// One of the patterns with the `wanted` duplicates; nullopt: one of all.
Pattern draw_pattern(const Draws& draws, std::optional<Duplicates> wanted);

// The shape of the index entries; `list` adds no word to the name.
enum class EntryShape : std::uint8_t { list, matrix, cube, scalar, one, empty };

inline constexpr std::array<std::string_view, 6> grid_words{"",       "matrix",    "cube",
                                                            "scalar", "one-entry", "no-entries"};

enum class Extent : bool { few, all };  // at most 64 entries, or one for each place

struct EntriesWanted {
  Shape sizes;                // of the axes that an entry has coordinates along
  std::int64_t block = 1;     // elements of updates for each entry
  std::int64_t limit = 4096;  // elements of indices and of updates, at most
  Extent extent = Extent::few;
  Pattern pattern = {};
  IndexEntries entries = IndexEntries::of_all_kinds;
  std::uint64_t line = 0;  // numbers the entries of one case that have places of their own
};

struct Entries {
  Shape shape;  // [] for one entry without an axis of its own
  EntryShape grid = EntryShape::list;
  std::vector<std::int64_t> coordinates;  // of entry after entry, each from 0
  std::int64_t count = 0;
  std::int64_t places = 0;  // different ones
  Pattern pattern = {};
  std::string counted;  // "negative-indices": the words for coordinates that count otherwise
};

Entries draw_entries(const Draws& draws, const EntriesWanted& wanted);

// The places of `count` entries along an axis of `size`. `line` numbers the lines of one case; each
// has words of its own. REQUIRES: without duplicates count <= size, with some count <= max(size,
// 2).
std::vector<std::int64_t> draw_line(const Draws& draws, Pattern pattern, std::int64_t size,
                                    std::int64_t count, std::uint64_t line);

// Makes every other coordinate count from the end of its axis. Where only the first `named` places
// of an axis have entries, the last ones have them instead: all count from the end.
void make_negative(Entries& entries, const Shape& sizes, const Shape& named);

// Moves every third coordinate out of its axis: just beyond either end, by more than its size, and
// beyond 8, 16 and 32 bits. REQUIRES: the dtype holds a number just beyond an end of each axis.
void make_outside(const Draws& draws, Entries& entries, const Shape& sizes, DType dtype);

enum class Style : std::uint8_t { small, primes, long_and_thin, zero, ones };

// The word for a style in a case's name; none for small ones.
inline constexpr std::array<std::string_view, 5> style_words{"", "primes", "long", "zero-dim",
                                                             "ones"};

Style draw_style(const Draws& draws);

// At most `limit` elements. REQUIRES: limit >= 2^rank, rank >= 1.
Shape draw_shape(const Draws& draws, Style style, std::size_t rank, std::int64_t limit);

// Exactly 2^bits elements. REQUIRES: bits >= rank >= 1.
Shape draw_full_shape(const Draws& draws, std::size_t rank, unsigned bits);

// Whether the set makes sense for the dtype: integers and booleans do not round.
bool fits(ValueSet set, DType dtype);

struct ValuesWanted {
  ValueSet set = ValueSet::exact;
  DType dtype = DType::float32;
  Reduction reduction = Reduction::none;
  std::int64_t entries = 0;  // index entries of the case: so many updates may meet in one place
  std::int64_t scaled = 0;   // how many of the first elements may be other powers of two than 1,
                             // in the set exact with prod
};

// `count` elements of the stream, little-endian.
std::vector<std::byte> draw_values(const Draws& draws, Stream stream, const ValuesWanted& wanted,
                                   std::int64_t count);

}  // namespace tscatter::generate

// BrokenCall: a small legal call whose operands are replaced until one rule is broken. Not part of
// the installed interface.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

inline constexpr std::int64_t largest_integer = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t smallest_integer = std::numeric_limits<std::int64_t>::min();

class BrokenCall {
 public:
  explicit BrokenCall(const Setting& setting) : setting_{setting} {}

  const Setting& setting() const { return setting_; }
  std::uint64_t word(std::uint64_t i) const { return setting_.draws.word(Stream::shape, i); }

  const Shape& shape(std::string_view operand) const { return find(operand).header.shape; }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape("data").size()); }
  DType dtype(std::string_view operand) const { return find(operand).header.type.dtype; }

  // Each replaces the operand by another tensor.
  void put_data(const Shape& shape);
  void put_updates(const Shape& shape);
  void put_values(std::string_view operand, DType dtype, const Shape& shape);  // another dtype's
  void put_integers(std::string_view operand, const Shape& shape,
                    const std::vector<std::int64_t>& values);
  void put_zeros(std::string_view operand, DType dtype, const Shape& shape);
  void put_ones(std::string_view operand, DType dtype);  // one element with all bits set
  void put_records();                                    // data and updates of dtype S3
  void leave_out(std::string_view operand);
  void set(std::string_view attribute, const AttributeValue& value);
  const AttributeValue* find_attribute(std::string_view attribute) const;  // nullptr: not set
  void reduce_by(Reduction reduction) { setting_.reduction = reduction; }

  std::vector<std::int64_t> integers_of(std::string_view operand) const;

  GeneratedCase made() &&;

 private:
  const GeneratedTensor& find(std::string_view operand) const;
  void put(std::string_view operand, GeneratedTensor tensor);

  Setting setting_;
  std::vector<NamedTensor> operands_;
  Attributes attributes_;
};

using Break = void (*)(BrokenCall&);

// One way to fail one check.
struct Variant {
  Check check;
  std::string_view words;
  Break break_rule;
  bool (*is_broken)(const Operation&) =
      nullptr;  // whether it breaks the operation's rule; nullptr: any's
};

// The variants of a form; `begin` makes the legal call to break.
struct BrokenForm {
  Break begin;
  std::span<const Variant> variants;
};

extern const BrokenForm broken_rows;
extern const BrokenForm broken_nd;
extern const BrokenForm broken_elements;
extern const BrokenForm broken_window;
extern const BrokenForm broken_start;
extern const BrokenForm broken_slice;
extern const BrokenForm broken_batched_rows;

// ---- Variants that several forms share.

// [4, 3, 2], cut to `rank`: each axis is shorter than those before it.
Shape descending_shape(std::size_t rank);
// 1, 2 or 3.
std::size_t drawn_rank(const BrokenCall& call);

// The size of data along the axis, and the largest integer that is too small for an index there.
std::int64_t size_of(const BrokenCall& call, std::int64_t axis);
std::int64_t below(const BrokenCall& call, std::int64_t axis);

// Where axis is an operand, the word `form` decides whether its shape is [] or [1].
void begin_axis(BrokenCall& call, std::uint64_t form, std::int64_t axis);
std::int64_t axis_of(const BrokenCall& call);
void put_axis(BrokenCall& call, std::int64_t axis);
void axis_float32(BrokenCall& call);
void axis_bool(BrokenCall& call);
void axis_two(BrokenCall& call);
void axis_none(BrokenCall& call);
void axis_rank_2(BrokenCall& call);
void axis_above(BrokenCall& call);
void axis_below(BrokenCall& call);
void axis_largest(BrokenCall& call);
void axis_smallest(BrokenCall& call);

void put_index(BrokenCall& call, std::size_t entry, std::int64_t value);
void index_above(BrokenCall& call);  // for indices along one axis
void index_below(BrokenCall& call);
void index_largest(BrokenCall& call);
void index_smallest(BrokenCall& call);
void indices_largest_uint64(BrokenCall& call);
bool takes_int64(const Operation& operation);  // as indices
bool takes_uint64(const Operation& operation);

void updates_axis_more(BrokenCall& call);
void updates_axis_less(BrokenCall& call);
void updates_first_size_more(BrokenCall& call);
void updates_first_size_less(BrokenCall& call);
void updates_last_size_more(BrokenCall& call);
void updates_last_size_one(BrokenCall& call);
void updates_of_same_size(BrokenCall& call);  // of the elements
void updates_of_other_size(BrokenCall& call);

}  // namespace tscatter::generate

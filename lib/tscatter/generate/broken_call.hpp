// BrokenCall: a small legal call whose operands are replaced until one rule is broken. Not part of
// the installed interface.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

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
  void reduce_by(Reduction reduction) { setting_.reduction = reduction; }

  std::vector<std::int64_t> integers_of(std::string_view operand) const;

  GeneratedCase made() &&;

 private:
  const GeneratedTensor& find(std::string_view operand) const;
  void put(std::string_view operand, GeneratedTensor tensor);

  Setting setting_;
  std::vector<NamedTensor> operands_;
};

using Break = void (*)(BrokenCall&);

// One way to fail one check.
struct Variant {
  Check check;
  std::string_view words;
  Break break_rule;
  std::optional<DType> index_dtype = {};  // only where indices may have it
};

// The variants of a form; `begin` makes the legal call to break.
struct BrokenForm {
  Break begin;
  std::span<const Variant> variants;
};

extern const BrokenForm broken_rows;
extern const BrokenForm broken_nd;
extern const BrokenForm broken_slice;

// ---- Variants that several forms share.

// [4, 3, 2], cut to `rank`: each axis is shorter than those before it.
Shape descending_shape(std::size_t rank);
// 1, 2 or 3.
std::size_t drawn_rank(const BrokenCall& call);

void updates_axis_more(BrokenCall& call);
void updates_axis_less(BrokenCall& call);
void updates_first_size_more(BrokenCall& call);
void updates_first_size_less(BrokenCall& call);
void updates_last_size_more(BrokenCall& call);
void updates_last_size_one(BrokenCall& call);
void updates_of_same_size(BrokenCall& call);  // of the elements
void updates_of_other_size(BrokenCall& call);

}  // namespace tscatter::generate

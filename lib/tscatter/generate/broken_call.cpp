#include "tscatter/generate/broken_call.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace tscatter::generate {
namespace {

// Another dtype with elements of the same size or, if there is none, of another size.
DType sibling(DType dtype) {
  constexpr std::array<DType, 15> siblings{
      DType::uint8,   DType::uint8, DType::float16,   DType::float32, DType::float64,
      DType::int8,    DType::int16, DType::int32,     DType::int64,   DType::int16,
      DType::float16, DType::int32, DType::complex64, DType::float64, DType::complex64};
  return siblings[static_cast<std::size_t>(dtype)];
}

constexpr std::int64_t broken_entries = 2;
Shape updates_with(const BrokenCall& call, std::size_t axis, std::int64_t size) {
  Shape shape = call.shape("updates");
  shape[axis] = size;
  return shape;
}

}  // namespace

void BrokenCall::put_data(const Shape& shape) {
  put("data", data_values(setting_, shape, broken_entries));
}

void BrokenCall::put_updates(const Shape& shape) {
  put("updates", update_values(setting_, shape, broken_entries));
}

void BrokenCall::put_values(std::string_view operand, DType dtype, const Shape& shape) {
  Setting other = setting_;
  other.dtype = dtype;
  put(operand, operand == "data" ? data_values(other, shape, broken_entries)
                                 : update_values(other, shape, broken_entries));
}

void BrokenCall::put_integers(std::string_view operand, const Shape& shape,
                              const std::vector<std::int64_t>& values) {
  const auto further = static_cast<std::size_t>(operands_.size() % 4);
  const DType drawn = operand == "indices" ? draw_index_dtype(setting_)
                                           : draw_integer_dtype(setting_.draws, further);
  put(operand, integers(holding(drawn, values), shape, values));
}

void BrokenCall::put_zeros(std::string_view operand, DType dtype, const Shape& shape) {
  GeneratedTensor tensor = integers(DType::int8, shape, {});
  tensor.header.type = ElementType::of(dtype, std::endian::little);
  tensor.bytes.resize(static_cast<std::size_t>(tensor.header.byte_size()));
  put(operand, std::move(tensor));
}

void BrokenCall::put_ones(std::string_view operand, DType dtype) {
  put_zeros(operand, dtype, shape(operand));
  const auto found = std::ranges::find(operands_, operand, &NamedTensor::operand);
  const std::size_t size = found->tensor.header.type.size;
  std::fill_n(found->tensor.bytes.begin(), size, std::byte{0xFF});
}

void BrokenCall::put_records() {
  for (const std::string_view operand : {"data", "updates"}) {
    put_zeros(operand, DType::int8, shape(operand));
    const auto found = std::ranges::find(operands_, operand, &NamedTensor::operand);
    found->tensor.header.type = {.dtype = DType::opaque, .size = 3, .descr = "'|S3'"};
    const std::int64_t bytes = found->tensor.header.byte_size();
    found->tensor.bytes.assign(static_cast<std::size_t>(bytes), std::byte{'a'});
  }
}

void BrokenCall::leave_out(std::string_view operand) {
  std::erase_if(operands_, [&](const NamedTensor& each) { return each.operand == operand; });
}

void BrokenCall::set(std::string_view attribute, const AttributeValue& value) {
  attributes_.insert_or_assign(std::string(attribute), value);
}

const AttributeValue* BrokenCall::find_attribute(std::string_view attribute) const {
  const auto found = attributes_.find(attribute);
  return found == attributes_.end() ? nullptr : &found->second;
}

std::vector<std::int64_t> BrokenCall::integers_of(std::string_view operand) const {
  const GeneratedTensor& tensor = find(operand);
  const std::size_t size = tensor.header.type.size;
  std::vector<std::int64_t> values;
  for (std::size_t at = 0; at < tensor.bytes.size(); at += size) {
    values.push_back(static_cast<std::int64_t>(tensor.bytes[at]));
  }
  return values;
}

GeneratedCase BrokenCall::made() && {
  GeneratedCase made;
  made.operation = setting_.operation;
  made.operands = std::move(operands_);
  made.attributes = std::move(attributes_);
  made.attributes.merge(default_attributes(setting_));
  return made;
}

const GeneratedTensor& BrokenCall::find(std::string_view operand) const {
  const auto found = std::ranges::find(operands_, operand, &NamedTensor::operand);
  assert(found != operands_.end());
  return found->tensor;
}

void BrokenCall::put(std::string_view operand, GeneratedTensor tensor) {
  const auto found = std::ranges::find(operands_, operand, &NamedTensor::operand);
  if (found == operands_.end()) {
    operands_.push_back({std::string(operand), std::move(tensor)});
  } else {
    found->tensor = std::move(tensor);
  }
}

Shape descending_shape(std::size_t rank) {
  constexpr std::array<std::int64_t, 3> sizes{4, 3, 2};
  return {sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank)};
}

std::size_t drawn_rank(const BrokenCall& call) {
  return 1 + call.word(0) % std::min<std::size_t>(call.setting().max_rank, 3);
}

std::int64_t size_of(const BrokenCall& call, std::int64_t axis) {
  return call.shape("data")[static_cast<std::size_t>(axis)];
}

// The largest integer that is too small.
std::int64_t below(const BrokenCall& call, std::int64_t axis) {
  const bool wraps = call.setting().operation->policies.negative == NegativeIndex::from_the_end;
  return wraps ? -size_of(call, axis) - 1 : -1;
}

void begin_axis(BrokenCall& call, std::uint64_t form, std::int64_t axis) {
  if (call.setting().operation->find_attribute("axis") != nullptr) {
    call.set("axis", axis);
  } else {
    call.put_integers("axis", Shape(call.word(form) % 2, 1), {axis});
  }
}

std::int64_t axis_of(const BrokenCall& call) {
  const AttributeValue* attribute = call.find_attribute("axis");
  return attribute == nullptr ? call.integers_of("axis").front()
                              : std::get<std::int64_t>(*attribute);
}

void put_axis(BrokenCall& call, std::int64_t axis) {
  if (call.find_attribute("axis") != nullptr) {
    call.set("axis", axis);
  } else {
    call.put_integers("axis", call.shape("axis"), {axis});
  }
}

void axis_float32(BrokenCall& call) { call.put_zeros("axis", DType::float32, call.shape("axis")); }
void axis_bool(BrokenCall& call) { call.put_zeros("axis", DType::boolean, call.shape("axis")); }
void axis_two(BrokenCall& call) { call.put_integers("axis", {2}, {axis_of(call), axis_of(call)}); }
void axis_none(BrokenCall& call) { call.put_integers("axis", {0}, {}); }
void axis_rank_2(BrokenCall& call) { call.put_integers("axis", {1, 1}, {axis_of(call)}); }

void axis_above(BrokenCall& call) { put_axis(call, call.rank()); }
void axis_below(BrokenCall& call) { put_axis(call, -call.rank() - 1); }
void axis_largest(BrokenCall& call) { put_axis(call, largest_integer); }
void axis_smallest(BrokenCall& call) { put_axis(call, smallest_integer); }

void put_index(BrokenCall& call, std::size_t entry, std::int64_t value) {
  std::vector<std::int64_t> indices = call.integers_of("indices");
  indices[entry] = value;
  call.put_integers("indices", call.shape("indices"), indices);
}

void index_above(BrokenCall& call) { put_index(call, 0, size_of(call, axis_of(call))); }
void index_below(BrokenCall& call) { put_index(call, 1, below(call, axis_of(call))); }
void index_largest(BrokenCall& call) { put_index(call, 1, largest_integer); }
void index_smallest(BrokenCall& call) { put_index(call, 0, smallest_integer); }

bool takes_int64(const Operation& operation) { return takes_indices_of(operation, DType::int64); }
bool takes_uint64(const Operation& operation) { return takes_indices_of(operation, DType::uint64); }

void indices_largest_uint64(BrokenCall& call) { call.put_ones("indices", DType::uint64); }

void updates_axis_more(BrokenCall& call) {
  Shape shape = call.shape("updates");
  shape.insert(shape.begin(), 1);
  call.put_updates(shape);
}

void updates_axis_less(BrokenCall& call) {
  Shape shape = call.shape("updates");
  shape.erase(shape.begin());
  call.put_updates(shape);
}

void updates_first_size_more(BrokenCall& call) {
  call.put_updates(updates_with(call, 0, call.shape("updates").front() + 1));
}

void updates_first_size_less(BrokenCall& call) {
  call.put_updates(updates_with(call, 0, call.shape("updates").front() - 1));
}

void updates_last_size_more(BrokenCall& call) {
  const std::size_t last = call.shape("updates").size() - 1;
  call.put_updates(updates_with(call, last, call.shape("updates").back() + 1));
}

void updates_last_size_one(BrokenCall& call) {
  call.put_updates(updates_with(call, call.shape("updates").size() - 1, 1));
}

void updates_of_same_size(BrokenCall& call) {
  call.put_values("updates", sibling(call.setting().dtype), call.shape("updates"));
}

void updates_of_other_size(BrokenCall& call) {
  const bool is_double = info(call.setting().dtype).size == 8;
  call.put_values("updates", is_double ? DType::float32 : DType::float64, call.shape("updates"));
}

}  // namespace tscatter::generate

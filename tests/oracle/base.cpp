#include "oracle/base.hpp"

#include <algorithm>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter::oracle {
namespace {

// An attribute that may be left out; nullopt: it is.
std::optional<std::int64_t> given_number(const Call& call, std::string_view name) {
  const AttributeInfo* info = call.row().find_attribute(name);
  if (info == nullptr) return std::nullopt;
  const auto number = call.row().attribute<std::int64_t>(call.attributes, name);
  return info->is_open() && number == open_end ? std::nullopt : std::optional(number);
}

Int128 rows_by_indices(const Call& call) {
  const Dense& indices = call.operand("indices");
  Int128 rows = given_number(call, "minlength").value_or(0);
  for (std::size_t i = 0; i < indices.count(); ++i)
    rows = std::max(rows, load_integer(indices.type.dtype, indices.element(i)) + 1);
  return rows;
}

std::vector<Int128> sizes_of(const Call& call) {
  std::vector<Int128> sizes;
  if (call.row().base == BaseFrom::shape) {
    const Dense& shape = call.operand("shape");
    for (std::size_t i = 0; i < shape.count(); ++i)
      sizes.push_back(load_integer(shape.type.dtype, shape.element(i)));
    return sizes;
  }
  const auto given = given_number(call, "num_segments");
  sizes.push_back(given ? Int128{*given} : rows_by_indices(call));
  if (call.row().base == BaseFrom::counts) return sizes;
  const Shape& updates = call.operand("updates").shape;
  for (std::size_t i = call.operand("indices").shape.size(); i < updates.size(); ++i)
    sizes.push_back(updates[i]);
  return sizes;
}

ElementType type_of(const Call& call) {
  const auto updates = call.operands.find("updates");
  if (call.row().base == BaseFrom::counts)
    return ElementType::of(updates == call.operands.end() ? DType::int64 : DType::float64);
  return updates->second.type;
}

bool is_too_large(const std::vector<Int128>& sizes, std::size_t bytes) {
  const Int128 end = Int128{1} << 63;
  auto product = static_cast<Int128>(bytes);
  for (const Int128 size : sizes) {
    if (size >= end) return true;
    if (size > 0) product *= size;
    if (product >= end) return true;
  }
  return false;
}

bool is_index_dtype(const Call& call, const Dense& tensor) {
  return std::ranges::count(call.row().index_dtypes, tensor.type.dtype) > 0;
}

std::optional<Check> broken_source(const Call& call) {
  if (call.row().base == BaseFrom::shape) {
    const Dense& shape = call.operand("shape");
    if (shape.shape.size() != 1) return Check::list_rank;
    if (!is_index_dtype(call, shape)) return Check::list_dtype;
    return std::nullopt;
  }
  const auto updates = call.operands.find("updates");
  const bool is_counted = call.row().base == BaseFrom::counts && updates != call.operands.end();
  if (is_counted && std::ranges::count(call.row().data_dtypes, updates->second.type.dtype) == 0)
    return Check::data_dtype;
  for (const std::string_view name : {"num_segments", "minlength"}) {
    if (given_number(call, name).value_or(0) < 0) return Check::base_shape;
  }
  const bool is_read = !given_number(call, "num_segments");
  if (is_read && !is_index_dtype(call, call.operand("indices"))) return Check::indices_dtype;
  return std::nullopt;
}

std::vector<std::byte> element_of_base(const Call& call, const ElementType& type) {
  const InitialValue& value = call.row().base_value;
  if (!is_defined(type.dtype, call.reduction())) return std::vector<std::byte>(type.size);
  if (value.kind == InitialValue::Kind::number) return element_of_number(type, value.number);
  return identity_of(type, call.reduction(), value.kind == InitialValue::Kind::infinite);
}

Dense repeated(const ElementType& type, const Shape& shape, const std::vector<std::byte>& element) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  Dense dense{.type = type, .shape = shape, .bytes = {}};
  if (product(shape) > most) return dense;
  dense = Dense::zeros(type, shape);
  for (std::size_t i = 0; i < dense.count(); ++i) std::ranges::copy(element, dense.element(i));
  return dense;
}

Dense as_float64(const Dense& dense) {
  const ElementType type = ElementType::of(DType::float64);
  if (dense.type.dtype == DType::float64) return dense;
  Dense cast = Dense::zeros(type, dense.shape);
  const bool is_real = info(dense.type.dtype).kind == DTypeKind::real;
  for (std::size_t i = 0; i < dense.count(); ++i) {
    const auto element =
        is_real ? converted(dense.type, dense.element(i), type)
                : element_of_number(
                      type, static_cast<double>(load_integer(dense.type.dtype, dense.element(i))));
    std::ranges::copy(element, cast.element(i));
  }
  return cast;
}

}  // namespace

std::optional<Check> broken_base(const Call& call) {
  if (!is_made(call.row().base) || call.has_base) return std::nullopt;
  if (const auto check = broken_source(call)) return check;
  const std::vector<Int128> sizes = sizes_of(call);
  const bool is_negative = std::ranges::any_of(sizes, [](const Int128& size) { return size < 0; });
  if (sizes.size() > max_rank || is_negative || is_too_large(sizes, type_of(call).size))
    return Check::base_shape;
  return std::nullopt;
}

Call based(const Call& call) {
  if (!is_made(call.row().base) || call.has_base) return call;
  Call made = call;
  Shape shape;
  for (const Int128 size : sizes_of(call)) shape.push_back(static_cast<std::int64_t>(size));
  const ElementType type = type_of(call);
  if (call.row().base == BaseFrom::counts) {
    const auto updates = made.operands.find("updates");
    if (updates == made.operands.end()) {
      made.operands["updates"] =
          repeated(type, call.operand("indices").shape, element_of_number(type, std::int64_t{1}));
    } else {
      updates->second = as_float64(updates->second);
    }
  }
  made.operands["data"] = repeated(type, shape, element_of_base(call, type));
  return made;
}

}  // namespace tscatter::oracle

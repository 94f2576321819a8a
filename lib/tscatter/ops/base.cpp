#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/unaligned.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/identity.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/ops/attribute.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/views/cast.hpp"
#include "tscatter/views/filled.hpp"

namespace tscatter {
namespace {

const ElementType count_type = ElementType::of(DType::int64);
const ElementType weight_type = ElementType::of(DType::float64);

Tensor one_value(const ElementType& type, Shape shape, const InitialValue& value,
                 Reduction reduction, std::string name) {
  std::vector<std::byte> element(type.size);
  // Another dtype is refused later.
  if (is_defined(reduction, type.dtype)) element = start_value(type.dtype, reduction, value);
  return filled({.type = type, .shape = std::move(shape)}, std::move(element), std::move(name));
}

void require_rank(const Operation& operation, std::size_t rank) {
  if (rank <= max_rank) return;
  const RuleOf rule = rule_of(operation, Check::base_shape);
  fail(ErrorKind::rule, rule.label, rule.operation, "{} must have at most {} axes, got {}",
       rule.data, max_rank, rank);
}

// ---- The operand shape

Shape given_shape(const Operation& operation, const Tensor& list) {
  const std::string_view called = operation.called("shape");
  const RuleOf rank = rule_of(operation, Check::list_rank);
  if (list.rank() != 1) {
    fail(ErrorKind::rule, rank.label, rank.operation, "{} must have rank 1, got rank {}", called,
         list.rank());
  }
  require_index_dtype(rule_of(operation, Check::list_dtype), operation, called, list);
  const RuleOf rule = rule_of(operation, Check::base_shape);
  require_rank(operation, static_cast<std::size_t>(list.count()));
  Shape shape = read_integers(list);
  const auto negative = std::ranges::find_if(shape, [](std::int64_t size) { return size < 0; });
  if (negative != shape.end()) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{}[{}] must be 0 or more, got {}", called,
         negative - shape.begin(), *negative);
  }
  return shape;
}

// ---- A row for each segment

template <class T>
std::int64_t greatest_of(const std::byte* indices, std::int64_t count) {
  T most = std::numeric_limits<T>::lowest();
  vectorised([=, &most] {
    T own = std::numeric_limits<T>::lowest();
    for (std::int64_t i = 0; i < count; ++i) own = std::max(own, load<T>(indices, i));
    most = own;
  });
  return saturated(most);
}

// -1 if there is none of 0 or more.
std::int64_t greatest(const Tensor& indices) {
  std::int64_t most = -1;
  const auto take = [&](std::span<const std::byte> values) {
    if (values.empty()) return;
    visit_integer_dtype(indices.type().dtype, [&]<class T>() {
      const auto count = std::ssize(values) / static_cast<std::ptrdiff_t>(sizeof(T));
      most = std::max(most, greatest_of<T>(values.data(), count));
    });
  };
  if (const auto view = native_view(indices)) {
    take(*view);
    return most;
  }
  constexpr std::int64_t at_once = std::int64_t{64} * 1024;
  std::vector<std::byte> values;
  for (std::int64_t first = 0; first < indices.count(); first += at_once) {
    read_native(indices, first, std::min(at_once, indices.count() - first), values);
    take(values);
  }
  return most;
}

std::optional<std::int64_t> number_of(const Operation& operation, const Arguments& arguments,
                                      std::string_view attribute) {
  const AttributeInfo* info = operation.find_attribute(attribute);
  if (info == nullptr) return std::nullopt;
  const auto number = operation.attribute<std::int64_t>(arguments.attributes, attribute);
  if (info->is_open() && number == open_end) return std::nullopt;
  const RuleOf rule = rule_of(operation, Check::base_shape);
  if (number < 0) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must be 0 or more, got {}", info->word(),
         number);
  }
  return number;
}

std::int64_t rows_of(const Operation& operation, const Arguments& arguments) {
  const Tensor& indices = arguments.operand("indices");
  if (const auto rows = number_of(operation, arguments, "num_segments")) return *rows;
  const std::int64_t least = number_of(operation, arguments, "minlength").value_or(0);
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  const std::int64_t most = greatest(indices);
  if (most == std::numeric_limits<std::int64_t>::max()) {
    const RuleOf rule = rule_of(operation, Check::base_shape);
    fail(ErrorKind::rule, rule.label, rule.operation,
         "the greatest of {} must be less than 2^63 - 1, got {}", rule.indices, most);
  }
  return std::max(most + 1, least);
}

Shape shape_of_segments(const Operation& operation, const Arguments& arguments) {
  Shape shape{rows_of(operation, arguments)};
  if (operation.base == BaseFrom::counts) return shape;
  const Shape& updates = arguments.operand("updates").shape();
  const std::size_t behind = std::min(arguments.operand("indices").rank(), updates.size());
  shape.insert(shape.end(), updates.begin() + static_cast<std::ptrdiff_t>(behind), updates.end());
  return shape;
}

Shape shape_of_base(const Operation& operation, const Arguments& arguments) {
  return operation.base == BaseFrom::shape ? given_shape(operation, arguments.operand("shape"))
                                           : shape_of_segments(operation, arguments);
}

// Counted are ones; what is added instead is float64.
void take_weights(const Operation& operation, Arguments& arguments) {
  const auto weights = arguments.operands.find("updates");
  if (weights == arguments.operands.end()) {
    const InitialValue one{.kind = InitialValue::Kind::number, .number = std::int64_t{1}};
    arguments.operands.emplace(
        "updates",
        one_value(count_type, arguments.operand("indices").shape(), one, Reduction::sum, "ones"));
    return;
  }
  require_data_dtype(rule_of(operation, Check::data_dtype), operation, weights->second);
  weights->second = cast_to(weights->second, weight_type);
}

}  // namespace

Arguments with_base(const Operation& operation, Arguments arguments) {
  check_arguments(operation, arguments);
  if (!is_made(operation.base) || arguments.has_base) return arguments;
  if (operation.base == BaseFrom::counts) take_weights(operation, arguments);
  const DType dtype = arguments.operand("updates").type().dtype;
  const ElementType& type =
      dtype == DType::opaque ? arguments.operand("updates").type() : ElementType::of(dtype);
  Shape shape = shape_of_base(operation, arguments);
  require_rank(operation, shape.size());
  const RuleOf rule = rule_of(operation, Check::base_shape);
  if (!is_addressable(shape, type.size)) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "{} must have less than 2^63 elements and bytes, got shape {}", rule.data,
         to_string(shape));
  }
  arguments.operands.emplace("data",
                             one_value(type, std::move(shape), operation.base_value,
                                       operation.reduction(arguments.attributes), "output"));
  arguments.has_base = true;
  return arguments;
}

}  // namespace tscatter

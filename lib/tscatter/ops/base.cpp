#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/ops/attribute.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/views/cast.hpp"
#include "tscatter/views/converted_elements.hpp"

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
  refuse(operation, Check::base_shape, "{} must have at most {} axes, got {}",
         operation.called("data"), max_rank, rank);
}

// ---- The operand shape

Shape given_shape(const Operation& operation, const Tensor& list) {
  const std::string_view called = operation.called("shape");
  if (list.rank() != 1) {
    refuse(operation, Check::list_rank, "{} must have rank 1, got rank {}", called, list.rank());
  }
  require_index_dtype(operation, Check::list_dtype, called, list);
  require_rank(operation, static_cast<std::size_t>(list.count()));
  Shape shape = read_integers(list);
  const auto negative = std::ranges::find_if(shape, [](std::int64_t size) { return size < 0; });
  if (negative != shape.end()) {
    refuse(operation, Check::base_shape, "{}[{}] must be 0 or more, got {}", called,
           negative - shape.begin(), *negative);
  }
  return shape;
}

// ---- A row for each segment

struct IndexRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = -1;  // if there is none of 0 or more

  void add(const IndexRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

template <class T>
IndexRange range_of(const std::byte* indices, std::int64_t count) {
  T least = std::numeric_limits<T>::max();
  T most = std::numeric_limits<T>::lowest();
  vectorised([=, &least, &most] {
    T own_least = std::numeric_limits<T>::max();
    T own_most = std::numeric_limits<T>::lowest();
    for (std::int64_t i = 0; i < count; ++i) {
      own_least = std::min(own_least, load<T>(indices, i));
      own_most = std::max(own_most, load<T>(indices, i));
    }
    least = own_least;
    most = own_most;
  });
  return {.least = saturated(least), .most = saturated(most)};
}

IndexRange range_of(std::span<const std::byte> indices, DType dtype) {
  return visit_integer_dtype(dtype, [&]<class T>() {
    return range_of<T>(indices.data(),
                       std::ssize(indices) / static_cast<std::ptrdiff_t>(sizeof(T)));
  });
}

IndexRange range_of(const Tensor& indices, int threads) {
  constexpr std::int64_t at_once = std::int64_t{64} * 1024;
  const std::optional<std::span<const std::byte>> view = native_view(indices);
  const DType dtype = indices.type().dtype;
  const auto size = static_cast<std::int64_t>(indices.type().size);
  const std::int64_t count = indices.count();
  const std::int64_t pieces = (count + at_once - 1) / at_once;
  std::vector<IndexRange> ranges(static_cast<std::size_t>(pieces));
  for_each_task(pieces, {.threads = threads}, [&] {
    return [&, values = std::vector<std::byte>()](std::int64_t piece) mutable {
      const std::int64_t first = piece * at_once;
      const std::int64_t length = std::min(at_once, count - first);
      if (!view) read_native(indices, first, length, values);
      ranges[static_cast<std::size_t>(piece)] =
          range_of(view ? view->subspan(static_cast<std::size_t>(first * size),
                                        static_cast<std::size_t>(length * size))
                        : std::span<const std::byte>(values),
                   dtype);
    };
  });
  IndexRange all;
  for (const IndexRange& each : ranges) all.add(each);
  return all;
}

std::optional<std::int64_t> number_of(const Operation& operation, const Arguments& arguments,
                                      std::string_view attribute) {
  const AttributeInfo* info = operation.find_attribute(attribute);
  if (info == nullptr) return std::nullopt;
  const auto number = operation.attribute<std::int64_t>(arguments.attributes, attribute);
  if (info->is_open() && number == open_end) return std::nullopt;
  if (number < 0) {
    refuse(operation, Check::base_shape, "{} must be 0 or more, got {}", info->word(), number);
  }
  return number;
}

// How many rows data has, and whether it is known that indices name no other.
struct Rows {
  std::int64_t count = 0;
  bool has_all_indices = false;
};

Rows rows_of(const Operation& operation, const Arguments& arguments, int threads) {
  const Tensor& indices = arguments.operand("indices");
  if (const auto rows = number_of(operation, arguments, "num_segments")) return {.count = *rows};
  const std::int64_t least = number_of(operation, arguments, "minlength").value_or(0);
  require_index_dtype(operation, indices);
  const IndexRange range = range_of(indices, threads);
  if (range.most == std::numeric_limits<std::int64_t>::max()) {
    refuse(operation, Check::base_shape, "the greatest of {} must be less than 2^63 - 1, got {}",
           operation.called("indices"), range.most);
  }
  return {.count = std::max(range.most + 1, least), .has_all_indices = range.least >= 0};
}

Shape shape_of_segments(const Operation& operation, const Arguments& arguments, std::int64_t rows) {
  Shape shape{rows};
  if (operation.base == BaseFrom::counts) return shape;
  const Shape& updates = arguments.operand("updates").shape();
  const std::size_t behind = std::min(arguments.operand("indices").rank(), updates.size());
  shape.insert(shape.end(), updates.begin() + static_cast<std::ptrdiff_t>(behind), updates.end());
  return shape;
}

Shape shape_of_base(const Operation& operation, Arguments& arguments, int threads) {
  if (operation.base == BaseFrom::shape) return given_shape(operation, arguments.operand("shape"));
  const Rows rows = rows_of(operation, arguments, threads);
  arguments.has_all_indices = rows.has_all_indices;
  return shape_of_segments(operation, arguments, rows.count);
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
  require_data_dtype(operation, weights->second);
  weights->second = cast_to(weights->second, weight_type);
}

}  // namespace

Arguments with_base(const Operation& operation, Arguments arguments, int threads) {
  check_arguments(operation, arguments);
  if (!is_made(operation.base) || arguments.has_base) return arguments;
  if (operation.base == BaseFrom::counts) take_weights(operation, arguments);
  const DType dtype = arguments.operand("updates").type().dtype;
  const ElementType& type =
      dtype == DType::opaque ? arguments.operand("updates").type() : ElementType::of(dtype);
  Shape shape = shape_of_base(operation, arguments, threads);
  require_rank(operation, shape.size());
  if (!is_addressable(shape, type.size)) {
    refuse(operation, Check::base_shape,
           "{} must have less than 2^63 elements and bytes, got shape {}", operation.called("data"),
           to_string(shape));
  }
  arguments.operands.emplace("data",
                             one_value(type, std::move(shape), operation.base_value,
                                       operation.reduction(arguments.attributes), "output"));
  arguments.has_base = true;
  return arguments;
}

}  // namespace tscatter

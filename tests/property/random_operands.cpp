#include "property/random_operands.hpp"

#include <algorithm>
#include <limits>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"

namespace tscatter::property {
namespace {

using oracle::Dense;
using oracle::Int128;

// A legal index for an axis of `size` elements that the dtype can hold.
Int128 random_index(Random& random, DType dtype, std::int64_t size, bool may_be_negative) {
  std::int64_t index =
      random.chance(20) ? random.among<std::int64_t>({0, size - 1}) : random.between(0, size - 1);
  if (!oracle::fits(dtype, index)) index %= 128;
  const Int128 from_the_end = static_cast<Int128>(index) - size;
  if (may_be_negative && random.chance(40) && oracle::fits(dtype, from_the_end))
    return from_the_end;
  return index;
}

AttributeValue random_value(Random& random, const AttributeInfo& attribute, DType dtype) {
  switch (attribute.type()) {
    case AttributeType::reduction:
      while (true) {
        const AttributeValue& value = attribute.choices[random.bits() % attribute.choices.size()];
        if (oracle::is_defined(dtype, std::get<Reduction>(value))) return value;
      }
    case AttributeType::word: return attribute.choices[random.bits() % attribute.choices.size()];
    case AttributeType::boolean: return random.chance(50);
    case AttributeType::integer: return attribute.default_value;
    case AttributeType::number:
      while (true) {
        const auto number = random.among<Number>(
            {std::int64_t{1}, std::int64_t{0}, std::int64_t{2}, std::int64_t{-1}, 0.5, 1e30, -0.0});
        if (const auto value = fitted(number, dtype)) return *value;
      }
  }
  unreachable();
}

}  // namespace

Shape random_entries_shape(Random& random, std::int64_t block, std::int64_t limit,
                           bool must_be_empty) {
  const auto rank = static_cast<std::size_t>(random.between(0, 3));
  Shape shape = random_shape(random, rank,
                             std::max<std::int64_t>(limit / std::max<std::int64_t>(block, 1), 1));
  if (must_be_empty && oracle::product(shape) > 0) {
    if (shape.empty()) shape.push_back(0);
    random.among({&shape.front(), &shape.back()})[0] = 0;
  }
  return shape;
}

std::vector<Int128> random_entries(Random& random, DType dtype, std::int64_t count,
                                   const Shape& sizes, bool may_be_negative) {
  const bool repeats = random.chance(50);
  const std::int64_t distinct = repeats ? random.between(1, 4) : count;
  std::vector<std::vector<Int128>> pool;
  for (std::int64_t i = 0; i < std::min(distinct, count); ++i) {
    std::vector<Int128>& entry = pool.emplace_back();
    for (const std::int64_t size : sizes)
      entry.push_back(random_index(random, dtype, size, may_be_negative));
  }
  std::vector<Int128> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& entry = repeats ? random.among(pool) : pool[static_cast<std::size_t>(i)];
    values.insert(values.end(), entry.begin(), entry.end());
  }
  return values;
}

Dense integers(const ElementType& type, const Shape& shape, const std::vector<Int128>& values) {
  Dense dense = Dense::zeros(type, shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    oracle::store_integer(type.dtype, values[i], dense.element(i));
  }
  return dense;
}

Dense random_scalar(Random& random, Int128 value) {
  ElementType type = random_integer_type(random);
  while (!oracle::fits(type.dtype, value)) type = random_integer_type(random);
  return integers(type, random.among({Shape{}, Shape{1}}), {value});
}

Int128 random_bound(Random& random, DType dtype, std::int64_t size) {
  const int width = static_cast<int>(info(dtype).size) * 8;
  const Int128 half = Int128{1} << (width - 1);
  const auto extreme =
      random.among<Int128>({half - 1, -half, 2 * half - 1, half, -half + 1, 2 * half - 2});
  Int128 value = random.chance(75) ? Int128{random.between(-size - 3, size + 3)} : extreme;
  if (random.chance(5))
    value = random.among<Int128>(
        {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()});
  return oracle::fits(dtype, value) ? value : random.between(0, 3);
}

Attributes random_attributes(Random& random, const Operation& operation, DType dtype) {
  Attributes attributes;
  for (const AttributeInfo& attribute : operation.attributes)
    attributes.emplace(attribute.name, random_value(random, attribute, dtype));
  if (!oracle::is_defined(dtype, operation.reduction(attributes))) attributes["accumulate"] = false;
  return attributes;
}

}  // namespace tscatter::property

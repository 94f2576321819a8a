#include "tscatter/generate/generated_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter::generate {
namespace {

TensorHeader header_of(DType dtype, Shape shape) {
  TensorHeader header{.type = ElementType::of(dtype, std::endian::little)};
  header.shape = std::move(shape);
  return header;
}

// The values that cases use; for an integer the default, numbers that are none of bool but 0 and 1.
std::vector<AttributeValue> all_values_of(const AttributeInfo& attribute) {
  switch (attribute.type()) {
    case AttributeType::reduction:
    case AttributeType::word: return {attribute.choices.begin(), attribute.choices.end()};
    case AttributeType::boolean: return {false, true};
    case AttributeType::integer: return {attribute.default_value};
    case AttributeType::number:
      return {attribute.default_value, Number(std::int64_t{2}), Number(std::int64_t{0})};
  }
  unreachable();
}

// But a promise that the draws of places would have to keep.
std::vector<AttributeValue> values_of(const AttributeInfo& attribute) {
  std::vector<AttributeValue> values = all_values_of(attribute);
  std::erase_if(values, [&](const AttributeValue& each) {
    const IndexAnswer* answer = answer_of(attribute, each);
    return answer != nullptr && answer->duplicates == DuplicatePolicy::forbidden;
  });
  return values;
}

Tensor view_of(const NamedTensor& named) {
  const GeneratedTensor& tensor = named.tensor;
  if (tensor.is_hole())
    return filled(tensor.header, std::vector<std::byte>(tensor.header.type.size), named.operand);
  return {tensor.header, std::span<const std::byte>(tensor.bytes), named.operand};
}

ValuesWanted values_wanted(const Setting& setting) {
  return {.set = setting.set, .dtype = setting.dtype, .reduction = setting.reduction};
}

GeneratedTensor values_of(const Setting& setting, Stream stream, Shape shape, std::int64_t entries,
                          std::int64_t scaled) {
  const std::int64_t count = element_count(shape);
  ValuesWanted wanted = values_wanted(setting);
  wanted.entries = entries;
  wanted.scaled = scaled;
  return {.header = header_of(setting.dtype, std::move(shape)),
          .bytes = draw_values(setting.draws, stream, wanted, count)};
}

// The reduction is given, as a reduction or as "accumulate" (put_reduction()).
bool is_drawn(const AttributeInfo& attribute) {
  return attribute.type() != AttributeType::reduction && attribute.name != "accumulate";
}

}  // namespace

const GeneratedTensor& GeneratedCase::operand(std::string_view operand_name) const {
  const auto found = std::ranges::find(operands, operand_name, &NamedTensor::operand);
  assert(found != operands.end());
  return found->tensor;
}

const GeneratedTensor* GeneratedCase::values() const {
  for (const std::string_view each : {"data", "updates"}) {
    const auto found = std::ranges::find(operands, each, &NamedTensor::operand);
    if (found != operands.end()) return &found->tensor;
  }
  return nullptr;
}

Arguments arguments_of(const GeneratedCase& generated) {
  Arguments arguments;
  for (const NamedTensor& each : generated.operands)
    arguments.operands.emplace(each.operand, view_of(each));
  arguments.attributes = generated.attributes;
  arguments.index = generated.index;
  return arguments;
}

void put_reduction(Attributes& attributes, Reduction reduction) {
  if (attributes.contains("reduction")) attributes["reduction"] = reduction;
  if (attributes.contains("accumulate")) attributes["accumulate"] = reduction == Reduction::sum;
}

Attributes default_attributes(const Setting& setting) {
  Attributes attributes;
  for (const AttributeInfo& attribute : setting.operation->attributes)
    attributes.emplace(attribute.name, attribute.default_value);
  put_reduction(attributes, setting.reduction);
  return attributes;
}

Attributes attributes_of(const Setting& setting) {
  Attributes attributes = default_attributes(setting);
  std::uint64_t place = 0;
  for (const AttributeInfo& attribute : setting.operation->attributes) {
    std::vector<AttributeValue> values = values_of(attribute);
    std::erase_if(values, [&](const AttributeValue& each) {
      const auto* number = std::get_if<Number>(&each);
      return number != nullptr && !fitted(*number, setting.dtype);
    });
    const std::uint64_t word = setting.draws.word(Stream::attributes, place++);
    if (is_drawn(attribute)) attributes.find(attribute.name)->second = values[word % values.size()];
  }
  return attributes;
}

Policies policies_of(const Setting& setting) {
  return setting.operation->policies_of_call(attributes_of(setting));
}

std::string attribute_words(const Setting& setting, const Attributes& attributes) {
  std::string text;
  for (const AttributeInfo& attribute : setting.operation->attributes) {
    const AttributeValue& value = attributes.find(attribute.name)->second;
    if (is_drawn(attribute) && value != attribute.default_value)
      text = joined({text, fmt::format("{}-{}", attribute.word(), to_string(value))});
  }
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

unsigned full_bits(ValueSet set, DType dtype) {
  const std::size_t size = info(dtype).size;
  if (set != ValueSet::full || dtype == DType::boolean || size > 2) return 0;
  return static_cast<unsigned>(8 * size);
}

Frame draw_frame(const Setting& setting) {
  std::vector<Frame> frames;
  for (std::size_t rank = 1; rank <= setting.max_rank; ++rank) {
    for (std::size_t axes = 0; axes <= rank; ++axes) {
      if (axes == setting.depth.value_or(axes)) frames.push_back({rank, axes});
    }
  }
  return frames[setting.draws.turn(Stream::frame, frames.size())];
}

DataShape draw_data_shape(const Setting& setting, std::size_t rank) {
  if (const unsigned bits = full_bits(setting.set, setting.dtype); bits > 0) {
    return {.shape = draw_full_shape(setting.draws, rank, bits), .word = {}};
  }
  const Style style = draw_style(setting.draws);
  return {.shape = draw_shape(setting.draws, style, rank, setting.limit),
          .word = style_words[static_cast<std::size_t>(style)]};
}

bool holds(DType dtype, std::int64_t value) {
  const auto bits = static_cast<unsigned>(8 * info(dtype).size);
  const bool is_signed = info(dtype).kind == DTypeKind::signed_integer;
  if (value < 0 && !is_signed) return false;
  if (bits == 64) return true;
  const std::int64_t end = std::int64_t{1} << (is_signed ? bits - 1 : bits);
  return value < end && (value >= 0 || value >= -end);
}

DType holding(DType drawn, const std::vector<std::int64_t>& values) {
  for (const DType dtype : {drawn, DType::int8, DType::int16, DType::int32}) {
    const auto fits_in = [&](std::int64_t value) { return holds(dtype, value); };
    if (std::ranges::all_of(values, fits_in)) return dtype;
  }
  return DType::int64;
}

DType draw_integer_dtype(const Draws& draws, std::size_t further) {
  const std::size_t turn = draws.turn(Stream::index_dtype, integer_dtypes.size());
  return integer_dtypes[(turn + 3 * further) % integer_dtypes.size()];
}

DType draw_index_dtype(const Setting& setting) {
  if (setting.index_dtype) return *setting.index_dtype;
  return setting.draws.among(Stream::index_dtype, setting.operation->index_dtypes);
}

GeneratedTensor integers(DType dtype, Shape shape, const std::vector<std::int64_t>& values) {
  const std::size_t size = info(dtype).size;
  std::vector<std::byte> bytes;
  for (const std::int64_t value : values) {
    for (std::size_t byte = 0; byte < size; ++byte) {
      bytes.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * byte))));
    }
  }
  return {.header = header_of(dtype, std::move(shape)), .bytes = std::move(bytes)};
}

GeneratedTensor data_values(const Setting& setting, Shape shape, std::int64_t entries) {
  const std::int64_t count = element_count(shape);
  return values_of(setting, Stream::data, std::move(shape), entries, count);
}

GeneratedTensor update_values(const Setting& setting, Shape shape, std::int64_t entries) {
  const std::int64_t count = element_count(shape);
  const std::int64_t scaled = entries == 0 ? 0 : scaled_entries * (count / entries);
  return update_values(setting, std::move(shape), entries, scaled);
}

GeneratedTensor update_values(const Setting& setting, Shape shape, std::int64_t entries,
                              std::int64_t scaled) {
  return values_of(setting, Stream::updates, std::move(shape), entries, scaled);
}

std::string joined(std::initializer_list<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (word.empty()) continue;
    if (!text.empty()) text += '-';
    text += word;
  }
  return text;
}

}  // namespace tscatter::generate

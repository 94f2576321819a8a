#include "generate/cases.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "oracle/base.hpp"
#include "property/environment.hpp"
#include "tscatter/apply/apply.hpp"

namespace tscatter::generate {

GenerateOptions options_for(std::string_view operation, std::uint64_t seed, std::int64_t count) {
  return {.operation = find_operation(operation), .seed = seed, .count = count};
}

std::int64_t generated_cases() {
  return static_cast<std::int64_t>(
      property::extent("TSCATTER_GENERATED", {.whole = 200, .sample = 60, .slowed = 15}));
}

std::vector<GeneratedCase> all_cases(const GenerateOptions& options) {
  const CaseGenerator generator(options);
  std::vector<GeneratedCase> cases;
  for (std::int64_t i = 0; i < generator.size(); ++i) cases.push_back(generator.at(i));
  return cases;
}

oracle::Dense native(const GeneratedTensor& tensor) {
  oracle::Dense like{.type = tensor.header.type, .shape = tensor.header.shape, .bytes = {}};
  like.type.byte_order = std::endian::native;
  return oracle::loaded(like, {.byte_order = std::endian::little}, tensor.bytes);
}

oracle::Call call_of(const GeneratedCase& generated) {
  oracle::Call call{.operation = generated.operation->id, .operands = {}};
  for (const auto& [operand, tensor] : generated.operands) {
    call.operands[operand] = native(tensor);
  }
  call.attributes = generated.attributes;
  call.index = generated.index;
  return call;
}

GeneratedCase case_of(const oracle::Call& call) {
  constexpr oracle::Layout layout{.byte_order = std::endian::little};
  GeneratedCase generated{.name = {},
                          .operation = &call.row(),
                          .operands = {},
                          .index = call.index,
                          .attributes = call.attributes,
                          .expected_error = {}};
  for (const auto& [operand, dense] : call.operands) {
    if (operand == "data" && is_made(call.row().base)) continue;
    generated.operands.push_back(
        {operand,
         {.header = oracle::header_of(dense, layout), .bytes = oracle::stored(dense, layout)}});
  }
  return generated;
}

std::vector<std::int64_t> integers_of(const GeneratedTensor& tensor) {
  const oracle::Dense dense = native(tensor);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < dense.count(); ++i) {
    const oracle::Int128 value = oracle::load_integer(dense.type.dtype, dense.element(i));
    // That of Boost does not wrap.
    values.push_back(value < 0 ? static_cast<std::int64_t>(value)
                               : static_cast<std::int64_t>(static_cast<std::uint64_t>(value)));
  }
  return values;
}

bool has_word(const GeneratedCase& generated, const std::string& word) {
  return ("-" + generated.name + "-").find("-" + word + "-") != std::string::npos;
}

std::vector<std::byte> output_of(const GeneratedCase& generated) {
  const oracle::Call call = call_of(generated);
  const bool has_data = !oracle::broken_base(call).has_value();
  std::vector<std::byte> bytes(has_data ? oracle::based(call).operand("data").bytes.size() : 0);
  MemoryOutput output{std::span<std::byte>(bytes)};
  apply(*generated.operation, arguments_of(generated), output, {.threads = 1});
  return bytes;
}

std::vector<std::byte> expected_output_of(const oracle::Call& call) {
  return oracle::stored(oracle::apply(call).output, {.byte_order = std::endian::little});
}

std::int64_t duplicates_of(const GeneratedCase& generated) {
  return check(*generated.operation, arguments_of(generated), {.threads = 1}).counts.duplicates;
}

std::size_t entries_of(const GeneratedCase& generated) {
  const Shape& shape = generated.operand("indices").header.shape;
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) count *= shape[axis];
  return static_cast<std::size_t>(count);
}

GeneratedCase reordered(const GeneratedCase& generated, const std::vector<std::size_t>& order) {
  GeneratedCase other = generated;
  for (NamedTensor& each : other.operands) {
    if (each.operand == "data" || order.empty()) continue;
    const std::vector<std::byte>& from = generated.operand(each.operand).bytes;
    const std::size_t row = from.size() / order.size();
    for (std::size_t i = 0; i < order.size() && row > 0; ++i) {
      std::memcpy(&each.tensor.bytes[i * row], &from[order[i] * row], row);
    }
  }
  return other;
}

}  // namespace tscatter::generate

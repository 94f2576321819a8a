#include "tscatter/generate/broken_cases.hpp"

#include <fmt/format.h>

#include <array>

#include "tscatter/generate/broken_call.hpp"
#include "tscatter/generate/legal_cases.hpp"

namespace tscatter::generate {
namespace {

const BrokenOperation& broken_operation(std::string_view id) {
  if (id == scatter_update_id) return broken_scatter_update;
  if (id == scatter_nd_3_id) return broken_scatter_nd_3;
  return id == slice_id ? broken_slice : broken_scatter_nd_15;
}

}  // namespace

GeneratedCase broken_case(const Setting& setting) {
  const BrokenOperation& operation = broken_operation(setting.operation->id);
  const Variant& variant =
      operation.variants[setting.draws.turn(Stream::variant, operation.variants.size())];
  BrokenCall call(setting);
  operation.begin(call);
  variant.break_rule(call);
  GeneratedCase made = std::move(call).made();
  made.name = fmt::format("{}-{}", variant.rule, variant.words);
  made.expected_error = fmt::format("{}.{}", operation.id, variant.rule);
  return made;
}

std::size_t broken_variants(const Operation& operation) {
  return broken_operation(operation.id).variants.size();
}

}  // namespace tscatter::generate

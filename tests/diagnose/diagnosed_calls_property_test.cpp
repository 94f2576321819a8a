// Random calls of every operation with a fault, against the oracle: what a diagnosis says of the
// whole call is what the oracle leaves so. TSCATTER_SEED and TSCATTER_ELEMENTS.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"
#include "oracle/oracle.hpp"
#include "property/environment.hpp"
#include "property/random_calls.hpp"
#include "property/random_operands.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

using oracle::Call;
using oracle::Dense;
using oracle::Int128;
using planted::all_of;
using planted::wrong_elements;
using property::Random;

Tensor as_tensor(const Dense& dense) {
  return {oracle::header_of(dense, {}), owned_source(std::vector<std::byte>(dense.bytes))};
}

Arguments arguments_of(const Call& call) {
  Arguments arguments;
  for (const auto& [name, dense] : call.operands)
    arguments.operands.emplace(name, as_tensor(dense));
  arguments.attributes = call.attributes;
  return arguments;
}

// What the call would leave; nullopt if a rule refuses it, or it is another result.
std::optional<Dense> left_by(const Call& call, const Dense& data) {
  if (oracle::refusal_of(call)) return std::nullopt;
  Dense output = oracle::apply(call).output;
  return output.shape == data.shape ? std::optional(std::move(output)) : std::nullopt;
}

Call with_axis(Call call, std::int64_t axis) {
  if (call.row().find_attribute("axis") != nullptr) {
    call.attributes["axis"] = axis;
  } else {
    Dense& operand = call.operands["axis"];
    operand = property::integers(ElementType::of(DType::int64), operand.shape, {axis});
  }
  return call;
}

// "--oob modulo --extremes ieee", "--mode circular".
std::optional<Call> with_answers(Call call, const std::string& flags) {
  auto row = std::make_shared<Operation>(call.row());
  std::istringstream words(flags);
  for (std::string flag, word; words >> flag >> word;) {
    const std::string name = flag.substr(2);
    if (const AttributeInfo* attribute = row->find_attribute(name)) {
      call.attributes[name] = *parse_attribute(*attribute, word);
    } else if (const PolicyInfo* policy = find_policy(name)) {
      override_policy(*row, *policy, word);
    } else {
      return std::nullopt;
    }
  }
  call.variant = std::move(row);
  return call;
}

// Indices of int64, off along an axis by so many; what is then out of range is dropped.
Call with_indices_off(Call call, std::int64_t axis, Int128 by) {
  auto row = std::make_shared<Operation>(call.row());
  if (row->policies.outside == OutsideIndex::error)
    row->policies.outside = OutsideIndex::drop_window;
  call.variant = row;
  Dense& indices = call.operands["indices"];
  std::vector<Int128> values;
  for (std::size_t i = 0; i < indices.count(); ++i) {
    const Int128 value = oracle::integer_at(indices, i);
    const std::int64_t depth = indices.shape.empty() ? 1 : indices.shape.back();
    const bool is_it = row->form != Form::nd || static_cast<std::int64_t>(i) % depth == axis;
    values.push_back(is_it ? value + by : value);
  }
  const bool takes_long = takes_indices_of(*row, DType::int64);
  indices = property::integers(ElementType::of(takes_long ? DType::int64 : DType::int32),
                               indices.shape, values);
  return call;
}

// The axis that the call names, or the only one that indices count along.
std::int64_t indexed_axis(const Call& call) {
  if (call.row().form == Form::batched_rows) return 1;
  const auto axis = static_cast<std::int64_t>(oracle::given_axis(call));
  const auto rank = static_cast<std::int64_t>(call.operand("data").shape.size());
  return axis < 0 ? axis + rank : axis;
}

// Behind the words; nullopt if they begin otherwise.
std::optional<std::string> rest_of(const std::string& words, std::string_view beginning) {
  return words.starts_with(beginning) ? std::optional(words.substr(beginning.size()))
                                      : std::nullopt;
}

// What the words say the result is; nullopt if they say nothing that this test knows.
std::optional<Dense> claimed(const Call& call, const std::string& words) {
  const Dense& data = call.operand("data");
  if (words == "no update applied: data's value") return data;
  if (const auto axis = rest_of(words, "along axis "))
    return left_by(with_axis(call, std::strtoll(axis->c_str(), nullptr, 10)), data);
  if (const auto by = rest_of(words, "indices off by ")) {
    const std::int64_t axis = std::strtoll(by->c_str() + by->find("axis ") + 5, nullptr, 10);
    if (call.row().form == Form::window) return std::nullopt;
    if (call.row().form != Form::nd) REQUIRE(axis == indexed_axis(call));
    return left_by(with_indices_off(call, axis, std::strtoll(by->c_str(), nullptr, 10)), data);
  }
  if (const auto flags = rest_of(words, "as with --")) {
    const auto other = with_answers(call, "--" + *flags);
    return other ? left_by(*other, data) : std::nullopt;
  }
  return std::nullopt;
}

struct CallFault {
  std::string words;  // "": none
  Dense actual;
};

// A call with another answer to a question or two.
std::string random_flags(Random& random, const Operation& operation) {
  std::string flags;
  const std::int64_t count = random.between(1, 2);
  std::set<Policy> asked;
  for (std::int64_t times = 0; times < count; ++times) {
    const Policy policy = random.among({Policy::outside, Policy::negative, Policy::extremes,
                                        Policy::accumulation, Policy::initial});
    if (!can_override(operation, policy) || !asked.insert(policy).second) continue;
    const PolicyInfo& row = info(policy);
    const auto word = row.words[random.bits() % row.words.size()].word;
    if (word != "error" && word != answer_to(row, operation))
      flags += std::string(flags.empty() ? "" : " ") + "--" + std::string(row.key) + " " +
               std::string(word);
  }
  return flags;
}

// Words that are sure to be named where they explain all: of one fault.
CallFault random_fault(Random& random, const Call& call) {
  const Dense& data = call.operand("data");
  const Operation& row = call.row();
  std::string words;
  const auto rank = static_cast<std::int64_t>(data.shape.size());
  const bool has_axis =
      row.form == Form::rows || row.form == Form::elements || row.form == Form::start;
  switch (random.between(0, 4)) {
    case 0: words = "no update applied: data's value"; break;
    case 1:
      if (has_axis) words = "along axis " + std::to_string(random.between(0, rank - 1));
      break;
    case 2: {
      if (!has_axis && row.form != Form::nd && row.form != Form::batched_rows) break;
      if (!call.operands.contains("indices") || call.operand("indices").count() == 0) break;
      const Shape& indices = call.operand("indices").shape;
      const std::int64_t axis =
          row.form == Form::nd ? random.between(0, indices.back() - 1) : indexed_axis(call);
      words = std::string("indices off by ") + (random.chance(50) ? "+1" : "-1") + " along axis " +
              std::to_string(axis);
      break;
    }
    default: {
      const std::string flags = random_flags(random, row);
      if (!flags.empty()) words = "as with " + flags;
    }
  }
  auto actual = words.empty() ? std::nullopt : claimed(call, words);
  if (actual) return {.words = words, .actual = *std::move(actual)};
  return {.words = "", .actual = oracle::apply(call).output};
}

bool has_same(const Dense& a, const Dense& b, std::size_t i) {
  return std::equal(a.element(i), a.element(i) + a.type.size, b.element(i));
}

// Requires of each diagnosis that it explains as many elements, and that of integers no element
// that is right denies it. Returns how many were compared.
std::uint64_t check_diagnoses(const Verification& v, const Call& call, const Dense& actual) {
  const std::vector<bool> wrong = wrong_elements(v, actual.count());
  std::uint64_t compared = 0;
  for (const orders::Diagnosis& each : v.diagnoses.named) {
    INFO(each.words);
    const auto claim = claimed(call, each.words);
    if (!claim) continue;
    ++compared;
    std::int64_t explained = 0;
    for (std::size_t i = 0; i < actual.count(); ++i) {
      if (wrong[i] && has_same(*claim, actual, i)) ++explained;
    }
    REQUIRE(each.exact <= explained);
    const bool is_whole = each.name != "no-update" && call.reduction() != Reduction::none &&
                          is_integer(actual.type.dtype);
    for (std::size_t i = 0; i < actual.count() && is_whole; ++i) {
      if (!wrong[i]) REQUIRE(has_same(*claim, actual, i));
    }
  }
  return compared;
}

bool is_among_named(const Verification& v, const std::string& words) {
  return std::ranges::any_of(v.diagnoses.named, [&](const orders::Diagnosis& each) {
    const bool is_it = each.words == words || words.find(" --", 11) != std::string::npos;
    return is_it && each.rank == 1 && each.explained == v.diagnoses.examined;
  });
}

}  // namespace

TEST_CASE("diagnose: no diagnosis of a call of any operation is false", "[diagnose]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", 20261123);
  const std::uint64_t elements =
      property::extent("TSCATTER_ELEMENTS", {.whole = 100000, .sample = 20000, .slowed = 3000});
  std::uint64_t examined = 0;
  std::uint64_t compared = 0;
  std::set<std::string_view> operations;
  for (std::uint64_t seed = first; examined < elements; ++seed) {
    Random random(seed);
    const auto call = property::random_legal_call(random);
    const Dense& data = call.operand("data");
    if (data.count() == 0 || data.type.dtype == DType::boolean) continue;
    CallFault fault = random_fault(random, call);
    const bool is_mixed = random.chance(20);
    if (is_mixed) fault.actual.bytes[random.bits() % fault.actual.bytes.size()] ^= std::byte{1};
    const bool tries_any = random.chance(30);
    const Verification v =
        verify(call.row(), arguments_of(call), as_tensor(fault.actual),
               {.policies = tries_any ? TriedPolicies::together : TriedPolicies::one_at_a_time,
                .worst = most_verdicts});
    const std::int64_t wrong = v.count(ElementClass::wrong);
    INFO("TSCATTER_SEED=" << seed << ", " << call.operation << ", " << to_string(data.type) << " "
                          << to_string(data.shape) << ", " << fault.words << "\n"
                          << all_of(v));
    if (wrong == 0) CHECK(v.diagnoses.named.empty());
    if (v.diagnoses.examined != wrong) continue;
    examined += data.count();
    compared += check_diagnoses(v, call, fault.actual);
    if (v.diagnoses.examined > 0) operations.insert(call.operation);
    const bool is_tried = tries_any || fault.words.find(" --", 11) == std::string::npos;
    const bool is_planted = wrong > 0 && !is_mixed && is_tried && !fault.words.empty();
    if (is_planted && is_integer(data.type.dtype)) REQUIRE(is_among_named(v, fault.words));
  }
  CHECK(compared > elements / 400);
  CHECK(operations.size() >= 10);
}

}  // namespace tscatter

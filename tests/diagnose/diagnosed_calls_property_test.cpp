// Random calls of every operation with faults, against the oracle: what a diagnosis says is made as
// a call, and leaves what was got. TSCATTER_SEED and TSCATTER_CALLS.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "diagnose/call_claims.hpp"
#include "diagnose/verdicts.hpp"
#include "oracle/oracle.hpp"
#include "oracle/parts.hpp"
#include "property/environment.hpp"
#include "property/random_calls.hpp"
#include "property/random_operands.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

using oracle::Call;
using oracle::Dense;
using planted::all_of;
using planted::CallClaim;
using planted::claim_of;
using planted::wrong_elements;
using property::Random;

// It says nothing of the value but that it is a NaN.
constexpr std::string_view other_nan = "another NaN where bits only move";

Tensor as_tensor(const Dense& dense) {
  return {oracle::header_of(dense, {}), owned_source(std::vector<std::byte>(dense.bytes))};
}

Arguments arguments_of(const Call& call) {
  Arguments arguments;
  for (const auto& [name, dense] : call.operands)
    arguments.operands.emplace(name, as_tensor(dense));
  arguments.attributes = call.attributes;
  arguments.index = call.index;
  arguments.has_base = is_made(call.row().base);
  return arguments;
}

struct CallFault {
  std::string words;  // "": none
  Dense actual;
};

// Other answers to a question or two.
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
      flags += std::string(flags.empty() ? "" : " ") + "--" +
               std::string(names_of(row, row.key, operation).front()) + " " + std::string(word);
  }
  return flags;
}

std::string random_axis_words(Random& random, const Call& call) {
  const Operation& row = call.row();
  const auto rank = static_cast<std::int64_t>(call.operand("data").shape.size());
  const bool has_axis =
      row.form == Form::rows || row.form == Form::elements || row.form == Form::start;
  return has_axis ? "along axis " + std::to_string(random.between(0, rank - 1)) : "";
}

std::string random_index_words(Random& random, const Call& call) {
  const Operation& row = call.row();
  if (!call.operands.contains("indices") || call.operand("indices").count() == 0) return "";
  if (row.form == Form::window || row.form == Form::slice || oracle::is_part(call)) return "";
  const Shape& indices = call.operand("indices").shape;
  std::int64_t axis = 1;
  if (row.form == Form::nd || row.form == Form::block) {
    axis = random.between(0, indices.back() - 1);
  } else if (row.form != Form::batched_rows) {
    const auto given = static_cast<std::int64_t>(oracle::given_axis(call));
    const auto rank = static_cast<std::int64_t>(call.operand("data").shape.size());
    axis = given < 0 ? given + rank : given;
  }
  return std::string(entries_name(row)) + " off by " + (random.chance(50) ? "+1" : "-1") +
         " along axis " + std::to_string(axis);
}

std::string random_entry(Random& random, const Call& call) {
  const auto entries = oracle::writes_of(call).entries;
  if (entries.empty()) return "";
  return std::string(entries_name(call.row())) + to_string(random.among(entries).entry);
}

// A fault that needs no more than the call.
std::string random_words(Random& random, const Call& call) {
  const auto reductions = {Reduction::none, Reduction::sum, Reduction::sub, Reduction::prod,
                           Reduction::min,  Reduction::max, Reduction::mean};
  switch (random.between(0, 9)) {
    case 0: return "no update applied: data's value";
    case 1: return random_axis_words(random, call);
    case 2: return random_index_words(random, call);
    case 3: {
      const auto entry = random_entry(random, call);
      return entry.empty() ? "" : (random.chance(50) ? "without " : "twice ") + entry;
    }
    case 4: {
      const Reduction other = random.among(reductions);
      if (!is_defined(other, call.operand("data").type.dtype)) return "";
      return "as with the reduction " + std::string(to_string(other));
    }
    case 5:
      return random.among<std::string>({"every update twice", "data's value twice",
                                        "updates in reversed order of the entries",
                                        "written in the other memory order",
                                        "shifted by +1 elements", "rotated by +2 elements"});
    case 6:
      if (call.row().find_attribute("alpha") != nullptr) return "as with --alpha 1";
      return "subnormal numbers flushed to zero";
    default: {
      const std::string flags = random_flags(random, call.row());
      return flags.empty() ? "" : "as with " + flags;
    }
  }
}

// Words that are sure to be named where they explain all: of faults that no accident looks like.
bool is_sure(const Operation& operation, const std::string& words) {
  // One value for all has then been given the shape along the call's own axis.
  const bool is_filled = operation.updates_shape == UpdatesShape::fill;
  if (is_filled && words.starts_with("along")) return false;
  // Of integers it is the identity, which is named.
  if (words.find("--self infinite") != std::string::npos) return false;
  // An attribute that says the same is named.
  const bool has_attribute = operation.find_attribute("use_init_val") != nullptr;
  if (has_attribute && words.find("--self ") != std::string::npos) return false;
  return words.starts_with("no update") || words.starts_with("along") ||
         words.find(" off by ") != std::string::npos || words.starts_with("as with");
}

// Another element's value in place of some elements'.
void mix(Random& random, const Call& call, Dense& actual) {
  const std::int64_t times = random.between(1, 3);
  for (std::int64_t k = 0; k < times; ++k) {
    const Dense& from = random.chance(50) ? actual
                        : random.chance(50) || call.operand("updates").count() == 0
                            ? call.operand("data")
                            : call.operand("updates");
    const std::vector<std::byte> value(from.element(random.bits() % from.count()),
                                       from.element(0) + from.bytes.size());
    std::copy_n(value.begin(), from.type.size, actual.element(random.bits() % actual.count()));
  }
  if (random.chance(30)) actual.bytes[random.bits() % actual.bytes.size()] ^= std::byte{1};
}

CallFault random_fault(Random& random, const Call& call) {
  CallFault fault{.words = random_words(random, call), .actual = oracle::apply(call).output};
  const auto claim = fault.words.empty() ? std::nullopt : claim_of(call, fault.words);
  if (!claim) fault.words = "";
  for (std::size_t i = 0; claim && i < fault.actual.count(); ++i) {
    if (!claim->values[i].empty())
      std::ranges::copy(claim->values[i].front(), fault.actual.element(i));
  }
  return fault;
}

// Whether orders may round otherwise.
bool is_float(const ElementType& type) {
  const DTypeKind kind = info(type.dtype).kind;
  return kind == DTypeKind::real || kind == DTypeKind::complex;
}

// How many of the wrong elements a claim has.
std::int64_t explained_by(const CallClaim& claim,
                          bool (CallClaim::*has)(std::size_t, const std::byte*) const,
                          const std::vector<bool>& wrong, const Dense& actual) {
  std::int64_t explained = 0;
  for (std::size_t i = 0; i < actual.count(); ++i) {
    if (wrong[i] && (claim.*has)(i, actual.element(i))) ++explained;
  }
  return explained;
}

// What is said of NumPy's index as a whole, and of what is made one, which claims are not made
// about: its entries' updates and places.
bool is_about_entries(const Call& call, const std::string& words) {
  const bool is_it = words.starts_with("each entry") || words.starts_with("updates ") ||
                     words.starts_with(fmt::format("written by {}[", entries_name(call.row()))) ||
                     words.find(" went to ") != std::string::npos;
  return is_it && (call.row().form == Form::index || oracle::is_part(call));
}

// Requires of each diagnosis that what it says leaves as many of the wrong elements, bit for bit,
// as it claims, and that of integers no element that is right denies what it says of the whole
// call.
std::uint64_t check_diagnoses(const Verification& v, const Call& call, const Dense& actual) {
  const std::vector<bool> wrong = wrong_elements(v, actual.count());
  std::uint64_t compared = 0;
  for (const orders::Diagnosis& each : v.diagnoses.named) {
    INFO(each.words);
    if (each.words == other_nan) continue;
    const std::optional<CallClaim> claim = claim_of(call, each.words);
    if (!claim && is_about_entries(call, each.words)) continue;
    REQUIRE(claim);
    ++compared;
    REQUIRE(each.exact <= explained_by(*claim, &CallClaim::has, wrong, actual));
    if (is_float(actual.type)) continue;
    const bool is_whole = claim->is_whole && call.reduction() != Reduction::none;
    for (std::size_t i = 0; i < actual.count() && is_whole; ++i) {
      if (!wrong[i] && !claim->values[i].empty()) REQUIRE(claim->has(i, actual.element(i)));
    }
    for (const std::string& operation : each.also) {
      INFO(operation);
      const std::optional<CallClaim> other = claim_of(call, operation);
      REQUIRE(other);
      REQUIRE(each.explained <= explained_by(*other, &CallClaim::has_in_some_order, wrong, actual));
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

// With an answer of its own, or a number in the place of data's value.
Call random_call(Random& random) {
  Call call = property::random_legal_call(random);
  if (!random.chance(50) || !call.row().unanswered.empty()) return call;
  const bool is_bool = call.operand("data").type.dtype == DType::boolean;
  auto row = std::make_shared<Operation>(call.row());
  for (const Policy policy : {Policy::extremes, Policy::accumulation, Policy::initial}) {
    if (!can_override(*row, policy) || random.chance(40)) continue;
    const PolicyInfo& info = tscatter::info(policy);
    if (policy == Policy::initial && random.chance(60)) {
      override_policy(*row, info, std::to_string(random.between(0, is_bool ? 1 : 7)));
    } else {
      override_policy(*row, info, random.bits() % info.words.size());
    }
  }
  call.variant = std::move(row);
  return call;
}

}  // namespace

TEST_CASE("diagnose: a diagnosis that is made as a call leaves what was got", "[diagnose]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", 20261123);
  const std::uint64_t calls =
      property::extent("TSCATTER_CALLS", {.whole = 100000, .sample = 2000, .slowed = 200});
  std::uint64_t compared = 0;
  std::set<std::string_view> operations;
  for (std::uint64_t seed = first; seed < first + calls; ++seed) {
    Random random(seed);
    const oracle::Call call = random_call(random);
    const Dense& data = call.operand("data");
    if (data.count() == 0 || data.count() > 300) continue;
    CallFault fault = random_fault(random, call);
    const bool is_mixed = fault.words.empty() || random.chance(30);
    if (is_mixed) mix(random, call, fault.actual);
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
    compared += check_diagnoses(v, call, fault.actual);
    if (v.diagnoses.examined > 0) operations.insert(call.operation);
    const bool is_tried = tries_any || fault.words.find(" --", 11) == std::string::npos;
    const bool is_planted = wrong > 0 && !is_mixed && is_tried && is_sure(call.row(), fault.words);
    if (is_planted && is_integer(data.type.dtype)) REQUIRE(is_among_named(v, fault.words));
  }
  CHECK(compared > calls / 4);
  CHECK(operations.size() >= 10);
}

}  // namespace tscatter

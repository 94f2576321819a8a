#include "diff/witness_set.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "diff/questions.hpp"
#include "diff/witness.hpp"
#include "jobs/job.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::app {
namespace {

using generate::GeneratedCase;
using generate::GeneratedTensor;

// What no question asks: runtimes differ in it, the operations do not.
constexpr std::array further{
    Witness{.name = "minus-infinity-alone",
            .words = "max of -inf where 5 does not count",
            .data = "5",
            .indices = "0",
            .updates = "-inf",
            .reduction = Reduction::max,
            .use_init_val = false},
    Witness{.name = "minus-zero-alone",
            .words = "-0.0 is added where 5 does not count",
            .data = "5",
            .indices = "0",
            .updates = "-0.0",
            .reduction = Reduction::sum,
            .use_init_val = false},
    Witness{.name = "bfloat16-stalls",
            .words = "1 and 1 meet 256",
            .data = "256",
            .indices = "0,0",
            .updates = "1,1",
            .reduction = Reduction::sum,
            .dtype = DType::bfloat16},
    Witness{.name = "beside-the-axis",
            .words = "coordinates 0 and 2 in data [2, 2]: not the element after the first row",
            .data = "0",
            .indices = "0,2",
            .updates = "7",
            .layout = Layout::nd},
    Witness{.name = "uint8-index-200",
            .words = "index 200 of uint8 into 300 places",
            .data = "0",
            .indices = "200",
            .updates = "7",
            .index_dtype = DType::uint8,
            .places = 300},
    Witness{.name = "int16-index-30000",
            .words = "index 30000 of int16 into 70000 places",
            .data = "0",
            .indices = "30000",
            .updates = "7",
            .index_dtype = DType::int16,
            .places = 70000},
    Witness{.name = "int32-product",
            .words = "2 times 3",
            .data = "2",
            .indices = "0",
            .updates = "3",
            .reduction = Reduction::prod,
            .dtype = DType::int32},
    Witness{.name = "int64-beyond-32-bits",
            .words = "2^40 + 1 beside 2^33",
            .data = "8589934592,0",
            .indices = "1",
            .updates = "1099511627777",
            .dtype = DType::int64},
    Witness{.name = "uint32-beyond-int32",
            .words = "the greater of 1 and 2^31",
            .data = "1",
            .indices = "0",
            .updates = "2147483648",
            .reduction = Reduction::max,
            .dtype = DType::uint32},
    Witness{.name = "float64-beyond-float32",
            .words = "an update beside 1e300",
            .data = "1e300,0",
            .indices = "1",
            .updates = "0.1",
            .dtype = DType::float64},
    Witness{.name = "more-batches-than-places",
            .words = "five batches of four places, circular",
            .data = "0",
            .indices = "0,1,2,3,4",
            .updates = "1,2,3,4,5",
            .layout = Layout::batches,
            .mode = "circular"},
};

GeneratedTensor generated(const Tensor& tensor) {
  GeneratedTensor made{.header = tensor.header(), .bytes = {}};
  made.bytes.resize(static_cast<std::size_t>(tensor.byte_size()));
  tensor.source().read(0, made.bytes);
  return made;
}

// The label of the rule that refuses it; "" if none does. nullopt: the call itself is wrong.
std::optional<std::string> refusing_rule(const Operation& operation, const Arguments& arguments) {
  try {
    check_arguments(operation, arguments);
    operation.validate(arguments);
    operation.lower(arguments, {});
    return "";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rule) return std::nullopt;
    return error.label();
  }
}

std::optional<GeneratedCase> case_of(const Witness& witness, const Operation& operation) {
  const std::optional<Job> job =
      is_for(witness, operation.form) ? job_of(witness, operation) : std::nullopt;
  if (!job) return std::nullopt;
  const Arguments arguments = open_arguments(*job);
  const std::optional<std::string> label = refusing_rule(operation, arguments);
  if (!label) return std::nullopt;
  GeneratedCase made{.name = {},
                     .operation = &operation,
                     .operands = {},
                     .attributes = {},
                     .expected_error = *label};
  for (const AttributeInfo& each : operation.attributes) {
    const auto given = arguments.attributes.find(each.name);
    made.attributes.emplace(
        each.name, given == arguments.attributes.end() ? each.default_value : given->second);
  }
  for (const auto& [name, tensor] : arguments.operands)
    made.operands.push_back({name, generated(tensor)});
  return made;
}

// "min, max" becomes min-max.
std::string with_hyphens(std::string_view words) {
  std::string text;
  for (const char each : words) {
    const bool is_kept = (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9');
    if (is_kept) text += each;
    if (!is_kept && !text.empty() && text.back() != '-') text += '-';
  }
  return text;
}

void add(std::vector<GeneratedCase>& cases, const Witness& witness, const Operation& operation,
         std::string_view question) {
  std::optional<GeneratedCase> made = case_of(witness, operation);
  if (!made) return;
  made->name = fmt::format("{}-witness", operation.id);
  for (const std::string& part : {with_hyphens(question), std::string(witness.name)}) {
    if (!part.empty()) made->name += "-" + part;
  }
  cases.push_back(*std::move(made));
}

}  // namespace

std::vector<GeneratedCase> witness_set(const Operation& operation) {
  std::vector<GeneratedCase> cases;
  for (const Question& question : questions()) {
    for (const Witness& each : question.witnesses) add(cases, each, operation, question.words);
  }
  for (const Witness& each : further) add(cases, each, operation, "");
  return cases;
}

}  // namespace tscatter::app

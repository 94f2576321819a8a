#include "soak/soak_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "property/random_calls.hpp"
#include "property/random_case.hpp"
#include "property/random_operands.hpp"
#include "soak/tensor_text.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::soak {
namespace {

using nlohmann::json;
using oracle::Call;
using oracle::Dense;
using oracle::Layout;
using property::Random;

constexpr std::size_t most_typed = 200;  // elements of a tensor on the command line

// Files without a name for bfloat16 hold it as little-endian records of two bytes.
bool needs_dtype(const Call& call) { return call.operand("data").type.dtype == DType::bfloat16; }

Layout random_layout(Random& random, const ElementType& type) {
  const bool has_order = type.dtype != DType::bfloat16 && type.dtype != DType::opaque;
  return {.order = random.among({MemoryOrder::c, MemoryOrder::fortran}),
          .byte_order = has_order && random.chance(40) ? std::endian::big : std::endian::little};
}

// Enough rows for several tiles.
Call large_call(Random& random) {
  Call call{.operation = "scatter_nd_update_15", .operands = {}};
  const ElementType type = ElementType::of(static_cast<DType>(random.between(0, 14)));
  const std::int64_t width = random.between(200, 1500);
  const auto bytes = static_cast<std::int64_t>(type.size);
  const std::int64_t rows = std::max<std::int64_t>(random.between(1, 3000000) / (width * bytes), 2);
  const std::int64_t entries = random.between(1, 60);
  call.attributes = property::random_attributes(random, call.row(), type.dtype);
  call.operands["data"] = property::random_values(random, type, {rows, width});
  Dense indices = Dense::zeros(ElementType::of(DType::int32), {entries, 1});
  for (std::size_t i = 0; i < indices.count(); ++i)
    oracle::store_integer(DType::int32, random.between(-rows, rows - 1), indices.element(i));
  call.operands["indices"] = indices;
  call.operands["updates"] = property::random_values(random, type, {entries, width});
  return call;
}

Call random_call(Random& random) {
  constexpr int illegal = 8;  // percent
  constexpr int large = 2;
  if (random.chance(illegal)) {
    Call broken = property::random_illegal_case(random).broken.call;
    if (!is_made(broken.row().base)) return broken;
  }
  if (random.chance(large)) return large_call(random);
  return property::random_case_with_data(random).call;
}

// An operand as written on the command line or in a job.
struct Written {
  std::string word;
  bool is_json = false;
  Layout layout;
};

class CaseWriter {
 public:
  CaseWriter(Random& random, const std::string& program, SoakCase& into)
      : random_{random}, program_{program}, case_{into} {}

  void write() {
    choose_place();
    is_job_ = random_.chance(25);
    for (const auto& [name, dense] : case_.call.operands) {
      if (!is_operand_of_item(name)) add_operand(name, dense);
    }
    add_items();
    add_attributes();
    add_place();
    finish();
  }

 private:
  void choose_place() {
    const bool has_json = !case_.refusal && has_text(oracle::apply(case_.call).output);
    case_.place = random_.among({Place::printed, Place::npy, Place::npy, Place::member,
                                 has_json ? Place::json : Place::npy, Place::in_place,
                                 Place::in_place, Place::in_place, Place::in_place});
  }

  void add_operand(const std::string& name, const Dense& dense) {
    const bool is_changed = name == "data" && case_.place == Place::in_place;
    const Written written = is_changed ? as_file(dense, data_name) : as_anything(name, dense);
    if (name == "data") case_.layout = written.layout;
    if (is_job_) {
      job_[name] = written.is_json ? json::parse(written.word) : json(written.word);
    } else {
      std::string flag = "--" + name;
      std::ranges::replace(flag, '_', '-');
      words_.insert(words_.end(), {flag, written.word});
    }
  }

  void add_items() {
    json items = json::array();
    for (const IndexItem& item : case_.call.index) {
      const auto* operand = std::get_if<OperandItem>(&item.what);
      const Written written =
          operand == nullptr ? Written{.word = item.text, .layout = {}}
                             : as_anything(operand->operand, case_.call.operand(operand->operand));
      items.push_back(written.is_json ? json::parse(written.word) : json(written.word));
      if (!is_job_) words_.insert(words_.end(), {"--index", written.word});
    }
    if (is_job_ && !items.empty()) job_["index"] = items;
  }

  Written as_file(const Dense& dense, const std::string& file) {
    const Layout layout = random_layout(random_, dense.type);
    write_file(file, npy_bytes(dense, layout));
    return {.word = file, .layout = layout};
  }

  Written as_anything(const std::string& name, const Dense& dense) {
    const bool is_short = has_text(dense) && dense.count() <= most_typed;
    const std::int64_t form = random_.between(0, 9);
    if (form == 0) return as_member(name, dense);
    if (form == 1 && has_text(dense)) return as_json_file(name, dense);
    if (form <= 3 && is_short) return {.word = json_text(dense), .is_json = true, .layout = {}};
    if (form == 4 && is_short && !is_job_ && !has_infinities(dense))
      return {.word = literal_text(dense), .layout = {}};
    Written written = as_file(dense, name == "data" ? data_name : name + ".npy");
    if (form == 5 && case_.input.empty() && case_.place != Place::in_place) {
      case_.input = written.word;
      written.word = "-";
    }
    return written;
  }

  Written as_json_file(const std::string& name, const Dense& dense) {
    write_file(name + ".json", json_text(dense));
    return {.word = name + ".json", .layout = {}};
  }

  Written as_member(const std::string& name, const Dense& dense) {
    const Written file = as_file(dense, name + "-member.npy");
    const std::string word = "operands.npz:" + name;
    run_child({program_, "convert", file.word, word}, {});
    return {.word = word, .layout = file.layout};
  }

  void add(const std::string& flag, const std::string& key, const json& value) {
    if (is_job_) {
      job_[key] = value;
    } else {
      words_.push_back(flag);
      if (!value.is_boolean())
        words_.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  void add_attribute(const AttributeInfo& attribute, const AttributeValue& value) {
    std::string name(attribute.name);
    if (is_job_) {
      job_[name] = json_of(attribute, value);
    } else {
      std::ranges::replace(name, '_', '-');
      words_.insert(words_.end(), {"--" + name, text_of(attribute, value)});
    }
  }

  void add_attributes() {
    for (const AttributeInfo& attribute : case_.call.row().attributes) {
      const auto given = case_.call.attributes.find(attribute.name);
      if (given != case_.call.attributes.end()) add_attribute(attribute, given->second);
    }
    add_policies();
    if (needs_dtype(case_.call)) add("--dtype", "dtype", "bfloat16");
    if (random_.chance(50)) add("--threads", "threads", random_.among({1, 2, 4}));
    if (random_.chance(10) && case_.place != Place::printed) add("--sync", "sync", true);
  }

  // What the call answers in its operation's place.
  void add_policies() {
    const Operation& own = *find_operation(case_.call.operation);
    for (const PolicyInfo* policy : policies_of(case_.call.row())) {
      const std::string word = answer_to(*policy, case_.call.row());
      const bool is_open = own.unanswered.contains(policy->policy);
      if (!is_open && word == answer_to(*policy, own)) continue;
      if (is_job_) {
        const std::string key(names_of(*policy, policy->key, own).front());
        job_[key] = policy->is_switch() ? json(word == "true") : json(word);
      } else {
        words_.insert(words_.end(),
                      {fmt::format("--{}", names_of(*policy, policy->flag, own).front()), word});
      }
    }
  }

  void add_place() {
    const bool is_over_another = random_.chance(30);
    switch (case_.place) {
      case Place::in_place: return add("--in-place", "in_place", true);
      case Place::printed:
        add("--output", "output", "-");
        flags_ = {"--format", "npy"};
        return;
      case Place::json: return add("--output", "output", json_name);
      case Place::member:
        if (is_over_another)
          run_child({program_, "convert", "[1, 2]", archive_name + ":other"}, {});
        return add("--output", "output", archive_name + ":y");
      case Place::npy:
        if (is_over_another) write_file(output_name, "\x93NUMPY, what was there before");
        return add("--output", "output", output_name);
    }
  }

  void finish() {
    Words front{program_, std::string(case_.call.operation)};
    if (is_job_) {
      job_["op"] = case_.call.operation;
      write_file("job.json", job_.dump());
      front = {program_, "run", "job.json"};
      words_.clear();
    }
    case_.words = front;
    case_.words.insert(case_.words.end(), words_.begin(), words_.end());
    case_.words.insert(case_.words.end(), flags_.begin(), flags_.end());
    if (case_.input.empty()) case_.input = "/dev/null";
  }

  Random& random_;
  const std::string& program_;
  SoakCase& case_;
  bool is_job_ = false;
  Words words_;
  Words flags_;  // beside the job, too
  json job_ = json::object();
};

}  // namespace

SoakCase random_soak_case(Random& random, const std::string& program) {
  SoakCase result{
      .call = random_call(random), .refusal = {}, .layout = {}, .words = {}, .input = {}};
  result.refusal = oracle::refusal_of(result.call);
  CaseWriter(random, program, result).write();
  return result;
}

}  // namespace tscatter::soak

#include "batch/cases/node_test_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "text/shell_text.hpp"
#include "tscatter/core/ascii.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/onnx/node_call.hpp"
#include "tscatter/ops/attribute_json.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view data_set_front = "test_data_set_";

// 12 for "test_data_set_12".
std::optional<int> number_of(const std::string& name) {
  if (!name.starts_with(data_set_front)) return std::nullopt;
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + data_set_front.size(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

// The keys that say what is called.
void put_call(nlohmann::ordered_json& line, const onnx::NodeCall& call,
              const std::string& data_set) {
  line["op"] = call.operation->name;
  for (const auto& [operand, number] : call.inputs)
    line[operand] = fmt::format("{}/input_{}.pb", data_set, number);
  for (const auto& [name, value] : call.attributes)
    line[name] = json_of(*call.operation->find_attribute(name), value);
  line["expected"] = fmt::format("{}/output_0.pb", data_set);
}

}  // namespace

bool is_model(const fs::path& file) { return ends_with_ignoring_case(file.native(), ".onnx"); }

std::vector<std::string> data_sets_beside(const fs::path& model) {
  std::vector<std::pair<int, std::string>> found;
  std::error_code error;
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  fs::directory_iterator each(folder, error);
  for (; !error && each != fs::directory_iterator(); each.increment(error)) {
    const std::string name = each->path().filename().native();
    if (const auto number = number_of(name)) found.emplace_back(*number, name);
  }
  std::ranges::sort(found);
  std::vector<std::string> names;
  names.reserve(found.size());
  for (auto& [number, name] : found) names.push_back(std::move(name));
  return names;
}

std::string node_test_line(const std::variant<onnx::NodeCall, std::string>& call,
                           std::string_view name, const std::string& data_set) {
  nlohmann::ordered_json line{{"name", as_text(name)}};
  if (const auto* called = std::get_if<onnx::NodeCall>(&call)) {
    put_call(line, *called, data_set);
  } else {
    line["skip"] = "a model that is not run here: " + as_text(std::get<std::string>(call));
  }
  return line.dump() + "\n";
}

std::string node_test_lines(const fs::path& model) {
  const FileSource file(open_settled(model, model));
  const auto call = onnx::call_of(onnx::read_model(file, model.native()));
  const std::vector<std::string> data_sets = data_sets_beside(model);
  // batch.b16
  if (data_sets.empty()) {
    fail(ErrorKind::usage, "batch.b16", model.native(),
         "the model has no data set beside it, test_data_set_0");
  }
  const std::string test = fs::absolute(model).lexically_normal().parent_path().filename().native();
  std::string lines;
  for (const std::string& data_set : data_sets) {
    const bool is_only = data_sets.size() == 1;
    lines += node_test_line(call, is_only ? test : fmt::format("{}/{}", test, data_set), data_set);
  }
  return lines;
}

}  // namespace tscatter::app

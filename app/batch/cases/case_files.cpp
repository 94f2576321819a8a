#include "batch/cases/case_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "jobs/written_file.hpp"
#include "text/quoting.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/mlir/dense.hpp"
#include "tscatter/mlir/module.hpp"
#include "tscatter/onnx/node_call.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_in_folders = "cases.jsonl";
constexpr std::string_view stdin_word = "-";
constexpr std::string_view stdin_name = "<stdin>";

bool has_cases(const fs::path& file) {
  return file.filename() == name_in_folders || is_module(file) ||
         (file.filename() == model_of_node_test && !data_sets_beside(file).empty());
}

CaseSource source_of(const fs::path& file) {
  if (is_model(file)) return CaseSource::node_test;
  return is_module(file) ? CaseSource::module : CaseSource::lines;
}

std::vector<fs::path> cases_below(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator each(folder, error);
  for (; !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
    std::error_code ignored;  // what is not there any more is no file
    if (each->is_regular_file(ignored) && has_cases(each->path())) found.push_back(each->path());
  }
  // file.f1
  if (error) {
    fail(ErrorKind::file, "file.f1", folder, "cannot be read: {}", error.message());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

CaseFiles::CaseFiles(std::vector<std::string> words) : words_{std::move(words)} {
  for (const std::string& word : words_) {
    std::error_code ignored;  // the attempt to open it reports what is wrong
    const bool is_folder = word != stdin_word && fs::is_directory(word, ignored);
    is_folder ? add_folder(word) : add(word);
  }
  const bool is_alone = files_.size() == 1 && files_[0].path == words_[0];
  for (BatchFile& file : files_) {
    file.is_alone = is_alone;
    file.is_one_of_several = files_.size() > 1;
  }
}

CaseFiles::CaseFiles(std::vector<std::string> words, std::shared_ptr<const PairedCases> pairs)
    : words_{std::move(words)} {
  files_.push_back({.path = words_.back(),
                    .name = fmt::format("{} and {}", as_text(words_[0]), as_text(words_[1])),
                    .source = CaseSource::pairs,
                    .pairs = std::move(pairs)});
}

void CaseFiles::add(const fs::path& path) {
  const bool is_stdin = path == stdin_word;
  const auto identity = is_stdin ? hash_of(stdin_word) : identity_of(path);
  if (identity && !known_.insert(*identity)) return;
  files_.push_back({.path = path.native(),
                    .name = is_stdin ? std::string(stdin_name) : unique_name(path),
                    .base = is_stdin ? fs::path() : path.parent_path(),
                    .number = files_.size() + 1,
                    .source = source_of(path)});
}

// Where another file is called what this one's name is escaped to, its number is added.
std::string CaseFiles::unique_name(const fs::path& path) {
  const std::string text = as_text(path.native());
  std::string name = text;
  for (std::size_t n = files_.size() + 1; !names_.insert(hash_of(name)); ++n)
    name = fmt::format("{} ({})", text, n);
  return name;
}

void CaseFiles::add_folder(const std::string& folder) {
  const std::vector<fs::path> found = cases_below(folder);
  // batch.b15
  if (found.empty()) {
    fail(
        ErrorKind::usage, "batch.b15", folder,
        "neither a file {}, a node test of ONNX nor a module of MLIR (*.mlir) is in this folder or "
        "below it",
        name_in_folders);
  }
  for (const fs::path& path : found) add(path);
}

bool CaseFiles::is_of_pairs() const { return files_[0].source == CaseSource::pairs; }

std::string CaseFiles::name() const {
  if (files_[0].is_alone) return files_[0].name;
  if (words_.size() == 1) return words_[0];
  return fmt::format("{} and {} more", words_[0], words_.size() - 1);
}

std::string CaseFiles::suite() const {
  if (is_of_pairs()) return "compare";
  if (words_.size() > 1) return "batch";
  if (words_[0] == stdin_word) return "stdin";
  const fs::path first(words_[0]);
  return (first.has_filename() ? first : first.parent_path()).stem().native();
}

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
void put_node_call(nlohmann::ordered_json& line, const onnx::NodeCall& call,
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
    put_node_call(line, *called, data_set);
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

namespace {

constexpr const char* constant_key = "mlir";
constexpr std::string_view scatter_name = "stablehlo.scatter";

nlohmann::ordered_json constant_of(std::string_view text) {
  return {{constant_key, as_text(text)}};
}

void put_assertion(nlohmann::ordered_json& line, const mlir::Assertion& assertion) {
  if (assertion.atol) line["atol"] = *assertion.atol;
  if (assertion.max_ulp) line["max_ulp"] = *assertion.max_ulp;
  if (assertion.equal_nan) line["equal_nan"] = true;
}

void put_call(nlohmann::ordered_json& line, const mlir::ScatterCall& call) {
  const Operation& operation = *find_operation(scatter_name);
  line["op"] = operation.name;
  line[operation.called("data")] = constant_of(call.input);
  line[operation.called("indices")] = constant_of(call.scatter_indices);
  line[operation.called("updates")] = constant_of(call.updates);
  line["dims"] = as_text(call.dims);
  line[operation.called("reduction")] = json_of(*operation.find_attribute("reduction"), call.body);
  for (const std::string& promise : call.promises) line[promise] = true;
  line["expected"] = constant_of(call.expected);
  put_assertion(line, call.assertion);
}

// The names of a module's cases: each once.
class CaseNames {
 public:
  explicit CaseNames(std::string_view stem) : stem_{as_text(stem)} {}

  // "scatter/add_test"; "scatter" alone for its only function @main, or where there is none.
  std::string name_of(const mlir::Function& function, bool is_only) {
    const bool is_plain = is_only && (function.name == "main" || function.name.empty());
    std::string name = is_plain ? stem_ : fmt::format("{}/{}", stem_, as_text(function.name));
    if (!names_.insert(name).second) {
      name += fmt::format(":{}", function.line);
      names_.insert(name);
    }
    return name;
  }

 private:
  std::string stem_;
  std::set<std::string> names_;
};

std::string line_of(const mlir::Function& function, const std::string& name) {
  nlohmann::ordered_json line{{"name", name}};
  if (const auto* call = std::get_if<mlir::ScatterCall>(&function.call)) {
    put_call(line, *call);
  } else {
    line["skip"] =
        "a function that is not run here: " + as_text(std::get<std::string>(function.call));
  }
  return line.dump() + "\n";
}

std::string read_text(const fs::path& module) {
  const FileSource file(open_settled(module, module));
  // mlir.f1
  if (file.size() > static_cast<std::int64_t>(mlir::longest_module)) {
    fail(ErrorKind::format, "mlir.f1", module.native(),
         "a module must be at most {} bytes long, got {}", mlir::longest_module, file.size());
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace

bool is_module(const fs::path& file) { return ends_with_ignoring_case(file.native(), ".mlir"); }

std::string lines_of_module(std::string_view text, std::string_view stem, const std::string& name) {
  const std::vector<mlir::Function> functions = mlir::functions_of(text, name);
  CaseNames names(stem);
  std::string lines;
  std::int64_t line = 1;
  for (const mlir::Function& function : functions) {
    const auto gap = std::max<std::int64_t>(function.line - line, 0);
    lines.append(static_cast<std::size_t>(gap), '\n');
    lines += line_of(function, names.name_of(function, functions.size() == 1));
    line += gap + 1;
  }
  return lines;
}

std::string module_lines(const fs::path& module) {
  return lines_of_module(read_text(module), module.stem().native(), as_text(module.native()));
}

Tensor tensor_of_module(const std::string& object, const std::string& where) {
  const auto text = nlohmann::json::parse(object).at(constant_key).get<std::string>();
  return mlir::dense_tensor(text, where);
}

}  // namespace tscatter::app

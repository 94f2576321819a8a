#include "tscatter/generate/suite.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "tscatter/apply/apply.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/generate/generated_case.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/onnx/pb_tensor.hpp"
#include "tscatter/mlir/module.hpp"
#include "tscatter/onnx/node_call.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::generate {
namespace {

using std::filesystem::path;

PbOutput tensor_file(const path& file, std::string_view tensor_name) {
  require_own_place(file);
  return {[file] { return std::make_unique<OutputFile>(file, Durability::kill); },
          {.name = file.native()},
          std::string(tensor_name)};
}

void write_tensor(const path& file, std::string_view name, const Tensor& tensor) {
  PbOutput output = tensor_file(file, name);
  output.begin(tensor.header(), tensor.source()).write(0, *tensor.source().view());
  output.commit();
}

// Writes test_NAME/model.onnx, and test_NAME/test_data_set_0 with input_0.pb … and output_0.pb;
// returns "test_NAME". REQUIRES: the case is legal, its operation is ONNX's.
std::string write_node_test(const GeneratedCase& generated, const path& directory) {
  const Operation& operation = *generated.operation;
  std::string name = "test_" + generated.name;
  const path data_set = directory / name / "test_data_set_0";
  make_directory(data_set);
  const Arguments arguments = arguments_of(generated);
  prepared(operation, arguments);
  const onnx::Model model = onnx::model_of(operation, arguments, operation.infer_output(arguments));
  write_text(directory / name / "model.onnx", onnx::model_bytes(model));
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const std::string& operand = model.inputs[i].name;
    write_tensor(data_set / fmt::format("input_{}.pb", i), operand, arguments.operand(operand));
  }
  PbOutput expected = tensor_file(data_set / "output_0.pb", onnx::output_name);
  apply(operation, arguments, expected, {.threads = 1});
  return name;
}

// Writes NAME.mlir; returns its name. REQUIRES: the case is legal, its operation is
// stablehlo.scatter.
std::string write_module(const GeneratedCase& generated, const path& directory) {
  const Operation& operation = *generated.operation;
  const Arguments arguments = arguments_of(generated);
  prepared(operation, arguments);
  const TensorHeader header = operation.infer_output(arguments);
  std::vector<std::byte> result(static_cast<std::size_t>(header.byte_size()));
  MemoryOutput output{std::span<std::byte>(result)};
  apply(operation, arguments, output, {.threads = 1});
  std::string name = generated.name + ".mlir";
  write_text(directory / name, mlir::module_text(arguments, Tensor(header, result)));
  return name;
}

constexpr std::string_view count_flag = " --count ";

// What lists the cases, and says which command wrote them.
constexpr const char* list_name(Layout layout) {
  switch (layout) {
    case Layout::npy: return "cases.jsonl";
    case Layout::onnx:
    case Layout::mlir: return "cases.txt";
  }
  unreachable();
}

// The first line without its count: the same if the cases are the same.
std::string front_of_batch(const Suite& suite) {
  return fmt::format("# tscatter generate, scheme {}: {}{}", scheme, suite.command, count_flag);
}

std::string first_line(const Suite& suite) {
  return front_of_batch(suite) + std::to_string(suite.count) + "\n";
}

std::string read_first_line(const path& file) {
  std::array<std::byte, 4096> bytes{};
  const File opened = File::open_for_reading(file);
  const std::size_t size = opened.read_some(bytes);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), size);
  return text.substr(0, text.find('\n'));
}

// Whether `line` is the first line of the same suite, or of a shorter one with the same cases.
bool is_continued(const std::string& line, const Suite& suite) {
  const std::string front = front_of_batch(suite);
  if (!line.starts_with(front)) return false;
  std::int64_t count = 0;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + front.size(), end, count);
  return error == std::errc{} && stop == end && count <= suite.count;
}

// file.f4
void require_readable(const path& directory, const std::error_code& error) {
  if (error) {
    fail(ErrorKind::file, "file.f4", directory.native(), "cannot be read: {}",
         errno_text(error.value()));
  }
}

bool has_nothing(const path& directory) {
  std::error_code error;
  bool empty = std::filesystem::is_empty(directory, error);
  while (error == std::errc::interrupted) empty = std::filesystem::is_empty(directory, error);
  require_readable(directory, error);
  return empty;
}

bool has_list(const path& list) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(list, error);
  require_readable(list.parent_path(), error);
  return is_there;
}

// Never overwrites a file that is not ours.
void require_own_directory(const Suite& suite, const path& directory) {
  if (has_nothing(directory)) return;
  const path list = directory / list_name(suite.layout);
  require_own_place(list);
  const bool is_there = has_list(list);
  const std::string line = is_there ? read_first_line(list) : "";
  // generate.g5
  if (!is_continued(line, suite)) {
    fail(ErrorKind::file, "generate.g5", directory.native(),
         "must be new, be empty, or hold cases of the same command with no greater count, got {}",
         is_there ? fmt::format("a {} that begins with: {}", list.filename().native(), line)
                  : "a directory with other files");
  }
}

// A .npy file of zeros that takes space only where something is written.
class SparseOutput final : public Output {
 public:
  explicit SparseOutput(const path& file) : file_{file, Durability::kill} {}

  Sink& begin(const TensorHeader& header, const Source&) override {
    const std::vector<std::byte> front = npy_header_bytes(header);
    file_.write(0, front);
    const auto base = static_cast<std::int64_t>(front.size());
    file_.write(base + header.byte_size() - 1, std::array{std::byte{0}});
    return sink_.emplace(file_, base);
  }
  void commit() override { file_.commit(); }

 private:
  class ZerosSink final : public Sink {
   public:
    ZerosSink(OutputFile& file, std::int64_t base) : file_{file}, base_{base} {}
    void write(std::int64_t offset, std::span<const std::byte> bytes) override {
      file_.write(base_ + offset, bytes);
    }
    bool holds_data() const override { return true; }
    std::int64_t page_offset() const override { return base_; }

   private:
    OutputFile& file_;
    std::int64_t base_;
  };

  OutputFile file_;
  std::optional<ZerosSink> sink_;
};

void write_hole(const path& file, const Tensor& tensor) {
  SparseOutput output(file);
  output.begin(tensor.header(), tensor.source());
  output.commit();
}

void write_elements(const path& file, const Tensor& tensor) {
  NpyFileOutput output(file);
  Sink& sink = output.begin(tensor.header(), tensor.source());
  sink.write(0, *tensor.source().view());
  output.commit();
}

void add_policies(nlohmann::ordered_json& line, const Operation& operation) {
  for (const PolicyAnswer& each : overrides_of(operation)) {
    const bool is_switch = find_policy(each.policy)->is_switch();
    line[std::string(each.policy)] = is_switch ? nlohmann::ordered_json(each.answer == "true")
                                               : nlohmann::ordered_json(each.answer);
  }
}

void write_expected(const GeneratedCase& generated, const Arguments& arguments, const path& file) {
  const auto apply_into = [&](Output&& output) {
    apply(*generated.operation, arguments, output, {.threads = 1});
  };
  if (generated.has_sparse_result) return apply_into(SparseOutput(file));
  apply_into(NpyFileOutput(file));
}

// Writes the files of a case; returns its line.
std::string write_npy_case(const GeneratedCase& generated, const path& directory) {
  nlohmann::ordered_json line{{"name", generated.name}, {"op", generated.operation->name}};
  const auto file_of = [&](std::string_view key) {
    return fmt::format("{}.{}.npy", generated.name, key);
  };
  const auto place_of = [&](std::string_view key) {
    path place = directory / file_of(key);
    require_own_place(place);
    return place;
  };
  const Operation& operation = *generated.operation;
  const Arguments arguments = arguments_of(generated);
  for (const auto& [operand, tensor] : generated.operands) {
    const auto write = tensor.is_hole() ? write_hole : write_elements;
    write(place_of(operand), arguments.operand(operand));
    if (!is_operand_of_item(operand)) line[operation.called(operand)] = file_of(operand);
  }
  for (const IndexItem& item : generated.index) {
    const auto* operand = std::get_if<OperandItem>(&item.what);
    line["index"].push_back(operand == nullptr ? item.text : file_of(operand->operand));
  }
  for (const auto& [name, value] : generated.attributes) {
    const AttributeInfo& attribute = *operation.find_attribute(name);
    const bool is_left_out = attribute.is_open() && value == attribute.default_value;
    if (!is_left_out) line[operation.called(name)] = json_of(attribute, value);
  }
  add_policies(line, *generated.operation);
  // A .npy file has no name for this dtype.
  const GeneratedTensor* values = generated.values();
  if (values != nullptr && values->header.type.dtype == DType::bfloat16) line["dtype"] = "bfloat16";
  if (!generated.expected_error.empty()) {
    line["expected_error"] = generated.expected_error;
    return line.dump() + "\n";
  }
  write_expected(generated, arguments, place_of("expected"));
  line["expected"] = file_of("expected");
  return line.dump() + "\n";
}

// The same.
std::string write_case(const GeneratedCase& generated, const path& directory, Layout layout) {
  switch (layout) {
    case Layout::npy: return write_npy_case(generated, directory);
    case Layout::onnx: return write_node_test(generated, directory) + "\n";
    case Layout::mlir: return write_module(generated, directory) + "\n";
  }
  unreachable();
}

}  // namespace

void make_directory(const path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::error_code unseen;
  const bool is_there = std::filesystem::is_directory(directory, unseen);
  // C++ libraries differ in what they say of a file of that name.
  const bool is_file = error == std::errc::file_exists;
  if (is_file) error = std::make_error_code(std::errc::not_a_directory);
  if (!error) error = unseen;
  // file.f4
  if (!is_there) {
    fail(ErrorKind::file, "file.f4", directory.native(), "cannot be created: {}",
         error ? errno_text(error.value()) : "a file");
  }
}

void write_text(const path& file, const std::string& text) {
  require_own_place(file);
  OutputFile output(file, Durability::kill);
  output.write(0, std::as_bytes(std::span(text)));
  output.commit();
}

void write_suite(const Suite& suite, const path& directory, const WriteOptions& options) {
  make_directory(directory);
  require_own_directory(suite, directory);
  const path list = directory / list_name(suite.layout);
  std::string text = first_line(suite);
  write_text(list, text + "# not all cases are written: the same command goes on\n");
  for (std::int64_t i = 0; i < suite.size; ++i) {
    check_stop(options.stop);
    text += write_case(suite.at(i), directory, suite.layout);
    if (options.written) options.written(i + 1);
  }
  write_text(list, text);
}

Suite suite_of(CaseGenerator generator) {
  const auto shared = std::make_shared<CaseGenerator>(std::move(generator));
  return {.command = shared->command(),
          .count = shared->options().count,
          .size = shared->size(),
          .layout = shared->options().layout,
          .at = [shared](std::int64_t index) { return shared->at(index); }};
}

void write_suite(const GenerateOptions& cases, const path& directory, const WriteOptions& options) {
  write_suite(suite_of(CaseGenerator(cases)), directory, options);
}

}  // namespace tscatter::generate

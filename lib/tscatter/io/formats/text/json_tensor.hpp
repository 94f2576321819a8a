// Tensors as JSON text: nested lists, or an object with dtype, shape and data. Form and rules:
// docs/formats.md, json.*
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

struct JsonReading {
  std::string name;                    // for messages
  ErrorKind kind = ErrorKind::format;  // of errors: usage for an inline value
  std::optional<DType> dtype;  // of values without a dtype; nullopt: what NumPy would choose
  std::filesystem::path spool_directory = "/tmp";  // takes the elements of a long tensor
  Progress* progress = nullptr;                    // of each reading
};

// Reads the text in pieces: once for shape and dtype, and once more for the elements if they are
// many. Throws Error (json.f1 to json.f9).
Tensor json_tensor(const Source& text, const JsonReading& reading);
Tensor json_tensor(std::string_view text, const JsonReading& reading);

// The same for a pipe, whose first bytes are in the spool and whose rest is added to it: what is no
// tensor is refused where it goes wrong, however long the rest is.
Tensor json_tensor_in_pipe(Spool& text, const File& pipe, const JsonReading& reading);

enum class JsonForm : std::uint8_t {
  nested,   // [[1.0, 2.0], [3.0, 4.0]]
  object,   // {"dtype": "float32", "shape": [2, 2], "data": [[1.0, 2.0], [3.0, 4.0]]}
  preview,  // nested, long axes shortened with … as NumPy prints them; then not JSON
};

using TextSink = std::function<void(std::string_view)>;

// Reads the tensor in pieces and writes it, one row of the innermost axis a line, with a line break
// at the end. REQUIRES: the dtype is not opaque.
void write_json(const Tensor& tensor, JsonForm form, const TextSink& write);

// Throws Error (usage, json.f10) for an opaque dtype. `where` is what asked for JSON: a flag or a
// file.
void require_json_form(const ElementType& type, std::string_view where);

// Collects a result and writes it as JSON text once it is complete; one of float8 that is nested,
// as numbers.
class JsonOutput final : public Output {
 public:
  using OpenFile = std::function<std::unique_ptr<OutputFile>()>;

  // `open` is called once every rule of the operation has been checked. Writing throws Cancelled
  // when *stop becomes true.
  JsonOutput(OpenFile open, std::string name, JsonForm form, std::filesystem::path spool_directory,
             StopFlag stop = nullptr, Progress* progress = nullptr);

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

 private:
  OpenFile open_;
  std::string name_;
  JsonForm form_;
  std::filesystem::path spool_directory_;
  StopFlag stop_;
  Progress* progress_;
  TensorHeader header_;
  std::unique_ptr<OutputFile> file_;
  std::shared_ptr<Spool> spool_;
  std::optional<SpoolSink> sink_;
};

std::span<const Rule> json_rules();

extern const Format json_format;

}  // namespace tscatter

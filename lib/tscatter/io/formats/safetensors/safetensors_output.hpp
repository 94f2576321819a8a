// Writes tensors into a safetensors file: in the order and with the header and padding of the
// reference's serialize(), byte for byte.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tscatter/core/output.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/npy/row_major_elements.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"

namespace tscatter {

// A tensor that is written, in the place that its dtype and name give it.
struct SafetensorsPart {
  std::string name;
  std::string dtype;  // as the header names it
  Shape shape = {};
  std::int64_t size = 0;                     // bytes
  std::shared_ptr<const Source> bytes = {};  // nullptr: they come later
  std::size_t index = 0;                     // where there are many: which one
  std::int64_t begin = 0;                    // in the new file; the layout sets it
};

// The new file: its header and its tensors in order.
struct SafetensorsLayout {
  std::string front;  // the length and the header
  std::vector<SafetensorsPart> parts;
  std::int64_t size = 0;  // of the file, in bytes
};

// Throws Error (usage, st.f12) when the header is too long. `name`: of the file, for messages.
SafetensorsLayout safetensors_layout(std::vector<SafetensorsPart> parts,
                                     const std::optional<SafetensorsMetadata>& metadata,
                                     const std::string& name);

// The part that a tensor with this header becomes. Throws Error (usage, st.f10, st.f11).
SafetensorsPart safetensors_part(const TensorHeader& header, std::string name,
                                 const std::string& where);

// A new file of all these tensors. Throws Error as SafetensorsOutput does.
void write_safetensors(const OutputPlace& place, const Archive& tensors);

// Adds a result to a safetensors file, or replaces the tensor of that name. The others keep their
// bytes, and the file is replaced once it is complete.
class SafetensorsOutput final : public Output {
 public:
  // Nothing is opened before begin(). Throws Error (usage, st.f11).
  explicit SafetensorsOutput(OutputPlace place);

  // Throws Error (usage, st.f10, st.f12; file; format, st.f1 to st.f6, for an existing file that
  // cannot be read) and Cancelled.
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;
  std::string temporary_name() const override;

 private:
  // The tensors that the file has already, without the one that is replaced.
  std::vector<SafetensorsPart> others(std::optional<SafetensorsMetadata>& metadata) const;

  OutputPlace place_;
  RowMajorElements elements_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace tscatter

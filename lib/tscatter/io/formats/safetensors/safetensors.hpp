// safetensors files as archives of tensors, and how they are written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/row_major_elements.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"

namespace tscatter {

// ---- A safetensors file as an archive of tensors.

// st.f1 to st.f12
std::span<const Rule> safetensors_rules();

class SafetensorsArchive final : public Archive {
 public:
  // Reads the header. `name` is used in messages. Throws Error (format, st.f1 to st.f6).
  SafetensorsArchive(std::shared_ptr<const Source> file, const std::string& name)
      : file_{file}, header_{std::move(file), name} {}

  std::vector<ArchiveMember> members() const override;
  // Throws Error (file, st.f7; format, st.f8).
  Tensor tensor(std::string_view name) const override;
  Tensor tensor_at(std::size_t index) const override { return tensor_of(header_.entry(index)); }
  std::optional<ListedTensor> listed_at(std::size_t index) const override {
    return listed_of(header_.entry(index));
  }
  // nullopt: the tensor's elements can be used, or it is not there.
  std::optional<ListedTensor> listed(std::string_view name) const;
  std::optional<ArchiveMetadata> metadata() const override;

 private:
  Tensor tensor_of(SafetensorsEntry entry) const;
  std::optional<ListedTensor> listed_of(SafetensorsEntry entry) const;

  std::shared_ptr<const Source> file_;
  SafetensorsHeader header_;
};

// Throws Error (file, st.f7): `name` is none of the tensors that are known. `where`: the file.
[[noreturn]] void refuse_tensor_name(std::string_view name, const std::vector<std::string>& known,
                                     const std::string& where);

// ---- Writes tensors into a safetensors file: in the order and with the header and padding of the
// reference's serialize(), byte for byte.

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

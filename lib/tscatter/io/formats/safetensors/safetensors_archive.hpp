// A safetensors file as an archive of tensors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"

namespace tscatter {

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

}  // namespace tscatter

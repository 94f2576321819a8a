// The initializers of an ONNX model as an archive of tensors. Rules: docs/formats.md, pb.f12 to
// pb.f14.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

std::span<const Rule> onnx_rules();

class OnnxArchive final : public Archive {
 public:
  // Finds the initializers of the graph; 24 bytes are kept of each. Throws Error (format, pb.f1,
  // pb.f2, pb.f9 and pb.f14).
  OnnxArchive(std::shared_ptr<const Source> file, FormatReading reading);

  std::vector<ArchiveMember> members() const override;
  // Throws Error (file, pb.f12; format, pb.f1 to pb.f13).
  Tensor tensor(std::string_view name) const override { return tensor_of(named(name)); }
  Tensor tensor_at(std::size_t index) const override { return tensor_of(initializers_.at(index)); }

  std::size_t size() const { return initializers_.size(); }

  // The file beside the model that has the initializer, as raw bytes; nullopt: the model has it.
  // Throws as tensor().
  std::optional<MemberName> place(std::string_view name) const { return place_of(named(name)); }
  // That file, from the model's folder; nullopt also where something is wrong with it.
  std::optional<std::string> location_at(std::size_t index) const;

 private:
  struct Initializer {
    ByteRange message;
    bool is_sparse;
  };

  void note_graph(ByteRange graph);
  std::string name_of(const Initializer& initializer) const;
  const Initializer& named(std::string_view name) const;
  [[noreturn]] void refuse_name(std::string_view name) const;
  FormatReading reading_of(const Initializer& initializer) const;
  void describe(const Initializer& initializer, ArchiveMember& member) const;
  Tensor tensor_of(const Initializer& initializer) const;
  std::optional<MemberName> place_of(const Initializer& initializer) const;

  std::shared_ptr<const Source> file_;
  FormatReading reading_;
  std::vector<Initializer> initializers_;
  bool has_graph_ = false;
};

}  // namespace tscatter

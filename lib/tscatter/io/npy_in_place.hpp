// A .npy file that is changed where it stands: its tensor is data, and what is touched is written
// back to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "tscatter/core/output.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/output_file.hpp"

namespace tscatter {

class FileSource;

class NpyInPlace final : public Output {
 public:
  // Opens the file for reading and writing and locks it. Throws Error: file.f1, file.f2, file.f4
  // when it is no regular file or may not be written, file.f8 when another tscatter is changing it,
  // npy.* when it is no .npy file.
  explicit NpyInPlace(const std::filesystem::path& path, Durability durability = Durability::kill);
  ~NpyInPlace() override;

  // data, which the operation has to be given. REQUIRES: not used after the output is gone.
  const Tensor& data() const { return *data_; }

  // Whether a tensor is read from this very file.
  bool is_read_by(const Tensor& tensor) const;

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

 private:
  Durability durability_;
  std::shared_ptr<const FileSource> file_;
  std::optional<Tensor> data_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace tscatter

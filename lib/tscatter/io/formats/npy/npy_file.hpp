// .npy files as tensors and as outputs. Format: docs/formats.md.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tscatter/core/output.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/journal/in_place_file.hpp"

namespace tscatter {

// The tensor in a .npy file; only the header is read now. Throws Error (file or format).
Tensor open_npy(const std::filesystem::path& path);

// The tensor in a source that holds a whole .npy file. `name` is used in messages. Throws Error
// (file or format).
Tensor npy_tensor(std::shared_ptr<const Source> file, const std::string& name);

// How many bytes follow the array of a .npy file: other arrays. 0 if the file cannot be read as
// one.
std::int64_t bytes_after_npy(const std::filesystem::path& path);

// Opens a .npy file for a change in place. Throws Error as InPlaceFile does, and npy.* if it is not
// a .npy file.
InPlaceFile npy_in_place(const std::filesystem::path& path, const InPlaceOptions& options = {});

// Writes the .npy that NumPy 2 would write for the result, all or nothing.
class NpyFileOutput final : public Output {
 public:
  // The file is opened only after every rule of the operation has been checked.
  // Waiting for the reader of a pipe throws Cancelled when *stop becomes true.
  explicit NpyFileOutput(std::filesystem::path path, Durability durability = Durability::kill,
                         StopFlag stop = nullptr)
      : path_{std::move(path)}, durability_{durability}, stop_{stop} {}

  // An open descriptor, which the caller keeps; `name` is used in messages.
  NpyFileOutput(int descriptor, std::string name)
      : path_{std::move(name)}, descriptor_{descriptor} {}

  // How commit() waits for its turn.
  void take_turn(OutputTurn turn) { turn_ = std::move(turn); }

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override { file_->commit(); }
  std::string temporary_name() const override { return file_->temporary_name(); }

 private:
  std::filesystem::path path_;
  Durability durability_ = Durability::kill;
  StopFlag stop_ = nullptr;
  std::optional<int> descriptor_;
  std::optional<OutputTurn> turn_;
  std::optional<OutputFile> file_;
  std::optional<OutputFileSink> sink_;
};

}  // namespace tscatter

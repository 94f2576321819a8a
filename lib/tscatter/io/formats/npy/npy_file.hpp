// .npy files: their headers (format versions 1.0, 2.0 and 3.0), as tensors and as outputs. Format
// and rules: docs/formats.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/journal/in_place_file.hpp"

namespace tscatter {

// ---- .npy files as tensors and as outputs. Format: docs/formats.md.

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

// ---- The header of a .npy file, format versions 1.0, 2.0 and 3.0. Format and rules:
// docs/formats.md, npy.*

struct NpyHeader {
  TensorHeader tensor;
  std::int64_t data_offset = 0;  // bytes before the first element
};

// Whether a file that begins with these bytes is a .npy file; false for fewer than 6 bytes.
bool begins_as_npy(std::span<const std::byte> first_bytes);

// Reads the header that `file` begins with, and ignores how many bytes follow it. Throws Error
// (format, npy.f1 to npy.f6) and what file.read throws. `name` is used in messages.
NpyHeader read_npy_header(const Source& file, const std::string& name);

// How many bytes follow the array: 0, or another .npy file, as np.save writes several arrays into
// one. Throws Error (format, npy.f7 or npy.f8).
std::int64_t bytes_after_npy(const NpyHeader& header, const Source& file, const std::string& name);

// Throws Error (format, npy.f7 or npy.f8) when the file is not as long as the header says.
void require_npy_size(const NpyHeader& header, std::int64_t file_size, const std::string& name);

// The header that NumPy 2 writes for the same array, to the byte.
std::vector<std::byte> npy_header_bytes(const TensorHeader& tensor);

std::span<const Rule> npy_rules();

}  // namespace tscatter

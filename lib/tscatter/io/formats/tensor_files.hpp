// Tensors in files, by name: "x.npy", "x.json", and "x.npz:w" for the member w of an archive. The
// first bytes decide what a file is; the name's ending decides what a new file becomes (.npy unless
// known). Formats and their rules: docs/formats.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

struct FileOptions {
  Durability durability = Durability::kill;        // of what is written
  Journaling journaling = Journaling::done;        // of a change in place
  std::filesystem::path spool_directory = "/tmp";  // for elements that must be decoded first
  StopFlag stop = nullptr;  // reading or writing throws Cancelled when it becomes true
};

// Only the header is read now. Throws Error (file or format).
Tensor open_tensor(const std::string& name, const FileOptions& options = {});

// A new file, or a new member of an archive; replaces one of the same name, once the result is
// complete.
class FileOutput final : public Output {
 public:
  // Nothing is opened before begin(). Throws Error (usage) for an impossible member name.
  explicit FileOutput(const std::string& name, const FileOptions& options = {});

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override { output_->commit(); }
  std::string temporary_name() const override { return output_->temporary_name(); }

 private:
  std::unique_ptr<Output> output_;
};

// A tensor that is changed in place, in a .npy file. Only what is touched is written; after a kill,
// an undo journal beside the file restores the old bytes.
class InPlaceOutput final : public Output {
 public:
  // Locks the file, and rolls back what a killed run left. Throws Error (file, undo or format).
  explicit InPlaceOutput(const std::string& name, const FileOptions& options = {});
  ~InPlaceOutput() override;  // without commit(): as take_back()

  // The operation's data. REQUIRES: it is not used after the output is gone.
  const Tensor& data() const;

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;
  Remains take_back() noexcept override;

 private:
  std::unique_ptr<class InPlaceFile> file_;
};

}  // namespace tscatter

// Tensors in files, by name: "x.npy", "x.json", and "x.npz:w" for the member w of an archive. What
// a file is, its first bytes say; what a new file becomes, its name's ending says (.npy where it
// says nothing). Formats and their rules: docs/formats.md.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "tscatter/core/output.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/durability.hpp"

namespace tscatter {

struct FileOptions {
  Durability durability = Durability::kill;        // of what is written
  Journaling journaling = Journaling::done;        // of a change in place
  std::filesystem::path spool_directory = "/tmp";  // takes what does not lie in the file as it is
  const std::atomic<bool>* stop =
      nullptr;  // reading or writing ends with Cancelled when it is true
};

// Only the header is read now. Throws Error (file or format).
Tensor open_tensor(const std::string& name, const FileOptions& options = {});

// A new file, or a new member of an archive; what has its name is replaced. It appears when the
// result is whole.
class FileOutput final : public Output {
 public:
  // Nothing is opened before begin(). Throws Error (usage) for a member that cannot be made.
  explicit FileOutput(const std::string& name, const FileOptions& options = {});

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override { output_->commit(); }
  std::string temporary_name() const override { return output_->temporary_name(); }

 private:
  std::unique_ptr<Output> output_;
};

// A tensor that is changed where it stands, in a .npy file. Only what is touched is written; an
// undo journal beside the file brings the old bytes back when the run is killed.
class InPlaceOutput final : public Output {
 public:
  // Locks the file, and rolls back what a killed run left. Throws Error (file, undo or format).
  explicit InPlaceOutput(const std::string& name, const FileOptions& options = {});
  ~InPlaceOutput() override;  // without commit(): as take_back()

  // The operation's data. REQUIRES: not used after the output is gone.
  const Tensor& data() const;

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;
  Remains take_back() noexcept override;

 private:
  std::unique_ptr<class InPlaceFile> file_;
};

}  // namespace tscatter

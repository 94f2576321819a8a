// A .npy file that is changed where it stands: its tensor is data, and what is touched is written
// back to it. An undo journal beside it brings the old bytes back when the run is killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "tscatter/core/output.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/durability.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {

class FileSource;
class InPlaceSink;

enum class Journaling : bool { left_out, done };

struct InPlaceOptions {
  Durability durability = Durability::kill;
  Journaling journaling = Journaling::done;
  Recovery recovery = Recovery::done;  // checked: what a killed run left stays, and begin() refuses
  FileSystem* files = &system_files();
};

class NpyInPlace final : public Output {
 public:
  // Opens the file for reading and writing, locks it, and rolls back what a killed run left. Throws
  // Error: file.f1, file.f2, file.f4 when it is no regular file or may not be written, file.f8 when
  // another tscatter is changing it, undo.* when what was left cannot be rolled back, npy.* when it
  // is no .npy file.
  explicit NpyInPlace(const std::filesystem::path& path, const InPlaceOptions& options = {});
  ~NpyInPlace() override;  // without commit(): as take_back()

  // What a killed run had left; it is rolled back by now, if that was wanted.
  const Leftover& leftover() const { return leftover_; }

  // data, which the operation has to be given. REQUIRES: not used after the output is gone.
  const Tensor& data() const { return *data_; }

  // Whether a tensor is read from this very file.
  bool is_read_by(const Tensor& tensor) const;

  // Throws Error also where the file has another name, which would not have its journal (undo.u7).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

  // What a change that was not committed leaves: nothing, or a file that is changed in part, with
  // or without a journal from which it can be rolled back.
  enum class Remains : std::uint8_t { nothing, journal, change };

  // Rolls back what was changed since begin(). Nothing is written afterwards.
  Remains take_back() noexcept;

 private:
  void require_one_name() const;

  InPlaceOptions options_;
  std::filesystem::path target_;  // behind all links
  std::shared_ptr<const FileSource> file_;
  Leftover leftover_;
  std::optional<Tensor> data_;
  std::unique_ptr<InPlaceSink> sink_;
};

}  // namespace tscatter

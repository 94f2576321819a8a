// A tensor that is changed where it stands: the bytes of a range of its file. It is data, and what
// is touched is written back to it. An undo journal beside the file brings the old bytes back when
// the run is killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tscatter/core/output.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/durability.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {

class FileSource;
class InPlaceSink;

struct InPlaceOptions {
  Durability durability = Durability::kill;
  Journaling journaling = Journaling::done;
  Recovery recovery = Recovery::done;  // checked: what a killed run left stays, and begin() refuses
  FileSystem* files = &system_files();
};

class InPlaceFile final : public Output {
 public:
  // The tensor in the file, whose bytes lie together there. Throws Error when there is none.
  using Reader = std::function<Tensor(std::shared_ptr<const Source> file, const std::string& name)>;

  // Opens the file for reading and writing, locks it, and rolls back what a killed run left. Throws
  // Error: file.f1, file.f2, file.f4 when it is no regular file or may not be written, file.f8 when
  // another tscatter is changing it, undo.* when what was left cannot be rolled back, and what
  // `read` throws.
  InPlaceFile(const std::filesystem::path& path, const Reader& read,
              const InPlaceOptions& options = {});
  ~InPlaceFile() override;  // without commit(): as take_back()

  // What a killed run had left; it is rolled back by now, if that was wanted.
  const Leftover& leftover() const { return leftover_; }

  // data, which the operation has to be given. REQUIRES: not used after the output is gone.
  const Tensor& data() const { return *data_; }

  // Whether a tensor is read from this very file.
  bool is_read_by(const Tensor& tensor) const;

  // Throws Error also where the file has another name, which would not have its journal (undo.u7).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

  Remains take_back() noexcept override;

 private:
  void require_one_name() const;
  std::int64_t data_offset() const;  // in the file

  InPlaceOptions options_;
  std::filesystem::path target_;  // behind all links
  std::shared_ptr<const FileSource> file_;
  Leftover leftover_;
  std::optional<Tensor> data_;
  std::unique_ptr<InPlaceSink> sink_;
};

}  // namespace tscatter

// A tensor that is changed in place, as a range of its file's bytes. It is the operation's data,
// and what is touched is written back to it. After a kill, an undo journal beside the file restores
// the old bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter {

class FileSource;
class UndoSize;
class InPlaceSink;

struct InPlaceOptions {
  Durability durability = Durability::kill;
  Journaling journaling = Journaling::done;
  Recovery recovery = Recovery::done;   // checked: what a killed run left stays, begin() refuses
  std::optional<Waiting> waiting = {};  // for the file's lock; nullopt: not at all
  std::shared_ptr<const File> name_lock = {};  // of another file that says what this one has
  std::function<void()> before_change = {};    // called once with a journal, before the first byte
  FileSystem* files = &system_files();
};

class InPlaceFile final : public Output {
 public:
  // The tensor in the file, where it is contiguous. Throws Error when there is none.
  using Reader = std::function<Tensor(std::shared_ptr<const Source> file, const std::string& name)>;

  // Opens the file for reading and writing, locks it, and rolls back what a killed run left. Throws
  // Error: file.f1, file.f2; file.f4 when it is not a regular file or may not be written; file.f8
  // when another tscatter is changing it (file.f9 after waiting for that); file.f10 when the
  // elements do not lie together in it; undo.* when what was left cannot be rolled back; and what
  // `read` throws.
  InPlaceFile(const std::filesystem::path& path, const Reader& read,
              const InPlaceOptions& options = {});
  ~InPlaceFile() override;  // without commit(): as take_back()

  // What a killed run had left; rolled back by now, unless recovery is `checked`.
  const Leftover& leftover() const { return leftover_; }

  // The operation's data. REQUIRES: it is not used after the output is gone.
  const Tensor& data() const { return *data_; }

  // The open file, and its path with all links resolved.
  const File& file() const;
  const std::filesystem::path& target() const { return target_; }

  // Measures the undo journal of a change; nullptr if none is kept.
  std::unique_ptr<UndoSize> undo_size() const;

  // Whether a tensor is read from this very file.
  bool is_read_by(const Tensor& tensor) const;

  // Also throws Error (undo.u7) if the file has a second name, beside which there would be no
  // journal.
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

  Remains take_back() noexcept override;

 private:
  std::int64_t data_offset() const;  // in the file
  void require_one_name() const;

  InPlaceOptions options_;
  std::filesystem::path target_;  // with all links resolved
  std::shared_ptr<const FileSource> file_;
  Leftover leftover_;
  std::optional<Tensor> data_;
  std::unique_ptr<InPlaceSink> sink_;
};

}  // namespace tscatter

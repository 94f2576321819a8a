#include "tscatter/io/npy_in_place.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/file_source.hpp"
#include "tscatter/io/npy_file.hpp"

namespace tscatter {
namespace {

File open_locked(const std::filesystem::path& path) {
  const std::string& name = path.native();
  // What is wrong with it as an input is said first, and as for any input.
  const bool is_regular = File::open_for_reading(path).is_regular();
  // file.f4
  if (!is_regular) {
    fail(ErrorKind::file, "file.f4", name,
         "what is changed in place must be a regular file, got a pipe or device");
  }
  File file(::open(path.c_str(), O_RDWR | O_CLOEXEC), name);
  // file.f4
  if (file.descriptor() < 0) {
    fail(ErrorKind::file, "file.f4", name, "must be an output that may be written to, got {}",
         errno_text(errno));
  }
  // file.f8
  if (::flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    fail(ErrorKind::file, "file.f8", name,
         "must not be changed by two at once, got another that is at it");
  }
  return file;
}

// Writes into the file's own bytes, `base` bytes on.
class InPlaceSink final : public Sink {
 public:
  InPlaceSink(const File& file, std::int64_t base) : file_{file}, base_{base} {}

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    file_.write_at(base_ + offset, bytes);
  }
  bool holds_data() const override { return true; }
  std::int64_t page_offset() const override { return base_; }

 private:
  const File& file_;
  std::int64_t base_;
};

}  // namespace

NpyInPlace::NpyInPlace(const std::filesystem::path& path, Durability durability)
    : durability_{durability},
      file_{std::make_shared<FileSource>(open_locked(path))},
      data_{npy_tensor(file_, path.native())} {}

NpyInPlace::~NpyInPlace() = default;

bool NpyInPlace::is_read_by(const Tensor& tensor) const {
  const auto extent = tensor.source().extent();
  struct stat other {};
  if (!extent || ::fstat(extent->descriptor, &other) != 0) return false;
  const struct stat own = file_->file().status();
  return own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

Sink& NpyInPlace::begin(const TensorHeader&, const Source& data) {
  const auto extent = data.extent();
  const std::int64_t base = extent ? extent->offset : 0;
  sink_ = std::make_unique<InPlaceSink>(file_->file(), base);
  return *sink_;
}

void NpyInPlace::commit() {
  // file.f5
  if (durability_ == Durability::power_cut && ::fsync(file_->file().descriptor()) != 0) {
    fail(ErrorKind::file, "file.f5", file_->file().name(), "must reach the disk, got {}",
         errno_text(errno));
  }
}

}  // namespace tscatter

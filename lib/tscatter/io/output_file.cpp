#include "tscatter/io/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <random>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/path.hpp"

namespace tscatter {
namespace {

// The descriptor that /dev/stdout, /dev/fd/N or /proc/self/fd/N means.
std::optional<int> named_descriptor(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    const std::string_view digits = std::string_view(path).substr(prefix.size());
    int descriptor = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), descriptor);
    if (error == std::errc{} && end == digits.data() + digits.size() && descriptor >= 0)
      return descriptor;
  }
  return std::nullopt;
}

std::filesystem::path temporary_sibling(const std::filesystem::path& target) {
  std::random_device random;
  return directory_of(target) / fmt::format(".tscatter-{:08x}{:08x}", random(), random());
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path, Durability durability, FileSystem& files)
    : files_{files}, name_{path.native()}, durability_{durability} {
  if (const auto descriptor = named_descriptor(path.native())) {
    file_.emplace(::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0), name_);
    // file.f4
    if (file_->descriptor() < 0) {
      fail(ErrorKind::file, "file.f4", name_, "must be an open descriptor, got {}",
           errno_text(errno));
    }
    return;
  }
  struct stat status {};
  const bool exists = files_.stat(path, status) == 0;
  // file.f7
  if (exists && S_ISDIR(status.st_mode))
    fail(ErrorKind::file, "file.f7", name_, "must be a file, got a directory");
  if (!exists || S_ISREG(status.st_mode)) {
    open_replacement(follow_links(path, name_));
    return;
  }
  file_.emplace(files_.open(path, O_WRONLY | O_CLOEXEC, 0), name_, files_);
  // file.f4
  if (file_->descriptor() < 0) {
    fail(ErrorKind::file, "file.f4", name_, "must be an output that can be opened, got {}",
         errno_text(errno));
  }
}

OutputFile::OutputFile(int descriptor, std::string name)
    : files_{system_files()}, name_{std::move(name)} {
  file_.emplace(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0), name_);
  // file.f4
  if (file_->descriptor() < 0) {
    fail(ErrorKind::file, "file.f4", name_, "must be an open descriptor, got {}",
         errno_text(errno));
  }
}

OutputFile::~OutputFile() {
  if (temporary_) files_.unlink(*temporary_);
}

void OutputFile::open_replacement(const std::filesystem::path& target) {
  target_ = target;
  // file.f4
  if (target_.filename().empty()) {
    fail(ErrorKind::file, "file.f4", name_, "must be an output that can be created, got {}",
         errno_text(ENOENT));
  }
  // file.f4
  if (files_.access(target_, F_OK) == 0 && files_.access(target_, W_OK) != 0) {
    fail(ErrorKind::file, "file.f4", name_, "must be an output that may be written to, got {}",
         errno_text(errno));
  }
  const std::filesystem::path temporary = temporary_sibling(target_);
  const int descriptor = files_.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  // file.f4
  if (descriptor < 0) {
    fail(ErrorKind::file, "file.f4", name_, "must be an output that can be created, got {}",
         errno_text(errno));
  }
  temporary_ = temporary;
  file_.emplace(descriptor, name_, files_);
  keep_permissions(target_);
}

void OutputFile::keep_permissions(const std::filesystem::path& target) {
  struct stat status {};
  if (files_.stat(target, status) != 0) return;
  constexpr mode_t all_bits = 07777;
  // Only root may give a file away; elsewhere the file stays the user's own, as with cp.
  files_.fchown(file_->descriptor(), status.st_uid, status.st_gid);
  // file.f4
  if (files_.fchmod(file_->descriptor(), status.st_mode & all_bits) != 0) {
    fail(ErrorKind::file, "file.f4", name_, "must keep its permissions, got {}", errno_text(errno));
  }
}

void OutputFile::reserve(std::int64_t size) {
  if (!is_random_access() || size == 0) return;
  int result = 0;
  do {
    result = files_.fallocate(file_->descriptor(), 0, size);
  } while (result != 0 && errno == EINTR);
  const bool is_full = result != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
  // file.f5
  if (is_full)
    fail(ErrorKind::file, "file.f5", name_, "there must be space for {} bytes, got {}", size,
         errno_text(errno));
}

void OutputFile::write(std::int64_t offset, std::span<const std::byte> bytes) {
  if (is_random_access()) {
    file_->write_at(offset, bytes);
  } else {
    file_->write_on(bytes);
  }
}

bool OutputFile::clone_from(int descriptor) {
  return is_random_access() && files_.clone(file_->descriptor(), descriptor) == 0;
}

void OutputFile::commit() {
  const bool syncs = durability_ == Durability::power_cut && temporary_.has_value();
  if (syncs) file_->sync();
  file_->close();
  if (!temporary_) return;
  // file.f6
  if (files_.rename(*temporary_, target_) != 0) {
    fail(ErrorKind::file, "file.f6", name_, "must take the finished output, got {}",
         errno_text(errno));
  }
  temporary_.reset();
  // file.f6
  if (syncs && !sync_directory_of(target_, files_))
    fail(ErrorKind::file, "file.f6", name_, "must reach the disk, got {}", errno_text(errno));
}

OutputFileSink::OutputFileSink(OutputFile& file, std::vector<std::byte> front)
    : file_{file}, front_{std::move(front)} {
  file_.write(0, front_);
}

bool OutputFileSink::adopt(const Source& data) {
  const auto extent = data.extent();
  const bool begins_alike = extent && extent->offset == base();
  if (begins_alike && file_.clone_from(extent->descriptor)) {
    file_.write(0, front_);
    holds_data_ = true;
  }
  return holds_data_;
}

}  // namespace tscatter

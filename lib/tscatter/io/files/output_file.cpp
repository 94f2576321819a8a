#include "tscatter/io/files/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <random>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"

namespace tscatter {
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

OutputFile::OutputFile(const std::filesystem::path& path, Durability durability, FileSystem& files,
                       StopFlag stop)
    : files_{files}, name_{path.native()}, durability_{durability} {
  if (const auto descriptor = named_descriptor(path.native())) {
    share_descriptor(*descriptor);
    return;
  }
  struct stat status {};
  const bool exists = files_.stat(path, status) == 0;
  // file.f4
  if (!exists && errno != ENOENT) {
    fail(ErrorKind::file, "file.f4", name_, "cannot be created: {}", errno_text(errno));
  }
  // file.f7
  if (exists && S_ISDIR(status.st_mode))
    fail(ErrorKind::file, "file.f7", name_, "is a folder: name a file in it");
  if (!exists || S_ISREG(status.st_mode)) {
    open_replacement(follow_links(path, name_));
  } else {
    open_stream(path, stop);
  }
}

OutputFile::OutputFile(int descriptor, std::string name)
    : files_{system_files()}, name_{std::move(name)} {
  share_descriptor(descriptor);
}

void OutputFile::share_descriptor(int descriptor) {
  FileSystem& files = system_files();
  stream_.emplace(files.duplicate(descriptor), name_, files);
  // file.f4
  if (stream_->descriptor() < 0) {
    fail(ErrorKind::file, "file.f4", name_, "is no open descriptor: {}", errno_text(errno));
  }
}

void OutputFile::open_stream(const std::filesystem::path& path, StopFlag stop) {
  stream_.emplace(File::open_for_writing(path, name_, files_, stop));
  // file.f4
  if (stream_->descriptor() < 0) {
    fail(ErrorKind::file, "file.f4", name_, "cannot be opened for writing: {}", errno_text(errno));
  }
}

void OutputFile::open_replacement(const std::filesystem::path& target) {
  // file.f4
  if (target.filename().empty()) {
    fail(ErrorKind::file, "file.f4", name_, "cannot be created: {}", errno_text(ENOENT));
  }
  // file.f4
  if (files_.access(target, W_OK) != 0 && errno != ENOENT) {
    fail(ErrorKind::file, "file.f4", name_, "may not be written to: {}", errno_text(errno));
  }
  temporary_.emplace(target, name_, files_);
  temporary_->keep_properties();
}

void OutputFile::reserve(std::int64_t size) {
  if (!is_random_access() || size == 0) return;
  // Checked before fallocate, which may use up all space when it fails, as on ext4.
  const std::int64_t free = files_.free_space(file().descriptor());
  // file.f5
  if (free >= 0 && free < size) {
    fail(ErrorKind::file, "file.f5", name_, "needs space for {} bytes: {} are free", size, free);
  }
  if (files_.fallocate(file().descriptor(), 0, 0, size) == 0) return;
  const bool is_full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  // file.f5
  if (is_full) {
    fail(ErrorKind::file, "file.f5", name_, "needs space for {} bytes: {}", size,
         errno_text(errno));
  }
}

void OutputFile::write(std::int64_t offset, std::span<const std::byte> bytes) {
  if (is_random_access()) {
    file().write_at(offset, bytes);
  } else {
    file().write_on(bytes);
  }
}

std::string OutputFile::temporary_name() const {
  const bool is_named = temporary_ && temporary_->temporary_name();
  return is_named ? temporary_->temporary_name()->native() : std::string();
}

bool OutputFile::clone_from(int descriptor, std::int64_t size) {
  struct stat status {};
  const bool has_size = files_.fstat(descriptor, status) == 0 && status.st_size == size;
  return has_size && is_random_access() && files_.clone(file().descriptor(), descriptor) == 0;
}

void OutputFile::lock() {
  if (!turn_ || !temporary_ || turn_->lock != nullptr) return;
  turn_->lock =
      std::make_shared<OutputLock>(target(), turn_->name, turn_->what, turn_->waiting, files_);
}

void OutputFile::commit() {
  if (temporary_) {
    lock();
    if (turn_ && turn_->check) turn_->check(target());
    const TellNaming tell = turn_ && turn_->naming ? turn_->naming : [](Naming) {};
    tell(Naming::begins);
    temporary_->put_in_place(durability_);
    tell(Naming::ended);
    temporary_.reset();
    turn_.reset();
  } else {
    stream_->close();
  }
}

OutputFileSink::OutputFileSink(OutputFile& file, std::vector<std::byte> front)
    : file_{file}, front_{std::move(front)} {
  file_.write(0, front_);
}

bool OutputFileSink::adopt(const Source& data) {
  const auto extent = data.extent();
  const bool begins_alike = extent && extent->offset == base();
  if (begins_alike && file_.clone_from(extent->descriptor, base() + data.size())) {
    file_.write(0, front_);
    holds_data_ = true;
  }
  return holds_data_;
}

}  // namespace tscatter

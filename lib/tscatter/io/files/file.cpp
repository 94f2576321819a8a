#include "tscatter/io/files/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::array file_rule_rows{
    Rule{"file.f1", "an input can be opened"},
    Rule{"file.f2", "an input is a file, a pipe or a device, not a directory"},
    Rule{"file.f3", "an input can be read, and keeps its size while it is read"},
    Rule{"file.f4",
         "an output can be created in its directory, and an existing one may be written to"},
    Rule{"file.f5", "an output can be written to its end, and there is space for it"},
    Rule{"file.f6", "a finished output can get its name"},
    Rule{"file.f7", "an output is a file, a pipe or a device, not a directory"},
    Rule{"file.f8", "a file that is changed in place is not being changed by another tscatter"},
    Rule{"file.f9", "a lock that another process holds is released within the time of --wait"},
    Rule{"file.f10", "a file that is changed in place holds the elements in one piece"},
    Rule{"file.f11",
         "a file whose name tscatter chooses is a regular file, no link, and no longer than "
         "tscatter makes it; one that it goes on writing has one name"},
};

[[noreturn]] void fail_to_read(const std::string& name) {
  // file.f3
  fail(ErrorKind::file, "file.f3", name, "cannot be read: {}", errno_text(errno));
}

[[noreturn]] void fail_to_write(const std::string& name) {
  // file.f5
  fail(ErrorKind::file, "file.f5", name, "cannot be written to its end: {}", errno_text(errno));
}

}  // namespace

const std::span<const Rule> file_rules = file_rule_rows;

std::string errno_text(int error_number) {
  std::string text = std::generic_category().message(error_number);
  const bool is_word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (is_word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

File File::open_for_reading(const std::filesystem::path& path, FileSystem& files, StopFlag stop) {
  const int waiting = stop == nullptr ? 0 : O_NONBLOCK;
  const int descriptor = files.open(path, O_RDONLY | O_CLOEXEC | waiting, 0);
  // file.f1
  if (descriptor < 0) {
    fail(ErrorKind::file, "file.f1", path.native(), "cannot be opened: {}", errno_text(errno));
  }
  File file(descriptor, path.native(), files);
  // file.f2
  if (S_ISDIR(file.status().st_mode)) {
    fail(ErrorKind::file, "file.f2", path.native(), "must be a file, got a directory");
  }
  if (!file.is_regular()) file.stop_ = stop;
  return file;
}

File File::open_for_writing(const std::filesystem::path& path, const std::string& name,
                            FileSystem& files, StopFlag stop) {
  constexpr std::chrono::milliseconds pause{10};
  const int waiting = stop == nullptr ? 0 : O_NONBLOCK;
  for (;;) {
    File file(files.open(path, O_WRONLY | O_CLOEXEC | waiting, 0), name, files);
    file.stop_ = stop;
    const bool has_no_reader = file.descriptor_ < 0 && errno == ENXIO && stop != nullptr;
    if (!has_no_reader) return file;
    if (*stop) throw Cancelled();
    std::this_thread::sleep_for(pause);
  }
}

File::File(File&& other) noexcept
    : files_{other.files_},
      descriptor_{std::exchange(other.descriptor_, -1)},
      name_{std::move(other.name_)},
      stop_{other.stop_} {}

File::~File() {
  if (descriptor_ >= 0) files_->close(descriptor_);
}

struct stat File::status() const {
  struct stat status {};
  if (files_->fstat(descriptor_, status) != 0) fail_to_read(name_);
  return status;
}

void File::read_at(std::int64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = files_->pread(descriptor_, into, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(name_);
    // file.f3
    if (got == 0) {
      fail(ErrorKind::file, "file.f3", name_, "changed while it was read: it ends at byte {}",
           offset);
    }
    offset += got;
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

bool File::is_readable_within(int milliseconds) const {
  struct pollfd wanted {
    .fd = descriptor_, .events = POLLIN, .revents = 0
  };
  return ::poll(&wanted, 1, milliseconds) > 0;
}

void File::wait_for(short event) const {
  // Short, since a signal that another thread handles does not end the poll.
  constexpr int slice = 20;  // milliseconds
  if (stop_ == nullptr) return;
  struct pollfd wanted {
    .fd = descriptor_, .events = event, .revents = 0
  };
  while (::poll(&wanted, 1, slice) <= 0) {
    if (*stop_) throw Cancelled();
  }
}

bool File::is_worth_repeating(int error, short event) const {
  const bool is_early = error == EAGAIN && stop_ != nullptr;
  if (is_early) wait_for(event);
  return is_early || error == EINTR;
}

std::size_t File::read_available(std::span<std::byte> into) const {
  ssize_t got = 0;
  wait_for(POLLIN);
  do {
    got = files_->read(descriptor_, into);
  } while (got < 0 && is_worth_repeating(errno, POLLIN));
  if (got < 0) fail_to_read(name_);
  return static_cast<std::size_t>(got);
}

std::size_t File::read_some(std::span<std::byte> into) const {
  std::size_t total = 0;
  while (total < into.size()) {
    wait_for(POLLIN);  // a pipe without a writer yet looks like one at its end
    const ssize_t got = files_->read(descriptor_, into.subspan(total));
    if (got < 0 && is_worth_repeating(errno, POLLIN)) continue;
    if (got < 0) fail_to_read(name_);
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

void File::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = files_->pwrite(descriptor_, bytes, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_to_write(name_);
    offset += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::write_on(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = files_->write(descriptor_, bytes);
    if (put < 0 && is_worth_repeating(errno, POLLOUT)) continue;
    if (put < 0) fail_to_write(name_);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::sync() const {
  // file.f5
  if (files_->fsync(descriptor_) != 0)
    fail(ErrorKind::file, "file.f5", name_, "cannot be flushed to disk: {}", errno_text(errno));
}

void File::flush() const {
  const int copy = files_->duplicate(descriptor_);
  if (copy < 0 || (files_->close(copy) != 0 && errno != EINTR)) fail_to_write(name_);
}

void File::close() {
  if (files_->close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail_to_write(name_);
}

}  // namespace tscatter

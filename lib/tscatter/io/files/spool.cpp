#include "tscatter/io/files/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::size_t memory_limit = std::size_t{8} << 20U;
constexpr std::size_t piece = std::size_t{256} << 10U;

File temporary_file(const std::filesystem::path& directory, const std::string& name) {
  int descriptor = system_files().open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    std::string pattern = (directory / "tscatter-XXXXXX").native();
    descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (descriptor >= 0) ::unlink(pattern.c_str());
  }
  // file.f4
  if (descriptor < 0) {
    fail(ErrorKind::file, "file.f4", directory.native(), "cannot hold a temporary file: {}",
         errno_text(errno));
  }
  return {descriptor, name};
}

// Whether the first one is zero and each is as the one before: most pieces end that at once.
bool are_zeros(std::span<const std::byte> bytes) {
  return bytes.empty() || (bytes.front() == std::byte{0} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace

Spool::Spool(std::filesystem::path directory, std::string name)
    : directory_{std::move(directory)}, name_{std::move(name)} {}

void Spool::append(std::span<const std::byte> bytes) {
  if (!file_ && memory_.size() + bytes.size() > memory_limit) move_to_file();
  if (file_) {
    store(bytes);
  } else {
    memory_.insert(memory_.end(), bytes.begin(), bytes.end());
  }
  size_ += static_cast<std::int64_t>(bytes.size());
}

void Spool::store(std::span<const std::byte> bytes) {
  if (are_zeros(bytes)) return;
  file_->write_at(size_, bytes);
  stored_ = size_ + static_cast<std::int64_t>(bytes.size());
}

bool Spool::fill_from(const File& file, std::int64_t size) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(
      std::clamp<std::int64_t>(size - size_, 0, static_cast<std::int64_t>(piece))));
  while (size_ < size) {
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(size - size_, piece));
    const std::size_t got = file.read_some(std::span(buffer).first(wanted));
    append(std::span<const std::byte>(buffer).first(got));
    if (got < wanted) return false;
  }
  return true;
}

void Spool::move_to_file() {
  file_.emplace(temporary_file(directory_, name_));
  file_->write_at(0, memory_);
  stored_ = static_cast<std::int64_t>(memory_.size());
  memory_ = {};
}

void Spool::read(std::int64_t offset, std::span<std::byte> into) const {
  if (file_) {
    const auto wanted = static_cast<std::int64_t>(into.size());
    const auto stored =
        static_cast<std::size_t>(std::clamp<std::int64_t>(stored_ - offset, 0, wanted));
    if (stored > 0) file_->read_at(offset, into.first(stored));
    std::ranges::fill(into.subspan(stored), std::byte{0});
  } else {
    read_memory(memory_, offset, into);
  }
}

std::optional<std::span<const std::byte>> Spool::view() const {
  if (!file_) return memory_;
  const std::lock_guard lock(mapping_lock_);
  const bool is_mapped = mapping_ != nullptr && std::ssize(mapping_->bytes()) == size_;
  if (!is_mapped) {
    const bool has_zeros = stored_ == size_ || ::ftruncate(file_->descriptor(), size_) == 0;
    mapping_ = has_zeros ? Mapping::of(file_->descriptor(), size_) : nullptr;
  }
  if (mapping_ == nullptr) return std::nullopt;
  return mapping_->bytes();
}

}  // namespace tscatter

#include "tscatter/io/files/sources.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <limits>
#include <optional>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

// What the signal handler may access: lock-free, fixed in number.
struct Guard {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> broken{false};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

// An eighth of the address space: on 32 bits most of it is needed for the computation. A longer
// file is read instead.
constexpr auto longest_mapping =
    static_cast<std::int64_t>(std::numeric_limits<std::size_t>::max() / 8);

std::array<Guard, 64> guards;
std::atomic<bool> is_installed{false};
std::atomic<std::uintptr_t> page_size{0};
struct sigaction previous {};

Guard* guard_of(std::uintptr_t address) {
  for (Guard& guard : guards) {
    if (guard.begin <= address && address < guard.end) return &guard;
  }
  return nullptr;
}

void on_bus_error(int signal, siginfo_t* information, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(information->si_addr);
  if (Guard* guard = guard_of(address)) {
    guard->broken = true;
    auto* page = reinterpret_cast<void*>(address & ~(page_size - 1));
    if (::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
      return;
  }
  // Not ours: the fault recurs on return, and reaches the previous handler.
  ::sigaction(signal, &previous, nullptr);
}

std::optional<std::size_t> take_guard(std::uintptr_t begin, std::uintptr_t end) {
  for (std::size_t i = 0; i < guards.size(); ++i) {
    if (guards[i].taken.exchange(true)) continue;
    guards[i].broken = false;
    guards[i].begin = begin;
    guards[i].end = end;
    return i;
  }
  return std::nullopt;
}

}  // namespace

void guard_mappings() {
  if (is_installed) return;
  page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  is_installed = ::sigaction(SIGBUS, &action, &previous) == 0;
}

std::unique_ptr<const Mapping> Mapping::of(int descriptor, std::int64_t size) {
  if (!is_installed || size == 0 || size > longest_mapping) return nullptr;
  const auto length = static_cast<std::size_t>(size);
  void* address = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const auto guard = take_guard(begin, begin + length);
  if (!guard) {
    ::munmap(address, length);
    return nullptr;
  }
  return std::unique_ptr<const Mapping>(
      new Mapping({static_cast<const std::byte*>(address), length}, *guard));
}

Mapping::~Mapping() {
  guards[guard_].begin = 0;
  guards[guard_].end = 0;
  guards[guard_].taken = false;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

bool Mapping::is_broken() const { return guards[guard_].broken; }

FileSource::FileSource(File file) : file_{std::move(file)}, size_{file_.status().st_size} {}

std::optional<std::span<const std::byte>> FileSource::view() const {
  std::call_once(mapped_, [&] {
    if (file_.files().is_system()) mapping_ = Mapping::of(file_.descriptor(), size_);
  });
  if (mapping_ == nullptr) return std::nullopt;
  return mapping_->bytes();
}

void FileSource::check_view() const {
  // file.f3
  if (mapping_ != nullptr && mapping_->is_broken()) {
    fail(ErrorKind::file, "file.f3", file_.name(),
         "changed while it was read: it was cut to {} bytes", std::int64_t{file_.status().st_size});
  }
}

std::optional<std::span<const std::byte>> PartSource::view() const {
  const auto whole = whole_->view();
  if (!whole) return std::nullopt;
  return whole->subspan(static_cast<std::size_t>(offset_), static_cast<std::size_t>(size_));
}

std::optional<Source::Extent> PartSource::extent() const {
  auto extent = whole_->extent();
  if (extent) extent->offset += offset_;
  return extent;
}

}  // namespace tscatter

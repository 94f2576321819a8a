#include "faults/system_calls.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

namespace tscatter::faults {
namespace {

enum Trait : unsigned {
  none = 0,
  writes = 1,        // is_write_like
  moves_bytes = 2,   // may_be_short
  always_done = 4,   // is_done_when_it_fails
  takes_memory = 8,  // is_about_memory
};

struct Row {
  std::uint64_t number;
  std::string_view name;
  unsigned traits;
  int path;  // which argument
  std::vector<int> errors;
};

// The kernel's manual pages say which errors a call has; on any file system a device may fail (EIO)
// and memory may be short (ENOMEM).
// NOLINTNEXTLINE(readability-function-size): a table.
const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {SYS_openat, "openat", none, 1, {EMFILE, ENOMEM, EIO, EINTR}},
      {SYS_read, "read", moves_bytes, -1, {EIO, EINTR, ENOMEM}},
      {SYS_pread64, "pread64", moves_bytes, -1, {EIO, EINTR, ENOMEM}},
      {SYS_write, "write", writes | moves_bytes, -1, {ENOSPC, EIO, EINTR, ENOMEM}},
      {SYS_pwrite64, "pwrite64", writes | moves_bytes, -1, {ENOSPC, EIO, EINTR, ENOMEM}},
      {SYS_fsync, "fsync", writes, -1, {EIO, ENOSPC, EINTR}},
      {SYS_fdatasync, "fdatasync", writes, -1, {EIO, ENOSPC, EINTR}},
      {SYS_close, "close", always_done, -1, {EIO, ENOSPC, EINTR}},
      {SYS_fallocate, "fallocate", writes, -1, {ENOSPC, EIO, EINTR, EOPNOTSUPP}},
#ifdef SYS_sync_file_range
      {SYS_sync_file_range, "sync_file_range", none, -1, {EIO, ENOSPC, ENOMEM}},
#endif
      {SYS_ftruncate, "ftruncate", writes, -1, {EIO, EINTR}},
      {SYS_ioctl, "ioctl", none, -1, {EIO, ENOMEM, EINTR}},
      {SYS_fstat, "fstat", none, -1, {EIO, ENOMEM}},
      {SYS_statx, "statx", none, 1, {EIO, ENOMEM}},
      {SYS_fstatfs, "fstatfs", none, -1, {EIO, EINTR, ENOMEM}},
      {SYS_faccessat, "faccessat", none, 1, {EIO, ENOMEM}},
      {SYS_faccessat2, "faccessat2", none, 1, {EIO, ENOMEM}},
      {SYS_readlinkat, "readlinkat", none, 1, {EIO, ENOMEM}},
      {SYS_getdents64, "getdents64", none, -1, {EIO, ENOMEM}},
      {SYS_renameat2, "renameat2", writes, 1, {EBUSY, EIO, ENOSPC, ENOMEM}},
      {SYS_linkat, "linkat", writes, 3, {EIO, ENOSPC, ENOMEM}},
      {SYS_unlinkat, "unlinkat", writes, 1, {EBUSY, EIO, ENOMEM}},
      {SYS_mkdirat, "mkdirat", writes, 1, {EIO, ENOSPC, ENOMEM}},
      {SYS_flock, "flock", none, -1, {EINTR, ENOMEM}},
      {SYS_fchown, "fchown", writes, -1, {EIO, ENOMEM}},
      {SYS_fchmod, "fchmod", writes, -1, {EIO, ENOMEM}},
      {SYS_utimensat, "utimensat", writes, -1, {EIO, EPERM}},
      {SYS_fcntl, "fcntl", none, -1, {EMFILE}},
      {SYS_dup, "dup", none, -1, {EMFILE}},
      {SYS_lgetxattr, "lgetxattr", none, 0, {EIO, ENOMEM}},
      {SYS_llistxattr, "llistxattr", none, 0, {EIO, ENOMEM}},
      {SYS_fgetxattr, "fgetxattr", none, -1, {EIO, ENOMEM}},
      {SYS_flistxattr, "flistxattr", none, -1, {EIO, ENOMEM}},
      {SYS_fsetxattr, "fsetxattr", writes, -1, {EIO, ENOSPC, ENOMEM}},
      {SYS_fremovexattr, "fremovexattr", writes, -1, {EIO, ENOMEM}},
      {SYS_mmap, "mmap", takes_memory, -1, {ENOMEM}},
      {SYS_mremap, "mremap", takes_memory, -1, {ENOMEM}},
      {SYS_brk, "brk", takes_memory, -1, {ENOMEM}},
      {SYS_clone, "clone", takes_memory, -1, {EAGAIN, ENOMEM}},
#ifdef SYS_clone3
      {SYS_clone3, "clone3", takes_memory, -1, {EAGAIN, ENOMEM}},
#endif
#ifdef SYS_newfstatat
      {SYS_newfstatat, "newfstatat", none, 1, {EIO, ENOMEM}},
#endif
#ifdef SYS_mmap2  // 32 bits: under the names that they have elsewhere
      {SYS_mmap2, "mmap", takes_memory, -1, {ENOMEM}},
      {SYS_fcntl64, "fcntl", none, -1, {EMFILE}},
      {SYS_ftruncate64, "ftruncate", writes, -1, {EIO, EINTR}},
      {SYS_fstatfs64, "fstatfs", none, -1, {EIO, EINTR, ENOMEM}},
      {SYS_fchown32, "fchown", writes, -1, {EIO, ENOMEM}},
      {SYS_utimensat_time64, "utimensat", writes, -1, {EIO, EPERM}},
      {SYS_fstatat64, "newfstatat", none, 1, {EIO, ENOMEM}},
#endif
#ifdef SYS_open
      {SYS_open, "open", none, 0, {EMFILE, ENOMEM, EIO, EINTR}},
      {SYS_stat, "stat", none, 0, {EIO, ENOMEM}},
      {SYS_lstat, "lstat", none, 0, {EIO, ENOMEM}},
      {SYS_access, "access", none, 0, {EIO, ENOMEM}},
      {SYS_readlink, "readlink", none, 0, {EIO, ENOMEM}},
      {SYS_rename, "rename", writes, 0, {EBUSY, EIO, ENOSPC, ENOMEM}},
      {SYS_renameat, "renameat", writes, 1, {EBUSY, EIO, ENOSPC, ENOMEM}},
      {SYS_link, "link", writes, 1, {EIO, ENOSPC, ENOMEM}},
      {SYS_unlink, "unlink", writes, 0, {EBUSY, EIO, ENOMEM}},
      {SYS_mkdir, "mkdir", writes, 0, {EIO, ENOSPC, ENOMEM}},
      {SYS_rmdir, "rmdir", writes, 0, {EBUSY, EIO, ENOMEM}},
#endif
  };
  return rows;
}

const Row* row_of(const SystemCall& call) {
  const auto row = std::ranges::find(table(), call.number, &Row::number);
  return row == table().end() ? nullptr : &*row;
}

bool has_trait(const SystemCall& call, Trait trait) {
  const Row* row = row_of(call);
  return row != nullptr && (row->traits & trait) != 0;
}

bool makes_no_descriptor(const SystemCall& call) {
  return name_of(call) == "fcntl" && call.arguments[1] != F_DUPFD &&
         call.arguments[1] != F_DUPFD_CLOEXEC;
}

bool has_open_flag(const SystemCall& call, std::uint64_t flag) {
  return call.number == SYS_openat && (call.arguments[2] & flag) == flag;
}

}  // namespace

bool is_known(const SystemCall& call) { return row_of(call) != nullptr; }

std::string name_of(const SystemCall& call) {
  const Row* row = row_of(call);
  return row == nullptr ? std::to_string(call.number) : std::string(row->name);
}

std::span<const int> errors_of(const SystemCall& call) {
  static const std::vector<int> of_creating{ENOSPC, EMFILE, ENOMEM, EIO, EINTR};
  if (has_open_flag(call, O_CREAT) || opens_unnamed(call)) return of_creating;
  const Row* row = row_of(call);
  if (row == nullptr || makes_no_descriptor(call)) return {};
  return row->errors;
}

bool may_be_short(const SystemCall& call) {
  return has_trait(call, moves_bytes) && call.arguments[count_argument] > 1;
}

bool is_done_when_it_fails(const SystemCall& call) { return has_trait(call, always_done); }

bool is_write_like(const SystemCall& call) {
  const bool clones = call.number == SYS_ioctl && call.arguments[1] == FICLONE;
  return clones || has_trait(call, writes) || has_open_flag(call, O_CREAT) || opens_unnamed(call);
}

bool is_about_memory(const SystemCall& call) { return has_trait(call, takes_memory); }

bool opens_unnamed(const SystemCall& call) { return has_open_flag(call, O_TMPFILE); }

int path_argument(const SystemCall& call) {
  const Row* row = row_of(call);
  return row == nullptr ? -1 : row->path;
}

}  // namespace tscatter::faults

// Locks of files that are changed or replaced, and waiting for those that another process holds.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {

// ---- How long a step took that may be slow: a wait, a file read into a spool. For a program's
// log.

// Is told what was done, and how long it took: "x.npz:w: 48 bytes inflated in 0.000104 s"
using TellStep = std::function<void(const std::string& words)>;

class StepClock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  // `what` ends with a participle.
  void tell(const TellStep& teller, const std::string& what) const {
    if (teller) teller(fmt::format("{} in {:.6f} s", what, seconds()));
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// ---- Waiting for a lock that another process holds.

struct Waiting {
  std::optional<std::chrono::seconds> at_most = {};  // nullopt: for ever
  StopFlag stop = nullptr;                           // waiting throws Cancelled when it is true
  std::function<void(const std::string& words)> tell = {};  // what is waited for, after a second
  TellStep log = {};                                        // how long it was, when it is over
};

// The pauses of one wait.
class Patience {
 public:
  // For messages: `name` is the file's, `what` is what the other process has locked.
  Patience(Waiting waiting, std::string name, std::string what);
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience();

  // Throws Cancelled, and Error (file, file.f9) when the time is over.
  void pause();

 private:
  Waiting waiting_;
  std::string name_;
  std::string what_;
  StepClock clock_;
  bool has_paused_ = false;
  bool is_told_ = false;
};

// ---- Opens a file that is going to be changed or replaced, and locks it.

enum class Access : bool { reading, writing };

// Opens a regular file and locks it against others that do the same. `target` still names the file
// once it is locked. Throws Error: file.f1, file.f2; file.f4 when it is not a regular file or may
// not be written. When another process holds the lock: file.f8, or if it is to wait, file.f9 and
// Cancelled as Patience does. `name` is used in messages. REQUIRES: `target` is not a symbolic
// link.
File open_locked(const std::filesystem::path& target, const std::string& name, FileSystem& files,
                 Access access = Access::writing, const std::optional<Waiting>& waiting = {});

// Opens what may or may not be there; nullopt if it is not, or if the user may not open it. Throws
// Error (file.f4) for any other reason.
std::optional<File> open_if_allowed(const std::filesystem::path& path, int flags,
                                    const std::string& name, FileSystem& files);

// Locks a regular file as open_locked() does; nullopt if there is none that the user may open.
// Waits for other processes. Throws Error (file.f4, file.f9) and Cancelled.
std::optional<File> lock_if_there(const std::filesystem::path& target, const std::string& name,
                                  FileSystem& files, const Waiting& waiting);

enum class Sharing : bool { alone, shared };

// Locks the file, alone or shared; false if a lock of another process excludes this one, true on a
// file system without locks. Throws Error (file.f4).
bool try_lock(const File& file, Sharing sharing = Sharing::alone);

// The same, with a second lock that also holds between machines, where the first may not. REQUIRES:
// the file is open for writing, or for reading and `sharing` is shared.
bool try_both_locks(const File& file, Sharing sharing = Sharing::alone);

// Whether another process, on any machine, holds one of these locks. If none does, takes both, as
// far as the file system has them. REQUIRES: the file is open for that access.
bool is_locked_by_another(const File& file, Access access);

// Whether the name still means the file: another may have replaced it before it was locked.
bool is_named(const File& file, const std::filesystem::path& target);

// ---- OutputLock: keeps other runs from changing or replacing a file while this run replaces it.

// What is replaced. Runs that add to an archive meet at its folder: it may not exist yet.
enum class Replaced : bool { file, archive };

class OutputLock {
 public:
  // Waits for the locks and takes them: for an archive the folder's first, then the file's, if the
  // file exists. `name` is the file's in messages. Locks nothing that the user may not open, or
  // that is on a file system without locks. Throws Cancelled and Error (file, file.f9) as Patience
  // does, and file.f4. REQUIRES: `target` is not a symbolic link.
  OutputLock(const std::filesystem::path& target, const std::string& name, Replaced what,
             const Waiting& waiting, FileSystem& files = system_files());

 private:
  std::optional<File> folder_;  // closing it unlocks
  std::optional<File> file_;
};

// What happens to a file that gets its name.
enum class Naming : bool { begins, ended };
using TellNaming = std::function<void(Naming)>;

// How an output gets its name while no other run is at work on the file.
struct OutputTurn {
  std::string name;  // of the file, in messages
  Replaced what = Replaced::file;
  Waiting waiting = {};                         // for the lock
  std::shared_ptr<const OutputLock> lock = {};  // if it is held already
  TellNaming naming = {};
  // Called with the lock held; throws Error if what the file replaces must stay.
  std::function<void(const std::filesystem::path& target)> check = {};
};

}  // namespace tscatter

// OutputLock: keeps other runs from changing or replacing a file while this run replaces it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/waiting.hpp"

namespace tscatter {

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

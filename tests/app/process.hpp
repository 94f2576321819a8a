// Runs the program as a shell would, and returns its result.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tscatter {

using Strings = std::vector<std::string>;

struct Result {
  int exit_code = -1;  // -1: it died by a signal
  int signal = 0;      // 0: it exited
  std::string out;
  std::string err;
};

// The words between blanks; 'a word in quotes' has blanks of its own, and may be empty.
Strings split_words(const std::string& line);

// tscatter with arguments and an environment.
class Command {
 public:
  // NOLINTBEGIN(google-explicit-constructor): words are a command, as in a shell.
  Command(Strings words) : arguments_{std::move(words)} {}
  Command(std::initializer_list<std::string> words) : arguments_{words} {}
  Command(const char* line) : arguments_{split_words(line)} {}
  // NOLINTEND(google-explicit-constructor)

  Command& in(const std::filesystem::path& directory);  // the working directory
  Command& with_input(std::string text);                // stdin is a pipe; else it is /dev/null
  Command& with_input_from(const std::filesystem::path& path);
  Command& with_output_to(const std::filesystem::path& path);  // stdout is that file or device
  Command& with_environment(const std::string& name, const std::string& value);
  Command& with_closed(int descriptor);
  Command& with_file_limit(std::uint64_t bytes);
  Command& with_descriptor_limit(std::uint64_t descriptors);
  Command& with_memory_limit(std::uint64_t bytes);  // of addresses, mapped files too
  // Of memory that it may write to. A sanitizer's is not the program's: there is no limit then.
  Command& with_private_memory_limit(std::uint64_t bytes);

  Result run() const;

 private:
  friend class Running;

  Strings arguments_;
  std::filesystem::path directory_;
  std::optional<std::string> input_;
  std::optional<std::filesystem::path> input_path_;
  std::optional<std::filesystem::path> output_path_;
  std::map<std::string, std::string> environment_;
  std::vector<int> closed_;
  std::optional<std::uint64_t> file_limit_;
  std::optional<std::uint64_t> descriptor_limit_;
  std::optional<std::uint64_t> memory_limit_;
  std::optional<std::uint64_t> private_memory_limit_;
};

// A pipe under a name, that takes no more bytes: who writes to it waits.
class FullPipe {
 public:
  explicit FullPipe(const std::filesystem::path& path);
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;
  ~FullPipe();

 private:
  int descriptor_;
};

// A running command. Only finish() reads its stdout and stderr.
class Running {
 public:
  explicit Running(const Command& command);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  void send(int signal) const;
  std::int64_t memory() const;  // its peak until now, in KiB; 0 after its end
  void close_output();          // the reading end of its stdout
  // Waits until it has written so many bytes of an unfinished output in the directory: a file
  // without a name, or a temporary sibling. Returns false if there never is one.
  bool begins_to_write(const std::filesystem::path& directory, std::int64_t bytes) const;
  Result finish();

 private:
  struct Start {
    const char* path;
    const char* input;
    char* const* words;
    char* const* environment;
  };

  [[noreturn]] static void become(const Command& command, const Start& start, int in, int out,
                                  int err);

  pid_t process_ = -1;
  std::string input_;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
};

// The program's path: the environment's TSCATTER_BINARY, or the one that was built beside the test.
std::string program();

Strings with_more(Strings words, const Strings& more);

Result tscatter_run(const Command& command);

// stdout of a run that must succeed with nothing on stderr.
std::string output_of(const Command& command);

// stderr of a run that must fail with this exit code and nothing on stdout, without "tscatter: "
// and the line break.
std::string refusal_of(int exit_code, const Command& command);

}  // namespace tscatter

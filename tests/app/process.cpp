#include "app/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "catch.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

constexpr unsigned longest_run = 60;  // seconds; what takes longer hangs

std::pair<int, int> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {ends[0], ends[1]};
}

void close_end(int& descriptor) { ::close(std::exchange(descriptor, -1)); }

// Reads what there is; closes the descriptor at the end.
void read_more(int& descriptor, std::string& into) {
  std::array<char, 65536> piece;
  const ssize_t got = ::read(descriptor, piece.data(), piece.size());
  if (got <= 0) return close_end(descriptor);
  into.append(piece.data(), static_cast<std::size_t>(got));
}

// Writes what the pipe takes; closes it after the last byte, or when nobody reads.
void write_more(int& descriptor, std::string_view& text) {
  const ssize_t put = ::write(descriptor, text.data(), text.size());
  if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  const bool may_go_on = put >= 0 || errno == EAGAIN;
  if (text.empty() || !may_go_on) close_end(descriptor);
}

std::vector<char*> pointers_to(const Strings& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// This process's, with these changes.
Strings environment_with(const std::map<std::string, std::string>& changes) {
  Strings words;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string word(*each);
    if (!changes.contains(word.substr(0, word.find('=')))) words.push_back(word);
  }
  for (const auto& [name, value] : changes)
    words.push_back(std::string(name).append("=").append(value));
  return words;
}

void limit(int resource, std::uint64_t bytes) {
  const struct rlimit both { .rlim_cur = bytes, .rlim_max = bytes };
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// Of a link in /proc to an open file.
bool is_unfinished_output(const std::filesystem::path& link, const std::filesystem::path& directory,
                          std::int64_t bytes) {
  std::error_code error;
  const std::string file = std::filesystem::read_symlink(link, error).native();
  const bool is_unnamed = file.ends_with(" (deleted)");
  const bool is_temporary = file.find("/.tscatter-") != std::string::npos;
  struct stat status {};
  return file.starts_with(directory.native()) && (is_unnamed || is_temporary) &&
         ::stat(link.c_str(), &status) == 0 && status.st_size >= bytes;
}

}  // namespace

Command& Command::in(const std::filesystem::path& directory) {
  directory_ = directory;
  return *this;
}
Command& Command::with_input(std::string text) {
  input_ = std::move(text);
  return *this;
}
Command& Command::with_input_from(const std::filesystem::path& path) {
  input_path_ = path;
  return *this;
}
Command& Command::with_output_to(const std::filesystem::path& path) {
  output_path_ = path;
  return *this;
}
Command& Command::with_environment(const std::string& name, const std::string& value) {
  environment_[name] = value;
  return *this;
}
Command& Command::with_closed(int descriptor) {
  closed_.push_back(descriptor);
  return *this;
}
Command& Command::with_file_limit(std::uint64_t bytes) {
  file_limit_ = bytes;
  return *this;
}
Command& Command::with_descriptor_limit(std::uint64_t descriptors) {
  descriptor_limit_ = descriptors;
  return *this;
}
Command& Command::with_memory_limit(std::uint64_t bytes) {
  memory_limit_ = bytes;
  return *this;
}
Command& Command::with_private_memory_limit(std::uint64_t bytes) {
  if (!property::is_slowed) private_memory_limit_ = bytes;
  return *this;
}

FullPipe::FullPipe(const std::filesystem::path& path) {
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  descriptor_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const std::string filling(4096, '.');
  while (::write(descriptor_, filling.data(), filling.size()) > 0) {
  }
}

FullPipe::~FullPipe() { ::close(descriptor_); }

Result Command::run() const { return Running(*this).finish(); }

// In the child, which has the parent's memory until it becomes the program: it only calls the
// system.
void Running::become(const Command& command, const Start& start, int in, int out, int err) {
  if (!command.directory_.empty() && ::chdir(command.directory_.c_str()) != 0) std::_Exit(125);
  if (!command.input_) in = ::open(start.input, O_RDONLY);
  if (command.output_path_) out = ::open(command.output_path_->c_str(), O_WRONLY | O_CREAT, 0666);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const int descriptor : command.closed_) ::close(descriptor);
  if (command.file_limit_) limit(RLIMIT_FSIZE, *command.file_limit_);
  if (command.descriptor_limit_) limit(RLIMIT_NOFILE, *command.descriptor_limit_);
  if (command.memory_limit_) limit(RLIMIT_AS, *command.memory_limit_);
  if (command.private_memory_limit_) limit(RLIMIT_DATA, *command.private_memory_limit_);
  ::alarm(longest_run);
  ::execve(start.path, start.words, start.environment);
  std::_Exit(126);
}

Running::Running(const Command& command) : input_{command.input_.value_or("")} {
  std::signal(SIGPIPE, SIG_IGN);
  const auto [in_read, in_write] = make_pipe();
  const auto [out_read, out_write] = make_pipe();
  const auto [err_read, err_write] = make_pipe();
  ::fcntl(in_write, F_SETFL, O_NONBLOCK);
  const std::string path = program();
  const Strings given = with_more({"tscatter"}, command.arguments_);
  const std::vector<char*> words = pointers_to(given);
  const Strings environment = environment_with(command.environment_);
  const std::vector<char*> variables = pointers_to(environment);
  const Start start{.path = path.c_str(),
                    .input = command.input_path_ ? command.input_path_->c_str() : "/dev/null",
                    .words = words.data(),
                    .environment = variables.data()};
  // Not fork(): under a sanitizer a test's own memory is large, and its tables would be copied.
  process_ = ::vfork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) become(command, start, in_read, out_write, err_write);
  for (const int descriptor : {in_read, out_write, err_write}) ::close(descriptor);
  in_ = in_write;
  out_ = out_read;
  err_ = err_read;
  if (!command.input_) close_end(in_);
}

Running::~Running() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    finish();
  }
}

void Running::send(int signal) const { ::kill(process_, signal); }

std::int64_t Running::memory() const {
  std::ifstream status("/proc/" + std::to_string(process_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(line.find(':') + 1));
  }
  return 0;
}

bool Running::begins_to_write(const std::filesystem::path& directory, std::int64_t bytes) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    std::error_code error;
    std::filesystem::directory_iterator files("/proc/" + std::to_string(process_) + "/fd", error);
    for (; files != std::filesystem::directory_iterator(); files.increment(error)) {
      if (is_unfinished_output(files->path(), directory, bytes)) return true;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return false;
}

void Running::close_output() { close_end(out_); }

Result Running::finish() {
  Result result;
  std::string_view input = input_;
  if (in_ >= 0 && input.empty()) close_end(in_);
  while (in_ >= 0 || out_ >= 0 || err_ >= 0) {
    std::array<struct pollfd, 3> ends{{{.fd = in_, .events = POLLOUT, .revents = 0},
                                       {.fd = out_, .events = POLLIN, .revents = 0},
                                       {.fd = err_, .events = POLLIN, .revents = 0}}};
    ::poll(ends.data(), ends.size(), -1);
    if (ends[0].revents != 0) write_more(in_, input);
    if (ends[1].revents != 0) read_more(out_, result.out);
    if (ends[2].revents != 0) read_more(err_, result.err);
  }
  int status = 0;
  ::waitpid(std::exchange(process_, -1), &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::string program() {
  const char* path = std::getenv("TSCATTER_BINARY");
  return path != nullptr ? path : TSCATTER_BUILT_BINARY;
}

Strings split_words(const std::string& line) {
  std::istringstream stream(line);
  Strings words;
  for (std::string word; stream >> std::quoted(word, '\'', '\0');) words.push_back(word);
  return words;
}

Strings with_more(Strings words, const Strings& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Result tscatter_run(const Command& command) { return command.run(); }

std::string output_of(const Command& command) {
  const Result result = command.run();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  return result.out;
}

std::string refusal_of(int exit_code, const Command& command) {
  constexpr std::string_view front = "tscatter: ";
  const Result result = command.run();
  CHECK(result.exit_code == exit_code);
  CHECK(result.out.empty());
  if (!result.err.starts_with(front) || !result.err.ends_with("]\n")) return result.err;
  return result.err.substr(front.size(), result.err.size() - front.size() - 1);
}

}  // namespace tscatter

#include "commands/run.hpp"

#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {
namespace {

constexpr std::size_t largest_job = std::size_t{64} << 20U;

std::string read_all(const File& file) {
  std::string text;
  std::vector<char> piece(std::size_t{64} * 1024);
  for (;;) {
    const std::size_t got = file.read_some(std::as_writable_bytes(std::span(piece)));
    text.append(piece.data(), got);
    if (got < piece.size()) return text;
    // job.j1
    if (text.size() > largest_job) {
      fail(ErrorKind::usage, "job.j1", file.name(), "a job must be at most {} bytes long, got more",
           largest_job);
    }
  }
}

File open_job(const std::string& path) {
  return path == "-" ? stdin_file() : File::open_for_reading(path);
}

}  // namespace

void run_job_file(const std::string& path, const RunOverrides& overrides, const ApplyFlags& flags) {
  const File file = open_job(path);
  Job job = parse_job(read_all(file), file.name());
  job.is_from_stdin = path == "-";
  if (path != "-") job.base = std::filesystem::path(path).parent_path();
  if (overrides.threads > 0) job.threads = overrides.threads;
  apply_job(job, flags);
}

void print_job_schema() { print(job_schema()); }

}  // namespace tscatter::app

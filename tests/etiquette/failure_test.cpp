// How files are rewritten: what a failing fsync or close leaves. docs/journal.md names these
// tests.
#include <fcntl.h>

#include <cerrno>

#include "catch.hpp"
#include "etiquette/rewriting.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::etiquette {

TEST_CASE("a failing fsync is an error", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  struct Writing {
    Strings flags;
    std::string before;
    int syncs;
  };
  // The file and its directory; the journal, its directory, the file, the directory again.
  for (const Writing& each : {Writing{{"-d", "3xu8=97", "-o", path}, "none", 2},
                              Writing{{"-d", path, "--in-place"}, bytes_npy(3, 'a'), 4}}) {
    Strings words = split_words("ScatterUpdate -i [0] -u [98] -a 0 --sync");
    words.insert(words.end(), each.flags.begin(), each.flags.end());
    const auto start_again = [&] {
      fs::remove(path);
      if (each.before != "none") write_file(path, each.before);
    };
    start_again();
    const Tracing tracing = tracing_of(directory, words);
    const auto whole = faults::traced_run(tracing);
    if (!whole) {
      WARN("skipped: this system allows no tracing");
      return;
    }
    int syncs = 0;
    for (const SystemCall& call : whole->calls) {
      if (name_of(call) != "fsync") continue;
      start_again();
      const auto result = faults::traced_run(tracing, fault_at(call, Deed::fail, EIO));
      CHECK(result->exit_code == 3);
      CHECK_THAT(result->err, contains(": input/output error ["));
      // At the last, that of the directory, everything is done.
      const bool is_last = ++syncs == each.syncs;
      const std::string found = content_of(path);
      CHECK((is_last ? found.ends_with("baa") : found == each.before));
      CHECK((result->err.find(", but ") != std::string::npos) == is_last);
      CHECK(directory.names() == (found == "none" ? Strings{} : Strings{"x.npy"}));
    }
    CHECK(syncs == each.syncs);
  }
}

TEST_CASE("a failing close is an error, and the output is given up", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  const auto fails = [&](const Strings& words, Strings calls) {
    const Tracing tracing = tracing_of(directory, words);
    write_file(path, bytes_npy(3, 'a'));
    const auto whole = faults::traced_run(tracing);
    if (!whole) return false;
    write_file(path, bytes_npy(3, 'a'));
    calls.emplace_back("close");
    const auto result =
        faults::traced_run(tracing, fault_at(call_in(*whole, calls), Deed::fail, EIO));
    CHECK(result->exit_code == 3);
    CHECK(result->err == "tscatter: " + words.back() +
                             ": cannot be written to its end: input/output error [file.f5]\n");
    CHECK(read_file(path) == bytes_npy(3, 'a'));
    return true;
  };
  if (!fails({"convert", "3xu8=1", path}, {"fcntl"})) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  CHECK(directory.names() == Strings{"x.npy"});
  // Before its first write the file was locked by fcntl.
  fails({"ScatterUpdate", "-i", "[0]", "-u", "[98]", "-a", "0", "--in-place", "-d", path},
        {"pwrite64", "fcntl"});
  CHECK(directory.names() == Strings{"x.npy"});
  // A pipe is written straight through.
  const fs::path pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const File reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC), "reader");
  fails({"convert", "3xu8=1", pipe}, {"write"});
}

}  // namespace tscatter::etiquette

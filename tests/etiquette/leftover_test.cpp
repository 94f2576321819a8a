// How files are rewritten: what killed runs left, and what living ones write. docs/journal.md
// names these tests.
#include <fcntl.h>
#include <sys/file.h>

#include "catch.hpp"
#include "etiquette/mounts.hpp"
#include "etiquette/rewriting.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/output_file.hpp"

namespace tscatter::etiquette {

TEST_CASE("what a killed run left of a file is removed by the next, what lives is not",
          "[etiquette]") {
  const TemporaryDirectory directory;
  struct Death {
    bool knows_unnamed_files;
    Strings calls;
  };
  for (const Death& each : {Death{false, {"pwrite64"}}, Death{true, {"pwrite64", "rename"}}}) {
    write_file(directory / "x.npy", old_npy);
    if (!killed_at(directory, each.calls, each.knows_unnamed_files)) {
      WARN("skipped: this system allows no tracing");
      return;
    }
    CHECK(read_file(directory / "x.npy") == old_npy);
    const Strings with_left = directory.names();
    REQUIRE(with_left.size() == 2);
    CHECK(with_left[0].starts_with(".tscatter-"));
    {
      const File held(::open((directory / with_left[0]).c_str(), O_RDONLY | O_CLOEXEC), "held");
      REQUIRE(::flock(held.descriptor(), LOCK_EX) == 0);
      output_of({"convert", "3xu8=1", directory / "x.npy"});
      CHECK(directory.names() == with_left);
    }
    output_of({"convert", "3xu8=1", directory / "x.npy"});
    CHECK(directory.names() == Strings{"x.npy"});
  }
}

TEST_CASE("what a living run writes is locked before it has a name", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", old_npy);
  const auto whole =
      faults::traced_run(tracing_of(directory, {"convert", "3xu8=1", directory / "x.npy"}));
  if (!whole) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  const SystemCall& lock = call_in(*whole, {"flock"});
  CHECK(lock.arguments[1] == (LOCK_EX | LOCK_NB));
  CHECK(lock.place < call_in(*whole, {"linkat"}).place);
}

TEST_CASE("what a living run writes is left alone where files must have names", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto without_descriptors = Mount::small("/proc");
  if (!without_descriptors) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  OutputFile living(directory / "x", Durability::kill);
  living.write(0, bytes_of("living"));
  const Strings names = directory.names();
  REQUIRE(names.size() == 1);
  CHECK(names[0].starts_with(".tscatter-"));
  {
    OutputFile given_up(directory / "x", Durability::kill);
    given_up.write(0, bytes_of("given up"));
  }
  CHECK(directory.names() == names);
  OutputFile next(directory / "x", Durability::kill);
  next.write(0, bytes_of("next"));
  next.commit();
  CHECK(directory.names() == Strings{names[0], "x"});
  CHECK(read_file(directory / "x") == "next");
  living.commit();
  CHECK(directory.names() == Strings{"x"});
  CHECK(read_file(directory / "x") == "living");
}

}  // namespace tscatter::etiquette

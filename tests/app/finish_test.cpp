// The end of a job by parts: finish, and the digest of its result.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "app/parts.hpp"
#include "catch.hpp"

namespace tscatter {

TEST_CASE("finish waits for parts that come late", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  parts.run(parts.part("1/2"));
  Running finish(parts.command("finish o.npy --wait 60"));
  parts.run(parts.part("2/2"));
  CHECK(finish.finish().exit_code == 0);
  CHECK(parts.text("o.npy") == whole);
}

TEST_CASE("a finish that begins before the parts waits for them", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  CHECK(parts.refused(3, "finish o.npy --wait 0") ==
        "o.npy: not every part is done: no parts in o.npy.tscatter-parts [part.p3]");
  Running finish(parts.command("finish o.npy --wait 60"));
  parts.run_all(2);
  CHECK(finish.finish().exit_code == 0);
  CHECK(parts.text("o.npy") == whole);
}

TEST_CASE("finish waits for the name of the folder, of the job and of the data", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  for (const char* const late : {"", "job", "data"}) {
    INFO(late);
    parts.run_all(2);
    const std::filesystem::path name = *late == 0 ? parts.folder() : parts.folder() / late;
    const std::filesystem::path hidden = parts / "hidden";
    std::filesystem::rename(name, hidden);
    Running finish(parts.command("finish o.npy --wait 60"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    std::filesystem::rename(hidden, name);
    const Result result = finish.finish();
    CHECK(result.exit_code == 0);
    CHECK(result.err ==
          "tscatter: o.npy: waiting until every part is done: no parts in o.npy.tscatter-parts\n");
    CHECK((parts.text("o.npy") == whole));
    std::filesystem::remove(parts / "o.npy");
  }
}

TEST_CASE("finish says what it waits for", "[app]") {
  const Parts parts;
  parts.run(parts.part("2/3"));
  CHECK(parts.refused(3, "finish o.npy --wait 0") ==
        "o.npy: not every part is done: 1,3 of 3 missing [part.p3]");
  CHECK(parts.refused(3, "finish o.npy --wait 2") ==
        "o.npy: waiting until every part is done: 1,3 of 3 missing\ntscatter: o.npy: not "
        "every part is done: 1,3 of 3 missing [part.p3]");
}

TEST_CASE("a finish that was killed after the result got its name is repeated", "[app]") {
  const Parts parts;
  parts.run(parts.part("1/1"));
  const std::filesystem::path folder = parts / "o.npy.tscatter-parts";
  std::filesystem::rename(folder / "data", parts / "o.npy");
  write_file(folder / "finished", "0123456789abcdef");
  std::filesystem::remove(folder / "done.0001");
  CHECK(parts.out_of({"finish", "o.npy", "--wait", "0"}) == "0123456789abcdef  o.npy\n");
  CHECK(!std::filesystem::exists(folder));
  CHECK(parts.text("o.npy") == parts.whole());
}

TEST_CASE("after a finish that was killed at any step, a part and a finish leave the result",
          "[app]") {
  constexpr int count = 3;
  const Parts parts;
  const std::string whole = parts.whole();
  for (int removed = -1; removed <= count + 1; ++removed) {
    INFO(removed << " files were removed after the result got its name; -1: it has none yet");
    parts.run_all(count);
    const std::string digest = parts.out_of({"parts", "o.npy"});
    const std::string of_all = digest.substr(digest.rfind(' ') + 1, 16);
    write_file(parts.folder() / "finished", of_all);
    if (removed >= 0) std::filesystem::rename(parts.folder() / "data", parts / "o.npy");
    const std::vector<std::string> names{"job", "done.0001", "done.0002", "done.0003"};
    for (int i = 0; i < removed; ++i)
      std::filesystem::remove(parts.folder() / names[static_cast<std::size_t>(std::min(i, 3))]);
    for (int part = 1; part <= count; ++part) {
      const Result again = parts.run(parts.part(fmt::format("{}/{}", part, count)));
      CHECK(again.exit_code == (removed < 0 ? 0 : 3));
      if (removed < 0) continue;
      CHECK(again.err ==
            "tscatter: o.npy: the job whose parts are there is finished: run tscatter finish o.npy "
            "[part.p2]\n");
    }
    CHECK(parts.out_of({"finish", "o.npy", "--wait", "0"}) == of_all + "  o.npy\n");
    CHECK((parts.text("o.npy") == whole));
    CHECK(!std::filesystem::exists(parts.folder()));
    std::filesystem::remove(parts / "o.npy");
  }
}

TEST_CASE("part.p3: a finish does not say that a result is there which is gone", "[app]") {
  const Parts parts;
  parts.run_all(2);
  std::filesystem::rename(parts.folder() / "data", parts / "o.npy");
  write_file(parts.folder() / "finished", "0123456789abcdef");
  const std::string refusal =
      "o.npy: not every part is done: the result that was written is gone: remove "
      "o.npy.tscatter-parts and compute the parts again [part.p3]";
  std::filesystem::resize_file(parts / "o.npy", 100);
  CHECK(parts.refused(3, "finish o.npy --wait 0") == refusal);
  std::filesystem::remove(parts / "o.npy");
  CHECK(parts.refused(3, "finish o.npy --wait 0") == refusal);
}

TEST_CASE("parts whose data is gone, or of another size, are no result", "[app]") {
  const Parts parts;
  parts.run_all(1);
  std::filesystem::resize_file(parts.folder() / "data", 60000);
  CHECK(parts.refused(4, "finish o.npy --wait 0") ==
        "o.npy.tscatter-parts/data: the parts' data must have 60128 bytes, got 60000 [part.p4]");
  std::filesystem::remove_all(parts.folder());
  parts.run_all(2);
  std::filesystem::remove(parts.folder() / "data");
  CHECK(parts.refused(3, "finish o.npy --wait 0") ==
        "o.npy.tscatter-parts/data: cannot be opened: no such file or directory [file.f1]");
  std::filesystem::remove(parts.folder() / "done.0002");
  CHECK(parts.refused(3, parts.part("2/2")) ==
        "o.npy: the parts that are there have lost their data: remove o.npy.tscatter-parts "
        "[part.p2]");
}

TEST_CASE("what stands in the place of a marker is replaced", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  parts.run_all(2);
  const std::string right = read_file(parts.folder() / "done.0002");
  std::string other_run = right;
  other_run[9] = other_run[9] == '0' ? '1' : '0';
  for (const std::string& text : {std::string("garbage"), std::string(), other_run}) {
    write_file(parts.folder() / "done.0002", text);
    CHECK(parts.out_of({"parts", "o.npy", "--missing"}) == "2\n");
    CHECK(parts.run(parts.part("2/2")).exit_code == 0);
    CHECK(read_file(parts.folder() / "done.0002") == right);
  }
  for (const char* const text : {"garbage", "0123456789abcdef"}) {
    parts.run_all(2);
    write_file(parts.folder() / "finished", text);
    const std::string digest = parts.out_of({"finish", "o.npy", "--wait", "0"});
    CHECK(digest == parts.out_of({"digest", "o.npy", "--unit", "4K"}));
    CHECK((parts.text("o.npy") == whole));
  }
}

TEST_CASE("cli.c17, file.f7: finish replaces what a run would, and keeps its permissions",
          "[app]") {
  namespace fs = std::filesystem;
  const Parts parts;
  const std::string whole = parts.whole();
  const fs::path output = parts / "o.npy";
  const fs::perms own = fs::perms::owner_read | fs::perms::owner_write;
  write_file(output, whole);
  fs::permissions(output, own);
  parts.run_all(2);
  CHECK((fs::status(parts.folder() / "data").permissions() == own));
  parts.out_of({"finish", "o.npy", "--wait", "0"});
  CHECK((fs::status(output).permissions() == own));
  fs::remove(output);
  parts.run_all(2);
  write_file(output, "\x89HDF\r\n\x1a\n and so on");
  CHECK(parts.refused(2, "finish o.npy --wait 0") ==
        "OUT: must not replace a file of another kind (add --force to do so), got o.npy, an HDF5 "
        "file [cli.c17]");
  parts.out_of({"finish", "o.npy", "--wait", "0", "--force"});
  CHECK((parts.text("o.npy") == whole));
  fs::remove(output);
  parts.run_all(2);
  fs::create_directory(output);
  CHECK(parts.refused(3, "finish o.npy --wait 0 --force") ==
        "o.npy: must be a file, got something else of that name [file.f7]");
}

TEST_CASE("file.f2, cli.c83: a digest is that of a file with an end", "[app]") {
  const Parts parts;
  CHECK(parts.refused(3, "digest /dev/null") ==
        "/dev/null: must be a file, which has an end, got a pipe or device [file.f2]");
  CHECK(parts.refused(2, parts.with({"-o", "/dev/null", "--format", "npy", "--digest"})) ==
        "--digest: needs an output file: /dev/null is none [cli.c83]");
}

TEST_CASE("part.p4: finish --check finds what was changed since", "[app]") {
  const Parts parts;
  for (const char* number : {"1/2", "2/2"}) parts.run(parts.part(number));
  {
    std::fstream data(parts / "o.npy.tscatter-parts" / "data",
                      std::ios::in | std::ios::out | std::ios::binary);
    data.seekp(50000);
    data.put('x');
  }
  CHECK(parts.refused(4, "finish o.npy --check --wait 0") ==
        fmt::format("{}: the data of 2 of 2 changed after they were written: compute these parts "
                    "again [part.p4]",
                    "o.npy.tscatter-parts/data"));
  CHECK(!std::filesystem::exists(parts / "o.npy"));
  CHECK(parts.out_of({"parts", "o.npy", "--missing"}) == "2\n");
  parts.run(parts.part("2/2"));
  parts.out_of({"finish", "o.npy", "--check", "--wait", "0"});
  CHECK(parts.text("o.npy") == parts.whole());
}

TEST_CASE("cli.c83: --digest is that of the file that was written", "[app]") {
  const Parts parts;
  const std::string digest = parts.out_of(parts.with({"-o", "o.npy", "--digest"}));
  CHECK(digest.ends_with("  o.npy\n"));
  CHECK(digest == parts.out_of({"digest", "o.npy"}));
  const std::string rule = "--digest: needs an output file: ";
  CHECK(parts.refused(2, parts.with({"--digest"})) == rule + "add -o FILE [cli.c83]");
  CHECK(parts.refused(2, parts.with({"-o", "o.npy", "-n", "--digest"})) ==
        rule + "leave out -n, which writes none [cli.c83]");
  CHECK(parts.refused(2, parts.with({"-o", "o.npy", "--part", "1/2", "--digest"})) ==
        rule + "of parts, tscatter finish prints it [cli.c83]");
}

}  // namespace tscatter

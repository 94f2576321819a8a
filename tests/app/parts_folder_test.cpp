// The folder of a job's parts, in which somebody else may have put what is none of it; and names
// that are no plain text.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/parts.hpp"
#include "catch.hpp"
#include "io/foreign_files.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view f11 =
    "must be a regular file that tscatter has made (remove what has its name), got ";

const std::vector<Strings> endings{{"parts", "o.npy"}, {"finish", "o.npy", "--wait", "0"}};

std::string foreign(const std::string& name, const std::string& words) {
  return "o.npy.tscatter-parts/" + name + ": " + std::string(f11) + words + " [file.f11]";
}

}  // namespace

TEST_CASE("file.f11: what stands in the place of a part's file is refused, not followed", "[app]") {
  const Parts parts;
  parts.put("precious", "of the user");
  for (const ForeignFile& each : foreign_files(parts / "precious")) {
    for (const char* const name : {"job", "done.0001", "finished", "data"}) {
      INFO(each.words << " in the place of " << name);
      parts.run_all(2);
      fs::remove(parts.folder() / "done.0002");
      fs::remove(parts.folder() / name);
      each.make(parts.folder() / name);
      const std::string refused = foreign(name, each.words);
      const bool is_marker = std::string_view(name) == "done.0001";
      CHECK(parts.refused(3, parts.part(is_marker ? "1/2" : "2/2")) == refused);
      if (std::string_view(name) == "data") CHECK(parts.run(parts.part("2/2")).exit_code == 3);
      for (const Strings& words : endings) {
        const Result result = parts.run(words);
        const bool is_read = std::string_view(name) == "job" || is_marker;
        if (is_read) CHECK(result.err == "tscatter: " + refused + "\n");
      }
      CHECK(!fs::exists(fs::symlink_status(parts / "o.npy")));
      CHECK(parts.text("precious") == "of the user");
      fs::remove_all(parts.folder());
    }
  }
}

TEST_CASE("file.f11: finish gives no link and no pipe the result's name", "[app]") {
  const Parts parts;
  parts.put("precious", parts.whole());
  const std::string precious = parts.text("precious");
  for (const ForeignFile& each : foreign_files(parts / "precious")) {
    INFO(each.words);
    parts.run_all(2);
    fs::remove(parts.folder() / "data");
    each.make(parts.folder() / "data");
    CHECK(parts.refused(3, "finish o.npy --wait 0 --check") == foreign("data", each.words));
    CHECK(!fs::exists(fs::symlink_status(parts / "o.npy")));
    CHECK((parts.text("precious") == precious));
    fs::remove_all(parts.folder());
  }
}

TEST_CASE("file.f11: the first part writes into no file that stands where its data will", "[app]") {
  const Parts parts;
  parts.put("precious", "of the user");
  for (const ForeignFile& each : foreign_files(parts / "precious")) {
    INFO(each.words);
    fs::create_directory(parts.folder());
    each.make(parts.folder() / "data");
    CHECK(parts.refused(3, parts.part("1/2")) == foreign("data", each.words));
    fs::remove_all(parts.folder());
  }
  fs::create_directory(parts.folder());
  fs::create_hard_link(parts / "precious", parts.folder() / "data");
  CHECK(parts.refused(3, parts.part("1/2")) == foreign("data", "one with 2 names"));
  CHECK(parts.text("precious") == "of the user");
}

TEST_CASE("file.f11: a job, a marker and `finished` are read only if they are as long as those are",
          "[app]") {
  const Parts parts;
  parts.run_all(2);
  for (const char* const name : {"job", "done.0001", "finished"}) {
    INFO(name);
    const bool was_there = fs::exists(parts.folder() / name);
    const std::string before = was_there ? read_file(parts.folder() / name) : "";
    write_file(parts.folder() / name, before);
    fs::resize_file(parts.folder() / name, std::uintmax_t{3} << 30U);
    for (const Strings& words : endings) {
      if (words.front() == "parts" && std::string_view(name) == "finished") continue;
      Command command = parts.command(words);
      command.with_private_memory_limit(std::uint64_t{1} << 30U);
      CHECK(refusal_of(3, command) == foreign(name, "one of 3221225472 bytes"));
    }
    fs::remove(parts.folder() / name);
    if (was_there) write_file(parts.folder() / name, before);
  }
  parts.out_of({"finish", "o.npy", "--wait", "0"});
}

TEST_CASE("part.p10: the folder of the parts is a folder, and no link to another", "[app]") {
  const Parts parts;
  parts.run_all(2);
  const fs::path other = parts / "other";
  fs::rename(parts.folder(), other);
  for (const ForeignFile& each : foreign_files(other)) {
    if (each.words == "a directory") continue;
    INFO(each.words);
    each.make(parts.folder());
    const std::string refused =
        "o.npy: the folder of its parts, o.npy.tscatter-parts, must be a folder, and where all may "
        "write the user's own (remove it, or write elsewhere), got " +
        each.words + " [part.p10]";
    CHECK(parts.refused(3, parts.part("1/2")) == refused);
    for (const Strings& words : endings) CHECK(parts.refused(3, words) == refused);
    fs::remove(parts.folder());
  }
  CHECK(fs::exists(other / "data"));
  fs::rename(other, parts.folder());
  parts.out_of({"finish", "o.npy", "--wait", "0"});
}

TEST_CASE("part.p10: in a folder like /tmp, the folder of the parts is the user's own", "[app]") {
  if (::geteuid() != 0) return;  // only root can give a folder to another
  constexpr uid_t another = 12345;
  const Parts parts;
  parts.run_all(2);
  const std::string shared = parts.path().native();
  REQUIRE(::chown(parts.folder().c_str(), another, another) == 0);
  REQUIRE(::chmod(shared.c_str(), 01777) == 0);
  const std::string refused =
      "o.npy: the folder of its parts, o.npy.tscatter-parts, must be a folder, and where all may "
      "write the user's own (remove it, or write elsewhere), got one of user 12345 [part.p10]";
  CHECK(parts.refused(3, parts.part("1/2")) == refused);
  CHECK(parts.refused(3, "finish o.npy --wait 0") == refused);
  parts.out_of({"parts", "o.npy"});
  // Whoever owns the folder around it can do everything there anyway.
  REQUIRE(::chown(shared.c_str(), another, another) == 0);
  parts.out_of(parts.part("1/2"));
  REQUIRE(::chown(shared.c_str(), 0, 0) == 0);
  REQUIRE(::chmod(shared.c_str(), 0777) == 0);
  parts.out_of({"finish", "o.npy", "--wait", "0"});
}

TEST_CASE("part.p2: each item of an index belongs to the job", "[app]") {
  const Parts parts;
  parts.run("convert 8192xi32=0 a.npy");
  const auto part = [&](const std::string& item, const std::string& number) {
    return Strings{"set", "a.npy[" + item + "]", "1", "-o", "o.npy", "--unit", "4K", "--part",
                   number};
  };
  parts.run(part("0:4096", "1/2"));
  const std::string rule = "o.npy: the parts that are there belong to a job with item ";
  CHECK(parts.refused(3, part("0:5", "2/2")) == rule + "0 0:4096, got 0:5 [part.p2]");
  CHECK(parts.refused(3, part("0:4096, None", "2/2")) == rule + "1 missing, got None [part.p2]");
  CHECK(parts.run(part("0:4096", "2/2")).exit_code == 0);
}

TEST_CASE("part.p2: two tensors of one file, and two files, are two operands", "[app]") {
  const Parts parts;
  // They have the same shape and the same ends.
  std::string one(400'000, '\0');
  std::string other = one;
  other[200'000] = 7;
  parts.put("two.bin", one + other);
  const auto call = [](const std::string& data, const std::string& number) {
    return Strings{"ScatterUpdate", "-d",     data, "-i",     "[1]", "-u", "[9]", "-a", "0", "-o",
                   "o.npy",         "--unit", "4K", "--part", number};
  };
  const auto refuses = [&](const std::string& data, const std::string& then) {
    INFO(data << " and " << then);
    parts.out_of(call(data, "1/2"));
    const std::string refused = parts.refused(3, call(then, "2/2"));
    CHECK(
        refused.starts_with("o.npy: the parts that are there belong to a job with data C "
                            "little-endian of uint8[400000], 400000 bytes from byte "));
    CHECK(refused.ends_with("[part.p2]"));
    fs::remove_all(parts.folder());
  };
  refuses("400000xu8=@two.bin+0", "400000xu8=@two.bin+400000");
  for (const char* const file : {"m.safetensors", "m.npz"}) {
    for (const char* const member : {"a", "b"}) {
      const std::string offset = *member == 'a' ? "0" : "400000";
      parts.out_of({"convert", "400000xu8=@two.bin+" + offset, fmt::format("{}:{}", file, member)});
    }
    refuses(fmt::format("{}:a", file), fmt::format("{}:b", file));
  }
  // Files that were made at the same time, as far as their times say.
  for (const char* const file : {"a.npy", "b.npy"}) {
    parts.out_of({"convert", *file == 'a' ? "m.npz:a" : "m.npz:b", file});
    fs::last_write_time(parts / file, fs::file_time_type());
  }
  refuses("a.npy", "b.npy");
  // A file whose time of writing was set back.
  parts.out_of(call("a.npy", "1/2"));
  {
    std::fstream file(parts / "a.npy", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200'000);
    file.put('x');
  }
  fs::last_write_time(parts / "a.npy", fs::file_time_type());
  CHECK(parts.refused(3, call("a.npy", "2/2")).ends_with("[part.p2]"));
  parts.out_of({"parts", "o.npy"});
}

TEST_CASE("a name is printed without what would control the terminal, whatever it is", "[app]") {
  const Parts parts;
  const std::vector<std::pair<std::string, std::string>> names{
      {"a\x1b]0;owned\x07\n::error::owned.npy", R"(a\x1b]0;owned\x07\n::error::owned.npy)"},
      {"\xff.npy", R"(\xff.npy)"},
      {"\xe2\x80\xae.npy", R"(\xe2\x80\xae.npy)"}};
  for (const auto& [name, shown] : names) {
    INFO(shown);
    CHECK(parts.run(parts.part("1/2", name)).exit_code == 0);
    CHECK(parts.out_of({"parts", name}).starts_with("output   " + shown + "\nparts "));
    const std::string json = parts.out_of({"parts", name, "--json"});
    CHECK(json.starts_with(R"({"output":")"));
    CHECK(json.find_first_of("\x1b\xff") == std::string::npos);
    CHECK(parts.refused(3, {"finish", name, "--wait", "0"}) ==
          shown + ": not every part is done: 2 of 2 missing [part.p3]");
    Command again = parts.command(with_more(parts.part("2/2", name), {"-vv"}));
    again.with_environment("SLURM_JOB_ID", "\xff");
    const Result result = again.run();
    CHECK(result.exit_code == 0);
    CHECK(result.err.find_first_of("\x1b\xff") == std::string::npos);
    CHECK(parts.out_of({"finish", name, "--wait", "0"}).ends_with("  " + shown + "\n"));
    CHECK(parts.out_of({"digest", name}).ends_with("  " + shown + "\n"));
  }
}

TEST_CASE("file.f2: a digest of a pipe is refused, not waited for", "[app]") {
  const Parts parts;
  REQUIRE(::mkfifo((parts / "pipe").c_str(), 0600) == 0);
  CHECK(parts.refused(3, "digest pipe") ==
        "pipe: must be a file, which has an end, got a pipe or device [file.f2]");
}

TEST_CASE("a name that is almost too long: recover has nothing to do, and there are no parts",
          "[app]") {
  const Parts parts;
  for (const std::size_t length : {230U, 237U, 241U, 245U, 251U}) {
    const std::string name = std::string(length, 'x') + ".npy";
    parts.out_of({"convert", "4xi32=1", name});
    CHECK(parts.out_of({"recover", name}) == name + ": nothing to roll back\n");
    if (length < 240) continue;
    CHECK(parts.refused(3, parts.part("1/2", name)) ==
          name +
              ": the folder of its parts must be writable, on a file system with hard links: file "
              "name too long [part.p7]");
    CHECK(
        parts.refused(3, {"finish", name, "--wait", "0"}) ==
        fmt::format("{0}: not every part is done: no parts in {0}.tscatter-parts [part.p3]", name));
  }
}

}  // namespace tscatter

// Parts of a job: --part and parts.
#include "app/parts.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "parts/run_part.hpp"

namespace tscatter {

TEST_CASE("the parts of a job are the bytes of one run, in any order and some of them twice",
          "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  for (const int count : {1, 2, 3, 7, 15, 64}) {
    INFO(count);
    for (int part = count; part >= 1; --part) {
      CHECK(parts.run(parts.part(fmt::format("{}/{}", part, count))).exit_code == 0);
      if (part % 3 == 0) parts.run(parts.part(fmt::format("{}/{}", part, count)));
    }
    CHECK(!std::filesystem::exists(parts / "o.npy"));
    const std::string digest = parts.out_of({"finish", "o.npy", "--check", "--wait", "0"});
    CHECK(parts.text("o.npy") == whole);
    CHECK(!std::filesystem::exists(parts / "o.npy.tscatter-parts"));
    CHECK(digest == parts.out_of({"digest", "o.npy", "--unit", "4K"}));
    std::filesystem::remove(parts / "o.npy");
  }
}

TEST_CASE("a part writes its own units only, of the header and of an element on their border",
          "[app]") {
  // Records of three bytes behind a header of 100: unit 4096 begins within one.
  constexpr std::int64_t size = 100 + 3 * 4000;
  const TensorHeader header{.type = ElementType::of(DType::uint8), .shape = {3 * 4000}};
  for (const std::int64_t part : {1, 2, 3}) {
    const TemporaryDirectory directory;
    const app::PartsFolder folder((directory / "o.npy").native());
    const app::PartsJob job{.run = 7, .parts = 3, .unit = 4096, .file_bytes = size, .facts = {}};
    app::PartOutput output(folder, job, part, std::vector<std::byte>(100, std::byte{'h'}));
    const OutputRange elements = output.elements(3);
    const std::vector<std::byte> body(3 * 4000, std::byte{'x'});
    output.begin(header, SpanSource(body)).write(0, body);
    output.commit();
    const std::string bytes = read_file(folder.data());
    const ByteRange own = job.bytes_of(part);
    REQUIRE(std::ssize(bytes) == size);
    for (std::int64_t i = 0; i < size; ++i) {
      const bool is_own = i >= own.begin && i < own.end;
      const char wanted = is_own ? (i < 100 ? 'h' : 'x') : '\0';
      if (bytes[static_cast<std::size_t>(i)] != wanted) FAIL("byte " << i << " of part " << part);
    }
    CHECK(100 + elements.begin * 3 <= std::max<std::int64_t>(own.begin, 100));
    CHECK(100 + elements.end * 3 >= own.end);
    CHECK(elements.end - elements.begin <= 4096 / 3 + 2);
  }
}

TEST_CASE("parts that run at once do not disturb each other", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  std::vector<std::unique_ptr<Running>> running;
  for (const char* number : {"1/3", "2/3", "2/3", "3/3", "3/3", "3/3"})
    running.push_back(std::make_unique<Running>(parts.command(parts.part(number))));
  for (const auto& each : running) CHECK(each->finish().exit_code == 0);
  parts.out_of({"finish", "o.npy", "--wait", "0"});
  CHECK(parts.text("o.npy") == whole);
}

TEST_CASE("part.p3: only what is missing is computed again, and finish names it", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  for (const char* number : {"2/9", "3/9", "5/9", "9/9"}) parts.run(parts.part(number));
  CHECK(parts.out_of({"parts", "o.npy", "--missing"}) == "1,4,6-8\n");
  CHECK(parts.out_of({"parts", "o.npy", "--json"}) ==
        "{\"output\":\"o.npy\",\"parts\":9,\"done\":4,\"missing\":\"1,4,6-8\",\"bytes\":" +
            std::to_string(2 * 8192 + 8192 + (whole.size() - 14 * 4096)) + ",\"digest\":null}\n");
  // part.p3
  CHECK(parts.refused(3, "finish o.npy --wait 0") ==
        "o.npy: not every part is done: 1,4,6-8 of 9 missing [part.p3]");
  const Result again = parts.run(parts.with(split_words("-o o.npy --unit 4K --part 5/9 -v")));
  CHECK_THAT(again.err, contains("part 5 of 9 was done before"));
  for (const char* number : {"1/9", "4/9", "6/9", "7/9", "8/9"}) parts.run(parts.part(number));
  CHECK(parts.out_of({"parts", "o.npy", "--missing"}).empty());
  parts.out_of({"finish", "o.npy", "--wait", "0"});
  CHECK(parts.text("o.npy") == whole);
}

TEST_CASE("a marker of another run, or of another range, does not count", "[app]") {
  const Parts parts;
  for (const char* number : {"1/2", "2/2"}) parts.run(parts.part(number));
  const std::filesystem::path folder = parts / "o.npy.tscatter-parts";
  const std::string marker = read_file(folder / "done.0001");
  std::string other = marker;
  other[9] = other[9] == '0' ? '1' : '0';  // of the run's number
  std::string shorter = marker;
  shorter.replace(shorter.find("\"begin\":0"), 9, "\"begin\":1");
  for (const std::string& text : {other, shorter, std::string("{}"), std::string()}) {
    write_file(folder / "done.0001", text);
    CHECK(parts.out_of({"parts", "o.npy", "--missing"}) == "1\n");
  }
  write_file(folder / "done.0001", marker);
  CHECK(parts.out_of({"parts", "o.npy", "--missing"}).empty());
}

TEST_CASE("part.p4: a part is not put into data of another size", "[app]") {
  const Parts parts;
  parts.run(parts.part("1/2"));
  for (const int size : {0, 4096, 60129}) {
    std::filesystem::resize_file(parts.folder() / "data", static_cast<std::uintmax_t>(size));
    CHECK(parts.refused(4, parts.part("2/2")) ==
          fmt::format(
              "o.npy.tscatter-parts/data: the parts' data must have 60128 bytes, got {} [part.p4]",
              size));
  }
}

TEST_CASE("file.f7: parts are not computed for what finish does not replace", "[app]") {
  const Parts parts;
  std::filesystem::create_directory(parts / "o.npy");
  CHECK(parts.refused(3, parts.part("1/2")) ==
        "o.npy: must be a file, got something else of that name [file.f7]");
  CHECK(!std::filesystem::exists(parts.folder()));
}

TEST_CASE("two finish at once end well", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  for (int i = 0; i < 10; ++i) {
    parts.run_all(2);
    Running one(parts.command("finish o.npy --wait 0"));
    Running other(parts.command("finish o.npy --wait 0"));
    // The one that begins when the other has ended finds no parts.
    for (Running* const each : {&one, &other}) {
      const Result result = each->finish();
      const bool is_late = result.err.find("no parts in ") != std::string::npos;
      CHECK(result.exit_code == (is_late ? 3 : 0));
    }
    CHECK((parts.text("o.npy") == whole));
    std::filesystem::remove(parts / "o.npy");
  }
}

TEST_CASE("part.p2: a job or a marker that is damaged is none", "[app]") {
  const Parts parts;
  parts.run_all(2);
  const std::string job = read_file(parts.folder() / "job");
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"unit\":4096", "\"unit\":0"},
           {"\"unit\":4096", "\"unit\":-4096"},
           {"\"unit\":4096", "\"unit\":5000"},
           {"\"unit\":4096", "\"unit\":4096.0"},
           {"\"parts\":2", "\"parts\":0"},
           {"\"parts\":2", "\"parts\":100000000000000"},
           {"\"parts\":2", "\"parts\":1e30"},
           {"\"bytes\":60128", "\"bytes\":-1"},
           {"\"bytes\":60128", "\"bytes\":18446744073709551615"},
           {"{\"run\":\"", "{\"run\":\"x"},
           {"{\"run\":\"", "{\"run\":7,\"x\":\""}}) {
    INFO(to);
    write_file(parts.folder() / "job", replaced(job, from, to));
    const std::string refusal =
        "o.npy: the file o.npy.tscatter-parts/job describes no job of parts [part.p2]";
    CHECK(parts.refused(3, "parts o.npy") == refusal);
    CHECK(parts.refused(3, parts.part("1/2")) == refusal);
  }
  write_file(parts.folder() / "job", job);
  const std::string marker = read_file(parts.folder() / "done.0001");
  const std::size_t last = marker.rfind(",\"");
  for (const std::string& text :
       {marker.substr(0, last) + "]}\n", replaced(marker, "\"sums\":[\"", "\"sums\":[\"0"),
        replaced(marker, "\"sums\":[\"", "\"sums\":[\"0123456789abcdef\",\""),
        replaced(marker, "\"part\":1", "\"part\":1e30")}) {
    write_file(parts.folder() / "done.0001", text);
    CHECK(parts.out_of({"parts", "o.npy", "--missing"}) == "1\n");
  }
}

TEST_CASE("part.p2: another version of the program, or another text of numbers, is another job",
          "[app]") {
  const Parts parts;
  parts.run("convert 3000x3xf32=0.3 u.json");
  const auto part = [&](const std::string& number) {
    Strings words = parts.part(number);
    std::ranges::replace(words, std::string("u.npy"), std::string("u.json"));
    return words;
  };
  CHECK(parts.run(part("1/2")).exit_code == 0);
  CHECK(parts.run(part("1/2")).exit_code == 0);
  // A value in the middle.
  std::string numbers = parts.text("u.json");
  const std::size_t middle = numbers.find("0.3", numbers.size() / 2);
  REQUIRE(middle != std::string::npos);
  numbers[middle + 2] = '4';
  parts.put("u.json", numbers);
  const std::string changed = parts.refused(3, part("2/2"));
  CHECK_THAT(changed,
             contains("with updates C little-endian of float32[3000, 3], 36000 bytes, sum "));
  numbers[middle + 2] = '3';
  parts.put("u.json", numbers);
  std::string job = read_file(parts.folder() / "job");
  const std::size_t version = job.find("\"version\":\"") + 11;
  job.replace(version, job.find('"', version) - version, "0.0.1");
  write_file(parts.folder() / "job", job);
  CHECK(
      parts.refused(3, part("2/2"))
          .starts_with("o.npy: the parts that are there belong to a job with version 0.0.1, got "));
}

TEST_CASE("part.p1: a part is K/P, and a unit whole pages", "[app]") {
  const Parts parts;
  for (const std::string number : {"0/3", "4/3", "1", "1/0", "/", "1/1000001", "-1/3", "1/3/3"}) {
    CHECK(parts.refused(2, parts.part(number)) ==
          "--part: must be K/P, with K from 1 to P and P up to 1000000, got " + number +
              " [part.p1]");
  }
  CHECK(parts.refused(2, parts.with(split_words("-o o.npy --unit 5000 --part 1/2"))) ==
        "--unit: a unit must be a multiple of 4096 bytes, like 64K or 16M, got 5000 [part.p1]");
}

TEST_CASE("part.p2: a part belongs to the job whose parts are there", "[app]") {
  const Parts parts;
  parts.run(parts.part("1/3"));
  const std::string rule = "o.npy: the parts that are there belong to a job with ";
  CHECK(parts.refused(3, parts.part("2/4")) == rule + "parts 3, got 4 [part.p2]");
  CHECK(parts.refused(3, parts.with({"-o", "o.npy", "--part", "2/3"})) ==
        rule + "unit 4096, got 4194304 [part.p2]");
  Strings minimum = parts.part("2/3");
  std::ranges::replace(minimum, std::string("sum"), std::string("min"));
  CHECK(parts.refused(3, minimum) == rule + "reduction sum, got min [part.p2]");
  // An operand that changes between two parts.
  parts.run("convert 3000x3xf32=0.4 u.npy");
  const std::string changed = parts.refused(3, parts.part("2/3"));
  CHECK(changed.starts_with(rule + "updates C little-endian of float32[3000, 3]"));
  CHECK(changed.ends_with("[part.p2]"));
  CHECK(parts.out_of({"parts", "o.npy", "--missing"}) == "2-3\n");
}

TEST_CASE("part.p6: a job by parts reads what each part can read, and writes a .npy", "[app]") {
  const Parts parts;
  const std::string rule =
      "--part: a job that is computed by parts must read files or values and write a .npy, got ";
  const auto refused = [&](const Strings& more) { return parts.refused(2, parts.with(more)); };
  CHECK(refused({"--part", "1/2"}) == rule + "no output file [part.p6]");
  CHECK(refused({"-o", "-", "--part", "1/2"}) == rule + "no output file [part.p6]");
  CHECK(refused({"-o", "o.json", "--part", "1/2"}) == rule + "o.json [part.p6]");
  CHECK(refused({"-o", "o.npz:x", "--part", "1/2"}) == rule + "o.npz:x [part.p6]");
  CHECK(refused({"-o", "o.npy", "--part", "1/2", "-n"}) == rule + "-n [part.p6]");
  Strings from_stdin = parts.part("1/2");
  std::ranges::replace(from_stdin, std::string("i.npy"), std::string("-"));
  CHECK(parts.refused(2, from_stdin) == rule + "indices from - [part.p6]");
  REQUIRE(::mkfifo((parts / "pipe").c_str(), 0600) == 0);
  std::ranges::replace(from_stdin, std::string("-"), std::string("pipe"));
  CHECK(parts.refused(2, from_stdin) == rule + "indices from the pipe or device pipe [part.p6]");
  parts.run("convert i.npy i.npz:x --compress");
  Strings deflated = parts.part("1/2");
  std::ranges::replace(deflated, std::string("i.npy"), std::string("i.npz:x"));
  CHECK(parts.refused(2, deflated) == rule + "a deflated i.npz:x [part.p6]");
  CHECK(!std::filesystem::exists(parts / "o.npy.tscatter-parts"));
}

TEST_CASE("part.p6: a change in place is made by one run, not by parts", "[app]") {
  const Parts parts;
  const std::string before = parts.text("d.npy");
  for (const Strings& more : {Strings{}, {"--no-journal"}}) {
    CHECK(parts.refused(2, with_more(parts.with({"--in-place", "--part", "1/2"}), more)) ==
          "--part: parts are for jobs that write a new file, -o: in place, one run takes index "
          "lists of any length (--memory) [part.p6]");
  }
  CHECK((parts.text("d.npy") == before));
  CHECK(!std::filesystem::exists(parts / "d.npy.tscatter-parts"));
}

TEST_CASE("parts may write the file that they read: finish replaces it", "[app]") {
  const Parts parts;
  const std::string whole = parts.whole();
  for (const char* number : {"1/2", "2/2"}) parts.out_of(parts.part(number, "d.npy"));
  parts.out_of({"finish", "d.npy", "--wait", "0"});
  CHECK((parts.text("d.npy") == whole));
}

TEST_CASE("part.p7: the folder of the parts can be made", "[app]") {
  const Parts parts;
  CHECK(parts.refused(3, parts.part("1/2", "none/o.npy")) ==
        "none/o.npy: the folder of its parts must be writable, on a file system with hard links: "
        "no such file or directory [part.p7]");
}

TEST_CASE("every part refuses a broken entry, and creates nothing", "[app]") {
  const Parts parts;
  parts.run("convert '[[0], [5000]]' i.npy --dtype int32");
  parts.run("convert 2x3xf32=1 u.npy");
  for (const char* number : {"1/2", "2/2"}) {
    CHECK(parts.refused(5, parts.part(number)) ==
          "scatter_nd_update_15: indices[1, 0] must be in [-5000, 5000) for data axis 0, got 5000 "
          "[scatter_nd_update_15.c4]");
  }
  CHECK(!std::filesystem::exists(parts / "o.npy.tscatter-parts"));
}

}  // namespace tscatter

// Elements of megabytes, in files that are mostly holes: nothing holds one whole beyond the memory
// that is promised.
#include <fmt/format.h>

#include <fstream>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/core/memory.hpp"

namespace tscatter {
namespace {

// 64 MiB, and what the program itself and the stack of a thread take.
Command in_promised_memory(Strings words) {
  Command command(std::move(words));
  command.with_private_memory_limit(static_cast<std::uint64_t>(80 * mebibyte));
  return command;
}

// A .npy file of opaque elements of zeros, but for the first bytes of each; returns where its data
// begins.
std::int64_t make_records(const std::filesystem::path& path, std::int64_t count, std::int64_t size,
                          const std::string& front = "") {
  const std::string header = npy_file(
      fmt::format("{{'descr': '|V{}', 'fortran_order': False, 'shape': ({},)}}", size, count));
  write_file(path, header);
  const auto begin = static_cast<std::int64_t>(header.size());
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(begin + count * size));
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  for (std::int64_t i = 0; i < count && !front.empty(); ++i) {
    file.seekp(begin + i * size);
    file << front << i;
  }
  return begin;
}

}  // namespace

TEST_CASE("elements of 100 MB are moved in the memory that is promised", "[app][native]") {
  constexpr std::int64_t size = 100'000'003;
  const TemporaryDirectory directory;
  const std::int64_t begin = make_records(directory / "d.npy", 3, size, "data");
  make_records(directory / "u.npy", 2, size, "update");
  const Strings update = split_words("ScatterUpdate -d d.npy -i '[2, 2]' -u u.npy -a 0 -j 1");
  const auto run = [&](const Strings& more) {
    Strings words = with_more(update, more);
    const Result result = in_promised_memory(words).in(directory.path()).run();
    CHECK(result.err.empty());
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const auto is_updated = [&](const std::string& name) {
    const std::filesystem::path file = directory / name;
    const auto length = static_cast<std::int64_t>(std::filesystem::file_size(file));
    const std::int64_t first = length - 3 * size;
    return bytes_at(file, first, 6) == std::string("data0\0", 6) &&
           bytes_at(file, first + size - 1, 7) == std::string("\0data1\0", 7) &&
           bytes_at(file, first + 2 * size - 1, 9) == std::string("\0update1\0", 9) &&
           bytes_at(file, length - 1, 1) == std::string(1, '\0');
  };
  CHECK_THAT(run({"-o", "o.npy", "--json"}), contains(R"("elements_written":1)"));
  CHECK(is_updated("o.npy"));
  CHECK(bytes_at(directory / "d.npy", begin + 2 * size, 5) == "data2");
  run({"--in-place"});
  CHECK(is_updated("d.npy"));
  CHECK(directory.names() == Strings{"d.npy", "o.npy", "u.npy"});
}

TEST_CASE("a slice of long elements is moved in the memory that is promised", "[app][native]") {
  constexpr std::int64_t size = 90 * mebibyte;
  const TemporaryDirectory directory;
  make_records(directory / "d.npy", 2, size, "data");
  make_records(directory / "u.npy", 1, size, "update");
  const Result result =
      in_promised_memory(
          split_words("SliceScatter -d d.npy -u u.npy --start 1 --stop 2 --step 1 -o o.npy -j 1"))
          .in(directory.path())
          .run();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  const auto end = static_cast<std::int64_t>(std::filesystem::file_size(directory / "o.npy"));
  CHECK(bytes_at(directory / "o.npy", end - 2 * size, 5) == "data0");
  CHECK(bytes_at(directory / "o.npy", end - size - 1, 8) == std::string("\0update0", 8));
}

TEST_CASE("explain.e4: elements of more than 4 MiB are refused", "[app][native]") {
  const TemporaryDirectory directory;
  for (const char* name : {"d.npy", "u.npy"}) make_records(directory / name, 2, 300'000'000);
  CHECK(refusal_of(2, in_promised_memory(
                          split_words("explain ScatterUpdate -d d.npy -i '[0, 0]' -u u.npy -a 0"))
                          .in(directory.path())) ==
        "d.npy: an element that is explained must be at most 4194304 bytes long, got 300000000 "
        "[explain.e4]");
}

TEST_CASE("verify.v2: elements of more than 4 MiB are refused", "[app][native]") {
  const TemporaryDirectory directory;
  make_records(directory / "d.npy", 2, 4 * mebibyte + 1);
  CHECK(refusal_of(
            2, in_promised_memory(
                   split_words(
                       "verify ScatterUpdate -d d.npy -i '[0, 1]' -u d.npy -a 0 --actual d.npy"))
                   .in(directory.path())) ==
        "d.npy: an element that is verified must be at most 4194304 bytes long, got 4194305 "
        "[verify.v2]");
}

TEST_CASE("elements of up to 4 MiB are verified and explained in the memory that is promised",
          "[app][native]") {
  for (const std::int64_t size : {mebibyte, 4 * mebibyte}) {
    const std::int64_t count = size == mebibyte ? 200 : 20;
    const TemporaryDirectory directory;
    make_records(directory / "d.npy", count, size, "data");
    make_records(directory / "u.npy", count, size, "update");
    make_records(directory / "a.npy", count, size, "actual");
    std::string once = "[0";
    std::string twice = "[0";
    for (std::int64_t i = 1; i < count; ++i) {
      once += fmt::format(",{}", i);
      twice += fmt::format(",{}", i / 2);
    }
    const auto run = [&](int exit_code, const Strings& words) {
      const Result result = in_promised_memory(words).in(directory.path()).run();
      CHECK(result.err.empty());
      CHECK(result.exit_code == exit_code);
      return result.out;
    };
    const Strings call = split_words("ScatterUpdate -d d.npy -u u.npy -a 0 -j 1");
    const auto with = [&](std::string command, const std::string& indices, const Strings& more) {
      Strings words = with_more({std::move(command)}, call);
      words.insert(words.end(), {"-i", indices});
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    for (const std::string& indices : {once + "]", twice + "]"}) {
      const std::string verdict =
          run(1, with("verify", indices, {"--actual", "a.npy", "--worst", "1000", "--json"}));
      CHECK_THAT(verdict, contains(fmt::format(R"("wrong":{})", count)));
    }
    const std::string explained =
        run(0, with("explain", twice + "]", {"--worst", "1000", "--json"}));
    CHECK_THAT(explained, contains(fmt::format(R"("dependent_elements":{})", count / 2)));
    run(0, with("explain", twice + "]", {"--at", "0"}));
  }
}

}  // namespace tscatter

// Sources: files, parts of them, mappings of files that are truncated, and spools.
#include "tscatter/io/files/sources.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter {
namespace {

std::string all_of(const Source& source) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(source.size()));
  source.read(0, bytes);
  return text_of(bytes);
}

std::shared_ptr<FileSource> file_source(const std::filesystem::path& path) {
  return std::make_shared<FileSource>(File::open_for_reading(path));
}

}  // namespace

TEST_CASE("file.f1: an input that cannot be opened is refused", "[io]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "none").native();
  CHECK(refusal([&] { File::open_for_reading(path); }) ==
        path + ": cannot be opened: no such file or directory [file.f1]");
}

TEST_CASE("file.f2: a directory as input is refused", "[io]") {
  const TemporaryDirectory directory;
  CHECK(refusal([&] { File::open_for_reading(directory.path()); }) ==
        directory.path().native() + ": must be a file, got a directory [file.f2]");
}

TEST_CASE("file.f3: a file that is cut while it is read is an error", "[io]") {
  const TemporaryDirectory directory;
  write_file(directory / "x", "0123456789");
  const auto source = file_source(directory / "x");
  std::filesystem::resize_file(directory / "x", 4);
  CHECK(refusal([&] { all_of(*source); }) ==
        (directory / "x").native() + ": changed while it was read: it ends at byte 4 [file.f3]");
}

TEST_CASE("file.f3: a file that is cut while it is mapped is an error, not a crash",
          "[io][native]") {
  guard_mappings();
  const TemporaryDirectory directory;
  write_file(directory / "x", std::string(100000, 'x'));
  const auto source = file_source(directory / "x");
  const auto view = source->view();
  REQUIRE(view.has_value());
  CHECK(text_of(view->first(3)) == "xxx");
  CHECK(refusal([&] { source->check_view(); }) == "accepted");
  std::filesystem::resize_file(directory / "x", 10);
  CHECK(view->back() == std::byte{0});
  CHECK((*view)[50000] == std::byte{0});
  CHECK(refusal([&] { source->check_view(); }) ==
        (directory / "x").native() +
            ": changed while it was read: it was cut to 10 bytes [file.f3]");
}

TEST_CASE("more mappings than are guarded are read instead", "[io]") {
  guard_mappings();
  const TemporaryDirectory directory;
  write_file(directory / "x", "abc");
  std::vector<std::shared_ptr<FileSource>> sources;
  int mapped = 0;
  for (int i = 0; i < 70; ++i) {
    sources.push_back(file_source(directory / "x"));
    if (sources.back()->view()) ++mapped;
    CHECK(all_of(*sources.back()) == "abc");
  }
  CHECK(mapped == 64);
  sources.clear();
  CHECK(file_source(directory / "x")->view().has_value());
}

TEST_CASE("a file of over 4 GiB is mapped whole or not at all, and read to its end", "[io]") {
  guard_mappings();
  const TemporaryDirectory directory;
  constexpr std::int64_t size = (std::int64_t{5} << 30) + 3;
  write_file(directory / "x", "begin");
  std::filesystem::resize_file(directory / "x", static_cast<std::uintmax_t>(size));
  const auto source = file_source(directory / "x");
  CHECK(source->size() == size);
  const auto view = source->view();
  CHECK(view.has_value() == (sizeof(std::size_t) == 8));
  if (view) CHECK(static_cast<std::int64_t>(view->size()) == size);
  std::string bytes(5, '?');
  source->read(size - 5, std::as_writable_bytes(std::span(bytes)));
  CHECK(bytes == std::string(5, '\0'));
  source->read(0, std::as_writable_bytes(std::span(bytes)));
  CHECK(bytes == "begin");
}

TEST_CASE("an empty file has no view", "[io]") {
  guard_mappings();
  const TemporaryDirectory directory;
  write_file(directory / "x", "");
  CHECK_FALSE(file_source(directory / "x")->view().has_value());
}

TEST_CASE("a part of a source is addressed from its own beginning", "[io]") {
  guard_mappings();
  const TemporaryDirectory directory;
  write_file(directory / "x", "0123456789");
  const PartSource part(file_source(directory / "x"), 3, 4);
  CHECK(part.size() == 4);
  CHECK(all_of(part) == "3456");
  CHECK(text_of(part.view().value()) == "3456");
}

TEST_CASE("a spool keeps what is appended, in memory or in a file without a name", "[io]") {
  guard_mappings();
  const TemporaryDirectory directory;
  Spool spool(directory.path(), "x");
  const std::string piece(std::size_t{3} << 20U, 'p');
  spool.append(bytes_of("begin"));
  CHECK(spool.view().has_value());
  for (int i = 0; i < 3; ++i) spool.append(bytes_of(piece));
  spool.append(bytes_of("end"));
  const std::string all = "begin" + piece + piece + piece + "end";
  CHECK((text_of(spool.view().value()) == all));
  spool.append(bytes_of("more"));
  CHECK((text_of(spool.view().value()) == all + "more"));
  CHECK((all_of(spool) == all + "more"));
  CHECK(directory.names().empty());
}

TEST_CASE("a spool's zeros take no space in its file, and are read back", "[io]") {
  guard_mappings();
  const TemporaryDirectory directory;
  Spool spool(directory.path(), "x");
  const std::string zeros(std::size_t{3} << 20U, '\0');
  const std::string piece(std::size_t{9} << 20U, 'p');
  std::string all;
  for (const std::string& each : {piece, zeros, zeros, std::string("middle"), zeros,
                                  std::string(1, '\0'), std::string(), zeros}) {
    spool.append(bytes_of(each));
    all += each;
  }
  CHECK((all_of(spool) == all));  // not the values: they would be printed
  CHECK((text_of(spool.view().value()) == all));
  for (const std::size_t offset : {piece.size() - 3, all.size() - zeros.size() - 2}) {
    std::string part(8, 'x');
    spool.read(static_cast<std::int64_t>(offset), std::as_writable_bytes(std::span(part)));
    CHECK(part == all.substr(offset, part.size()));
  }
}

TEST_CASE("a spool is filled from a pipe up to a size", "[io]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const File reader(ends[0], "pipe");
  File writer(ends[1], "pipe");
  writer.write_on(bytes_of("0123456789"));
  writer.close();
  Spool spool("/tmp", "x");
  CHECK(spool.fill_from(reader, 4));
  CHECK(all_of(spool) == "0123");
  CHECK_FALSE(spool.fill_from(reader, 100));
  CHECK(all_of(spool) == "0123456789");
}

TEST_CASE("file.f4: a spool that finds no directory for its file is refused", "[io]") {
  const TemporaryDirectory directory;
  Spool spool(directory / "none", "x");
  const std::string piece(std::size_t{9} << 20U, 'p');
  CHECK(refusal([&] { spool.append(bytes_of(piece)); }) ==
        (directory / "none").native() +
            ": cannot hold a temporary file: no such file or directory [file.f4]");
}

}  // namespace tscatter

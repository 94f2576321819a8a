// Which pages of a file its parts write, on file systems that write whole pages back.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "io/forwarding_files.hpp"
#include "parts/file_parts.hpp"
#include "parts/run_part.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t page = 4096;

// Knows the data of a folder of parts among its files.
class DataFiles : public ForwardingFiles {
 public:
  int open(const Path& path, int flags, mode_t mode) override {
    const int descriptor = ForwardingFiles::open(path, flags, mode);
    if (path.filename() == "data") data_ = descriptor;
    return descriptor;
  }
  bool is_data(int descriptor) const { return descriptor == data_; }

 private:
  int data_ = -1;
};

// Notes which pages are written.
class NotingFiles final : public DataFiles {
 public:
  ssize_t pwrite(int descriptor, ConstBytes bytes, std::int64_t offset) override {
    const ssize_t put = ForwardingFiles::pwrite(descriptor, bytes, offset);
    if (!is_data(descriptor)) return put;
    for (std::int64_t at = offset / page; at * page < offset + put; ++at) pages.insert(at);
    return put;
  }

  std::set<std::int64_t> pages;
};

// A machine's cache of a file that no other machine has written yet: a page is zeros when it is
// first written, and goes back as a whole when the file is flushed.
class CachingFiles final : public DataFiles {
 public:
  ssize_t pwrite(int descriptor, ConstBytes bytes, std::int64_t offset) override {
    if (!is_data(descriptor)) return ForwardingFiles::pwrite(descriptor, bytes, offset);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto place = static_cast<std::size_t>(offset) + i;
      std::vector<std::byte>& own = pages_[static_cast<std::int64_t>(place) / page];
      own.resize(page);
      own[place % page] = bytes[i];
    }
    return static_cast<ssize_t>(bytes.size());
  }
  ssize_t pread(int descriptor, Bytes into, std::int64_t offset) override {
    const ssize_t got = ForwardingFiles::pread(descriptor, into, offset);
    if (!is_data(descriptor)) return got;
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::max<ssize_t>(got, 0)); ++i) {
      const auto place = static_cast<std::size_t>(offset) + i;
      const auto own = pages_.find(static_cast<std::int64_t>(place) / page);
      if (own != pages_.end()) into[i] = own->second[place % page];
    }
    return got;
  }
  int fsync(int descriptor) override {
    if (!is_data(descriptor)) return ForwardingFiles::fsync(descriptor);
    struct stat status {};
    ForwardingFiles::fstat(descriptor, status);
    for (const auto& [at, bytes] : pages_) {
      const std::int64_t size = std::min(page, status.st_size - at * page);
      ForwardingFiles::pwrite(descriptor, ConstBytes(bytes).first(static_cast<std::size_t>(size)),
                              at * page);
    }
    return ForwardingFiles::fsync(descriptor);
  }

 private:
  std::map<std::int64_t, std::vector<std::byte>> pages_;
};

// Rows of `element` bytes behind a header, of which some are replaced, by parts.
struct PagedJob {
  std::int64_t element;
  std::int64_t header;
  std::int64_t parts;
  std::vector<std::byte> data, updates;
  std::vector<std::int32_t> indices;

  static constexpr std::int64_t elements = 9000;

  PagedJob(std::int64_t element_size, std::int64_t header_size, std::int64_t count)
      : element{element_size}, header{header_size}, parts{count} {
    const auto size = static_cast<std::size_t>(elements * element);
    data.resize(size);
    for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(i * 31 % 251 + 1);
    for (std::int32_t i = 0; i < 400; ++i) indices.push_back(i * 7919 % elements);
    updates.assign(indices.size() * static_cast<std::size_t>(element), std::byte{0xEE});
  }

  app::PartsJob job() const {
    return {.run = 7,
            .parts = parts,
            .unit = page,
            .file_bytes = header + std::ssize(data),
            .facts = {}};
  }
  void run(Output& output, const RunOptions& options) const {
    const ElementType type{.dtype = DType::opaque,
                           .size = static_cast<std::size_t>(element),
                           .byte_order = std::endian::little,
                           .descr = "'|V" + std::to_string(element) + "'"};
    const auto count = static_cast<std::int64_t>(indices.size());
    scatter_nd_update_15(
        Tensor({.type = type, .shape = {elements}}, std::span<const std::byte>(data)),
        view(indices, {count, 1}),
        Tensor({.type = type, .shape = {count}}, std::span<const std::byte>(updates)),
        Reduction::none, output, options);
  }
  void run_part(const TemporaryDirectory& directory, std::int64_t part, FileSystem& files) const {
    const app::PartsFolder folder((directory / "o.npy").native(), files);
    app::PartOutput output(
        folder, job(), part,
        std::vector<std::byte>(static_cast<std::size_t>(header), std::byte{'h'}));
    run(output, {.threads = 1, .range = output.elements(element)});
  }
  std::string whole() const {
    std::vector<std::byte> bytes(data.size());
    MemoryOutput output{std::span<std::byte>(bytes)};
    run(output, {.threads = 1});
    const std::string body(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::string(static_cast<std::size_t>(header), 'h') + body;
  }
};

template <class Visit>
void for_each_paged_job(const Visit& visit) {
  for (const std::int64_t element : {1, 3, 4, 7, 16}) {
    for (const std::int64_t header : {100, 128, 4097}) {
      const std::int64_t units = (header + PagedJob::elements * element + page - 1) / page;
      for (const std::int64_t parts : {std::int64_t{2}, std::int64_t{3}, units, units + 2}) {
        const PagedJob job(element, header, parts);
        INFO(element << " bytes, header " << header << ", " << parts << " parts");
        visit(job);
      }
    }
  }
}

}  // namespace

TEST_CASE("no page is written by two parts, and each is", "[app]") {
  for_each_paged_job([](const PagedJob& job) {
    const TemporaryDirectory directory;
    std::map<std::int64_t, int> writers;
    for (std::int64_t part = 1; part <= job.parts; ++part) {
      NotingFiles files;
      job.run_part(directory, part, files);
      for (const std::int64_t at : files.pages) ++writers[at];
    }
    // What was summed while it was written is what is there.
    const app::PartsFolder folder((directory / "o.npy").native());
    const File file = File::open_for_reading(folder.data());
    for (const auto& [part, marker] : folder.markers(job.job()))
      CHECK((marker.sums == app::unit_sums(file, marker.bytes, page)));
    CHECK(std::ssize(folder.markers(job.job())) == job.parts);
    const std::int64_t pages = (job.job().file_bytes + page - 1) / page;
    CHECK(std::ssize(writers) == pages);
    CHECK(std::ranges::all_of(writers, [](const auto& each) { return each.second == 1; }));
    const std::string found = read_file(directory / "o.npy.tscatter-parts/data");
    CHECK((found == job.whole()));
  });
}

TEST_CASE("machines that write whole pages back, with zeros for what they do not know, agree",
          "[app]") {
  for_each_paged_job([](const PagedJob& job) {
    const TemporaryDirectory directory;
    for (std::int64_t part = job.parts; part >= 1; --part) {
      CachingFiles files;
      job.run_part(directory, part, files);
    }
    const std::string found = read_file(directory / "o.npy.tscatter-parts/data");
    CHECK((found == job.whole()));
  });
}

}  // namespace tscatter

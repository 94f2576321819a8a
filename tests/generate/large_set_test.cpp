// The large set: what its results have beyond 2^31 elements is what the oracle's loop writes, all
// else is zero, and the files take next to no space.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <set>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "io/files.hpp"
#include "ops/answered.hpp"
#include "tscatter/generate/large_calls.hpp"
#include "tscatter/generate/suite.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter::generate {
namespace {

// Of elements that are not negative.
unsigned written(Reduction reduction, unsigned before, unsigned update) {
  if (reduction == Reduction::none) return update;
  if (reduction == Reduction::sum) return before + update;
  if (reduction == Reduction::sub) return before - update;
  if (reduction == Reduction::bit_or) return before | update;
  if (reduction == Reduction::bit_xor) return before ^ update;
  REQUIRE(tscatter::to_string(reduction).starts_with("max"));
  return std::max(before, update);
}

// What the loop leaves that is not zero, by the number of the element.
std::map<std::int64_t, std::byte> written_by_loop(const GeneratedCase& generated) {
  GeneratedCase without_data = generated;
  std::erase_if(without_data.operands,
                [](const NamedTensor& each) { return each.operand == "data"; });
  oracle::Call call = call_of(without_data);
  const Arguments arguments = prepared(*generated.operation, arguments_of(generated));
  const TensorHeader data = generated.operation->infer_output(arguments);
  call.operands["data"] = {
      .type = ElementType::of(data.type.dtype), .shape = data.shape, .bytes = {}};
  const oracle::Dense& updates = call.operand("updates");
  const Reduction reduction = generated.operation->reduction(generated.attributes);
  std::map<std::int64_t, std::byte> values;
  oracle::for_each_write(call, [&](const oracle::Write& write) {
    std::byte& value =
        values[static_cast<std::int64_t>(oracle::row_major(data.shape, write.element))];
    value = static_cast<std::byte>(written(reduction, std::to_integer<unsigned>(value),
                                           std::to_integer<unsigned>(*updates.at(write.update))));
  });
  return values;
}

// The same of a file's elements of one byte, without reading its holes.
std::map<std::int64_t, std::byte> stored_in(const std::filesystem::path& path) {
  std::map<std::int64_t, std::byte> values;
  const Tensor tensor = open_npy(path);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto size = static_cast<off_t>(std::filesystem::file_size(path));
  const off_t front = size - tensor.byte_size();
  for (off_t begin = ::lseek(file, 0, SEEK_DATA); begin >= 0;) {
    const off_t end = ::lseek(file, begin, SEEK_HOLE);
    std::vector<std::byte> bytes(static_cast<std::size_t>(end - begin));
    REQUIRE(::pread(file, bytes.data(), bytes.size(), begin) == end - begin);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const off_t at = begin + static_cast<off_t>(i) - front;
      if (at >= 0 && bytes[i] != std::byte{0}) values.emplace(at, bytes[i]);
    }
    begin = ::lseek(file, end, SEEK_DATA);
  }
  ::close(file);
  return values;
}

std::int64_t bytes_on_disk(const std::filesystem::path& directory) {
  std::int64_t blocks = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    struct stat status {};
    REQUIRE(::stat(file.path().c_str(), &status) == 0);
    blocks += status.st_blocks;
  }
  return blocks * 512;
}

void check_set(const Operation& operation) {
  INFO(operation.name);
  const TemporaryDirectory directory;
  const std::vector<GeneratedCase> cases = large_set(operation);
  const auto count = static_cast<std::int64_t>(cases.size());
  write_suite({.command = "x",
               .count = count,
               .size = count,
               .layout = Layout::npy,
               .at = [&](std::int64_t i) { return cases[static_cast<std::size_t>(i)]; }},
              directory.path());
  std::set<std::string> names;
  std::int64_t largest = 0;
  for (const GeneratedCase& each : cases) {
    INFO(each.name);
    names.insert(each.name);
    const auto written = written_by_loop(each);
    REQUIRE(!written.empty());
    CHECK(written.rbegin()->first > std::int64_t{1} << 31U);
    largest = std::max(largest, written.rbegin()->first);
    CHECK((stored_in(directory / (each.name + ".expected.npy")) == written));
    if (!is_made(operation.base)) CHECK(stored_in(directory / (each.name + ".data.npy")).empty());
  }
  CHECK(names.size() == cases.size());
  CHECK(largest > std::int64_t{1} << 32U);
  CHECK(bytes_on_disk(directory.path()) < std::int64_t{4} << 20U);
}

}  // namespace

TEST_CASE("the large set of every operation has the loop's results, in sparse files",
          "[generate]") {
  for (const Operation* operation : operations()) {
    if (!has_answers(*operation)) continue;
    const std::vector<Reduction> reductions = operation->reductions();
    const bool keeps_zeros =
        !reductions.empty() && std::ranges::all_of(reductions, [](Reduction each) {
          return each == Reduction::prod || each == Reduction::min || each == Reduction::mean ||
                 each == Reduction::sqrt_n || each == Reduction::bit_and;
        });
    const bool has_set =
        !keeps_zeros && operation->form != Form::mask && operation->base != BaseFrom::counts;
    INFO(operation->name);
    CHECK(large_set(*operation).empty() != has_set);
    if (has_set) check_set(*operation);
  }
}

}  // namespace tscatter::generate

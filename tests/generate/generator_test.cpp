// Which options are allowed; and the bytes, which must never change; and the source of
// randomness, SplitMix64 as published.
#include <numeric>
#include <set>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "io/files.hpp"
#include "tscatter/generate/draws.hpp"

namespace tscatter::generate {
namespace {

std::string refusal_for(const GenerateOptions& options) {
  return refusal([&] { const CaseGenerator generator(options); });
}

// 64-bit FNV-1a over the whole case.
std::uint64_t hash_of(const GeneratedCase& generated) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const char letter : generated.name) add(static_cast<unsigned char>(letter));
  for (const auto& [operand, tensor] : generated.operands) {
    for (const char letter :
         to_string(tensor.header.type) + tscatter::to_string(tensor.header.shape))
      add(static_cast<unsigned char>(letter));
    for (const std::byte byte : tensor.bytes) add(std::to_integer<std::uint64_t>(byte));
  }
  return hash;
}

std::uint64_t hash_of_all(std::string_view operation) {
  GenerateOptions options = options_for(operation, 20241121, 300);
  options.broken = Broken::added;
  std::uint64_t hash = 0;
  for (const GeneratedCase& each : all_cases(options)) hash = hash * 31 + hash_of(each);
  return hash;
}

}  // namespace

TEST_CASE("scheme 4 is pinned: the hashes of 600 cases of each operation", "[generate]") {
  CHECK(hash_of_all("ScatterUpdate-3") == 14183781043921010046U);
  CHECK(hash_of_all("ScatterNDUpdate-3") == 11857696525922274039U);
  CHECK(hash_of_all("ScatterNDUpdate-15") == 12137588906129424743U);
  CHECK(hash_of_all("SliceScatter-15") == 15940828211474059120U);
  CHECK(hash_of_all("stablehlo.scatter") == 11839909619411200798U);
  CHECK(hash_of_all("jax.at.add") == 18162211896568880970U);
  CHECK(hash_of_all("jax.ops.segment_sum") == 9707232867877854082U);
}

TEST_CASE("generate.g1: a reduction of an operation without reductions is refused", "[generate]") {
  GenerateOptions options = options_for("ScatterUpdate-3");
  options.reductions = {Reduction::sum};
  CHECK(refusal_for(options) ==
        "generate: ScatterUpdate-3 takes no reduction, got sum [generate.g1]");
}

TEST_CASE("generate.g2: a dtype or reduction without cases is refused", "[generate]") {
  GenerateOptions options = options_for("ScatterNDUpdate-15");
  options.dtypes = {DType::float32, DType::complex64};
  options.reductions = {Reduction::min};
  CHECK(refusal_for(options) ==
        "generate: no case of complex64 has the requested reductions, values and max-elements "
        "[generate.g2]");
  options.dtypes = {DType::complex64};
  options.reductions = {Reduction::sum, Reduction::max};
  CHECK(refusal_for(options) ==
        "generate: no case of max has the requested dtypes, values and max-elements [generate.g2]");
  options.dtypes = {DType::int32};
  options.reductions = {};
  options.set = ValueSet::swamp;
  CHECK_THAT(refusal_for(options), contains("no case of int32 has the requested"));
  options.dtypes = {DType::boolean};
  options.set = ValueSet::special;
  CHECK_THAT(refusal_for(options), contains("no case of bool has the requested"));
  options.dtypes = {DType::float16};
  options.set = ValueSet::full;
  options.max_elements = 65535;
  CHECK_THAT(refusal_for(options), contains("no case of float16 has the requested"));
  options.max_elements = 65536;
  CHECK(refusal_for(options) == "accepted");
  options.dtypes = {DType::opaque};
  CHECK_THAT(refusal_for(options), contains("no case of opaque has the requested"));
}

TEST_CASE("generate.g3: too many or too few cases, ranks and elements are refused", "[generate]") {
  const auto with = [](auto change) {
    GenerateOptions options = options_for("SliceScatter-15");
    change(options);
    return refusal_for(options);
  };
  CHECK(with([](auto& o) { o.count = 0; }) ==
        "generate: count must be from 1 to 100000, got 0 [generate.g3]");
  CHECK(with([](auto& o) { o.count = 1; }) == "accepted");
  CHECK(with([](auto& o) { o.count = 100000; }) == "accepted");
  CHECK(with([](auto& o) { o.count = 100001; }) ==
        "generate: count must be from 1 to 100000, got 100001 [generate.g3]");
  CHECK(with([](auto& o) { o.max_rank = 0; }) ==
        "generate: max-rank must be from 1 to 6, got 0 [generate.g3]");
  CHECK(with([](auto& o) { o.max_rank = 7; }) ==
        "generate: max-rank must be from 1 to 6, got 7 [generate.g3]");
  CHECK(with([](auto& o) { o.max_elements = 63; }) ==
        "generate: max-elements must be from 64 to 16777216, got 63 [generate.g3]");
  CHECK(with([](auto& o) { o.max_elements = 64; }) == "accepted");
  CHECK(with([](auto& o) { o.max_elements = 16777217; }) ==
        "generate: max-elements must be from 64 to 16777216, got 16777217 [generate.g3]");
}

TEST_CASE("generate.g4: duplicates of a slice are refused", "[generate]") {
  GenerateOptions options = options_for("SliceScatter-15");
  options.duplicates = Duplicates::heavy;
  CHECK(refusal_for(options) ==
        "generate: SliceScatter-15 names no place twice: duplicates must be none, got heavy "
        "[generate.g4]");
  options.duplicates = Duplicates::none;
  CHECK(refusal_for(options) == "accepted");
}

TEST_CASE("generate.g7: a depth of another form, or beyond the largest rank, is refused",
          "[generate]") {
  GenerateOptions options = options_for("ScatterUpdate-3");
  options.depth = 1;
  CHECK(refusal_for(options) ==
        "generate: depth is for operations of the form nd, whose index entries are rows of "
        "coordinates, got ScatterUpdate-3 [generate.g7]");
  options = options_for("ScatterNDUpdate-15");
  options.max_rank = 3;
  options.depth = 4;
  CHECK(refusal_for(options) ==
        "generate: depth must be from 0 to max-rank, 3, got 4 [generate.g7]");
  options.depth = -1;
  CHECK(refusal_for(options) ==
        "generate: depth must be from 0 to max-rank, 3, got -1 [generate.g7]");
  options.depth = 3;
  CHECK(refusal_for(options) == "accepted");
}

TEST_CASE("generate.g8: an index dtype that is not taken, or too narrow, is refused",
          "[generate]") {
  for (const char* without : {"SliceScatter-15", "torch.masked_fill", "torch.diagonal_scatter"}) {
    GenerateOptions options = options_for(without);
    options.index_dtypes = {DType::int64};
    CHECK(refusal_for(options) ==
          "generate: an index dtype is for operations with index tensors, got " +
              std::string(without) + " [generate.g8]");
  }
  GenerateOptions options = options_for("ScatterNDUpdate-15");
  options.index_dtypes = {DType::int64, DType::uint64};
  CHECK(refusal_for(options) ==
        "generate: each index dtype must be one that ScatterNDUpdate-15 takes, and have 32 or 64 "
        "bits, since narrower ones cannot hold each position of a case (int32, int64), got uint64 "
        "[generate.g8]");
  options = options_for("ScatterUpdate-3");
  for (const DType narrow : {DType::int8, DType::uint16, DType::float32}) {
    options.index_dtypes = {narrow};
    CHECK(refusal_for(options).ends_with("(int32, int64, uint32, uint64), got " +
                                         std::string(info(narrow).name) + " [generate.g8]"));
  }
  options.index_dtypes = {DType::uint32, DType::int32};
  CHECK(refusal_for(options) == "accepted");
}

TEST_CASE("generate.g9: plain entries of an operation that has none are refused", "[generate]") {
  for (const char* without : {"SliceScatter-15", "onnx.TensorScatter-24", "torch.masked_scatter",
                              "torch.select_scatter", "torch.diagonal_scatter"}) {
    GenerateOptions options = options_for(without);
    options.entries = IndexEntries::plain;
    CHECK(refusal_for(options) ==
          "generate: plain is for operations with index entries (the forms rows, nd, elements, "
          "window, batched_rows, index, flat and segment), got " +
              std::string(without) + " [generate.g9]");
  }
}

TEST_CASE("narrowed cases are pinned, and their command says how", "[generate]") {
  GenerateOptions options = options_for("ScatterNDUpdate-15", 20241121, 300);
  options.depth = 2;
  options.index_dtypes = {DType::int64, DType::int32};
  options.entries = IndexEntries::plain;
  CHECK(CaseGenerator(options).command() ==
        "ScatterNDUpdate-15 --seed 20241121 --index-dtype int64 --index-dtype int32 --depth 2 "
        "--plain");
  std::uint64_t hash = 0;
  for (const GeneratedCase& each : all_cases(options)) hash = hash * 31 + hash_of(each);
  CHECK(hash == 14713093518075291733U);
}

TEST_CASE("the smallest tensors that may be asked for are kept to", "[generate]") {
  for (const Operation* operation : operations()) {
    if (!has_answers(*operation)) continue;
    GenerateOptions options = options_for(operation->name, 4, 300);
    options.max_elements = 64;
    for (const GeneratedCase& each : all_cases(options)) {
      for (const auto& [operand, tensor] : each.operands) {
        INFO(each.name << " " << operand);
        CHECK(tensor.header.count() <= 64);
      }
    }
  }
}

TEST_CASE("split is SplitMix64: the published outputs for the seed 1234567", "[generate]") {
  CHECK(split(1234567, 0) == 6457827717110365317U);
  CHECK(split(1234567, 1) == 3203168211198807973U);
  CHECK(split(1234567, 2) == 9817491932198370423U);
  CHECK(split(1234567, 3) == 4593380528125082431U);
  CHECK(split(1234567, 4) == 16408922859458223821U);
}

TEST_CASE("a word depends on seed, case, stream and place", "[generate]") {
  const std::uint64_t word = Draws(7, 3).word(Stream::data, 5);
  CHECK(word == split(split(split(7, 3), 32), 5));
  CHECK(word != Draws(8, 3).word(Stream::data, 5));
  CHECK(word != Draws(7, 4).word(Stream::data, 5));
  CHECK(word != Draws(7, 3).word(Stream::updates, 5));
  CHECK(word != Draws(7, 3).word(Stream::data, 6));
}

TEST_CASE("n cases in a row that begin at a multiple of n each have another turn", "[generate]") {
  for (const std::size_t n : {1U, 2U, 3U, 11U, 27U, 86U}) {
    for (const std::uint64_t block : {0U, 1U, 5U}) {
      std::set<std::size_t> turns;
      for (std::size_t i = 0; i < n; ++i) {
        turns.insert(Draws(7, block * n + i).turn(Stream::frame, n));
      }
      CHECK(turns.size() == n);
      CHECK(*turns.rbegin() == n - 1);
    }
  }
}

}  // namespace tscatter::generate

#include "tscatter/core/tensor.hpp"

#include "catch.hpp"

namespace tscatter {
namespace {

// Claims any size.
class ClaimedSource final : public Source {
 public:
  explicit ClaimedSource(std::int64_t size) : size_{size} {}
  std::int64_t size() const override { return size_; }
  void read(std::int64_t, std::span<std::byte>) const override {}

 private:
  std::int64_t size_;
};

std::string refused(const Shape& shape, std::int64_t bytes) {
  try {
    const Tensor tensor({.type = ElementType::of(DType::float32), .shape = shape},
                        std::make_shared<ClaimedSource>(bytes), "x.npy");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "legal";
}

}  // namespace

TEST_CASE("tensor.t1: a tensor of more than 64 axes is refused", "[core]") {
  CHECK(refused(Shape(64, 1), 4) == "legal");
  CHECK(refused(Shape(65, 1), 4).ends_with(" of float32 [tensor.t1]"));
}

TEST_CASE("tensor.t1: a negative axis or too many bytes are refused", "[core]") {
  CHECK(refused({-1}, 4) ==
        "x.npy: a tensor must be addressable, got shape [-1] of float32 [tensor.t1]");
  constexpr std::int64_t elements = std::int64_t{1} << 61;
  CHECK(refused({elements - 1}, (elements - 1) * 4) == "legal");
  CHECK(refused({elements}, 4) ==
        "x.npy: a tensor must be addressable, got shape [2305843009213693952] of float32 "
        "[tensor.t1]");
}

TEST_CASE("tensor.t2: a source of another size is refused", "[core]") {
  CHECK(refused({2, 3}, 24) == "legal");
  CHECK(refused({2, 3}, 23) == "x.npy: shape [2, 3] of float32 needs 24 bytes, got 23 [tensor.t2]");
  CHECK(refused({2, 3}, 25) == "x.npy: shape [2, 3] of float32 needs 24 bytes, got 25 [tensor.t2]");
}

TEST_CASE("tensor.t3: memory of another size than the result is refused", "[core]") {
  std::vector<float> memory(3);
  MemoryOutput output{std::span(memory)};
  const TensorHeader header{.type = ElementType::of(DType::float32), .shape = {4}};
  try {
    output.begin(header, ClaimedSource(16));
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.what() ==
          std::string("output: the output's memory must have 16 bytes, got 12 [tensor.t3]"));
  }
}

TEST_CASE("a tensor that lies in both orders counts as row-major", "[core]") {
  const TensorHeader header{
      .type = ElementType::of(DType::float32), .shape = {1, 3}, .order = MemoryOrder::fortran};
  CHECK(Tensor(header, std::make_shared<ClaimedSource>(12)).order() == MemoryOrder::c);
}

}  // namespace tscatter

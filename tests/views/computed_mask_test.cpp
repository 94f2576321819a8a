// Which masks are computed of which dtypes.
#include "tscatter/views/computed_mask.hpp"

#include <array>

#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

std::string refused_mask(ElementType type, MaskTest test) {
  const std::vector<std::byte> bytes(type.size);
  const Tensor tensor({.type = std::move(type), .shape = {1}}, bytes, "x.npy");
  return refusal([&] { computed_mask(tensor, test, Number{std::int64_t{0}}, "x.npy < 0"); });
}

}  // namespace

TEST_CASE("view.m1: a test that has no meaning for the dtype is refused", "[views]") {
  const ElementType complex = ElementType::of(DType::complex64);
  CHECK(refused_mask(complex, MaskTest::less) ==
        "x.npy < 0: the mask must be about elements whose dtype has that test, got one about "
        "complex64 [view.m1]");
  CHECK(refused_mask(complex, MaskTest::equal) == "accepted");
  CHECK(refused_mask(ElementType::of(DType::int32), MaskTest::is_false) ==
        "x.npy < 0: the mask must be computed from a mask of dtype bool, got one about int32 "
        "[view.m1]");
  CHECK(refused_mask(ElementType::of(DType::boolean), MaskTest::is_false) == "accepted");
  CHECK(refused_mask(ElementType::of(DType::float32), MaskTest::is_nan) == "accepted");
  const ElementType records{
      .dtype = DType::opaque, .size = 2, .byte_order = std::endian::little, .descr = "'|V2'"};
  CHECK(refused_mask(records, MaskTest::equal).ends_with("[view.m1]"));
}

}  // namespace tscatter

#include "tscatter/verify/actual_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/io/formats/row_major_elements.hpp"

namespace tscatter {

void make_canonical_bools(std::span<std::byte> bools) {
  for (std::byte& each : bools) each = each == std::byte{0} ? std::byte{0} : std::byte{1};
}

ActualReader::ActualReader(const Tensor& actual, const TensorHeader& data, std::int64_t box_bytes,
                           const std::filesystem::path& spool_directory, StopFlag stop)
    : tensor_{in_memory_order(
          actual, data.order,
          {.box_bytes = box_bytes, .directory = spool_directory, .stop = stop})},
      byte_order_{data.type.byte_order} {
  if (data.type.dtype == DType::opaque) turned_words_ = words_to_turn(actual.type(), data.type);
}

void ActualReader::read(std::int64_t element, std::span<std::byte> into) const {
  read_elements(tensor_, element, into, byte_order_);
  if (!turned_words_.empty()) turn_words(into, tensor_.type().size, turned_words_);
  if (tensor_.type().dtype == DType::boolean) make_canonical_bools(into);
}

bool ActualReader::equals(std::int64_t element, std::span<const std::byte> bytes) const {
  const ElementType& type = tensor_.type();
  const auto view = tensor_.source().view();
  const bool is_turned = type.byte_order != byte_order_ || !turned_words_.empty();
  if (view && !is_turned && type.dtype != DType::boolean) {
    const std::int64_t offset = element * static_cast<std::int64_t>(type.size);
    return std::memcmp(view->data() + offset, bytes.data(), bytes.size()) == 0;
  }
  Buffer<std::byte> own(bytes.size());
  read(element, own.span());
  return std::memcmp(own.data(), bytes.data(), bytes.size()) == 0;
}

namespace {

template <class Real, std::size_t count>
struct RealParts {
  using Bits = ElementBits<sizeof(Real)>;
  static constexpr Bits sign = Bits{1} << (8 * sizeof(Real) - 1);

  std::array<Bits, count> bits;

  explicit RealParts(const std::byte* element) { std::memcpy(&bits, element, sizeof(bits)); }

  bool is_nan(std::size_t part) const {
    return std::isnan(static_cast<double>(std::bit_cast<Real>(bits[part])));
  }
  bool is_zero(std::size_t part) const { return static_cast<Bits>(bits[part] & ~sign) == 0; }
};

// Calls function(parts of each element…) of a real or complex dtype; else returns `otherwise`.
template <class Result, class Function, class... Elements>
Result with_parts(DType dtype, Result otherwise, const Function& function, Elements... elements) {
  return visit_reals(dtype, otherwise, [&]<class Real, std::size_t parts>() {
    return function(RealParts<Real, parts>(elements)...);
  });
}

// What stands for what, where an element differs from another one.
struct StandIns {
  bool nan = false;
  bool zero = false;
  bool is_all = true;  // nothing else differs
};

constexpr ElementVerdict beside(ElementClass element_class, orders::Deviation deviation) {
  ElementVerdict verdict = wrong_element;
  verdict.element_class = element_class;
  verdict.deviation = deviation;
  if (element_class == ElementClass::rounded) verdict.share = 0;
  return verdict;
}

}  // namespace

LegalBits LegalBits::of(const VerifyOptions& options, const Call& call, DType dtype) {
  LegalBits legal{.nan = options.nan_bits, .zero = options.zeros};
  const Operation& operation = *call.operation;
  const bool is_half = dtype == DType::float16 || dtype == DType::bfloat16;
  if (!is_half && !info(operation.reduction(call.arguments.attributes)).divides) return legal;
  const auto found = std::ranges::find(operation.variants, true, &Variant::takes_any_nan);
  if (found != operation.variants.end())
    legal.nan_variant = static_cast<std::uint8_t>(found - operation.variants.begin() + 1);
  return legal;
}

ElementVerdict verdict_beside(DType dtype, const std::byte* legal_value, const std::byte* actual,
                              const LegalBits& legal) {
  const auto compare = [](const auto& own, const auto& other) {
    StandIns found;
    for (std::size_t part = 0; part < own.bits.size(); ++part) {
      if (own.bits[part] == other.bits[part]) continue;
      const bool are_nan = own.is_nan(part) && other.is_nan(part);
      const bool are_zero = own.is_zero(part) && other.is_zero(part);
      found.nan = found.nan || are_nan;
      found.zero = found.zero || are_zero;
      found.is_all = found.is_all && (are_nan || are_zero);
    }
    return found;
  };
  const StandIns found = with_parts(dtype, StandIns{.is_all = false}, compare, legal_value, actual);
  const bool lacks_nan = found.nan && !legal.takes_any_nan();
  const bool lacks_zero = found.zero && legal.zero == OtherBits::kept;
  if (!found.is_all || (lacks_nan && lacks_zero)) return wrong_element;
  const bool is_wrong = lacks_nan || lacks_zero;
  const bool is_nan = is_wrong ? lacks_nan : found.nan;
  ElementVerdict verdict =
      beside(is_wrong ? ElementClass::wrong : ElementClass::rounded,
             is_nan ? orders::Deviation::other_nan : orders::Deviation::other_zero);
  if (found.nan && !is_wrong && legal.nan == OtherBits::kept) verdict.variant = legal.nan_variant;
  return verdict;
}

bool has_other_bits(DType dtype) {
  return info(dtype).kind == DTypeKind::real || info(dtype).kind == DTypeKind::complex;
}

unsigned zero_parts(DType dtype, const std::byte* element) {
  const auto zeros = [](const auto& own) {
    unsigned found = 0;
    for (std::size_t part = 0; part < own.bits.size(); ++part)
      found |= own.is_zero(part) ? 1U << part : 0U;
    return found;
  };
  return with_parts(dtype, 0U, zeros, element);
}

void negate_parts(DType dtype, unsigned parts, std::byte* element) {
  const auto negate = [&](auto own) {
    for (std::size_t part = 0; part < own.bits.size(); ++part) {
      if ((parts >> part & 1U) != 0) own.bits[part] ^= own.sign;
    }
    std::memcpy(element, &own.bits, sizeof(own.bits));
    return true;
  };
  with_parts(dtype, false, negate, static_cast<const std::byte*>(element));
}

}  // namespace tscatter

#include "tscatter/views/computed_mask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstring>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

constexpr std::array computed_mask_rule_rows{
    Rule{"view.m1",
         "what a mask asks of elements has a meaning for their dtype: no order of complex ones, "
         "nothing of opaque ones but their dtype"},
};

// Less, equal or greater; unordered where one is NaN.
template <class T>
std::partial_ordering compare(T value, const Number& number) {
  if constexpr (std::is_integral_v<T>) {
    return std::visit(
        [&]<class N>(N with) -> std::partial_ordering {
          if constexpr (std::is_same_v<N, double>) {
            return static_cast<double>(value) <=> with;
          } else {
            if (std::cmp_less(value, with)) return std::partial_ordering::less;
            return std::cmp_equal(value, with) ? std::partial_ordering::equivalent
                                               : std::partial_ordering::greater;
          }
        },
        number);
  } else {
    const auto with =
        static_cast<T>(std::visit([](auto some) { return static_cast<double>(some); }, number));
    return value <=> with;
  }
}

bool passes(MaskTest test, std::partial_ordering order) {
  switch (test) {
    case MaskTest::less: return order < 0;
    case MaskTest::less_equal: return order <= 0;
    case MaskTest::greater: return order > 0;
    case MaskTest::greater_equal: return order >= 0;
    case MaskTest::equal: return order == 0;
    case MaskTest::not_equal: return order != 0;
    case MaskTest::is_false:
    case MaskTest::is_nan:
    case MaskTest::is_infinite: break;
  }
  unreachable();
}

// What C++ compares with: halves as float, bools as integers.
template <class T>
auto comparable(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return value == Bool{} ? std::uint8_t{0} : std::uint8_t{1};
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

template <class T>
bool passes(T value, MaskTest test, const Number& number) {
  if constexpr (is_complex_v<T>) {
    const bool has_nan = std::isnan(value.real()) || std::isnan(value.imag());
    const bool has_infinity = std::isinf(value.real()) || std::isinf(value.imag());
    if (test == MaskTest::is_nan) return has_nan;
    if (test == MaskTest::is_infinite) return has_infinity;
    const bool is_equal =
        compare(value.real(), number) == 0 && value.imag() == typename T::value_type{};
    return is_equal == (test == MaskTest::equal);
  } else {
    const auto known = comparable(value);
    if constexpr (std::is_floating_point_v<decltype(known)>) {
      if (test == MaskTest::is_nan) return std::isnan(known);
      if (test == MaskTest::is_infinite) return std::isinf(known);
    } else {
      if (test == MaskTest::is_nan || test == MaskTest::is_infinite) return false;
    }
    if (test == MaskTest::is_false) return known == 0;
    return passes(test, compare(known, number));
  }
}

// As an element of the dtype has it, of floats; an integer is compared with the number itself.
Number in_dtype(const Number& number, DType dtype) {
  const DTypeKind kind = info(dtype).kind;
  const bool is_rounded = kind == DTypeKind::real || kind == DTypeKind::complex;
  return is_rounded ? fitted(number, dtype).value_or(number) : number;
}

bool has_meaning(MaskTest test, DType dtype) {
  const DTypeKind kind = info(dtype).kind;
  if (kind == DTypeKind::opaque) return false;
  switch (test) {
    case MaskTest::is_false: return dtype == DType::boolean;
    case MaskTest::less:
    case MaskTest::less_equal:
    case MaskTest::greater:
    case MaskTest::greater_equal: return kind != DTypeKind::complex;
    case MaskTest::equal:
    case MaskTest::not_equal:
    case MaskTest::is_nan:
    case MaskTest::is_infinite: return true;
  }
  unreachable();
}

class ComputedMask final : public Source {
 public:
  ComputedMask(Tensor tensor, MaskTest test, const Number& number)
      : tensor_{std::move(tensor)},
        test_{test},
        number_{in_dtype(number, tensor_.type().dtype)} {}

  std::int64_t size() const override { return tensor_.count(); }

  void read(std::int64_t offset, std::span<std::byte> into) const override {
    constexpr std::size_t at_once = std::size_t{16} * 1024;
    std::vector<std::byte> bytes;
    for (std::size_t done = 0; done < into.size(); done += at_once) {
      const auto some = into.subspan(done, std::min(at_once, into.size() - done));
      bytes.resize(some.size() * tensor_.type().size);
      read_elements(tensor_, offset + static_cast<std::int64_t>(done), bytes);
      test(bytes, some);
    }
    tensor_.source().check_view();
  }

  void check_content(int threads, const std::atomic<bool>* stop) const override {
    tensor_.source().check_content(threads, stop);
  }

 private:
  void test(std::span<const std::byte> elements, std::span<std::byte> into) const {
    visit_dtype(tensor_.type().dtype, [&]<class T>() {
      for (std::size_t i = 0; i < into.size(); ++i) {
        T value;
        std::memcpy(&value, elements.data() + i * sizeof(T), sizeof(T));
        into[i] = static_cast<std::byte>(passes(value, test_, number_));
      }
    });
  }

  Tensor tensor_;
  MaskTest test_;
  Number number_;
};

}  // namespace

const std::span<const Rule> computed_mask_rules = computed_mask_rule_rows;

Tensor computed_mask(const Tensor& tensor, MaskTest test, const Number& number, std::string name) {
  // view.m1
  if (!has_meaning(test, tensor.type().dtype)) {
    fail(ErrorKind::usage, "view.m1", name, "the mask must be {}, got one about {}",
         test == MaskTest::is_false ? "computed from a mask of dtype bool"
                                    : "about elements whose dtype has that test",
         to_string(tensor.type()));
  }
  return {{.type = ElementType::of(DType::boolean), .shape = tensor.shape(), .order = tensor.order()},
          std::make_shared<ComputedMask>(tensor, test, number),
          std::move(name)};
}

}  // namespace tscatter

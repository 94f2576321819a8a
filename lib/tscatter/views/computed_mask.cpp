#include "tscatter/views/computed_mask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

// Whether a and b stand so to each other. A NaN is unequal, and nothing else.
template <MaskTest test, class A, class B>
bool stand(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    switch (test) {
      case MaskTest::less: return std::cmp_less(a, b);
      case MaskTest::less_equal: return std::cmp_less_equal(a, b);
      case MaskTest::greater: return std::cmp_greater(a, b);
      case MaskTest::greater_equal: return std::cmp_greater_equal(a, b);
      case MaskTest::equal: return std::cmp_equal(a, b);
      default: return std::cmp_not_equal(a, b);
    }
  } else {
    switch (test) {
      case MaskTest::less: return a < b;
      case MaskTest::less_equal: return a <= b;
      case MaskTest::greater: return a > b;
      case MaskTest::greater_equal: return a >= b;
      case MaskTest::equal: return a == b;
      default: return a != b;
    }
  }
}

// Calls function(passes) with the comparison of an element with the number.
template <class T, MaskTest test, class Function>
void visit_comparison(const Number& number, const Function& function) {
  using Known = decltype(comparable(T{}));
  std::visit(
      [&]<class N>(N with) {
        if constexpr (std::is_floating_point_v<Known>) {
          function([near = static_cast<Known>(with)](T value) {
            return stand<test>(comparable(value), near);
          });
        } else if constexpr (std::is_same_v<N, double>) {
          function([with](T value) {
            return stand<test>(static_cast<double>(comparable(value)), with);
          });
        } else {
          function([with](T value) { return stand<test>(comparable(value), with); });
        }
      },
      number);
}

// Each calls function(passes) with the test of one element. REQUIRES: has_meaning().

template <class T, class Function>
void visit_complex_test(MaskTest test, const Number& number, const Function& function) {
  using Part = typename T::value_type;
  const auto near = std::visit([](auto some) { return T(static_cast<Part>(some)); }, number);
  const auto has = [](T value, auto is_it) { return is_it(value.real()) || is_it(value.imag()); };
  switch (test) {
    case MaskTest::is_nan:
      return function([&](T value) { return has(value, [](Part x) { return std::isnan(x); }); });
    case MaskTest::is_infinite:
      return function([&](T value) { return has(value, [](Part x) { return std::isinf(x); }); });
    case MaskTest::is_finite:
      return function(
          [&](T value) { return !has(value, [](Part x) { return !std::isfinite(x); }); });
    case MaskTest::equal: return function([&](T value) { return value == near; });
    default: return function([&](T value) { return value != near; });
  }
}

template <class T, class Function>
void visit_real_test(MaskTest test, const Number& number, const Function& function) {
  using Known = decltype(comparable(T{}));
  const auto compare = [&]<MaskTest known>() { visit_comparison<T, known>(number, function); };
  switch (test) {
    case MaskTest::is_false: return function([](T value) { return comparable(value) == 0; });
    case MaskTest::less: return compare.template operator()<MaskTest::less>();
    case MaskTest::less_equal: return compare.template operator()<MaskTest::less_equal>();
    case MaskTest::greater: return compare.template operator()<MaskTest::greater>();
    case MaskTest::greater_equal: return compare.template operator()<MaskTest::greater_equal>();
    case MaskTest::equal: return compare.template operator()<MaskTest::equal>();
    case MaskTest::not_equal: return compare.template operator()<MaskTest::not_equal>();
    case MaskTest::is_nan:
      return function([](T value) { return comparable(value) != comparable(value); });
    case MaskTest::is_infinite:
    case MaskTest::is_finite:
      return function([is_wanted = test == MaskTest::is_finite](T value) {
        if constexpr (!std::is_floating_point_v<Known>) return is_wanted;
        const auto known = static_cast<double>(comparable(value));
        return is_wanted ? std::isfinite(known) : std::isinf(known);
      });
  }
  unreachable();
}

template <class T, class Function>
void visit_test(MaskTest test, const Number& number, const Function& function) {
  if constexpr (is_complex_v<T>) {
    visit_complex_test<T>(test, number, function);
  } else {
    visit_real_test<T>(test, number, function);
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
    case MaskTest::is_infinite:
    case MaskTest::is_finite: return true;
  }
  unreachable();
}

class ComputedMask final : public Source {
 public:
  ComputedMask(Tensor tensor, MaskTest test, const Number& number)
      : tensor_{std::move(tensor)}, test_{test}, number_{in_dtype(number, tensor_.type().dtype)} {}

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

  void check_content(const Parallelism& parallelism) const override {
    tensor_.source().check_content(parallelism);
  }

 private:
  void test(std::span<const std::byte> elements, std::span<std::byte> into) const {
    visit_dtype(tensor_.type().dtype, [&]<class T>() {
      visit_test<T>(test_, number_, [&](const auto& passes) {
        for (std::size_t i = 0; i < into.size(); ++i) {
          T value;
          std::memcpy(&value, elements.data() + i * sizeof(T), sizeof(T));
          into[i] = static_cast<std::byte>(passes(value));
        }
      });
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
  return {
      {.type = ElementType::of(DType::boolean), .shape = tensor.shape(), .order = tensor.order()},
      std::make_shared<ComputedMask>(tensor, test, number),
      std::move(name)};
}

}  // namespace tscatter

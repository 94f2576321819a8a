#include "tscatter/views/converted_elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/move.hpp"
#include "tscatter/kernels/reduce.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_in_piece = 2048;  // elements
constexpr std::size_t largest_element = 16;  // bytes
constexpr std::int64_t elements_of_task = std::int64_t{128} * 1024;

void lower_to(std::atomic<std::int64_t>& least, std::int64_t value) {
  for (std::int64_t seen = least; value < seen && !least.compare_exchange_weak(seen, value);) {
  }
}

}  // namespace

ConvertedElements::ConvertedElements(Tensor from, ElementType to, ConvertElements converter)
    : from_{std::move(from)}, to_{std::move(to)}, converter_{std::move(converter)} {
  const auto element = from_.source().repeated();
  if (!element) return;
  std::vector<std::byte> native(element->begin(), element->end());
  turn_elements(native, from_.type());
  repeated_.resize(to_.size);
  converter_(native, repeated_);
  turn_from_native(repeated_);
}

std::int64_t ConvertedElements::size() const {
  return from_.count() * static_cast<std::int64_t>(to_.size);
}

void ConvertedElements::read(std::int64_t offset, std::span<std::byte> into) const {
  const auto size = static_cast<std::int64_t>(to_.size);
  std::array<std::byte, largest_element> element;
  while (!into.empty()) {
    const std::int64_t first = offset / size;
    const auto skipped = static_cast<std::size_t>(offset % size);
    std::size_t count = std::min(into.size() / to_.size, most_in_piece);
    std::size_t bytes = count * to_.size;
    if (skipped == 0 && count > 0) {
      accept({.first = first,
              .count = static_cast<std::int64_t>(count),
              .counts = convert(first, into.first(bytes))});
    } else {
      const auto whole = std::span(element).first(to_.size);
      accept({.first = first, .count = 1, .counts = convert(first, whole)});
      bytes = std::min(into.size(), to_.size - skipped);
      std::memcpy(into.data(), &element[skipped], bytes);
    }
    into = into.subspan(bytes);
    offset += static_cast<std::int64_t>(bytes);
  }
}

std::optional<std::span<const std::byte>> ConvertedElements::repeated() const {
  return repeated_.empty() ? std::nullopt : std::optional(std::span(repeated_));
}

void ConvertedElements::convert_all(const Parallelism& parallelism,
                                    const std::function<bool(const Piece&)>& visit) const {
  const std::int64_t count = from_.count();
  const std::int64_t tasks = (count + elements_of_task - 1) / elements_of_task;
  std::atomic<std::int64_t> last_task = tasks;
  const auto convert_task = [&](std::int64_t task, std::span<std::byte> into) {
    const std::int64_t end = std::min((task + 1) * elements_of_task, count);
    for (std::int64_t first = task * elements_of_task; first < end && task <= last_task;) {
      const auto length = std::min(static_cast<std::int64_t>(most_in_piece), end - first);
      const auto bytes = static_cast<std::size_t>(length) * to_.size;
      const ConversionCounts counts = convert(first, into.first(bytes));
      if (!visit({.first = first, .count = length, .counts = counts}))
        return lower_to(last_task, task);
      first += length;
    }
  };
  for_each_task(tasks, parallelism, from_.byte_size(), [&] {
    return [&, into = std::vector<std::byte>(most_in_piece * to_.size)](std::int64_t task) mutable {
      convert_task(task, into);
    };
  });
  from_.source().check_view();
}

ConversionFit ConvertedElements::fit(std::int64_t number) const {
  std::array<std::byte, largest_element> into;
  return convert(number, std::span(into).first(to_.size)).worst();
}

// At most a piece.
ConversionCounts ConvertedElements::convert(std::int64_t first, std::span<std::byte> into) const {
  std::array<std::byte, most_in_piece * largest_element> buffer;
  const auto elements = std::span(buffer).first(into.size() / to_.size * from_.type().size);
  read_elements(from_, first, elements);
  const ConversionCounts counts = converter_(elements, into);
  turn_from_native(into);
  return counts;
}

void ConvertedElements::turn_from_native(std::span<std::byte> elements) const {
  if (!to_.is_native()) reverse_words(elements, to_.word());
}

namespace {

class FilledSource final : public Source {
 public:
  FilledSource(std::vector<std::byte> element, std::int64_t size)
      : element_{std::move(element)}, size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    if (!into.empty()) repeat(element_, into, static_cast<std::size_t>(offset) % element_.size());
  }
  std::optional<std::span<const std::byte>> repeated() const override { return element_; }

 private:
  std::vector<std::byte> element_;
  std::int64_t size_;
};

}  // namespace

Tensor filled(TensorHeader header, std::vector<std::byte> element, std::string name) {
  const std::int64_t size = header.byte_size();
  return {std::move(header), std::make_shared<FilledSource>(std::move(element), size),
          std::move(name)};
}

namespace {

class Product {
 public:
  Product(DType dtype, const Number& factor)
      : factor_{start_value(dtype, Reduction::prod,
                            {.kind = InitialValue::Kind::number, .number = factor})},
        multiply_{reduce_loop(dtype, Reduction::prod)} {}

  ConversionCounts operator()(std::span<const std::byte> elements,
                              std::span<std::byte> into) const {
    const std::size_t size = factor_.size();
    for (std::size_t at = 0; at < into.size(); at += size)
      std::ranges::copy(factor_, into.subspan(at, size).begin());
    multiply_(into.data(), elements.data(), static_cast<std::int64_t>(into.size() / size));
    return {};
  }

 private:
  std::vector<std::byte> factor_;
  ReduceLoop multiply_;
};

}  // namespace

Tensor scaled(const Tensor& tensor, const Number& factor) {
  return {tensor.header(),
          std::make_shared<ConvertedElements>(tensor, tensor.type(),
                                              Product(tensor.type().dtype, factor)),
          tensor.name()};
}

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

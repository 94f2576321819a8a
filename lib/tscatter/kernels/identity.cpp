#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/reduce.hpp"

namespace tscatter {
namespace {

template <class T, class Value>
T of_value(Value value) {
  if constexpr (is_complex_v<T>) {
    return T(static_cast<typename T::value_type>(value));
  } else if constexpr (HalfWidth<T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
T largest() {
  if constexpr (std::is_same_v<T, Bool>) {
    return of_value<T>(1);
  } else if constexpr (HalfWidth<T>) {
    return T::largest();
  } else {
    return std::numeric_limits<T>::max();
  }
}

template <class T>
T lowest() {
  if constexpr (HalfWidth<T>) {
    return T(-static_cast<float>(T::largest()));
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

template <class T>
T all_bits() {
  if constexpr (std::is_same_v<T, Bool>) {
    return of_value<T>(1);
  } else if constexpr (std::integral<T>) {
    return static_cast<T>(-1);
  } else {
    unreachable();
  }
}

template <class T>
T of_identity(Identity identity) {
  switch (identity) {
    case Identity::zero: return of_value<T>(0);
    case Identity::one: return of_value<T>(1);
    case Identity::largest: return largest<T>();
    case Identity::lowest: return lowest<T>();
    case Identity::all_bits: return all_bits<T>();
  }
  unreachable();
}

// The identity, of min and max among the infinities where the dtype has them.
template <class T>
T infinite_identity(Identity identity) {
  const bool is_least = identity == Identity::lowest;
  if constexpr (!std::integral<T> && !is_complex_v<T> && !std::is_same_v<T, Bool>) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (is_least || identity == Identity::largest)
      return of_value<T>(is_least ? -infinity : infinity);
  }
  return of_identity<T>(identity);
}

template <class T>
T of_number(const Number& number) {
  return std::visit([](auto value) { return of_value<T>(value); }, number);
}

template <class T>
T of_initial(const InitialValue& initial, Identity identity) {
  switch (initial.kind) {
    case InitialValue::Kind::data:
    case InitialValue::Kind::identity: return of_identity<T>(identity);
    case InitialValue::Kind::infinite: return infinite_identity<T>(identity);
    case InitialValue::Kind::number: return of_number<T>(initial.number);
  }
  unreachable();
}

}  // namespace

std::vector<std::byte> start_value(DType dtype, Reduction reduction, InitialValue initial) {
  if (!starts_anew(reduction, initial)) return {};
  return visit_dtype(dtype, [&]<class T>() {
    const T value = of_initial<T>(initial, info(reduction).identity);
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  });
}

}  // namespace tscatter

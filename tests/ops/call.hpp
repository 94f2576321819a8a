// Short ways to write operands, and to get the outcome of a call.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tscatter/core/half.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {

template <class T>
consteval DType dtype_of() {
  if constexpr (std::is_same_v<T, Half>) {
    return DType::float16;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return DType::bfloat16;
  } else {
    return detail::dtype_of<T>();
  }
}

template <class T>
Tensor tensor(Shape shape, std::vector<T> values) {
  return {{.type = ElementType::of(dtype_of<T>()), .shape = std::move(shape)},
          owned_source(std::move(values))};
}

inline Tensor floats(Shape shape, std::vector<float> values) {
  return tensor(std::move(shape), std::move(values));
}
inline Tensor ints(Shape shape, std::vector<std::int32_t> values) {
  return tensor(std::move(shape), std::move(values));
}
inline Tensor int64s(Shape shape, std::vector<std::int64_t> values) {
  return tensor(std::move(shape), std::move(values));
}
inline Tensor bools(Shape shape, std::vector<std::uint8_t> trues) {
  return {{.type = ElementType::of(DType::boolean), .shape = std::move(shape)},
          owned_source(std::move(trues))};
}
inline Tensor list32(std::vector<std::int32_t> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return ints({size}, std::move(values));
}

// As many zeros as the shape needs.
inline Tensor zeros(Shape shape) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  return floats(std::move(shape), std::vector<float>(count));
}

// Elements of an opaque dtype.
inline Tensor opaque(Shape shape, std::string descr, std::size_t size) {
  const auto bytes = static_cast<std::size_t>(element_count(shape)) * size;
  return {{.type = {.dtype = DType::opaque, .size = size, .descr = std::move(descr)},
           .shape = std::move(shape)},
          owned_source(std::vector<std::uint8_t>(bytes))};
}

inline Tensor fortran(const Tensor& tensor) {
  TensorHeader header = tensor.header();
  header.order = MemoryOrder::fortran;
  return {header, tensor.shared_source()};
}

inline Arguments arguments_of(const Tensor& data, const Tensor& indices, const Tensor& updates,
                              Attributes attributes = {}) {
  return {.operands = {{"data", data}, {"indices", indices}, {"updates", updates}},
          .attributes = std::move(attributes)};
}

// Whether messages call the operands data, indices and updates. PyTorch's and TensorFlow's names
// have words, and tests of their rules, of their own.
inline bool has_our_words(const Operation& operation) { return operation.called("data") == "data"; }

template <class Visit>
void for_each_operation(Form form, const Visit& visit) {
  for (const Operation* operation : operations()) {
    if (operation->form == form && has_our_words(*operation)) visit(*operation);
  }
}

// A call that a test's operations refuse.
struct RefusedCall {
  Check check;
  const char* what;
  Arguments call;
  std::string message;
};

// The whole message: "tosa.scatter: data must have rank 3, got rank 2 [tosa.scatter.c1]".
inline std::string message_of(const Operation& operation, Check check, std::string_view message) {
  return fmt::format("{}: {} [{}]", operation.id, message, operation.label(check));
}

// Fails the test when anything is written.
class UntouchedOutput final : public Output {
 public:
  Sink& begin(const TensorHeader&, const Source&) override {
    throw std::logic_error("the output was begun");
  }
  void commit() override { throw std::logic_error("the output was committed"); }
};

// The message with which call(output) is refused; "legal" if it is not.
template <class Call>
requires std::invocable<const Call&, UntouchedOutput&> std::string refusal(const Call& call) {
  UntouchedOutput output;
  try {
    call(output);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::logic_error&) {
    return "legal";
  }
  return "nothing happened";
}

inline std::string refusal(const Operation& operation, const Arguments& arguments) {
  return refusal([&](Output& output) { apply(operation, arguments, output); });
}

// The elements that call(output) leaves in an output of `count` floats.
template <class Call>
std::vector<float> result(std::size_t count, const Call& call) {
  std::vector<float> elements(count, -1.0F);
  MemoryOutput output{std::span(elements)};
  call(output);
  return elements;
}

// The same of floats that the operation changes.
inline std::vector<float> left_by(const Operation& operation, const Arguments& arguments,
                                  const RunOptions& options = {}) {
  return result(static_cast<std::size_t>(arguments.operand("data").count()),
                [&](Output& output) { apply(operation, arguments, output, options); });
}

}  // namespace tscatter

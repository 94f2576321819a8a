#include "compare/sides.hpp"

#include "tscatter/core/error.hpp"
#include "tscatter/io/formats/float8_numbers.hpp"

namespace tscatter::app {
namespace {

class SidesOpener {
 public:
  explicit SidesOpener(const SidesAsked& asked) : asked_{asked}, opener_{asked.base} {}

  std::pair<Tensor, Tensor> open(const Side& actual, const Side& expected) {
    // Stdin can be read only once, so it comes last, when the other side's dtype is known.
    if (!is_stdin(actual.word)) return open_in_order(actual, expected);
    auto [second, first] = open_in_order(expected, actual);
    return {std::move(first), std::move(second)};
  }

 private:
  std::pair<Tensor, Tensor> open_in_order(const Side& one, const Side& other) {
    Tensor first = open_one(one, asked_.dtype);
    const bool other_is_stdin = is_stdin(other.word);
    Tensor second = open_one(other, other_is_stdin ? dtype_for(first) : asked_.dtype);
    if (asked_.dtype) return {viewed(first), viewed(second)};
    if (asked_.has_bfloat16) {
      first = as_bfloat16(first);
      second = as_bfloat16(second);
    }
    first = as_of(first, second);
    second = as_of(second, first);
    if (first.type().dtype == second.type().dtype) return {std::move(first), std::move(second)};
    if (!other_is_stdin) {
      if (auto fitted = opened_as(other, first)) return {std::move(first), *fitted};
    }
    if (auto fitted = opened_as(one, second)) return {*fitted, std::move(second)};
    return {std::move(first), std::move(second)};
  }

  Tensor open_one(const Side& side, std::optional<DType> dtype) {
    return opener_.open(
        side.word,
        {.name = side.name, .role = OperandRole::data, .dtype = dtype, .missing = asked_.missing});
  }

  // Reads the word again, with the dtype of `other` for values without one; nullopt if they have
  // one or do not fit.
  std::optional<Tensor> opened_as(const Side& side, const Tensor& other) {
    const std::optional<DType> wanted = dtype_for(other);
    if (!wanted) return std::nullopt;
    try {
      Tensor tensor = open_one(side, wanted);
      if (tensor.type().dtype == *wanted) return tensor;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::format) throw;
    }
    return std::nullopt;
  }

  std::optional<DType> dtype_for(const Tensor& other) const {
    if (asked_.dtype) return asked_.dtype;
    if (other.type().dtype == DType::opaque) return std::nullopt;
    return other.type().dtype;
  }

  // A .npy file has no name for bfloat16.
  static Tensor as_of(const Tensor& tensor, const Tensor& other) {
    return other.type().dtype == DType::bfloat16 ? viewed_as(tensor, DType::bfloat16) : tensor;
  }

  Tensor viewed(const Tensor& tensor) const {
    Tensor viewed = viewed_as_asked(tensor, *asked_.dtype);
    require_dtype(viewed, *asked_.dtype, "--dtype");
    return viewed;
  }

  const SidesAsked& asked_;
  OperandOpener opener_;
};

}  // namespace

std::pair<Tensor, Tensor> open_sides(const Side& actual, const Side& expected,
                                     const SidesAsked& asked) {
  return SidesOpener(asked).open(actual, expected);
}

Census compare_numbers(const Tensor& actual, const Tensor& expected,
                       const CompareOptions& options) {
  if (!same_dtype(actual.type(), expected.type())) return compare(actual, expected, options);
  return compare(as_numbers(actual), as_numbers(expected), options);
}

Tensor as_bfloat16(const Tensor& tensor) {
  return tensor.type().size == 2 ? viewed_as(tensor, DType::bfloat16) : tensor;
}

bool takes_tolerance(std::optional<DType> dtype) { return dtype && *dtype != DType::boolean; }

std::optional<DType> numeric_dtype(const Tensor& tensor) {
  const DType dtype = tensor.type().dtype;
  return dtype == DType::opaque ? std::nullopt : std::optional(dtype);
}

std::unique_ptr<Archive> open_archive(const Side& side, const std::filesystem::path& base) {
  if (!names_a_path(side.word, {.name = side.name, .dtype = {}})) return nullptr;
  return archive_named(side.word.text, base);
}

std::optional<ArchivePair> open_archives(const Side& actual, const Side& expected,
                                         const std::filesystem::path& base) {
  ArchivePair pair{.actual = open_archive(actual, base), .expected = nullptr};
  if (pair.actual != nullptr) pair.expected = open_archive(expected, base);
  return pair.expected == nullptr ? std::nullopt : std::optional(std::move(pair));
}

}  // namespace tscatter::app

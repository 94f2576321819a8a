#include "tscatter/views/cast.hpp"

#include <array>
#include <cassert>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter {
namespace {

// ---- Which casts are allowed

// The kinds in NumPy's order: within one and to a later one a cast is of the same kind.
int kind_of(const ElementType& type) {
  switch (info(type.dtype).kind) {
    case DTypeKind::boolean: return 0;
    case DTypeKind::unsigned_integer: return 1;
    case DTypeKind::signed_integer: return 2;
    case DTypeKind::real:
    case DTypeKind::opaque: return 3;  // float8
    case DTypeKind::complex: return 4;
  }
  unreachable();
}

bool has_values(const ElementType& type) {
  return type.dtype != DType::opaque || float8_of(type) != nullptr;
}

// Whether each value of a dtype of one byte is one of the other: all are tried.
bool holds_all_bytes(const ElementType& to, const ElementType& from) {
  std::array<std::byte, 256> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i);
  std::vector<std::byte> into(values.size() * to.size);
  return ElementConverter(from, to)(values, into).worst() == ConversionFit::exact;
}

// Whether NumPy calls the cast of an integer to a real dtype safe. Those of 64 bits are for
// float64, which does not have all of them.
bool holds_integers(DType real, std::size_t integer_size) {
  if (real == DType::float64) return true;
  return integer_size <= (real == DType::float32 ? 2U : 1U);
}

bool holds_reals(DType real, DType from) {
  if (real == from || real == DType::float64) return true;
  return real == DType::float32 && info(from).size == 2;
}

// The dtype of a complex dtype's parts; others unchanged.
DType dtype_of_parts(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

bool is_safe(const ElementType& from, const ElementType& to) {
  if (kind_of(from) > kind_of(to)) return false;
  if (float8_of(from) != nullptr || float8_of(to) != nullptr)
    return from.size == 1 && holds_all_bytes(to, from);
  const DTypeKind of_from = info(from.dtype).kind;
  const DTypeKind of_to = info(to.dtype).kind;
  if (of_from == DTypeKind::boolean) return true;
  if (of_to == DTypeKind::real || of_to == DTypeKind::complex) {
    const DType real = dtype_of_parts(to.dtype);
    return is_integer(from.dtype) ? holds_integers(real, from.size)
                                  : holds_reals(real, dtype_of_parts(from.dtype));
  }
  return of_from == of_to ? from.size <= to.size : from.size < to.size;
}

class CastElements final : public ConvertedElements {
 public:
  CastElements(const Tensor& from, const ElementType& to)
      : ConvertedElements(from, to, ElementConverter(from.type(), to)) {}
};

const CastElements* cast_elements(const Tensor& tensor) {
  return dynamic_cast<const CastElements*>(&tensor.source());
}

}  // namespace

// Where the table is ours: ml_dtypes has no cast between bfloat16 and float16, calls complex to
// bfloat16 one of the same kind, and float8 to float16 none; here they follow NumPy's rules for
// its own real dtypes.
bool can_cast(const ElementType& from, const ElementType& to, CastPolicy policy) {
  if (same_dtype(from, to)) return true;
  if (!has_values(from) || !has_values(to)) return false;
  switch (policy) {
    case CastPolicy::no: return false;
    case CastPolicy::safe: return is_safe(from, to);
    case CastPolicy::same_kind: return kind_of(from) <= kind_of(to);
    case CastPolicy::unsafe: return true;
  }
  unreachable();
}

bool is_exact_cast(const ElementType& from, const ElementType& to) {
  const bool is_long_integer = is_integer(from.dtype) && from.size == sizeof(std::int64_t);
  return same_dtype(from, to) ||
         (can_cast(from, to, CastPolicy::safe) && (!is_long_integer || is_integer(to.dtype)));
}

Tensor cast_to(const Tensor& tensor, const ElementType& to) {
  assert(can_cast(tensor.type(), to, CastPolicy::unsafe));
  if (same_dtype(tensor.type(), to)) return tensor;
  TensorHeader header = tensor.header();
  header.type = to;
  return {std::move(header), std::make_shared<CastElements>(tensor, to), tensor.name()};
}

const Tensor* cast_from(const Tensor& tensor) {
  const CastElements* const elements = cast_elements(tensor);
  return elements == nullptr ? nullptr : &elements->from();
}

std::optional<CastCounts> count_casts(const Tensor& tensor, const Parallelism& parallelism) {
  const CastElements* const elements = cast_elements(tensor);
  if (elements == nullptr) return std::nullopt;
  const Tensor& from = elements->from();
  CastCounts counts{.from = from.type(), .cast = from.count(), .values = {}};
  if (is_exact_cast(from.type(), tensor.type())) return counts;
  std::mutex adding;
  elements->convert_all(parallelism, [&](const ConvertedElements::Piece& piece) {
    const std::scoped_lock lock(adding);
    counts.values.add(piece.counts);
    return true;
  });
  return counts;
}

}  // namespace tscatter

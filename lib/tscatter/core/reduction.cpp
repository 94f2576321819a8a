#include "tscatter/core/reduction.hpp"

#include "tscatter/core/unreachable.hpp"

namespace tscatter {

bool is_defined(Reduction reduction, DType dtype) {
  const DTypeKind kind = info(dtype).kind;
  switch (info(reduction).needs) {
    case Needs::bytes: return true;
    case Needs::values: return kind != DTypeKind::opaque;
    case Needs::order: return kind != DTypeKind::opaque && kind != DTypeKind::complex;
  }
  unreachable();
}

OrderEffect order_effect(Reduction reduction, DType dtype) {
  const bool is_exact = dtype == DType::boolean || is_integer(dtype);
  const OrderEffect effect = info(reduction).effect;
  return is_exact && effect != OrderEffect::last_stays ? OrderEffect::nothing : effect;
}

}  // namespace tscatter

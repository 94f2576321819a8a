#include "tscatter/ops/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/policies.hpp"
#include "tscatter/views/cast.hpp"

namespace tscatter {
namespace {

bool is_record_of_2_bytes(const ElementType& type) { return type.descr == "'|V2'"; }

// NumPy without ml_dtypes turns bfloat16 into records, and some runtimes keep it as uint16.
std::string_view bfloat16_hint(const ElementType& data, const ElementType& updates) {
  const bool has_records = is_record_of_2_bytes(data) || is_record_of_2_bytes(updates);
  const bool is_uint16_for_reals =
      data.dtype == DType::uint16 && info(updates.dtype).kind == DTypeKind::real;
  return has_records || is_uint16_for_reals ? " (if it is bfloat16: --dtype bfloat16)" : "";
}

std::string_view other_dtype_hint(const ElementType& data, const ElementType& updates) {
  const std::string_view hint = bfloat16_hint(data, updates);
  const bool casts = hint.empty() && can_cast(updates, data, CastPolicy::same_kind);
  return casts ? " (--cast same-kind)" : hint;
}

std::string index_advice(const Operation& operation, DType dtype) {
  if (dtype == DType::boolean) return " (numpy.setitem and its like take a mask)";
  if (!is_integer(dtype) && info(dtype).kind != DTypeKind::real) return {};
  const DType to =
      takes_indices_of(operation, DType::int64) ? DType::int64 : operation.index_dtypes.front();
  return fmt::format(" (tscatter convert IN OUT --to {})", info(to).name);
}

// What gives the tensor's values the shape.
std::string repeat_advice(std::string_view operand, const Tensor& tensor, const Shape& shape) {
  const bool is_value = tensor.count() == 1 && tensor.type().dtype != DType::opaque;
  if (!broadcasts_to(tensor.shape(), shape)) return {};
  if (is_value) {
    return fmt::format(" (a literal fills it with one value: {}x{}=VALUE)", fmt::join(shape, "x"),
                       info(tensor.type().dtype).short_name);
  }
  return fmt::format(" (np.broadcast_to({}, {}) repeats them)", operand, to_string(shape));
}

std::string negative_hint(const std::string& index, std::int64_t size) {
  if (!index.starts_with('-') || std::stoll(index) < -size) return {};
  const PolicyInfo& policy = info(Policy::negative);
  const auto word = static_cast<std::size_t>(NegativeIndex::from_the_end);
  return fmt::format(" (--{} {} counts it from the end)", policy.flag, policy.words[word].word);
}

// What messages call the operand whose dtype is data's.
std::string_view called_values(const Operation& operation) {
  return operation.called(is_made(operation.base) ? "updates" : "data");
}

}  // namespace

void require_rank(const Operation& operation, Check check, std::string_view operand,
                  const Tensor& tensor, std::size_t rank) {
  if (tensor.rank() != rank) {
    refuse(operation, check, "{} must have rank {}, got rank {}", operand, rank, tensor.rank());
  }
}

void require_rank_at_least_1(const Operation& operation, Check check, std::string_view operand,
                             const Tensor& tensor) {
  if (tensor.rank() == 0) {
    refuse(operation, check, "{} must have rank 1 or more, got rank 0", operand);
  }
}

void require_integers(const Operation& operation, Check check, std::string_view operand,
                      const Tensor& tensor) {
  if (!is_integer(tensor.type().dtype)) {
    refuse(operation, check, "{} must be of an integer dtype, got {}", operand,
           to_string(tensor.type()));
  }
}

void require_index_dtype(const Operation& operation, Check check, std::string_view operand,
                         const Tensor& tensor) {
  const DType dtype = tensor.type().dtype;
  if (takes_indices_of(operation, dtype)) return;
  refuse(operation, check, "{} must be {}{}, got {}", operand, index_dtypes_text(operation),
         index_advice(operation, dtype), to_string(tensor.type()));
}

void require_shape(const Operation& operation, Check check, std::string_view operand,
                   const Tensor& tensor, const Shape& shape, std::string_view formula,
                   std::string_view hint) {
  if (tensor.shape() != shape) {
    refuse(operation, check, "{} must have shape {} ({}){}, got {}", operand, to_string(shape),
           formula, hint.empty() ? repeat_advice(operand, tensor, shape) : hint,
           to_string(tensor.shape()));
  }
}

void require_data_rank(const Operation& operation, const Arguments& arguments) {
  require_rank_at_least_1(operation, Check::data_rank, operation.called("data"),
                          arguments.operand("data"));
}

void require_index_dtype(const Operation& operation, const Tensor& indices) {
  require_index_dtype(operation, Check::indices_dtype, operation.called("indices"), indices);
}

void require_dtype_of_data(const Operation& operation, const Arguments& arguments) {
  const ElementType& data = arguments.operand("data").type();
  const ElementType& updates = arguments.operand("updates").type();
  if (!same_dtype(updates, data)) {
    refuse(operation, Check::updates_dtype, "{} must have {}'s dtype {}{}, got {}",
           operation.called("updates"), operation.called("data"), to_string(data),
           other_dtype_hint(data, updates), to_string(updates));
  }
}

void require_data_dtype(const Operation& operation, const Tensor& data) {
  if (takes_data_of(operation, data.type().dtype)) return;
  refuse(operation, Check::data_dtype, "{} must be of {}, got {}", called_values(operation),
         data_dtypes_text(operation), to_string(data.type()));
}

void require_reduction(const Operation& operation, const Arguments& arguments) {
  const ElementType& type = arguments.operand("data").type();
  const Reduction reduction = operation.reduction(arguments.attributes);
  if (is_defined(reduction, type.dtype)) return;
  const std::string dtype = to_string(type);
  const std::string_view hint = bfloat16_hint(type, type);
  if (operation.fixed != Reduction::none) {
    refuse(operation, Check::reduction_dtype, "{} must be of a dtype that has {}{}, got {}",
           called_values(operation), to_string(reduction), hint, dtype);
  }
  if (operation.find_attribute("accumulate") != nullptr) {
    refuse(operation, Check::reduction_dtype, "{} must be false for {}{}, got true",
           operation.called("accumulate"), dtype, hint);
  }
  std::vector<Reduction> defined = operation.reductions();
  std::erase_if(defined, [&](Reduction each) { return !is_defined(each, type.dtype); });
  refuse(operation, Check::reduction_dtype, "{} must be {} for {}{}, got {}",
         operation.called("reduction"), names_of(operation, defined, "or"), dtype, hint,
         operation.word_of(reduction));
}

void refuse_index(const Operation& operation, const Tensor& indices, std::int64_t at,
                  const LegalIndices& legal, std::string_view hint) {
  refuse(operation, Check::index_range, "{} must be in [{}, {}) for {} axis {}{}, got {}",
         place_text(operation.called("indices"), indices, at), legal.low, legal.high,
         operation.called("data"), legal.axis, hint, integer_text(indices, at));
}

void refuse_outside(const Operation& operation, const Tensor& indices, std::int64_t at,
                    std::size_t axis, std::int64_t size) {
  const bool wraps = operation.policies.negative == NegativeIndex::from_the_end;
  const std::string hint = wraps ? std::string() : negative_hint(integer_text(indices, at), size);
  refuse_index(operation, indices, at, {.axis = axis, .low = wraps ? -size : 0, .high = size},
               hint);
}

}  // namespace tscatter

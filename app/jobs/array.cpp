#include "jobs/array.hpp"

#include <fmt/format.h>

#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

std::string header_words(const TensorHeader& header) {
  const bool is_c = header.order == MemoryOrder::c || is_contiguous_both_ways(header.shape);
  return fmt::format("{} {} in {} order{}", to_string(header.type), to_string(header.shape),
                     is_c ? "C" : "Fortran",
                     header.type.is_native() ? "" : ", with its bytes reversed");
}

bool is_same_layout(const TensorHeader& a, const TensorHeader& b) {
  const bool has_same_order = a.order == b.order || is_contiguous_both_ways(a.shape);
  return a.shape == b.shape && has_same_order && same_dtype(a.type, b.type) &&
         a.type.is_native() == b.type.is_native();
}

}  // namespace

OperandWord Array::word() const {
  return {.text = "an array", .form = WordForm::json, .tensor = tensor};
}

ArrayPlace Array::place() const {
  // array.a5
  if (!is_writable) {
    fail(ErrorKind::usage, "array.a5", tensor.name(),
         "the memory of a result must be writable, got memory that is read-only");
  }
  return {.header = tensor.header(), .bytes = bytes, .is_data = is_data, .make = make};
}

Sink& ArrayOutput::begin(const TensorHeader& header, const Source& data) {
  if (place_.make) {
    memory_ = MemoryOutput(place_.make(header));
    return memory_.begin(header, data);
  }
  // array.a3
  if (!is_same_layout(place_.header, header)) {
    fail(ErrorKind::usage, "array.a3", "output", "the memory of the result must be {}, got {}",
         header_words(header), header_words(place_.header));
  }
  return memory_.begin(header, data);
}

}  // namespace tscatter::app

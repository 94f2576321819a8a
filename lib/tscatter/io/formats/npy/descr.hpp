// The descr of a .npy header: from Python's text to an ElementType and back.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "tscatter/core/dtype.hpp"
#include "tscatter/io/formats/npy/python_literal.hpp"

namespace tscatter {

// Why a descr does not name a dtype of fixed size.
struct DescrError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// '<f4', '<f' and 'float32' -> float32; '<M8[ns]', [('a', '<f4')] and the like -> opaque. Throws
// DescrError, also for elements of no bytes.
ElementType element_type_of(const PythonValue& descr);

// The same of a record's field, which may have no bytes: '|S0'.
ElementType field_type_of(const PythonValue& descr);

// The type with the code '<f4' or '<M8[ns]', not with another name. Throws DescrError, as
// element_type_of().
ElementType type_of_code(std::string_view code);

// As NumPy writes it, or ml_dtypes for bfloat16: "'<f4'", "'|S3'", "[('a', '<f4'), ('b', '<i4',
// (2,))]".
std::string descr_text(const ElementType& type);

}  // namespace tscatter

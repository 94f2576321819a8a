// Floats of 8 bits as the numbers that they are.
#pragma once

#include "tscatter/core/float8.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/conversion.hpp"

namespace tscatter {

// A float8 tensor as float32, exactly; it is decoded as it is read. Other tensors unchanged.
Tensor as_numbers(const Tensor& tensor);

// The numbers as float8, encoded as they are read, in the tensor's memory order. Reads all elements
// once, to see that each fits. Throws Error (rule, convert.v1 and convert.v2), and Cancelled when
// *stop becomes true.
Tensor as_float8(const Tensor& tensor, const Float8& format, Rounding rounding, StopFlag stop,
                 Progress* progress = nullptr, Misfits misfits = Misfits::refused);

}  // namespace tscatter

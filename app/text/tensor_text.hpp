// A tensor's header and the statistics of its elements, as show tells them.
#pragma once

#include <cstdint>

#include "text/document.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/statistics/statistics.hpp"

namespace tscatter::app {

// From dtype to byte_order: all but the name.
Document header_document(const Tensor& tensor);

// From min to histogram; of a bool true, too. In words a histogram of more than
// a few elements alone. `count`: the elements.
Document statistics_document(const Statistics& statistics, const ElementType& type,
                             std::int64_t count);

}  // namespace tscatter::app

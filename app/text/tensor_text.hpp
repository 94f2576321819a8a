// A tensor's header and the statistics of its elements, in the report of show.
#pragma once

#include <cstdint>

#include "text/document.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/statistics/statistics.hpp"

namespace tscatter::app {

// From dtype to byte_order: all but the name.
Document header_document(const Tensor& tensor);

// From min to histogram; for a bool also true. In words a histogram only of more than a few
// elements. `count`: the number of elements.
Document statistics_document(const Statistics& statistics, const ElementType& type,
                             std::int64_t count);

}  // namespace tscatter::app

// The statistics of a tensor, as show prints them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tscatter/core/dtype.hpp"
#include "tscatter/statistics/statistics.hpp"

namespace tscatter::app {

// Lines "min         0.5" and, of more than a few elements, a histogram. `count`: the elements.
std::string statistics_words(const Statistics& statistics, DType dtype, std::int64_t count);

// The keys min, max, mean, nan, infinite, zeros and histogram; of a bool true, too.
nlohmann::ordered_json statistics_json(const Statistics& statistics, DType dtype,
                                       std::int64_t count);

}  // namespace tscatter::app

// Single elements and counts in words and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tscatter/core/dtype.hpp"

namespace tscatter::app {

// As JSON has it: numbers, true, false, lists, "NaN"; of opaque elements the bytes as a string,
// followed by … where `element` has not all of them.
std::string value_json(std::span<const std::byte> element, const ElementType& type);

// The same without quotes.
std::string value_words(std::span<const std::byte> element, const ElementType& type);

// "1,234,567"
std::string grouped(std::int64_t count);

// "12.5 %"; never 0 or 100 where that is not so.
std::string percent(std::int64_t part, std::int64_t whole);

}  // namespace tscatter::app

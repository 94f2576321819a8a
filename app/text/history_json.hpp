// A history's steps as JSON, as the reports of verify and explain have them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "tscatter/explain/explain.hpp"

namespace tscatter::app {

nlohmann::ordered_json value_of(std::span<const std::byte> element, const ElementType& type);

nlohmann::ordered_json steps_json(const History& history, const ElementType& type);

}  // namespace tscatter::app

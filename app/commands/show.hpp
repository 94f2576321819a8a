// tscatter show TENSOR: header and preview.
#pragma once

#include <optional>
#include <string>

namespace tscatter::app {

enum class ShowForm : bool { words, json };

// `dtype` is how opaque small records and untyped values are read. Throws Error.
void show_tensor(const std::string& word, const std::optional<std::string>& dtype, ShowForm form);

}  // namespace tscatter::app

// Quotes words for a shell, in one line.
#pragma once

#include <string>
#include <string_view>

namespace tscatter::app {

// Unchanged if nothing in it is special, else in '…', or as "$(printf '…')" if it has control
// characters: "it's" is 'it'\''s'.
std::string shell_word(std::string_view word);

}  // namespace tscatter::app

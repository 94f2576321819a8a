// Words as a shell reads them back, in one line.
#pragma once

#include <string>
#include <string_view>

namespace tscatter::app {

// As it is where nothing in it is special; in '…' otherwise; as "$(printf '…')" where it has
// control characters: "it's" is 'it'\''s'.
std::string shell_word(std::string_view word);

}  // namespace tscatter::app

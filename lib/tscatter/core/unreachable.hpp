// unreachable(): follows a switch over an enum that returns in each case. With a default instead, a
// forgotten enumerator would compile.
#pragma once

#include <cstdlib>

namespace tscatter {

[[noreturn]] inline void unreachable() { std::abort(); }

}  // namespace tscatter

// tscatter explain
#include "app/process.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {}
}  // namespace tscatter

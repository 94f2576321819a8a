#include "text/headers.hpp"

namespace tscatter::app {

Document header_members(const TensorHeader& actual, const TensorHeader& expected) {
  Document document;
  document.put("dtype", Document{{"actual", to_string(actual.type)},
                                 {"expected", to_string(expected.type)}});
  document.put("shape", Document{{"actual", actual.shape}, {"expected", expected.shape}});
  return document;
}

}  // namespace tscatter::app

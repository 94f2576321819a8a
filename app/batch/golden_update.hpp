// --update-golden: writes goldens anew, each for one case only.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "batch/batch_case.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

class GoldenUpdate {
 public:
  // A case passes with its golden as it is. Throws Error (batch.b10) where another case has written
  // it anew meanwhile.
  void keep(const BatchCase& each);

  // Writes `actual` as the case's golden, all or nothing. Throws Error (batch.b10) where another
  // case needs it otherwise, and Error (file).
  void write(const BatchCase& each, const Tensor& actual);

 private:
  struct User {
    std::string name;
    bool has_written = false;
  };

  std::mutex mutex_;
  std::map<std::string, User> users_;  // by the golden's path
};

}  // namespace tscatter::app

// A result that is kept for comparison: a small one in memory, a large one in a temporary file
// without a name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tscatter/core/output.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

class CapturedOutput final : public Output {
 public:
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override {}

  // REQUIRES: the output was committed.
  Tensor tensor(const std::string& name) const;

 private:
  TensorHeader header_;
  std::shared_ptr<std::vector<std::byte>> memory_;
  std::shared_ptr<Spool> spool_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace tscatter::app

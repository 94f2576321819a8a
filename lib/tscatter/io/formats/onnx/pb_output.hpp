// Writes a tensor as ONNX's TensorProto, byte for byte as onnx.numpy_helper.from_array does.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tscatter/io/formats/npy/row_major_elements.hpp"

namespace tscatter {

class PbOutput final : public RowMajorOutput {
 public:
  // `tensor_name`: "": none is written. begin() throws Error (usage, pb.f10; file, pb.f9 and
  // file.*).
  PbOutput(OpenFile open, const RowMajorElements::Place& place, std::string tensor_name = {})
      : RowMajorOutput(std::move(open), place),
        name_{place.name},
        tensor_name_{std::move(tensor_name)} {}

 private:
  std::vector<std::byte> front_of(const TensorHeader& header) const override;

  std::string name_;  // of the file, for messages
  std::string tensor_name_;
};

}  // namespace tscatter

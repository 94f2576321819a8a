// A change in place with random operands, and the file's content before and after it.
#pragma once

#include <memory>
#include <string>

#include "crash/simulated_disk.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter::crash {

class Scenario {
 public:
  Scenario(std::uint64_t seed, Durability durability);

  static constexpr const char* path = "/disk/x.npy";

  Durability durability() const { return durability_; }
  const std::string& before() const { return before_; }
  const std::string& after() const { return after_; }
  Image image() const { return {{path, {.inode = 7, .content = before_}}}; }

  // The file, opened to be changed in place.
  std::unique_ptr<InPlaceFile> open(FileSystem& disk) const;

  // The whole change, on a disk that may die meanwhile.
  void run(FileSystem& disk) const;

 private:
  enum class Form : std::uint8_t { elements, rows, sums, slice, records };

  void make_data(property::Random& random);
  void make_safetensors(property::Random& random);
  void make_updates(property::Random& random);
  void call(const Tensor& data, Output& output, const RunOptions& options) const;

  Durability durability_;
  Form form_ = Form::elements;
  std::int64_t tile_bytes_ = 512;
  TensorHeader header_;
  std::vector<Tensor> operands_;  // all but data
  bool is_safetensors_ = false;
  std::string front_;  // of a safetensors file, in the place of the .npy header
  std::string tail_;   // behind the tensor
  std::string before_;
  std::string after_;
};

}  // namespace tscatter::crash

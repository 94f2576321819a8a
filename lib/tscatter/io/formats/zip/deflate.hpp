// DeflateWriter: deflates a member front to back, as zlib does by default.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tscatter {

class DeflateWriter {
 public:
  using Take = std::function<void(std::span<const std::byte>)>;

  // `take` is given the deflated bytes, piece by piece.
  explicit DeflateWriter(Take take);
  DeflateWriter(const DeflateWriter&) = delete;
  DeflateWriter& operator=(const DeflateWriter&) = delete;
  ~DeflateWriter();

  void write(std::span<const std::byte> bytes);

  // Called once, after all bytes.
  void finish();

 private:
  struct Stream;

  void deflate_all(std::span<const std::byte> bytes, int flush);

  Take take_;
  std::vector<std::byte> piece_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace tscatter

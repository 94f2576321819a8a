// The elements of a result in the order that a format wants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter {

// ---- The elements of a result as formats of one order have them: row-major and little-endian.
// What is so already goes straight to the file, the rest by way of a spool.

class RowMajorElements {
 public:
  struct Place {
    std::string name;                                // of the file, for messages
    std::filesystem::path spool_directory = "/tmp";  // for a result of another order
    StopFlag stop = nullptr;                         // finish() throws Cancelled
  };

  explicit RowMajorElements(Place place) : place_{std::move(place)} {}

  // The sink that takes the result's bytes. REQUIRES: `file` outlives finish().
  Sink& begin(const TensorHeader& header, Sink& file);
  // Writes to the file what was spooled. Throws Error (file) and Cancelled.
  void finish();

 private:
  Place place_;
  TensorHeader header_;
  Sink* file_ = nullptr;
  std::shared_ptr<Spool> spool_;  // nullptr: the result is in the file's order
  std::optional<SpoolSink> spool_sink_;
};

// A file of such elements, and of what a format has in front of them.
class RowMajorOutput : public Output {
 public:
  using OpenFile = std::function<std::unique_ptr<OutputFile>()>;

  // `open` is called once every rule of the operation has been checked.
  RowMajorOutput(OpenFile open, RowMajorElements::Place place)
      : open_{std::move(open)}, elements_{std::move(place)} {}

  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;
  std::string temporary_name() const override { return file_->temporary_name(); }

 protected:
  // What precedes the elements. Throws Error where the format has no such tensor.
  virtual std::vector<std::byte> front_of(const TensorHeader& /*header*/) const { return {}; }

 private:
  OpenFile open_;
  RowMajorElements elements_;
  std::unique_ptr<OutputFile> file_;
  std::optional<OutputFileSink> sink_;
};

// Writes all elements of a tensor, row-major and little-endian, from byte 0 of the sink on. Throws
// Error (file) and Cancelled.
void write_row_major(const Tensor& tensor, Sink& to, const RowMajorElements::Place& place);

// ---- A tensor's elements in another memory order, by way of a spool.

struct Reordering {
  std::int64_t box_bytes = 0;            // that are held at once
  std::filesystem::path directory = {};  // of the spool
  StopFlag stop = nullptr;               // reading throws Cancelled when it becomes true
};

// The same tensor where its elements already lie so; else a copy, in the tensor's byte order.
// Throws Error (file).
Tensor in_memory_order(const Tensor& tensor, MemoryOrder order, const Reordering& reordering);

}  // namespace tscatter

#include "crash/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/files.hpp"
#include "io/safetensors_bytes.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter::crash {
namespace {

using property::Random;

std::vector<std::byte> random_bytes(Random& random, std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits());
  return bytes;
}

Tensor random_tensor(Random& random, TensorHeader header) {
  const std::int64_t size = header.byte_size();
  return {std::move(header), owned_source(random_bytes(random, size))};
}

Tensor random_indices(Random& random, std::int64_t count, std::int64_t end) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::int64_t& value : values) value = random.between(0, end - 1);
  return {{.type = ElementType::of(DType::int64), .shape = {count, 1}}, owned_source(values)};
}

}  // namespace

Scenario::Scenario(std::uint64_t seed, Durability durability) : durability_{durability} {
  Random random(seed);
  form_ = random.among({Form::elements, Form::rows, Form::sums, Form::slice, Form::records});
  tile_bytes_ = random.among({300, 512, 1024, 4096, 65536});
  make_data(random);
  make_updates(random);
  const std::vector<std::byte> front = npy_header_bytes(header_);
  const std::string body = text_of(random_bytes(random, header_.byte_size()));
  make_safetensors(random);
  const std::string begin = is_safetensors_ ? front_ : text_of(front);
  before_ = begin + body + tail_;
  std::string result = body;
  const Tensor data(header_, bytes_of(body));
  MemoryOutput output(std::as_writable_bytes(std::span(result)));
  call(data, output, {.threads = 1});
  after_ = begin + result + tail_;
}

// Of some forms a tensor of a safetensors file, at an odd byte and with another behind it.
void Scenario::make_safetensors(Random& random) {
  const bool has_type = form_ == Form::elements || form_ == Form::rows || form_ == Form::slice;
  is_safetensors_ = has_type && random.chance(33);
  if (!is_safetensors_) return;
  const std::int64_t size = header_.byte_size();
  const char* const dtype = header_.type.size == 1 ? "U8" : header_.type.size == 2 ? "I16" : "I32";
  std::string header = fmt::format(R"({{"x":{{"dtype":"{}","shape":{},"data_offsets":[0,{}]}},)"
                                   R"("y":{{"dtype":"U8","shape":[3],"data_offsets":[{},{}]}}}})",
                                   dtype, to_string(header_.shape), size, size, size + 3);
  if (header.size() % 2 == 0) header += ' ';
  front_ = safetensors_bytes(header, "");
  tail_ = "abc";
}

void Scenario::make_data(Random& random) {
  const std::int64_t rows = random.between(1, 24);
  switch (form_) {
    case Form::elements:
      header_ = {.type = ElementType::of(DType::uint8), .shape = {random.between(1, 20000)}};
      break;
    case Form::rows:  // long enough to be written without a look at data
      header_ = {.type = ElementType::of(DType::int32), .shape = {rows, random.between(128, 300)}};
      break;
    case Form::sums:
      header_ = {.type = ElementType::of(DType::int32), .shape = {rows, random.between(1, 300)}};
      break;
    case Form::slice:
      header_ = {.type = ElementType::of(DType::int16), .shape = {random.between(1, 9000)}};
      break;
    case Form::records:  // whose tiles do not begin at sectors of the file
      header_.type = {.dtype = DType::opaque, .size = 12, .descr = "'|V12'"};
      header_.shape = {random.between(1, 1500)};
  }
}

void Scenario::make_updates(Random& random) {
  const std::int64_t count = random.chance(10) ? 0 : random.between(1, 12);
  if (form_ == Form::slice) {
    const std::int64_t start = random.between(0, header_.shape[0] - 1);
    const std::int64_t step = random.between(1, 1500);
    const std::int64_t points = (header_.shape[0] - start + step - 1) / step;
    operands_.push_back(random_tensor(random, {.type = header_.type, .shape = {points}}));
    operands_.push_back(list({start}));
    operands_.push_back(list({header_.shape[0]}));
    operands_.push_back(list({step}));
    return;
  }
  operands_.push_back(random_indices(random, count, header_.shape[0]));
  Shape shape = header_.shape;
  shape[0] = count;
  operands_.push_back(random_tensor(random, {.type = header_.type, .shape = shape}));
}

void Scenario::call(const Tensor& data, Output& output, const RunOptions& options) const {
  if (form_ == Form::slice) {
    slice_scatter_15(data, operands_[0], operands_[1], operands_[2], operands_[3], nullptr, output,
                     options);
  } else {
    const Reduction reduction = form_ == Form::sums ? Reduction::sum : Reduction::none;
    scatter_nd_update_15(data, operands_[0], operands_[1], reduction, output, options);
  }
}

std::unique_ptr<InPlaceFile> Scenario::open(FileSystem& disk) const {
  const Format& format = is_safetensors_ ? safetensors_format : npy_format;
  return open_in_place(format, path, is_safetensors_ ? "x" : "",
                       {.durability = durability_, .files = &disk});
}

void Scenario::run(FileSystem& disk) const {
  const std::unique_ptr<InPlaceFile> output = open(disk);
  call(output->data(), *output, {.threads = 1, .tile_bytes = tile_bytes_});
}

}  // namespace tscatter::crash

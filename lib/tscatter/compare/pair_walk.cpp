#include <algorithm>
#include <cstring>
#include <numeric>

#include "tscatter/compare/pair_judge.hpp"
#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/engine/readers.hpp"
#include "tscatter/io/formats/npy/opaque_words.hpp"

namespace tscatter {
namespace {

// Small enough that both operands' pieces stay in the L2 cache.
constexpr std::int64_t piece_bytes = std::int64_t{256} * 1024;

// A piece of each operand, in native byte order. Opaque elements of `expected` are converted to the
// byte order of `actual`.
class PairPiece {
 public:
  PairPiece(const Tensor& actual, const Tensor& expected) : actual_{actual}, expected_{expected} {
    if (actual.type().dtype == DType::opaque)
      turned_words_ = words_to_turn(expected.type(), actual.type());
  }

  void judge(std::span<std::byte> actual, std::span<std::byte> expected, std::int64_t number,
             PairJudge& judge) const {
    if (is_same_byte_order() && is_equal(actual, expected)) return;
    turn_elements(actual, actual_.type());
    turn_elements(expected, expected_.type());
    if (!turned_words_.empty()) turn_words(expected, expected_.type().size, turned_words_);
    judge.judge(actual, expected, number);
  }

  // The same, if no bytes have to be reversed.
  static void judge_native(std::span<const std::byte> actual, std::span<const std::byte> expected,
                           std::int64_t number, PairJudge& judge) {
    if (!is_equal(actual, expected)) judge.judge(actual, expected, number);
  }

  bool is_native() const {
    return actual_.type().is_native() && expected_.type().is_native() && turned_words_.empty();
  }

 private:
  bool is_same_byte_order() const {
    return actual_.type().is_native() == expected_.type().is_native() && turned_words_.empty();
  }
  static bool is_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
  }

  const Tensor& actual_;
  const Tensor& expected_;
  std::vector<WordRun> turned_words_;
};

// The bytes of a source in memory; nullopt for a file, since reading is faster than page faults.
std::optional<std::span<const std::byte>> memory_of(const Source& source) {
  if (source.extent()) return std::nullopt;
  return source.view();
}

// Of tensors in the same memory order.
class StorageReader final : public PairReader {
 public:
  // `elements`: of a task.
  StorageReader(const Tensor& actual, const Tensor& expected, std::int64_t elements)
      : actual_tensor_{actual},
        expected_tensor_{expected},
        size_{static_cast<std::int64_t>(actual.type().size)},
        elements_{elements},
        piece_(actual, expected) {
    if (piece_.is_native()) {
      actual_memory_ = memory_of(actual.source());
      expected_memory_ = memory_of(expected.source());
    }
    const auto bytes = static_cast<std::size_t>(elements_ * size_);
    actual_ = Buffer<std::byte>(bytes);
    expected_ = Buffer<std::byte>(bytes);
  }

  void run(std::int64_t task, PairJudge& judge) override {
    const std::int64_t first = task * elements_;
    const std::int64_t count = std::min(elements_, actual_tensor_.count() - first);
    if (piece_.is_native()) {
      PairPiece::judge_native(bytes(actual_tensor_, actual_memory_, actual_, first, count),
                              bytes(expected_tensor_, expected_memory_, expected_, first, count),
                              first, judge);
    } else {
      piece_.judge(read(actual_tensor_, actual_, first, count),
                   read(expected_tensor_, expected_, first, count), first, judge);
    }
  }

 private:
  std::span<std::byte> read(const Tensor& tensor, Buffer<std::byte>& buffer, std::int64_t first,
                            std::int64_t count) const {
    const std::span<std::byte> bytes = buffer.span().first(static_cast<std::size_t>(count * size_));
    tensor.source().read(first * size_, bytes);
    return bytes;
  }

  std::span<const std::byte> bytes(const Tensor& tensor,
                                   const std::optional<std::span<const std::byte>>& memory,
                                   Buffer<std::byte>& buffer, std::int64_t first,
                                   std::int64_t count) const {
    if (!memory) return read(tensor, buffer, first, count);
    return memory->subspan(static_cast<std::size_t>(first * size_),
                           static_cast<std::size_t>(count * size_));
  }

  const Tensor& actual_tensor_;
  const Tensor& expected_tensor_;
  std::int64_t size_;
  std::int64_t elements_;
  PairPiece piece_;
  std::optional<std::span<const std::byte>> actual_memory_;
  std::optional<std::span<const std::byte>> expected_memory_;
  Buffer<std::byte> actual_;
  Buffer<std::byte> expected_;
};

// The sizes of a box: first along the leading axes, which are contiguous in Fortran order, then
// along the trailing ones, which are contiguous in C order.
Shape box_sizes(const Shape& shape, std::int64_t element_size) {
  constexpr std::int64_t run_bytes = 1024;
  Shape sizes(shape.size(), 1);
  std::int64_t wanted = std::max<std::int64_t>(run_bytes / element_size, 1);
  std::int64_t rest = std::max<std::int64_t>(2 * piece_bytes / element_size, 1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    sizes[axis] = std::min(shape[axis], wanted);
    rest /= sizes[axis];
    wanted = (wanted + sizes[axis] - 1) / sizes[axis];
    if (sizes[axis] < shape[axis]) break;
  }
  for (std::size_t axis = shape.size(); axis-- > 0 && rest > 1;) {
    const std::int64_t before = sizes[axis];
    sizes[axis] = std::min(shape[axis], before * rest);
    rest /= (sizes[axis] + before - 1) / before;
    if (sizes[axis] < shape[axis]) break;
  }
  return sizes;
}

// One in C order, the other in Fortran order.
class BoxPairReader final : public PairReader {
 public:
  // `boxes`: how many there are along each axis.
  BoxPairReader(const Tensor& actual, const Tensor& expected, Shape box, Shape boxes)
      : actual_tensor_{actual},
        expected_tensor_{expected},
        box_{std::move(box)},
        boxes_{std::move(boxes)},
        size_{static_cast<std::int64_t>(actual.type().size)},
        piece_(actual, expected),
        actual_reader_(actual),
        expected_reader_(expected) {
    const auto bytes = static_cast<std::size_t>(element_count(box_) * size_);
    actual_ = Buffer<std::byte>(bytes);
    expected_ = Buffer<std::byte>(bytes);
  }

  void run(std::int64_t task, PairJudge& judge) override {
    const Shape& shape = actual_tensor_.shape();
    Position origin = position_of(boxes_, task);
    Shape sizes(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      origin[axis] *= box_[axis];
      sizes[axis] = std::min(box_[axis], shape[axis] - origin[axis]);
    }
    const auto bytes = static_cast<std::size_t>(element_count(sizes) * size_);
    const std::span<std::byte> actual = actual_.span().first(bytes);
    const std::span<std::byte> expected = expected_.span().first(bytes);
    actual_reader_.read(origin, sizes, actual);
    expected_reader_.read(origin, sizes, expected);
    actual_tensor_.source().check_view();
    expected_tensor_.source().check_view();
    judge_rows(origin, sizes, actual, expected, judge);
  }

 private:
  // A row is contiguous in the tensor and in the box.
  void judge_rows(const Position& origin, const Shape& sizes, std::span<std::byte> actual,
                  std::span<std::byte> expected, PairJudge& judge) const {
    const Shape& shape = actual_tensor_.shape();
    std::int64_t row = 1;
    std::size_t outer = sizes.size();
    while (outer > 0) {
      row *= sizes[--outer];
      if (sizes[outer] != shape[outer]) break;
    }
    const Shape rows(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(outer));
    const std::vector<std::int64_t> strides = strides_of(shape, MemoryOrder::c);
    const auto row_bytes = static_cast<std::size_t>(row * size_);
    const std::int64_t count = element_count(rows);
    const std::int64_t first =
        std::inner_product(origin.begin(), origin.end(), strides.begin(), std::int64_t{0});
    for (std::int64_t i = 0; i < count; ++i) {
      const Position place = position_of(rows, i);
      const std::int64_t number =
          std::inner_product(place.begin(), place.end(), strides.begin(), first);
      const std::size_t offset = static_cast<std::size_t>(i) * row_bytes;
      piece_.judge(actual.subspan(offset, row_bytes), expected.subspan(offset, row_bytes), number,
                   judge);
    }
  }

  const Tensor& actual_tensor_;
  const Tensor& expected_tensor_;
  Shape box_;
  Shape boxes_;
  std::int64_t size_;
  PairPiece piece_;
  BoxReader actual_reader_;
  BoxReader expected_reader_;
  Buffer<std::byte> actual_;
  Buffer<std::byte> expected_;
};

// Elements (of opaque dtypes) that are longer than a piece: a task each.
class LongElementReader final : public PairReader {
 public:
  LongElementReader(const Tensor& actual, const Tensor& expected)
      : actual_tensor_{actual},
        expected_tensor_{expected},
        actual_(piece_bytes),
        expected_(piece_bytes) {}

  void run(std::int64_t task, PairJudge& judge) override {
    const auto size = static_cast<std::int64_t>(actual_tensor_.type().size);
    const std::int64_t actual = element_in(actual_tensor_, task) * size;
    const std::int64_t expected = element_in(expected_tensor_, task) * size;
    ElementPair pair{.number = task};
    for (std::int64_t done = 0; done < size; done += piece_bytes) {
      const auto bytes = static_cast<std::size_t>(std::min(piece_bytes, size - done));
      actual_tensor_.source().read(actual + done, actual_.span().first(bytes));
      expected_tensor_.source().read(expected + done, expected_.span().first(bytes));
      if (done == 0) {
        std::memcpy(pair.actual.data(), actual_.data(), ElementPair::most_bytes);
        std::memcpy(pair.expected.data(), expected_.data(), ElementPair::most_bytes);
      }
      if (std::memcmp(actual_.data(), expected_.data(), bytes) == 0) continue;
      judge.judge_long_element(pair);
      return;
    }
  }

 private:
  // Visits elements in row-major order.
  static std::int64_t element_in(const Tensor& tensor, std::int64_t index) {
    const Position position = position_of(tensor.shape(), index);
    const std::vector<std::int64_t> strides = strides_of(tensor.shape(), tensor.order());
    return std::inner_product(position.begin(), position.end(), strides.begin(), std::int64_t{0});
  }

  const Tensor& actual_tensor_;
  const Tensor& expected_tensor_;
  Buffer<std::byte> actual_;
  Buffer<std::byte> expected_;
};

bool has_long_elements(const Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.type().size) > piece_bytes;
}

}  // namespace

PairWalk pair_walk(const Tensor& actual, const Tensor& expected) {
  if (has_long_elements(actual)) {
    return {.tasks = actual.count(), .worker_bytes = 2 * piece_bytes, .make_reader = [&] {
              return std::make_unique<LongElementReader>(actual, expected);
            }};
  }
  const auto size = static_cast<std::int64_t>(actual.type().size);
  if (actual.order() == expected.order()) {
    const std::int64_t count = actual.count();
    const auto elements = std::max<std::int64_t>(std::min(piece_bytes / size, count), 1);
    return {.tasks = (count + elements - 1) / elements,
            .worker_bytes = 2 * elements * size,
            .make_reader = [&, elements] {
              return std::make_unique<StorageReader>(actual, expected, elements);
            }};
  }
  const Shape box = box_sizes(actual.shape(), size);
  Shape boxes;
  for (std::size_t axis = 0; axis < box.size(); ++axis)
    boxes.push_back((actual.shape()[axis] + box[axis] - 1) / box[axis]);
  return {.tasks = element_count(boxes),
          .worker_bytes = 3 * element_count(box) * size,
          .make_reader = [&, box, boxes] {
            return std::make_unique<BoxPairReader>(actual, expected, box, boxes);
          }};
}

Numbering numbering_of(const Tensor& actual, const Tensor& expected) {
  const bool as_stored = actual.order() == expected.order() && !has_long_elements(actual);
  return {actual.shape(), as_stored ? actual.order() : MemoryOrder::c};
}

}  // namespace tscatter

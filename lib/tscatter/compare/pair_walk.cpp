#include <algorithm>
#include <cstring>

#include "tscatter/compare/pair_judge.hpp"
#include "tscatter/core/buffer.hpp"
#include "tscatter/core/byte_order.hpp"
#include "tscatter/engine/box_reader.hpp"
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

// Both in the same memory order.
class StorageWalk final : public PairWalk {
 public:
  StorageWalk(const Tensor& actual, const Tensor& expected)
      : actual_{actual},
        expected_{expected},
        size_{static_cast<std::int64_t>(actual.type().size)},
        elements_{std::max<std::int64_t>(std::min(piece_bytes / size_, actual.count()), 1)} {}

  std::int64_t tasks() const override { return (actual_.count() + elements_ - 1) / elements_; }
  std::int64_t worker_bytes() const override { return 2 * elements_ * size_; }
  std::unique_ptr<Worker> worker() const override { return std::make_unique<Reader>(*this); }

 private:
  class Reader final : public Worker {
   public:
    explicit Reader(const StorageWalk& walk) : walk_{walk}, piece_(walk.actual_, walk.expected_) {
      if (piece_.is_native()) {
        actual_memory_ = memory_of(walk_.actual_.source());
        expected_memory_ = memory_of(walk_.expected_.source());
      }
      const auto bytes = static_cast<std::size_t>(walk_.elements_ * walk_.size_);
      actual_ = Buffer<std::byte>(bytes);
      expected_ = Buffer<std::byte>(bytes);
    }

    void run(std::int64_t task, PairJudge& judge) override {
      const std::int64_t first = task * walk_.elements_;
      const std::int64_t count = std::min(walk_.elements_, walk_.actual_.count() - first);
      if (piece_.is_native()) {
        PairPiece::judge_native(bytes(walk_.actual_, actual_memory_, actual_, first, count),
                                bytes(walk_.expected_, expected_memory_, expected_, first, count),
                                first, judge);
      } else {
        piece_.judge(read(walk_.actual_, actual_, first, count),
                     read(walk_.expected_, expected_, first, count), first, judge);
      }
    }

   private:
    std::span<std::byte> read(const Tensor& tensor, Buffer<std::byte>& buffer, std::int64_t first,
                              std::int64_t count) const {
      const std::span<std::byte> bytes =
          buffer.span().first(static_cast<std::size_t>(count * walk_.size_));
      tensor.source().read(first * walk_.size_, bytes);
      return bytes;
    }

    std::span<const std::byte> bytes(const Tensor& tensor,
                                     const std::optional<std::span<const std::byte>>& memory,
                                     Buffer<std::byte>& buffer, std::int64_t first,
                                     std::int64_t count) const {
      if (!memory) return read(tensor, buffer, first, count);
      return memory->subspan(static_cast<std::size_t>(first * walk_.size_),
                             static_cast<std::size_t>(count * walk_.size_));
    }

    const StorageWalk& walk_;
    PairPiece piece_;
    std::optional<std::span<const std::byte>> actual_memory_;
    std::optional<std::span<const std::byte>> expected_memory_;
    Buffer<std::byte> actual_;
    Buffer<std::byte> expected_;
  };

  const Tensor& actual_;
  const Tensor& expected_;
  std::int64_t size_;
  std::int64_t elements_;  // of a piece
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
class BoxWalk final : public PairWalk {
 public:
  BoxWalk(const Tensor& actual, const Tensor& expected)
      : actual_{actual},
        expected_{expected},
        size_{static_cast<std::int64_t>(actual.type().size)},
        box_{box_sizes(actual.shape(), size_)},
        boxes_(box_.size()) {
    for (std::size_t axis = 0; axis < box_.size(); ++axis)
      boxes_[axis] = (actual.shape()[axis] + box_[axis] - 1) / box_[axis];
  }

  std::int64_t tasks() const override { return element_count(boxes_); }
  std::int64_t worker_bytes() const override { return 3 * element_count(box_) * size_; }
  std::unique_ptr<Worker> worker() const override { return std::make_unique<Reader>(*this); }

 private:
  class Reader final : public Worker {
   public:
    explicit Reader(const BoxWalk& walk)
        : walk_{walk},
          piece_(walk.actual_, walk.expected_),
          actual_reader_(walk.actual_),
          expected_reader_(walk.expected_) {
      const auto bytes = static_cast<std::size_t>(element_count(walk_.box_) * walk_.size_);
      actual_ = Buffer<std::byte>(bytes);
      expected_ = Buffer<std::byte>(bytes);
    }

    void run(std::int64_t task, PairJudge& judge) override {
      const Shape& shape = walk_.actual_.shape();
      Position origin = position_of(walk_.boxes_, task);
      Shape sizes(shape.size());
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        origin[axis] *= walk_.box_[axis];
        sizes[axis] = std::min(walk_.box_[axis], shape[axis] - origin[axis]);
      }
      const auto bytes = static_cast<std::size_t>(element_count(sizes) * walk_.size_);
      const std::span<std::byte> actual = actual_.span().first(bytes);
      const std::span<std::byte> expected = expected_.span().first(bytes);
      actual_reader_.read(origin, sizes, actual);
      expected_reader_.read(origin, sizes, expected);
      walk_.actual_.source().check_view();
      walk_.expected_.source().check_view();
      judge_rows(origin, sizes, actual, expected, judge);
    }

   private:
    // A row is contiguous in the tensor and in the box.
    void judge_rows(const Position& origin, const Shape& sizes, std::span<std::byte> actual,
                    std::span<std::byte> expected, PairJudge& judge) const {
      const Shape& shape = walk_.actual_.shape();
      std::int64_t row = 1;
      std::size_t outer = sizes.size();
      while (outer > 0) {
        row *= sizes[--outer];
        if (sizes[outer] != shape[outer]) break;
      }
      const Shape rows(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(outer));
      const std::vector<std::int64_t> strides = strides_of(shape, MemoryOrder::c);
      const auto row_bytes = static_cast<std::size_t>(row * walk_.size_);
      const std::int64_t count = element_count(rows);
      for (std::int64_t i = 0; i < count; ++i) {
        const Position place = position_of(rows, i);
        std::int64_t number = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
          number += (origin[axis] + (axis < outer ? place[axis] : 0)) * strides[axis];
        const std::size_t offset = static_cast<std::size_t>(i) * row_bytes;
        piece_.judge(actual.subspan(offset, row_bytes), expected.subspan(offset, row_bytes), number,
                     judge);
      }
    }

    const BoxWalk& walk_;
    PairPiece piece_;
    BoxReader actual_reader_;
    BoxReader expected_reader_;
    Buffer<std::byte> actual_;
    Buffer<std::byte> expected_;
  };

  const Tensor& actual_;
  const Tensor& expected_;
  std::int64_t size_;
  Shape box_;
  Shape boxes_;  // how many along each axis
};

// Elements (of opaque dtypes) that are longer than a piece.
class LongElementWalk final : public PairWalk {
 public:
  LongElementWalk(const Tensor& actual, const Tensor& expected)
      : actual_{actual}, expected_{expected} {}

  std::int64_t tasks() const override { return actual_.count(); }
  std::int64_t worker_bytes() const override { return 2 * piece_bytes; }
  std::unique_ptr<Worker> worker() const override { return std::make_unique<Reader>(*this); }

 private:
  class Reader final : public Worker {
   public:
    explicit Reader(const LongElementWalk& walk)
        : walk_{walk}, actual_(piece_bytes), expected_(piece_bytes) {}

    void run(std::int64_t task, PairJudge& judge) override {
      const auto size = static_cast<std::int64_t>(walk_.actual_.type().size);
      const std::int64_t actual = element_in(walk_.actual_, task) * size;
      const std::int64_t expected = element_in(walk_.expected_, task) * size;
      ElementPair pair{.number = task};
      for (std::int64_t done = 0; done < size; done += piece_bytes) {
        const auto bytes = static_cast<std::size_t>(std::min(piece_bytes, size - done));
        walk_.actual_.source().read(actual + done, actual_.span().first(bytes));
        walk_.expected_.source().read(expected + done, expected_.span().first(bytes));
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
      std::int64_t element = 0;
      for (std::size_t axis = 0; axis < position.size(); ++axis)
        element += position[axis] * strides[axis];
      return element;
    }

    const LongElementWalk& walk_;
    Buffer<std::byte> actual_;
    Buffer<std::byte> expected_;
  };

  const Tensor& actual_;
  const Tensor& expected_;
};

bool has_long_elements(const Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.type().size) > piece_bytes;
}

}  // namespace

std::unique_ptr<PairWalk> pair_walk(const Tensor& actual, const Tensor& expected) {
  if (has_long_elements(actual)) return std::make_unique<LongElementWalk>(actual, expected);
  if (actual.order() == expected.order()) return std::make_unique<StorageWalk>(actual, expected);
  return std::make_unique<BoxWalk>(actual, expected);
}

Numbering numbering_of(const Tensor& actual, const Tensor& expected) {
  const bool as_stored = actual.order() == expected.order() && !has_long_elements(actual);
  return {actual.shape(), as_stored ? actual.order() : MemoryOrder::c};
}

}  // namespace tscatter

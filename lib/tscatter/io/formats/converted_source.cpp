#include "tscatter/io/formats/converted_source.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/numbering.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {
namespace {

ElementType native(ElementType type) {
  type.byte_order = std::endian::native;
  return type;
}

class ConvertedSource final : public Source {
 public:
  ConvertedSource(Tensor from, ElementType to, ConvertElements convert, bool rounds)
      : from_{std::move(from)}, to_{std::move(to)}, convert_{std::move(convert)}, rounds_{rounds} {}

  std::int64_t size() const override { return from_.count() * element_size(); }

  void read(std::int64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const std::int64_t first = offset / element_size();
      const std::vector<std::byte> elements =
          converted(first, [&](std::size_t i) { refuse(first + static_cast<std::int64_t>(i)); });
      const auto skipped = static_cast<std::size_t>(offset % element_size());
      const std::size_t bytes = std::min(into.size(), elements.size() - skipped);
      std::memcpy(into.data(), &elements[skipped], bytes);
      into = into.subspan(bytes);
      offset += static_cast<std::int64_t>(bytes);
    }
  }

  void check_content(int threads, const std::atomic<bool>* stop) const override {
    from_.source().check_content(threads, stop);
  }

  // Refuses the first value in row-major order that does not fit.
  void check(const std::atomic<bool>* stop, Progress* progress) const {
    if (progress != nullptr) progress->begin(from_.byte_size());
    const Numbering numbering(from_.shape(), from_.order());
    std::optional<std::int64_t> wrong;
    for (std::int64_t first = 0; first < from_.count(); first += piece) {
      if (stop != nullptr && *stop) throw Cancelled();
      converted(first, [&](std::size_t i) {
        const std::int64_t number = first + static_cast<std::int64_t>(i);
        if (!wrong || numbering.is_before(number, *wrong)) wrong = number;
      });
      if (progress != nullptr)
        progress->add(std::min(piece, from_.count() - first) *
                      static_cast<std::int64_t>(from_.type().size));
      if (wrong && numbering.is_row_major()) break;
    }
    if (wrong) refuse(*wrong);
  }

 private:
  static constexpr std::int64_t piece = std::int64_t{64} * 1024;  // elements

  std::int64_t element_size() const { return static_cast<std::int64_t>(to_.size); }

  // A piece from this element on, in the order of the file.
  std::vector<std::byte> converted(std::int64_t first, const Misfit& misfit) const {
    const auto count = static_cast<std::size_t>(std::min(piece, from_.count() - first));
    std::vector<std::byte> elements(count * from_.type().size);
    read_elements(from_, first, elements);
    std::vector<std::byte> into(count * to_.size);
    convert_(elements, into, misfit);
    turn_elements(into, native(to_), to_.byte_order);
    return into;
  }

  [[noreturn]] void refuse(std::int64_t number) const {
    std::vector<std::byte> element(from_.type().size);
    read_elements(from_, number, element);
    const Numbering numbering(from_.shape(), from_.order());
    const std::string place =
        from_.rank() == 0 ? "the value"
                          : "the value at " + tscatter::to_string(numbering.position(number));
    const std::string got = json_text(element, from_.type().dtype);
    // convert.v3
    if (rounds_) {
      fail(ErrorKind::rule, "convert.v3", from_.name(), "{} must round to a number of {}, got {}",
           place, to_string(to_), got);
    }
    // convert.v1
    fail(ErrorKind::rule, "convert.v1", from_.name(), "{} must fit {} exactly, got {}", place,
         to_string(to_), got);
  }

  Tensor from_;
  ElementType to_;
  ConvertElements convert_;
  bool rounds_;
};

}  // namespace

Tensor converted_by(const Tensor& tensor, const ElementType& to, ConvertElements convert,
                    const ConversionRun& run) {
  auto source = std::make_shared<ConvertedSource>(tensor, to, std::move(convert), run.rounds);
  TensorHeader header = tensor.header();
  header.type = to;
  Tensor result(header, source, tensor.name());
  source->check(run.stop, run.progress);
  return result;
}

}  // namespace tscatter

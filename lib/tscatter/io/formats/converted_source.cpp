#include "tscatter/io/formats/converted_source.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/numbering.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/views/cast.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter {
namespace {

class FittingElements final : public ConvertedElements {
 public:
  FittingElements(Tensor from, const ElementType& to, const ElementConverter& converter,
                  const ConversionRun& run)
      : ConvertedElements(std::move(from), to, converter), run_{run} {}

  // Refuses the first value in row-major order that does not fit.
  void check() const {
    const Parallelism all_cores{.threads = 0, .stop = run_.stop, .progress = run_.progress};
    const Numbering numbering(from().shape(), from().order());
    std::optional<std::int64_t> wrong;
    std::mutex finding;
    convert_all(all_cores, [&](const Piece& piece) {
      if (piece.counts.worst() <= run_.worst) return true;
      const std::scoped_lock lock(finding);
      for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) {
        const bool is_first = !wrong || numbering.is_before(i, *wrong);
        if (is_first && fit(i) > run_.worst) wrong = i;
      }
      return !numbering.is_row_major();
    });
    if (wrong) refuse(*wrong);
  }

 protected:
  void accept(const Piece& piece) const override {
    if (piece.counts.worst() <= run_.worst) return;
    for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) {
      if (fit(i) > run_.worst) refuse(i);
    }
  }

 private:
  [[noreturn]] void refuse(std::int64_t number) const {
    std::vector<std::byte> element(from().type().size);
    read_elements(from(), number, element);
    const Numbering numbering(from().shape(), from().order());
    const std::string place =
        from().rank() == 0 ? "the value"
                           : "the value at " + tscatter::to_string(numbering.position(number));
    const std::string got = json_text(element, from().type().dtype);
    // convert.v3
    if (run_.rounds) {
      fail(ErrorKind::rule, "convert.v3", from().name(),
           "{} must round to a number of {} ({}), got {}", place, to_string(to()), way_out(number),
           got);
    }
    // convert.v1
    fail(ErrorKind::rule, "convert.v1", from().name(), "{} must fit {} exactly ({}), got {}", place,
         to_string(to()), way_out(number), got);
  }

  // What to do about a value that does not fit.
  std::string_view way_out(std::int64_t number) const {
    const bool can_be_rounded = !run_.rounds && fit(number) <= run_.worst_rounded;
    return can_be_rounded ? "--round nearest" : "--cast unsafe";
  }

  ConversionRun run_;
};

}  // namespace

Tensor converted_by(const Tensor& tensor, const ElementType& to, const ElementConverter& converter,
                    const ConversionRun& run) {
  auto source = std::make_shared<FittingElements>(tensor, to, converter, run);
  TensorHeader header = tensor.header();
  header.type = to;
  Tensor result(header, source, tensor.name());
  const bool always_fits =
      run.worst == ConversionFit::lost || is_exact_cast(tensor.type(), result.type());
  if (!always_fits) source->check();
  return result;
}

}  // namespace tscatter

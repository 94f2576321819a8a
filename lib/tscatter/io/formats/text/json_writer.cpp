#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/float8.hpp"
#include "tscatter/io/formats/conversion.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter {
namespace {

// NumPy's print options: how many elements a preview may have before it is shortened, and how many
// it keeps at each end of a long axis.
constexpr std::int64_t preview_threshold = 1000;
constexpr std::int64_t preview_edge = 3;

class JsonWriter {
 public:
  JsonWriter(const Tensor& tensor, JsonForm form, const TextSink& write)
      : tensor_{tensor},
        shortens_{form == JsonForm::preview && tensor.count() > preview_threshold},
        strides_{strides_of(tensor.shape(), tensor.order())},
        write_{write} {}

  void write(std::string_view before, std::string_view after) {
    text_ = before;
    if (tensor_.count() == 0) {
      text_ += "[]";
    } else {
      write_axis(0, 0);
    }
    text_ += after;
    write_(text_);
  }

 private:
  // Positions of an axis that are printed: all, or the edges with a gap between.
  struct Shown {
    std::int64_t head;
    std::int64_t tail_begin;
    std::int64_t size;
  };

  Shown shown(std::int64_t size) const {
    if (!shortens_ || size <= 2 * preview_edge)
      return {.head = size, .tail_begin = size, .size = size};
    return {.head = preview_edge, .tail_begin = size - preview_edge, .size = size};
  }

  void write_axis(std::size_t axis, std::int64_t origin) {
    if (axis == tensor_.rank()) return write_elements(origin, 1, 0, 1);
    const bool is_innermost = axis + 1 == tensor_.rank();
    const std::string separator = is_innermost ? ", " : ",\n" + std::string(axis + 1, ' ');
    const Shown shown_part = shown(tensor_.shape()[axis]);
    text_ += '[';
    write_part(axis, origin, 0, shown_part.head, separator);
    if (shown_part.tail_begin < shown_part.size) {
      text_ += separator + "..." + separator;
      write_part(axis, origin, shown_part.tail_begin, shown_part.size, separator);
    }
    text_ += ']';
  }

  void write_part(std::size_t axis, std::int64_t origin, std::int64_t begin, std::int64_t end,
                  const std::string& separator) {
    if (axis + 1 == tensor_.rank()) return write_elements(origin, strides_[axis], begin, end);
    for (std::int64_t i = begin; i < end; ++i) {
      if (i > begin) text_ += separator;
      write_axis(axis + 1, origin + i * strides_[axis]);
    }
  }

  void write_elements(std::int64_t origin, std::int64_t stride, std::int64_t begin,
                      std::int64_t end) {
    constexpr std::int64_t piece = 4096;
    const std::size_t size = tensor_.type().size;
    for (std::int64_t i = begin; i < end; i += piece) {
      const std::int64_t count = std::min(piece, end - i);
      read_elements(origin + i * stride, stride, count);
      for (std::int64_t j = 0; j < count; ++j) {
        if (i + j > begin) text_ += ", ";
        const auto element =
            std::span<const std::byte>(elements_).subspan(static_cast<std::size_t>(j) * size, size);
        text_ += json_text(element, tensor_.type().dtype);
      }
      flush_when_long();
    }
  }

  void read_elements(std::int64_t first, std::int64_t stride, std::int64_t count) {
    const std::size_t size = tensor_.type().size;
    const auto width = static_cast<std::int64_t>(size);
    elements_.resize(static_cast<std::size_t>(count) * size);
    const std::int64_t steps = stride == 1 ? 1 : count;
    const std::size_t step_bytes = elements_.size() / static_cast<std::size_t>(steps);
    for (std::int64_t i = 0; i < steps; ++i) {
      tensor_.source().read(
          (first + i * stride) * width,
          std::span(elements_).subspan(static_cast<std::size_t>(i) * step_bytes, step_bytes));
    }
    turn_elements(elements_, tensor_.type());
  }

  void flush_when_long() {
    constexpr std::size_t piece = std::size_t{64} * 1024;
    if (text_.size() < piece) return;
    write_(text_);
    text_.clear();
  }

  const Tensor& tensor_;
  bool shortens_;
  std::vector<std::int64_t> strides_;
  const TextSink& write_;
  std::string text_;
  std::vector<std::byte> elements_;
};

}  // namespace

void write_json(const Tensor& tensor, JsonForm form, const TextSink& write) {
  JsonWriter writer(tensor, form, write);
  if (form == JsonForm::object) {
    const std::string front = fmt::format(R"({{"dtype": "{}", "shape": {}, "data": )",
                                          to_string(tensor.type()), to_string(tensor.shape()));
    writer.write(front, "}\n");
  } else {
    writer.write("", "\n");
  }
}

void require_json_form(const ElementType& type, std::string_view where) {
  // json.f10
  if (type.dtype == DType::opaque) {
    fail(ErrorKind::usage, "json.f10", where,
         "a tensor that is written as JSON must be of a numeric dtype, got {}", to_string(type));
  }
}

JsonOutput::JsonOutput(OpenFile open, std::string name, JsonForm form,
                       std::filesystem::path spool_directory, StopFlag stop, Progress* progress)
    : open_{std::move(open)},
      name_{std::move(name)},
      form_{form},
      spool_directory_{std::move(spool_directory)},
      stop_{stop},
      progress_{progress} {}

Sink& JsonOutput::begin(const TensorHeader& header, const Source&) {
  const bool is_printed_float8 = form_ != JsonForm::object && float8_of(header.type) != nullptr;
  if (!is_printed_float8) require_json_form(header.type, name_);
  header_ = header;
  file_ = open_();
  spool_ = std::make_shared<Spool>(spool_directory_, name_);
  return sink_.emplace(*spool_);
}

void JsonOutput::commit() {
  std::int64_t offset = 0;
  const InnerPhase phase(progress_, 0);
  write_json(as_numbers(Tensor(header_, spool_, name_)), form_, [&](std::string_view text) {
    check_stop(stop_);
    file_->write(offset, std::as_bytes(std::span(text)));
    offset += static_cast<std::int64_t>(text.size());
    phase.add(static_cast<std::int64_t>(text.size()));
  });
  file_->commit();
}

}  // namespace tscatter

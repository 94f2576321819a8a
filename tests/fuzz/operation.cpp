// One call of any operation, with everything from the fuzzer: dtypes, shapes, elements, memory and
// byte orders, threads, tiles, output. The library must give the oracle's result, and refuse what
// the oracle refuses.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "oracle/base.hpp"
#include "oracle/window.hpp"
#include "property/run_case.hpp"
#include "property/wrong_with.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

using oracle::Call;
using oracle::Dense;
using property::Case;

class CaseReader {
 public:
  CaseReader(const std::uint8_t* data, std::size_t size) : bytes_{data, size} {}

  Case read() {
    Case c;
    const auto last = operations().size() - 1;
    const Operation& drawn = *operations()[bytes_.ConsumeIntegralInRange<std::size_t>(0, last)];
    c.call = call_of(drawn.unanswered.empty() ? drawn : *operations().front());
    read_delivery(c);
    return c;
  }

 private:
  static constexpr std::int64_t most_elements = 2048;

  Shape shape(std::size_t most_rank) {
    Shape shape(bytes_.ConsumeIntegralInRange<std::size_t>(0, most_rank));
    std::int64_t room = most_elements;
    for (std::int64_t& dim : shape) {
      dim = bytes_.ConsumeIntegralInRange<std::int64_t>(0, std::min<std::int64_t>(room, 40));
      room /= std::max<std::int64_t>(dim, 1);
    }
    return shape;
  }

  ElementType type(DType last) {
    return ElementType::of(
        static_cast<DType>(bytes_.ConsumeIntegralInRange(0, static_cast<int>(last))));
  }
  // Mostly one that an index tensor may have.
  ElementType index_type(std::span<const DType> legal) {
    if (!bytes_.ConsumeBool()) return type(DType::float32);
    const auto last = legal.size() - 1;
    return ElementType::of(legal[bytes_.ConsumeIntegralInRange<std::size_t>(0, last)]);
  }

  Dense tensor(const ElementType& type, const Shape& shape) {
    Dense dense = Dense::zeros(type, shape);
    const auto elements = bytes_.ConsumeBytes<std::uint8_t>(dense.bytes.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const bool is_bool = type.dtype == DType::boolean;
      dense.bytes[i] = static_cast<std::byte>(is_bool ? elements[i] & 1U : elements[i]);
    }
    return dense;
  }

  // Integers around [0, most], if they are to fit.
  Dense integers(const Shape& shape, std::int64_t most,
                 std::span<const DType> legal = integer_dtypes) {
    const ElementType type = index_type(legal);
    if (!is_integer(type.dtype) || bytes_.ConsumeBool()) return tensor(type, shape);
    Dense dense = Dense::zeros(type, shape);
    for (std::size_t i = 0; i < dense.count(); ++i) {
      const auto value = bytes_.ConsumeIntegralInRange<std::int64_t>(-most - 1, most + 1);
      oracle::store_integer(type.dtype, value, dense.element(i));
    }
    return dense;
  }

  // Mostly of the shape that the other operands require.
  Dense updates(const Call& call) {
    const Dense& data = call.operand("data");
    const ElementType type = bytes_.ConsumeBool() ? this->type(DType::complex128) : data.type;
    Call legal = call;
    legal.operands["updates"] = Dense::zeros(data.type, {});
    const auto refusal = oracle::refusal_of(legal);
    const bool may_fit = !refusal || refusal->label == call.row().label(Check::updates_shape);
    const bool fits = may_fit && bytes_.ConsumeIntegralInRange(0, 3) > 0;
    const Shape wanted = fits ? oracle::updates_shape(call) : shape(6);
    return tensor(type, oracle::product(wanted) <= most_elements ? wanted : Shape{});
  }

  Call call_of(const Operation& operation) {
    Call call{.operation = operation.id, .operands = {}};
    for (const AttributeInfo& attribute : operation.attributes) {
      call.attributes.emplace(attribute.name, value_of(attribute));
    }
    switch (operation.form) {
      case Form::rows: return rows(std::move(call));
      case Form::nd: return nd(std::move(call));
      case Form::elements: return elements(std::move(call));
      case Form::window: return window(std::move(call));
      case Form::start: return start(std::move(call));
      case Form::slice: return slice(std::move(call));
      case Form::batched_rows: return nd(std::move(call));
      case Form::index: return index(std::move(call));
      case Form::flat:
      case Form::mask:
      case Form::section:
      case Form::diagonal: return part(std::move(call));
      case Form::segment: return segment(std::move(call));
      case Form::block: return block(std::move(call));
    }
    unreachable();
  }

  // Lists of any kind, or windows that move along data's first axis.
  Call window(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(4));
    const bool has_vector = call.row().find_operand(oracle::dims_operands.back()) != nullptr;
    if (bytes_.ConsumeBool()) {
      call.operands["indices"] = integers(shape(3), 5, call.row().index_dtypes);
      for (const std::string_view name : oracle::dims_operands) {
        const bool is_number = name == oracle::dims_operands.back();
        if ((is_number && !has_vector) || bytes_.ConsumeBool()) continue;
        call.operands[std::string(name)] = is_number ? axis() : integers(shape(1), 4);
      }
      call.operands["updates"] = tensor(call.operand("data").type, shape(5));
      return call;
    }
    Shape sizes = call.operand("data").shape;
    const auto entries = bytes_.ConsumeIntegralInRange<std::int64_t>(0, 4);
    call.operands["indices"] = integers({entries, 1}, 5, call.row().index_dtypes);
    forms::WindowDims dims;
    dims.scatter_dims_to_operand_dims = {0};
    dims.index_vector_dim = 1;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      dims.update_window_dims.push_back(axis + 1);
    oracle::put_dims(call, dims);
    if (!sizes.empty())
      sizes.front() = bytes_.ConsumeIntegralInRange<std::int64_t>(0, sizes.front());
    sizes.insert(sizes.begin(), entries);
    call.operands["updates"] = tensor(call.operand("data").type, sizes);
    return call;
  }

  AttributeValue value_of(const AttributeInfo& attribute) {
    switch (attribute.type()) {
      case AttributeType::reduction:
      case AttributeType::word: {
        const auto last = attribute.choices.size() - 1;
        return attribute.choices[bytes_.ConsumeIntegralInRange<std::size_t>(0, last)];
      }
      case AttributeType::boolean: return bytes_.ConsumeBool();
      case AttributeType::integer:
        if (bytes_.ConsumeBool()) return bytes_.ConsumeIntegral<std::int64_t>();
        return std::int64_t{bytes_.ConsumeIntegralInRange(-7, 7)};
      case AttributeType::number: return Number(std::int64_t{bytes_.ConsumeBool()});
    }
    unreachable();
  }

  Dense axis() {
    Dense axis = integers(bytes_.ConsumeBool() ? Shape{} : shape(1), 4);
    if (axis.count() != 1) axis.shape = {};
    axis.bytes.resize(axis.type.size);
    return axis;
  }

  Call rows(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    call.operands["indices"] = integers(shape(3), 5, call.row().index_dtypes);
    if (call.row().find_attribute("axis") == nullptr) call.operands["axis"] = axis();
    call.operands["updates"] = updates(call);
    return call;
  }

  Call elements(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    const Shape entries = bytes_.ConsumeBool() ? call.operand("data").shape : shape(5);
    call.operands["indices"] = integers(entries, 5, call.row().index_dtypes);
    if (call.row().find_attribute("axis") == nullptr) call.operands["axis"] = axis();
    call.operands["updates"] = updates(call);
    return call;
  }

  std::optional<std::int64_t> bound() {
    if (bytes_.ConsumeBool()) return std::nullopt;
    if (bytes_.ConsumeBool()) return bytes_.ConsumeIntegral<std::int64_t>();
    return bytes_.ConsumeIntegralInRange(-9, 9);
  }

  void add_item(Call& call) {
    const std::string name = operand_of_item(call.index.size());
    switch (bytes_.ConsumeIntegralInRange(0, 5)) {
      case 0: call.index.push_back({IntegerItem{bound().value_or(0)}, "an integer"}); return;
      case 1: call.index.push_back({SliceItem{bound(), bound(), bound()}, "a slice"}); return;
      case 2: call.index.push_back({EllipsisItem{}, "..."}); return;
      case 3: call.index.push_back({NewAxisItem{}, "None"}); return;
      case 4: call.operands[name] = tensor(ElementType::of(DType::boolean), shape(3)); break;
      default: call.operands[name] = integers(shape(3), 5, call.row().index_dtypes);
    }
    call.index.push_back({OperandItem{name}, name});
  }

  Call index(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    const int items = bytes_.ConsumeIntegralInRange(1, 6);
    for (int i = 0; i < items; ++i) add_item(call);
    call.operands["updates"] = updates(call);
    return call;
  }

  Call start(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    Shape sizes = call.operand("data").shape;
    const Shape batches(sizes.begin(), sizes.begin() + (sizes.empty() ? 0 : 1));
    if (bytes_.ConsumeBool())
      call.operands["indices"] = integers(batches, 5, call.row().index_dtypes);
    const std::int64_t axis = bytes_.ConsumeIntegralInRange(-7, 7);
    call.attributes["axis"] = axis;
    if (axis > 0 && axis < static_cast<std::int64_t>(sizes.size())) {
      std::int64_t& length = sizes[static_cast<std::size_t>(axis)];
      length = bytes_.ConsumeIntegralInRange<std::int64_t>(0, length);
    }
    call.operands["updates"] = tensor(call.operand("data").type, sizes);
    return call;
  }

  Call nd(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    call.operands["indices"] = integers(shape(4), 5, call.row().index_dtypes);
    call.operands["updates"] = updates(call);
    if (call.row().find_operand("shape") == nullptr) return call;
    call.operands["shape"] = sizes(call.row().index_dtypes);
    return with_base(std::move(call));
  }

  // An unsigned -1 would be the largest of its integers.
  static int least_of_few(const ElementType& type) {
    return info(type.dtype).kind == DTypeKind::unsigned_integer ? 0 : -1;
  }

  // Up to forty sizes, mostly of data that fits into memory; one may be negative.
  Dense sizes(std::span<const DType> legal) {
    Shape drawn = shape(40);
    const Shape count = {static_cast<std::int64_t>(drawn.size())};
    const ElementType type = index_type(legal);
    if (!is_integer(type.dtype)) return tensor(type, count);
    if (!drawn.empty() && bytes_.ConsumeIntegralInRange(0, 7) == 0)
      drawn.back() = least_of_few(type);
    Dense dense = Dense::zeros(type, count);
    for (std::size_t i = 0; i < drawn.size(); ++i)
      oracle::store_integer(type.dtype, drawn[i], dense.element(i));
    return dense;
  }

  // Small ones: as many segments as they say fit into memory.
  Dense few_integers(const Shape& shape, std::span<const DType> legal) {
    const ElementType type = index_type(legal);
    if (!is_integer(type.dtype)) return tensor(type, shape);
    Dense dense = Dense::zeros(type, shape);
    const int least = least_of_few(type);
    for (std::size_t i = 0; i < dense.count(); ++i)
      oracle::store_integer(type.dtype, bytes_.ConsumeIntegralInRange(least, 4), dense.element(i));
    return dense;
  }

  Call block(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    Shape sizes = call.operand("data").shape;
    for (std::int64_t& length : sizes)
      length = bytes_.ConsumeIntegralInRange<std::int64_t>(0, length + 1);
    const auto rank = static_cast<std::int64_t>(sizes.size());
    call.operands["indices"] =
        integers(bytes_.ConsumeBool() ? Shape{rank} : shape(2), 5, call.row().index_dtypes);
    call.operands["updates"] = tensor(call.operand("data").type, sizes);
    return call;
  }

  static Call with_base(Call call) {
    if (!oracle::broken_base(call)) return oracle::based(call);
    call.operands["data"] = Dense::zeros(ElementType::of(DType::float32), {1});
    return call;
  }

  Call segment(Call call) {
    const Shape entries = shape(2);
    call.operands["indices"] = few_integers(entries, call.row().index_dtypes);
    for (auto& [name, value] : call.attributes) {
      if (std::holds_alternative<std::int64_t>(value))
        value = std::int64_t{bytes_.ConsumeIntegralInRange(-1, 9)};
    }
    const bool is_counted = call.row().base == BaseFrom::counts;
    const ElementType type =
        is_counted ? ElementType::of(DType::float64) : this->type(DType::complex128);
    Shape updates = bytes_.ConsumeBool() ? entries : shape(4);
    if (!is_counted && bytes_.ConsumeBool()) updates.push_back(2);
    call.operands["updates"] = tensor(type, updates);
    return with_base(std::move(call));
  }

  Call part(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    if (call.row().find_operand("indices") != nullptr)
      call.operands["indices"] = integers(shape(2), 9, call.row().index_dtypes);
    if (call.row().find_operand("mask") != nullptr) {
      const bool is_bool = bytes_.ConsumeIntegralInRange(0, 3) > 0;
      call.operands["mask"] =
          tensor(is_bool ? ElementType::of(DType::boolean) : type(DType::complex128),
                 call.row().reshapes_mask ? call.operand("data").shape : shape(5));
    }
    call.operands["updates"] = updates(call);
    return call;
  }

  Call slice(Call call) {
    call.operands["data"] = tensor(type(DType::complex128), shape(5));
    const Shape one = shape(1);
    for (const char* name : {"start", "stop", "step"}) call.operands[name] = integers(one, 6);
    if (bytes_.ConsumeBool()) call.operands["axes"] = integers(one, 4);
    call.operands["updates"] = updates(call);
    return call;
  }

  void read_delivery(Case& c) {
    using property::Destination;
    for (const auto& [name, tensor] : c.call.operands) {
      c.layouts[name] = {
          .order = bytes_.ConsumeBool() ? MemoryOrder::fortran : MemoryOrder::c,
          .byte_order = bytes_.ConsumeBool() ? std::endian::big : std::endian::little};
      c.delivery.sources[name] =
          bytes_.ConsumeBool() ? property::SourceKind::view : property::SourceKind::ranges;
    }
    c.delivery.destination = static_cast<Destination>(bytes_.ConsumeIntegralInRange(0, 3));
    if (is_made(c.call.row().base)) {
      c.layouts["data"] = {};
      if (c.delivery.destination == Destination::in_place)
        c.delivery.destination = Destination::memory;
    }
    c.delivery.options.threads = bytes_.ConsumeIntegralInRange(1, 2);
    c.delivery.options.tile_bytes = bytes_.ConsumeIntegralInRange<std::int64_t>(1, 4096);
  }

  FuzzedDataProvider bytes_;
};

void check_refusal(const Case& c) {
  const property::Outcome outcome = property::run_case(c);
  fuzz::require(outcome.error.has_value(), "not refused: " + property::to_string(c));
  fuzz::require(!outcome.is_begun && outcome.misuse.empty(), "touched: " + property::to_string(c));
}

}  // namespace
}  // namespace tscatter

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tscatter;
  const property::Case c = CaseReader(data, size).read();
  if (oracle::refusal_of(c.call)) {
    check_refusal(c);
    return 0;
  }
  const std::string wrong = property::wrong_with_legal(c);
  fuzz::require(wrong.empty(), wrong + ": " + property::to_string(c));
  return 0;
}

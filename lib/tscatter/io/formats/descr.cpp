#include "tscatter/io/formats/descr.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "tscatter/core/checked.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/float8.hpp"

namespace tscatter {
namespace {

// The largest element: on 32-bit machines memory is smaller than a file can be.
constexpr std::int64_t largest_in_memory = std::numeric_limits<std::ptrdiff_t>::max();

[[noreturn]] void refuse(std::string_view descr) {
  throw DescrError(escape_control(fmt::format("'{}'", descr)));
}

// The parts of "<f4".
struct PlainDescr {
  std::string_view whole;
  char mark = '=';  // '<', '>', '=' or '|'
  char kind = ' ';
  std::int64_t number = 0;
  std::string_view unit = {};  // "[ns]"

  char written_mark() const {
    if (mark == '<' || mark == '>') return mark;
    return std::endian::native == std::endian::little ? '<' : '>';
  }
};

PlainDescr take_apart(std::string_view text) {
  PlainDescr plain{.whole = text};
  if (!text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos) {
    plain.mark = text[0];
    text.remove_prefix(1);
  }
  if (text.empty()) refuse(plain.whole);
  plain.kind = text[0];
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), plain.number);
  if (error != std::errc{} || plain.number < 0 || text[0] == '-') refuse(plain.whole);
  plain.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return plain;
}

// "[ns]", "[25s]"; "[1s]" is "[s]".
std::string unit_text(const PlainDescr& plain) {
  std::string_view unit = plain.unit;
  if (unit.empty()) return {};
  if (unit.size() < 3 || unit.front() != '[' || unit.back() != ']') refuse(plain.whole);
  unit = unit.substr(1, unit.size() - 2);
  std::int64_t multiple = 1;
  const auto [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), multiple);
  if (error == std::errc::result_out_of_range || multiple < 1) refuse(plain.whole);
  const std::string_view name = unit.substr(static_cast<std::size_t>(end - unit.data()));
  constexpr std::array<std::string_view, 13> names{"Y",  "M",  "W",  "D",  "h",  "m", "s",
                                                   "ms", "us", "ns", "ps", "fs", "as"};
  if (std::ranges::count(names, name) == 0) refuse(plain.whole);
  return multiple == 1 ? fmt::format("[{}]", name) : fmt::format("[{}{}]", multiple, name);
}

// `text` is written back unchanged, and describes the bytes.
ElementType opaque(const PlainDescr& plain, std::int64_t size, const std::string& text) {
  if (size > largest_in_memory) refuse(plain.whole);
  return {.dtype = DType::opaque,
          .size = static_cast<std::size_t>(size),
          .byte_order = text.starts_with('>') ? std::endian::big : std::endian::little,
          .descr = python_repr(text)};
}

std::optional<ElementType> numeric(const PlainDescr& plain) {
  if (!plain.unit.empty() || plain.kind == 'V') return std::nullopt;
  const std::string code = fmt::format("{}{}", plain.kind, plain.number);
  for (const DTypeInfo& row : dtype_table) {
    if (row.descr != code) continue;
    const bool native =
        plain.written_mark() == (std::endian::native == std::endian::little ? '<' : '>');
    const std::endian other =
        std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    return ElementType::of(row.dtype, native || row.word == 1 ? std::endian::native : other);
  }
  return std::nullopt;
}

// Dtypes that are only moved. Sizes are bounded so that their products cannot overflow.
std::optional<ElementType> movable(const PlainDescr& plain) {
  constexpr std::int64_t largest = std::int64_t{1} << 31;
  const std::int64_t n = plain.number;
  const char mark = plain.written_mark();
  if (plain.kind == 'M' || plain.kind == 'm') {
    if (n != 8) return std::nullopt;
    return opaque(plain, 8, fmt::format("{}{}8{}", mark, plain.kind, unit_text(plain)));
  }
  if (!plain.unit.empty() || n < 1 || n > largest) return std::nullopt;
  switch (plain.kind) {
    case 'a':
    case 'S': return opaque(plain, n, fmt::format("|S{}", n));
    case 'V':
      // NumPy loses the order of these; they may be bfloat16.
      if (n == 2 && plain.mark == '>') return opaque(plain, n, ">V2");
      return opaque(plain, n, fmt::format("|V{}", n));
    case 'U': return opaque(plain, 4 * n, fmt::format("{}U{}", mark, n));
    case 'f':
      if (n == 1) return opaque(plain, 1, "<f1");
      if (n == 10 || n == 12 || n == 16) return opaque(plain, n, fmt::format("{}f{}", mark, n));
      break;
    case 'c':
      if (n == 20 || n == 24 || n == 32) return opaque(plain, n, fmt::format("{}c{}", mark, n));
      break;
    default: break;
  }
  return std::nullopt;
}

ElementType plain_type(std::string_view text) {
  const PlainDescr plain = take_apart(text);
  if (auto type = numeric(plain)) return *type;
  if (auto type = movable(plain)) return *type;
  refuse(text);
}

class Record {
 public:
  explicit Record(const PythonList& fields) {
    for (const PythonValue& field : fields.items) add(field);
    if (size_ == 0) throw DescrError("a record of size 0");
  }

  ElementType type() const {
    return {.dtype = DType::opaque,
            .size = static_cast<std::size_t>(size_),
            .byte_order = std::endian::little,
            .descr = fmt::format("[{}]", fmt::join(texts_, ", "))};
  }

 private:
  void add(const PythonValue& value) {
    const auto* field = value.as<PythonTuple>();
    if (field == nullptr || field->items.size() < 2 || field->items.size() > 3) {
      throw DescrError("a field that is not (name, dtype) or (name, dtype, shape)");
    }
    const std::string& name = name_of(field->items[0]);
    const ElementType type = field_type(field->items[1]);
    add_name(name, type, *field);
    repeats_ = 1;
    const std::string shape = field->items.size() == 3 ? add_shape(field->items[2]) : std::string();
    const auto bytes = checked_multiply(static_cast<std::int64_t>(type.size), repeats_);
    const auto total = bytes ? checked_add(size_, *bytes) : std::nullopt;
    if (!total || *total > std::min(std::int64_t{1} << 31, largest_in_memory))
      throw DescrError("a record of over 2 GiB");
    size_ = *total;
    texts_.push_back(fmt::format("({}, {}{})", python_repr(name), descr_text(type), shape));
  }

  static const std::string& name_of(const PythonValue& value) {
    const auto* name = value.as<PythonString>();
    if (name == nullptr) throw DescrError("a field with a title");
    if (std::ranges::any_of(
            name->text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
      throw DescrError("a control character in a field's name");
    }
    return name->text;
  }

  // Padding has no name: ('', '|V3').
  void add_name(const std::string& name, const ElementType& type, const PythonTuple& field) {
    const bool is_padding =
        name.empty() && type.descr.starts_with("'|V") && field.items.size() == 2;
    if (is_padding) return;
    if (name.empty()) throw DescrError("a field without a name");
    if (!names_.insert(name).second) throw DescrError(fmt::format("the field '{}' twice", name));
  }

  static ElementType field_type(const PythonValue& value) {
    if (const auto* record = value.as<PythonList>()) return Record(*record).type();
    if (const auto* text = value.as<PythonString>()) return plain_type(text->text);
    throw DescrError("a field whose dtype is neither a string nor a record");
  }

  // Sets repeats_ and returns ", (2, 3)"; nothing for the shape ().
  std::string add_shape(const PythonValue& value) {
    const auto* shape = value.as<PythonTuple>();
    if (shape == nullptr) throw DescrError("a field whose shape is no tuple");
    std::vector<std::int64_t> dims;
    for (const PythonValue& item : shape->items) {
      const auto* dim = item.as<std::int64_t>();
      const auto product =
          dim != nullptr && *dim >= 0 ? checked_multiply(repeats_, *dim) : std::nullopt;
      if (!product) throw DescrError("a field with a wrong shape");
      repeats_ = *product;
      dims.push_back(*dim);
    }
    if (dims.empty()) return {};
    return fmt::format(", ({}{})", fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
  }

  std::set<std::string_view> names_;  // of the fields, which outlive the record
  std::vector<std::string> texts_;
  std::int64_t size_ = 0;
  std::int64_t repeats_ = 1;  // of the field that is being added
};

}  // namespace

ElementType element_type_of(const PythonValue& descr) {
  if (const auto* text = descr.as<PythonString>()) return plain_type(text->text);
  if (const auto* fields = descr.as<PythonList>()) return Record(*fields).type();
  if (descr.as<PythonTuple>() != nullptr) throw DescrError("a subarray");
  throw DescrError("a descr that is neither a string nor a list");
}

std::string descr_text(const ElementType& type) {
  // As ml_dtypes writes them; but for float8_e5m2, whose '<f1' NumPy does not read.
  if (float8_of(type) != nullptr) return "'<V1'";
  if (type.dtype == DType::opaque) return type.descr;
  const DTypeInfo& row = info(type.dtype);
  const char mark = row.word == 1 ? '|' : type.byte_order == std::endian::little ? '<' : '>';
  return fmt::format("'{}{}'", mark, row.descr);
}

}  // namespace tscatter

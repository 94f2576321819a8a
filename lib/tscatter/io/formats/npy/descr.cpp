#include "tscatter/io/formats/npy/descr.hpp"

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
  std::string_view whole;  // for messages
  char mark = '=';         // '<', '>', '=' or '|'
  char kind = ' ';
  std::int64_t number = 0;
  std::string_view unit = {};  // "[ns]"

  char written_mark() const {
    if (mark == '<' || mark == '>') return mark;
    return std::endian::native == std::endian::little ? '<' : '>';
  }
};

bool has_mark(std::string_view text) {
  return !text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos;
}

PlainDescr take_apart(std::string_view text, std::string_view whole) {
  PlainDescr plain{.whole = whole};
  if (has_mark(text)) {
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
  const bool may_be_empty =
      plain.kind == 'a' || plain.kind == 'S' || plain.kind == 'U' || plain.kind == 'V';
  if (!plain.unit.empty() || n < (may_be_empty ? 0 : 1) || n > largest) return std::nullopt;
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

// `whole`: what the descr has, for messages.
ElementType plain_type(std::string_view code, std::string_view whole) {
  const PlainDescr plain = take_apart(code, whole);
  if (auto type = numeric(plain)) return *type;
  if (auto type = movable(plain)) return *type;
  refuse(whole);
}

// What numpy.dtype calls a type, too. Where machines differ: as on 64-bit Linux.
struct TypeNames {
  std::string_view code;
  std::string_view names;
};

// Beside the names in dtype_table.
constexpr std::array type_names{
    TypeNames{"b1", "? bool_"},
    TypeNames{"i1", "b byte"},
    TypeNames{"i2", "h short"},
    TypeNames{"i4", "i intc"},
    TypeNames{"i8", "l q p n int int_ intp long longlong"},
    TypeNames{"u1", "B ubyte"},
    TypeNames{"u2", "H ushort"},
    TypeNames{"u4", "I uintc"},
    TypeNames{"u8", "L Q P N uint uintp ulong ulonglong"},
    TypeNames{"f2", "e half"},
    TypeNames{"f4", "f single"},
    TypeNames{"f8", "d float double"},
    TypeNames{"f16", "g longdouble float128"},
    TypeNames{"c8", "F csingle"},
    TypeNames{"c16", "D complex cdouble"},
    TypeNames{"c32", "G clongdouble complex256"},
    TypeNames{"M8", "M datetime64"},
    TypeNames{"m8", "m timedelta64"},
    TypeNames{"S1", "c"},
    TypeNames{"S0", "S a bytes bytes_"},
    TypeNames{"U0", "U str str_ unicode"},
    TypeNames{"V0", "V void"},
};

bool has_name(const TypeNames& row, std::string_view name) {
  for (std::string_view left = row.names; !left.empty();) {
    const std::string_view each = left.substr(0, left.find(' '));
    if (each == name) return true;
    left.remove_prefix(std::min(each.size() + 1, left.size()));
  }
  return false;
}

// nullopt if it is no name. bfloat16 is one for ml_dtypes, not for NumPy.
std::optional<std::string_view> code_of(std::string_view name) {
  for (const TypeNames& row : type_names)
    if (has_name(row, name)) return row.code;
  for (const DTypeInfo& row : dtype_table) {
    const bool is_of_numpy = row.dtype != DType::bfloat16 && row.dtype != DType::opaque;
    if (is_of_numpy && row.name == name) return row.descr;
  }
  return std::nullopt;
}

// "<f8" for "<d", "f8" for "float64", "M8[ns]" for "datetime64[ns]"; any other text as it is. A
// byte order mark may stand before a letter or the name of a date, not before another long name.
std::string with_code(std::string_view text) {
  const std::string_view mark = text.substr(0, has_mark(text) ? 1 : 0);
  const std::string_view unmarked = text.substr(mark.size());
  const std::string_view name = unmarked.substr(0, unmarked.find('['));
  const std::string_view unit = unmarked.substr(name.size());
  const auto code = code_of(name);
  const bool is_letter = name.size() == 1;
  const bool is_date = !is_letter && code && (*code == "M8" || *code == "m8");
  if (!code || (!mark.empty() && !is_letter && !is_date) || (!unit.empty() && !is_date))
    return std::string(text);
  return fmt::format("{}{}{}", mark, *code, unit);
}

class Record {
 public:
  explicit Record(const PythonList& fields) {
    for (const PythonValue& field : fields.items) add(field);
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
    const ElementType type = field_type_of(field->items[1]);
    const bool is_unnamed = is_padding(*field, type);
    if (is_unnamed && type.size == 0) return;  // NumPy forgets it
    const std::string name = is_unnamed ? "''" : add_name(field->items[0]);
    repeats_ = 1;
    const std::string shape = field->items.size() == 3 ? add_shape(field->items[2]) : std::string();
    const bool is_text_of_no_bytes = type.size == 0 && !type.descr.starts_with('[');
    if (is_text_of_no_bytes && field->items.size() == 3)
      throw DescrError("a field with a wrong shape");
    const auto bytes = checked_multiply(static_cast<std::int64_t>(type.size), repeats_);
    const auto total = bytes ? checked_add(size_, *bytes) : std::nullopt;
    if (!total || *total > std::min(std::int64_t{1} << 31, largest_in_memory))
      throw DescrError("a record of over 2 GiB");
    size_ = *total;
    texts_.push_back(fmt::format("({}, {}{})", name, descr_text(type), shape));
  }

  // Padding has no name: ('', '|V3').
  static bool is_padding(const PythonTuple& field, const ElementType& type) {
    const auto* name = field.items[0].as<PythonString>();
    return name != nullptr && name->text.empty() && type.descr.starts_with("'|V") &&
           field.items.size() == 2;
  }

  // 'a', or the title and the name: ('title', 'a')
  std::string add_name(const PythonValue& name) {
    const auto* titled = name.as<PythonTuple>();
    if (titled == nullptr) return add_word(name);
    if (titled->items.size() != 2) throw DescrError("a field whose name is no string");
    const std::string title = add_word(titled->items[0]);
    return fmt::format("({}, {})", title, add_word(titled->items[1]));
  }

  // A name or a title, which no other field has.
  std::string add_word(const PythonValue& value) {
    const auto* word = value.as<PythonString>();
    if (word == nullptr) throw DescrError("a field whose name is no string");
    if (word->text.empty()) throw DescrError("a field without a name");
    if (std::ranges::any_of(
            word->text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
      throw DescrError("a control character in a field's name");
    }
    if (!names_.insert(word->text).second)
      throw DescrError(fmt::format("the field '{}' twice", word->text));
    return python_repr(word->text);
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

ElementType type_of_code(std::string_view code) {
  ElementType type = plain_type(code, code);
  if (type.size == 0) refuse(code);
  return type;
}

ElementType field_type_of(const PythonValue& descr) {
  if (const auto* fields = descr.as<PythonList>()) return Record(*fields).type();
  if (const auto* text = descr.as<PythonString>())
    return plain_type(with_code(text->text), text->text);
  throw DescrError("a field whose dtype is neither a string nor a record");
}

ElementType element_type_of(const PythonValue& descr) {
  const auto* text = descr.as<PythonString>();
  if (descr.as<PythonTuple>() != nullptr) throw DescrError("a subarray");
  if (text == nullptr && descr.as<PythonList>() == nullptr)
    throw DescrError("a descr that is neither a string nor a list");
  ElementType type = field_type_of(descr);
  if (type.size > 0) return type;
  if (text != nullptr) refuse(text->text);
  throw DescrError("a record of size 0");
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

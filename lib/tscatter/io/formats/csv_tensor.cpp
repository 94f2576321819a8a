#include "tscatter/io/formats/csv_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/core/ascii.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/decimal.hpp"

namespace tscatter {
namespace {

constexpr std::array csv_tensor_rule_rows{
    Rule{"csv.f1",
         "a table of numbers has no NUL byte, closes each quote at the end of its cell, and has "
         "cells of at most 4096 bytes"},
    Rule{"csv.f2",
         "a cell is a number, nan or inf; only a first line without any number is a header"},
    Rule{"csv.f3",
         "each row has as many cells as the first, and no empty line stands between rows"},
    Rule{"csv.f4",
         "each value fits the dtype, as in JSON: an integer is written without a fraction; there "
         "are no complex values"},
    Rule{"csv.f5", "integers without a dtype fit int64"},
    Rule{"csv.f6", "a table of numbers has at least one row"},
};

// A cell as messages show it.
std::string shown(std::string_view cell) {
  constexpr std::size_t most = 40;
  if (cell.empty()) return "an empty cell";
  return std::string(cell.substr(0, most)) + (cell.size() > most ? "..." : "");
}

// nan(1), which C reads, is no number here.
std::optional<ElementValue> number_of(std::string_view cell) {
  return cell.ends_with(')') ? std::nullopt : parse_number(cell);
}

// Also several numbers with a wrong separator, a date, and a number beyond float64.
bool resembles_numbers(std::string_view cell) {
  return cell.find_first_not_of("+-.0123456789eE,; \t") == std::string_view::npos &&
         cell.find_first_of("0123456789") != std::string_view::npos;
}

bool is_truth(std::string_view cell) {
  return equal_ignoring_case(cell, "true") || equal_ignoring_case(cell, "false");
}

bool is_complex(std::string_view cell) {
  return cell.find_first_of("jJ") != std::string_view::npos &&
         cell.find_first_not_of("()+-.0123456789eEjJ") == std::string_view::npos;
}

// What to do about a cell that is no number.
std::string_view hint_on(std::string_view cell, Separator separator) {
  if (is_truth(cell)) return " (true is written 1, false 0)";
  if (is_complex(cell)) return " (complex values are written as JSON, [re, im])";
  const bool has_blanks = cell.find_first_of(" \t") != std::string_view::npos;
  const bool has_commas = cell.find_first_of(",;") != std::string_view::npos;
  if (has_blanks && separator != Separator::blanks)
    return " (blanks separate the cells of a .txt file)";
  if (has_commas && separator != Separator::comma)
    return " (commas separate the cells of a .csv file)";
  return has_commas ? " (a decimal point is a dot)" : "";
}

// What the first reading finds.
struct CsvForm {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool has_header = false;
  bool has_reals = false;
};

// First reading: which shape and dtype.
class CsvSurvey {
 public:
  CsvSurvey(const Source& text, Separator separator, const FormatReading& reading)
      : cells_{text, separator, reading}, separator_{separator}, reading_{reading} {}

  CsvForm form() {
    if (cells_.next_line()) read_first_line();
    while (cells_.next_line()) read_row();
    // csv.f6
    if (form_.rows == 0) {
      fail(ErrorKind::format, "csv.f6", reading_.name,
           "a table of numbers must have at least one row (an empty list is written []), got {}",
           form_.has_header ? "a header alone" : "none");
    }
    return form_;
  }

 private:
  // It is a header if none of its cells is a number, or resembles some.
  void read_first_line() {
    bool has_numbers = false;
    std::optional<std::pair<std::string, std::string>> other;  // its place and text
    while (const auto cell = cells_.next_cell()) {
      const auto number = number_of(*cell);
      has_numbers = has_numbers || number || resembles_numbers(*cell);
      if (number) note(*number, *cell);
      if (!number && !other) other.emplace(cells_.cell_place(), *cell);
    }
    form_.has_header = !has_numbers;
    if (form_.has_header) return;
    if (other) refuse(other->first, other->second);
    form_.columns = cells_.column();
    form_.rows = 1;
  }

  void read_row() {
    require_no_gap();
    while (const auto cell = cells_.next_cell()) {
      const auto number = number_of(*cell);
      if (!number) refuse(cells_.cell_place(), *cell);
      note(*number, *cell);
    }
    if (form_.rows == 0) form_.columns = cells_.column();
    // csv.f3
    if (cells_.column() != form_.columns) {
      fail(ErrorKind::format, "csv.f3", cells_.line_place(),
           "a row must have {} cells, as the first one has, got {}", form_.columns,
           cells_.column());
    }
    ++form_.rows;
  }

  void require_no_gap() const {
    // csv.f3
    if (cells_.follows_empty_line() && form_.rows > 0) {
      fail(ErrorKind::format, "csv.f3", cells_.line_place(),
           "no empty line must stand between rows, got one before this row");
    }
  }

  void note(const ElementValue& number, std::string_view cell) {
    if (std::holds_alternative<double>(number)) form_.has_reals = true;
    const bool is_long =
        !std::holds_alternative<double>(number) && !std::holds_alternative<std::int64_t>(number);
    // csv.f5
    if (is_long && !reading_.dtype) {
      fail(ErrorKind::format, "csv.f5", cells_.cell_place(),
           "integers without a dtype must fit int64 (name a dtype, such as uint64), got {}",
           shown(cell));
    }
  }

  [[noreturn]] void refuse(const std::string& place, std::string_view cell) const {
    // csv.f4
    if (is_beyond_float64(cell)) {
      fail(ErrorKind::format, "csv.f4", place, "a finite number must fit float64, got {}",
           shown(cell));
    }
    const bool is_in_front = form_.rows == 0 && !form_.has_header;
    const std::string_view hint = hint_on(cell, separator_);
    // csv.f2
    fail(ErrorKind::format, "csv.f2", place, "a cell must be a number{}, got {}",
         hint.empty() && is_in_front ? " (a header has none in its line)" : hint, shown(cell));
  }

  CsvCells cells_;
  Separator separator_;
  const FormatReading& reading_;
  CsvForm form_;
};

// Second reading: the elements.
class CsvElements {
 public:
  CsvElements(const Source& text, Separator separator, const FormatReading& reading,
              const ElementType& type, Spool& into)
      : cells_{text, separator, reading}, type_{type}, into_{into}, element_(type.size) {}

  void read(const CsvForm& form) {
    if (form.has_header) cells_.next_line();
    while (cells_.next_line()) {
      while (const auto cell = cells_.next_cell()) append(*cell);
    }
    into_.append(buffer_);
    if (appended_ != form.rows * form.columns) refuse_change();
  }

 private:
  void append(std::string_view cell) {
    constexpr std::size_t piece = std::size_t{64} * 1024;
    const auto number = number_of(cell);
    if (!number) refuse_change();
    if (!encode(signed_zero(*number, cell, type_.dtype), type_, element_)) refuse(*number, cell);
    ++appended_;
    buffer_.insert(buffer_.end(), element_.begin(), element_.end());
    if (buffer_.size() < piece) return;
    into_.append(buffer_);
    buffer_.clear();
  }

  [[noreturn]] void refuse(const ElementValue& value, std::string_view cell) const {
    const auto* real = std::get_if<double>(&value);
    const bool is_whole = real != nullptr && is_integer(type_.dtype) && std::trunc(*real) == *real;
    // csv.f4
    fail(ErrorKind::format, "csv.f4", cells_.cell_place(), "the value must fit {}{}, got {}",
         to_string(type_), is_whole ? " (np.savetxt writes integers with fmt='%d')" : "",
         shown(cell));
  }

  // The text was right when it was read first.
  [[noreturn]] void refuse_change() const {
    // csv.f2
    fail(ErrorKind::format, "csv.f2", cells_.line_place(),
         "a table must not change while it is read, got another one");
  }

  CsvCells cells_;
  const ElementType& type_;
  Spool& into_;
  std::vector<std::byte> element_;
  std::vector<std::byte> buffer_;
  std::int64_t appended_ = 0;
};

DType dtype_of(const FormatReading& reading, const CsvForm& form) {
  const DType inferred = form.has_reals ? DType::float64 : DType::int64;
  const DType dtype = reading.dtype.value_or(inferred);
  // csv.f4
  if (info(dtype).kind == DTypeKind::complex) {
    fail(ErrorKind::format, "csv.f4", reading.name,
         "the values of a table must be real (complex ones are written as JSON, [re, im]), got {}",
         info(dtype).name);
  }
  return dtype;
}

}  // namespace

std::span<const Rule> csv_rules() { return csv_tensor_rule_rows; }

Tensor csv_tensor(const Source& text, Separator separator, const FormatReading& reading) {
  const StepClock clock;
  const CsvForm form = CsvSurvey(text, separator, reading).form();
  const bool is_list = form.columns == 1;
  TensorHeader header{.type = type_of_text(dtype_of(reading, form)),
                      .shape = is_list ? Shape{form.rows} : Shape{form.rows, form.columns}};
  auto elements = std::make_shared<Spool>(reading.spool_directory, reading.name);
  CsvElements(text, separator, reading, header.type, *elements).read(form);
  clock.tell(reading.log, fmt::format("{}: {} bytes of text parsed", reading.name, text.size()));
  return {std::move(header), std::move(elements), reading.name};
}

}  // namespace tscatter

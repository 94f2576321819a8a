#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/text/csv.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {
namespace {

constexpr std::array csv_tensor_rule_rows{
    Rule{"csv.f1",
         "a table of numbers has no NUL byte, closes each quote at the end of its cell, and has "
         "cells of at most 4096 bytes"},
    Rule{"csv.f2",
         "a cell is a number, nan or inf, or all of them are true or false; only a first line of "
         "names is a header, and no comment begins with an error word of a spreadsheet"},
    Rule{"csv.f3",
         "each row has as many cells as the first, and as the header (but in a .txt file); no "
         "empty line stands before a row of one column, where it may be a missing value"},
    Rule{"csv.f4",
         "each value fits the dtype, an integer without rounding: 8, 8.0 and 8e0 are whole; there "
         "are no complex values"},
    Rule{"csv.f5", "integers without a dtype fit int64"},
    Rule{"csv.f7", "where missing values become NaN, their dtype is a real one"},
    Rule{"csv.f8",
         "a line, with the empty lines and comments before it, is at most 2^26 bytes long"},
    Rule{"csv.f9",
         "columns that are chosen are there: by a name of the header or a number from 1, at most "
         "2^20 of them"},
    Rule{"csv.f10", "a name that chooses a column occurs once in the header"},
};

// What the first reading finds.
struct CsvForm {
  std::int64_t rows = 0;
  std::int64_t columns = 0;  // of the file
  std::string header = {};   // as messages show it; empty: there is none
  bool has_reals = false;
  bool has_truths = false;
};

// First reading: which shape and dtype. `chosen`: nullptr for all columns.
class CsvSurvey {
 public:
  CsvSurvey(const Source& text, Separator separator, const FormatReading& reading,
            const ChosenColumns* chosen, MoreText more)
      : cells_{text, separator, reading, std::move(more)},
        separator_{separator},
        reading_{reading},
        chosen_{chosen} {}

  CsvForm form() {
    if (cells_.next_line()) {
      if (chosen_ == nullptr) {
        read_first_line();
      } else {
        read_first_chosen();
      }
    }
    while (cells_.next_line()) read_row();
    return std::move(form_);
  }

 private:
  void read_first_line() {
    FirstLine line;
    while (const auto cell = cells_.next_cell()) line.add(*cell, cells_, note(*cell));
    form_.columns = cells_.column();
    if (line.is_header()) {
      form_.header = line.header();
      form_.has_reals = has_numbers_ = false;
      missing_.reset();
      return;
    }
    if (const auto& odd = line.odd_cell()) refuse(odd->place, odd->text);
    require_dtype();
    form_.rows = 1;
  }

  void read_first_chosen() {
    form_.header = chosen_->header;
    if (form_.header.empty()) return read_row();
    while (cells_.skip_cell()) continue;
    form_.columns = cells_.column();
  }

  void read_row() {
    const auto take = [&](std::string_view cell, std::size_t /*place*/) {
      if (!note(cell)) refuse(cells_.cell_place(), cell);
    };
    if (chosen_ == nullptr) {
      while (const auto cell = cells_.next_cell()) take(*cell, 0);
    } else {
      take_cells(cells_, chosen_->picks, take);
    }
    require_width();
    if (form_.columns == 1) take_empty_lines();
    require_dtype();
    ++form_.rows;
  }

  // Names between blanks may be words of a sentence.
  void require_width() {
    const bool is_below_header = form_.rows == 0;
    const bool has_named = chosen_ != nullptr && chosen_->has_named;
    const bool is_first = form_.columns == 0;
    if (is_first || (is_below_header && separator_ == Separator::blanks && !has_named))
      form_.columns = cells_.column();
    // csv.f3
    if (cells_.column() != form_.columns) {
      fail(ErrorKind::format, "csv.f3", cells_.line_place(),
           "a row must have {} cells, as the {} has, got {}", form_.columns,
           is_below_header ? "header" : "first one", cells_.column());
    }
  }

  // Those before this row of one column are missing values, too.
  void take_empty_lines() {
    if (cells_.empty_lines() == 0) return;
    // csv.f3
    if (reading_.missing == Missing::refused) {
      fail(ErrorKind::format, "csv.f3", cells_.line_place(),
           "an empty line stands before this row of one column: it may be a missing value "
           "(--missing nan reads it as NaN)");
    }
    note_missing("an empty line", cells_.line_place());
    form_.rows += cells_.empty_lines();
  }

  // Returns whether the cell has a value.
  bool note(std::string_view cell) {
    const auto number = number_in_cell(cell);
    if (number) {
      note_number(*number, cell);
    } else if (reading_.missing == Missing::nan && is_missing(cell)) {
      note_missing(shown_cell(cell), cells_.cell_place());
    } else if (truth_in_cell(cell)) {
      form_.has_truths = true;
      if (!truth_) truth_ = PlacedCell{.place = cells_.cell_place(), .text = std::string(cell)};
    } else {
      return false;
    }
    return true;
  }

  void note_number(const ElementValue& number, std::string_view cell) {
    has_numbers_ = true;
    if (std::holds_alternative<double>(number)) form_.has_reals = true;
    const bool is_long =
        !std::holds_alternative<double>(number) && !std::holds_alternative<std::int64_t>(number);
    // csv.f5
    if (is_long && !reading_.dtype) {
      fail(ErrorKind::format, "csv.f5", cells_.cell_place(),
           "integers without a dtype must fit int64 (name a dtype, such as uint64), got {}",
           shown_cell(cell));
    }
  }

  void note_missing(const std::string& shown, const std::string& place) {
    has_numbers_ = true;
    form_.has_reals = true;
    if (!missing_) missing_ = PlacedCell{.place = place, .text = shown};
  }

  void require_dtype() const {
    const bool is_mixed = truth_ && has_numbers_ && reading_.dtype != DType::boolean;
    if (is_mixed) refuse(truth_->place, truth_->text);
    if (!missing_ || !reading_.dtype || info(*reading_.dtype).kind == DTypeKind::real) return;
    // csv.f7
    fail(ErrorKind::format, "csv.f7", missing_->place,
         "a missing value must be of a real dtype, which has NaN, got {} of {}", missing_->text,
         info(*reading_.dtype).name);
  }

  [[noreturn]] void refuse(const std::string& place, std::string_view cell) const {
    // csv.f4
    if (is_beyond_float64(cell)) {
      fail(ErrorKind::format, "csv.f4", place, "a finite number must fit float64, got {}",
           shown_cell(cell));
    }
    const bool is_in_front = form_.rows == 0 && form_.header.empty();
    std::string_view hint = hint_on_cell(cell, separator_);
    if (hint.empty() && is_in_front)
      hint = is_name(cell) ? " (a header has none in its line)"
                           : " (names of a header begin with a letter and are no values)";
    // csv.f2
    fail(ErrorKind::format, "csv.f2", place, "a cell must be a number{}, got {}", hint,
         shown_cell(cell));
  }

  CsvCells cells_;
  Separator separator_;
  const FormatReading& reading_;
  const ChosenColumns* chosen_;
  CsvForm form_;
  bool has_numbers_ = false;           // or missing values, which are NaN
  std::optional<PlacedCell> missing_;  // the first one
  std::optional<PlacedCell> truth_;    // the first true or false
};

// Second reading: the elements.
class CsvElements {
 public:
  CsvElements(const Source& text, Separator separator, const FormatReading& reading,
              const ElementType& type, const ChosenColumns* chosen, Spool& into)
      : cells_{text, separator, reading},
        missing_{reading.missing},
        type_{type},
        chosen_{chosen},
        into_{into},
        element_(type.size),
        row_(chosen == nullptr ? 0 : chosen->picks.size() * type.size) {}

  // `columns`: of the tensor.
  void read(const CsvForm& form, std::int64_t columns) {
    if (!form.header.empty()) pass_header();
    while (cells_.next_line()) {
      const std::int64_t empty = form.columns == 1 ? cells_.empty_lines() : 0;
      for (std::int64_t left = empty * columns; left > 0; --left) append({});
      if (chosen_ == nullptr) {
        while (const auto cell = cells_.next_cell()) append(*cell);
      } else {
        append_chosen();
      }
    }
    into_.append(buffer_);
    if (appended_ != form.rows * columns) refuse_change();
  }

 private:
  void pass_header() {
    cells_.next_line();
    if (chosen_ == nullptr) return;
    while (cells_.skip_cell()) continue;
  }

  void append(std::string_view cell) {
    if (!encode_cell(cell)) refuse(cell);
    ++appended_;
    append_bytes(element_);
  }

  void append_chosen() {
    take_cells(cells_, chosen_->picks, [&](std::string_view cell, std::size_t place) {
      if (!encode_cell(cell)) refuse(cell);
      ++appended_;
      std::ranges::copy(element_, row_.begin() + static_cast<std::ptrdiff_t>(place * type_.size));
    });
    append_bytes(row_);
  }

  void append_bytes(std::span<const std::byte> bytes) {
    constexpr std::size_t piece = std::size_t{64} * 1024;
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() < piece) return;
    into_.append(buffer_);
    buffer_.clear();
  }

  bool encode_cell(std::string_view cell) {
    const auto number = number_in_cell(cell);
    const auto truth = number ? std::nullopt : truth_in_cell(cell);
    if (truth) return encode(*truth, type_, element_);
    if (!number) return encode_missing(cell);
    if (encode(signed_zero(*number, cell, type_.dtype), type_, element_)) return true;
    const auto whole = parse_whole(cell);
    return whole && encode(*whole, type_, element_);
  }

  bool encode_missing(std::string_view cell) {
    if (missing_ == Missing::refused || !is_missing(cell)) refuse_change();
    return encode(std::numeric_limits<double>::quiet_NaN(), type_, element_);
  }

  [[noreturn]] void refuse(std::string_view cell) const {
    // csv.f4
    fail(ErrorKind::format, "csv.f4", cells_.cell_place(), "the value must fit {}, got {}",
         to_string(type_), shown_cell(cell));
  }

  // The text was right when it was read first.
  [[noreturn]] void refuse_change() const {
    // csv.f2
    fail(ErrorKind::format, "csv.f2", cells_.line_place(), "the table changed while it was read");
  }

  CsvCells cells_;
  Missing missing_;
  const ElementType& type_;
  const ChosenColumns* chosen_;
  Spool& into_;
  std::vector<std::byte> element_;
  std::vector<std::byte> row_;  // of chosen cells
  std::vector<std::byte> buffer_;
  std::int64_t appended_ = 0;
};

DType dtype_of(const FormatReading& reading, const CsvForm& form) {
  const bool may_be_real = form.has_reals || form.rows == 0;
  const DType own = may_be_real ? DType::float64 : DType::int64;
  const DType dtype = form.has_truths ? DType::boolean : reading.dtype.value_or(own);
  // csv.f4
  if (info(dtype).kind == DTypeKind::complex) {
    fail(ErrorKind::format, "csv.f4", reading.name,
         "the values of a table must be real (complex ones are written as JSON, [re, im]), got {}",
         info(dtype).name);
  }
  return dtype;
}

// The elements, and the line that was taken for a header.
class TableElements final : public Source {
 public:
  TableElements(std::shared_ptr<const Spool> elements, std::string header)
      : elements_{std::move(elements)}, header_{std::move(header)} {}

  std::int64_t size() const override { return elements_->size(); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    elements_->read(offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override { return elements_->view(); }
  const std::string& header() const { return header_; }

 private:
  std::shared_ptr<const Spool> elements_;
  std::string header_;
};

// `more`: of a text that is still coming.
Tensor read_table(const Source& text, Separator separator, const FormatReading& reading,
                  MoreText more) {
  const StepClock clock;
  std::optional<ChosenColumns> some;
  if (!reading.part.empty()) some = chosen_columns(text, separator, reading, more);
  const ChosenColumns* const chosen = some ? &*some : nullptr;
  CsvForm form = CsvSurvey(text, separator, reading, chosen, std::move(more)).form();
  const std::int64_t columns = some ? std::ssize(some->picks) : form.columns;
  TensorHeader header{.type = type_of_text(dtype_of(reading, form)),
                      .shape = columns <= 1 ? Shape{form.rows} : Shape{form.rows, columns}};
  auto elements = std::make_shared<Spool>(reading.spool_directory, reading.name);
  CsvElements(text, separator, reading, header.type, chosen, *elements).read(form, columns);
  clock.tell(reading.log, fmt::format("{}: {} bytes of text parsed", reading.name, text.size()));
  const std::string name = some ? fmt::format("{}:{}", reading.name, reading.part) : reading.name;
  if (form.header.empty()) return {std::move(header), std::move(elements), name};
  if (reading.log)
    reading.log(fmt::format("{}: the first line is a header: {}", reading.name, form.header));
  auto source = std::make_shared<TableElements>(std::move(elements), std::move(form.header));
  return {std::move(header), std::move(source), name};
}

}  // namespace

std::span<const Rule> csv_rules() { return csv_tensor_rule_rows; }

Tensor csv_tensor(const Source& text, Separator separator, const FormatReading& reading) {
  return read_table(text, separator, reading, {});
}

Tensor csv_tensor_in_pipe(Spool& text, const File& pipe, Separator separator,
                          const FormatReading& reading) {
  return read_table(text, separator, reading, rest_of(text, pipe));
}

std::string table_header(const Tensor& tensor) {
  const auto* table = dynamic_cast<const TableElements*>(&tensor.source());
  return table == nullptr ? std::string() : table->header();
}

}  // namespace tscatter

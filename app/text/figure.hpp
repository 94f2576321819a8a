// What a report holds: Figure, and Value, what JSON has of it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/shape.hpp"

namespace tscatter::app {

// ---- Value: the typed value of a key in a JSON report: null, a boolean, a number, a text or a
// list of them.

// JSON text in one line, which a batch keeps of a case's report.
struct WrittenJson {
  std::string text;
};

class Value {
 public:
  using List = std::vector<Value>;
  using Content = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, List, WrittenJson>;

  Value() = default;  // null
  // Whatever has a JSON form is a value. NOLINTBEGIN(google-explicit-constructor)
  Value(bool truth) : content_{truth} {}
  template <std::signed_integral Integer>
  Value(Integer number) : content_{static_cast<std::int64_t>(number)} {}
  template <std::unsigned_integral Integer>
  Value(Integer number) : content_{static_cast<std::uint64_t>(number)} {}
  Value(double number) : content_{number} {}
  Value(const char* text) : content_{std::string(text)} {}
  Value(std::string_view text) : content_{std::string(text)} {}
  Value(std::string text) : content_{std::move(text)} {}
  Value(WrittenJson json) : content_{std::move(json)} {}
  Value(List list) : content_{std::move(list)} {}

  template <class T>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value()) {}
  template <class T>
  Value(const std::vector<T>& values) : content_{List(values.begin(), values.end())} {}
  // NOLINTEND(google-explicit-constructor)

  const Content& content() const { return content_; }

 private:
  Content content_;
};

// ---- Figure: one value of a report, in JSON and in words. Only this file decides how a number is
// written.

struct Figure {
  Value value;
  std::string text;
  std::string bits = {};  // of an element that prints like another; JSON has them beside its value
};

// The same in both; in words without control characters.
Figure text_figure(std::string_view text);

// A count: 1234567, in words "1,234,567". Values of elements, positions and shapes are written as a
// command line takes them: without commas.
Figure grouped(std::int64_t count);
Figure grouped_unsigned(std::uint64_t count);

// "3 of 1,200", in JSON 3.
Figure part_of(std::int64_t part, std::int64_t whole);

// An error: "-" if there is none, "Infinity", else six digits in words.
Figure error_figure(const std::optional<double>& error);

// [1, 2]: a position or a shape.
Figure position_figure(const Position& position);

Figure dtype_figure(const ElementType& type);

// Whether the bits of a NaN follow it: "NaN 0x7d01". The bits of other elements are in their text.
enum class NanBits : bool { hidden, shown };

// Numbers, true, false, lists, "NaN"; for opaque elements the bytes as "0x…", followed by … if
// `element` does not have all of them. In words without quotes. REQUIRES: `element` is native.
Figure element_figure(std::span<const std::byte> element, const ElementType& type,
                      NanBits bits = NanBits::hidden);

// Whether two of the elements print alike but have other bits. REQUIRES: as for element_figure().
NanBits bits_needed(std::span<const std::span<const std::byte>> elements, const ElementType& type);

// Two elements that differ, with their bits where these are needed. REQUIRES: as for
// element_figure().
std::pair<Figure, Figure> told_apart(std::span<const std::byte> one,
                                     std::span<const std::byte> other, const ElementType& type);

// "1 element", "1,234 elements".
std::string counted(std::int64_t count, std::string_view what);

// The same for the log, whose numbers scripts read: "1 tile", "20000 index entries".
std::string several(std::int64_t count, std::string_view what);

// "< 1 ms", "12 ms", "3.4 s", "2 min 5 s". REQUIRES: seconds >= 0.
std::string duration(double seconds);
// "12 bytes", "1.5 GiB".
std::string size_text(std::int64_t bytes);

// A number of bytes; in words as size_text has it.
Figure size_figure(std::int64_t bytes);

// "12.5 %"; never 0 or 100 by rounding.
std::string percent(std::int64_t part, std::int64_t whole);

}  // namespace tscatter::app

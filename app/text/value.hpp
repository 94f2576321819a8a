// Value: the typed value of a key in a JSON report: null, a boolean, a number, a text or a list of
// them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tscatter::app {

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

}  // namespace tscatter::app

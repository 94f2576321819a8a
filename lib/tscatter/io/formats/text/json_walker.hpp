// What the structure of a tensor's JSON has to be, event by event: nested lists, or an object with
// dtype, shape and data. docs/formats.md, json.f1 to json.f9.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/io/formats/text/json_parser.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter {

// Tracks the shape of nested lists, and that they are regular.
class NestedLists {
 public:
  explicit NestedLists(const JsonReading& reading) : reading_{reading} {}

  void begin_list() {
    count_one();
    if (has_values_ && depth() >= dims_.size()) refuse_ragged("a list", "a value");
    counts_.push_back(0);
    // json.f9: one level more is allowed for the parts of complex values
    if (depth() > max_rank + 1) {
      fail(reading_.kind, "json.f9", reading_.name, "a tensor must have at most 64 axes, got more");
    }
    if (dims_.size() < depth()) dims_.push_back(-1);
  }

  void end_list() {
    std::int64_t& dim = dims_[depth() - 1];
    const std::int64_t count = counts_.back();
    counts_.pop_back();
    if (dim >= 0 && dim != count)
      refuse_ragged(fmt::format("{} elements", count), fmt::format("{}", dim));
    dim = count;
  }

  void value() {
    count_one();
    if (depth() < dims_.size()) refuse_ragged("a value", "a list");
    has_values_ = true;
    ++values_;
  }

  const Shape& shape() const { return dims_; }
  std::int64_t values() const { return values_; }

 private:
  std::size_t depth() const { return counts_.size(); }
  void count_one() {
    if (!counts_.empty()) ++counts_.back();
  }

  [[noreturn]] void refuse_ragged(std::string_view got, std::string_view before) const {
    Position place;
    for (const std::int64_t count : counts_) place.push_back(std::max<std::int64_t>(count - 1, 0));
    // json.f3
    fail(reading_.kind, "json.f3", reading_.name,
         "nested lists must have one length per axis, got {} at {} where {} came before", got,
         to_string(place), before);
  }

  const JsonReading& reading_;
  Shape dims_;
  std::vector<std::int64_t> counts_;  // elements so far of each open list
  std::int64_t values_ = 0;
  bool has_values_ = false;
};

// Walks one JSON tensor and passes each value of data on to the derived class.
class TensorWalker : public JsonEvents {
 public:
  TensorWalker(const Source& text, const JsonReading& reading)
      : text_{text}, reading_{reading}, lists_{reading} {}

  void null() override { refuse_value("null", json_word_hint("null")); }
  void boolean(bool value) override { take(value, value ? "true" : "false"); }
  void number(std::string_view text) override {
    const std::optional<ElementValue> value = json_number(text);
    // json.f4
    if (!value) {
      fail(reading_.kind, "json.f4", reading_.name, "a finite number must fit float64, got {}",
           text);
    }
    take(*value, text);
  }

  void string(std::string_view text) override {
    if (part_ == Part::dtype) return take_dtype(text);
    const bool is_number = text == "NaN" || text == "Infinity" || text == "-Infinity";
    if (!is_number) refuse_value(fmt::format("\"{}\"", text), json_word_hint(text));
    number(text);
  }

  void start(char bracket) override {
    if (bracket == '{') return start_object();
    if (part_ == Part::data) {
      lists_.begin_list();
    } else if (part_ == Part::shape && !shape_) {
      shape_.emplace();
    } else {
      refuse_value("a list");
    }
  }

  void key(std::string_view name) override {
    constexpr std::array<std::string_view, 3> names{"dtype", "shape", "data"};
    const auto known = std::ranges::find(names, name);
    // json.f5
    if (known == names.end()) {
      fail(reading_.kind, "json.f5", reading_.name,
           "the keys must be dtype, shape and data{}, got \"{}\"",
           nearest_hint(name, {names.begin(), names.end()}), name);
    }
    const auto index = static_cast<std::size_t>(known - names.begin());
    // json.f5
    if (std::exchange(seen_[index], true)) {
      fail(reading_.kind, "json.f5", reading_.name, "the key \"{}\" occurs twice", name);
    }
    part_ = std::array{Part::dtype, Part::shape, Part::data}[index];
  }

  void end(char bracket) override {
    if (bracket == ']') {
      if (part_ == Part::data) lists_.end_list();
      return;
    }
    // json.f5
    if (!seen_[2]) fail(reading_.kind, "json.f5", reading_.name, "the object has no key data");
  }

  [[noreturn]] void refuse(const JsonFault& fault) override {
    // json.f1
    if (fault.token == JsonFault::Token::too_long) {
      fail(reading_.kind, "json.f1", reading_.name,
           "a string or a number must be at most {} bytes long, got more", longest_json_token);
    }
    const auto [hint, got] = json_mistake(text_, fault);
    // json.f1
    fail(reading_.kind, "json.f1", reading_.name, "the text must be JSON{}, got {}", hint, got);
  }

 protected:
  const JsonReading& reading() const { return reading_; }
  const NestedLists& lists() const { return lists_; }
  std::optional<DType> dtype() const { return dtype_; }
  const std::string& dtype_word() const { return dtype_word_; }
  const std::optional<Shape>& given_shape() const { return shape_; }

  virtual void on_value(const ElementValue& value, std::string_view text) = 0;

 private:
  enum class Part : std::uint8_t { none, dtype, shape, data };

  void start_object() {
    if (in_object_ || part_ != Part::data || !lists_.shape().empty()) refuse_value("an object");
    in_object_ = true;
    part_ = Part::none;
  }

  void take_dtype(std::string_view text) {
    dtype_ = dtype_from_name(text);
    dtype_word_ = text;
    // json.f6
    if (!dtype_) {
      fail(reading_.kind, "json.f6", reading_.name, "dtype must name a numeric dtype{}, got \"{}\"",
           dtype_hint(text), text);
    }
  }

  [[noreturn]] void refuse_value(std::string_view got, std::string_view hint = {}) const {
    // json.f6
    if (part_ == Part::dtype)
      fail(reading_.kind, "json.f6", reading_.name, "dtype must be a name, got {}", got);
    // json.f7
    if (part_ == Part::shape) {
      fail(reading_.kind, "json.f7", reading_.name, "shape must be a list of sizes, got {}", got);
    }
    // json.f2
    fail(reading_.kind, "json.f2", reading_.name,
         "a value must be a number, true, false or a list{}, got {}", hint, got);
  }

  void take(const ElementValue& value, std::string_view text) {
    if (part_ == Part::shape) return take_dim(value, text);
    if (part_ != Part::data) refuse_value(text);
    lists_.value();
    on_value(value, text);
  }

  void take_dim(const ElementValue& value, std::string_view text) {
    const auto* dim = std::get_if<std::int64_t>(&value);
    if (!shape_ || dim == nullptr || *dim < 0) refuse_value(text);
    // json.f9
    if (shape_->size() == max_rank) {
      fail(reading_.kind, "json.f9", reading_.name, "a tensor must have at most 64 axes, got more");
    }
    shape_->push_back(*dim);
  }

  const Source& text_;
  const JsonReading& reading_;
  NestedLists lists_;
  Part part_ = Part::data;
  bool in_object_ = false;
  std::array<bool, 3> seen_{};
  std::optional<DType> dtype_;
  std::string dtype_word_;  // as the text names it
  std::optional<Shape> shape_;
};

}  // namespace tscatter

#include "tscatter/views/basic_index.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter {
namespace {

constexpr std::array view_rule_rows{
    Rule{"view.v1", "a slice has at most three parts, and no step 0"},
    Rule{"view.v2", "an index is closed, and none of its items is empty"},
    Rule{"view.v3",
         "an index has items for at most as many axes as there are, and one ... at most"},
    Rule{"view.v4", "an integer of an index is in [-s, s), where s is the size of its axis"},
};

struct WholeNumber {
  std::int64_t value;  // beyond int64 the nearest
  bool is_beyond;
};

// All of it is digits after a sign.
std::optional<WholeNumber> whole_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  const bool are_digits = !digits.empty() && std::ranges::all_of(digits, [](char c) {
    return is_digit(static_cast<unsigned char>(c));
  });
  if (!are_digits) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  using Limits = std::numeric_limits<std::int64_t>;
  if (error == std::errc{}) return WholeNumber{.value = number, .is_beyond = false};
  return WholeNumber{.value = is_negative ? Limits::min() : Limits::max(), .is_beyond = true};
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':')) {
    parts.push_back(trimmed(text.substr(0, colon)));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(trimmed(text));
  return parts;
}

std::optional<BasicItem> parse_slice(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text);
  std::array<std::optional<std::int64_t>, 3> numbers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = whole_number(parts[i]);
    if (!number && !parts[i].empty()) return std::nullopt;
    if (i < numbers.size() && number) numbers[i] = number->value;
  }
  // view.v1
  if (parts.size() > numbers.size()) {
    fail(ErrorKind::usage, "view.v1", "index", "a slice must have at most three parts, got {}",
         text);
  }
  return SliceItem{.start = numbers[0], .stop = numbers[1], .step = numbers[2]};
}

// Splits what stands between the brackets of an index.
class ItemSplitter {
 public:
  // `begin`: of the first item, after the bracket.
  ItemSplitter(std::string_view word, std::size_t begin)
      : word_{word}, bracket_{begin}, begin_{begin} {}

  // The items, and the place after the closing bracket.
  std::pair<std::vector<std::string>, std::size_t> split() {
    for (std::size_t at = begin_; at < word_.size(); ++at) {
      const char c = word_[at];
      if (quote_ != 0) {
        if (c == '\\') ++at;
        if (c == quote_) quote_ = 0;
      } else if (c == '"' || c == '\'') {
        quote_ = c;
      } else if (c == '[' || c == '{' || c == '(') {
        ++depth_;
      } else if (depth_ > 0 && (c == ']' || c == '}' || c == ')')) {
        --depth_;
      } else if (depth_ == 0 && (c == ']' || c == ',')) {
        end_item(at);
        if (c == ']') return {std::move(items_), at + 1};
      }
    }
    // view.v2
    fail(ErrorKind::usage, "view.v2", "index",
         "the bracket at character {0} is not closed in {1} (in a shell the word is quoted: "
         "'{2}...]')",
         bracket_, word_, word_.substr(0, bracket_));
  }

 private:
  void end_item(std::size_t at) {
    const std::string_view item = trimmed(word_.substr(begin_, at - begin_));
    const bool is_last = word_[at] == ']' && !items_.empty();  // a[ids,]
    // view.v2
    if (item.empty() && !is_last) {
      fail(ErrorKind::usage, "view.v2", "index", "an item is missing before character {} of {}",
           at + 1, word_);
    }
    if (!item.empty()) items_.emplace_back(item);
    begin_ = at + 1;
  }

  std::string_view word_;
  std::size_t bracket_;  // its character
  std::size_t begin_;
  std::size_t depth_ = 0;
  char quote_ = 0;
  std::vector<std::string> items_;
};

// Takes the items of a view one after another.
class ViewMaker {
 public:
  explicit ViewMaker(const Tensor& base)
      : base_{base}, strides_{strides_of(base.shape(), base.order())} {}

  Tensor make(std::span<const BasicItem> items, std::string name) {
    left_out_ = base_.rank() - axes_of(items);
    const bool has_ellipsis = std::ranges::any_of(items, is_ellipsis);
    for (const BasicItem& item : items) std::visit([&](const auto& some) { take(some); }, item);
    if (!has_ellipsis) take(EllipsisItem{});
    return strided_view(base_, origin_, axes_, std::move(name));
  }

 private:
  static bool is_ellipsis(const BasicItem& item) {
    return std::holds_alternative<EllipsisItem>(item);
  }

  std::size_t axes_of(std::span<const BasicItem> items) const {
    const auto ellipses = std::ranges::count_if(items, is_ellipsis);
    const auto axes =
        static_cast<std::size_t>(std::ranges::count_if(items, [](const BasicItem& item) {
          return std::holds_alternative<IntegerItem>(item) ||
                 std::holds_alternative<SliceItem>(item);
        }));
    // view.v3
    if (axes > base_.rank()) {
      fail(ErrorKind::usage, "view.v3", base_.name(),
           "there {} {} {}, and the index has items for {}", base_.rank() == 1 ? "is" : "are",
           base_.rank(), base_.rank() == 1 ? "axis" : "axes", axes);
    }
    // view.v3
    if (ellipses > 1) {
      fail(ErrorKind::usage, "view.v3", base_.name(),
           "an index must have at most one item ..., got {}", ellipses);
    }
    return axes;
  }

  void take(const IntegerItem& item) {
    const std::int64_t size = base_.shape()[axis_];
    // view.v4
    if (item.index < -size || item.index >= size) {
      fail(ErrorKind::usage, "view.v4", base_.name(),
           "an index must be in [-{0}, {0}) for axis {1}, got {2}", size, axis_, item.index);
    }
    origin_ += (item.index < 0 ? item.index + size : item.index) * strides_[axis_];
    ++axis_;
  }

  void take(const SliceItem& item) {
    // view.v1
    if (item.step == 0)
      fail(ErrorKind::usage, "view.v1", base_.name(), "the step of a slice must not be 0");
    const SliceRange range =
        clamp_slice(item.start, item.stop, item.step.value_or(1), base_.shape()[axis_]);
    if (range.count > 0) origin_ += range.first * strides_[axis_];
    axes_.push_back(
        {.count = range.count, .stride = range.count > 1 ? range.step * strides_[axis_] : 0});
    ++axis_;
  }

  void take(const EllipsisItem&) {
    for (; left_out_ > 0; --left_out_) take(SliceItem{});
  }

  void take(const NewAxisItem&) { axes_.push_back({.count = 1, .stride = 0}); }

  const Tensor& base_;
  std::vector<std::int64_t> strides_;
  std::size_t left_out_ = 0;  // axes that no item is for
  std::size_t axis_ = 0;
  std::int64_t origin_ = 0;
  std::vector<ViewAxis> axes_;
};

// Where the bracket stands that follows a list; npos if none does.
std::size_t behind_list(std::string_view word) {
  const std::size_t end = word.find("][");
  return end == std::string_view::npos ? end : end + 1;
}

}  // namespace

const std::span<const Rule> view_rules = view_rule_rows;

std::optional<BasicItem> parse_basic_item(std::string_view text) {
  text = trimmed(text);
  if (text == "...") return EllipsisItem{};
  if (text == "None" || text == "newaxis") return NewAxisItem{};
  if (text.find(':') != std::string_view::npos) return parse_slice(text);
  const auto number = whole_number(text);
  if (!number) return std::nullopt;
  // view.v4
  if (number->is_beyond)
    fail(ErrorKind::usage, "view.v4", "index", "an integer must fit int64, got {}", text);
  return IntegerItem{number->value};
}

std::optional<IndexedWord> split_index(std::string_view word) {
  word = trimmed(word);
  if (word.starts_with('{')) return std::nullopt;
  const bool is_list = word.starts_with('[');  // [1, 2, 3][0]
  for (std::size_t bracket = is_list ? behind_list(word) : word.find('[');
       bracket != std::string_view::npos;) {
    auto [items, end] = ItemSplitter(word, bracket + 1).split();
    if (end == word.size()) {
      return IndexedWord{.operand = std::string(trimmed(word.substr(0, bracket))),
                         .items = std::move(items)};
    }
    bracket = word.find('[', end);  // a folder's name may have some
  }
  return std::nullopt;
}

Tensor basic_view(const Tensor& base, std::span<const BasicItem> items, std::string name) {
  return ViewMaker(base).make(items, std::move(name));
}

}  // namespace tscatter

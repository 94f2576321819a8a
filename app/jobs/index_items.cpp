#include "jobs/index_items.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"
#include "tscatter/io/formats/text/literal.hpp"

namespace tscatter::app {
namespace {

struct Comparison {
  std::string_view sign;
  MaskTest test;
};

// The longer signs first.
constexpr std::array comparisons{
    Comparison{"<=", MaskTest::less_equal}, Comparison{">=", MaskTest::greater_equal},
    Comparison{"==", MaskTest::equal},      Comparison{"!=", MaskTest::not_equal},
    Comparison{"<", MaskTest::less},        Comparison{">", MaskTest::greater},
};

struct Question {
  std::string_view name;
  MaskTest test;
};
constexpr std::array questions{Question{"isnan", MaskTest::is_nan},
                               Question{"isinf", MaskTest::is_infinite},
                               Question{"isfinite", MaskTest::is_finite}};

const std::array verbs{
    IndexVerb{
        "set",
        "numpy.setitem",
        "write values at an index: a[index] = values",
        {"tscatter set 'a.npy[ids.npy]' rows.npy --in-place",
         "tscatter set 'a.npy[mask.npy]' 0 -o b.npy", "tscatter set 'a.npy[isnan]' 0 --in-place",
         "tscatter set 'image.npy[10:20, 30:40]' patch.npy --in-place"}},
    IndexVerb{"add",
              "numpy.add.at",
              "add values at an index: np.add.at(a, index, values)",
              {"tscatter add 'a.npy[ids.npy]' x.npy -o b.npy",
               "tscatter add 'model.safetensors:embed[ids.npy]' rows.npy --in-place --sync"}},
    IndexVerb{"sub",
              "numpy.subtract.at",
              "subtract values at an index",
              {"tscatter sub 'a.npy[ids.npy]' x.npy -o b.npy"}},
    IndexVerb{"mul",
              "numpy.multiply.at",
              "multiply by values at an index",
              {"tscatter mul 'a.npy[ids.npy]' 0.5 --in-place"}},
    IndexVerb{"min",
              "numpy.minimum.at",
              "keep the lesser of data and values at an index",
              {"tscatter min 'a.npy[ids.npy]' x.npy -o b.npy"}},
    IndexVerb{"max",
              "numpy.maximum.at",
              "keep the greater of data and values at an index",
              {"tscatter max 'a.npy[ids.npy]' x.npy -o b.npy"}},
    IndexVerb{"and",
              "numpy.bitwise_and.at",
              "bitwise and with values at an index, of integers and bools",
              {"tscatter and 'flags.npy[ids.npy]' 254 --in-place"}},
    IndexVerb{"or",
              "numpy.bitwise_or.at",
              "bitwise or with values at an index",
              {"tscatter or 'flags.npy[ids.npy]' 1 --in-place"}},
    IndexVerb{"xor",
              "numpy.bitwise_xor.at",
              "bitwise xor with values at an index",
              {"tscatter xor 'flags.npy[mask.npy]' 1 -o out.npy"}},
};

class IndexWordReader {
 public:
  IndexWordReader(std::string_view word, const std::filesystem::path& base, WordForm form,
                  const std::string& where)
      : word_{trimmed(word)}, base_{base}, form_{form}, where_{where} {}

  IndexWord read() {
    IndexWord made{.text = std::string(word_)};
    if (read_basic(made) || (!names_a_file() && read_computed(made))) return made;
    made.operand = operand(word_);
    return made;
  }

 private:
  // What is said of data itself, and an opposite, names no file.
  bool names_a_file() const {
    const auto begins = [&](const Comparison& each) { return word_.starts_with(each.sign); };
    const bool is_of_data = word_.starts_with('~') || std::ranges::any_of(comparisons, begins) ||
                            std::ranges::count(questions, word_, &Question::name) > 0;
    std::error_code error;
    return !is_of_data && std::filesystem::is_regular_file(base_ / word_, error);
  }

  OperandWord operand(std::string_view text) const {
    const bool is_list = trimmed(text).starts_with('[');  // also in a job's text
    const WordForm form = is_list && form_ == WordForm::path ? WordForm::json : form_;
    return {.text = std::string(trimmed(text)), .form = form, .is_item = true};
  }

  bool read_basic(IndexWord& made) const {
    made.basic = parse_basic_item(word_);
    return made.basic.has_value();
  }

  bool read_computed(IndexWord& made) const {
    require_no_module();
    require_tilde();
    require_one_condition();
    return read_opposite(made) || read_question(made) || read_comparison(made);
  }

  // np.isnan(X)
  void require_no_module() const {
    for (const std::string_view module : {"np.", "numpy."}) {
      if (!word_.starts_with(module)) continue;
      const std::string_view rest = word_.substr(module.size());
      for (const Question& each : questions) {
        // cli.c130
        if (rest.starts_with(each.name)) {
          fail(ErrorKind::usage, "cli.c130", where_,
               "write {} without {}, got {} ({} alone asks data itself)", rest, module, word_,
               each.name);
        }
      }
    }
  }

  // !M, -M
  void require_tilde() const {
    const bool may_be = word_.starts_with('!') || word_.starts_with('-');
    if (!may_be || word_.starts_with("!=")) return;
    const std::string_view mask = trimmed(word_.substr(1));
    std::error_code error;
    const bool is_mask = std::ranges::any_of(
        questions, [&](const Question& each) { return mask.starts_with(each.name); });
    // cli.c130
    if (is_mask || std::filesystem::is_regular_file(base_ / mask, error)) {
      fail(ErrorKind::usage, "cli.c130", where_, "a mask is inverted with ~: ~{}, got {}", mask,
           word_);
    }
  }

  // Returns how many comparisons are in the word.
  std::size_t comparisons_in_word() const {
    std::size_t count = 0;
    for (std::size_t at = 0; at < word_.size(); ++at) {
      const auto sign = std::ranges::find_if(comparisons, [&](const Comparison& each) {
        return word_.substr(at).starts_with(each.sign);
      });
      if (sign == comparisons.end()) continue;
      ++count;
      at += sign->sign.size() - 1;
    }
    return count;
  }

  // X < 7 & X > 3, (X < 7), np.where(X < 7)
  void require_one_condition() const {
    const std::size_t count = comparisons_in_word();
    const bool is_joined = word_.find_first_of("&|") != std::string_view::npos;
    // cli.c130
    if (count > 1 || (count == 1 && is_joined)) {
      fail(ErrorKind::usage, "cli.c130", where_,
           "an item has one condition, got {} (for several make the mask in NumPy and pass its "
           "file: 'w.npy[mask.npy]')",
           word_);
    }
    const std::size_t open = word_.find('(');
    // cli.c130
    if (count == 1 && !word_.starts_with('~') && open != std::string_view::npos &&
        word_.ends_with(')')) {
      fail(ErrorKind::usage, "cli.c130", where_, "a condition has no parentheses: {}, got {}",
           trimmed(word_.substr(open + 1, word_.size() - open - 2)), word_);
    }
  }

  // ~M, ~isnan(X), ~(X < 7)
  bool read_opposite(IndexWord& made) const {
    if (!word_.starts_with('~')) return false;
    bool is_opposite = false;
    std::string_view rest = word_;
    while (rest.starts_with('~')) {
      is_opposite = !is_opposite;
      rest = trimmed(rest.substr(1));
      if (rest.starts_with('(') && rest.ends_with(')'))
        rest = trimmed(rest.substr(1, rest.size() - 2));
    }
    IndexWord of = IndexWordReader(rest, base_, form_, where_).read();
    // cli.c130
    if (rest.empty() || of.basic) {
      fail(ErrorKind::usage, "cli.c130", where_, "a mask must follow ~{}{}",
           rest.empty() ? "" : ", got ", rest);
    }
    made.operand = std::move(of.operand);
    made.computed = of.computed.value_or(ComputedWord{.test = MaskTest::is_false});
    made.computed->is_opposite = of.computed ? is_opposite : !is_opposite;
    return true;
  }

  // isnan, isnan(X)
  bool read_question(IndexWord& made) const {
    for (const Question& each : questions) {
      if (!word_.starts_with(each.name)) continue;
      const std::string_view rest = trimmed(word_.substr(each.name.size()));
      if (!rest.empty() && (!rest.starts_with('(') || !rest.ends_with(')'))) continue;
      put(made, {.test = each.test}, rest.empty() ? rest : rest.substr(1, rest.size() - 2));
      return true;
    }
    return false;
  }

  // X < 7, < 7
  bool read_comparison(IndexWord& made) const {
    for (const Comparison& each : comparisons) {
      const std::size_t at = word_.find(each.sign);
      if (at == std::string_view::npos) continue;
      const std::string_view with = trimmed(word_.substr(at + each.sign.size()));
      const std::optional<Number> number = number_of(with);
      if (!number) refuse_number(each.sign, trimmed(word_.substr(0, at)), with);
      const bool is_whole = with.find_first_not_of("+-0123456789") == std::string_view::npos;
      put(made,
          {.test = each.test,
           .number = *number,
           .is_beyond = is_whole && std::holds_alternative<double>(*number)},
          word_.substr(0, at));
      return true;
    }
    return false;
  }

  // 0 < X, X < Y
  [[noreturn]] void refuse_number(std::string_view sign, std::string_view before,
                                  std::string_view after) const {
    std::string turned(sign);
    for (char& c : turned) c = c == '<' ? '>' : c == '>' ? '<' : c;
    const std::string hint = !after.empty() && number_of(before)
                                 ? fmt::format(" (write {} {} {})", after, turned, before)
                                 : "";
    // cli.c130
    fail(ErrorKind::usage, "cli.c130", where_, "a number must follow {}{}{}{}", sign,
         after.empty() ? "" : ", got ", after, hint);
  }

  void put(IndexWord& made, ComputedWord computed, std::string_view about) const {
    computed.is_about_data = trimmed(about).empty();
    made.computed = computed;
    if (computed.is_about_data) return;
    made.operand = operand(about);
    made.operand->is_compared = true;
  }

  std::string_view word_;
  const std::filesystem::path& base_;
  WordForm form_;
  const std::string& where_;
};

// How many values the typed literal still lacks that begins so, "3xu16=1": 2 there. 0 for a word
// that is none, or has its values.
std::size_t missing_values(const std::string& item) {
  const std::size_t equals = item.find('=');
  const auto header =
      equals == std::string::npos ? std::nullopt : literal_header(item.substr(0, equals));
  const bool is_begun = header && is_addressable(header->shape, header->type.size) &&
                        number_of(trimmed(std::string_view(item).substr(equals + 1)));
  return is_begun ? static_cast<std::size_t>(std::max<std::int64_t>(header->count(), 1) - 1) : 0;
}

}  // namespace

std::span<const IndexVerb> index_verbs() { return verbs; }

std::vector<std::string> item_words() {
  std::vector<std::string> words{"None", "newaxis"};
  for (const Question& each : questions) words.emplace_back(each.name);
  return words;
}

const Operation* operation_of_verb(std::string_view word) {
  const auto verb = std::ranges::find(verbs, word, &IndexVerb::word);
  return verb == verbs.end() ? nullptr : find_operation(verb->operation);
}

std::vector<std::string> with_whole_literals(const std::vector<std::string>& items) {
  std::vector<std::string> whole;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t missing = missing_values(items[i]);
    const auto rest = std::span(items).subspan(i + 1);
    const bool follow = missing <= rest.size() &&
                        std::ranges::all_of(rest.first(missing), [](const std::string& each) {
                          return number_of(each).has_value();
                        });
    const auto values = std::span(items).subspan(i, follow ? missing + 1 : 1);
    whole.push_back(fmt::format("{}", fmt::join(values, ",")));
    i += values.size() - 1;
  }
  return whole;
}

IndexWord parse_index_word(const std::string& word, const std::filesystem::path& base,
                           WordForm form, const std::string& where) {
  return IndexWordReader(word, base, form, where).read();
}

}  // namespace tscatter::app

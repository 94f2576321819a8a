#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tscatter/core/characters.hpp"
#include "tscatter/io/formats/text/csv.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {
namespace {

using Word = std::string_view;

// What pandas.read_csv reads as a missing value, without the texts that are numbers.
constexpr std::array missing_words{Word(""),    Word("#N/A"), Word("#N/A N/A"),
                                   Word("#NA"), Word("<NA>"), Word("N/A"),
                                   Word("NA"),  Word("NULL"), Word("None")};

// What other programs write for a missing value, and for a boolean.
constexpr std::array value_words{
    Word("true"), Word("false"), Word("nil"),     Word("undefined"), Word("undef"), Word("missing"),
    Word("n.a."), Word("n.d."),  Word("nothing"), Word("nodata"),    Word("nat"),   Word("yes"),
    Word("no"),   Word("qnan"),  Word("snan"),    Word("nanq"),      Word("nans"),  Word("n/a."),
    Word("n.a"),  Word("n.d"),   Word("nul"),     Word("unknown"),   Word("tbd")};

// Error words of spreadsheets in many languages; all others end in ! or ?.
constexpr std::array error_words{Word("#N/A"),
                                 Word("#N/A N/A"),
                                 Word("#NA"),
                                 Word("#NV"),
                                 Word("#N/D"),
                                 Word("#N/B"),
                                 Word("#I/T"),
                                 Word("#Н/Д"),
                                 Word("#Δ/Υ"),
                                 Word("#YOK"),
                                 Word("#DIV/0"),
                                 Word("#HIÁNYZIK"),
                                 Word("#NENÍ_K_DISPOZICI"),
                                 Word("#GETTING_DATA")};

bool is_one_of(Word cell, std::span<const Word> words) {
  return std::ranges::any_of(words, [&](Word each) { return equal_ignoring_case(each, cell); });
}

bool starts_ignoring_case(Word text, Word front) {
  return equal_ignoring_case(text.substr(0, front.size()), front);
}

// Without the word at its front, whatever the case; nullopt if it begins otherwise.
std::optional<Word> after(Word text, Word front) {
  if (!starts_ignoring_case(text, front)) return std::nullopt;
  return text.substr(front.size());
}

bool is_sign(char c) { return c == '+' || c == '-'; }

bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// 1.#INF, 1.#QNAN0 and 1.#IND00e+000, which depend on how many digits were asked for.
std::optional<double> visual_c_number(Word text) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (is_one_of(text, std::array{Word("nan(ind)"), Word("nan(snan)")})) return nan;
  const auto word = after(text, "1.#");
  if (!word) return std::nullopt;
  for (const Word kind : {Word("INF"), Word("IND"), Word("QNAN"), Word("SNAN")}) {
    const auto digits = after(*word, kind);
    if (!digits || digits->find_first_not_of("0eE+") != Word::npos) continue;
    return kind == "INF" ? std::numeric_limits<double>::infinity() : nan;
  }
  return std::nullopt;
}

// Also several numbers with a wrong separator, a date, and a number beyond float64.
bool resembles_numbers(Word cell) {
  return cell.find_first_not_of("+-.0123456789eE,; \t") == Word::npos &&
         cell.find_first_of("0123456789") != Word::npos;
}

// nan(1), nan0x7, inf., nan%, nan+1j: but not info, nano or inf_1.
bool resembles_nan(Word cell) {
  for (const Word word : {Word("nan"), Word("infinity"), Word("inf")}) {
    const auto rest = after(cell, word);
    if (rest && !rest->empty() && Word("(.%+-*,;/#0123456789").find(rest->front()) != Word::npos)
      return true;
  }
  return false;
}

struct Characters {
  char32_t first;
  char32_t last;
};

// Beyond ASCII: punctuation, signs, blanks and digits, which begin numbers and not names.
constexpr std::array no_letters{
    Characters{0x80, 0xA9},     Characters{0xAB, 0xAF},     Characters{0xB1, 0xB4},
    Characters{0xB6, 0xB9},     Characters{0xBB, 0xBF},     Characters{0xD7, 0xD7},
    Characters{0xF7, 0xF7},     Characters{0x660, 0x66C},   Characters{0x6F0, 0x6F9},
    Characters{0x7C0, 0x7C9},   Characters{0xE50, 0xE59},   Characters{0xED0, 0xED9},
    Characters{0xF20, 0xF33},   Characters{0x1040, 0x1049}, Characters{0x17E0, 0x17E9},
    Characters{0x1810, 0x1819}, Characters{0x2000, 0x20FF}, Characters{0x2150, 0x2BFF},
    Characters{0x3000, 0x3004}, Characters{0x3008, 0x3030}, Characters{0xFE10, 0xFE6F},
    Characters{0xFEFF, 0xFF20}, Characters{0xFFE0, 0xFFFF}, Characters{0x1D7CE, 0x1D7FF}};

// The digits of India's alphabets have one place in each block.
bool is_indic_digit(char32_t code) {
  constexpr char32_t in_block = 0x7F;
  return code >= 0x900 && code < 0xE00 && (code & in_block) >= 0x66 && (code & in_block) <= 0x6F;
}

// A byte that is not UTF-8 is a character of Latin-1.
bool begins_with_letter(Word cell) {
  if (cell.empty()) return false;
  if (is_letter(cell[0]) || cell[0] == '_') return true;
  const auto byte = static_cast<unsigned char>(cell[0]);
  if (byte < 0x80U) return false;
  const std::size_t size = character_size(cell);
  const char32_t code = size == 0 ? char32_t{byte} : code_point(cell.substr(0, size));
  return !is_indic_digit(code) && std::ranges::none_of(no_letters, [&](const Characters& each) {
    return code >= each.first && code <= each.last;
  });
}

bool is_complex(Word cell) {
  return cell.find_first_of("jJ") != Word::npos &&
         cell.find_first_not_of("()+-.0123456789eEjJ") == Word::npos;
}

}  // namespace

std::optional<ElementValue> number_in_cell(Word cell) {
  const bool is_open = !cell.ends_with(')');  // nan(1), which C reads, is no number here
  if (is_open) {
    if (const auto number = parse_number(cell)) return number;
  }
  const bool has_sign = !cell.empty() && is_sign(cell.front());
  const auto number = visual_c_number(cell.substr(has_sign ? 1 : 0));
  if (!number) return std::nullopt;
  return cell.front() == '-' ? -*number : *number;
}

std::optional<bool> truth_in_cell(Word cell) {
  constexpr std::array words{Word("false"), Word("true")};
  const auto* const word =
      std::ranges::find_if(words, [&](Word each) { return equal_ignoring_case(each, cell); });
  return word == words.end() ? std::nullopt : std::optional(word != words.begin());
}

bool is_missing(Word cell) { return is_one_of(cell, missing_words); }

bool is_name(Word cell) {
  return begins_with_letter(cell) && !resembles_numbers(cell) && !resembles_nan(cell) &&
         !is_missing(cell) && !is_one_of(cell, value_words) && !starts_ignoring_case(cell, "err:");
}

bool is_error_word(Word word, Separator separator) {
  constexpr std::size_t shortest = 3;
  if (!word.starts_with('#')) return false;
  if (is_one_of(word, error_words)) return true;
  if (word.find_first_of(" \t") != Word::npos) return false;
  // In a .txt file a line of # alone is a frame around comments.
  if (word.find_first_not_of('#') == Word::npos)
    return word.size() > 1 && separator != Separator::blanks;
  return word.size() >= shortest && (word.back() == '!' || word.back() == '?');
}

std::string_view hint_on_cell(Word cell, Separator separator) {
  if (truth_in_cell(cell)) return " (true is written 1, false 0; then x.csv:NAME != 0 is the mask)";
  if (is_missing(cell)) return " (--missing nan reads missing values as NaN)";
  if (is_complex(cell)) return " (complex values are written as JSON, [re, im])";
  if (is_error_word(cell, separator))
    return " (an error word of a spreadsheet; a comment has a blank after its #)";
  const bool has_blanks = cell.find_first_of(" \t") != Word::npos;
  const bool has_commas = cell.find_first_of(",;") != Word::npos;
  if (has_blanks && separator != Separator::blanks)
    return " (blanks separate the cells of a .txt file)";
  if (has_commas && separator != Separator::comma)
    return " (commas separate the cells of a .csv file)";
  return has_commas ? " (a decimal point is a dot)" : "";
}

std::string shown_cell(Word cell) {
  constexpr std::size_t most = 40;
  if (cell.empty()) return "an empty cell";
  return std::string(cell.substr(0, most)) + (cell.size() > most ? "..." : "");
}

}  // namespace tscatter

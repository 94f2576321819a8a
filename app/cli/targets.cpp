#include "cli/targets.hpp"

#include <iterator>

#include "jobs/casts.hpp"
#include "jobs/locks.hpp"
#include "jobs/operand.hpp"
#include "text/number_text.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {

Target turn_on(bool& place) { return set_to(place, true); }

Target count_up(int& place) {
  return {.set = [&place](const auto&, const auto&) { ++place; }};
}

Flag noting(std::vector<std::string>& given, Flag flag) {
  flag.into.set = [&given, name = "--" + flag.name, set = std::move(flag.into.set)](
                      const std::string& text, const std::string& where) {
    set(text, where);
    given.push_back(name);
  };
  return flag;
}

Target text(std::string& place) {
  return {.set = [&place](const auto& text, const auto&) { place = text; }};
}

Target text(std::optional<std::string>& place) {
  return {.set = [&place](const auto& text, const auto&) { place = text; }};
}

Target operand(const std::function<void(OperandWord word)>& set) {
  return {.set =
              [set](const auto& text, const auto& where) {
                OperandWord word = raw_operand(text, where).value_or(OperandWord{.text = text});
                word.where = where;
                set(std::move(word));
              },
          .take = [set](const Array& array) { set(array.word()); }};
}

Target operand(OperandWord& place) {
  return operand([&place](OperandWord word) { place = std::move(word); });
}

Target operand(std::optional<OperandWord>& place) {
  return operand([&place](OperandWord word) { place = std::move(word); });
}

Target texts(std::vector<std::string>& place) {
  return {.set = [&place](const auto& text, const auto&) { place.push_back(text); }};
}

std::int64_t parse_integer(const std::string& text, const std::string& where, std::int64_t least,
                           std::int64_t most) {
  const auto value = number_in<std::int64_t>(text);
  // cli.c4
  if (!value || *value < least || *value > most) {
    fail(ErrorKind::usage, "cli.c4", where, "must be an integer from {} to {}, got {}", least, most,
         text);
  }
  return *value;
}

DType parse_dtype_flag(const std::string& name, const std::string& where) {
  return parse_dtype(name, "cli.c4", where);
}

Target dtype(std::optional<DType>& place) { return parsed(place, parse_dtype_flag); }

Flag beside(std::string_view others, Flag flag) {
  flag.only_with = others;
  return flag;
}

std::vector<Flag> without(std::string_view others, std::vector<Flag> flags) {
  for (Flag& flag : flags) flag.never_with = others;
  return flags;
}

std::vector<Flag> joined(std::vector<Flag> flags, std::vector<Flag> more) {
  flags.insert(flags.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  return flags;
}

Flag threads_flag(int& threads) {
  constexpr int most = 1024;
  return {.name = "threads",
          .letter = 'j',
          .group = "Run",
          .value = "N",
          .help = "workers (default, and 0: all cores)",
          .into = integer(threads, 0, most)};
}

Target worst(std::int64_t& place) {
  return parsed(place, [](const std::string& text, const std::string& where) {
    const auto count = number_in<std::int64_t>(text);
    // cli.c20
    if (!count || *count < 0 || *count > most_worst) {
      fail(ErrorKind::usage, "cli.c20", where, "must be an integer from 0 to {}, got {}",
           most_worst, text);
    }
    return *count;
  });
}

Flag dtype_flag(Target into) {
  return {
      .name = "dtype",
      .group = "Operands",
      .value = "DTYPE",
      .help = "the dtype of values without one, and how to read 1- and 2-byte records (bfloat16)",
      .into = std::move(into)};
}

Flag missing_flag(Missing& missing) {
  return {.name = "missing",
          .group = "Operands",
          .value = "NAME",
          .help =
              "nan: missing values of tables of numbers (empty cells, NA, null) become NaN; for "
              "real dtypes",
          .into = one_of<Missing, Missing>(missing, {{"nan", Missing::nan}})};
}

Flag cast_flag(CastPolicy& policy) {
  return {.name = "cast",
          .group = "Operands",
          .value = "NAME",
          .help =
              [standard = policy] {
                return fmt::format(
                    "which casts of updates to data's dtype are allowed, in NumPy's words: no, "
                    "safe, same-kind or unsafe (default: {})",
                    cast_names()[static_cast<std::size_t>(standard)]);
              },
          .into = {
              .choices = cast_names(),
              .is_alias = [](const auto& text) { return text == "same_kind"; },
              .set = [&policy](const auto& text,
                               const auto& where) { policy = parse_cast(text, "cli.c4", where); }}};
}

Flag sync_flag(Durability& durability) {
  return {.name = "sync",
          .group = "Output",
          .help = "survive a power cut, not only a kill",
          .into = set_to(durability, Durability::power_cut)};
}

Flag wait_flag() {
  constexpr std::int64_t longest = 1'000'000'000;
  return {.name = "wait",
          .group = "Output",
          .value = "SECONDS",
          .help =
              "how long to wait for a lock that another process holds (default: without limit; in "
              "place, not at all)",
          .into = {.set = [](const std::string& text, const std::string& where) {
            set_lock_wait(std::chrono::seconds(parse_integer(text, where, 0, longest)));
          }}};
}

Flag json_flag(HelpWords help, Target into, std::string_view group) {
  return {.name = "json", .group = group, .help = std::move(help), .into = std::move(into)};
}

}  // namespace tscatter::app

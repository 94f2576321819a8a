#include "cli/targets.hpp"

#include <iterator>

#include "jobs/job_policies.hpp"
#include "jobs/operand.hpp"
#include "jobs/resources.hpp"
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

Flag never_beside(std::string_view others, Flag flag) {
  flag.never_with = others;
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

Flag switch_flag(std::string name, HelpWords help, Target into) {
  return {.name = std::move(name), .help = std::move(help), .into = std::move(into)};
}

Flag value_flag(std::string name, std::string_view value, HelpWords help, Target into) {
  return {
      .name = std::move(name), .value = value, .help = std::move(help), .into = std::move(into)};
}

Flag with_letter(char letter, Flag flag) {
  flag.letter = letter;
  return flag;
}

Flag repeatable(Flag flag) {
  flag.occurrence = Occurrence::repeated;
  return flag;
}

Flag in_group(std::string_view group, Flag flag) {
  flag.group = group;
  return flag;
}

Flag threads_flag(int& threads) {
  constexpr int most = 1024;
  return in_group("Run",
                  with_letter('j', value_flag("threads", "N", "workers (default, and 0: all cores)",
                                              integer(threads, 0, most))));
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
  return in_group(
      "Operands",
      value_flag(
          "dtype", "DTYPE",
          "the dtype of values without one, and how to read 1- and 2-byte records (bfloat16)",
          std::move(into)));
}

Flag missing_flag(Missing& missing) {
  return in_group("Operands",
                  value_flag("missing", "NAME",
                             "nan: missing values of tables of numbers (empty cells, NA, null) "
                             "become NaN; for real dtypes",
                             one_of<Missing, Missing>(missing, {{"nan", Missing::nan}})));
}

Flag cast_flag(CastPolicy& policy) {
  const auto help = [standard = policy] {
    return fmt::format(
        "which casts of updates to data's dtype are allowed, in NumPy's words: no, "
        "safe, same-kind or unsafe (default: {})",
        cast_names()[static_cast<std::size_t>(standard)]);
  };
  Target into = parsed(policy, [](const std::string& text, const std::string& where) {
    return parse_cast(text, "cli.c4", where);
  });
  into.choices = cast_names();
  into.is_alias = [](const auto& text) { return text == "same_kind"; };
  return in_group("Operands", value_flag("cast", "NAME", help, std::move(into)));
}

Flag sync_flag(Durability& durability) {
  return in_group("Output", switch_flag("sync", "survive a power cut, not only a kill",
                                        set_to(durability, Durability::power_cut)));
}

Flag wait_flag() {
  constexpr std::int64_t longest = 1'000'000'000;
  const auto set = [](const std::string& text, const std::string& where) {
    set_lock_wait(std::chrono::seconds(parse_integer(text, where, 0, longest)));
  };
  return in_group("Output", value_flag("wait", "SECONDS",
                                       "how long to wait for a lock that another process holds "
                                       "(default: without limit; in place, not at all)",
                                       {.set = set}));
}

Flag json_flag(HelpWords help, ReportForm& form) {
  return switch_flag("json", std::move(help), set_to(form, ReportForm::json));
}

}  // namespace tscatter::app

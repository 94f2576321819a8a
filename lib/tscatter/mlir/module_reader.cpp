#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/mlir/dense.hpp"
#include "tscatter/mlir/module.hpp"

namespace tscatter::mlir {
namespace {

constexpr std::string_view dims_attribute = "#stablehlo.scatter";
constexpr std::array<std::string_view, 3> constant_words{"stablehlo.constant", "arith.constant",
                                                         "util.unfoldable_constant"};
constexpr std::array<std::string_view, 2> promise_words{"indices_are_sorted", "unique_indices"};

// Why a function is not run here. It is caught where the function is read.
struct NotRun {
  std::string reason;
};

[[noreturn]] void leave(std::string reason) { throw NotRun{std::move(reason)}; }

[[noreturn]] void leave_at(const Token& token, std::string_view what) {
  leave(fmt::format("{} in line {}", what, token.line));
}

// The number that a check may have, and what it is without one: where it is an operation, and where
// it is the target of a custom_call.
struct CheckWord {
  std::string_view word;
  std::string_view number;  // "": it has none
  double by_itself;
  double as_target;
};

constexpr std::string_view ulp_word = "max_ulp_difference";

constexpr std::array check_words{CheckWord{"check.expect_eq", "", 0, 0},
                                 CheckWord{"check.expect_eq_const", "", 0, 0},
                                 CheckWord{"check.expect_almost_eq", "tolerance", 1e-4, 1e-3},
                                 CheckWord{"check.expect_almost_eq_const", "tolerance", 1e-4, 1e-4},
                                 CheckWord{"check.expect_close", ulp_word, 1, 3}};

const CheckWord* find_check(std::string_view word) {
  const auto* const found = std::ranges::find(check_words, word, &CheckWord::word);
  return found == check_words.end() ? nullptr : found;
}

struct Value {
  std::string_view constant = {};  // "dense<…> : tensor<…>"
  std::string_view callee = {};    // or the function, without arguments, that returns it
  bool is_scattered = false;       // or the scatter's result
};

struct Check {
  const CheckWord* word = nullptr;
  double number = 0;
  std::string_view actual = {};    // the names of values
  std::string_view expected = {};  // or this is empty:
  std::string_view constant = {};
};

struct Scatter {
  std::vector<std::string_view> operands = {};  // the names of values
  std::string dims = {};
  std::vector<std::string> promises = {};
  Reduction body = Reduction::none;
  std::string_view element = {};  // the type of the region's arguments: "tensor<f32>"
};

// What the statements of a function say.
struct Body {
  std::map<std::string_view, Value> values = {};
  std::optional<Scatter> scatter = {};
  std::vector<Check> checks = {};
  std::vector<std::string_view> returned = {};
};

// "%0#1" -> "%0", 1.
std::pair<std::string_view, std::size_t> split_value(std::string_view name) {
  const std::size_t mark = name.find('#');
  std::size_t number = 0;
  if (mark != std::string_view::npos)
    std::from_chars(name.data() + mark + 1, name.data() + name.size(), number);
  return {name.substr(0, mark), number};
}

// "stablehlo.add" of a word, and of a string: the generic form.
std::string_view name_of(const Token& token) {
  if (token.kind == TokenKind::word) return token.text;
  return token.kind == TokenKind::string ? token.text.substr(1, token.text.size() - 2) : "";
}

std::string_view without_quotes(std::string_view symbol) {
  symbol.remove_prefix(1);
  if (symbol.starts_with('"')) symbol = symbol.substr(1, symbol.size() - 2);
  return symbol;
}

std::string without_blanks(std::string_view text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size(); ++at) {
    at += blanks_at(text, at);
    if (at < text.size()) kept += text[at];
  }
  return kept;
}

// Reads the statements of one function.
class BodyReader {
 public:
  // `at`: behind its {.
  explicit BodyReader(Scanner at) : scanner_{at} {}

  // Throws NotRun and Error (format, mlir.f1).
  Body read() {
    while (!scanner_.take("}")) {
      statement();
      if (scanner_.take("loc")) scanner_.group("(");
    }
    return std::move(body_);
  }

 private:
  void statement() {
    const std::vector<std::string_view> results = results_before_operation();
    const Token operation = scanner_.next();
    const std::string_view name = name_of(operation);
    if (std::ranges::count(constant_words, name) > 0) return constant(operation, results);
    if (name == "stablehlo.scatter" && operation.kind == TokenKind::string)
      return scatter(operation, results);
    if (name == "call" || name == "func.call") return call(operation, results);
    if (name == "return" || name == "func.return") return give_back(operation);
    if (name == "stablehlo.custom_call") return custom_call(operation);
    if (const CheckWord* check = find_check(name)) return read_check(*check);
    if (name.empty()) scanner_.refuse("must have an operation here", operation.text);
    leave_at(operation, fmt::format("the operation {}", name));
  }

  // "%a = " and "%a:2 = " give names, others nothing.
  std::vector<std::string_view> results_before_operation() {
    std::vector<std::string_view> names;
    if (!scanner_.has(TokenKind::value)) return names;
    do {
      names.push_back(scanner_.require(TokenKind::value, "a value (%0)").text);
      if (scanner_.take(":")) scanner_.require(TokenKind::number, "a number of results");
    } while (scanner_.take(","));
    scanner_.require("=");
    return names;
  }

  void define(const Token& operation, const std::vector<std::string_view>& names,
              const Value& value) {
    if (names.size() != 1) leave_at(operation, "several results under names of their own");
    body_.values.insert_or_assign(names[0], value);
  }

  std::string_view type() {
    const std::size_t begin = scanner_.offset();
    scanner_.require(TokenKind::word, "a type");
    if (scanner_.has("<")) scanner_.group("<");
    return scanner_.since(begin);
  }

  // ": (types) -> types"
  void signature() {
    scanner_.require(":");
    scanner_.group("(");
    scanner_.require("->");
    scanner_.has("(") ? static_cast<void>(scanner_.group("(")) : static_cast<void>(type());
  }

  // "dense<…> : tensor<…>", as it is written.
  std::string_view dense() {
    const Token word = scanner_.token();
    const std::size_t begin = scanner_.offset();
    if (!scanner_.take("dense") || !scanner_.has("<")) leave_at(word, "a constant without dense<");
    scanner_.dense();
    scanner_.require(":");
    const std::string_view type = this->type();
    if (!header_of(type)) leave_at(word, fmt::format("the type {}", type));
    return scanner_.since(begin);
  }

  // stablehlo.constant dense<…> : tensor<…>; in the generic form () {value = dense<…> : tensor<…>}.
  void constant(const Token& operation, const std::vector<std::string_view>& results) {
    if (operation.kind == TokenKind::word) return define(operation, results, {.constant = dense()});
    scanner_.group("(");
    const bool has_angle = scanner_.take("<");
    scanner_.require("{");
    scanner_.require("value");
    scanner_.require("=");
    const std::string_view text = dense();
    scanner_.require("}");
    if (has_angle) scanner_.require(">");
    signature();
    define(operation, results, {.constant = text});
  }

  // "(%0#0, %c)"
  std::vector<std::string_view> operands() {
    std::vector<std::string_view> names;
    scanner_.require("(");
    while (!scanner_.has(")")) {
      names.push_back(scanner_.require(TokenKind::value, "a value (%0)").text);
      if (!scanner_.take(",")) break;
    }
    scanner_.require(")");
    return names;
  }

  void call(const Token& operation, const std::vector<std::string_view>& results) {
    const Token callee = scanner_.require(TokenKind::symbol, "a function (@main)");
    if (!operands().empty()) leave_at(operation, "a call with arguments");
    signature();
    define(operation, results, {.callee = without_quotes(callee.text)});
  }

  void give_back(const Token& operation) {
    if (operation.kind == TokenKind::string) {
      body_.returned = operands();
      return signature();
    }
    while (scanner_.has(TokenKind::value)) {
      body_.returned.push_back(scanner_.next().text);
      if (!scanner_.take(",")) break;
    }
    if (scanner_.take(":")) types();
  }

  void types() {
    do type();
    while (scanner_.take(","));
  }

  double number() {
    const Token token = scanner_.require(TokenKind::number, "a number");
    const auto value = parse_real(token.text);
    if (!value) scanner_.refuse("must have a number here", token.text);
    return *value;
  }

  // ", tolerance = 0.1 : f64" of the pretty form.
  void numbers_of_check(Check& check) {
    while (scanner_.take(",")) {
      const Token key = scanner_.require(TokenKind::word, "the name of a number");
      scanner_.require("=");
      const double value = number();
      if (scanner_.has(":") && check.word->number != ulp_word) {
        scanner_.next();
        type();
      }
      const bool is_known = key.text == check.word->number;
      if (is_known) check.number = value;
      if (!is_known && value != 0) leave_at(key, fmt::format("the number {}", key.text));
    }
  }

  // check.expect_eq %0, %1 : tensor<…>; also with brackets around the operands, as IREE has it.
  void read_check(const CheckWord& word) {
    Check check{.word = &word, .number = word.by_itself};
    const bool is_in_brackets = scanner_.take("(");
    check.actual = scanner_.require(TokenKind::value, "a value (%0)").text;
    scanner_.require(",");
    if (word.word.ends_with("_const")) {
      check.constant = dense();
    } else {
      check.expected = scanner_.require(TokenKind::value, "a value (%0)").text;
    }
    numbers_of_check(check);
    if (is_in_brackets) scanner_.require(")");
    if (scanner_.has("{")) scanner_.group("{");
    if (scanner_.take(":")) types();
    body_.checks.push_back(check);
  }

  // stablehlo.custom_call @check.expect_eq(%0, %1) {…} : (…) -> ()
  void custom_call(const Token& operation) {
    const Token target = scanner_.require(TokenKind::symbol, "a target (@check.expect_eq)");
    const CheckWord* const word = find_check(without_quotes(target.text));
    const bool is_check = word != nullptr && !word->word.ends_with("_const");
    const std::vector<std::string_view> names = operands();
    if (!is_check || names.size() != 2)
      leave_at(operation, fmt::format("a call of {}", target.text));
    if (scanner_.has("{")) scanner_.group("{");
    signature();
    body_.checks.push_back(
        {.word = word, .number = word->as_target, .actual = names[0], .expected = names[1]});
  }

  void scatter(const Token& operation, const std::vector<std::string_view>& results) {
    if (body_.scatter) leave_at(operation, "a second scatter");
    Scatter& scatter = body_.scatter.emplace();
    scatter.operands = operands();
    if (scatter.operands.size() != 3)
      leave_at(operation, fmt::format("a scatter of {} operands", scatter.operands.size()));
    if (scanner_.take("<")) {
      attributes(scatter);
      scanner_.require(">");
    }
    scanner_.require("(");
    region(scatter);
    scanner_.require(")");
    if (scanner_.has("{")) attributes(scatter);
    signature();
    if (scatter.dims.empty()) leave_at(operation, "a scatter without dimension numbers");
    define(operation, results, {.is_scattered = true});
  }

  // "{name = value, …}"
  void attributes(Scatter& scatter) {
    scanner_.require("{");
    while (!scanner_.has("}")) {
      const Token name = scanner_.next();
      scanner_.require("=");
      attribute(scatter, name);
      if (!scanner_.take(",")) break;
    }
    scanner_.require("}");
  }

  void attribute(Scatter& scatter, const Token& name) {
    const Token value = scanner_.next();
    if (name.text == "scatter_dimension_numbers") {
      if (value.text != dims_attribute || !scanner_.has("<"))
        leave_at(value, fmt::format("dimension numbers that are not {}<…>", dims_attribute));
      scatter.dims = fmt::format("{}{}", dims_attribute, without_blanks(scanner_.group("<")));
    } else if (std::ranges::count(promise_words, name.text) > 0) {
      if (!value.is("true") && !value.is("false"))
        scanner_.refuse("must have true or false here", value.text);
      if (value.is("true")) scatter.promises.emplace_back(name.text);
    } else {
      leave_at(name, fmt::format("the attribute {}", name.text));
    }
  }

  struct RegionOperation {
    std::string_view result;
    const BodyWord* word;
    std::vector<std::string_view> operands;
  };

  // "{^bb0(%there: tensor<f32>, %update: tensor<f32>): … stablehlo.return %0 : tensor<f32>}"
  void region(Scatter& scatter) {
    const Token begin = scanner_.token();
    scanner_.require("{");
    scanner_.require(TokenKind::block, "a block (^bb0)");
    const std::vector<std::string_view> arguments = region_arguments(scatter);
    std::optional<RegionOperation> operation;
    while (scanner_.has(TokenKind::value)) {
      if (operation) leave_at(scanner_.token(), "a region of several operations");
      operation = region_operation();
    }
    const std::string_view returned = region_result();
    scanner_.require("}");
    const auto body = body_of(arguments, operation ? &*operation : nullptr, returned);
    if (!body) leave_at(begin, "a region that does not reduce its two arguments");
    scatter.body = *body;
  }

  void location() {
    if (scanner_.take("loc")) scanner_.group("(");
  }

  std::vector<std::string_view> region_arguments(Scatter& scatter) {
    std::vector<std::string_view> names;
    const Token begin = scanner_.token();
    scanner_.require("(");
    do {
      names.push_back(scanner_.require(TokenKind::value, "an argument (%0)").text);
      scanner_.require(":");
      const std::string_view type = this->type();
      if (!scatter.element.empty() && type != scatter.element)
        leave_at(begin, "a region with arguments of several types");
      scatter.element = type;
      location();
    } while (scanner_.take(","));
    scanner_.require(")");
    scanner_.require(":");
    if (names.size() != 2) leave_at(begin, "a region without two arguments");
    return names;
  }

  // The operands of an operation, in both forms, and its types.
  std::vector<std::string_view> operands_of(const Token& operation) {
    if (operation.kind == TokenKind::string) {
      std::vector<std::string_view> names = operands();
      signature();
      return names;
    }
    std::vector<std::string_view> names;
    do names.push_back(scanner_.require(TokenKind::value, "a value (%0)").text);
    while (scanner_.take(","));
    scanner_.require(":");
    type();
    return names;
  }

  RegionOperation region_operation() {
    const std::string_view result = scanner_.next().text;
    scanner_.require("=");
    const Token operation = scanner_.next();
    const auto* const word = std::ranges::find(body_words, name_of(operation), &BodyWord::word);
    if (word == body_words.end())
      leave_at(operation, fmt::format("the operation {} of a region", name_of(operation)));
    RegionOperation read{.result = result, .word = word, .operands = operands_of(operation)};
    location();
    return read;
  }

  std::string_view region_result() {
    const Token operation = scanner_.next();
    if (name_of(operation) != "stablehlo.return")
      leave_at(operation, fmt::format("the operation {} of a region", operation.text));
    const std::vector<std::string_view> names = operands_of(operation);
    location();
    return names.size() == 1 ? names[0] : "";
  }

  // Of (there, update): what a region with that operation, or none, does.
  static std::optional<Reduction> body_of(const std::vector<std::string_view>& arguments,
                                          const RegionOperation* operation,
                                          std::string_view returned) {
    if (operation == nullptr)
      return returned == arguments[1] ? std::optional(Reduction::none) : std::nullopt;
    const std::vector<std::string_view> turned{arguments[1], arguments[0]};
    const bool is_of_both = operation->operands == arguments ||
                            (operation->word->is_commutative && operation->operands == turned);
    if (!is_of_both || returned != operation->result) return std::nullopt;
    return operation->word->reduction;
  }

  Scanner scanner_;
  Body body_;
};

struct FoundFunction {
  std::string_view name;
  std::int64_t line = 0;
  int section = 0;
  bool has_arguments = false;
  Scanner body;                                // behind its {
  std::vector<std::string_view> symbols = {};  // in it
};

// "func.func public @main() -> (tensor<2xf32> {…}) attributes {…} {": nullopt without a body.
std::optional<FoundFunction> read_front(Scanner& scanner) {
  const Token word = scanner.next();
  for (const std::string_view visibility : {"public", "private", "nested"})
    if (scanner.take(visibility)) break;
  const Token name = scanner.require(TokenKind::symbol, "the name of a function (@main)");
  FoundFunction found{.name = without_quotes(name.text),
                      .line = word.line,
                      .section = scanner.section(),
                      .body = scanner};
  found.has_arguments = without_blanks(scanner.group("(")) != "()";
  if (scanner.take("->")) {
    while (!scanner.has("{") && !scanner.has("attributes") && !scanner.has(TokenKind::end)) {
      const bool is_group = scanner.has("(") || scanner.has("<");
      is_group ? static_cast<void>(scanner.group(scanner.token().text))
               : static_cast<void>(scanner.next());
    }
  }
  if (scanner.take("attributes")) scanner.group("{");
  if (!scanner.take("{")) return std::nullopt;
  found.body = scanner;
  found.symbols = scanner.leave_braces();
  return found;
}

// Of a text whose functions are known.
class ModuleReader {
 public:
  ModuleReader(std::string_view text, const std::string& name) {
    Scanner scanner(text, name);
    while (!scanner.has(TokenKind::end)) {
      if (!scanner.has("func.func")) {
        scanner.next();
      } else if (auto found = read_front(scanner)) {
        functions_.push_back(std::move(*found));
      }
    }
    for (std::size_t i = 0; i < functions_.size(); ++i)
      by_name_.emplace(std::pair(functions_[i].section, functions_[i].name), i);
    for (const FoundFunction& function : functions_) bodies_.push_back(read_body(function));
    for (std::size_t i = 0; i < functions_.size(); ++i) note_calls(i);
  }

  std::vector<Function> roots() const {
    std::vector<Function> all;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (called_.contains(i)) continue;
      all.push_back({.name = std::string(functions_[i].name),
                     .line = functions_[i].line,
                     .call = call_or_reason(i)});
    }
    if (all.empty())
      all.push_back({.call = std::string("no function func.func that is no other's")});
    return all;
  }

 private:
  using ReadBody = std::variant<Body, std::string>;

  static ReadBody read_body(const FoundFunction& function) {
    if (function.has_arguments) return "a function with arguments";
    try {
      return BodyReader(function.body).read();
    } catch (NotRun& left) {
      return std::move(left.reason);
    } catch (const Error& error) {  // in a statement; elsewhere it is the module's
      const std::string& place = error.where();
      return fmt::format("line {}: {}", place.substr(place.rfind(':') + 1), error.message());
    }
  }

  std::optional<std::size_t> callee_of(std::size_t caller, std::string_view name) const {
    const auto found = by_name_.find(std::pair(functions_[caller].section, name));
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }

  void note_calls(std::size_t caller) {
    for (const std::string_view symbol : functions_[caller].symbols) {
      const auto callee = callee_of(caller, without_quotes(symbol));
      if (callee && *callee != caller) called_.insert(*callee);
    }
  }

  std::variant<ScatterCall, std::string> call_or_reason(std::size_t at) const {
    if (const auto* reason = std::get_if<std::string>(&bodies_[at])) return *reason;
    try {
      return call_of(at, std::get<Body>(bodies_[at]));
    } catch (NotRun& left) {
      return std::move(left.reason);
    }
  }

  static const Value& value_named(const Body& body, std::string_view name) {
    const auto found = body.values.find(split_value(name).first);
    if (found == body.values.end()) leave(fmt::format("the value {} without a definition", name));
    return found->second;
  }

  // What a function without arguments returns there.
  std::string_view returned_constant(std::size_t caller, std::string_view callee,
                                     std::size_t number) const {
    const auto at = callee_of(caller, callee);
    if (!at) leave(fmt::format("a call of @{}, which is not there", callee));
    if (const auto* reason = std::get_if<std::string>(&bodies_[*at]))
      leave(fmt::format("@{}: {}", callee, *reason));
    const Body& body = std::get<Body>(bodies_[*at]);
    if (number >= body.returned.size())
      leave(fmt::format("@{}: fewer than {} results", callee, number + 1));
    const Value& value = value_named(body, body.returned[number]);
    if (value.constant.empty()) leave(fmt::format("@{}: a result that is no constant", callee));
    return value.constant;
  }

  std::string_view constant_of(std::size_t at, const Body& body, std::string_view name) const {
    const Value& value = value_named(body, name);
    if (!value.constant.empty()) return value.constant;
    if (value.is_scattered) leave(fmt::format("the value {}, which is no constant", name));
    return returned_constant(at, value.callee, split_value(name).second);
  }

  ScatterCall call_of(std::size_t at, const Body& body) const {
    if (!body.scatter) leave("no stablehlo.scatter");
    const Scatter& scatter = *body.scatter;
    ScatterCall call{.input = constant_of(at, body, scatter.operands[0]),
                     .scatter_indices = constant_of(at, body, scatter.operands[1]),
                     .updates = constant_of(at, body, scatter.operands[2]),
                     .dims = scatter.dims,
                     .body = scatter.body,
                     .promises = scatter.promises};
    require_element(scatter, call.input);
    for (const Check& check : body.checks) add_check(call, at, body, check);
    if (call.expected.empty()) leave("no check of what it scatters");
    return call;
  }

  static DType dtype_of(std::string_view constant) {
    return header_of(constant.substr(constant.rfind("tensor<")))->type.dtype;
  }

  // A region may compute in a wider type.
  static void require_element(const Scatter& scatter, std::string_view input) {
    const auto element = header_of(scatter.element);
    const DType dtype = dtype_of(input);
    if (!element || element->rank() != 0 || element->type.dtype != dtype)
      leave(fmt::format("a region of {} for data of {}", scatter.element, info(dtype).name));
  }

  void add_check(ScatterCall& call, std::size_t at, const Body& body, const Check& check) const {
    const std::string_view expected =
        check.constant.empty() ? constant_of(at, body, check.expected) : check.constant;
    if (!value_named(body, check.actual).is_scattered) {
      const std::string_view constant = constant_of(at, body, check.actual);
      // What is scattered from is not changed.
      if (without_blanks(constant) == without_blanks(expected)) return;
      leave(fmt::format("a check of {}, which is another constant", check.actual));
    }
    if (!call.expected.empty()) leave("a second check of what it scatters");
    call.expected = expected;
    call.assertion = assertion_of(check, call.input);
  }

  static Assertion assertion_of(const Check& check, std::string_view input) {
    const DType dtype = dtype_of(input);
    const bool is_exact = is_integer(dtype) || dtype == DType::boolean;
    if (is_exact) return {};
    if (check.word->number.empty()) return {.atol = 0.0};
    if (check.word->number != ulp_word) return {.atol = check.number, .equal_nan = true};
    return {.max_ulp = static_cast<std::uint64_t>(std::clamp(check.number, 0.0, 1e15)),
            .equal_nan = true};
  }

  std::vector<FoundFunction> functions_;
  std::map<std::pair<int, std::string_view>, std::size_t> by_name_;
  std::vector<ReadBody> bodies_;
  std::set<std::size_t> called_;
};

}  // namespace

std::vector<Function> functions_of(std::string_view text, const std::string& name) {
  // mlir.f1
  if (text.size() > longest_module) {
    fail(ErrorKind::format, "mlir.f1", name, "a module must be at most {} bytes long, got {}",
         longest_module, text.size());
  }
  return ModuleReader(text, name).roots();
}

}  // namespace tscatter::mlir

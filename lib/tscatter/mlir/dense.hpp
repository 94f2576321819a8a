// The text of MLIR: tokens, and constants such as dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::mlir {

// ---- Constants of MLIR: dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>, and with the elements' bytes
// in hexadecimal digits. Form: docs/formats.md.

// "tensor<2x3xf32>", without blanks; nullopt for a type whose sizes are not all known, whose
// elements are none of a numeric dtype, or that is not addressable.
std::optional<TensorHeader> header_of(std::string_view type);

// REQUIRES: the dtype is numeric.
std::string type_text(DType dtype, const Shape& shape);

// The tensor that the text writes. `name` is used in messages. Throws Error (format, mlir.f2 to
// mlir.f4).
Tensor dense_tensor(std::string_view text, const std::string& name);

// The text that reads back as the same elements, bit for bit: as lists, and from 101 elements on as
// bytes. REQUIRES: the dtype is numeric; the elements are little-endian, in C order.
std::string dense_text(const TensorHeader& header, std::span<const std::byte> elements);

// Whether an element is NaN, or has a part that is. REQUIRES: as for dense_text.
bool has_nan(const TensorHeader& header, std::span<const std::byte> elements);

extern const std::span<const Rule> mlir_rules;

// ---- A place in the text of MLIR, and the token that stands there. A copy is a place to come back
// to.

enum class TokenKind : std::uint8_t {
  end,
  word,       // func.func, tensor, x
  number,     // 12, 1.5e+00, 0x7F, and 2x3xf32 of a type
  string,     // "…", with its quotes
  value,      // %0, %0#1
  symbol,     // @main, @"main"
  block,      // ^bb0
  attribute,  // #stablehlo.scatter, !type
  mark,       // -> or another character
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text = {};
  std::int64_t line = 1;  // from 1

  bool is(std::string_view wanted) const { return kind != TokenKind::end && text == wanted; }
};

class Scanner {
 public:
  // `name` is used in messages: the file. Throws Error (format, mlir.f1). REQUIRES: the text
  // outlives it, and so does what it gives.
  Scanner(std::string_view text, std::string_view name) : text_{text}, name_{name} { step(); }

  const Token& token() const { return token_; }
  bool has(std::string_view wanted) const { return token_.is(wanted); }
  bool has(TokenKind kind) const { return token_.kind == kind; }

  // The token that stands here; the place behind it follows. Throws Error (format, mlir.f1: a
  // string does not end).
  Token next();
  // Whether it is this one, which is then passed.
  bool take(std::string_view wanted);
  // Throws Error (format, mlir.f1) if it is another one.
  void require(std::string_view wanted);
  // The text of a token of this kind. Throws Error (format, mlir.f1): "must have a value (%0), …".
  Token require(TokenKind kind, std::string_view what);

  // Passes (…), […], {…} or <…> with what is inside, and returns its text. Throws Error (format,
  // mlir.f1) if it does not begin here, if a bracket inside is closed by another, or none, or if
  // there are more than 256. `bracket`: the first.
  std::string_view group(std::string_view bracket);
  // Passes the rest of a {…} that is open, whatever other brackets it has; returns the symbols in
  // it. Throws Error (format, mlir.f1) if it is not closed.
  std::vector<std::string_view> leave_braces();
  // Passes the list <…> of a dense literal, whose numbers are not looked at; returns what is
  // between the brackets. REQUIRES: has("<").
  std::string_view dense();

  // Where the token begins.
  std::size_t offset() const { return static_cast<std::size_t>(token_.text.data() - text_.data()); }
  // The text from there to the end of the last token that was passed.
  std::string_view since(std::size_t offset) const {
    return text_.substr(offset, passed_ - offset);
  }
  // How many comments "// -----" stand before the token: what tests split their files at.
  int section() const { return section_; }

  [[noreturn]] void refuse(std::string_view rule, std::string_view got) const;
  [[noreturn]] void refuse(std::string_view rule) const;

 private:
  void step();
  void pass_blanks();
  void pass_comment();
  void pass_string();
  void pass_name(std::size_t front, std::string_view others);
  void pass_number();
  TokenKind pass_token();

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;      // behind the token
  std::size_t passed_ = 0;  // behind the token before it
  std::int64_t line_ = 1;
  int section_ = 0;
  Token token_;
};

// Of the text at `at`: how many bytes of blanks, and of comments (//) to the end of their line,
// stand there.
std::size_t blanks_at(std::string_view text, std::size_t at);

}  // namespace tscatter::mlir

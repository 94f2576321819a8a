// The items of an index as words: a[ids.npy, 1:9, x.npy < 0].
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/operand.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/views/basic_index.hpp"
#include "tscatter/views/cast.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter::app {

// A mask that is computed from an operand.
struct ComputedWord {
  MaskTest test = MaskTest::is_false;
  Number number = {};          // that elements are compared with
  bool is_beyond = false;      // it is an integer that no dtype of integers has
  bool is_about_data = false;  // `< 0`, `isnan`
  bool is_opposite = false;    // ~isnan(x.npy): where the test fails
};

// A word for an operation: `add` is numpy.add.at.
struct IndexVerb {
  std::string_view word;
  std::string_view operation;
  std::string_view summary;
  std::vector<std::string> examples;
};

std::span<const IndexVerb> index_verbs();

// The items that are names: isnan, newaxis, …
std::vector<std::string> item_words();

// What the words cast where nothing is said; operations by their own names cast nothing.
inline constexpr CastPolicy cast_of_verbs = CastPolicy::same_kind;

// The operation that the word stands for; nullptr if it is none of index_verbs().
const Operation* operation_of_verb(std::string_view word);

struct IndexWord {
  std::string text;                           // as it was written
  std::optional<BasicItem> basic = {};        // nullopt: an operand
  std::optional<ComputedWord> computed = {};  // from the operand, or from data
  std::optional<OperandWord> operand = {};    // nullopt: basic, or about data
};

// The items of a command line's word. Typed literals are whole again, which were divided at the
// commas between their values: 3xu16=1,2,1.
std::vector<std::string> with_whole_literals(const std::vector<std::string>& items);

// A word of the command line, or a string of JSON (WordForm::path). A file whose name is exactly
// the word wins, but over 7, 1:9, ..., None, < 7, isnan and ~M. Relative paths are relative to
// `base`. `where`: the flag or key. Throws Error (usage, cli.c130).
IndexWord parse_index_word(const std::string& word, const std::filesystem::path& base,
                           WordForm form, const std::string& where);

}  // namespace tscatter::app

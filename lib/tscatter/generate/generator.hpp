// CaseGenerator: random cases of one operation by number, legal ones and ones that break one rule
// each. The same options give the same bytes on every machine. Scheme: docs/generate.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/generate/generate.hpp"
#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

class CaseGenerator {
 public:
  // Throws Error (usage, generate.g1 to generate.g9, but for generate.g5).
  explicit CaseGenerator(GenerateOptions options);

  const GenerateOptions& options() const { return options_; }

  // Legal and broken cases together.
  std::int64_t size() const;

  // The legal ones come first. A case does not depend on `count`. REQUIRES: 0 <= index < size().
  GeneratedCase at(std::int64_t index) const;

  // The options that the cases depend on, as a command line without the program: "ScatterUpdate-3
  // --seed 7".
  std::string command() const;

 private:
  struct TypedReduction {
    DType dtype;
    Reduction reduction;
  };

  std::vector<DType> possible_dtypes() const;
  std::vector<Reduction> possible_reductions() const;
  void require_combinations() const;
  std::vector<ValueSet> sets_for(DType dtype) const;
  bool has_room(ValueSet set, DType dtype) const;
  std::int64_t limit(ValueSet set, DType dtype) const;
  Setting setting(std::uint64_t number) const;
  GeneratedCase legal(std::int64_t index) const;
  GeneratedCase broken(std::int64_t index) const;

  GenerateOptions options_;
  std::vector<TypedReduction> combinations_;  // each dtype with each reduction
  std::vector<DType> index_dtypes_;           // the requested ones, each once; empty: any
};

extern const std::span<const Rule> generate_rules;

}  // namespace tscatter::generate

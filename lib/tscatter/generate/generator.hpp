// CaseGenerator: random legal cases of one operation, and cases that break one rule each, by their
// numbers. The same options give the same bytes on every machine. Scheme: docs/generate.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

inline constexpr int scheme = 1;

enum class Broken : bool { left_out, added };

struct GenerateOptions {
  const Operation* operation = nullptr;
  std::uint64_t seed = 0;
  std::int64_t count = 100;             // legal cases, and as many broken ones where they are added
  std::vector<DType> dtypes{};          // of data; empty: all that the operation takes
  std::vector<Reduction> reductions{};  // empty: all that the operation has
  std::int64_t max_rank = 6;            // of data
  std::optional<std::int64_t> max_elements{};  // of a tensor; nullopt: 4096, or 65,536 where the
                                               // set full shows every value of a 16-bit type
  std::optional<Duplicates> duplicates{};      // nullopt: all
  std::optional<ValueSet> set{};               // nullopt: those that fit the dtype in turn
  Broken broken = Broken::left_out;
};

class CaseGenerator {
 public:
  // Throws Error (usage, generate.g1 to generate.g4).
  explicit CaseGenerator(GenerateOptions options);

  const GenerateOptions& options() const { return options_; }

  // Legal and broken cases together.
  std::int64_t size() const;

  // The legal ones first. What a case is does not depend on `count`. REQUIRES: 0 <= index < size().
  GeneratedCase at(std::int64_t index) const;

  // What the cases depend on, as a command line without the program: "ScatterUpdate-3 --seed 7".
  std::string command() const;

 private:
  struct Combination {
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
  std::vector<Combination> combinations_;  // each dtype with each reduction
};

extern const std::span<const Rule> generate_rules;

}  // namespace tscatter::generate

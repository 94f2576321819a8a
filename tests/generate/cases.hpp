// For the tests of generated cases.
#pragma once

#include <string>
#include <vector>

#include "oracle/oracle.hpp"
#include "property/sampled_operations.hpp"
#include "tscatter/generate/generator.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::generate {

using property::has_answers;
using property::sampled_operations;

GenerateOptions options_for(std::string_view operation, std::uint64_t seed = 7,
                            std::int64_t count = 200);

// How many cases of each operation the long tests take.
std::int64_t generated_cases();

std::vector<GeneratedCase> all_cases(const GenerateOptions& options);

// A tensor as the oracle holds it: in native byte order.
oracle::Dense native(const GeneratedTensor& tensor);

// The case as the oracle sees it.
oracle::Call call_of(const GeneratedCase& generated);

// The reverse; little-endian. The case has no name.
GeneratedCase case_of(const oracle::Call& call);

// The elements of an integer tensor.
std::vector<std::int64_t> integers_of(const GeneratedTensor& tensor);

// Whether the name has the word, between hyphens.
bool has_word(const GeneratedCase& generated, const std::string& word);

// The outputs of the library and of the oracle. Little-endian.
std::vector<std::byte> expected_output_of(const oracle::Call& call);
std::vector<std::byte> output_of(const GeneratedCase& generated);

std::int64_t duplicates_of(const GeneratedCase& generated);

// The case with its index entries and their updates in another order: entry i is what order[i] was.
// REQUIRES: a ScatterND.
GeneratedCase reordered(const GeneratedCase& generated, const std::vector<std::size_t>& order);
std::size_t entries_of(const GeneratedCase& generated);

}  // namespace tscatter::generate

// Random cases: a legal call of any operation, or one that breaks one rule, and how it is passed to
// the library.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "oracle/oracle.hpp"
#include "property/random.hpp"
#include "tscatter/engine/engine.hpp"

namespace tscatter::property {

enum class Entry { apply, typed_function };
// odd_view: memory that begins at an odd address, as a tensor of a safetensors file may.
enum class SourceKind { view, odd_view, ranges };
enum class Destination { memory, in_place, random_access, sequential };

struct Delivery {
  Entry entry = Entry::apply;
  Destination destination = Destination::memory;
  std::map<std::string, SourceKind, std::less<>> sources;
  RunOptions options;
};

struct Case {
  oracle::Call call;
  std::map<std::string, oracle::Layout, std::less<>> layouts;
  Delivery delivery;
};

Case random_legal_case(Random& random);
// The same of an operation that is given data.
Case random_case_with_data(Random& random);

// Whether calls of the operation may have any index: what is outside is dropped, or the one block
// is moved inside.
bool takes_any_place(const Operation& operation);

struct IllegalCase {
  Case broken;
  oracle::Refusal refusal;
};

IllegalCase random_illegal_case(Random& random);

// Everything needed to reconstruct the case, in one paragraph.
std::string to_string(const Case& c);

}  // namespace tscatter::property

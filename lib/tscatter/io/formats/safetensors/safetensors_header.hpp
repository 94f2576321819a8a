// The header of a safetensors file: which tensors lie where, and the dtypes that it knows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/shape.hpp"

namespace tscatter {

// ---- The header of a safetensors file: which tensors lie where. It is checked as a whole, and
// read in bounded memory: 32 bytes are kept of each tensor, all else is read again when it is asked
// for. Rules: docs/formats.md, st.f1 to st.f6.

struct SafetensorsEntry {
  std::string name;
  std::string dtype = {};  // as the header names it
  Shape shape = {};
  ByteRange data = {};  // in the file
};

using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

// The most bytes that a header has, as in the reference.
inline constexpr std::int64_t longest_safetensors_header = 100'000'000;
inline constexpr std::size_t longest_safetensors_name = 4096;  // bytes
inline constexpr std::size_t most_safetensors = std::size_t{1} << 20U;
inline constexpr std::string_view safetensors_metadata_key = "__metadata__";

class SafetensorsHeader {
 public:
  // `name` is used in messages. Throws Error (format, st.f1 to st.f6).
  SafetensorsHeader(std::shared_ptr<const Source> file, std::string name);

  const std::string& name() const { return name_; }
  std::size_t size() const { return places_.size(); }

  // The tensors in the header's order. REQUIRES: index < size().
  SafetensorsEntry entry(std::size_t index) const;
  std::optional<SafetensorsEntry> find(std::string_view name) const;

  // In the header's order; nullopt if it has none.
  std::optional<SafetensorsMetadata> metadata() const;

 private:
  struct Place {
    std::uint64_t name_hash;
    std::int64_t begin;  // of the data, from the end of the header on
    std::int64_t end;
    std::uint32_t at;       // of the name, in the file
    std::uint32_t by_hash;  // of the i-th place: which place is the i-th by its hash
  };

  class Reader;

  std::int64_t read_length() const;
  void refuse_other_kind() const;
  void read_places();
  void read_member(Reader& reader);
  void require_names();
  void require_order();
  std::string name_at(std::uint32_t at) const;

  std::shared_ptr<const Source> file_;
  std::string name_;
  ByteRange text_;
  std::optional<std::uint32_t> metadata_at_;  // of its value
  std::vector<Place> places_;
};

// ---- The dtypes of safetensors: their names, bits, our dtypes, and the order in which files have
// them. Source: safetensors/src/tensor.rs, Dtype.

struct SafetensorsType {
  std::string_view name;         // in the header
  std::int64_t bits;             // of an element
  std::optional<DType> dtype;    // opaque: a float8; nullopt: of less than a byte, not read
  std::string_view float8 = {};  // its name, of an opaque one
};

// nullptr if there is none.
const SafetensorsType* safetensors_type(std::string_view name);
const SafetensorsType* safetensors_type_of(const ElementType& type);  // of any byte order

// Little-endian elements; nullopt if they are not read.
std::optional<ElementType> element_type_of(const SafetensorsType& type);

// The place in the reference's order of dtypes, in which a file has the last first; -1 for a name
// that is not known.
int safetensors_rank(std::string_view name);

}  // namespace tscatter

#include "tscatter/io/formats/safetensors/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/float8.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/json_cursor.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t length_size = 8;
constexpr std::size_t most_metadata = std::size_t{1} << 16U;
constexpr std::size_t longest_dtype = 64;

std::uint64_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

}  // namespace

// Reads parts of the header, and refuses what is wrong in them.
class SafetensorsHeader::Reader {
 public:
  Reader(const SafetensorsHeader& header, std::int64_t at)
      : header_{header},
        cursor_{*header.file_,
                header.text_,
                {.name = header.name_, .what = "the header", .label = "st.f2"}} {
    cursor_.move_to(at);
  }

  JsonCursor& cursor() { return cursor_; }

  // dtype, shape and data_offsets, which follow the name.
  SafetensorsEntry entry(std::string name) {
    entry_ = {.name = std::move(name)};
    seen_ = {};
    cursor_.read_object(key_, longest_safetensors_name, [&] { read_member(); });
    for (std::size_t i = 0; i < keys.size(); ++i) {
      // st.f4
      if (!seen_[i])
        fail(ErrorKind::format, "st.f4", header_.name_, "tensor {} has no {}", entry_.name,
             keys[i]);
    }
    require_size();
    return std::move(entry_);
  }

  // What the reference takes for no metadata.
  bool takes_null() {
    if (cursor_.next() != 'n') return false;
    cursor_.skip_value();
    return true;
  }

  // Checks that no key of the metadata stands twice.
  void check_metadata() {
    if (takes_null()) return;
    std::vector<SeenKey> seen;
    read_metadata([&](std::uint32_t at) {
      seen.push_back({hash_of(key_), at});
      cursor_.skip_string();
    });
    const auto key_at = [&](std::uint32_t at) { return header_.name_at(at); };
    if (const auto twice = repeated_key(seen, key_at)) refuse_twice(*twice);
  }

  SafetensorsMetadata metadata() {
    SafetensorsMetadata all;
    read_metadata([&](std::uint32_t /*at*/) {
      all.emplace_back(key_, std::string());
      cursor_.read_string(all.back().second, longest_safetensors_header);
    });
    return all;
  }

  [[noreturn]] void refuse_twice(std::string_view key) const {
    // st.f3
    fail(ErrorKind::format, "st.f3", header_.name_, "the key {} occurs twice", key);
  }

 private:
  static constexpr std::array<std::string_view, 3> keys{"dtype", "shape", "data_offsets"};

  [[noreturn]] void refuse_entry(std::string_view rule, std::string_view got) const {
    // st.f4
    fail(ErrorKind::format, "st.f4", header_.name_, "tensor {} must {}, got {}", entry_.name, rule,
         got);
  }

  void read_member() {
    const auto* const key = std::ranges::find(keys, key_);
    if (key == keys.end()) refuse_entry("have dtype, shape and data_offsets only", key_);
    const auto index = static_cast<std::size_t>(key - keys.begin());
    if (std::exchange(seen_[index], true)) refuse_twice(fmt::format("{} of {}", key_, entry_.name));
    if (index == 0) return read_dtype();
    index == 1 ? read_shape() : read_offsets();
  }

  void read_dtype() {
    if (cursor_.next() != '"') refuse_entry("have the name of a dtype", cursor_.word());
    cursor_.read_string(entry_.dtype, longest_dtype);
  }

  void read_shape() {
    cursor_.read_list([&] {
      // st.f4
      if (entry_.shape.size() == max_rank)
        refuse_entry(fmt::format("have at most {} axes", max_rank), "more");
      entry_.shape.push_back(integer("shape"));
    });
  }

  void read_offsets() {
    std::vector<std::int64_t> offsets;
    cursor_.read_list([&] {
      offsets.push_back(integer("data_offsets"));
      if (offsets.size() > 2) refuse_entry("have two data_offsets", "more");
    });
    if (offsets.size() != 2) {
      refuse_entry("have two data_offsets", fmt::format("{}", offsets.size()));
    }
    entry_.data = {.begin = offsets[0], .end = offsets[1]};
    // st.f5
    if (offsets[1] < offsets[0]) {
      fail(ErrorKind::format, "st.f5", header_.name_,
           "the data of tensor {} must not end before its start at {}, got {}", entry_.name,
           offsets[0], offsets[1]);
    }
  }

  std::int64_t integer(std::string_view what) {
    const auto value = cursor_.read_integer();
    // st.f4
    if (!value) {
      refuse_entry(fmt::format("have integers from 0 to 2^63 - 1 as {}", what), cursor_.word());
    }
    return *value;
  }

  // The size of an unknown dtype is not known.
  void require_size() const {
    const SafetensorsType* const type = safetensors_type(entry_.dtype);
    const std::int64_t bits_of_one = type == nullptr ? 1 : type->bits;
    // st.f6
    if (!is_addressable(entry_.shape, static_cast<std::size_t>(bits_of_one))) {
      fail(ErrorKind::format, "st.f6", header_.name_,
           "tensor {} must have at most 2^63 - 1 elements and bits, got {} of {}", entry_.name,
           to_string(entry_.shape), entry_.dtype);
    }
    const std::int64_t bits = element_count(entry_.shape) * bits_of_one;
    // st.f6
    if (type != nullptr && (bits % 8 != 0 || bits / 8 != entry_.data.size())) {
      fail(ErrorKind::format, "st.f6", header_.name_,
           "tensor {} must have {} bits of data for {} of {}, got {} bytes", entry_.name, bits,
           to_string(entry_.shape), entry_.dtype, entry_.data.size());
    }
  }

  // value(place of the key) is called for each key, in key_, and reads what follows.
  template <class TakeValue>
  void read_metadata(const TakeValue& value) {
    std::size_t count = 0;
    cursor_.read_object(key_, longest_safetensors_name, [&] {
      if (++count > most_metadata)
        cursor_.refuse(fmt::format("at most {} metadata", most_metadata));
      value(static_cast<std::uint32_t>(cursor_.key_at()));
    });
  }

  const SafetensorsHeader& header_;
  JsonCursor cursor_;
  SafetensorsEntry entry_;
  std::array<bool, 3> seen_{};
  std::string key_;
};

SafetensorsHeader::SafetensorsHeader(std::shared_ptr<const Source> file, std::string name)
    : file_{std::move(file)}, name_{std::move(name)} {
  text_ = {.begin = length_size, .end = length_size + read_length()};
  read_places();
  require_names();
  require_order();
  std::ranges::sort(places_, {}, &Place::at);
}

std::int64_t SafetensorsHeader::read_length() const {
  // st.f1
  if (file_->size() < length_size) {
    refuse_other_kind();
    fail(ErrorKind::format, "st.f1", name_,
         "a safetensors file must begin with the 8 bytes of its header's length, got {} bytes",
         file_->size());
  }
  std::array<std::byte, length_size> bytes{};
  file_->read(0, bytes);
  const std::uint64_t length = load_little_endian(bytes.data());
  // st.f1
  if (length > static_cast<std::uint64_t>(longest_safetensors_header)) {
    refuse_other_kind();
    fail(ErrorKind::format, "st.f1", name_, "the header must have at most {} bytes, got {}",
         longest_safetensors_header, length);
  }
  const auto size = static_cast<std::int64_t>(length);
  // st.f1
  if (size > file_->size() - length_size) {
    refuse_other_kind();
    fail(ErrorKind::format, "st.f1", name_,
         "the file must have its header of {} bytes after the first 8, got {} bytes", size,
         file_->size() - length_size);
  }
  return size;
}

// A file with a wrong length may be another file under this name.
void SafetensorsHeader::refuse_other_kind() const {
  const auto other = other_kind_in(*file_, safetensors_format, name_);
  // st.f1
  if (other) {
    fail(ErrorKind::format, "st.f1", name_,
         "a safetensors file must begin with the 8 bytes of its header's length, got {}", *other);
  }
}

void SafetensorsHeader::read_places() {
  Reader reader(*this, text_.begin);
  JsonCursor& cursor = reader.cursor();
  std::array<std::byte, 1> first{std::byte{0}};
  if (text_.size() > 0) file_->read(text_.begin, first);
  // st.f2
  if (first[0] != std::byte{'{'}) cursor.refuse("{");
  cursor.expect('{');
  if (!cursor.takes('}')) {
    do {
      read_member(reader);
    } while (cursor.takes(','));
    cursor.expect('}');
  }
  // st.f2
  cursor.expect_end();
}

// A tensor or the metadata.
void SafetensorsHeader::read_member(Reader& reader) {
  JsonCursor& cursor = reader.cursor();
  std::string key;
  cursor.next();
  const auto at = static_cast<std::uint32_t>(cursor.at());
  cursor.read_string(key, longest_safetensors_name);
  cursor.expect(':');
  if (key == safetensors_metadata_key) {
    if (metadata_at_) reader.refuse_twice(key);
    metadata_at_ = static_cast<std::uint32_t>(cursor.at());
    return reader.check_metadata();
  }
  // st.f2
  if (places_.size() == most_safetensors)
    cursor.refuse(fmt::format("at most {} tensors", most_safetensors));
  const std::uint64_t hash = hash_of(key);
  const SafetensorsEntry entry = reader.entry(std::move(key));
  places_.push_back({.name_hash = hash,
                     .begin = entry.data.begin,
                     .end = entry.data.end,
                     .at = at,
                     .by_hash = 0});
}

void SafetensorsHeader::require_names() {
  std::vector<SeenKey> names;
  names.reserve(places_.size());
  for (const Place& place : places_)
    names.push_back({place.name_hash, static_cast<std::uint32_t>(names.size())});
  const auto name_of = [&](std::uint32_t index) { return name_at(places_[index].at); };
  if (const auto twice = repeated_key(names, name_of))
    Reader(*this, text_.begin).refuse_twice(*twice);
  for (std::size_t i = 0; i < names.size(); ++i) places_[i].by_hash = names[i].at;
}

void SafetensorsHeader::require_order() {
  std::ranges::sort(places_, {},
                    [](const Place& place) { return std::pair(place.begin, place.end); });
  std::int64_t end = 0;
  for (const Place& place : places_) {
    // st.f5
    if (place.begin != end) {
      fail(ErrorKind::format, "st.f5", name_,
           "the data of tensor {} must begin where the one before it ends, at {}, got {}",
           name_at(place.at), end, place.begin);
    }
    end = place.end;
  }
  const std::int64_t size = file_->size() - text_.end;
  // st.f5
  if (end != size) {
    fail(ErrorKind::format, "st.f5", name_,
         "the data must end where the file does, after {} bytes, got {}", size, end);
  }
}

std::string SafetensorsHeader::name_at(std::uint32_t at) const {
  std::string name;
  Reader(*this, at).cursor().read_string(name, longest_safetensors_name);
  return name;
}

SafetensorsEntry SafetensorsHeader::entry(std::size_t index) const {
  Reader reader(*this, places_[index].at);
  std::string name;
  reader.cursor().read_string(name, longest_safetensors_name);
  reader.cursor().expect(':');
  SafetensorsEntry entry = reader.entry(std::move(name));
  entry.data.begin += text_.end;
  entry.data.end += text_.end;
  return entry;
}

std::optional<SafetensorsEntry> SafetensorsHeader::find(std::string_view name) const {
  const std::uint64_t hash = hash_of(name);
  const auto hash_of_place = [&](const Place& place) { return places_[place.by_hash].name_hash; };
  auto place = std::ranges::lower_bound(places_, hash, {}, hash_of_place);
  for (; place != places_.end() && hash_of_place(*place) == hash; ++place) {
    if (name_at(places_[place->by_hash].at) == name) return entry(place->by_hash);
  }
  return std::nullopt;
}

std::optional<SafetensorsMetadata> SafetensorsHeader::metadata() const {
  if (!metadata_at_) return std::nullopt;
  Reader reader(*this, *metadata_at_);
  if (reader.takes_null()) return std::nullopt;
  return reader.metadata();
}

namespace {

constexpr std::array<SafetensorsType, 22> table{{
    {"BOOL", 8, DType::boolean},
    {"F4", 4, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},
    {"U8", 8, DType::uint8},
    {"I8", 8, DType::int8},
    {"F8_E5M2", 8, DType::opaque, "float8_e5m2"},
    {"F8_E4M3", 8, DType::opaque, "float8_e4m3fn"},
    {"F8_E8M0", 8, DType::opaque, "float8_e8m0fnu"},
    {"F8_E4M3FNUZ", 8, DType::opaque, "float8_e4m3fnuz"},
    {"F8_E5M2FNUZ", 8, DType::opaque, "float8_e5m2fnuz"},
    {"I16", 16, DType::int16},
    {"U16", 16, DType::uint16},
    {"F16", 16, DType::float16},
    {"BF16", 16, DType::bfloat16},
    {"I32", 32, DType::int32},
    {"U32", 32, DType::uint32},
    {"F32", 32, DType::float32},
    {"C64", 64, DType::complex64},
    {"F64", 64, DType::float64},
    {"I64", 64, DType::int64},
    {"U64", 64, DType::uint64},
}};

template <class Test>
const SafetensorsType* first_type(const Test& test) {
  const auto* const found = std::ranges::find_if(table, test);
  return found == table.end() ? nullptr : found;
}

}  // namespace

const SafetensorsType* safetensors_type(std::string_view name) {
  return first_type([&](const SafetensorsType& each) { return each.name == name; });
}

const SafetensorsType* safetensors_type_of(const ElementType& type) {
  const Float8* const float8 = float8_of(type);
  if (type.dtype == DType::opaque && float8 == nullptr) return nullptr;
  return first_type([&](const SafetensorsType& each) {
    return each.dtype == type.dtype && (float8 == nullptr || each.float8 == float8->name);
  });
}

std::optional<ElementType> element_type_of(const SafetensorsType& type) {
  if (!type.dtype) return std::nullopt;
  if (*type.dtype == DType::opaque) return element_type_of(*float8_named(type.float8));
  return ElementType::of(*type.dtype, std::endian::little);
}

int safetensors_rank(std::string_view name) {
  const SafetensorsType* const type = safetensors_type(name);
  return type == nullptr ? -1 : static_cast<int>(type - table.data());
}

}  // namespace tscatter

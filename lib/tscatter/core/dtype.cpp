#include "tscatter/core/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter {
namespace {

// "i8" is NumPy's code of int64.
const DTypeInfo* row_of_type_code(std::string_view code) {
  const auto row = std::ranges::find_if(
      dtype_table, [&](const DTypeInfo& each) { return equal_ignoring_case(code, each.descr); });
  return row == dtype_table.end() || row->dtype == DType::opaque ? nullptr : &*row;
}

}  // namespace

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& row : dtype_table) {
    if (row.dtype == DType::opaque) continue;
    if (equal_ignoring_case(name, row.name) || equal_ignoring_case(name, row.short_name))
      return row.dtype;
  }
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DTypeInfo& row : dtype_table) {
    if (row.dtype != DType::opaque)
      names.insert(names.end(), {std::string(row.name), std::string(row.short_name)});
  }
  return names;
}

std::string dtype_hint(std::string_view name, std::string_view otherwise) {
  const std::string_view bare = name.substr(name.find_last_of("<>=|.") + 1);
  const DTypeInfo* meant = row_of_type_code(bare);
  if (meant == nullptr && bare != name) {
    if (const auto dtype = dtype_from_name(bare)) meant = &info(*dtype);
  }
  if (meant != nullptr) return fmt::format(" (use {})", meant->name);
  return nearest_hint(name, dtype_names(), otherwise);
}

std::string type_code_hint(std::string_view name) {
  const std::optional<DType> ours = dtype_from_name(name);
  const DTypeInfo* theirs = row_of_type_code(name);
  if (!ours || theirs == nullptr || theirs->dtype == *ours) return {};
  return fmt::format(" ({} is {} here, NumPy's {} is {})", info(*ours).short_name, info(*ours).name,
                     theirs->descr, theirs->name);
}

ElementType ElementType::of(DType dtype, std::endian byte_order) {
  assert(dtype != DType::opaque);
  return {.dtype = dtype, .size = info(dtype).size, .byte_order = byte_order, .descr = {}};
}

bool same_dtype(const ElementType& a, const ElementType& b) {
  return a.dtype == b.dtype && a.descr == b.descr;
}

std::string to_string(const ElementType& type) {
  if (type.dtype != DType::opaque) return std::string(info(type.dtype).name);
  const std::string& descr = type.descr;
  if (descr.size() >= 2 && descr.front() == '\'') return descr.substr(1, descr.size() - 2);
  return descr;
}

}  // namespace tscatter

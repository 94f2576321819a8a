#include "tscatter/core/dtype.hpp"

#include <algorithm>
#include <cassert>

namespace tscatter {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
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

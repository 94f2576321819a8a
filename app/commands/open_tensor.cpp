#include "commands/open_tensor.hpp"

#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// The same bytes under the name of a float8.
Tensor named_float8(const Tensor& tensor, const Float8& format) {
  const ElementType& type = tensor.type();
  const bool has_no_name = type.dtype == DType::uint8 || type.descr == "'|V1'";
  // cli.c7
  if (!has_no_name && float8_of(type) != &format) {
    fail(ErrorKind::usage, "cli.c7", "--dtype",
         "must not contradict the dtype that {} has, {}, got {}", tensor.name(), to_string(type),
         format.name);
  }
  return {{.type = element_type_of(format), .shape = tensor.shape(), .order = tensor.order()},
          tensor.shared_source(),
          tensor.name()};
}

}  // namespace

std::vector<std::string> element_names() {
  std::vector<std::string> names = dtype_names();
  for (const Float8& format : float8_table()) names.emplace_back(format.name);
  return names;
}

ElementsAs parse_elements(const std::string& text, const std::string& where) {
  if (const Float8* const format = float8_named(text)) return format;
  if (const auto size = record_size(text)) return RecordSize{*size};
  return parse_dtype_flag(text, where);
}

Tensor open_tensor(const std::string& word, const std::string& name,
                   const std::optional<ElementsAs>& elements, Missing missing) {
  require_table(missing, names_table({.text = word}), "--missing");
  OperandOpener opener({});
  const auto opened = [&](std::optional<DType> asked) {
    return opener.open(
        {.text = word},
        {.name = name, .role = OperandRole::data, .dtype = asked, .missing = missing});
  };
  if (!elements) return opened(std::nullopt);
  if (const auto* records = std::get_if<RecordSize>(&*elements))
    return viewed_as_records(opened({}), records->bytes, "--dtype");
  if (const auto* const format = std::get_if<const Float8*>(&*elements))
    return named_float8(opened({}), **format);
  const DType asked = std::get<DType>(*elements);
  Tensor viewed = viewed_as_asked(opened(asked), asked);
  require_dtype(viewed, asked, "--dtype");
  return viewed;
}

}  // namespace tscatter::app

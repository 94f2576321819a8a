#include "commands/open_tensor.hpp"

#include "cli/targets.hpp"
#include "jobs/operand.hpp"

namespace tscatter::app {

ElementsAs parse_elements(const std::string& text, const std::string& where) {
  if (const auto size = record_size(text)) return RecordSize{*size};
  return parse_dtype_flag(text, where);
}

Tensor open_tensor(const std::string& word, const std::string& name,
                   const std::optional<ElementsAs>& elements) {
  OperandOpener opener({});
  const auto opened = [&](std::optional<DType> asked) {
    return opener.open({.text = word}, {.name = name, .role = OperandRole::data, .dtype = asked});
  };
  if (!elements) return opened(std::nullopt);
  if (const auto* records = std::get_if<RecordSize>(&*elements))
    return viewed_as_records(opened({}), records->bytes, "--dtype");
  const DType asked = std::get<DType>(*elements);
  Tensor viewed = viewed_as_asked(opened(asked), asked);
  require_dtype(viewed, asked, "--dtype");
  return viewed;
}

}  // namespace tscatter::app

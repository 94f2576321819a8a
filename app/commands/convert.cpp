#include "commands/convert.hpp"

#include <optional>

#include "operand.hpp"
#include "signals.hpp"

namespace tscatter::app {

Tensor open_tensor(const std::string& word, const std::string& name,
                   const std::optional<std::string>& dtype) {
  OperandOpener opener({});
  const auto opened = [&](std::optional<DType> asked) {
    return opener.open({.text = word}, {.name = name, .role = OperandRole::data, .dtype = asked});
  };
  if (!dtype) return opened(std::nullopt);
  if (const auto size = record_size(*dtype)) return viewed_as_records(opened({}), *size, "--dtype");
  const DType asked = parse_dtype(*dtype, "cli.c4", "--dtype");
  Tensor viewed = viewed_as(opened(asked), asked);
  require_dtype(viewed, asked, "--dtype");
  return viewed;
}

void convert(const std::string& in, const OutputWanted& out,
             const std::optional<std::string>& dtype) {
  const std::unique_ptr<Output> output = open_output(out);
  const Tensor tensor = open_tensor(in, "IN", dtype);
  std::optional<InterruptScope> scope;
  if (leaves_temporary(out)) scope.emplace();
  tensor.source().check_content(0, InterruptScope::stop());
  write_tensor(tensor, *output);
}

}  // namespace tscatter::app

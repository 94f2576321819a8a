#include "commands/convert.hpp"

#include <optional>

#include "operand.hpp"
#include "signals.hpp"

namespace tscatter::app {

Tensor open_tensor(const std::string& word, const std::string& name,
                   const std::optional<std::string>& dtype) {
  std::optional<DType> asked;
  if (dtype) asked = parse_dtype(*dtype, "cli.c4", "--dtype");
  OperandOpener opener({});
  Tensor tensor =
      opener.open({.text = word}, {.name = name, .role = OperandRole::data, .dtype = asked});
  if (!asked) return tensor;
  Tensor viewed = viewed_as(tensor, *asked);
  require_dtype(viewed, *asked, "--dtype");
  return viewed;
}

void convert(const std::string& in, const OutputWanted& out,
             const std::optional<std::string>& dtype) {
  const std::unique_ptr<Output> output = open_output(out);
  const Tensor tensor = open_tensor(in, "IN", dtype);
  std::optional<InterruptScope> scope;
  if (leaves_temporary(out)) scope.emplace();
  write_tensor(tensor, *output);
}

}  // namespace tscatter::app

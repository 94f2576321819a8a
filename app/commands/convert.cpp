#include "commands/convert.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "operand.hpp"
#include "signals.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

void copy(const Source& source, Sink& sink) {
  constexpr std::int64_t piece = std::int64_t{512} * 1024;
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(piece, source.size())));
  for (std::int64_t offset = 0; offset < source.size(); offset += piece) {
    if (*InterruptScope::stop()) throw Cancelled();
    const auto bytes =
        std::span(buffer).first(static_cast<std::size_t>(std::min(piece, source.size() - offset)));
    source.read(offset, bytes);
    sink.write(offset, bytes);
  }
}

}  // namespace

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
  copy(tensor.source(), output->begin(tensor.header(), tensor.source()));
  output->commit();
}

}  // namespace tscatter::app

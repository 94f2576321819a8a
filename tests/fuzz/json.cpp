// A tensor as JSON text. What was read and written as an object must read back the same.
#include <string>

#include "fuzz/target.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

using namespace tscatter;

namespace {

std::string written(const Tensor& tensor, JsonForm form) {
  std::string text;
  write_json(tensor, form, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  fuzz::is_accepted([&] {
    const Tensor tensor = json_tensor(text, {.name = "fuzz"});
    const std::string object = written(tensor, JsonForm::object);
    const Tensor again = json_tensor(object, {.name = "again"});
    fuzz::require(written(again, JsonForm::object) == object, "an object that does not come back");
  });
  fuzz::is_accepted([&] { json_tensor(text, {.name = "fuzz", .dtype = DType::float16}); });
  fuzz::is_accepted([&] { json_tensor(text, {.name = "fuzz", .dtype = DType::uint64}); });
  return 0;
}

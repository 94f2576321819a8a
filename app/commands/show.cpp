#include "commands/show.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands/convert.hpp"
#include "result.hpp"
#include "tscatter/io/json_tensor.hpp"

namespace tscatter::app {
namespace {

std::string_view order_name(const TensorHeader& header) {
  if (header.order == MemoryOrder::fortran) return "fortran";
  return "c";
}

// Where bytes can be turned: not of one byte, not inside opaque elements.
std::string_view byte_order_name(const ElementType& type) {
  if (type.word() == 1) return "none";
  return type.byte_order == std::endian::little ? "little" : "big";
}

std::string words(const Tensor& tensor) {
  return fmt::format(
      "name        {}\n"
      "dtype       {}\n"
      "shape       {}\n"
      "elements    {}\n"
      "bytes       {}\n"
      "order       {}\n"
      "byte order  {}\n",
      escape_control(tensor.name()), to_string(tensor.type()), to_string(tensor.shape()),
      tensor.count(), tensor.byte_size(), order_name(tensor.header()),
      byte_order_name(tensor.type()));
}

std::string json_object(const Tensor& tensor) {
  const nlohmann::ordered_json object{
      {"name", tensor.name()},
      {"dtype", to_string(tensor.type())},
      {"shape", tensor.shape()},
      {"elements", tensor.count()},
      {"bytes", tensor.byte_size()},
      {"order", order_name(tensor.header())},
      {"byte_order", byte_order_name(tensor.type())},
  };
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

void show_tensor(const std::string& word, const std::optional<std::string>& dtype, ShowForm form) {
  const Tensor tensor = open_tensor(word, "TENSOR", dtype);
  if (form == ShowForm::json) return print(json_object(tensor));
  print(words(tensor));
  if (tensor.type().dtype == DType::opaque) return;
  print("\n");
  write_json(tensor, JsonForm::preview, [](std::string_view text) { print(text); });
}

}  // namespace tscatter::app

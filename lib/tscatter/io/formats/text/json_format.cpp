
#include "tscatter/core/utf8.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter {
namespace {

bool begins_as_json(std::span<const std::byte> first_bytes) {
  return begins_with_one_of(first_bytes, "[{-0123456789tf\"");
}

bool surely_begins_as_json(std::span<const std::byte> first_bytes) {
  return begins_as_json(first_bytes) && is_plain_text(characters_of(first_bytes));
}

JsonReading json_reading(const FormatReading& reading) {
  return {.name = reading.name,
          .dtype = reading.dtype,
          .spool_directory = reading.spool_directory,
          .progress = reading.progress};
}

Tensor open_pipe(Spool& spool, const File& pipe, const FormatReading& reading) {
  return json_tensor_in_pipe(spool, pipe, json_reading(reading));
}

Tensor open_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  return json_tensor(*file, json_reading(reading));
}

std::unique_ptr<Output> create_file(const OutputPlace& place) {
  return std::make_unique<JsonOutput>([place] { return open_output_file(place); }, place.name,
                                      JsonForm::object, place.spool_directory, place.stop,
                                      place.progress);
}

}  // namespace

constinit const Format json_format{
    .name = "json",
    .ending = ".json",
    .kind = "a JSON file",
    .ending_role = EndingRole::sufficient,
    .begins_as = begins_as_json,
    .may_be_other = true,
    .surely_begins_as = surely_begins_as_json,
    .open_pipe = open_pipe,
    .open = open_tensor,
    .create = create_file,
    .rules = json_rules,
    .help =
        "nested lists, or {\"dtype\": ..., \"shape\": ..., \"data\": ...}. What is written is the "
        "object, so that it reads back unchanged.",
};

}  // namespace tscatter

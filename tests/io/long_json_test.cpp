// Text in JSON that is longer than what is read at once.
#include <algorithm>
#include <cstring>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter {
namespace {

// 4 GiB of text that is no JSON from its seventh character on.
class EndlessText final : public Source {
 public:
  std::int64_t size() const override { return std::int64_t{1} << 32; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    constexpr std::string_view text = "[1, 2 x";
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::int64_t at = std::min<std::int64_t>(offset + static_cast<std::int64_t>(i), 6);
      into[i] = static_cast<std::byte>(text[static_cast<std::size_t>(at)]);
    }
  }
};

}  // namespace

TEST_CASE("json.f1: a text of 4 GiB is not taken for an empty one", "[io]") {
  CHECK(refusal([] {
          json_tensor(EndlessText(), {.name = "x.json", .dtype = std::nullopt});
        }).find("JSON (a comma stands between values), got xxx") != std::string::npos);
}

TEST_CASE("a text that is longer than every buffer is read whole", "[io]") {
  std::string text = "[";
  for (int i = 0; i < 300000; ++i) text += std::to_string(i).append(",");
  const Tensor tensor = json_tensor(text.substr(0, text.size() - 1).append("]"),
                                    {.name = "x.json", .dtype = DType::int32});
  CHECK(to_string(tensor.type()) + to_string(tensor.shape()) == "int32[300000]");
  const std::string bytes = native_content(tensor);
  std::int32_t last = 0;
  std::memcpy(&last, &bytes[bytes.size() - 4], 4);
  CHECK(last == 299999);
}

}  // namespace tscatter

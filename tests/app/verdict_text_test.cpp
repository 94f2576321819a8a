// What a report says of an operation whose library has several roundings.
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "text/reports.hpp"

namespace tscatter {
namespace {

Verification of_variants(std::string_view operation, std::array<std::int64_t, 2> counts) {
  const TensorHeader header{.type = ElementType::of(DType::float16), .shape = {40}};
  Verification v{.operation = operation,
                 .reduction = Reduction::sum,
                 .actual = header,
                 .expected = header,
                 .elements = 40};
  v.classes[static_cast<std::size_t>(orders::ElementClass::untouched)] = 27;
  v.classes[static_cast<std::size_t>(orders::ElementClass::reordered)] = 13;
  v.variants = {{.says = "half floats rounded once", .elements = counts[0]},
                {.says = "products that are not rounded", .elements = counts[1]}};
  return v;
}

std::string text(const Verification& v) { return app::document_text(app::verdict_document(v)); }

}  // namespace

TEST_CASE("a verdict says what of the library's roundings made elements legal", "[app]") {
  CHECK(text(of_variants("onnx.ScatterND-18", {12, 1}))
            .ends_with("\n\nlegal as onnx computes it: 12 elements with half floats rounded once, "
                       "1 element with products that are not rounded\n"));
  CHECK(text(of_variants("ScatterNDUpdate-15", {0, 2}))
            .ends_with("\n\nlegal as OpenVINO computes it: 2 elements with products that are not "
                       "rounded\n"));
  CHECK_THAT(text(of_variants("ScatterNDUpdate-15", {0, 0})), !contains("legal as"));
}

TEST_CASE("a verdict's variants are a list in JSON, and named at their elements", "[app]") {
  Verification v = of_variants("ScatterNDUpdate-15", {0, 1});
  v.worst.push_back({.verdict = {.element_class = orders::ElementClass::reordered, .variant = 2},
                     .position = {3},
                     .actual = std::vector<std::byte>(2),
                     .in_order = std::vector<std::byte>(2)});
  const auto report = nlohmann::json::parse(app::written_json(app::verdict_document(v)).text);
  CHECK(report["variants"] ==
        nlohmann::json::parse(R"([{"says": "half floats rounded once", "elements": 0},
                                  {"says": "products that are not rounded", "elements": 1}])"));
  CHECK(report["worst"][0]["variant"] == "products that are not rounded");
  v.variants.clear();
  v.worst.clear();
  const auto without = nlohmann::json::parse(app::written_json(app::verdict_document(v)).text);
  CHECK_FALSE(without.contains("variants"));
}

}  // namespace tscatter

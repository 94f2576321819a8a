#include "diff/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tscatter/ops/names/knobs.hpp"

namespace tscatter::app {
namespace {

bool always(const Operation&, const Operation&) { return true; }

bool have_same_form(const Operation& first, const Operation& second) {
  return first.form == second.form;
}

template <Knob knob>
bool both_have(const Operation& first, const Operation& second) {
  return is_asked(first, knob) && is_asked(second, knob);
}

bool both_reduce(const Operation& first, const Operation& second) {
  return !first.reductions().empty() && !second.reductions().empty();
}

template <Knob knob>
bool have_form_and(const Operation& first, const Operation& second) {
  return have_same_form(first, second) && both_have<knob>(first, second);
}

template <Knob knob>
std::string answer_to(const Operation& operation) {
  return answer_of(operation, knob);
}

// ---- Form

constexpr std::array form_witnesses{
    Witness{.name = "row",
            .words = "a row of data [2, 2]",
            .data = "0",
            .indices = "1",
            .updates = "5,6",
            .layout = Layout::rows},
    Witness{.name = "element",
            .words = "an element of data [2, 2], by its coordinates",
            .data = "0",
            .indices = "1,0",
            .updates = "5",
            .layout = Layout::nd},
    Witness{.name = "elements",
            .words = "two elements of data [2, 2], by their positions along axis 0",
            .data = "0",
            .indices = "1,0",
            .updates = "5,6",
            .layout = Layout::elements},
    Witness{.name = "batched-row",
            .words = "a row of one batch of data [1, 2, 1]",
            .data = "0",
            .indices = "1",
            .updates = "5",
            .layout = Layout::batched_rows},
    Witness{.name = "start",
            .words = "from the start 1 in one batch of data [1, 2]",
            .data = "0",
            .indices = "1",
            .updates = "5",
            .layout = Layout::start},
    Witness{.name = "slice",
            .words = "a slice of data [3]",
            .data = "0",
            .indices = "",
            .updates = "5",
            .layout = Layout::slice},
};

// ---- What is allowed

constexpr Witness reducing(Reduction reduction) {
  return {.name = to_string(reduction),
          .words = "an update with the reduction",
          .data = "6,6",
          .indices = "1",
          .updates = "2",
          .reduction = reduction};
}

// One for each name but none.
constexpr bool has_witness(const ReductionInfo& row) {
  return row.reduction != Reduction::none && row.extremes == Extremes::data;
}

constexpr auto reduction_witnesses = [] {
  std::array<Witness, std::ranges::count_if(reduction_table, has_witness)> witnesses{};
  auto into = witnesses.begin();
  for (const ReductionInfo& row : reduction_table) {
    if (has_witness(row)) *into++ = reducing(row.reduction);
  }
  return witnesses;
}();

std::string reductions_text(const Operation& operation) {
  std::vector<Reduction> reductions = operation.reductions();
  std::ranges::sort(reductions);
  std::string text;
  for (const Reduction each : reductions)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(each));
  return text.empty() ? "none" : text;
}

constexpr Witness of_dtype(DType dtype) {
  return {.name = info(dtype).short_name,
          .words = "data of the dtype",
          .data = "0,0",
          .indices = "1",
          .updates = "1",
          .dtype = dtype};
}

constexpr std::array dtype_witnesses{of_dtype(DType::bfloat16),  of_dtype(DType::uint8),
                                     of_dtype(DType::uint16),    of_dtype(DType::uint32),
                                     of_dtype(DType::uint64),    of_dtype(DType::float64),
                                     of_dtype(DType::complex64), of_dtype(DType::complex128)};

std::string data_text(const Operation& operation) {
  const bool takes_all = operation.data_dtypes.size() == all_dtypes.size();
  return takes_all ? "every dtype" : data_dtypes_text(operation);
}

constexpr Witness indexed_by(DType dtype) {
  return {.name = info(dtype).short_name,
          .words = "indices of the dtype",
          .data = "0,0",
          .indices = "1",
          .updates = "5",
          .index_dtype = dtype};
}

constexpr std::array index_witnesses{indexed_by(DType::int32), indexed_by(DType::int64),
                                     indexed_by(DType::uint8), indexed_by(DType::int8)};

std::string length_text(const Operation& operation) {
  return operation.label(Check::indices_length).empty() ? "any" : "at most that of data";
}

bool are_elements(const Operation& first, const Operation& second) {
  return first.form == Form::elements && second.form == Form::elements;
}

constexpr std::array length_witnesses{Witness{.words = "three indices along an axis of 2",
                                              .data = "0,0",
                                              .indices = "0,1,0",
                                              .updates = "5,6,7"}};

std::string axis_text(const Operation& operation) {
  return operation.find_attribute("axis") == nullptr ? "an operand" : "an attribute, by default 0";
}

constexpr std::array axis_witnesses{Witness{.words = "no axis is given",
                                            .data = "0,0",
                                            .indices = "1",
                                            .updates = "5",
                                            .gives_axis = false}};

constexpr std::array shape_witnesses{Witness{.words = "one entry with updates of shape [1]",
                                             .data = "0",
                                             .indices = "1",
                                             .updates = "7",
                                             .layout = Layout::single}};

// ---- Policies

constexpr std::array negative_witnesses{
    Witness{.words = "index -1", .data = "0,0,0", .indices = "-1", .updates = "7"}};

constexpr std::array outside_witnesses{
    Witness{.words = "index 4 into 3 places", .data = "0,0,0", .indices = "4", .updates = "7"}};

constexpr std::array duplicates_witnesses{Witness{
    .words = "two entries name one place", .data = "0,0,0", .indices = "1,1", .updates = "7,8"}};

constexpr std::array extremes_witnesses{
    Witness{.name = "nan",
            .words = "NaN meets 2, and 1 meets NaN",
            .data = "nan,1",
            .indices = "0,1",
            .updates = "2,nan",
            .reduction = Reduction::max},
    Witness{.name = "zeros",
            .words = "0.0 meets -0.0, and -0.0 meets 0.0",
            .data = "0.0,-0.0",
            .indices = "0,1",
            .updates = "-0.0,0.0",
            .reduction = Reduction::max},
};

constexpr std::array accumulation_witnesses{
    Witness{.name = "float16",
            .words = "2048, 1 and 1 meet 0",
            .data = "0",
            .indices = "0,0,0",
            .updates = "2048,1,1",
            .reduction = Reduction::sum,
            .dtype = DType::float16},
    Witness{.name = "float32",
            .words = "16777216, 1 and 1 meet 0",
            .data = "0",
            .indices = "0,0,0",
            .updates = "16777216,1,1",
            .reduction = Reduction::sum},
};

std::string initial_text(const Operation& operation) {
  if (!is_asked(operation, Knob::initial_value)) return "there is no such attribute";
  return answer_of(operation, Knob::initial_value);
}

constexpr std::array initial_witnesses{Witness{.words = "2 is added where 5 does not count",
                                               .data = "5",
                                               .indices = "0",
                                               .updates = "2",
                                               .reduction = Reduction::sum,
                                               .use_init_val = false}};

constexpr std::array mean_witnesses{Witness{.words = "the mean of -3 and 0",
                                            .data = "-3",
                                            .indices = "0",
                                            .updates = "0",
                                            .reduction = Reduction::mean,
                                            .dtype = DType::int32}};

constexpr std::array table{
    Question{"form", form_of, always, form_witnesses},
    Question{"reductions", reductions_text, always, reduction_witnesses},
    Question{"dtypes of data", data_text, always, dtype_witnesses},
    Question{"dtypes of indices", index_dtypes_text, both_have<Knob::negative_index>,
             index_witnesses},
    Question{"length of indices", length_text, are_elements, length_witnesses},
    Question{"axis", axis_text, are_elements, axis_witnesses},
    Question{"shape of updates", answer_to<Knob::updates_shape>, have_form_and<Knob::updates_shape>,
             shape_witnesses},
    Question{"negative index", answer_to<Knob::negative_index>, both_have<Knob::negative_index>,
             negative_witnesses},
    Question{"index out of range", answer_to<Knob::index_outside>, both_have<Knob::index_outside>,
             outside_witnesses},
    Question{"duplicates", answer_to<Knob::duplicates>, both_have<Knob::duplicates>,
             duplicates_witnesses},
    Question{"min, max", answer_to<Knob::extremes>, both_have<Knob::extremes>, extremes_witnesses},
    Question{"sums and products", answer_to<Knob::accumulation>, both_have<Knob::accumulation>,
             accumulation_witnesses},
    Question{"use_init_val = false", initial_text, both_reduce, initial_witnesses},
    Question{"mean of integers", answer_to<Knob::mean_of_integers>,
             both_have<Knob::mean_of_integers>, mean_witnesses},
};

}  // namespace

std::span<const Question> questions() { return table; }

}  // namespace tscatter::app

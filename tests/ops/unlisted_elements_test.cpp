// The form elements without a list of destinations: slabs and strips of every width give what the
// loop gives, in each way of delivery, and the engine says which way it took.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <set>

#include "catch.hpp"
#include "ops/call.hpp"
#include "property/run_case.hpp"
#include "property/wrong_with.hpp"

namespace tscatter {
namespace {

using oracle::Dense;
using property::Case;
using property::Destination;
using property::SourceKind;

// Which forms of writes runs decided on.
class Forms final : public RunObserver {
 public:
  void begins(RunPhase) override {}
  void decided(const RunDecisions& decisions) override { forms_.insert(decisions.form); }
  void kept(std::int64_t) override {}
  void ended(const WorkerFigures&) override {}

  bool have(WriteForm form) const { return forms_.contains(form); }

 private:
  std::set<WriteForm> forms_;
};

// Bytes of another source, how many of which are read.
class CountedReads final : public Source {
 public:
  explicit CountedReads(std::shared_ptr<const Source> source) : source_{std::move(source)} {}

  std::int64_t size() const override { return source_->size(); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    bytes_ += static_cast<std::int64_t>(into.size());
    source_->read(offset, into);
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const Source> source_;
  mutable std::atomic<std::int64_t> bytes_{0};
};

struct Elements {
  Shape data;
  Shape indices;
  std::int64_t axis = 0;
  DType dtype = DType::float32;
  Reduction reduction = Reduction::sum;
  std::int64_t tile_bytes = 64;
  WriteForm form = WriteForm::strips;
  Policies policies = {.negative = NegativeIndex::from_the_end};
  bool use_init_val = true;
  DType index_dtype = DType::int64;
  unsigned seed = 1;
};

std::string to_string(const Elements& elements) {
  return fmt::format("data {} indices {} axis {} {} {} tiles of {} bytes",
                     tscatter::to_string(elements.data), tscatter::to_string(elements.indices),
                     elements.axis, info(elements.dtype).name,
                     tscatter::to_string(elements.reduction), elements.tile_bytes);
}

Dense small_numbers(std::mt19937& random, DType dtype, const Shape& shape) {
  Dense dense = Dense::zeros(ElementType::of(dtype), shape);
  const bool is_complex = dtype == DType::complex64 || dtype == DType::complex128;
  const std::size_t parts = is_complex ? 2 : 1;
  const std::size_t size = dense.type.size / parts;
  for (std::size_t i = 0; i < dense.count() * parts; ++i) {
    const int value = static_cast<int>(random() % 201) - 100;
    std::byte* into = dense.bytes.data() + i * size;
    if (dtype == DType::boolean) {
      *into = std::byte(value > 0 ? 1 : 0);
    } else if (is_integer(dtype)) {
      oracle::store_integer(dtype, value, into);
    } else {
      const oracle::RealFormat format = oracle::format_of(dtype);
      oracle::store_pattern(format, oracle::encoded(format, value / 7.0), into);
    }
  }
  return dense;
}

// `beyond`: how far indices go out of range.
Dense random_indices(std::mt19937& random, const Elements& elements, std::int64_t beyond) {
  Dense dense = Dense::zeros(ElementType::of(elements.index_dtype), elements.indices);
  const auto rank = static_cast<std::int64_t>(elements.data.size());
  const std::int64_t axis = elements.axis < 0 ? elements.axis + rank : elements.axis;
  const std::int64_t size = elements.data[static_cast<std::size_t>(axis)];
  const bool is_signed =
      elements.index_dtype == DType::int64 || elements.index_dtype == DType::int32;
  const std::int64_t low = is_signed ? -size - beyond : 0;
  for (std::size_t i = 0; i < dense.count(); ++i) {
    const auto span = static_cast<std::uint64_t>(std::max<std::int64_t>(size + beyond - low, 1));
    const auto index = low + static_cast<std::int64_t>(random() % span);
    oracle::store_integer(elements.index_dtype, index, dense.element(i));
  }
  return dense;
}

oracle::Call call_of(const Elements& elements) {
  std::mt19937 random(elements.seed);
  auto row = std::make_shared<Operation>(*find_operation("ScatterElementsUpdate-12"));
  row->policies = elements.policies;
  const std::int64_t beyond = elements.policies.outside == OutsideIndex::error ? 0 : 2;
  Dense axis = Dense::zeros(ElementType::of(DType::int64), {});
  oracle::store_integer(DType::int64, elements.axis, axis.element(0));
  return {
      .operation = row->id,
      .operands = {{"data", small_numbers(random, elements.dtype, elements.data)},
                   {"indices", random_indices(random, elements, beyond)},
                   {"updates", small_numbers(random, elements.dtype, elements.indices)},
                   {"axis", axis}},
      .attributes = {{"reduction", elements.reduction}, {"use_init_val", elements.use_init_val}},
      .variant = row};
}

Case case_of(const Elements& elements, Destination destination, int threads) {
  Case c{.call = call_of(elements), .layouts = {}, .delivery = {}};
  c.delivery.destination = destination;
  for (const auto& [name, dense] : c.call.operands) {
    c.layouts[name] = {};
    c.delivery.sources[name] = SourceKind::view;
  }
  c.delivery.options.threads = threads;
  c.delivery.options.tile_bytes = elements.tile_bytes;
  c.delivery.options.entry_order = EntryOrder::grouped;
  return c;
}

constexpr std::array destinations{Destination::memory, Destination::in_place,
                                  Destination::random_access, Destination::sequential};

// In each way of delivery the oracle's bytes and counts; and the form of writes that is named,
// where the output takes it.
void check_each_way(const Elements& elements) {
  INFO(to_string(elements));
  for (const Destination destination : destinations) {
    for (const int threads : {1, 2, 3}) {
      INFO("destination " << static_cast<int>(destination) << ", threads " << threads);
      Forms forms;
      Case c = case_of(elements, destination, threads);
      c.delivery.options.observer = &forms;
      CHECK(property::wrong_with_legal(c) == "");
      const bool takes_any =
          elements.form == WriteForm::slabs || destination != Destination::sequential;
      if (takes_any) CHECK(forms.have(elements.form));
    }
  }
}

// The message of a call whose indices are changed by `break_indices`.
template <class Break>
std::string unlisted_refusal(const Elements& elements, Destination destination,
                             const Break& break_indices) {
  Case c = case_of(elements, destination, 3);
  break_indices(c.call.operands.find("indices")->second);
  const property::Outcome outcome = property::run_case(c);
  CHECK(!outcome.is_begun);
  return outcome.error ? outcome.error->what() : "legal";
}

}  // namespace

TEST_CASE("scatter_elements_update_12.c5: slabs and strips of each width give the loop's bytes",
          "[ops]") {
  // One column of 7 float32 is 28 bytes.
  for (const std::int64_t columns : {1, 2, 3, 5}) {
    for (const std::int64_t width : {1, 2, 16, 17, 33}) {
      check_each_way({.data = {7, width},
                      .indices = {9, width},
                      .tile_bytes = 28 * columns,
                      .form = columns < width ? WriteForm::strips : WriteForm::slabs});
    }
  }
  check_each_way({.data = {6, 9}, .indices = {6, 9}, .axis = 1, .form = WriteForm::slabs});
  check_each_way({.data = {3, 7, 5}, .indices = {3, 4, 5}, .axis = 1, .tile_bytes = 30});
  check_each_way({.data = {3, 7, 5},
                  .indices = {3, 4, 5},
                  .axis = -2,
                  .tile_bytes = 150,
                  .form = WriteForm::slabs});
  check_each_way({.data = {4, 2, 3, 6}, .indices = {4, 2, 3, 6}, .axis = -4, .tile_bytes = 40});
}

TEST_CASE("scatter_elements_update_12.c7: strips and slabs of indices smaller than data", "[ops]") {
  check_each_way({.data = {7, 9}, .indices = {6, 5}, .tile_bytes = 56});
  check_each_way({.data = {7, 9}, .indices = {9, 4}, .tile_bytes = 28});
  check_each_way({.data = {3, 5, 4, 3}, .indices = {2, 6, 3, 2}, .axis = 1, .tile_bytes = 40});
  check_each_way({.data = {3, 5, 4, 3},
                  .indices = {2, 6, 3, 2},
                  .axis = 1,
                  .tile_bytes = 500,
                  .form = WriteForm::slabs});
  check_each_way({.data = {4, 3, 2, 5},
                  .indices = {3, 2, 2, 6},
                  .axis = 3,
                  .tile_bytes = 45,
                  .form = WriteForm::slabs});
  check_each_way({.data = {5, 6}, .indices = {9, 1}, .tile_bytes = 20});
}

TEST_CASE("scatter_elements_update_12.c10: each reduction and dtype, read again box by box",
          "[ops]") {
  for (const DType dtype : {DType::boolean, DType::int8, DType::uint16, DType::int64,
                            DType::float16, DType::bfloat16, DType::float64, DType::complex128}) {
    for (const Reduction reduction : find_operation("ScatterElementsUpdate-12")->reductions()) {
      if (!oracle::is_defined(dtype, reduction) && reduction != Reduction::none) continue;
      const auto size = static_cast<std::int64_t>(info(dtype).size);
      const std::int64_t kept = size + (reduction == Reduction::mean ? 8 : 0);
      check_each_way({.data = {5, 7},
                      .indices = {12, 7},
                      .dtype = dtype,
                      .reduction = reduction,
                      .tile_bytes = 5 * kept * 2});
      check_each_way({.data = {7, 5},
                      .indices = {7, 12},
                      .axis = 1,
                      .dtype = dtype,
                      .reduction = reduction,
                      .form = WriteForm::slabs,
                      .use_init_val = false});
    }
  }
}

TEST_CASE("scatter_elements_update_12.c6: strips are read from indices of each dtype", "[ops]") {
  for (const DType dtype : integer_dtypes)
    check_each_way({.data = {5, 9}, .indices = {6, 9}, .tile_bytes = 40, .index_dtype = dtype});
}

TEST_CASE("elements: hooks work on strips: identity, mean, accumulators, families of extremes",
          "[ops]") {
  for (const bool use_init_val : {false, true}) {
    for (const Reduction reduction :
         {Reduction::sum, Reduction::prod, Reduction::mean, Reduction::min, Reduction::max}) {
      for (const DType dtype : {DType::float16, DType::float32, DType::int32}) {
        const auto size = static_cast<std::int64_t>(info(dtype).size);
        for (const Extremes extremes : {Extremes::data, Extremes::propagate, Extremes::ignore}) {
          check_each_way(
              {.data = {5, 6},
               .indices = {7, 5},
               .dtype = dtype,
               .reduction = reduction,
               .tile_bytes = 10 * size,
               .policies = {.negative = NegativeIndex::from_the_end, .extremes = extremes},
               .use_init_val = use_init_val});
        }
      }
    }
    check_each_way({.data = {5, 6},
                    .indices = {7, 5},
                    .dtype = DType::float16,
                    .tile_bytes = 60,
                    .policies = {.negative = NegativeIndex::from_the_end,
                                 .accumulation = Accumulation::float32},
                    .use_init_val = use_init_val});
  }
}

TEST_CASE("elements: strips and slabs have each policy for indices out of range", "[ops]") {
  for (const OutsideIndex outside :
       {OutsideIndex::drop_window, OutsideIndex::drop_elements, OutsideIndex::clip_start,
        OutsideIndex::clip_index, OutsideIndex::modulo}) {
    for (const NegativeIndex negative : {NegativeIndex::outside, NegativeIndex::from_the_end}) {
      for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
        Elements elements{.data = {4, 9},
                          .indices = {6, 8},
                          .reduction = reduction,
                          .tile_bytes = reduction == Reduction::mean ? 64 : 32,
                          .policies = {.negative = negative, .outside = outside}};
        check_each_way(elements);
        elements.axis = 1;
        elements.data = {8, 4};
        elements.indices = {8, 5};
        elements.form = WriteForm::slabs;
        check_each_way(elements);
      }
    }
  }
}

TEST_CASE("scatter_elements_update_12.c5: of wrong indices in several boxes the first is named",
          "[ops]") {
  const auto wrong = [](Dense& indices) {
    for (const Position& at : {Position{3, 1}, Position{2, 15}, Position{1, 16}, Position{4, 0}})
      oracle::store_integer(DType::int64, 40 + at[0], indices.at(at));
  };
  const Elements strips{.data = {7, 20}, .indices = {6, 20}, .tile_bytes = 56};
  Elements slabs = strips;
  slabs.axis = 1;
  slabs.form = WriteForm::slabs;
  for (const Destination destination : destinations) {
    CHECK(unlisted_refusal(strips, destination, wrong) ==
          "scatter_elements_update_12: indices[1, 16] must be in [-7, 7) for data axis 0, got 41 "
          "[scatter_elements_update_12.c5]");
    CHECK(unlisted_refusal(slabs, destination, wrong) ==
          "scatter_elements_update_12: indices[1, 16] must be in [-20, 20) for data axis 1, got 41 "
          "[scatter_elements_update_12.c5]");
  }
  CHECK(unlisted_refusal({.data = {0, 20}, .indices = {6, 20}}, Destination::memory, [](Dense&) {
        }).starts_with("scatter_elements_update_12: indices[0, 0] must be in [0, 0)"));
}

TEST_CASE("elements: indices are read once to check and once to write, whatever is counted",
          "[ops]") {
  for (const bool use_init_val : {false, true}) {
    for (const Accumulation accumulation : {Accumulation::each_step, Accumulation::float32}) {
      for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
        const oracle::Call call = call_of(
            {.data = {64, 16},
             .indices = {64, 13},
             .axis = 1,
             .dtype = DType::float16,
             .reduction = reduction,
             .policies = {.negative = NegativeIndex::from_the_end, .accumulation = accumulation},
             .use_init_val = use_init_val});
        Arguments arguments;
        arguments.attributes = call.attributes;
        for (const auto& [name, dense] : call.operands)
          arguments.operands.emplace(name, Tensor({.type = dense.type, .shape = dense.shape},
                                                  std::span<const std::byte>(dense.bytes), name));
        const auto counted =
            std::make_shared<CountedReads>(arguments.operand("indices").shared_source());
        arguments.operands.insert_or_assign(
            "indices", Tensor(arguments.operand("indices").header(), counted, "indices"));
        std::vector<std::byte> bytes = call.operand("data").bytes;
        MemoryOutput output{std::span(bytes)};
        apply(call.row(), arguments, output,
              {.threads = 2, .tile_bytes = 256, .counting = Counting::left_out});
        CHECK(counted->bytes() == 2 * counted->size());
      }
    }
  }
}

TEST_CASE("elements: what boxes do not suit is listed", "[ops]") {
  // A column is longer than 16 tiles; few entries beside data; rows that repeat one index.
  check_each_way({.data = {300, 2}, .indices = {300, 2}, .form = WriteForm::elements});
  check_each_way({.data = {20, 20}, .indices = {3, 3}, .form = WriteForm::elements});
  Elements rows{.data = {4, 16}, .indices = {5, 16}, .form = WriteForm::blocks};
  for (const Destination destination : destinations) {
    Forms forms;
    Case c = case_of(rows, destination, 2);
    c.delivery.options.observer = &forms;
    Dense& indices = c.call.operands.find("indices")->second;
    for (std::size_t i = 0; i < indices.count(); ++i)
      oracle::store_integer(DType::int64, static_cast<std::int64_t>(i / 16 % 4),
                            indices.element(i));
    CHECK(property::wrong_with_legal(c) == "");
    CHECK(!forms.have(WriteForm::strips));
    CHECK(!forms.have(WriteForm::slabs));
  }
}

TEST_CASE("elements: strips need views; without them entries are listed", "[ops]") {
  const Elements elements{.data = {7, 9}, .indices = {6, 9}, .tile_bytes = 56};
  for (const char* name : {"data", "indices", "updates"}) {
    Forms forms;
    Case c = case_of(elements, Destination::random_access, 2);
    c.delivery.options.observer = &forms;
    c.delivery.sources[name] = SourceKind::ranges;
    CHECK(property::wrong_with_legal(c) == "");
    CHECK(!forms.have(WriteForm::strips));
    c.delivery.options.tile_bytes = 4096;
    CHECK(property::wrong_with_legal(c) == "");
    CHECK(forms.have(WriteForm::slabs));
  }
}

TEST_CASE("elements: many bands of a file, and boxes behind a header of any length", "[ops]") {
  for (const std::int64_t tile_bytes : {2, 3, 4, 9})
    check_each_way(
        {.data = {3, 200}, .indices = {4, 190}, .dtype = DType::int8, .tile_bytes = tile_bytes});
}

}  // namespace tscatter

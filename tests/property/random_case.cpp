#include "property/random_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "generate/cases.hpp"
#include "property/random_calls.hpp"
#include "property/random_operands.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/generate/broken_cases.hpp"
#include "tscatter/ops/forms/forms.hpp"

namespace tscatter::property {
namespace {

using oracle::Call;
using oracle::Dense;
using oracle::Int128;

// An index anywhere: near the axis of the size, or at the ends of the dtype.
Int128 random_stray_index(Random& random, DType dtype, std::int64_t size) {
  const Int128 index = random_bound(random, dtype, size);
  return random.chance(30) ? random.among<Int128>({-1, size, -size - 1, 2 * size}) : index;
}

void let_stray(Random& random, const Call& call, Dense& indices) {
  const int share = random.among({3, 20, 100});
  for (std::size_t i = 0; i < indices.count(); ++i) {
    const Shape& data = call.operand("data").shape;
    const std::int64_t size = data[i % data.size()];
    const Int128 index = random_stray_index(random, indices.type.dtype, size);
    if (random.chance(share) && oracle::fits(indices.type.dtype, index))
      oracle::store_integer(indices.type.dtype, index, indices.element(i));
  }
}

// Not where indices say how large data is, or must ascend.
bool may_stray(const Call& call) {
  const auto rows = call.attributes.find("num_segments");
  return call.row().form != Form::segment ||
         (rows != call.attributes.end() && rows->second != AttributeValue(open_end));
}

// Moves some indices out of range, and lets another policy answer them.
void let_indices_stray(Random& random, Call& call) {
  auto row = std::make_shared<Operation>(call.row());
  row->policies.outside =
      random.among({OutsideIndex::drop_window, OutsideIndex::drop_elements,
                    OutsideIndex::clip_start, OutsideIndex::clip_index, OutsideIndex::modulo});
  for (const AttributeInfo& each : row->attributes) {
    if (!each.answers.empty()) call.attributes[std::string(each.name)] = each.default_value;
  }
  // Two steps of a batch would go to one place, and explain() names batches.
  if (row->form == Form::start && row->policies.outside == OutsideIndex::clip_index)
    row->policies.outside = OutsideIndex::clip_start;
  row->policies.negative =
      random.among({NegativeIndex::outside, NegativeIndex::from_the_end, NegativeIndex::dropped});
  row->policies.duplicates = DuplicatePolicy::ordered;
  call.variant = std::move(row);
  for (auto& [name, tensor] : call.operands) {
    const bool is_of_item = is_operand_of_item(name) && is_integer(tensor.type.dtype);
    if (name == "indices" || is_of_item) let_stray(random, call, tensor);
  }
}

InitialValue random_initial(Random& random, DType dtype) {
  if (random.chance(60))
    return random.among({InitialValue::data, InitialValue::identity, InitialValue::infinite});
  const DTypeKind kind = info(dtype).kind;
  const bool is_real = kind == DTypeKind::real || kind == DTypeKind::complex;
  const Number integer = std::int64_t{kind == DTypeKind::boolean ? 1 : 3};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {.kind = InitialValue::Kind::number,
          .number = is_real ? Number(random.among({0.1, -0.0, -infinity, 3.0})) : integer};
}

// Other policies for values; and duplicates are refused, if the call has none.
void combine_otherwise(Random& random, Call& call) {
  auto row = std::make_shared<Operation>(call.row());
  Policies& policies = row->policies;
  policies.accumulation =
      random.among({Accumulation::each_step, Accumulation::float32, Accumulation::float64});
  policies.extremes = random.among(
      {Extremes::data, Extremes::update, Extremes::propagate, Extremes::ieee, Extremes::ignore});
  if (random.chance(50)) policies.initial = random_initial(random, call.operand("data").type.dtype);
  policies.mean = {
      .divisor = random.among({MeanDivisor::exact, MeanDivisor::in_dtype, MeanDivisor::stalling}),
      .quotient = random.among({MeanQuotient::floor, MeanQuotient::truncate})};
  row->blocks = random.among({Blocks::whole, Blocks::mixed});
  policies.duplicates = DuplicatePolicy::forbidden;
  call.variant = row;
  if (oracle::refusal_of(call)) policies.duplicates = DuplicatePolicy::ordered;
}

// Of generic.scatter one that its form has.
const OperationRule& random_rule(Random& random, const Operation& operation) {
  const auto checks = forms::info(operation.form).checks;
  while (true) {
    const OperationRule& rule = operation.rules[random.bits() % operation.rules.size()];
    const bool is_of_all_forms =
        namespace_of(operation.name) != "generic" || rule.check == Check::reduction_dtype;
    const Check of_form = rule.check == Check::axis_scalar ? Check::axis_range : rule.check;
    if (rule.check == Check::index_range && takes_any_place(operation)) continue;
    if (is_of_all_forms || std::ranges::count(checks, of_form) > 0) return rule;
  }
}

Delivery random_delivery(Random& random, const Call& call) {
  Delivery delivery;
  delivery.entry = random.among({Entry::apply, Entry::typed_function});
  delivery.destination =
      random.among({Destination::memory, Destination::memory, Destination::in_place,
                    Destination::random_access, Destination::sequential});
  for (const auto& [name, dense] : call.operands) {
    delivery.sources[name] = random.among(
        {SourceKind::view, SourceKind::view, SourceKind::odd_view, SourceKind::ranges});
  }
  const bool is_given = !is_made(call.row().base);
  if (delivery.destination == Destination::in_place && !is_given)
    delivery.destination = Destination::memory;
  if (delivery.destination == Destination::in_place)
    delivery.sources["data"] = random.among({SourceKind::view, SourceKind::odd_view});
  delivery.options.threads = random.among({1, 2, 7});
  delivery.options.tile_bytes = random.among<std::int64_t>({1, 7, 24, 64, 4096, 524288});
  delivery.options.entry_order =
      random.among({EntryOrder::automatic, EntryOrder::straight, EntryOrder::by_range,
                    EntryOrder::in_copies, EntryOrder::grouped});
  // Half of the runs in windows: of 1, 2, 7 and 1000 entries of 16 bytes.
  delivery.options.entry_memory = random.among<std::int64_t>({0, 0, 0, 0, 8, 32, 112, 16000});
  return delivery;
}

Case with_delivery(Random& random, Call call) {
  Case c{.call = std::move(call), .layouts = {}, .delivery = {}};
  c.delivery = random_delivery(random, c.call);
  // Only operands as they lie in memory are read again box by box.
  const bool is_plain = c.call.row().form == Form::elements && random.chance(50);
  for (const auto& [name, dense] : c.call.operands) {
    if (is_plain) c.delivery.sources[name] = SourceKind::view;
    c.layouts[name] =
        is_plain
            ? oracle::Layout{}
            : oracle::Layout{.order = random.among({MemoryOrder::c, MemoryOrder::fortran}),
                             .byte_order = random.among({std::endian::little, std::endian::big})};
  }
  if (is_made(c.call.row().base)) c.layouts["data"] = {};
  return c;
}

constexpr std::uint64_t changes_of_a_call = 32;

// The call with one thing changed, by a mutator of the generator's. What it breaks, if anything, is
// for the oracle to say.
std::optional<Call> changed(const Call& call, const generate::GeneratedCase& legal,
                            const generate::Draws& draws, std::uint64_t number) {
  generate::GeneratedCase made = legal;
  if (!generate::change(made, draws, number)) return std::nullopt;
  Call broken = call;
  broken.operands = generate::call_of(made).operands;
  broken.attributes = made.attributes;
  broken.index = made.index;
  // Its bytes are those of a legal call: of what is refused nothing is written.
  if (is_made(call.row().base)) broken.operands.insert_or_assign("data", call.operand("data"));
  return broken;
}

// The call with one item of its index changed, or more items than there are axes.
Call with_changed_items(Random& random, Call call) {
  const std::size_t rank = call.operand("data").shape.size();
  const std::size_t number = random.bits() % call.index.size();
  IndexItem& item = call.index[number];
  const auto tensor = call.operands.find(operand_of_item(number));
  const auto replace = [&](const IndexItem& other) {
    if (tensor != call.operands.end()) call.operands.erase(tensor);
    item = other;
  };
  switch (random.between(0, 5)) {
    case 0:
      for (std::size_t i = 0; i <= rank; ++i) call.index.push_back({SliceItem{}, ":"});
      break;
    case 1:
      for (int i = 0; i < 2; ++i) call.index.push_back({EllipsisItem{}, "..."});
      break;
    case 2: replace({SliceItem{.step = 0}, "::0"}); break;
    case 3: replace({IntegerItem{1000000}, "1000000"}); break;
    case 4:
      if (tensor == call.operands.end()) break;
      tensor->second = Dense::zeros(ElementType::of(DType::float32), tensor->second.shape);
      break;
    default: {
      if (tensor == call.operands.end()) break;
      Shape shape = tensor->second.shape;
      shape.insert(shape.empty() ? shape.end() : shape.end() - 1, 3);
      shape.back() += 1;
      tensor->second = Dense::zeros(tensor->second.type, shape);
    }
  }
  return call;
}

// nullopt if none of the changes breaks that rule.
std::optional<IllegalCase> broken_by(Random& random, const Call& call, std::string_view label) {
  const generate::GeneratedCase legal = generate::case_of(call);
  const generate::Draws draws(random.bits(), 0);
  for (std::uint64_t number = 0; number < changes_of_a_call; ++number) {
    std::optional<Call> broken = call.index.empty() || random.chance(50)
                                     ? changed(call, legal, draws, number)
                                     : with_changed_items(random, call);
    if (!broken) continue;
    const auto refusal = oracle::refusal_of(*broken);
    if (refusal && refusal->label == label)
      return IllegalCase{.broken = with_delivery(random, *std::move(broken)), .refusal = *refusal};
  }
  return std::nullopt;
}

// ---- Printing

constexpr std::size_t most_printed = 48;

std::string text_of(const Dense& dense, std::size_t i) {
  if (!is_integer(dense.type.dtype)) {
    std::string text = "0x";
    for (std::size_t byte = dense.type.size; byte-- > 0;) {
      text += fmt::format("{:02x}", static_cast<unsigned>(dense.element(i)[byte]));
    }
    return text;
  }
  const Int128 value = oracle::load_integer(dense.type.dtype, dense.element(i));
  if (value > std::numeric_limits<std::int64_t>::max())
    return std::to_string(static_cast<std::uint64_t>(value));
  return std::to_string(static_cast<std::int64_t>(value));
}

std::string text_of(const Dense& dense) {
  if (dense.count() > most_printed) return fmt::format("({} elements)", dense.count());
  std::string text;
  for (std::size_t i = 0; i < dense.count(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ",", text_of(dense, i));
  return fmt::format("{{{}}}", text);
}

std::string_view text_of(SourceKind source) {
  switch (source) {
    case SourceKind::view: return "";
    case SourceKind::odd_view: return " at an odd address";
    case SourceKind::ranges: return " without view";
  }
  unreachable();
}

std::string text_of(const Delivery& delivery) {
  constexpr std::array<std::string_view, 4> destinations{"memory", "in place", "random access sink",
                                                         "sequential sink"};
  constexpr std::array<std::string_view, 5> orders{"any order", "straight", "by range", "in copies",
                                                   "grouped"};
  return fmt::format("{} to {}, threads {}, tile_bytes {}, entry_memory {}, {}",
                     delivery.entry == Entry::apply ? "apply()" : "typed function",
                     destinations[static_cast<std::size_t>(delivery.destination)],
                     delivery.options.threads, delivery.options.tile_bytes,
                     delivery.options.entry_memory,
                     orders[static_cast<std::size_t>(delivery.options.entry_order)]);
}

}  // namespace

Case random_legal_case(Random& random) {
  Call call = random_legal_call(random);
  const bool has_indices = call.operands.contains("indices") || !call.index.empty();
  if (has_indices && may_stray(call) && random.chance(15)) let_indices_stray(random, call);
  if (random.chance(15)) combine_otherwise(random, call);
  return with_delivery(random, std::move(call));
}

Case random_case_with_data(Random& random) {
  while (true) {
    Case drawn = random_legal_case(random);
    if (!is_made(drawn.call.row().base)) return drawn;
  }
}

bool takes_any_place(const Operation& operation) {
  const OutsideIndex outside = operation.policies.outside;
  return outside == OutsideIndex::drop_window || outside == OutsideIndex::drop_elements ||
         (operation.form == Form::block && outside == OutsideIndex::clip_start);
}

IllegalCase random_illegal_case(Random& random) {
  const Operation operation = random.chance(10) ? random_generic(random) : random_operation(random);
  const OperationRule& rule = random_rule(random, operation);
  while (true) {
    const Call call = random_call_of(random, operation);
    const bool lacks_indices = operation.form == Form::start && !call.operands.contains("indices");
    if (lacks_indices) continue;
    if (auto illegal = broken_by(random, call, rule.label)) return *std::move(illegal);
  }
}

std::string to_string(const Case& c) {
  std::string text(c.call.operation);
  for (const auto& [name, value] : c.call.attributes)
    text += fmt::format(" {} {}", name, tscatter::to_string(value));
  for (const IndexItem& item : c.call.index) text += " item " + item.text;
  text += "; ";
  for (const auto& [name, dense] : c.call.operands) {
    const oracle::Layout layout = c.layouts.find(name)->second;
    const SourceKind source = c.delivery.sources.find(name)->second;
    text += fmt::format("{} {} {} {} {}{} = {}; ", name, tscatter::to_string(dense.type),
                        tscatter::to_string(dense.shape),
                        layout.order == MemoryOrder::c ? "C" : "Fortran",
                        layout.byte_order == std::endian::little ? "little-endian" : "big-endian",
                        text_of(source), text_of(dense));
  }
  return text + text_of(c.delivery);
}

}  // namespace tscatter::property

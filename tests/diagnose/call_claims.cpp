#include "diagnose/call_claims.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "oracle/accumulated.hpp"
#include "oracle/index.hpp"
#include "oracle/parts.hpp"
#include "oracle/window.hpp"
#include "property/random_operands.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::planted {
namespace {

using oracle::Call;
using oracle::Dense;
using oracle::Int128;
using oracle::RealFormat;
using oracle::Write;
using Terms = std::vector<Bytes>;

constexpr std::string_view saturates_words = ", which saturates";
constexpr std::string_view each_step_words = ", rounded at each step";

// Behind the words; nullopt if they begin otherwise.
std::optional<std::string> rest_of(const std::string& words, std::string_view beginning) {
  return words.starts_with(beginning) ? std::optional(words.substr(beginning.size()))
                                      : std::nullopt;
}

std::int64_t number_in(const std::string& words) {
  return std::strtoll(words.c_str(), nullptr, 10);
}

// "[3, 0]" at the beginning of the words.
Position position_in(const std::string& words) {
  Position position;
  std::string numbers = words.substr(1, words.find(']') - 1);
  std::replace(numbers.begin(), numbers.end(), ',', ' ');
  std::istringstream stream(numbers);
  for (std::int64_t each = 0; stream >> each;) position.push_back(each);
  return position;
}

DTypeKind kind_of(const ElementType& type) { return info(type.dtype).kind; }

// ---- Values

// The patterns of the reals in some elements, or of the parts of complex ones.
template <class Change>
Bytes with_patterns(const ElementType& type, Bytes elements, const Change& change) {
  if (kind_of(type) != DTypeKind::real && kind_of(type) != DTypeKind::complex) return elements;
  const RealFormat format = oracle::format_of(type.dtype);
  for (std::size_t at = 0; at < elements.size(); at += static_cast<std::size_t>(format.bits / 8)) {
    std::byte* const place = elements.data() + at;
    oracle::store_pattern(format, change(format, oracle::load_pattern(format, place)), place);
  }
  return elements;
}

bool is_nan(const RealFormat& format, std::uint64_t pattern) {
  return (pattern & ~format.sign()) > format.infinity();
}

Bytes flushed(const ElementType& type, Bytes elements) {
  return with_patterns(type, std::move(elements), [](const RealFormat& format, std::uint64_t bits) {
    const bool is_small = (bits & ~format.sign()) >> format.mantissa == 0;
    return is_small ? bits & format.sign() : bits;
  });
}

ElementType accumulator_of(const MeetingOfCall& meeting) {
  const bool may_be_wide =
      oracle::is_arithmetic(meeting.reduction) && kind_of(meeting.type) == DTypeKind::real;
  if (!may_be_wide) return meeting.type;
  if (meeting.accumulation == Accumulation::float64) return ElementType::of(DType::float64);
  const bool is_in_float = meeting.accumulation == Accumulation::float32 && meeting.type.size == 2;
  return is_in_float ? ElementType::of(DType::float32) : meeting.type;
}

Bytes as_real(DType from, const std::byte* element, DType to, bool saturates) {
  const RealFormat format = oracle::format_of(to);
  double value = 0;
  if (info(from).kind == DTypeKind::real) {
    const RealFormat own = oracle::format_of(from);
    value = oracle::decoded(own, oracle::load_pattern(own, element));
  } else {
    const Int128 whole = oracle::load_integer(from, element);
    value = to == DType::float32 ? double{static_cast<float>(whole)} : static_cast<double>(whole);
  }
  std::uint64_t bits = oracle::encoded(format, value);
  if (saturates && (bits & ~format.sign()) == format.infinity()) --bits;
  Bytes into(info(to).size);
  oracle::store_pattern(format, bits, into.data());
  return into;
}

struct IntegerRange {
  Int128 least;
  Int128 most;
};

IntegerRange range_of(DType dtype) {
  const bool is_signed = info(dtype).kind == DTypeKind::signed_integer;
  const int bits = static_cast<int>(info(dtype).size) * 8 - (is_signed ? 1 : 0);
  const Int128 most = (Int128{1} << bits) - 1;
  return {.least = is_signed ? -most - 1 : Int128{0}, .most = most};
}

Int128 whole_of(double value, const IntegerRange& range, bool saturates) {
  // The most may be no double, but one more is.
  const bool fits =
      value > static_cast<double>(range.least) - 1 && value < static_cast<double>(range.most + 1);
  if (fits) return static_cast<Int128>(value);
  if (!saturates) return range.least;
  if (std::isnan(value)) return 0;
  return value < 0 ? range.least : range.most;
}

// A number as another dtype has it.
Bytes as_dtype(DType from, const std::byte* element, DType to, bool saturates) {
  if (info(to).kind == DTypeKind::real) return as_real(from, element, to, saturates);
  const IntegerRange range = range_of(to);
  Int128 whole = 0;
  if (info(from).kind == DTypeKind::real) {
    const RealFormat own = oracle::format_of(from);
    whole = whole_of(oracle::decoded(own, oracle::load_pattern(own, element)), range, saturates);
  } else {
    whole = oracle::load_integer(from, element);
    if (saturates) whole = std::clamp(whole, range.least, range.most);
  }
  Bytes into(info(to).size);
  oracle::store_integer(to, whole, into.data());
  return into;
}

// ---- What reaches each element

struct Term {
  Position index = {};  // of its entry in indices
  bool has_entry = false;
  Bytes value = {};
};

Bytes element_of(const Dense& dense, std::size_t i) {
  return {dense.element(i), dense.element(i) + dense.type.size};
}

std::vector<std::vector<Term>> terms_of(const Call& call) {
  const Dense& updates = call.operand("updates");
  std::vector<std::vector<Term>> terms;
  for (const std::vector<Write>& writes : oracle::writes_of(call).of_element) {
    std::vector<Term>& here = terms.emplace_back();
    for (const Write& each : writes) {
      Term term{.value = element_of(updates, oracle::row_major(updates.shape, each.update))};
      term.has_entry = each.entry.has_value();
      if (each.entry) term.index = oracle::place_in_indices(call, *each.entry);
      here.push_back(std::move(term));
    }
  }
  return terms;
}

Terms values_of(const std::vector<Term>& terms) {
  Terms values;
  for (const Term& each : terms) values.push_back(each.value);
  return values;
}

// The same call with updates that are multiplied by alpha already.
Call with_products(Call call) {
  if (call.row().find_attribute("alpha") == nullptr) return call;
  Dense& updates = call.operands["updates"];
  for (std::size_t i = 0; i < updates.count(); ++i)
    std::ranges::copy(oracle::scaled(call, updates.element(i)), updates.element(i));
  call.attributes["alpha"] = Number(std::int64_t{1});
  return call;
}

// The same call with indices that are as long as data off the axis.
Call with_broadcast_indices(Call call) {
  if (!call.row().broadcasts_indices) return call;
  const Dense given = call.operand("indices");
  Dense& indices = call.operands["indices"];
  indices = Dense::zeros(given.type, oracle::updates_shape(call));
  oracle::for_each_index(indices.shape, [&](const Position& at) {
    std::copy_n(given.at(oracle::within(given.shape, at)), given.type.size, indices.at(at));
  });
  return call;
}

class CallClaimant {
 public:
  explicit CallClaimant(const Call& call)
      : given_{call},
        call_{with_broadcast_indices(with_products(call))},
        data_{call_.operand("data")},
        meeting_{MeetingOfCall::of(call_)},
        terms_{terms_of(call_)} {}

  std::optional<CallClaim> claim(const std::string& words) const {
    for (const auto of :
         {&CallClaimant::of_updates, &CallClaimant::of_meeting, &CallClaimant::of_values,
          &CallClaimant::of_indices, &CallClaimant::of_rows, &CallClaimant::of_places}) {
      if (auto claim = (this->*of)(words)) return claim;
    }
    return std::nullopt;
  }

 private:
  Bytes datum(std::size_t i) const { return element_of(data_, i); }

  // values(i): of an element.
  template <class Values>
  CallClaim each(bool is_whole, const Values& values) const {
    CallClaim claim{.is_whole = is_whole, .are_bools = kind_of(data_.type) == DTypeKind::boolean};
    for (std::size_t i = 0; i < data_.count(); ++i) claim.values.push_back(values(i));
    return claim;
  }
  CallClaim met(bool is_whole, const MeetingOfCall& meeting) const {
    const bool is_ordered = meeting.reduction != Reduction::none;
    return each(is_whole && is_ordered, [&](std::size_t i) -> std::vector<Bytes> {
      return {meeting.value(datum(i), values_of(terms_[i]))};
    });
  }
  CallClaim own() const { return met(true, meeting_); }

  // A mean may have counted updates that are missing, or counted one that counts twice once.
  std::vector<Bytes> with_or_without_count(std::size_t i, const Terms& changed) const {
    std::vector<Bytes> values{meeting_.value(datum(i), changed)};
    if (oracle::divides(meeting_.reduction) && !changed.empty()) {
      const auto counted = static_cast<std::int64_t>(terms_[i].size()) +
                           (meeting_.initial == InitialValue::data ? 1 : 0);
      values.push_back(meeting_.value(datum(i), changed, counted));
    }
    return values;
  }

  // Those of an element's entries; empty for a slice.
  std::set<Position> indices_of(std::size_t i) const {
    std::set<Position> indices;
    for (const Term& each : terms_[i]) {
      if (each.has_entry) indices.insert(each.index);
    }
    return indices;
  }

  CallClaim without_copy() const {
    CallClaim claim = own();
    for (std::size_t i = 0; i < data_.count(); ++i) {
      if (terms_[i].empty()) claim.values[i] = {Bytes(datum(i).size())};
    }
    return claim;
  }
  std::vector<Bytes> without_index(std::size_t i, const Position& first,
                                   const Position& last) const {
    Terms rest;
    for (const Term& each : terms_[i]) {
      if (each.index < first || each.index > last) rest.push_back(each.value);
    }
    return with_or_without_count(i, rest);
  }
  std::vector<Bytes> twice(std::size_t i, const Position& index) const {
    Terms more;
    for (const Term& each : terms_[i]) {
      more.push_back(each.value);
      if (each.index == index) more.push_back(each.value);
    }
    return with_or_without_count(i, more);
  }
  std::vector<Bytes> without_some(std::size_t i) const {
    std::vector<Bytes> all;
    const Terms terms = values_of(terms_[i]);
    for (std::size_t first = 0; first < terms.size(); ++first) {
      for (std::size_t last = first + 1; last <= terms.size(); ++last) {
        Terms rest(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(first));
        rest.insert(rest.end(), terms.begin() + static_cast<std::ptrdiff_t>(last), terms.end());
        for (Bytes& each : with_or_without_count(i, rest)) all.push_back(std::move(each));
      }
    }
    return all;
  }

  // of(i, index): of each index of an element's entries, one after another.
  template <class Of>
  CallClaim one_at_each(const Of& of) const {
    return each(false, [&](std::size_t i) {
      std::vector<Bytes> all;
      for (const Position& index : indices_of(i)) {
        for (Bytes& value : of(i, index)) all.push_back(std::move(value));
      }
      return all;
    });
  }

  // "index[3]" in NumPy's indexing.
  std::string entries() const { return std::string(entries_name(call_.row())); }

  std::optional<CallClaim> of_updates(const std::string& words) const {
    if (words.ends_with(": zeros where no update reaches")) return without_copy();
    if (words == "no update applied: data's value")
      return each(false, [&](std::size_t i) { return std::vector<Bytes>{datum(i)}; });
    if (words.starts_with("without one update at each: "))
      return one_at_each(
          [&](std::size_t i, const Position& at) { return without_index(i, at, at); });
    if (words.starts_with("twice one update at each: "))
      return one_at_each([&](std::size_t i, const Position& at) { return twice(i, at); });
    if (words == "without several of its updates")
      return each(false, [&](std::size_t i) { return without_some(i); });
    if (const auto entry = rest_of(words, "twice " + entries()))
      return each(false, [&](std::size_t i) { return twice(i, position_in(*entry)); });
    if (words == "every update twice")
      return with_more([](const Bytes&, Terms terms) {
        const Terms again = terms;
        terms.insert(terms.end(), again.begin(), again.end());
        return terms;
      });
    if (words == "data's value twice")
      return with_more([](const Bytes& data, Terms terms) {
        if (!terms.empty()) terms.insert(terms.begin(), data);
        return terms;
      });
    const auto entry = rest_of(words, "without " + entries());
    if (!entry) return std::nullopt;
    const std::string until = " to " + entries();
    const std::size_t to = entry->find(until);
    const Position first = position_in(*entry);
    const Position last =
        to == std::string::npos ? first : position_in(entry->substr(to + until.size()));
    return each(to != std::string::npos,
                [&](std::size_t i) { return without_index(i, first, last); });
  }

  template <class More>
  CallClaim with_more(const More& more) const {
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      return {meeting_.value(datum(i), more(datum(i), values_of(terms_[i])))};
    });
  }

  // Of another call; nullopt if a rule refuses it, or it is another result.
  std::optional<CallClaim> left_by(const Call& call) const {
    if (oracle::refusal_of(call)) return std::nullopt;
    const Dense output = oracle::apply(call).output;
    if (output.shape != data_.shape) return std::nullopt;
    const bool is_ordered = call.reduction() == Reduction::none;
    CallClaim claim = each(
        !is_ordered, [&](std::size_t i) -> std::vector<Bytes> { return {element_of(output, i)}; });
    if (!is_ordered) return claim;
    for (const std::vector<Term>& each : terms_of(call)) claim.others.push_back(values_of(each));
    return claim;
  }

  std::optional<CallClaim> of_meeting(const std::string& words) const {
    if (const auto name = rest_of(words, "as with the reduction ")) {
      MeetingOfCall other = meeting_;
      other.reduction = in_family(*reduction_from_name(*name), call_.row().policies.extremes);
      return met(true, other);
    }
    if (words == "the sum, not divided")
      return each(true, [&](std::size_t i) -> std::vector<Bytes> {
        return {meeting_.value(datum(i), values_of(terms_[i]), 1)};
      });
    if (words == "the sum, times the reciprocal of the count") return times_reciprocal();
    for (const auto& [end, more] : {std::pair("many", 1), std::pair("few", -1)}) {
      const bool is_of_count = words == std::string("the sum, divided by one too ") + end;
      if (!is_of_count && words != std::string("the sum, divided by the root of one too ") + end)
        continue;
      return each(true, [&, more = more](std::size_t i) -> std::vector<Bytes> {
        const Terms terms = values_of(terms_[i]);
        const std::int64_t divisor = meeting_.divisor_of(terms) + more;
        if (divisor == 0) return {};
        return {meeting_.value(datum(i), terms, divisor)};
      });
    }
    if (const auto flags = rest_of(words, "as with --")) {
      const auto other = with_answers("--" + *flags);
      return other ? left_by(*other) : std::nullopt;
    }
    if (const auto axis = rest_of(words, "along axis "))
      return left_by(with_axis(number_in(*axis)));
    if (const auto name = rest_of(words, "as ")) {
      const auto other = as_operation(*find_operation(*name));
      return other ? left_by(*other) : std::nullopt;
    }
    return std::nullopt;
  }

  // In float64, or float32 and rounded to a half float.
  CallClaim times_reciprocal() const {
    const RealFormat format = oracle::format_of(meeting_.type.dtype);
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      const Terms terms = values_of(terms_[i]);
      Bytes sum = meeting_.value(datum(i), terms, 1);
      if (terms.empty()) return {sum};
      const double value = oracle::decoded(format, oracle::load_pattern(format, sum.data()));
      const std::int64_t count = meeting_.divisor_of(terms);
      const double mean =
          format.bits == 64
              ? value * (1.0 / static_cast<double>(count))
              : static_cast<double>(static_cast<float>(value) * (1.0F / static_cast<float>(count)));
      oracle::store_pattern(format, oracle::encoded(format, mean), sum.data());
      return {sum};
    });
  }

  Call with_axis(std::int64_t axis) const {
    Call call = call_;
    if (call.row().find_attribute("axis") != nullptr) {
      call.attributes["axis"] = axis;
    } else {
      Dense& operand = call.operands["axis"];
      operand = property::integers(ElementType::of(DType::int64), operand.shape, {axis});
    }
    return call;
  }

  // "--oob modulo --extremes ieee", "--mode circular".
  std::optional<Call> with_answers(const std::string& flags) const {
    Call call = given_;
    auto row = std::make_shared<Operation>(call.row());
    std::istringstream words(flags);
    for (std::string flag, word; words >> flag >> word;) {
      const std::string name = flag.substr(2);
      std::string word_of_row = name;
      std::ranges::replace(word_of_row, '-', '_');
      const auto attribute = std::ranges::find(row->attributes, word_of_row, &AttributeInfo::word);
      if (attribute != row->attributes.end()) {
        call.attributes[std::string(attribute->name)] = *parse_attribute(*attribute, word);
      } else if (const PolicyInfo* policy = find_policy(name)) {
        override_policy(*row, *policy, word);
      } else {
        return std::nullopt;
      }
    }
    call.variant = std::move(row);
    return call;
  }

  // An operand in the shape that other operations require: updates where a larger box or one value
  // was given, one index as a vector.
  Dense fitted(std::string_view name) const {
    Dense given = call_.operand(name);
    const Form form = call_.row().form;
    // Updates say how long windows are.
    if (form == Form::window || form == Form::block) return given;
    const bool is_vector = call_.row().index_rank == IndexRank::vector;
    if (name == "indices" && is_vector && given.shape.empty()) given.shape = {1};
    const bool is_asked = name == "updates" && form != Form::start;
    const Shape required = is_asked ? oracle::updates_shape(call_) : given.shape;
    const bool is_broadcast = call_.row().updates_shape == UpdatesShape::broadcast ||
                              call_.row().updates_shape == UpdatesShape::broadcast_ones;
    const bool is_reshaped = form == Form::flat && name == "updates";
    if (is_reshaped && given.count() == Dense::zeros(given.type, required).count()) {
      given.shape = required;
      return given;
    }
    if (!is_broadcast && !given.shape.empty() && given.shape.size() != required.size())
      return given;
    Dense fitted = Dense::zeros(given.type, required);
    oracle::for_each_index(required, [&](const Position& at) {
      const bool is_whole = !is_broadcast && !given.shape.empty();
      const std::byte* from = given.at(is_whole ? at : oracle::within(given.shape, at));
      std::copy_n(from, given.type.size, fitted.at(at));
    });
    return fitted;
  }

  // With the call's own answers.
  std::optional<Call> as_operation(const Operation& operation) const {
    auto row = std::make_shared<Operation>(operation);
    for (const PolicyAnswer& each : overrides_of(call_.row())) {
      const PolicyInfo& policy = *find_policy(each.policy);
      const bool is_asked = can_override(operation, policy.policy);
      if (is_asked && !call_.row().unanswered.contains(policy.policy))
        override_policy(*row, policy, each.answer);
    }
    Call call{.operation = operation.id, .operands = {}, .variant = row};
    const bool has_axis = call_.operands.contains("axis") || call_.row().find_attribute("axis") ||
                          call_.row().form == Form::segment;
    for (const OperandInfo& each : operation.operands) {
      if (each.name == "axis" && has_axis) {
        call.operands["axis"] =
            property::integers(ElementType::of(DType::int64), {}, {oracle::given_axis(call_)});
      } else if (call_.operands.contains(each.name)) {
        call.operands.emplace(each.name, fitted(each.name));
      }
    }
    for (const AttributeInfo& each : operation.attributes) {
      const auto given = call_.attributes.find(each.name);
      if (each.name == "axis" && has_axis) {
        call.attributes["axis"] = static_cast<std::int64_t>(oracle::given_axis(call_));
      } else if (given != call_.attributes.end()) {
        call.attributes.insert(*given);
      }
    }
    return call;
  }

  // ---- Values that are changed, or of another dtype.

  std::optional<CallClaim> of_values(const std::string& words) const {
    if (words == "subnormal numbers flushed to zero")
      return each(false, [&](std::size_t i) -> std::vector<Bytes> {
        const Terms terms = values_of(terms_[i]);
        const bool is_computed = meeting_.reduction != Reduction::none && !terms.empty();
        if (is_computed) return {meeting_.value(datum(i), terms, std::nullopt, true)};
        return {flushed(meeting_.type, meeting_.value(datum(i), terms))};
      });
    if (words == "a signalling NaN made quiet")
      return with_nans(
          [](std::uint64_t nan, std::uint64_t quiet, std::uint64_t) { return nan | quiet; });
    if (words == "a NaN replaced by the one without payload")
      return with_nans([](std::uint64_t, std::uint64_t quiet, std::uint64_t) { return quiet; });
    if (words == "a NaN replaced by the one without payload, its sign kept")
      return with_nans([](std::uint64_t nan, std::uint64_t quiet, std::uint64_t sign) {
        return quiet | (nan & sign);
      });
    if (words == "overflow saturates at each step") return saturated(meeting_.type.dtype);
    if (words == "overflow saturates at the end") return saturated(DType::int64);
    if (const auto dtype = rest_of(words, "computed as if the bits were "))
      return computed_on_bits(*dtype_from_name(*dtype));
    if (const auto dtype = rest_of(words, "computed in ")) return computed_in(*dtype);
    if (const auto dtype = rest_of(words, "rounded to ")) return rounded_to(OtherDType(*dtype));
    if (const auto dtype = rest_of(words, "updates rounded to "))
      return with_updates_rounded_to(OtherDType(*dtype));
    return std::nullopt;
  }

  template <class Change>
  CallClaim with_nans(const Change& change) const {
    const auto changed = [&](const Bytes& elements) {
      return with_patterns(
          meeting_.type, elements, [&](const RealFormat& format, std::uint64_t bits) {
            const std::uint64_t quiet =
                format.infinity() | (std::uint64_t{1} << (format.mantissa - 1));
            return is_nan(format, bits) ? change(bits, quiet, format.sign()) : bits;
          });
    };
    return each(false, [&](std::size_t i) -> std::vector<Bytes> {
      Terms terms;
      for (const Term& each : terms_[i]) terms.push_back(changed(each.value));
      return {meeting_.value(changed(datum(i)), terms)};
    });
  }

  // Each step's overflow leaves the largest number of `wide` or the least; so does the result's.
  CallClaim saturated(DType wide) const {
    const DType own = meeting_.type.dtype;
    const auto limited = [](Int128 value, DType dtype) {
      const IntegerRange range = range_of(dtype);
      return std::clamp(value, range.least, range.most);
    };
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      if (terms_[i].empty()) return {datum(i)};
      Bytes bytes = meeting_.start(datum(i));
      Int128 value = oracle::load_integer(own, bytes.data());
      for (const Term& each : terms_[i]) {
        const Int128 term = oracle::load_integer(own, each.value.data());
        if (meeting_.reduction == Reduction::prod) value *= term;
        if (meeting_.reduction == Reduction::sum) value += term;
        if (meeting_.reduction == Reduction::sub) value -= term;
        value = limited(value, wide);
      }
      oracle::store_integer(own, limited(value, own), bytes.data());
      return {bytes};
    });
  }

  CallClaim computed_on_bits(DType dtype) const {
    MeetingOfCall other = meeting_;
    other.type = ElementType::of(dtype);
    return met(true, other);
  }

  // "float16, which saturates"
  struct OtherDType {
    DType to;
    bool saturates;

    explicit OtherDType(std::string words) : saturates{words.ends_with(saturates_words)} {
      if (saturates) words.resize(words.size() - saturates_words.size());
      to = *dtype_from_name(words);
    }
    Bytes in(DType own, const Bytes& element) const {
      return as_dtype(own, element.data(), to, saturates);
    }
    Bytes back(DType own, const Bytes& element) const {
      return as_dtype(to, element.data(), own, saturates);
    }
  };

  CallClaim computed_in(std::string words) const {
    MeetingOfCall other = meeting_;
    if (words.ends_with(each_step_words)) {
      other.accumulation = Accumulation::each_step;
      words.resize(words.size() - each_step_words.size());
    }
    const OtherDType dtype(words);
    const DType own = meeting_.type.dtype;
    other.type = ElementType::of(dtype.to);
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      Terms terms;
      for (const Term& each : terms_[i]) terms.push_back(dtype.in(own, each.value));
      return or_left(i, dtype.back(own, other.value(dtype.in(own, datum(i)), terms)));
    });
  }

  CallClaim rounded_to(const OtherDType& dtype) const {
    const DType own = meeting_.type.dtype;
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      const Bytes value = meeting_.value(datum(i), values_of(terms_[i]));
      return or_left(i, dtype.back(own, dtype.in(own, value)));
    });
  }

  CallClaim with_updates_rounded_to(const OtherDType& dtype) const {
    const DType own = meeting_.type.dtype;
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      Terms terms;
      for (const Term& each : terms_[i])
        terms.push_back(dtype.back(own, dtype.in(own, each.value)));
      return {meeting_.value(datum(i), terms)};
    });
  }

  // What no update reaches may also be as it was.
  std::vector<Bytes> or_left(std::size_t i, Bytes value) const {
    if (terms_[i].empty()) return {std::move(value), datum(i)};
    return {std::move(value)};
  }

  // ---- Indices that are read otherwise.

  // The axis of indices with the coordinates of an entry; their rank: it has one.
  std::size_t axis_of_coordinates() const {
    const std::size_t rank = call_.operand("indices").shape.size();
    if (call_.row().form == Form::nd) return rank - 1;
    if (call_.row().form == Form::block) return 0;
    if (call_.row().form != Form::window) return rank;
    return oracle::window_vector_dim(call_);
  }
  std::vector<std::int64_t> axes_of_coordinates() const {
    const Form form = call_.row().form;
    std::vector<std::int64_t> axes;
    if (form == Form::nd || form == Form::block) {
      for (std::int64_t i = 0; i < call_.operand("indices").shape.back(); ++i) axes.push_back(i);
    } else if (form == Form::window) {
      for (const std::size_t axis : oracle::window_dims(call_).scatter_dims_to_operand_dims)
        axes.push_back(static_cast<std::int64_t>(axis));
    } else if (form == Form::batched_rows) {
      axes.push_back(1);
    } else {
      const auto rank = static_cast<std::int64_t>(data_.shape.size());
      const auto axis = static_cast<std::int64_t>(oracle::given_axis(call_));
      axes.push_back(axis < 0 ? axis + rank : axis);
    }
    return axes;
  }

  // A tensor of indices, and how reports call it: an item of NumPy's index as it was written.
  struct Indices {
    std::string operand;
    std::string text;
  };
  std::vector<Indices> all_indices() const {
    std::vector<Indices> all;
    if (call_.operands.contains("indices")) all.push_back({"indices", entries()});
    for (const IndexItem& item : call_.index) {
      const auto* const of = std::get_if<OperandItem>(&item.what);
      if (of != nullptr && is_integer(call_.operand(of->operand).type.dtype))
        all.push_back({of->operand, item.text});
    }
    return all;
  }

  // indices[at] = value(at), of int64; what is then out of range is dropped.
  template <class Value>
  std::optional<CallClaim> with_indices(const std::string& operand, const Value& value) const {
    Call call = call_;
    call.has_base = true;
    auto row = std::make_shared<Operation>(call.row());
    if (row->policies.outside == OutsideIndex::error)
      row->policies.outside = OutsideIndex::drop_window;
    call.variant = row;
    Dense& indices = call.operands[operand];
    std::vector<Int128> values;
    oracle::for_each_index(indices.shape, [&](const Position& at) { values.push_back(value(at)); });
    const bool takes_long = takes_indices_of(*row, DType::int64);
    const DType dtype = takes_long ? DType::int64 : DType::int32;
    const bool fits =
        std::ranges::all_of(values, [&](Int128 each) { return oracle::fits(dtype, each); });
    if (!fits) return std::nullopt;
    indices = property::integers(ElementType::of(dtype), indices.shape, values);
    return left_by(call);
  }
  Int128 index_at(const std::string& operand, const Position& at) const {
    const Dense& indices = call_.operand(operand);
    return oracle::load_integer(indices.type.dtype, indices.at(at));
  }

  std::optional<CallClaim> of_indices(const std::string& words) const {
    for (const Indices& each : all_indices()) {
      if (auto claim = off_by(each, words)) return claim;
      if (auto claim = of_index_bytes(each, words)) return claim;
    }
    if (!call_.operands.contains("indices")) return std::nullopt;
    if (words == "the coordinates of indices in reversed order") {
      const std::size_t axis = axis_of_coordinates();
      return with_indices("indices", [&](Position at) {
        at[axis] = call_.operand("indices").shape[axis] - 1 - at[axis];
        return index_at("indices", at);
      });
    }
    if (words == "indices that pass the end of an axis go on in the next row") return spilled();
    return std::nullopt;
  }

  std::optional<CallClaim> off_by(const Indices& named, const std::string& words) const {
    const auto by = rest_of(words, named.text + " off by ");
    if (!by) return std::nullopt;
    const std::size_t along = by->find("axis ");
    const auto is_it = [&](const Position& at) {
      if (along == std::string::npos) return true;
      const std::size_t coordinates = axis_of_coordinates();
      const std::int64_t own = coordinates < at.size() ? at[coordinates] : 0;
      return axes_of_coordinates()[static_cast<std::size_t>(own)] ==
             number_in(by->substr(along + 5));
    };
    return with_indices(named.operand, [&](const Position& at) {
      return index_at(named.operand, at) + (is_it(at) ? number_in(*by) : 0);
    });
  }

  std::optional<CallClaim> of_index_bytes(const Indices& named, const std::string& words) const {
    const Dense& indices = call_.operand(named.operand);
    if (const auto dtype = rest_of(words, named.text + " cut to "))
      return with_indices(named.operand, [&](const Position& at) {
        std::array<std::byte, 8> bytes{};
        oracle::store_integer(*dtype_from_name(*dtype), index_at(named.operand, at), bytes.data());
        return oracle::load_integer(*dtype_from_name(*dtype), bytes.data());
      });
    if (const auto dtype = rest_of(words, "the bytes of " + named.text + " read as ")) {
      const DType half = *dtype_from_name(*dtype);
      return with_indices(named.operand, [&](const Position& at) {
        return oracle::load_integer(
            half, indices.bytes.data() + oracle::row_major(indices.shape, at) * info(half).size);
      });
    }
    if (words == "negative " + named.text + " taken as 0") {
      return with_indices(named.operand, [&](const Position& at) {
        return std::max(index_at(named.operand, at), Int128{0});
      });
    }
    if (words == named.text + " of the first entry for all") {
      return with_indices(named.operand, [&](const Position& at) {
        Position first(at.size(), 0);
        const std::size_t axis = named.operand == "indices" ? axis_of_coordinates() : at.size();
        if (axis < at.size()) first[axis] = at[axis];
        return index_at(named.operand, first);
      });
    }
    if (words == named.text + " read in the other memory order") {
      return with_indices(named.operand, [&](const Position& at) {
        return index_at(named.operand, turned(indices.shape, at));
      });
    }
    const auto rows = rest_of(words, named.text + " read as if axis ");
    if (!rows) return std::nullopt;
    return with_indices(named.operand, [&](const Position& at) {
      return index_at(named.operand, with_rows_of(*rows, indices.shape, at));
    });
  }

  // Where the element stands, in row-major order, if an axis had another length: "1 had 17
  // elements".
  static std::int64_t number_with(const std::string& rows, Shape shape, const Position& at) {
    shape[static_cast<std::size_t>(number_in(rows))] =
        number_in(rows.substr(rows.find(" had ") + 5));
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      number = number * shape[axis] + at[axis];
    return number;
  }
  // The element that is really there; the same one if there is none.
  static Position with_rows_of(const std::string& rows, const Shape& shape, const Position& at) {
    const std::int64_t number = number_with(rows, shape, at);
    return number < oracle::product(shape) ? position_of(shape, number) : at;
  }

  // Where the element stands that the other memory order has at the place.
  static Position turned(const Shape& shape, const Position& at) {
    std::int64_t number = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) number = number * shape[axis] + at[axis];
    Position other(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      other[axis] = number % shape[axis];
      number /= shape[axis];
    }
    return other;
  }

  // The other way round: where the element stands that has the place in the other memory order.
  static Position stored(const Shape& shape, const Position& at) {
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      number = number * shape[axis] + at[axis];
    Position other;
    for (const std::int64_t size : shape) {
      other.push_back(number % size);
      number /= size;
    }
    return other;
  }

  std::optional<CallClaim> spilled() const {
    const Dense& indices = call_.operand("indices");
    const auto depth = static_cast<std::size_t>(indices.shape.back());
    return with_indices("indices", [&](const Position& at) {
      Int128 offset = 0;
      Position each = at;
      for (std::size_t j = 0; j < depth; ++j) {
        each.back() = static_cast<std::int64_t>(j);
        offset = offset * data_.shape[j] + index_at("indices", each);
      }
      if (offset < 0) return at.back() == 0 ? offset : index_at("indices", at);
      for (std::size_t j = depth; j-- > static_cast<std::size_t>(at.back()) + 1;)
        offset /= data_.shape[j];
      return at.back() == 0 ? offset : offset % data_.shape[static_cast<std::size_t>(at.back())];
    });
  }

  // ---- Updates that are read elsewhere.

  // What each entry would write, by its place in indices and that in its block, wherever it goes.
  std::map<std::pair<Position, Position>, std::vector<Bytes>> blocks() const {
    Call call = call_;
    Dense& indices = call.operands["indices"];
    indices = Dense::zeros(indices.type, indices.shape);
    const Dense& updates = call.operand("updates");
    std::map<std::pair<Position, Position>, std::vector<Bytes>> all;
    oracle::for_each_write(call, [&](const Write& write) {
      all[{oracle::place_in_indices(call, *write.entry), block_place(write.element)}].push_back(
          element_of(updates, oracle::row_major(updates.shape, write.update)));
    });
    return all;
  }
  // The coordinates that no entry names.
  Position block_place(const Position& element) const {
    const Form form = call_.row().form;
    if (form == Form::elements) return {};
    auto axes = axes_of_coordinates();
    if (form == Form::start || form == Form::batched_rows) axes.push_back(0);
    if (form == Form::window) {
      for (const std::size_t axis : oracle::window_dims(call_).input_batching_dims)
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    Position place;
    for (std::size_t axis = 0; axis < element.size(); ++axis) {
      if (std::ranges::count(axes, static_cast<std::int64_t>(axis)) == 0)
        place.push_back(element[axis]);
    }
    return place;
  }
  Shape entries_shape() const {
    Shape shape = call_.operand("indices").shape;
    const std::size_t coordinates = axis_of_coordinates();
    if (coordinates < shape.size())
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(coordinates));
    const Operation& row = call_.row();
    const bool is_vector = row.index_rank == IndexRank::vector || row.takes_any_index;
    return shape.empty() && is_vector ? Shape{1} : shape;
  }

  // Each entry takes the updates of the one with the number row(its own).
  template <class Row>
  std::optional<CallClaim> with_rows(const Row& row) const {
    const auto updates = blocks();
    const Shape shape = entries_shape();
    const auto writes = oracle::writes_of(call_);
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      Terms terms;
      for (const Write& write : writes.of_element[i]) {
        const Position at = oracle::place_in_indices(call_, *write.entry);
        const auto own = static_cast<std::int64_t>(oracle::row_major(shape, at));
        const Position other = position_of(shape, row(own));
        terms.push_back(updates.at({other, block_place(write.element)}).front());
      }
      return {meeting_.value(datum(i), terms)};
    });
  }

  // Each element of updates is read at place(its own).
  template <class Place>
  std::optional<CallClaim> with_updates_at(const Place& place) const {
    Call call = call_;
    Dense& updates = call.operands["updates"];
    const Dense& own = call_.operand("updates");
    oracle::for_each_index(updates.shape, [&](const Position& at) {
      std::copy_n(own.at(place(at)), own.type.size, updates.at(at));
    });
    return left_by(call);
  }

  std::optional<CallClaim> of_rows(const std::string& words) const {
    const Shape& shape = call_.operand("updates").shape;
    if (words == "updates read in the other memory order")
      return with_updates_at([&](const Position& at) { return turned(shape, at); });
    if (words == "updates stored in the other memory order")
      return with_updates_at([&](const Position& at) { return stored(shape, at); });
    if (const auto rows = rest_of(words, "updates read as if axis "))
      return with_updates_at([&](const Position& at) { return with_rows_of(*rows, shape, at); });
    // A block is the update of no entry.
    const bool has_entries = call_.operands.contains("indices") && !oracle::is_part(call_) &&
                             call_.row().form != Form::block;
    if (!has_entries) return std::nullopt;
    const std::int64_t entries = oracle::product(entries_shape());
    const auto wrapped = [entries](std::int64_t row) {
      return (row % entries + entries) % entries;
    };
    if (const auto by = rest_of(words, "each entry with the updates of the entry "))
      return with_rows([&](std::int64_t row) { return wrapped(row + number_in(*by)); });
    if (words == "each entry with the updates of the first one")
      return with_rows([](std::int64_t) { return std::int64_t{0}; });
    if (words == "each entry with the updates of the last one")
      return with_rows([&](std::int64_t) { return entries - 1; });
    if (words == "updates in reversed order of the entries")
      return with_rows([&](std::int64_t row) { return entries - 1 - row; });
    const auto stride = rest_of(words, "updates read with ");
    if (!stride) return std::nullopt;
    const std::int64_t times = stride->starts_with("twice") ? 2 : number_in(*stride);
    const std::size_t from = stride->find("of entry ");
    const std::int64_t first = from == std::string::npos ? 0 : number_in(stride->substr(from + 9));
    return with_rows([&](std::int64_t row) { return wrapped(first + times * row); });
  }

  // ---- Other places.

  std::optional<CallClaim> of_places(const std::string& words) const {
    const bool is_of_items = call_.row().form == Form::index || oracle::is_part(call_);
    const auto entry = [&](const std::string& before) {
      return is_of_items ? std::nullopt : rest_of(words, before + entries());
    };
    if (const auto writer = entry("written by ")) return written_by(*writer);
    const auto from = entry("");
    if (from && from->find(" went to ") != std::string::npos) return misplaced(*from);
    const bool is_of_slice = words.starts_with("the step ") || words.starts_with("the start ") ||
                             words.starts_with("the slice ") || words == "no step heeded";
    if (is_of_slice) return sliced(words);
    const auto count = static_cast<std::int64_t>(data_.count());
    if (const auto by = rest_of(words, "rotated by "))
      return moved([&](std::int64_t i) { return (i - number_in(*by) + count) % count; });
    if (words == "written in the other memory order")
      return moved([&](std::int64_t i) { return with_column_major(i); });
    if (words == "updates written in the other memory order") {
      return sent([&](const Position& at) {
        std::int64_t number = 0;
        for (std::size_t axis = at.size(); axis-- > 0;)
          number = number * data_.shape[axis] + at[axis];
        return number;
      });
    }
    if (const auto rows = rest_of(words, "updates written as if axis "))
      return sent([&](const Position& at) { return number_with(*rows, data_.shape, at); });
    const auto by = rest_of(words, "shifted by ");
    if (!by) return std::nullopt;
    std::int64_t far = number_in(*by);
    if (const std::size_t axis = by->find("axis "); axis != std::string::npos) {
      const auto at = static_cast<std::size_t>(number_in(by->substr(axis + 5)));
      far *= oracle::product(std::span(data_.shape).subspan(at + 1));
    }
    return moved([&](std::int64_t i) { return i - far; });
  }

  // The element that has the number where the first axis is the fastest.
  std::int64_t with_column_major(std::int64_t number) const {
    Position at;
    for (const std::int64_t size : data_.shape) {
      at.push_back(number % size);
      number /= size;
    }
    return static_cast<std::int64_t>(oracle::row_major(data_.shape, at));
  }

  // Each update goes to the element with number to(where it goes), if there is one.
  template <class To>
  CallClaim sent(const To& to) const {
    std::vector<Terms> arrived(data_.count());
    const Dense& updates = call_.operand("updates");
    oracle::for_each_write(call_, [&](const Write& write) {
      const auto number = static_cast<std::size_t>(to(write.element));
      if (number < arrived.size())
        arrived[number].push_back(
            element_of(updates, oracle::row_major(updates.shape, write.update)));
    });
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      return {meeting_.value(datum(i), arrived[i])};
    });
  }

  // Each element as the one with number from(i).
  template <class From>
  CallClaim moved(const From& from) const {
    const CallClaim result = own();
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      const std::int64_t at = from(static_cast<std::int64_t>(i));
      if (at < 0 || at >= std::ssize(result.values)) return {};
      return result.values[static_cast<std::size_t>(at)];
    });
  }

  // Of windows any place of the entry's may have come.
  std::optional<CallClaim> written_by(const std::string& entry) const {
    const Position index = position_in(entry);
    const auto updates = blocks();
    const Form form = call_.row().form;
    const bool is_anywhere = form == Form::window || form == Form::start || form == Form::block;
    return each(false, [&](std::size_t i) {
      std::vector<Bytes> all;
      if (indices_of(i).contains(index)) return all;
      const Position place = block_place(position_of(data_.shape, static_cast<std::int64_t>(i)));
      for (const auto& [named, values] : updates) {
        const bool is_there = is_anywhere || named.second == place;
        if (named.first != index || !is_there) continue;
        for (const Bytes& value : values) all.push_back(meeting_.value(datum(i), {value}));
      }
      return all;
    });
  }

  std::optional<CallClaim> misplaced(const std::string& entry) const {
    const Position index = position_in(entry);
    const Position to = position_in(entry.substr(entry.find(" went to ") + 9));
    const Position from = position_in(entry.substr(entry.find(" in place of ") + 13));
    const auto updates = blocks();
    const auto writes = oracle::writes_of(call_);
    return each(true, [&](std::size_t i) -> std::vector<Bytes> {
      const Position element = position_of(data_.shape, static_cast<std::int64_t>(i));
      const auto first = element.begin() + static_cast<std::ptrdiff_t>(writes.first_axis);
      const Position named(first, first + std::ssize(to));
      std::map<Position, Bytes> terms;  // in the order of the entries
      for (const Term& each : terms_[i]) terms[each.index] = each.value;
      if (named == from) terms.erase(index);
      if (named == to) terms[index] = updates.at({index, block_place(element)}).front();
      Terms values;
      for (const auto& [at, value] : terms) values.push_back(value);
      return {meeting_.value(datum(i), values)};
    });
  }

  // A slice of as many positions along each axis.
  std::optional<CallClaim> sliced(const std::string& words) const {
    const std::int64_t along =
        words == "no step heeded" ? -1 : number_in(words.substr(words.find("axis ") + 5));
    const auto by = rest_of(words, "the slice off by ");
    CallClaim claim = each(true, [&](std::size_t i) { return std::vector<Bytes>{datum(i)}; });
    const Dense& updates = call_.operand("updates");
    std::vector<Write> writes;
    oracle::for_each_write(call_, [&](const Write& each) { writes.push_back(each); });
    bool fits = true;
    for (std::size_t axis = 0; axis < data_.shape.size(); ++axis) {
      if (along >= 0 && static_cast<std::size_t>(along) != axis) continue;
      std::vector<std::int64_t> taken;  // in the order of the slice
      for (const Write& each : writes) {
        if (std::ranges::count(taken, each.element[axis]) == 0) taken.push_back(each.element[axis]);
      }
      for (Write& each : writes) {
        std::int64_t& at = each.element[axis];
        const std::int64_t count = std::ranges::find(taken, at) - taken.begin();
        if (by) {
          at += number_in(*by);
        } else if (words.starts_with("the start")) {
          at -= taken.front();
        } else {
          at = taken.front() + (taken.back() < taken.front() ? -count : count);
        }
        fits = fits && at >= 0 && at < data_.shape[axis];
      }
    }
    if (!fits) return std::nullopt;
    for (const Write& write : writes) {
      const std::size_t element = oracle::row_major(data_.shape, write.element);
      const Bytes update = element_of(updates, oracle::row_major(updates.shape, write.update));
      claim.values[element] = {meeting_.value(datum(element), {update})};
    }
    return claim;
  }

  const Call& given_;
  Call call_;  // with products for updates, and indices as long as data
  const Dense& data_;
  MeetingOfCall meeting_;
  std::vector<std::vector<Term>> terms_;
};

}  // namespace

MeetingOfCall MeetingOfCall::of(const Call& call) {
  return {.type = call.operand("data").type,
          .reduction = call.reduction(),
          .initial = call.row().initial_value(call.attributes),
          .accumulation = call.row().policies.accumulation,
          .mean = call.row().policies.mean};
}

Bytes MeetingOfCall::start(const Bytes& data) const {
  if (initial == InitialValue::identity || initial == InitialValue::infinite)
    return oracle::identity_of(type, reduction, initial == InitialValue::infinite);
  if (initial.kind == InitialValue::Kind::number)
    return oracle::element_of_number(type, initial.number);
  return data;
}

Bytes MeetingOfCall::value(const Bytes& data, const std::vector<Bytes>& terms,
                           std::optional<std::int64_t> divisor, bool flushes) const {
  if (terms.empty()) return data;
  if (reduction == Reduction::none) return terms.back();
  const ElementType wide = accumulator_of(*this);
  const auto in_wide = [&](const Bytes& element) {
    const Bytes given = flushes ? flushed(type, element) : element;
    return oracle::converted(type, given.data(), wide);
  };
  Bytes value = in_wide(start(data));
  for (const Bytes& term : terms) {
    oracle::combine(wide, reduction, value.data(), in_wide(term).data());
    if (flushes) value = flushed(wide, std::move(value));
  }
  const bool rounds_sum = oracle::divides(reduction) && mean.divisor != MeanDivisor::exact;
  const ElementType& divided = rounds_sum ? type : wide;
  if (rounds_sum) value = oracle::converted(wide, value.data(), type);
  if (oracle::divides(reduction)) {
    oracle::divide(divided, reduction, value.data(), divisor.value_or(divisor_of(terms)),
                   mean.quotient);
  }
  return oracle::converted(divided, value.data(), type);
}

std::int64_t MeetingOfCall::divisor_of(const std::vector<Bytes>& terms) const {
  return static_cast<std::int64_t>(terms.size()) + (initial == InitialValue::data ? 1 : 0);
}

bool CallClaim::has(std::size_t element, const std::byte* got) const {
  return is_among(values[element], got);
}

bool CallClaim::has_in_some_order(std::size_t element, const std::byte* got) const {
  return has(element, got) || (!others.empty() && is_among(others[element], got));
}

bool CallClaim::is_among(const std::vector<Bytes>& some, const std::byte* got) const {
  return std::ranges::any_of(some, [&](const Bytes& each) {
    if (are_bools) return (each.front() == std::byte{}) == (*got == std::byte{});
    return std::equal(each.begin(), each.end(), got);
  });
}

std::optional<CallClaim> claim_of(const Call& call, const std::string& words) {
  return CallClaimant(call).claim(words);
}

}  // namespace tscatter::planted

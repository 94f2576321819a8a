#include "property/run_case.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>

namespace tscatter::property {
namespace {

constexpr std::byte sentinel{0xA5};

// Only read(): no view.
class RangeSource final : public Source {
 public:
  explicit RangeSource(std::span<const std::byte> bytes) : bytes_{bytes} {}

  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    if (offset < 0 || offset > size() || static_cast<std::int64_t>(into.size()) > size() - offset) {
      throw std::out_of_range("a read beyond the source");
    }
    if (!into.empty()) std::memcpy(into.data(), bytes_.data() + offset, into.size());
  }

 private:
  std::span<const std::byte> bytes_;
};

// Not memory: collects what is written, and checks that each byte comes once.
class CollectingSink final : public Sink {
 public:
  CollectingSink(std::size_t size, Destination kind)
      : bytes_(size, sentinel), times_(size, 0), kind_{kind} {}

  bool is_random_access() const override { return kind_ == Destination::random_access; }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    const std::scoped_lock lock(mutex_);
    if (offset < 0 || static_cast<std::size_t>(offset) + bytes.size() > bytes_.size()) {
      misuse_ = "a write beyond the output";
      return;
    }
    if (!is_random_access() && offset != end_) misuse_ = "a sequential write out of order";
    end_ = offset + static_cast<std::int64_t>(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes_[static_cast<std::size_t>(offset) + i] = bytes[i];
      ++times_[static_cast<std::size_t>(offset) + i];
    }
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::string misuse() const {
    for (const int times : times_) {
      if (times != 1) return "a byte written " + std::to_string(times) + " times";
    }
    return misuse_;
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<int> times_;
  Destination kind_;
  std::int64_t end_ = 0;
  std::mutex mutex_;
  std::string misuse_;
};

// Records the calls of every output of a case.
class WatchedOutput : public Output {
 public:
  Sink& begin(const TensorHeader& header, const Source& data) override {
    ++begun_;
    return open(header, data);
  }
  void commit() override { ++committed_; }

  int begun() const { return begun_; }
  int committed() const { return committed_; }

  virtual std::vector<std::byte> bytes() const = 0;
  virtual std::string misuse() const { return ""; }

 private:
  virtual Sink& open(const TensorHeader& header, const Source& data) = 0;

  int begun_ = 0;
  int committed_ = 0;
};

class WatchedMemory final : public WatchedOutput {
 public:
  explicit WatchedMemory(std::span<std::byte> memory) : memory_{memory}, output_{memory} {}

  std::vector<std::byte> bytes() const override { return {memory_.begin(), memory_.end()}; }

 private:
  Sink& open(const TensorHeader& header, const Source& data) override {
    return output_.begin(header, data);
  }

  std::span<std::byte> memory_;
  MemoryOutput output_;
};

class CollectingOutput final : public WatchedOutput {
 public:
  explicit CollectingOutput(Destination kind) : kind_{kind} {}

  std::vector<std::byte> bytes() const override {
    return sink_ ? sink_->bytes() : std::vector<std::byte>();
  }
  std::string misuse() const override { return sink_ ? sink_->misuse() : ""; }

 private:
  Sink& open(const TensorHeader& header, const Source&) override {
    return sink_.emplace(static_cast<std::size_t>(header.byte_size()), kind_);
  }

  Destination kind_;
  std::optional<CollectingSink> sink_;
};

// The operands of a case as stored bytes, and as tensors over them.
class Operands {
 public:
  explicit Operands(const Case& c) : case_{c} {
    for (const auto& [name, dense] : c.call.operands) {
      const oracle::Layout layout = c.layouts.find(name)->second;
      const SourceKind source = c.delivery.sources.find(name)->second;
      const std::span<const std::byte> bytes = store(name, oracle::stored(dense, layout), source);
      if (name == "data" && is_made(c.call.row().base)) continue;  // is not given
      const TensorHeader header = oracle::header_of(dense, layout);
      if (source != SourceKind::ranges) {
        arguments_.operands.emplace(name, Tensor(header, bytes));
      } else {
        arguments_.operands.emplace(name, Tensor(header, std::make_shared<RangeSource>(bytes)));
      }
    }
    arguments_.attributes = c.call.attributes;
    arguments_.index = c.call.index;
  }

  const Arguments& arguments() const { return arguments_; }
  const Tensor& operator[](std::string_view name) const { return arguments_.operand(name); }
  const Tensor* axes() const { return arguments_.find("axes"); }
  std::span<std::byte> data() { return stored_.find("data")->second.bytes(); }
  std::size_t data_begin() const { return stored_.find("data")->second.begin; }

  // The first operand whose bytes have changed, in place or not; "" if none have.
  std::string changed() const {
    for (const auto& [name, stored] : stored_) {
      if (name == "data" && case_.delivery.destination == Destination::in_place) continue;
      const auto before =
          oracle::stored(case_.call.operand(name), case_.layouts.find(name)->second);
      if (!std::ranges::equal(stored.bytes(), before)) return name + " was changed";
    }
    return "";
  }

 private:
  struct Stored {
    std::vector<std::byte> memory;
    std::size_t begin = 0;

    std::span<std::byte> bytes() { return std::span(memory).subspan(begin); }
    std::span<const std::byte> bytes() const { return std::span(memory).subspan(begin); }
  };

  std::span<const std::byte> store(const std::string& name, std::vector<std::byte> bytes,
                                   SourceKind source) {
    const std::size_t begin = source == SourceKind::odd_view ? 1 : 0;
    bytes.insert(bytes.begin(), begin, sentinel);
    const Stored& stored = stored_[name] = {.memory = std::move(bytes), .begin = begin};
    return stored.bytes();
  }

  const Case& case_;
  std::map<std::string, Stored, std::less<>> stored_;
  Arguments arguments_;
};

Report call_typed(const Case& c, const Operands& of, Output& output) {
  const RunOptions& options = c.delivery.options;
  if (c.call.operation == "scatter_update_3") {
    return scatter_update_3(of["data"], of["indices"], of["updates"], of["axis"], output, options);
  }
  if (c.call.operation == "scatter_nd_update_3") {
    return scatter_nd_update_3(of["data"], of["indices"], of["updates"], output, options);
  }
  if (c.call.operation == "scatter_nd_update_15") {
    return scatter_nd_update_15(of["data"], of["indices"], of["updates"], c.call.reduction(),
                                output, options);
  }
  if (c.call.operation == "slice_scatter_15") {
    return slice_scatter_15(of["data"], of["updates"], of["start"], of["stop"], of["step"],
                            of.axes(), output, options);
  }
  return apply(c.call.row(), of.arguments(), output, options);
}

Report call(const Case& c, const Operands& operands, Output& output) {
  const bool is_typed = c.delivery.entry == Entry::typed_function && !c.call.variant;
  if (is_typed) return call_typed(c, operands, output);
  return apply(c.call.row(), operands.arguments(), output, c.delivery.options);
}

Outcome run_into(const Case& c, const Operands& operands, WatchedOutput& output) {
  Outcome outcome;
  try {
    outcome.report = call(c, operands, output);
  } catch (const Error& error) {
    outcome.error = error;
  } catch (const std::exception& exception) {
    outcome.misuse = exception.what();
  }
  outcome.is_begun = output.begun() > 0;
  outcome.is_committed = output.committed() > 0;
  outcome.output = output.bytes();
  if (outcome.misuse.empty()) outcome.misuse = output.misuse();
  if (outcome.misuse.empty()) outcome.misuse = operands.changed();
  if (output.begun() > 1 || output.committed() > 1) outcome.misuse = "begin or commit called twice";
  return outcome;
}

}  // namespace

Outcome run_case(const Case& c) {
  Operands operands(c);
  const Destination destination = c.delivery.destination;
  if (destination == Destination::in_place) {
    WatchedMemory output(operands.data());
    return run_into(c, operands, output);
  }
  if (destination == Destination::memory) {
    const std::size_t begin = operands.data_begin();
    std::vector<std::byte> memory(begin + operands.data().size(), sentinel);
    WatchedMemory output{std::span(memory).subspan(begin)};
    return run_into(c, operands, output);
  }
  CollectingOutput output(destination);
  return run_into(c, operands, output);
}

Report check_case(const Case& c) {
  const Operands operands(c);
  return check(c.call.row(), operands.arguments(), c.delivery.options);
}

}  // namespace tscatter::property

// Times one operation of the library, in the caller's memory. Arguments are key=value:
//
//   tscatter_memory operation=ScatterNDUpdate-15 data=d.npy indices=i.npy updates=u.npy repeat=5
//   tscatter_memory operation=ScatterUpdate-3 data=d.npy indices=i.npy updates=u.npy axis=1
//   tscatter_memory operation=SliceScatter-15 data=d.npy updates=u.npy start=0 stop=8 step=2
//
// threads=N is RunOptions::threads, counts=yes counts duplicates too, output=r.npy keeps the
// result. The result is data's own memory; with fresh=yes memory that each run allocates, and that
// is freed between the runs. Prints {"milliseconds": [...]}, a number for each run; every run
// starts from data's original values.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array.hpp"
#include "tscatter/tscatter.hpp"

namespace {

using bench::Memory;
using tscatter::Tensor;

// A tensor whose elements were read into memory of their own.
struct Loaded {
  explicit Loaded(const std::string& path) : Loaded(tscatter::open_tensor(path)) {}
  explicit Loaded(const Tensor& file)
      : memory(static_cast<std::size_t>(file.byte_size())),
        tensor(file.header(), memory.span(), file.name()) {
    file.source().read(0, memory.span());
  }

  Memory memory;
  Tensor tensor;
};

class Words {
 public:
  explicit Words(std::span<char*> words) {
    for (const std::string_view word : words) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos)
        throw std::invalid_argument("not key=value: " + std::string(word));
      values_[std::string(word.substr(0, equals))] = word.substr(equals + 1);
    }
  }

  bool has(const std::string& key) const { return values_.contains(key); }
  std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw std::invalid_argument(key + "= is missing");
    return found->second;
  }
  std::int64_t number(const std::string& key, std::int64_t otherwise) const {
    return has(key) ? list(key).front() : otherwise;
  }
  std::vector<std::int64_t> list(const std::string& key) const {
    std::vector<std::int64_t> numbers;
    const std::string values = text(key);
    for (const char* next = values.data(); next < values.data() + values.size(); ++next) {
      const auto [end, error] =
          std::from_chars(next, values.data() + values.size(), numbers.emplace_back());
      if (error != std::errc{}) throw std::invalid_argument(key + "= takes whole numbers");
      next = end;
    }
    if (numbers.empty()) throw std::invalid_argument(key + "= is empty");
    return numbers;
  }

 private:
  std::unordered_map<std::string, std::string> values_;
};

const tscatter::Operation& named(const std::string& name) {
  const tscatter::Operation* operation = tscatter::find_operation(name);
  if (operation == nullptr) throw std::invalid_argument("no operation " + name);
  return *operation;
}

class Job {
 public:
  explicit Job(const Words& words)
      : operation_{named(words.text("operation"))}, data_{words.text("data")} {
    for (const tscatter::OperandInfo& operand : operation_.operands) {
      const std::string name(operand.name);
      if (words.has(name)) arguments_.operands.emplace(name, opened(name, words));
    }
    if (words.has("reduction")) {
      arguments_.attributes.emplace("reduction",
                                    tscatter::reduction_from_name(words.text("reduction")).value());
    }
    is_fresh_ = words.has("fresh");
    options_.threads = static_cast<int>(words.number("threads", 0));
    options_.counting =
        words.has("counts") ? tscatter::Counting::done : tscatter::Counting::left_out;
  }

  std::span<std::byte> data() { return data_.memory.span(); }
  std::span<std::byte> result() { return is_fresh_ ? fresh_->span() : data(); }
  const tscatter::TensorHeader& header() const { return data_.tensor.header(); }

  void make_new(std::span<const std::byte> original) {
    fresh_.reset();
    std::memcpy(data().data(), original.data(), original.size());
    given_ = arguments_;
  }
  void run() {
    if (is_fresh_) fresh_.emplace(data().size());
    tscatter::MemoryOutput output{result()};
    apply(operation_, std::move(given_), output, options_);
  }

 private:
  Tensor opened(const std::string& name, const Words& words) {
    if (name == "data") return data_.tensor;
    if (name == "axis") return tscatter::scalar(words.number(name, 0));
    if (name != "indices" && name != "updates") return tscatter::list(words.list(name));
    others_.push_back(std::make_unique<Loaded>(words.text(name)));
    return others_.back()->tensor;
  }

  const tscatter::Operation& operation_;
  Loaded data_;
  bool is_fresh_ = false;
  std::optional<Memory> fresh_;  // the result
  std::vector<std::unique_ptr<Loaded>> others_;
  tscatter::Arguments arguments_;
  tscatter::Arguments given_;  // to the next run, which takes them
  tscatter::RunOptions options_;
};

double milliseconds(Job& job) {
  const auto begin = std::chrono::steady_clock::now();
  job.run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

void save(const std::string& path, Job& job) {
  const tscatter::SpanSource result{job.result()};
  tscatter::FileOutput file{path};
  file.begin(job.header(), result).write(0, job.result());
  file.commit();
}

void measure(const Words& words) {
  Job job{words};
  Memory original{job.data().size()};
  std::ranges::copy(job.data(), original.span().begin());
  const std::int64_t repeat = words.number("repeat", 5);
  std::printf("{\"milliseconds\": [");
  for (std::int64_t i = 0; i < repeat; ++i) {
    job.make_new(original.span());
    std::printf("%s%.4f", i == 0 ? "" : ", ", milliseconds(job));
  }
  std::printf("]}\n");
  if (words.has("output")) save(words.text("output"), job);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    measure(Words{std::span(argv, static_cast<std::size_t>(argc)).subspan(1)});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tscatter_memory: %s\n", error.what());
    return 1;
  }
}

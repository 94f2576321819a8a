// The functions of tscatter.h: what they do with memory, and how they refuse.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "tscatter.h"

namespace {

using tscatter::contains;

// A request about data [4], and what came of it.
class Request {
 public:
  std::vector<float> data{1, 2, 3, 4};
  std::vector<float> updates{10, 20};
  std::vector<std::int64_t> indices{0, -1};
  std::vector<tsc_option> options{{"reduction", "sum"}};
  std::vector<tsc_tensor> tensors;
  const tsc_stop* stop = nullptr;
  std::string text;
  std::string error;

  Request() {
    add("data", data.data(), "float32", four);
    add("indices", indices.data(), "int64", entries);
    add("updates", updates.data(), "float32", two);
  }

  tsc_tensor& add(const char* name, void* bytes, const char* dtype,
                  const std::vector<std::int64_t>& shape) {
    return tensors.emplace_back(tsc_tensor{name, bytes, dtype, shape.size(), shape.data(), nullptr,
                                           TSC_NATIVE, 0, nullptr});
  }

  template <class Function>
  int operator()(Function function, const char* operation = "ScatterNDUpdate-15") {
    return ended([&](const tsc_request* request, char** got, tsc_error** wrong) {
      return function(operation, request, got, wrong);
    });
  }

  template <class Function>
  int ended(Function function) {
    const tsc_request request{options.data(), options.size(), tensors.data(), tensors.size(), stop};
    char* got = nullptr;
    tsc_error* wrong = nullptr;
    const int code = function(&request, &got, &wrong);
    text = got == nullptr ? "" : got;
    error = wrong == nullptr ? "" : wrong->text;
    if (wrong != nullptr) CHECK(wrong->code == code);
    tsc_text_free(got);
    tsc_error_free(wrong);
    return code;
  }

  const std::vector<std::int64_t> four{4};
  const std::vector<std::int64_t> two{2};
  const std::vector<std::int64_t> entries{2, 1};
};

TEST_CASE("c: items of an index are tensors and options, each in its place", "[c]") {
  Request request;
  const std::vector<std::int64_t> square{2, 2};
  request.tensors.clear();
  request.options.clear();
  request.add("data", request.data.data(), "float32", square);
  request.add("output", request.data.data(), "float32", square);
  request.add("updates", request.updates.data(), "float32", request.two);
  request.add("index1", request.indices.data(), "int64", request.two);

  SECTION("a[:, indices] += updates") {
    request.options.push_back({"index", ":"});
    CHECK(request(tsc_apply, "numpy.add.at") == TSC_OK);
    CHECK(request.data == std::vector<float>{11, 22, 13, 24});
  }
  SECTION("a[indices, 1] += updates") {
    request.tensors.back().name = "index";
    request.options.push_back({"index", "1"});
    CHECK(request(tsc_apply, "numpy.add.at") == TSC_OK);
    CHECK(request.data == std::vector<float>{1, 12, 3, 24});
  }
  SECTION("a[indices, indices] += updates, and a[[0, 0]]") {
    request.tensors.back().name = "index0";
    request.add("index1", request.indices.data(), "int64", request.two);
    CHECK(request(tsc_apply, "numpy.add.at") == TSC_OK);
    CHECK(request.data == std::vector<float>{11, 2, 3, 24});
  }
  SECTION("array.a7: no place is left out, none is given twice") {
    CHECK(request(tsc_apply, "numpy.add.at") == TSC_USAGE);
    CHECK(request.error ==
          "index1: the items of an index must be numbered without a gap, got 0 before this one "
          "[array.a7]");
    request.tensors.back().name = "index";
    request.add("index0", request.indices.data(), "int64", request.two);
    CHECK(request(tsc_apply, "numpy.add.at") == TSC_USAGE);
    CHECK(request.error == "index0: the item is given twice [array.a7]");
    request.tensors.back().name = "index0x";
    CHECK(request(tsc_apply, "numpy.add.at") == TSC_USAGE);
    CHECK(request.error == "numpy.add.at: the call takes no tensor index0x [array.a7]");
  }
}

TEST_CASE("c: tensors and options have PyTorch's words, or those of other operations", "[c]") {
  Request request;
  request.indices = {0, 3};
  request.options = {{"dim", "-1"}};
  request.tensors.clear();

  SECTION("PyTorch's") {
    request.add("input", request.data.data(), "float32", request.four);
    request.add("index", request.indices.data(), "int64", request.two);
    request.add("src", request.updates.data(), "float32", request.two);
  }
  SECTION("of other operations") {
    request.options = {{"axis", "0"}};
    request.add("data", request.data.data(), "float32", request.four);
    request.add("indices", request.indices.data(), "int64", request.two);
    request.add("updates", request.updates.data(), "float32", request.two);
  }
  const std::string data = request.tensors[0].name;
  request.add("output", request.data.data(), "float32", request.four);
  CHECK(request(tsc_apply, "torch.scatter_add") == TSC_OK);  // in data's own memory
  CHECK(request.data == std::vector<float>{11, 2, 3, 24});
  request.tensors.pop_back();
  request.options.push_back({"json", nullptr});
  CHECK(request(tsc_explain, "aten.scatter_add") == TSC_OK);
  CHECK_THAT(request.text, contains(R"("op":"torch.scatter_add")"));
  request.options.pop_back();
  std::vector<float> actual{21, 2, 3, 44};
  request.add("actual", actual.data(), "float32", request.four);
  CHECK(request(tsc_verify, "torch.scatter_add") == TSC_OK);
  actual[0] = 22;
  CHECK(request(tsc_verify, "torch.scatter_add") == TSC_DIFFERENT);

  request.tensors.pop_back();
  request.add("output", request.data.data(), "float32", request.two);  // a part of data
  CHECK(request(tsc_apply, "torch.scatter_add") == TSC_USAGE);
  CHECK(
      request.error ==
      "output: the memory of the result must be data's own, or overlap no operand, got a part of " +
          data + " [array.a4]");
  request.tensors.back().name = data == "data" ? "input" : "data";
  CHECK(request(tsc_explain, "torch.scatter_add") == TSC_USAGE);
  CHECK(request.error == "torch.scatter_add: the call takes no tensor input [array.a7]");
}

TEST_CASE("c: PyTorch's indices are the items of an index", "[c]") {
  Request request;
  const std::vector<std::int64_t> square{2, 2};
  request.options = {{"accumulate", nullptr}};
  request.tensors.clear();
  request.add("input", request.data.data(), "float32", square);
  request.add("output", request.data.data(), "float32", square);
  request.add("values", request.updates.data(), "float32", request.two);
  request.add("indices0", request.indices.data(), "int64", request.two);

  SECTION("two tensors") {
    request.add("indices1", request.indices.data(), "int64", request.two);
    CHECK(request(tsc_apply, "torch.index_put") == TSC_OK);
    CHECK(request.data == std::vector<float>{11, 2, 3, 24});
  }
  SECTION("a tensor and a slice") {
    request.options.push_back({"indices", ":"});
    CHECK(request(tsc_apply, "torch.index_put") == TSC_OK);
    CHECK(request.data == std::vector<float>{11, 22, 13, 24});
  }
  SECTION("array.a7: an item is given once, whatever it is called") {
    request.add("index0", request.indices.data(), "int64", request.two);
    CHECK(request(tsc_apply, "torch.index_put") == TSC_USAGE);
    CHECK(request.error == "indices0: the item is given twice [array.a7]");
  }
}

// A request about a[index], and the memory that takes the result.
struct Reading : Request {
  std::vector<float> output = std::vector<float>(2);
  const std::vector<std::int64_t> square{2, 2};

  Reading() {
    tensors.clear();
    options.clear();
    add("data", data.data(), "float32", square);
    add("output", output.data(), "float32", two);
  }
};

TEST_CASE("c: what an index names is read into memory", "[c]") {
  Reading request;
  SECTION("a[indices, 1]") {
    request.add("index", request.indices.data(), "int64", request.two);
    request.options = {{"index", "1"}};
    CHECK(request.ended(tsc_get) == TSC_OK);
    CHECK(request.output == std::vector<float>{2, 4});
  }
  SECTION("a[:, 0], which has no positions") {
    request.options = {{"index", ":"}, {"index", "0"}};
    CHECK(request.ended(tsc_get) == TSC_OK);
    CHECK(request.output == std::vector<float>{1, 3});
  }
  SECTION("a[a > 2], and a report") {
    request.options = {{"index", "> 2"}, {"json", nullptr}};
    CHECK(request.ended(tsc_get) == TSC_OK);
    CHECK(request.output == std::vector<float>{3, 4});
    CHECK(request.text.starts_with(R"({"dtype":"float32","shape":[2],"elements":2,"bytes":8,)"));
  }
  SECTION("a dry run says the shape, and writes nothing") {
    request.tensors.pop_back();
    request.options = {{"index", "0"}, {"index", "None"}, {"dry_run", nullptr}, {"json", nullptr}};
    CHECK(request.ended(tsc_get) == TSC_OK);
    CHECK(request.text.starts_with(R"({"dtype":"float32","shape":[1,2],)"));
    CHECK(request.text.ends_with("\"output\":null}\n"));
  }
  CHECK(request.data == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("c: what cannot be read is refused, and the memory stays", "[c]") {
  Reading request;
  request.indices[1] = 2;
  request.add("index0", request.indices.data(), "int64", request.two);
  CHECK(request.ended(tsc_get) == TSC_RULE);
  CHECK(request.error ==
        "numpy.getitem: index0[1] must be in [-2, 2) for axis 0 of data, got 2 [numpy.getitem.c6]");
  request.tensors.back().name = "index1";
  CHECK(request.ended(tsc_get) == TSC_USAGE);
  CHECK(request.error.ends_with(" [array.a7]"));
  request.tensors.pop_back();
  CHECK(request.ended(tsc_get) == TSC_USAGE);
  CHECK(request.error == "get: --index ITEM is missing [cli.c3]");
  request.options = {{"index", ":"}};
  CHECK(request.ended(tsc_get) == TSC_USAGE);
  CHECK(request.error ==
        "output: the memory of the result must be float32 [2, 2] in C order, got float32 [2] in C "
        "order [array.a3]");
  request.options = {{"index", "0"}, {"oob", "drop-window"}};
  CHECK(request.ended(tsc_get) == TSC_USAGE);
  CHECK(request.output == std::vector<float>(2));
  request.tensors.back().bytes = request.data.data();
  request.options = {{"index", "0"}};
  CHECK(request.ended(tsc_get) == TSC_USAGE);
  CHECK(request.error.ends_with("got a part of data [array.a4]"));
  request.tensors.pop_back();
  CHECK(request.ended(tsc_get) == TSC_USAGE);
  CHECK(request.error == "get: output is missing: memory or a file [cli.c3]");
}

namespace {

// Memory for results, and what was asked for.
struct Maker {
  std::vector<std::byte> memory;
  std::string asked;
  int calls = 0;
  int answer = 0;
  bool gives = true;
};

int give(void* context, tsc_tensor* output) {
  auto& maker = *static_cast<Maker*>(context);
  ++maker.calls;
  maker.asked = std::string(output->name) + " " + output->dtype;
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < output->rank; ++axis) {
    count *= output->shape[axis];
    maker.asked +=
        " " + std::to_string(output->shape[axis]) + "/" + std::to_string(output->strides[axis]);
  }
  maker.asked += output->byte_order == TSC_BIG ? " big" : "";
  maker.memory.assign(static_cast<std::size_t>(count) * 8, std::byte{1});
  if (maker.gives) output->bytes = maker.memory.data();
  return maker.answer;
}

template <class T>
std::vector<T> values_of(const Maker& maker, std::size_t count) {
  const auto* first = reinterpret_cast<const T*>(maker.memory.data());
  return {first, first + count};
}

}  // namespace

TEST_CASE("c: a result goes to memory that is made when its shape is known", "[c]") {
  Maker maker;
  SECTION("of an operation that makes its data") {
    Request request;
    const std::vector<std::int64_t> three{3};
    std::vector<std::int64_t> ids{1, 4, 1};
    request.tensors.clear();
    request.options.clear();
    request.add("x", ids.data(), "int64", three);
    const auto counts = [&](const tsc_request* asked, char** got, tsc_error** wrong) {
      return tsc_apply_alloc("numpy.bincount", asked, give, &maker, got, wrong);
    };
    CHECK(request.ended(counts) == TSC_OK);
    CHECK(maker.asked == "output int64 5/8");
    CHECK(values_of<std::int64_t>(maker, 5) == std::vector<std::int64_t>{0, 2, 0, 0, 1});
    ids[1] = -1;
    CHECK(request.ended(counts) == TSC_RULE);
    CHECK(maker.calls == 1);
    // The function gives no memory.
    ids[1] = 4;
    maker.answer = 1;
    CHECK(request.ended(counts) == TSC_FILE);
    CHECK(request.error.ends_with(" [memory.m1]"));
    maker.answer = 0;
    maker.gives = false;
    CHECK(request.ended(counts) == TSC_FILE);
    // An empty result needs none.
    const std::vector<std::int64_t> none{0};
    request.tensors.clear();
    request.add("x", ids.data(), "int64", none);
    CHECK(request.ended(counts) == TSC_OK);
    CHECK(maker.asked == "output int64 0/8");
  }
  SECTION("of data in Fortran order whose bytes are reversed, and of a call that is wrong") {
    const std::vector<std::int64_t> shape{2, 3};
    const std::vector<std::int64_t> strides{4, 8};
    const std::vector<std::int64_t> of_updates{1, 3};
    std::vector<float> data(6);
    std::vector<float> updates(3);
    std::int64_t index = 1;
    Request request;
    request.tensors.clear();
    request.options.clear();
    request.add("data", data.data(), "float32", shape).strides = strides.data();
    request.tensors.back().byte_order = TSC_BIG;
    request.add("indices", &index, "int64", {}).rank = 0;
    request.add("updates", updates.data(), "float32", of_updates).byte_order = TSC_BIG;
    request.options = {{"axis", "0"}};
    const auto update = [&](const tsc_request* asked, char** got, tsc_error** wrong) {
      return tsc_apply_alloc("ScatterUpdate-3", asked, give, &maker, got, wrong);
    };
    request.tensors[1].rank = 1;
    const std::vector<std::int64_t> one{1};
    request.tensors[1].shape = one.data();
    CHECK(request.ended(update) == TSC_OK);
    CHECK(maker.asked == "output float32 2/4 3/8 big");
    request.add("output", data.data(), "float32", shape);
    CHECK(request.ended(update) == TSC_USAGE);
    CHECK(request.error == "output: must be left out where alloc gives its memory [array.a7]");
    request.tensors.pop_back();
    CHECK(request.ended([&](const tsc_request* asked, char** got, tsc_error** wrong) {
      return tsc_apply_alloc("ScatterUpdate-3", asked, nullptr, nullptr, got, wrong);
    }) == TSC_USAGE);
    CHECK(request.error == "output: has no alloc [array.a6]");
    CHECK(maker.calls == 1);
  }
  SECTION("of what an index names") {
    Reading request;
    request.tensors.pop_back();
    request.options = {{"index", ":"}, {"index", "0"}};
    const auto read = [&](const tsc_request* asked, char** got, tsc_error** wrong) {
      return tsc_get_alloc(asked, give, &maker, got, wrong);
    };
    CHECK(request.ended(read) == TSC_OK);
    CHECK(maker.asked == "output float32 2/4");
    CHECK(values_of<float>(maker, 2) == std::vector<float>{1, 3});
    request.options.push_back({"dry_run", nullptr});
    CHECK(request.ended(read) == TSC_OK);
    CHECK(maker.calls == 1);
  }
}

TEST_CASE("c: a result goes to other memory, and to data's own", "[c]") {
  Request request;
  std::vector<float> output(4);
  request.add("output", output.data(), "float32", request.four);
  CHECK(request(tsc_apply) == TSC_OK);
  CHECK(output == std::vector<float>{11, 2, 3, 24});
  CHECK(request.data == std::vector<float>{1, 2, 3, 4});
  CHECK(request.text.empty());
  request.tensors.back().bytes = request.data.data();
  request.options.push_back({"json", nullptr});
  CHECK(request(tsc_apply) == TSC_OK);
  CHECK(request.data == std::vector<float>{11, 2, 3, 24});
  CHECK(request.text.starts_with(R"({"op":"ScatterNDUpdate-15","reduction":"sum")"));
}

TEST_CASE("c: strides of Fortran order, and bytes that are reversed", "[c]") {
  Request request;
  std::array<std::uint16_t, 4> data{0x0100, 0x0200, 0x0300, 0x0400};  // 1, 2, 3, 4 as big-endian
  std::array<std::uint16_t, 2> updates{5, 6};
  std::array<std::int32_t, 1> indices{1};
  const std::vector<std::int64_t> square{2, 2};
  const std::vector<std::int64_t> one{1};
  const std::array<std::int64_t, 2> fortran{2, 4};
  request.tensors.clear();
  request.options = {{"axis", "0"}};
  request.add("data", data.data(), ">u2", square).strides = fortran.data();
  request.add("indices", indices.data(), "int32", one);
  const std::vector<std::int64_t> row{1, 2};
  request.add("updates", updates.data(), "uint16", row);
  request.add("output", data.data(), "uint16", square).strides = fortran.data();
  request.tensors.back().byte_order = TSC_BIG;
  CHECK(request(tsc_apply, "ScatterUpdate-3") == TSC_OK);
  CHECK(request.error.empty());
  CHECK(data == std::array<std::uint16_t, 4>{0x0100, 0x0500, 0x0300, 0x0600});
}

TEST_CASE("c: verify, explain and compare say what the program says", "[c]") {
  Request request;
  std::vector<float> actual{11, 2, 3, 4};
  request.add("actual", actual.data(), "float32", request.four);
  CHECK(request(tsc_verify) == TSC_DIFFERENT);
  CHECK(request.text.starts_with(
      "not legal: 1 of 4 elements is wrong, worst at [3]: got 4.0, in order 24.0\n"));
  request.tensors.pop_back();
  CHECK(request(tsc_explain) == TSC_OK);
  CHECK(request.text.starts_with("does not depend on the order of the updates"));
  Request pair;
  pair.tensors = {};
  pair.options = {{"expected", "[11, 2, 3, 4]"}, {"json", nullptr}};
  pair.add("actual", actual.data(), "float32", request.four);
  CHECK(pair.ended(tsc_compare) == TSC_OK);
  CHECK(pair.text.starts_with(R"({"match":true)"));
}

TEST_CASE("c: what is wrong with the words is the program's error", "[c]") {
  Request request;
  request.options = {{"reduction", "sun"}};
  CHECK(request(tsc_explain) == TSC_USAGE);
  CHECK(request.error ==
        "--reduction: must be one of none, sum, sub, prod, min, max (nearest: sum), got sun "
        "[cli.c4]");
  request.options = {{"colour", "blue"}};
  CHECK(request(tsc_explain) == TSC_USAGE);
  request.options = {{"", nullptr}};
  CHECK(request(tsc_explain) == TSC_USAGE);
  request.options = {{nullptr, "sum"}};
  CHECK(request(tsc_explain) == TSC_USAGE);
  request.options = {};
  CHECK(request(tsc_explain, nullptr) == TSC_USAGE);
  CHECK(request(tsc_apply) == TSC_USAGE);
  CHECK(request.error ==
        "ScatterNDUpdate-15: output is missing: memory or a file, or in_place [cli.c3]");
  CHECK(tsc_explain("ScatterNDUpdate-15", nullptr, nullptr, nullptr) == TSC_USAGE);
  request.indices[1] = 4;
  CHECK(request(tsc_explain) == TSC_RULE);
}

TEST_CASE("array.a1: a dtype has a name of NumPy or ml_dtypes, and a fixed size", "[c]") {
  Request request;
  for (const char* name : {"float8_e4m3fn", "bfloat16", "<M8[ns]", "|S3"}) {
    request.options = {};
    request.tensors[0].dtype = name;
    request.tensors[2].dtype = name;
    std::vector<std::int64_t> room(8);
    request.tensors[0].bytes = room.data();
    CHECK(request(tsc_explain) == TSC_OK);
  }
  request.tensors[0].dtype = "O";
  CHECK(request(tsc_explain) == TSC_USAGE);
  CHECK(request.error.ends_with("got O [array.a1]"));
  request.tensors[0].dtype = nullptr;
  CHECK(request(tsc_explain) == TSC_USAGE);
}

TEST_CASE("array.a2: elements lie together", "[c]") {
  Request request;
  const std::int64_t close = 4;
  const std::int64_t apart = 8;
  request.tensors[0].strides = &close;
  CHECK(request(tsc_explain) == TSC_OK);
  request.tensors[0].strides = &apart;
  CHECK(request(tsc_explain) == TSC_USAGE);
  CHECK(request.error ==
        "data: the elements must lie together, in C or Fortran order, got strides of [8] bytes "
        "[array.a2]");
}

TEST_CASE("array.a3: the memory of a result is like data", "[c]") {
  Request request;
  std::vector<double> output(4);
  request.add("output", output.data(), "float64", request.four);
  CHECK(request(tsc_apply) == TSC_USAGE);
  CHECK(request.error ==
        "output: the memory of the result must be float32 [4] in C order, got float64 [4] in C "
        "order [array.a3]");
  request.tensors.back().dtype = "float32";
  request.tensors.back().shape = request.two.data();
  CHECK(request(tsc_apply) == TSC_USAGE);
  CHECK(output == std::vector<double>(4));
}

TEST_CASE("array.a4: the memory of a result is data's own, or apart", "[c]") {
  Request request;
  request.data.resize(5);
  request.tensors[0].bytes = request.data.data();
  request.add("output", request.data.data() + 1, "float32", request.four);
  CHECK(request(tsc_apply) == TSC_USAGE);
  CHECK(request.error.ends_with("got a part of data [array.a4]"));
  std::vector<float> updates(6);
  request.tensors[2].bytes = updates.data();
  request.tensors.back().bytes = updates.data() + 1;
  CHECK(request(tsc_apply) == TSC_USAGE);
  request.tensors.back().bytes = updates.data() + 2;  // it begins where updates end
  CHECK(request(tsc_apply) == TSC_OK);
}

TEST_CASE("array.a4: not even the whole of updates takes the result", "[c]") {
  Request request;
  std::vector<float> updates{5, 6, 7, 8};
  request.indices = {0, 1, 2, 3};
  const std::vector<std::int64_t> entries{4, 1};
  request.tensors[1].bytes = request.indices.data();
  request.tensors[1].shape = entries.data();
  request.tensors[2].bytes = updates.data();
  request.tensors[2].shape = request.four.data();
  request.add("output", updates.data(), "float32", request.four);
  CHECK(request(tsc_apply) == TSC_USAGE);
  CHECK(request.error.ends_with("got a part of updates [array.a4]"));
  request.tensors.back().bytes = request.data.data();
  CHECK(request(tsc_apply) == TSC_OK);
}

TEST_CASE("array.a5: the memory of a result is writable", "[c]") {
  Request request;
  std::vector<float> output(4);
  request.add("output", output.data(), "float32", request.four).flags = TSC_READ_ONLY;
  CHECK(request(tsc_apply) == TSC_USAGE);
  CHECK(request.error.ends_with("got memory that is read-only [array.a5]"));
  request.tensors[0].flags = TSC_READ_ONLY;
  request.tensors.back().flags = 0;
  CHECK(request(tsc_apply) == TSC_OK);
}

TEST_CASE("array.a6: a tensor is in the processor's memory", "[c]") {
  Request request;
  request.tensors[0].device = "cpu";
  CHECK(request(tsc_explain) == TSC_OK);
  request.tensors[0].device = "cuda:0";
  CHECK(request(tsc_explain) == TSC_USAGE);
  CHECK(request.error == "data: must be in the memory of the CPU, got cuda:0 [array.a6]");
  request.tensors[0].device = nullptr;
  request.tensors[0].bytes = nullptr;
  CHECK(request(tsc_explain) == TSC_USAGE);
}

TEST_CASE("array.a7: a tensor is one that the call takes, once", "[c]") {
  Request request;
  request.add("updatez", request.data.data(), "float32", request.four);
  CHECK(request(tsc_explain) == TSC_USAGE);
  CHECK(request.error == "ScatterNDUpdate-15: the call takes no tensor updatez [array.a7]");
  request.tensors.back().name = "data";
  CHECK(request(tsc_explain) == TSC_USAGE);
  CHECK(request.error == "data: the tensor is given twice [array.a7]");
}

TEST_CASE("c: float8 has its name, as in files", "[c]") {
  Request request;
  request.options = {};
  request.tensors[0].dtype = "float8_e5m2";
  request.tensors[2].dtype = "float8_e5m2";
  CHECK(request(tsc_explain) == TSC_OK);
  request.tensors[2].dtype = "float8_e4m3fn";
  CHECK(request(tsc_explain) == TSC_RULE);
  CHECK(request.error ==
        "scatter_nd_update_15: updates must have data's dtype float8_e5m2 (--cast same-kind), got "
        "float8_e4m3fn [scatter_nd_update_15.c7]");
}

TEST_CASE("c: shapes that cannot be are refused", "[c]") {
  Request request;
  const std::vector<std::int64_t> negative{-1};
  const std::vector<std::int64_t> huge{std::int64_t{1} << 62, 4};
  const std::vector<std::int64_t> deep(65, 1);
  for (const auto* shape : {&negative, &huge, &deep}) {
    request.tensors[0].shape = shape->data();
    request.tensors[0].rank = shape->size();
    CHECK(request(tsc_explain) == TSC_USAGE);
    CHECK(request.error.ends_with("[tensor.t1]"));
  }
}

TEST_CASE("c: a raised flag ends a call, and a change of data's own memory is finished", "[c]") {
  Request request;
  tsc_stop* stop = tsc_stop_new();
  tsc_stop_raise(stop);
  request.stop = stop;
  std::vector<float> output(4);
  request.add("output", output.data(), "float32", request.four);
  CHECK(request(tsc_apply) == TSC_STOPPED);
  CHECK(output == std::vector<float>(4));
  request.tensors.back().name = "actual";
  CHECK(request(tsc_verify) == TSC_STOPPED);
  request.tensors.back().name = "output";
  request.tensors.back().bytes = request.data.data();
  CHECK(request(tsc_apply) == TSC_OK);
  CHECK(request.data == std::vector<float>{11, 2, 3, 24});
  tsc_stop_free(stop);
}

TEST_CASE("c: calls in several threads do not meet", "[c]") {
  std::vector<std::jthread> threads;
  std::array<std::string, 4> texts;
  for (std::string& text : texts) {
    threads.emplace_back([&text] {
      Request request;
      request.options.push_back({"json", nullptr});
      for (int i = 0; i < 50; ++i) request(tsc_explain);
      text = request.text;
    });
  }
  threads.clear();
  for (const std::string& text : texts) CHECK((!text.empty() && text == texts[0]));
}

TEST_CASE("c: the description has every operation", "[c]") {
  char* text = nullptr;
  REQUIRE(tsc_describe(&text, nullptr) == TSC_OK);
  const std::string description = text;
  tsc_text_free(text);
  CHECK_THAT(description, contains(R"("name":"ScatterNDUpdate-15","id":"scatter_nd_update_15")"));
  CHECK_THAT(description, contains(R"("positional":["input","src","dim","index"])"));
  CHECK_THAT(description, contains(R"({"name":"input","aliases":["data"],"role":"data")"));
  CHECK(tsc_abi() == TSC_ABI);
  CHECK(description.starts_with(R"({"version":")" + std::string(tsc_version())));
}

TEST_CASE("c: the flags of a command with an operation", "[c]") {
  char* text = nullptr;
  REQUIRE(tsc_flags("generate", "ScatterNDUpdate-15", &text, nullptr) == TSC_OK);
  const std::string flags = text;
  tsc_text_free(text);
  CHECK_THAT(flags,
             contains(R"({"name":"seed","aliases":[],"value":"S","implied":"","repeated":false})"));
  CHECK_THAT(flags, !contains(R"("name":"indices")"));

  tsc_error* error = nullptr;
  REQUIRE(tsc_flags("show", nullptr, &text, &error) == TSC_USAGE);
  CHECK(std::string(error->text) ==
        "command: must be one of apply, verify, explain, generate, compare, run, get, got show "
        "[cli.c1]");
  tsc_error_free(error);
  REQUIRE(tsc_flags("compare", "ScatterNDUpdate-15", &text, &error) == TSC_USAGE);
  CHECK(std::string(error->text) ==
        "operation: must be left out: compare takes none, got ScatterNDUpdate-15 [cli.c5]");
  tsc_error_free(error);
}

}  // namespace

TEST_CASE("c: what an index names is read from a file into a file", "[c]") {
  std::string folder = std::filesystem::temp_directory_path() / "tscatter-c-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string file = folder + "/x.npy";
  const std::string read = folder + "/y.npy";
  Request request;
  request.options = {{"reduction", "sum"}, {"output", file.c_str()}};
  REQUIRE(request(tsc_apply) == TSC_OK);
  request.tensors.clear();
  request.options = {
      {"data", file.c_str()}, {"index", "::-1"}, {"output", read.c_str()}, {"json", nullptr}};
  CHECK(request.ended(tsc_get) == TSC_OK);
  CHECK(request.text.ends_with("\"output\":\"" + read + "\"}\n"));
  request.options = {{"actual", read.c_str()}, {"expected", "[24, 3, 2, 11]"}};
  CHECK(request.ended(tsc_compare) == TSC_OK);
  std::filesystem::remove_all(folder);
}

TEST_CASE("c: a flag tells how far its call is", "[c]") {
  tsc_stop* stop = tsc_stop_new();
  std::vector<float> data(std::size_t{1} << 24U);
  std::vector<float> output(data.size());
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(data.size())};
  Request request;
  request.tensors[0].bytes = data.data();
  request.tensors[0].shape = shape.data();
  request.add("output", output.data(), "float32", shape);
  request.options.push_back({"threads", "1"});
  request.stop = stop;
  CHECK(tsc_stop_progress(stop) == -1);
  double furthest = -1;
  for (int i = 0; i < 100 && furthest <= 0; ++i) {  // the other thread may come too late
    std::atomic<bool> is_over{false};
    std::jthread call([&] {
      CHECK(request(tsc_apply) == TSC_OK);
      is_over = true;
    });
    while (!is_over) furthest = std::max(furthest, tsc_stop_progress(stop));
  }
  CHECK(furthest > 0);
  CHECK(furthest <= 1);
  CHECK(tsc_stop_progress(stop) == -1);
  tsc_stop_free(stop);
}

TEST_CASE("c: how long one call waits no other one decides", "[c]") {
  std::string folder = std::filesystem::temp_directory_path() / "tscatter-c-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string file = folder + "/x.npy";
  Request request;
  request.options = {{"reduction", "sum"}, {"output", file.c_str()}};
  REQUIRE(request(tsc_apply) == TSC_OK);
  request.tensors.erase(request.tensors.begin());
  request.options = {
      {"reduction", "sum"}, {"data", file.c_str()}, {"in_place", nullptr}, {"wait", "60"}};
  std::atomic<bool> is_over{false};
  std::jthread other([&] {
    Request another;
    while (!is_over) another(tsc_explain);
  });
  for (int i = 0; i < 20; ++i) {
    const int lock = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(lock, LOCK_EX) == 0);
    const std::jthread holder([lock] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ::close(lock);
    });
    CHECK(request(tsc_apply) == TSC_OK);
    CHECK(request.error.empty());
  }
  is_over = true;
  other.join();
  std::filesystem::remove_all(folder);
}

namespace {

struct Plan {
  explicit Plan(const Request& request, const char* operation = "ScatterNDUpdate-15") {
    const tsc_request words{request.options.data(), request.options.size(), request.tensors.data(),
                            request.tensors.size(), nullptr};
    tsc_error* wrong = nullptr;
    code = tsc_plan_new(operation, &words, &plan, &wrong);
    error = wrong == nullptr ? "" : wrong->text;
    tsc_error_free(wrong);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { tsc_plan_free(plan); }

  int operator()(const std::vector<void*>& bytes) {
    tsc_error* wrong = nullptr;
    const int result = tsc_plan_apply(plan, bytes.data(), &wrong);
    error = wrong == nullptr ? "" : wrong->text;
    tsc_error_free(wrong);
    return result;
  }

  int code = TSC_OK;
  std::string error;
  tsc_plan* plan = nullptr;
};

}  // namespace

TEST_CASE("c: a plan runs with other tensors of the same headers", "[c]") {
  Request request;
  request.add("output", request.data.data(), "float32", request.four);
  Plan plan(request);
  REQUIRE(plan.code == TSC_OK);
  CHECK(request.data == std::vector<float>{1, 2, 3, 4});  // nothing ran
  std::vector<float> data{5, 6, 7, 8};
  std::vector<float> updates{1, 2};
  std::vector<std::int64_t> indices{1, 1};
  std::vector<float> output(4);
  CHECK(plan({data.data(), indices.data(), updates.data(), output.data()}) == TSC_OK);
  CHECK(output == std::vector<float>{5, 9, 7, 8});
  CHECK(data == std::vector<float>{5, 6, 7, 8});
  CHECK(plan({data.data(), indices.data(), updates.data(), data.data()}) == TSC_OK);
  CHECK(data == std::vector<float>{5, 9, 7, 8});

  SECTION("its indices are checked in each run") {
    indices[1] = 4;
    CHECK(plan({data.data(), indices.data(), updates.data(), data.data()}) == TSC_RULE);
    CHECK(plan.error ==
          "scatter_nd_update_15: indices[1, 0] must be in [-4, 4) for data axis 0, got 4 "
          "[scatter_nd_update_15.c4]");
    CHECK(data == std::vector<float>{5, 9, 7, 8});
  }
  SECTION("array.a4: its output overlaps no operand but data, whole") {
    CHECK(plan({data.data(), indices.data(), output.data(), output.data() + 1}) == TSC_USAGE);
    CHECK(plan.error ==
          "output: the memory of the result must be data's own, or overlap no operand, got a part "
          "of updates [array.a4]");
  }
  SECTION("array.a6: each of its tensors has an address") {
    CHECK(plan({data.data(), nullptr, updates.data(), data.data()}) == TSC_USAGE);
    CHECK(plan.error == "indices: has no address [array.a6]");
  }
  SECTION("several threads have it at once") {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&plan = plan.plan, &indices, &updates] {
        for (int round = 0; round < 200; ++round) {
          std::vector<float> own{0, 0, 0, 0};
          const std::array<void*, 4> bytes{own.data(), indices.data(), updates.data(), own.data()};
          CHECK(tsc_plan_apply(plan, bytes.data(), nullptr) == TSC_OK);
          CHECK(own == std::vector<float>{0, 3, 0, 0});
        }
      });
    }
  }
}

TEST_CASE("c: a plan opens in each run what it does not know before", "[c]") {
  Request request;
  const std::vector<std::int64_t> square{2, 2};
  request.tensors.clear();
  request.options = {{"index", "< 0"}, {"updates", "[7]"}};
  request.add("data", request.data.data(), "float32", square);
  request.add("output", request.data.data(), "float32", square);
  Plan plan(request, "numpy.setitem");
  REQUIRE(plan.code == TSC_OK);
  for (float sign : {1.0F, -1.0F}) {
    std::vector<float> data{sign, -sign, sign, 0};
    CHECK(plan({data.data(), data.data()}) == TSC_OK);
    CHECK(data == (sign > 0 ? std::vector<float>{1, 7, 1, 0} : std::vector<float>{7, 1, 7, 0}));
  }
}

TEST_CASE("c: a plan that is none", "[c]") {
  Request request;
  CHECK(Plan(request).error == "ScatterNDUpdate-15: a plan needs memory for its output [cli.c3]");
  request.add("output", request.data.data(), "float32", request.four);
  request.options.push_back({"json", nullptr});
  CHECK(Plan(request).error ==
        "ScatterNDUpdate-15: a plan takes no json, dry_run, part and digest [cli.c3]");
  request.options.back() = {"output", "x.npy"};
  CHECK(Plan(request).code == TSC_USAGE);
  request.options.back() = {"oob", "nowhere"};
  const Plan unknown(request);
  CHECK(unknown.code == TSC_USAGE);
  CHECK(unknown.plan == nullptr);
  CHECK(Plan(request, "Scatter").code == TSC_USAGE);
  CHECK(tsc_plan_new("ScatterNDUpdate-15", nullptr, nullptr, nullptr) == TSC_USAGE);
  tsc_plan_free(nullptr);
}

#include "compare/sides.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <map>
#include <optional>

#include "text/quoting.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/formats/conversion.hpp"

namespace tscatter::app {
namespace {

class SidesOpener {
 public:
  explicit SidesOpener(const SidesAsked& asked) : asked_{asked}, opener_{asked.base} {}

  std::pair<Tensor, Tensor> open(const Side& actual, const Side& expected) {
    // Stdin can be read only once, so it comes last, when the other side's dtype is known.
    if (!is_stdin(actual.word)) return open_in_order(actual, expected);
    auto [second, first] = open_in_order(expected, actual);
    return {std::move(first), std::move(second)};
  }

 private:
  std::pair<Tensor, Tensor> open_in_order(const Side& one, const Side& other) {
    Tensor first = open_one(one, asked_.dtype);
    const bool other_is_stdin = is_stdin(other.word);
    Tensor second = open_one(other, other_is_stdin ? dtype_for(first) : asked_.dtype);
    if (asked_.dtype) return {viewed(first), viewed(second)};
    if (asked_.has_bfloat16) {
      first = as_bfloat16(first);
      second = as_bfloat16(second);
    }
    first = as_of(first, second);
    second = as_of(second, first);
    if (first.type().dtype == second.type().dtype) return {std::move(first), std::move(second)};
    if (!other_is_stdin) {
      if (auto fitted = opened_as(other, first)) return {std::move(first), *fitted};
    }
    if (auto fitted = opened_as(one, second)) return {*fitted, std::move(second)};
    return {std::move(first), std::move(second)};
  }

  Tensor open_one(const Side& side, std::optional<DType> dtype) {
    return opener_.open(
        side.word,
        {.name = side.name, .role = OperandRole::data, .dtype = dtype, .missing = asked_.missing});
  }

  // Reads the word again, with the dtype of `other` for values without one; nullopt if they have
  // one or do not fit.
  std::optional<Tensor> opened_as(const Side& side, const Tensor& other) {
    const std::optional<DType> wanted = dtype_for(other);
    if (!wanted) return std::nullopt;
    try {
      Tensor tensor = open_one(side, wanted);
      if (tensor.type().dtype == *wanted) return tensor;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::format) throw;
    }
    return std::nullopt;
  }

  std::optional<DType> dtype_for(const Tensor& other) const {
    if (asked_.dtype) return asked_.dtype;
    if (other.type().dtype == DType::opaque) return std::nullopt;
    return other.type().dtype;
  }

  // A .npy file has no name for bfloat16.
  static Tensor as_of(const Tensor& tensor, const Tensor& other) {
    return other.type().dtype == DType::bfloat16 ? viewed_as(tensor, DType::bfloat16) : tensor;
  }

  Tensor viewed(const Tensor& tensor) const {
    Tensor viewed = viewed_as_asked(tensor, *asked_.dtype);
    require_dtype(viewed, *asked_.dtype, "--dtype");
    return viewed;
  }

  const SidesAsked& asked_;
  OperandOpener opener_;
};

}  // namespace

std::pair<Tensor, Tensor> open_sides(const Side& actual, const Side& expected,
                                     const SidesAsked& asked) {
  return SidesOpener(asked).open(actual, expected);
}

Census compare_numbers(const Tensor& actual, const Tensor& expected,
                       const CompareOptions& options) {
  if (!same_dtype(actual.type(), expected.type())) return compare(actual, expected, options);
  return compare(as_numbers(actual), as_numbers(expected), options);
}

Tensor as_bfloat16(const Tensor& tensor) {
  return tensor.type().size == 2 ? viewed_as(tensor, DType::bfloat16) : tensor;
}

bool takes_tolerance(std::optional<DType> dtype) { return dtype && *dtype != DType::boolean; }

std::optional<DType> numeric_dtype(const Tensor& tensor) {
  const DType dtype = tensor.type().dtype;
  return dtype == DType::opaque ? std::nullopt : std::optional(dtype);
}

std::unique_ptr<Archive> open_archive(const Side& side, const std::filesystem::path& base) {
  if (!names_a_path(side.word, {.name = side.name, .dtype = {}})) return nullptr;
  return archive_named(side.word.text, base);
}

std::optional<ArchivePair> open_archives(const Side& actual, const Side& expected,
                                         const std::filesystem::path& base) {
  ArchivePair pair{.actual = open_archive(actual, base), .expected = nullptr};
  if (pair.actual != nullptr) pair.expected = open_archive(expected, base);
  return pair.expected == nullptr ? std::nullopt : std::optional(std::move(pair));
}

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& word) {
  std::error_code ignored;  // the attempt to open it reports what is wrong
  return fs::is_directory(word, ignored);
}

std::size_t begin_of_pattern(const std::string& word) { return word.find_first_of("*?["); }

// A [ alone rather begins a list or an index.
bool is_pattern(const std::string& word) {
  std::error_code ignored;
  const bool is_list = word.starts_with('[') || word.starts_with('{');
  return !is_list && word.find_first_of("*?") != std::string::npos && !fs::exists(word, ignored);
}

// What a word stands for: the files below the folder that match the pattern; without one, those of
// tensors.
struct Files {
  fs::path folder;
  std::optional<std::string> pattern = {};
};

Files files_of(const std::string& word) {
  if (is_folder(word)) return {.folder = word};
  if (!is_pattern(word)) {
    const fs::path file(word);
    std::error_code error;
    // file.f1
    if (!fs::exists(file, error)) {
      fail(ErrorKind::file, "file.f1", word, "must be a folder, or a file in one, got {}",
           errno_text(ENOENT));
    }
    return {.folder = file.parent_path(), .pattern = escaped_glob(file.filename().native())};
  }
  const std::size_t slash = word.rfind('/', begin_of_pattern(word));
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return {.folder = word.substr(0, begin), .pattern = word.substr(begin)};
}

// Folder by folder, as a shell does.
bool matches_path(std::string_view pattern, std::string_view name) {
  const std::size_t end = std::min(pattern.find('/'), pattern.size());
  const std::string_view first = pattern.substr(0, end);
  const std::size_t slash = name.find('/');
  const bool is_last = end == pattern.size();
  if (first == "**" && !is_last && matches_path(pattern.substr(end + 1), name)) return true;
  if (slash == std::string_view::npos)
    return is_last && matches_glob(first == "**" ? "*" : first, name);
  const std::string_view rest = name.substr(slash + 1);
  if (first == "**") return matches_path(pattern, rest);
  return !is_last && matches_glob(first, name.substr(0, slash)) &&
         matches_path(pattern.substr(end + 1), rest);
}

// Of JSON and text most files are no tensors.
bool is_of_tensors(const std::string& name) {
  constexpr std::array<std::string_view, 7> endings{".npy",  ".npz", ".safetensors", ".pb",
                                                    ".onnx", ".csv", ".tsv"};
  return std::ranges::any_of(
      endings, [&](std::string_view each) { return ends_with_ignoring_case(name, each); });
}

[[noreturn]] void refuse_folder(const fs::path& folder, const std::error_code& error) {
  // file.f1
  fail(ErrorKind::file, "file.f1", folder.native(), "cannot be read: {}", error.message());
}

// Calls take(path relative to the folder) for all files that the pattern may match: whatever is no
// folder, links that lead nowhere too.
template <class Take>
class Walk {
 public:
  Walk(const Files& files, const Take& take) : take_{take} {
    const std::string pattern = files.pattern.value_or("**");
    if (pattern.find("**") == std::string::npos) deepest_ = std::ranges::count(pattern, '/');
    visit(files.folder.empty() ? "." : files.folder, "");
  }

 private:
  void visit(const fs::path& folder, const std::string& before) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    const bool is_loop = std::ranges::count(above_, real) > 0;
    if (is_loop) error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (error) refuse_folder(folder, error);
    above_.push_back(real);
    fs::directory_iterator each(folder, error);
    for (; !error && each != fs::directory_iterator(); each.increment(error)) {
      std::error_code ignored;  // a link that leads nowhere is no folder
      const std::string name = before + each->path().filename().native();
      const bool is_folder = each->is_directory(ignored);
      if (!is_folder) take_(name);
      if (is_folder && std::ssize(above_) <= deepest_) visit(each->path(), name + "/");
    }
    if (error) refuse_folder(folder, error);
    above_.pop_back();
  }

  const Take& take_;
  std::ptrdiff_t deepest_ = std::numeric_limits<std::ptrdiff_t>::max();  // folders below the first
  std::vector<fs::path> above_;                                          // those that are visited
};

void require_two(const Files& ours, const Files& theirs, const std::string& word) {
  std::error_code ignored;  // whoever opens them learns what is wrong
  const auto folder = [](const Files& files) { return files.folder.empty() ? "." : files.folder; };
  // batch.b4
  if (ours.pattern == theirs.pattern && fs::equivalent(folder(ours), folder(theirs), ignored)) {
    fail(ErrorKind::usage, "batch.b4", "compare", "must be two folders, got {} for both", word);
  }
}

}  // namespace

bool names_folder(const std::string& word) { return is_folder(word) || is_pattern(word); }

FilePairs pair_files(const std::string& actual, const std::string& expected) {
  FilePairs all;
  std::map<std::string, FilePair> pairs;
  const auto collect = [&](const Files& files, bool FilePair::*has) {
    const auto take = [&](const std::string& name) {
      const bool is_chosen =
          files.pattern ? matches_path(*files.pattern, name) : is_of_tensors(name);
      if (is_chosen) pairs[name].*has = true;
      if (!is_chosen && !files.pattern) all.others.push_back((files.folder / name).native());
    };
    Walk(files, take);
  };
  Files ours = files_of(actual);
  Files theirs = files_of(expected);
  if (!ours.pattern) ours.pattern = theirs.pattern;
  if (!theirs.pattern) theirs.pattern = ours.pattern;
  require_two(ours, theirs, actual);
  collect(ours, &FilePair::has_actual);
  collect(theirs, &FilePair::has_expected);
  std::ranges::sort(all.others);
  for (auto& [name, pair] : pairs) {
    pair.name = name;
    pair.actual = (ours.folder / name).native();
    pair.expected = (theirs.folder / name).native();
    all.pairs.push_back(std::move(pair));
  }
  return all;
}

}  // namespace tscatter::app

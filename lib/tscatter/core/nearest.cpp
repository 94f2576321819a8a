#include "tscatter/core/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tscatter/core/characters.hpp"

namespace tscatter {
namespace {

// How many letters may be wrong: one in three of what stands before the first dot.
std::size_t allowed_distance(std::string_view name) {
  return name.substr(0, name.find('.')).size() / 3;
}

// The Levenshtein distance between `a` and the nearest beginning of `b`; a swap of neighbours
// counts one. A short word is an abbreviation only if every letter is right: "cat" is not batch.
std::size_t distance(std::string_view a, std::string_view b) {
  constexpr std::size_t short_word = 5;
  std::vector<std::size_t> before_previous;
  std::vector<std::size_t> previous(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> current(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, change});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) current[j] = std::min(current[j], before_previous[j - 2] + 1);
    }
    before_previous = std::exchange(previous, std::move(current));
  }
  if (a.size() > 1 && b.starts_with(a)) return 0;
  if (a.size() < short_word) return previous.back();
  const std::size_t shortest = std::min((a.size() + 1) / 2, b.size());
  return *std::min_element(previous.begin() + static_cast<std::ptrdiff_t>(shortest),
                           previous.end());
}

}  // namespace

// Distance first, then difference in length: "ScatterUpdat" is nearer to ScatterUpdate than to
// longer names.
const std::string* nearest_name(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // anything longer is not a typing error
  const std::string wanted = folded(name);
  if (wanted.empty() || name.size() > longest || known.empty()) return nullptr;
  const auto badness = [&](const std::string& candidate) {
    const std::string other = folded(candidate);
    const std::size_t length =
        std::max(wanted.size(), other.size()) - std::min(wanted.size(), other.size());
    return std::pair(wanted.size() > other.size() + 2 ? longest : distance(wanted, other), length);
  };
  const auto best = std::ranges::min_element(known, {}, badness);
  return badness(*best).first > allowed_distance(wanted) ? nullptr : &*best;
}

std::string folded(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    out += lower(c);
  }
  return out;
}

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known,
                         std::string_view otherwise) {
  if (std::string hint = synonym_hint(name, known); !hint.empty()) return hint;
  const std::string* best = nearest_name(name, known);
  if (best != nullptr) return fmt::format(" (nearest: {})", *best);
  return otherwise.empty() ? std::string() : fmt::format(" ({})", otherwise);
}

std::string names_and_nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t most_listed = 8;
  const bool are_listed = !known.empty() && known.size() <= most_listed;
  const std::string* const nearest = nearest_name(name, known);
  return (are_listed ? fmt::format("{}", fmt::join(known, ", "))
                     : fmt::format("the {} that there are", known.size())) +
         (nearest == nullptr ? std::string() : fmt::format(" (nearest: {})", *nearest));
}

namespace {

// A row helps where `meant` is a name: "end" for the flags of SliceScatter-15, and for its job's
// keys. A word may have several rows.
struct Synonym {
  std::string_view word;            // folded
  std::string_view meant;           // ours, folded
  std::string_view advice = {};     // empty: use what is meant
  std::string_view reduction = {};  // of an operation
};

constexpr std::array synonym_table{
    // commands
    Synonym{"cmp", "compare"},
    Synonym{"delta", "compare"},
    Synonym{"diff", "compare"},
    Synonym{"allclose", "compare"},
    Synonym{"cat", "show"},
    Synonym{"describe", "show"},
    Synonym{"dump", "show"},
    Synonym{"head", "show"},
    Synonym{"info", "show"},
    Synonym{"inspect", "show"},
    Synonym{"print", "show"},
    Synonym{"shape", "show"},
    Synonym{"stat", "show"},
    Synonym{"stats", "show"},
    Synonym{"view", "show"},
    Synonym{"read", "get"},
    Synonym{"take", "get"},
    Synonym{"gather", "get"},
    Synonym{"histogram", "numpy.bincount"},
    Synonym{"append", "set", "see docs/cookbook.md, Append"},
    Synonym{"concat", "set", "see docs/cookbook.md, Append"},
    Synonym{"concatenate", "set", "see docs/cookbook.md, Append"},
    Synonym{"list", "ops"},
    Synonym{"ls", "ops"},
    Synonym{"operations", "ops"},
    Synonym{"copy", "convert"},
    Synonym{"cp", "convert"},
    Synonym{"export", "convert"},
    Synonym{"save", "convert"},
    Synonym{"check", "verify"},
    Synonym{"validate", "verify"},
    Synonym{"test", "batch"},
    Synonym{"tests", "batch"},
    Synonym{"debug", "explain"},
    Synonym{"trace", "explain"},
    Synonym{"why", "explain"},
    Synonym{"fuzz", "generate"},
    Synonym{"rand", "generate"},
    Synonym{"random", "generate"},
    Synonym{"repair", "recover"},
    Synonym{"restore", "recover"},
    Synonym{"rollback", "recover"},
    Synonym{"undo", "recover"},
    Synonym{"exec", "run"},
    Synonym{"man", "help"},
    Synonym{"usage", "help"},
    Synonym{"ver", "version"},
    Synonym{"v", "version"},
    Synonym{"apply", "scatterndupdate15", "name the operation, as in tscatter ScatterNDUpdate-15"},
    Synonym{"scatter", "scatterndupdate15", "see tscatter ops"},
    // operations
    Synonym{"scatterndadd", "scatterndupdate15", {}, "sum"},
    Synonym{"scatterndmax", "scatterndupdate15", {}, "max"},
    Synonym{"scatterndmin", "scatterndupdate15", {}, "min"},
    Synonym{"scatterndsub", "scatterndupdate15", {}, "sub"},
    Synonym{"tensorscatteradd", "tf.tensorscatterndadd"},
    Synonym{"tensorscattermax", "tf.tensorscatterndmax"},
    Synonym{"tensorscattermin", "tf.tensorscatterndmin"},
    Synonym{"tensorscattersub", "tf.tensorscatterndsub"},
    Synonym{"tensorscatterupdate", "tf.tensorscatterndupdate"},
    Synonym{"dynamicupdateslice", "slicescatter15"},
    Synonym{"stridedsliceassign", "slicescatter15"},
    // flags and keys
    Synonym{"begin", "start"},
    Synonym{"from", "start"},
    Synonym{"end", "stop"},
    Synonym{"to", "stop"},
    Synonym{"stride", "step"},
    Synonym{"strides", "step"},
    Synonym{"slice", "start", "use --start, --stop and --step"},
    Synonym{"input", "data"},
    Synonym{"self", "data"},
    Synonym{"tensor", "data"},
    Synonym{"pastcache", "data"},
    Synonym{"idx", "indices"},
    Synonym{"ids", "indices"},
    Synonym{"index", "indices"},
    Synonym{"writeindices", "indices"},
    Synonym{"source", "updates"},
    Synonym{"src", "updates"},
    Synonym{"value", "updates"},
    Synonym{"values", "updates"},
    Synonym{"value", "data"},
    Synonym{"values", "data"},
    Synonym{"dim", "axis"},
    Synonym{"dims", "axes"},
    Synonym{"dim", "axes"},
    Synonym{"mode", "reduction"},
    Synonym{"op", "reduction"},
    Synonym{"reduce", "reduction"},
    Synonym{"dest", "output"},
    Synonym{"presentcache", "output"},
    Synonym{"astype", "dtype"},
    Synonym{"type", "dtype"},
    Synonym{"check", "dryrun"},
    Synonym{"overwrite", "inplace"},
    Synonym{"cores", "threads"},
    Synonym{"jobs", "threads"},
    Synonym{"parallel", "threads"},
    Synonym{"workers", "threads"},
    Synonym{"silent", "quiet"},
    Synonym{"debug", "verbose"},
    Synonym{"colour", "color"},
    Synonym{"tolerance", "rtol", "use --rtol and --atol"},
    Synonym{"tol", "rtol", "use --rtol and --atol"},
    Synonym{"eps", "atol"},
    Synonym{"ulp", "maxulp"},
    Synonym{"nan", "equalnan"},
    Synonym{"plot", "heatmap"},
    Synonym{"got", "actual"},
    Synonym{"match", "filter"},
    Synonym{"only", "filter"},
    Synonym{"number", "count"},
    // dtypes
    Synonym{"byte", "uint8"},
    Synonym{"char", "int8"},
    Synonym{"short", "int16"},
    Synonym{"int", "int32", "use int32 or int64"},
    Synonym{"long", "int64"},
    Synonym{"longlong", "int64"},
    Synonym{"uint", "uint32", "use uint32 or uint64"},
    Synonym{"half", "float16"},
    Synonym{"fp16", "float16"},
    Synonym{"brain", "bfloat16"},
    Synonym{"float", "float32", "use float32 or float64"},
    Synonym{"single", "float32"},
    Synonym{"fp32", "float32"},
    Synonym{"double", "float64"},
    Synonym{"fp64", "float64"},
    Synonym{"complex", "complex64", "use complex64 or complex128"},
    Synonym{"cfloat", "complex64"},
    Synonym{"cdouble", "complex128"},
    // reductions
    Synonym{"average", "mean"},
    Synonym{"avg", "mean"},
    Synonym{"plus", "sum"},
    Synonym{"minus", "sub"},
    Synonym{"subtract", "sub"},
    Synonym{"times", "prod"},
    Synonym{"product", "prod"},
    Synonym{"multiplication", "prod"},
    Synonym{"smallest", "min"},
    Synonym{"largest", "max"},
    Synonym{"replace", "none"},
    Synonym{"logicaland", "and"},
    Synonym{"logicalor", "or"},
    Synonym{"logicalxor", "xor"},
    // words for an index: behind the reductions, which some of these mean, too
    Synonym{"accumulate", "add"},
    Synonym{"increment", "add"},
    Synonym{"sum", "add"},
    Synonym{"subtract", "sub"},
    Synonym{"multiply", "mul"},
    Synonym{"divide", "mul", "use mul with the reciprocal"},
    Synonym{"div", "mul", "use mul with the reciprocal"},
    Synonym{"prod", "mul"},
    Synonym{"maximum", "max"},
    Synonym{"minimum", "min"},
    Synonym{"assign", "set"},
    Synonym{"insert", "set"},
    Synonym{"patch", "set"},
    Synonym{"put", "set"},
    Synonym{"replace", "set"},
    Synonym{"setitem", "set"},
    Synonym{"update", "set"},
    Synonym{"write", "set"},
};

// "np.add.at", "x.at[ids].set", "torch.scatter_add" -> what is done, without its module.
std::string_view without_module(std::string_view word) {
  constexpr std::string_view at = ".at";
  if (word.ends_with(at)) word.remove_suffix(at.size());
  return word.substr(word.rfind('.') + 1);
}

}  // namespace

std::string_view synonym_of(std::string_view word) {
  const auto row =
      std::ranges::find_if(synonym_table, [&, wanted = folded(word)](const Synonym& each) {
        return each.word == wanted && each.advice.empty();
      });
  return row == synonym_table.end() ? std::string_view() : row->meant;
}

std::string synonym_hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string wanted = folded(without_module(word));
  for (const Synonym& row : synonym_table) {
    if (row.word != wanted) continue;
    const auto is_meant = [&](const std::string& name) { return folded(name) == row.meant; };
    const auto name = std::ranges::find_if(known, is_meant);
    if (name == known.end()) continue;
    if (!row.advice.empty()) return fmt::format(" ({})", row.advice);
    return fmt::format(" (use {}{}{})", *name, row.reduction.empty() ? "" : " -r ", row.reduction);
  }
  return {};
}

}  // namespace tscatter

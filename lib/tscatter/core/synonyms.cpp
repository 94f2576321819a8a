#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tscatter/core/nearest.hpp"

namespace tscatter {
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

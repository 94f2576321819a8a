// The operations of TOSA. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

constexpr std::array operands{
    operand("data", 'd', OperandRole::data,
            "values_in: the tensor that is updated, of shape [N, K, C]", "", "values_in"),
    indices_operand("positions along axis 1 of data, of shape [N, W]"),
    updates_operand("input: the rows that are written, of shape [N, W, C]", "", "input"),
};

constexpr std::array lines_of_scatter{
    RuleLine{Check::data_rank, "data has rank 3: [N, K, C]"},
    RuleLine{Check::indices_rank, "indices has rank 2: [N, W]"},
    lines::int32_or_int64,
    RuleLine{Check::indices_shape, "along axis 0, indices is as long as data"},
    RuleLine{Check::updates_shape, "updates has shape [N, W, C]"},
    lines::updates_dtype,
    RuleLine{Check::data_dtype,
             "data is of one of bool, int8, int16, int32, int64, float16, bfloat16, float32 and "
             "opaque dtypes, as float8"},
    RuleLine{Check::index_range, "each index is in [0, K)"},
    RuleLine{Check::duplicates, "no index occurs twice in a batch: each place is written once"},
};

constexpr std::array<Operation, 1> rows{{
    named<"tosa.scatter", lines_of_scatter>(
        "write rows to the places of each batch that indices names, none twice",
        {.form = Form::batched_rows,
         .policies = {.duplicates = DuplicatePolicy::forbidden},
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         // float8 is opaque: it is only moved.
         .data_dtypes =
             dtypes<DType::boolean, DType::int8, DType::int16, DType::int32, DType::int64,
                    DType::float16, DType::bfloat16, DType::float32, DType::opaque>,
         .operands = operands,
         .examples = words<"-d values_in.npy -i indices.npy -u input.npy -o values_out.npy",
                           "-d 1x4x2xf32=0 -i '[[3, 0]]' -u '[[[1, 2], [3, 4]]]'">}),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Namespace tosa{.name = "tosa", .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names

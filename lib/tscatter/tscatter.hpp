// tscatter: exact scatter operations on tensors in memory and in files. Start here; docs/library.md
// has more examples.
//
// clang-format off
//   std::vector<float> data{1, 2, 3, 4};
//   const std::vector<float> updates{10, 20};
//   const std::vector<std::int32_t> indices{0, -1};
//   tscatter::MemoryOutput memory{data};  // in place; other memory of the same size works, too
//   tscatter::scatter_nd_update_15(tscatter::view(data, {4}), tscatter::view(indices, {2, 1}),
//                                  tscatter::view(updates, {2}), tscatter::Reduction::sum, memory);
//   // data is 11, 2, 3, 24
//
//   tscatter::FileOutput file{"out.npy"};
//   tscatter::scatter_update_3(tscatter::open_tensor("data.npy"), tscatter::open_tensor("indices.npy"),
//                              tscatter::open_tensor("updates.npy"), tscatter::scalar(1), file);
// clang-format on
//
// Files are read and written in ranges; none is held whole. A broken rule throws tscatter::Error,
// with its label, before anything is written; a failure while writing throws one, too. The rules:
// docs/ops.md.
#pragma once

#include <cstdint>
#include <vector>

#include "tscatter/apply/apply.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/generate/generate.hpp"
#include "tscatter/io/formats/tensor_files.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter {

// An int64 tensor of rank 0, and one of rank 1; they own their values.
Tensor scalar(std::int64_t value);
Tensor list(std::vector<std::int64_t> values);

// Making a call checks and reads nothing; applying, verifying or explaining it does.

// data d of rank r, indices of any rank with values in [0, d[axis]), updates d[:axis] +
// indices.shape + d[axis+1:], axis an integer of rank 0 or shape [1] in [-r, r). Spec:
// ScatterUpdate-3.
Call scatter_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                      const Tensor& axis);

// indices [..., k] with coordinate j in [0, d[j]), updates indices.shape[:-1] + d[k:]. Spec:
// ScatterNDUpdate-3.
Call scatter_nd_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates);

// As scatter_nd_update_3, with coordinates in [-d[j], d[j]) and a reduction. Spec:
// ScatterNDUpdate-15.
Call scatter_nd_update_15(const Tensor& data, const Tensor& indices, const Tensor& updates,
                          Reduction reduction);

// start, stop, step and axes of rank 1 and equal length; axes nullptr means the first axes. updates
// has the shape of the slice. Spec: SliceScatter-15.
Call slice_scatter_15(const Tensor& data, const Tensor& updates, const Tensor& start,
                      const Tensor& stop, const Tensor& step, const Tensor* axes);

// The same, applied at once.
Report scatter_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                        const Tensor& axis, Output& output, const RunOptions& options = {});
Report scatter_nd_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                           Output& output, const RunOptions& options = {});
Report scatter_nd_update_15(const Tensor& data, const Tensor& indices, const Tensor& updates,
                            Reduction reduction, Output& output, const RunOptions& options = {});
Report slice_scatter_15(const Tensor& data, const Tensor& updates, const Tensor& start,
                        const Tensor& stop, const Tensor& step, const Tensor* axes, Output& output,
                        const RunOptions& options = {});

// What can be done with a call: see apply/apply.hpp, verify/verify.hpp, explain/explain.hpp and
// reach/history.hpp.
inline Report apply(const Call& call, Output& output, const RunOptions& options = {}) {
  return apply(*call.operation, call.arguments, output, options);
}
inline Report check(const Call& call, const RunOptions& options = {},
                    Placement placement = Placement::copy) {
  return check(*call.operation, call.arguments, options, placement);
}
inline Verification verify(const Call& call, const Tensor& actual,
                           const VerifyOptions& options = {}) {
  return verify(*call.operation, call.arguments, actual, options);
}
inline Explanation explain(const Call& call, const ExplainOptions& options = {}) {
  return explain(*call.operation, call.arguments, options);
}
inline History history(const Call& call, const Position& position,
                       const HistoryOptions& options = {}) {
  return history(*call.operation, call.arguments, position, options);
}

}  // namespace tscatter

// tscatter: exact scatter operations on tensors in memory and in files. Start here.
//
//   std::vector<float> data{1, 2, 3, 4}, updates{10, 20};
//   const std::vector<std::int32_t> indices{0, -1};
//   tscatter::MemoryOutput output{std::span(data)};  // in place; any other memory of the same size
//   does too tscatter::scatter_nd_update_15(tscatter::view(std::span(data), {4}),
//   tscatter::view(std::span(indices), {2, 1}),
//                                  tscatter::view(std::span(updates), {2}),
//                                  tscatter::Reduction::sum, output);
//   // data is 11, 2, 3, 24
//
//   tscatter::NpyFileOutput file{"out.npy"};
//   tscatter::scatter_update_3(tscatter::open_npy("data.npy"), tscatter::open_npy("indices.npy"),
//                              tscatter::open_npy("updates.npy"), tscatter::scalar(1), file);
//
// Tensors are read and written in ranges; none is held whole. Every function throws
// tscatter::Error, with the label of the broken rule, before anything is written. The rules:
// docs/ops.md.
#pragma once

#include <cstdint>

#include "tscatter/apply.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/output.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/engine.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/explain/history.hpp"
#include "tscatter/io/formats/npy_file.hpp"
#include "tscatter/io/formats/npz_archive.hpp"
#include "tscatter/io/formats/npz_output.hpp"
#include "tscatter/io/journal/in_place_file.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/ops/registry.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter {

// An int64 tensor of rank 0, and a list of int64 of rank 1, that hold their own values.
Tensor scalar(std::int64_t value);
Tensor list(std::vector<std::int64_t> values);

// data [d0 … dn], indices of any rank with values in [0, d[axis]), updates d[:axis] + indices.shape
// + d[axis+1:], axis an integer of rank 0 or shape [1] in [-r, r). Spec: ScatterUpdate-3.
Report scatter_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                        const Tensor& axis, Output& output, const RunOptions& options = {});

// indices [..., k] with coordinate j in [0, d[j]), updates indices.shape[:-1] + d[k:]. Spec:
// ScatterNDUpdate-3.
Report scatter_nd_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                           Output& output, const RunOptions& options = {});

// As scatter_nd_update_3, with coordinates in [-d[j], d[j]) and a reduction. Spec:
// ScatterNDUpdate-15.
Report scatter_nd_update_15(const Tensor& data, const Tensor& indices, const Tensor& updates,
                            Reduction reduction, Output& output, const RunOptions& options = {});

// start, stop, step and axes of rank 1 and one length; axes may be nullptr: the first axes then.
// updates has the shape of the slice. Spec: SliceScatter-15.
Report slice_scatter_15(const Tensor& data, const Tensor& updates, const Tensor& start,
                        const Tensor& stop, const Tensor& step, const Tensor* axes, Output& output,
                        const RunOptions& options = {});

}  // namespace tscatter

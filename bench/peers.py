"""The same operations as scripts of today do them: NumPy, ONNX Runtime, OpenVINO, PyTorch, JAX.

  python3 bench/peers.py versions                               what can be imported, as JSON
  python3 bench/peers.py script numpy DIR NAME --output FILE    load, operate, save
  python3 bench/peers.py memory numpy DIR NAME --repeat 5       the operation alone: JSON on stdout

A peer is a class: the constructor takes the arrays and does all that comes before the operation,
run() is the operation, result() is what it left, and fresh() makes the operands new for another
run. None of the peers promises an order where index entries name one place; what they leave there
may differ.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import json
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np

import workloads
from workloads import Workload


class NumPy:
    def __init__(self, workload, data, indices, updates, directory):
        self.workload, self.data, self.updates = workload, data, updates
        self.indices = indices
        if workload.kind == "nd":
            self.indices = tuple(indices[..., axis] for axis in range(workload.depth))

    def fresh(self, original):
        self.data[...] = original

    def run(self):
        workload, data, updates = self.workload, self.data, self.updates
        if workload.kind == "slice":
            data[workload.slices] = updates
        elif workload.kind == "axis":
            data[(slice(None),) * workload.axis + (self.indices,)] = updates
        elif workload.kind == "elements":
            self.run_elements()
        elif workload.reduction == "none":
            data[self.indices] = updates
        elif data.ndim > 1:  # much faster than add.at on rows
            step = {"sum": np.add, "max": np.maximum}[workload.reduction]
            for row, update in zip(self.indices[0].tolist(), updates):
                step(data[row], update, out=data[row])
        else:
            step = {"sum": np.add, "max": np.maximum}[workload.reduction]
            step.at(data, self.indices[0], updates)

    def run_elements(self):
        workload, data, updates = self.workload, self.data, self.updates
        if workload.reduction == "none":
            np.put_along_axis(data, self.indices, updates, workload.axis)
            return
        places = list(np.ogrid[tuple(slice(n) for n in self.indices.shape)])
        places[workload.axis] = self.indices
        np.add.at(data, tuple(places), updates)
        if workload.reduction == "mean":
            writers = np.ones(data.shape, data.dtype)
            np.add.at(writers, tuple(places), 1)
            np.divide(data, writers, out=data)

    def result(self):
        return self.data


def nd_indices(workload: Workload, indices):
    """Index entries of one ScatterND that does the same as the workload's operation."""
    if workload.kind == "nd":
        return indices
    if workload.kind == "axis":
        outer = [np.arange(size) for size in workload.shape[: workload.axis]]
        grid = np.meshgrid(*outer, indices.reshape(-1), indexing="ij")
    else:
        places = [np.arange(n)[s] for s, n in zip(workload.slices, workload.shape)]
        grid = np.meshgrid(*places, indexing="ij")
    return np.stack(grid, axis=-1)


class OnnxRuntime:
    """ScatterElements or ScatterND, its output bound to the memory of its input."""

    def __init__(self, workload, data, indices, updates, directory):
        import onnxruntime

        if workload.kind != "elements":
            indices = nd_indices(workload, indices)
            updates = updates.reshape(indices.shape[:-1] + data.shape[indices.shape[-1] :])
        self.data = data
        self.operands = {"data": data, "indices": indices, "updates": updates}
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(
            str(model_file(workload, directory)), options, providers=["CPUExecutionProvider"]
        )
        self.binding = self.session.io_binding()
        for name, array in self.operands.items():
            self.binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        self.binding.bind_output("output", "cpu", 0, data.dtype, data.shape, data.ctypes.data)

    def fresh(self, original):
        self.data[...] = original

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def result(self):
        return self.data


def model_file(workload: Workload, directory: Path) -> Path:
    return directory / f"{workload.name}.onnx"


def make_onnx_model(workload: Workload, directory: Path) -> None:
    """Made beforehand, as its user has it."""
    import onnx
    from onnx import TensorProto, helper

    types = {
        "float32": TensorProto.FLOAT,
        "float16": TensorProto.FLOAT16,
        "int64": TensorProto.INT64,
    }
    element = types[workload.dtype]
    rank = len(workload.shape)
    if workload.kind == "elements":
        operator, attributes = "ScatterElements", {"axis": workload.axis}
        indices_rank = updates_rank = rank
    else:
        operator, attributes = "ScatterND", {}
        depth = (
            workload.depth
            if workload.kind == "nd"
            else max(workload.axis + 1, len(workload.slices))
        )
        entries = len(workload.entries) if workload.kind == "nd" else depth
        indices_rank, updates_rank = entries + 1, entries + rank - depth

    def value(name, kind, axes):
        return helper.make_tensor_value_info(name, kind, [f"{name}{i}" for i in range(axes)])

    reduction = {"none": "none", "sum": "add", "max": "max"}[workload.reduction]
    graph = helper.make_graph(
        [
            helper.make_node(
                operator,
                ["data", "indices", "updates"],
                ["output"],
                reduction=reduction,
                **attributes,
            )
        ],
        workload.name,
        [
            value("data", element, rank),
            value("indices", TensorProto.INT64, indices_rank),
            value("updates", element, updates_rank),
        ],
        [value("output", element, rank)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, str(model_file(workload, directory)))


class OpenVino:
    """The operation itself, its output bound to the memory of its input."""

    def __init__(self, workload, data, indices, updates, directory):
        import openvino
        from openvino import opset15 as ops

        self.data = data
        operands = [data, updates] if workload.kind == "slice" else [data, indices, updates]
        inputs = [ops.parameter(list(array.shape), array.dtype) for array in operands]
        if workload.kind == "slice":
            lists = [
                ops.constant(np.array([getattr(s, key) for s in workload.slices], np.int64))
                for key in ("start", "stop", "step")
            ]
            node = ops.slice_scatter(*inputs, *lists)
        elif workload.kind == "axis":
            node = ops.scatter_update(*inputs, ops.constant(np.int64(workload.axis)))
        elif workload.kind == "elements":
            axis = ops.constant(np.int64(workload.axis))
            node = ops.scatter_elements_update(*inputs, axis, workload.reduction)
        else:
            node = ops.scatter_nd_update(*inputs, workload.reduction)
        model = openvino.Model([node], inputs)
        # The hint keeps float16 from being computed as float32 or the other way round.
        hint = {"INFERENCE_PRECISION_HINT": "f16" if workload.dtype == "float16" else "f32"}
        try:
            compiled = openvino.Core().compile_model(model, "CPU", hint)
        except RuntimeError:
            compiled = openvino.Core().compile_model(model, "CPU")
        self.request = compiled.create_infer_request()
        for i, array in enumerate(operands):
            self.request.set_input_tensor(i, openvino.Tensor(array, shared_memory=True))
        self.request.set_output_tensor(0, openvino.Tensor(data, shared_memory=True))

    def fresh(self, original):
        self.data[...] = original

    def run(self):
        self.request.infer()

    def result(self):
        return self.data


class PyTorch:
    def __init__(self, workload, data, indices, updates, directory):
        import torch

        self.torch, self.workload = torch, workload
        self.data, self.updates = torch.from_numpy(data), torch.from_numpy(updates)
        self.indices = None if indices is None else torch.from_numpy(indices)

    def fresh(self, original):
        self.data.copy_(self.torch.from_numpy(original))

    def run(self):
        workload, data, updates = self.workload, self.data, self.updates
        if workload.kind == "slice":
            data[workload.slices] = updates
        elif workload.kind == "axis":
            data[(slice(None),) * workload.axis + (self.indices,)] = updates
        elif workload.kind == "elements":
            if workload.reduction == "none":
                data.scatter_(workload.axis, self.indices, updates)
            else:
                data.scatter_reduce_(workload.axis, self.indices, updates, workload.reduction)
        elif workload.reduction == "none":
            data[self.indices.unbind(-1)] = updates
        elif workload.reduction == "sum":
            data.index_add_(0, self.indices[:, 0], updates)
        else:
            data.scatter_reduce_(0, self.indices[:, 0], updates, "amax", include_self=True)

    def result(self):
        return self.data.numpy()


class Jax:
    """Compiled, with data donated."""

    def __init__(self, workload, data, indices, updates, directory):
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)
        self.jax, self.jnp = jax, jnp
        self.updates = jnp.asarray(updates)
        self.indices = None if indices is None else jnp.asarray(indices)
        self.data = jnp.array(data)

        def operate(data, indices, updates):
            if workload.kind == "slice":
                return data.at[workload.slices].set(updates)
            if workload.kind == "axis":
                return data.at[(slice(None),) * workload.axis + (indices,)].set(updates)
            if workload.kind == "elements":
                places = list(jnp.ogrid[tuple(slice(n) for n in indices.shape)])
                places[workload.axis] = indices
                steps = {"none": data.at[tuple(places)].set, "sum": data.at[tuple(places)].add}
                return steps[workload.reduction](updates)
            places = data.at[tuple(indices[..., axis] for axis in range(workload.depth))]
            steps = {"none": places.set, "sum": places.add, "max": places.max}
            return steps[workload.reduction](updates)

        jitted = jax.jit(operate, donate_argnums=0)
        self.compiled = jitted.lower(self.data, self.indices, self.updates).compile()

    def fresh(self, original):
        self.data = self.jnp.array(original)
        self.jax.block_until_ready(self.data)

    def run(self):
        self.data = self.jax.block_until_ready(self.compiled(self.data, self.indices, self.updates))

    def result(self):
        return np.asarray(self.data)


# name: class, module that has to be there
PEERS = {
    "numpy": (NumPy, "numpy"),
    "onnxruntime": (OnnxRuntime, "onnxruntime"),
    "openvino": (OpenVino, "openvino"),
    "torch": (PyTorch, "torch"),
    "jax": (Jax, "jax"),
}


def versions() -> dict[str, str]:
    found = {}
    for name, (_, module) in PEERS.items():
        with contextlib.suppress(Exception):
            importlib.import_module(module)
            found[name] = importlib.metadata.version(module)
    return found


def load(workload: Workload, directory: Path, data: Path | None = None, mapped: bool = False):
    mode = "r" if mapped else None
    indices = None
    if workload.kind != "slice":
        indices = np.load(workload.indices_file(directory))
    updates = np.load(workload.updates_file(directory), mmap_mode=mode)
    data = None if mapped else np.load(data or workload.data_file(directory))
    return data, indices, updates


def script(peer: str, workload: Workload, directory: Path, data: Path, output: Path) -> None:
    loaded, indices, updates = load(workload, directory, data)
    operation = PEERS[peer][0](workload, loaded, indices, updates, directory)
    operation.run()
    np.save(output, operation.result())


def mapped_script(workload: Workload, directory: Path, data: Path, output: Path) -> None:
    """NumPy over mapped files: data is copied as a file and changed where it stands. Not flushed:
    nobody waits for the disk in the others either."""
    _, indices, updates = load(workload, directory, mapped=True)
    if output != data:
        shutil.copyfile(data, output)
    NumPy(workload, np.load(output, mmap_mode="r+"), indices, updates, directory).run()


def memory(peer: str, workload: Workload, directory: Path, repeat: int, output: Path | None):
    original, indices, updates = load(workload, directory)
    operation = PEERS[peer][0](workload, original.copy(), indices, updates, directory)
    times = []
    for _ in range(repeat):
        operation.fresh(original)
        begin = time.perf_counter()
        operation.run()
        times.append(1000 * (time.perf_counter() - begin))
    if output:
        np.save(output, operation.result())
    print(json.dumps({"milliseconds": times}))


def main() -> int:
    parser = argparse.ArgumentParser(description="one operation by another library")
    parser.add_argument("task", choices=["versions", "model", "script", "memory"])
    parser.add_argument("peer", nargs="?")
    parser.add_argument("directory", type=Path, nargs="?")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--data", type=Path, help="instead of the workload's own data file")
    parser.add_argument("--output", type=Path, help="data itself: in place")
    options = parser.parse_args()
    if options.task == "versions":
        print(json.dumps(versions()))
        return 0
    workload = workloads.by_name(options.name, options.scale)
    data = options.data or workload.data_file(options.directory)
    if options.task == "model":
        make_onnx_model(workload, options.directory)
    elif options.task == "memory":
        memory(options.peer, workload, options.directory, options.repeat, options.output)
    elif options.peer == "numpy-mapped":
        mapped_script(workload, options.directory, data, options.output)
    else:
        script(options.peer, workload, options.directory, data, options.output)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).strip()}", file=sys.stderr, flush=True)
        os._exit(1)  # some libraries crash when they are torn down after an error

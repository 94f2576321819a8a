"""A call of stablehlo.scatter, stablehlo.dynamic_update_slice or xla.scatter as a module of StableHLO, and its result: of the reference interpreter, and of XLA on a CPU. Both come with jaxlib.

Floats and complex numbers go in and come out as the unsigned integers that have their bits: so the interpreter takes bfloat16, too, and a NaN keeps its payload.
"""
import jax
from jax.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

import numpy as np

BODIES = {"add": "add", "sub": "subtract", "mul": "multiply", "min": "minimum", "max": "maximum", "and": "and", "or": "or", "xor": "xor"}
WORDS = {"bool": "i1", "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>"}
HALVES = {"complex64": "float32", "complex128": "float64"}
LISTS = ("update_window_dims", "inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims", "scatter_dims_to_operand_dims")


def word_of(dtype):
    """As StableHLO has it: signed integers are i8 to i64."""
    return WORDS.get(dtype) or dtype.replace("uint", "ui").replace("int", "i")


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{word_of(dtype)}>"


class Module:
    """The lines of a function, what it takes and what it returns."""

    def __init__(self):
        self.lines, self.arguments, self.results = [], [], []
        self.names = 0

    def line(self, text):
        self.names += 1
        self.lines.append(f"%{self.names} = {text}")
        return f"%{self.names}"

    def argument(self, array):
        self.arguments.append(np.ascontiguousarray(array).reshape(array.shape))
        return f"%argument{len(self.arguments)}"

    def bits(self, array):
        return self.argument(np.ascontiguousarray(array).reshape(array.shape).view(f"u{array.itemsize}"))

    def operand(self, array, dtype):
        """The name of a tensor of this dtype."""
        kind = tensor(array.shape, dtype)
        if dtype in HALVES:
            parts = [self.operand(part, HALVES[dtype]) for part in (array.real, array.imag)]
            return self.line(f"stablehlo.complex {', '.join(parts)} : {kind}")
        if array.dtype.kind == "i":
            return self.argument(array)
        name, raw = self.bits(array), tensor(array.shape, f"uint{8 * array.itemsize}")
        if raw == kind:
            return name
        return self.line(f"stablehlo.{'convert' if dtype == 'bool' else 'bitcast_convert'} {name} : ({raw}) -> {kind}")

    def give(self, name, shape, dtype):
        kind = tensor(shape, dtype)
        if dtype in HALVES:
            for part in ("real", "imag"):
                self.give(self.line(f"stablehlo.{part} {name} : ({kind}) -> {tensor(shape, HALVES[dtype])}"), shape, HALVES[dtype])
            return
        raw = "uint8" if dtype == "bool" else "uint16" if dtype == "bfloat16" else f"uint{8 * np.dtype(dtype).itemsize}"
        if raw != dtype:
            name = self.line(f"stablehlo.{'convert' if dtype == 'bool' else 'bitcast_convert'} {name} : ({kind}) -> {tensor(shape, raw)}")
        self.results.append((name, shape, raw))

    def text(self):
        takes = ", ".join(f"%argument{number}: {tensor(each.shape, each.dtype.name)}" for number, each in enumerate(self.arguments, 1))
        types = ", ".join(tensor(shape, dtype) for _, shape, dtype in self.results)
        gives = f"return {', '.join(name for name, _, _ in self.results)} : {types}"
        return "\n  ".join([f"func.func @main({takes}) -> ({types}) {{", *self.lines, gives]) + "\n}\n"


def dimension_numbers(call):
    lists = {name: call.operands[name].tolist() if name in call.operands else [] for name in LISTS}
    words = [f"{name} = {numbers}" for name, numbers in lists.items()]
    words.append(f"index_vector_dim = {call.operands['index_vector_dim'].item() if 'index_vector_dim' in call.operands else 0}")
    return f"#stablehlo.scatter<{', '.join(words)}>"


def truth(call, name):
    return f"{name} = {'true' if call.line.get(name, False) else 'false'}"


def module_of(call, data_name):
    """Of a Call, or of a Case of cases.py."""
    module, names = Module(), (data_name, "scatter_indices", "updates")
    shapes = [call.operands[name].shape for name in names]
    dtypes = [call.dtypes[name] for name in names]
    operands = [module.operand(call.operands[name], call.dtypes[name]) for name in names]
    types = [tensor(*each) for each in zip(shapes, dtypes)]
    scalar, body = tensor((), dtypes[0]), call.line["update_computation"]
    computed = [] if body == "set" else [f"%new = stablehlo.{BODIES[body]} %there, %update : {scalar}"]
    module.lines += [
        f"%result = \"stablehlo.scatter\"({', '.join(operands)}) <{{scatter_dimension_numbers = {dimension_numbers(call)}, "
        f"{truth(call, 'indices_are_sorted')}, {truth(call, 'unique_indices')}}}> ({{",
        f"^body(%there: {scalar}, %update: {scalar}):", *computed, f"stablehlo.return {'%new' if computed else '%update'} : {scalar}",
        f"}}) : ({', '.join(types)}) -> {types[0]}"]
    module.give("%result", shapes[0], dtypes[0])
    return module


def joined(arrays, call, data_name):
    """The bits of a result as the array that they are."""
    data = call.operands[data_name]
    if data.dtype.kind != "c":
        return arrays[0].view(data.dtype)
    result = np.empty(data.shape, data.dtype)
    result.real, result.imag = (each.view(HALVES[data.dtype.name]) for each in arrays)
    return result


def attribute_of(array):
    kind = ir.IntegerType.get_unsigned if array.dtype.kind == "u" else ir.IntegerType.get_signless
    return ir.DenseElementsAttr.get(array, type=kind(8 * array.itemsize), shape=array.shape)


def block_module(call, data_name):
    """Each start is an operand of rank 0."""
    module, names = Module(), (data_name, "updates")
    shapes = [call.operands[name].shape for name in names]
    operands = [module.operand(call.operands[name], call.dtypes[name]) for name in names]
    starts = call.operands["indices"]
    operands += [module.operand(each, starts.dtype.name) for each in starts]
    types = [tensor(shape, call.dtypes[data_name]) for shape in shapes] + [tensor((), starts.dtype.name)] * len(starts)
    result = module.line(f"stablehlo.dynamic_update_slice {', '.join(operands)} : ({', '.join(types)}) -> {types[0]}")
    module.give(result, shapes[0], call.dtypes[data_name])
    return module


def interpreted_block(call):
    return evaluated(block_module(call, "operand"), call, "operand")


def interpreted(call, data_name="input"):
    return evaluated(module_of(call, data_name), call, data_name)


def evaluated(module, call, data_name):
    with mlir.make_ir_context():
        parsed = ir.Module.parse(module.text())
        found = stablehlo.eval_module(parsed, [attribute_of(each) for each in module.arguments])
        return joined([np.array(each).reshape(shape).astype(dtype) for each, (_, shape, dtype) in zip(found, module.results)], call, data_name)


def compiled(call, data_name="operand"):
    module = module_of(call, data_name)
    device = jax.devices("cpu")[0]
    program = device.client.compile_and_load(module.text().encode(), xla_client.DeviceList((device,)), xla_client.CompileOptions())
    return joined([np.asarray(each) for each in program.execute([jax.device_put(each, device) for each in module.arguments])], call, data_name)

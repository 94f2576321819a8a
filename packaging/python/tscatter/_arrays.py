"""Arrays of any library as views of their memory: the array interface, DLPack, the buffer protocol; and what only gives its values."""

import array
import ast
import contextlib
import ctypes
import sys
import warnings

from .errors import StridedCopyWarning, UsageError

NAMES_OF_DATA = ("data", "input", "tensor", "operand", "a", "arr", "dst", "x")  # the tensor that an operation updates
_NUMPY_TYPES = frozenset("b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split())
_EXTENSION_NAMES = ("bfloat16", "float8_", "float4_", "float6_", "int2", "uint2", "int4", "uint4")


class View:
    """Memory that an object holds. shape and strides as in tsc_tensor: strides in bytes, None for row-major.

    fields: of records, which the library knows by their size alone, the descr of NumPy.
    copied: the array of NumPy whose memory it is, if the object itself only gives its values.
    fault: (the rule, what came), if those values are not of one dtype.
    """

    copied = None
    fault = None

    def __init__(self, owner, address, dtype, shape, strides, itemsize, is_read_only=False, device=None, fields=None):
        self.owner = owner
        self.address = address
        self.dtype = dtype
        self.shape = tuple(shape)
        self.strides = None if strides is None else tuple(strides)
        self.itemsize = itemsize
        self.is_read_only = is_read_only
        self.device = device
        self.fields = fields

    @property
    def byte_size(self):
        size = self.itemsize
        for length in self.shape:
            size *= length
        return size

    def is_dense(self):
        """Whether the elements lie together in C or Fortran order."""
        if self.strides is None or 0 in self.shape:
            return True
        return self._steps_as(range(len(self.shape) - 1, -1, -1)) or self._steps_as(range(len(self.shape)))

    def _steps_as(self, axes):
        step = self.itemsize
        for axis in axes:
            if self.shape[axis] > 1 and self.strides[axis] != step:
                return False
            step *= self.shape[axis]
        return True


# The array interface, version 3: NumPy and what is like it.


def _named_dtype(array, interface):
    """ml_dtypes says V1, V2 or f1 for its dtypes; their names say more, which takes long to ask for."""
    is_masked = hasattr(array, "_mask") and "numpy.ma" in sys.modules and sys.modules["numpy.ma"].is_masked(array)
    if is_masked or interface.get("mask") is not None:
        return "masked elements"  # which the library refuses
    typestr = interface["typestr"]
    if typestr[1:] in _NUMPY_TYPES:
        return typestr
    name = getattr(getattr(array, "dtype", None), "name", "")
    return name if name.startswith(_EXTENSION_NAMES) else typestr


def _fields_of(array, interface):
    """The fields of records, as a .npy file has them; what has none is its typestr."""
    descr = interface.get("descr") or [("", interface["typestr"])]
    if any(field[0] for field in descr):
        return str(descr)
    dtype = getattr(array, "dtype", None)
    return str(dtype) if getattr(dtype, "names", None) else interface["typestr"]  # fields that overlap have no descr


def _has_objects(array, fields):
    return getattr(getattr(array, "dtype", None), "hasobject", False) or "'|O'" in fields


def data_of(tensors):
    """Of tensors by their names the one that is updated; None if there is none."""
    return next((tensors[name] for name in NAMES_OF_DATA if name in tensors), None)


def tell_apart(views, uses_files):
    """Records of other fields than data's get a dtype of their size that differs: the library refuses it as it does those of files.

    Returns what the dtypes of such a call stand for. Records of files have their fields in the library's own words.
    """
    wanted = data_of(views) or views.get("expected")
    if wanted is None or wanted.fields is None:
        return {}
    words = {}
    for view in views.values():
        if view.fields not in (None, wanted.fields) and view.dtype.startswith("|V"):
            view.dtype = f"|S{view.itemsize}"
            words.setdefault(view.dtype, view.fields)
    return {wanted.dtype: wanted.fields, **words} if words or not uses_files else {}


def dtype_name(dtype):
    """Of a dtype of NumPy, ml_dtypes or torch, or of a type that NumPy takes for one."""
    if isinstance(dtype, type) and "numpy" in sys.modules:
        with contextlib.suppress(TypeError):  # a type of polars
            dtype = sys.modules["numpy"].dtype(dtype)
    return getattr(dtype, "name", None) or getattr(dtype, "__name__", str(dtype).rpartition(".")[2])


def is_extension_name(name):
    """Whether a dtype of this name is one of ml_dtypes."""
    return name.startswith(_EXTENSION_NAMES)


def _extension_dtype(name):
    import ml_dtypes

    return getattr(ml_dtypes, name)


def with_dtype(array, name):
    """An array that was read from .npy, where the dtypes of ml_dtypes are records of 1 and 2 bytes, with the one that is named."""
    return array.view(_extension_dtype(name)) if array.dtype.kind == "V" and is_extension_name(name) else array


def _of_interface(array, interface):
    if not isinstance(interface.get("data"), tuple):
        raise TypeError("an array interface must have an address (numpy.asarray(x) has one), got one without")
    address, is_read_only = interface["data"]
    typestr = interface["typestr"]
    itemsize = getattr(array, "itemsize", None) or int(typestr[2:].split("[")[0]) * (4 if typestr[1] == "U" else 1)
    dtype, fields = _named_dtype(array, interface), None
    if typestr[1] == "V" and dtype == typestr:
        fields = _fields_of(array, interface)
        dtype = fields if _has_objects(array, fields) else typestr  # which the library refuses
    return View(
        (array, interface),
        address,
        dtype,
        interface["shape"],
        interface.get("strides"),
        itemsize,
        bool(is_read_only) or _is_scalar(array, interface),
        fields=fields,
    )


def _is_scalar(array, interface):
    """Whether it is a number of NumPy, whose memory is made for whoever asks."""
    return not interface["shape"] and "numpy" in sys.modules and isinstance(array, sys.modules["numpy"].generic)


# DLPack, with and without a version.


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


_DL_READ_ONLY = 1
_DL_IS_COPIED = 2  # what is written into it, nobody sees
_DL_DEVICES = {2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 13: "cuda managed memory", 14: "oneapi"}
_DL_IN_MEMORY = (1, 3, 11)  # of the processor: plain, pinned by CUDA, pinned by ROCm
_DL_CODES = {0: "int", 1: "uint", 2: "float", 5: "complex"}
_DL_NAMES = {
    (4, 16): "bfloat16",
    (6, 8): "bool",
    (7, 8): "float8_e3m4",
    (8, 8): "float8_e4m3",
    (9, 8): "float8_e4m3b11fnuz",
    (10, 8): "float8_e4m3fn",
    (11, 8): "float8_e4m3fnuz",
    (12, 8): "float8_e5m2",
    (13, 8): "float8_e5m2fnuz",
    (14, 8): "float8_e8m0fnu",
}

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_is = ctypes.pythonapi.PyCapsule_IsValid
_capsule_is.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _is_torch(array):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _capsule(array):
    try:
        return array.__dlpack__(max_version=(1, 0))
    except TypeError as error:  # it does not know versions
        if type(error) is not TypeError:
            raise
        return array.__dlpack__()


def _elsewhere(array, device, number):
    """A view without an address, which the library refuses."""
    name = f"{_DL_DEVICES.get(device, f'a device of DLPack type {device}')}:{number}"
    return View(array, None, "uint8", (), None, 1, device=name)


def _of_dlpack(array):
    device, number = array.__dlpack_device__()
    if int(device) not in _DL_IN_MEMORY:
        return _elsewhere(array, int(device), number)
    capsule = _capsule(array)
    if _capsule_is(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_capsule_pointer(capsule, b"dltensor_versioned"))
        tensor, is_read_only = versioned.tensor, bool(versioned.flags & (_DL_READ_ONLY | _DL_IS_COPIED))
    else:  # it cannot say whether it may be written to: JAX and TensorFlow share arrays that may not
        tensor, is_read_only = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor")), not _is_torch(array)
    size = tensor.bits * tensor.lanes // 8
    shape = tensor.shape[: tensor.ndim]
    strides = [step * size for step in tensor.strides[: tensor.ndim]] if tensor.strides else None
    name = _DL_NAMES.get((tensor.code, tensor.bits))
    if tensor.lanes != 1:
        name = f"{tensor.lanes} numbers of DLPack type {tensor.code} in one"
    elif name is None:
        name = f"{_DL_CODES.get(tensor.code, f'DLPack type {tensor.code} of ')}{tensor.bits}"
    address = (tensor.data or 0) + tensor.byte_offset
    return View((array, capsule), address or None, name, shape, strides, size, is_read_only)


# The buffer protocol: bytes, bytearray, array.array, memoryview, ctypes arrays.


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


_PYBUF_STRIDES_AND_FORMAT = 0x18 | 0x04
_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_Buffer)]
_release_buffer.restype = None


class _Held:
    """A buffer that is released with its view."""

    def __init__(self, owner):
        self.buffer = _Buffer()
        _get_buffer(owner, ctypes.byref(self.buffer), _PYBUF_STRIDES_AND_FORMAT)

    def __del__(self):
        _release_buffer(ctypes.byref(self.buffer))


# Formats of one number; others (records, several numbers, text) the library refuses.
_FORMAT_KINDS = {**dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQNcP", "u"), **dict.fromkeys("efd", "f"), "Zf": "c", "Zd": "c"}


def _format_dtype(code, itemsize):
    letter = code.lstrip("@=<>!")
    mark = ">" if code[:1] in (">", "!") else "<" if code[:1] == "<" else "="
    if letter == "?":
        return "bool"
    kind = _FORMAT_KINDS.get(letter)
    return code if kind is None else f"{mark}{kind}{itemsize}"


def _of_buffer(owner):
    held = _Held(owner)  # or TypeError
    buffer = held.buffer
    strides = buffer.strides[: buffer.ndim] if buffer.strides else None
    dtype = _format_dtype((buffer.format or b"B").decode(), buffer.itemsize)
    shape = buffer.shape[: buffer.ndim]
    return View(held, buffer.buf, dtype, shape, strides, buffer.itemsize, bool(buffer.readonly))


# What has no memory to share: a range, and what only gives its values (`__array__`), like a column or a table of pandas or polars.


def _of_range(numbers):
    values = array.array("q", numbers)
    return View(values, values.buffer_info()[0], "int64", (len(values),), None, 8, is_read_only=True)


def _of_values(value):
    import numpy

    values = numpy.asanyarray(value)
    view = _of_interface(values, values.__array_interface__)
    view.copied = values
    view.fault = _fault_of(value, values)
    return view


def _fault_of(value, values):
    """NumPy makes floats of columns of several dtypes, and NaN of what is missing."""
    columns, missing = _columns(value), _missing(value)
    dtype = columns[0][1] if columns else getattr(value, "dtype", None)
    first = {str(dtype): name for name, dtype in reversed(columns)}  # column of a dtype
    if len(first) > 1:
        came = " and ".join(f"{dtype} in column {name}" for dtype, name in reversed(first.items()))
        return f"a table must have one dtype in all columns{_cast_hint(value, dtype, values)}", came
    if missing:
        fill = next((f" (x.{word}(0) has all)" for word in ("fillna", "fill_null") if hasattr(value, word)), "")
        return f"a value must not be missing{fill}", f"{missing} missing"
    if values.dtype.hasobject and dtype is not None:
        return f"a dtype must be one of fixed size, like float32{_cast_hint(value, dtype, values)}", str(dtype)
    return None


def _cast_hint(value, dtype, values):
    """What to write; of objects, which may be anything, an example."""
    own = getattr(dtype, "numpy_dtype", "float32")  # of Int64 of pandas
    name = str(own) if values.dtype.hasobject else values.dtype.name
    if hasattr(value, "astype"):
        return f" (x.astype('{name}') has one)"
    if type(value).__module__.partition(".")[0] != "polars":
        return ""
    return f" (x.cast(polars.{name.capitalize().replace('Uint', 'UInt')}) has one)"


def _columns(value):
    """(name, dtype) of each column of a table; none of anything else."""
    if hasattr(value, "columns") and hasattr(value, "dtypes"):
        return list(zip(value.columns, value.dtypes))
    schema = getattr(value, "schema", None)
    if hasattr(schema, "types"):  # of pyarrow
        return list(zip(schema.names, schema.types))
    fields = getattr(getattr(value, "dtype", None), "fields", None)
    return [(field.name, field.dtype) for field in fields] if isinstance(fields, list) else []  # a struct of polars


def _missing(value):
    """How many values are missing. NaN in a column of floats of NumPy is a value."""
    if hasattr(value, "get_columns"):  # a table of polars
        return sum(map(_missing, value.get_columns()))
    if hasattr(getattr(value, "schema", None), "types"):
        return sum(map(_missing, value.columns))
    if hasattr(value, "null_count"):
        return value.null_count() if callable(value.null_count) else value.null_count
    if not hasattr(value, "isna"):
        return 0
    dtypes = [dtype for _, dtype in _columns(value)] or [getattr(value, "dtype", None)]
    return 0 if all(isinstance(dtype, sys.modules["numpy"].dtype) for dtype in dtypes) else int(value.isna().to_numpy().sum())


def is_path(value):
    return isinstance(value, str) or hasattr(type(value), "__fspath__")


def _require_plain(tensor):
    """PyTorch hands out the memory of a negative view without its sign."""
    if callable(getattr(tensor, "is_neg", None)) and tensor.is_neg():
        raise TypeError("a tensor must not be a negative view (tensor.resolve_neg() is none)")


def view_of(value):
    """The memory of an array, without a copy; None if the value is none."""
    if isinstance(value, type):
        return None
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return _of_interface(value, interface)
    has_values = hasattr(type(value), "__array__")
    if hasattr(value, "__dlpack__"):
        _require_plain(value)
        try:
            return _of_dlpack(value)
        except (BufferError, RuntimeError, TypeError):  # bool of pyarrow, int4 of JAX
            if _is_torch(value) or not has_values:
                raise
    if isinstance(value, range):
        return _of_range(value)
    try:
        return _of_buffer(value)
    except TypeError:
        return _of_values(value) if has_values else None


def _dense(array):
    if isinstance(array, memoryview):
        return _memory_of(array, array.tobytes())
    if callable(getattr(array, "contiguous", None)):  # torch
        return array.contiguous()
    import numpy

    return numpy.array(_numpy_array(array), order="C", subok=True)


def _numpy_array(array):
    import numpy

    is_only_dlpack = not (hasattr(array, "__array_interface__") or hasattr(array, "__array__")) and hasattr(array, "__dlpack__")
    return numpy.from_dlpack(array) if is_only_dlpack else numpy.asanyarray(array)


def _memory_of(like, content):
    """Writable memory with this content (or as many bytes), and the format and shape of a memoryview; an array of NumPy where that
    cannot be."""
    try:
        return memoryview(bytearray(content)).cast(like.format, like.shape)
    except (TypeError, ValueError):  # no elements, or another byte order
        return _numpy_array(like).copy()


def required_view(name, value):
    try:
        view = view_of(value)
    except (BufferError, NotImplementedError, RuntimeError, ValueError) as error:  # PyTorch has many kinds of tensors without memory
        message = f"must have memory that can be shared, got {type(value).__name__}: {error}"
        raise UsageError("usage", "array.a6", name, message) from error
    if view is None:
        others = "an array or a path" if name == "out" else "an array, a path, a list, a number or a dict with data or raw"
        raise TypeError(f"{name} must be {others}, got {type(value).__name__}")
    if view.copied is not None and name == "out":
        rule = "the memory of a result must be writable (give an array, or a path)"
        raise UsageError("usage", "array.a5", "output", f"{rule}, got {type(value).__name__}, which only gives its values")
    if view.fault is not None:
        raise UsageError("usage", "array.a1", name, ", got ".join(view.fault))
    numbers = (*view.shape, *(view.strides or ()))
    if any(not -(1 << 63) <= number < 1 << 63 for number in numbers):  # of which ctypes would keep the lower 64 bits
        raise UsageError("usage", "tensor.t1", name, f"a tensor must be addressable, got shape or strides {numbers}")
    return view


def operand_view(name, array):
    """(the array, its view); what has gaps is copied first, with a warning. What only gives its values is an array of NumPy."""
    view = required_view(name, array)
    array = array if view.copied is None else view.copied
    if view.is_dense():
        return array, view
    warnings.warn(f"{name} is neither in C nor in Fortran order: it was copied", StridedCopyWarning, stacklevel=6)
    array = _dense(array)
    return array, view_of(array)


def torch_is_changed():
    """Tells PyTorch that a tensor is not as it was: what autograd has saved of it cannot be used any more. None: it cannot be told."""
    return getattr(sys.modules["torch"].autograd.graph, "increment_version", None)


def mark_as_changed(out):
    is_changed = torch_is_changed() if _is_torch(out) else None
    if is_changed is not None:
        is_changed(out)


def empty_like(data, view):
    """An array for a result: of data's kind, dtype, shape and order."""
    if view.device is not None:
        return data  # which the library refuses
    if _is_torch(data):
        return sys.modules["torch"].empty_like(data)
    if isinstance(data, (bytes, bytearray)):
        return bytearray(data)
    if isinstance(data, ctypes.Array):
        return type(data)()
    if isinstance(data, range):
        import numpy

        return numpy.empty(len(data), numpy.int64)
    if hasattr(data, "__array_interface__") or hasattr(data, "__dlpack__"):
        import numpy

        return numpy.empty_like(_numpy_array(data), subok=False)
    return data[:] if isinstance(data, array.array) else _memory_like(data)


def of_library(data, result):
    """A result as an array of data's library, if that says how (the array API): JAX makes its arrays itself."""
    namespace = getattr(data, "__array_namespace__", None)
    return result if namespace is None or isinstance(result, type(data)) else namespace().asarray(result)


def empty(data, shape):
    """An array of data's dtype, and of its kind where that has shapes."""
    if _is_torch(data):
        return sys.modules["torch"].empty(shape, dtype=data.dtype)
    import numpy

    is_array = hasattr(data, "__array_interface__") or hasattr(data, "__dlpack__")
    return numpy.empty(shape, (_numpy_array(data) if is_array else numpy.asarray(memoryview(data))).dtype)


def empty_of(output):
    """An array for the result that a TensorView describes."""
    import numpy

    name, shape = output.dtype.decode(), output.shape[: output.rank]
    if name.startswith("["):
        dtype = numpy.lib.format.descr_to_dtype(ast.literal_eval(name))
    else:
        dtype = numpy.dtype(_extension_dtype(name) if is_extension_name(name) else name)
    if dtype.kind in "iufc":
        dtype = dtype.newbyteorder("=<>"[output.byte_order])
    result = numpy.empty(shape, dtype)
    is_row_major = 0 in shape or list(result.strides) == output.strides[: output.rank]
    return result if is_row_major else numpy.empty(shape, dtype, "F")


def _memory_like(data):
    with memoryview(data) as like:
        if like.ndim < 2 or like.c_contiguous:
            return _memory_of(like, like.nbytes)
        import numpy

        return numpy.empty_like(numpy.asarray(like))


def read_as(view, data, name):
    """A result for data that dtype=… reads as another: memory as data's is taken for it, as data's is."""
    if view.dtype == data.dtype and view.dtype.lstrip("|<=") in ("V1", "V2", "u2"):
        view.dtype = name

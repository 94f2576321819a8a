"""libtscatter_c by ctypes: its structs, its functions, and what they throw."""

import _thread
import ctypes
import functools
import json
import os
import pathlib
import threading

from . import _arrays, _notebook
from .errors import Error, error_of

ABI = 1
DIFFERENT = 1
_STOPPED = 130
_READ_ONLY = 1

# A call over fewer bytes returns sooner than anyone can press Ctrl-C.
_SHORT = 4 << 20
_SHORT_OF_APPLY = 256 << 20


class TensorView(ctypes.Structure):
    """tsc_tensor."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("bytes", ctypes.c_void_p),
        ("dtype", ctypes.c_char_p),
        ("rank", ctypes.c_size_t),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_order", ctypes.c_int),
        ("flags", ctypes.c_uint32),
        ("device", ctypes.c_char_p),
    ]

    @classmethod
    def of(cls, name, view):
        sizes = ctypes.c_int64 * len(view.shape)
        return cls(
            name=name.encode(),
            bytes=view.address,
            dtype=view.dtype.encode(),
            rank=len(view.shape),
            shape=sizes(*view.shape),
            strides=None if view.strides is None else sizes(*view.strides),
            flags=_READ_ONLY if view.is_read_only else 0,
            device=None if view.device is None else view.device.encode(),
        )


class _Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Request(ctypes.Structure):
    _fields_ = [
        ("options", ctypes.POINTER(_Option)),
        ("option_count", ctypes.c_size_t),
        ("tensors", ctypes.POINTER(TensorView)),
        ("tensor_count", ctypes.c_size_t),
        ("stop", ctypes.c_void_p),
    ]


class _Error(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("kind", ctypes.c_char_p),
        ("label", ctypes.c_char_p),
        ("where", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
    ]


_Alloc = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(TensorView))


def _path():
    beside = pathlib.Path(__file__).parent / "libtscatter_c.so"
    return os.environ.get("TSCATTER_LIBRARY") or (str(beside) if beside.exists() else "libtscatter_c.so.1")


def _load():
    library = ctypes.CDLL(_path())
    text, error = ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.POINTER(_Error))
    request = ctypes.POINTER(_Request)
    for name in ("apply", "verify", "explain", "generate"):
        getattr(library, "tsc_" + name).argtypes = [ctypes.c_char_p, request, text, error]
    for name in ("get", "compare", "run"):
        getattr(library, "tsc_" + name).argtypes = [request, text, error]
    library.tsc_apply_alloc.argtypes = [ctypes.c_char_p, request, _Alloc, ctypes.c_void_p, text, error]
    library.tsc_get_alloc.argtypes = [request, _Alloc, ctypes.c_void_p, text, error]
    library.tsc_plan_new.argtypes = [ctypes.c_char_p, request, ctypes.POINTER(ctypes.c_void_p), error]
    library.tsc_plan_apply.argtypes = [ctypes.c_void_p, ctypes.c_char_p, error]
    library.tsc_plan_free.argtypes = [ctypes.c_void_p]
    library.tsc_describe.argtypes = [text, error]
    library.tsc_flags.argtypes = [ctypes.c_char_p, ctypes.c_char_p, text, error]
    library.tsc_version.restype = ctypes.c_char_p
    library.tsc_text_free.argtypes = [ctypes.c_void_p]
    library.tsc_error_free.argtypes = [ctypes.POINTER(_Error)]
    library.tsc_stop_new.restype = ctypes.c_void_p
    library.tsc_stop_raise.argtypes = [ctypes.c_void_p]
    library.tsc_stop_free.argtypes = [ctypes.c_void_p]
    library.tsc_stop_progress.argtypes, library.tsc_stop_progress.restype = [ctypes.c_void_p], ctypes.c_double
    if library.tsc_abi() != ABI:
        raise ImportError(f"tscatter needs interface {ABI} of {_path()}, got {library.tsc_abi()}")
    return library


_library = _load()
version = _library.tsc_version().decode()
_plan_apply = _library.tsc_plan_apply


def _finish(code, text, error):
    """The code and the text of a call that has ended, or its exception."""
    try:
        if error:
            e = error.contents
            kind, label, *texts = (field.decode("utf-8", "replace") for field in (e.kind, e.label, e.where, e.message, e.text))
            from . import _words

            raise error_of(kind, label, *map(_words.in_python, texts))
        return code, text.value.decode("utf-8", "replace") if text else ""
    finally:
        _library.tsc_text_free(text)
        if error:
            _library.tsc_error_free(error)


def _call(function, *arguments):
    text, error = ctypes.c_char_p(), ctypes.POINTER(_Error)()
    code = function(*arguments, ctypes.byref(text), ctypes.byref(error))
    return _finish(code, text, error)


class _Work:
    """A call in a thread of its own: only the main thread hears of signals, and it must not be inside the library then.

    By _thread, since a large call leaves the caches cold: threading.Thread and Event would take longer than the rest of the call.
    """

    def __init__(self, work):
        self._work = work
        self._lock = _thread.allocate_lock()
        self._ended = _thread.allocate_lock()  # is free when the work has ended
        self._ended.acquire()
        self._has_begun = False
        self._has_ended = False
        self._is_off = False
        self._result = None
        self._error = None

    def _run(self):
        with self._lock:
            if self._is_off:
                return
            self._has_begun = True
        try:
            self._result = self._work()
        except BaseException as error:  # is raised again by result()
            self._error = error
        finally:
            self._has_ended = True
            self._ended.release()

    def _wait(self):
        if not self._has_ended:
            self._ended.acquire()

    def _wait_for_user(self, stop):
        if self._has_ended or not _notebook.in_kernel():
            self._wait()
        else:
            _notebook.wait_with_bar(self._ended, lambda: _library.tsc_stop_progress(stop))

    def result(self, stop):
        try:
            _thread.start_new_thread(self._run, ())
            self._wait_for_user(stop)
        except BaseException:  # KeyboardInterrupt, or what another handler raised
            _library.tsc_stop_raise(stop)
            self._wait_without_mercy()
            raise
        if self._error is not None:
            raise self._error
        return self._result

    def _wait_without_mercy(self):
        """The thread works on the caller's memory: it is never left behind. What has not begun does not begin."""
        while True:
            try:
                with self._lock:
                    self._is_off = True
                if self._has_begun:
                    self._wait()
                return
            except BaseException:
                continue


def _is_finished_first(views):
    """Whether the result is data's own memory: the library does not stop such a call halfway."""
    data = _arrays.data_of(views)
    return data is not None and "output" in views and views["output"].address == data.address


def is_short(name, views):
    """Whether a call on these tensors ends before somebody would stop it."""
    short = _SHORT_OF_APPLY if name == "apply" else _SHORT
    return sum(view.byte_size for view in views.values()) < short


def _needs_thread(name, views):
    if _thread.get_ident() != threading.main_thread().ident:
        return False
    return views is None or not (is_short(name, views) or _is_finished_first(views))


def _bytes_of(text):
    """Of a file's name those that the file system has."""
    if "\0" in text:
        raise ValueError(f"embedded null byte in {text!r}")
    return text.encode("utf-8", "surrogateescape")


def _request(options, views):
    """(a tsc_request, what it points to)."""
    pairs = (_Option * len(options))(*((_bytes_of(n), None if v is None else _bytes_of(v)) for n, v in options))
    tensors = (TensorView * len(views))(*(TensorView.of(n, view) for n, view in views.items()))
    return _Request(pairs, len(pairs), tensors, len(tensors), None), (pairs, tensors)


def _put_memory(make, output, errors):
    """Gives the output the memory of make(output), or adds what that raises to errors. Returns what the library takes: 0 for success."""
    try:
        output.bytes = _arrays.view_of(make(output)).address
    except BaseException as error:
        errors.append(error)
    return len(errors)


def call(name, operation, options, views, uses_files=True, make=None):
    """Runs the command. `options`: pairs of names and texts or None; `views`: tensors in memory, by name. make: of a result, whose dtype
    and shape only the library knows, gives the array.

    Returns the code (0, or 1 for a difference) and the text.
    """
    request, _ = _request(options, views)
    first = () if operation is None else (_bytes_of(operation),)
    function, last, errors = getattr(_library, f"tsc_{name}"), (), []
    if make is not None:
        function = getattr(_library, f"tsc_{name}_alloc")
        last = (_Alloc(lambda _, output: _put_memory(make, output.contents, errors)), None)
    try:
        if not _needs_thread(name, None if uses_files else views):
            return _call(function, *first, ctypes.byref(request), *last)
        return _in_thread(request, lambda: _call(function, *first, ctypes.byref(request), *last))
    except Error:
        if not errors:
            raise
    raise errors[0]


def _in_thread(request, work):
    stop = _library.tsc_stop_new()
    try:
        request.stop = stop
        return _Work(work).result(stop)
    finally:
        _library.tsc_stop_free(stop)


class Plan:
    """tsc_plan: the words of an operation's call, read once. views: its tensors, which only differ by their addresses in each run."""

    def __init__(self, operation, options, views):
        request, self._held = _request(options, views)
        self._plan = ctypes.c_void_p()
        error = ctypes.POINTER(_Error)()
        code = _library.tsc_plan_new(_bytes_of(operation), ctypes.byref(request), ctypes.byref(self._plan), ctypes.byref(error))
        _finish(code, None, error)
        self._address = self._plan.value

    def __del__(self):
        _library.tsc_plan_free(self._plan)

    def run(self, addresses):
        """addresses: packed."""
        if _plan_apply(self._address, addresses, None):  # it has written nothing: once more, for what is wrong
            error = ctypes.POINTER(_Error)()
            _finish(_plan_apply(self._address, addresses, ctypes.byref(error)), None, error)


class Flag:
    """What a keyword of a call takes."""

    def __init__(self, row):
        self.is_switch = not row["value"]  # it takes no value
        self.is_boolean = row["implied"] == "true"
        self.may_stand_alone = self.is_switch or bool(row["implied"])
        self.is_repeated = row["repeated"]


@functools.lru_cache(maxsize=None)
def flags(name, operation):
    """The flags of a call by their names. operation: None where the call takes none."""
    first = None if operation is None else _bytes_of(operation)
    rows = json.loads(_call(_library.tsc_flags, name.encode(), first)[1])
    return {word: Flag(row) for row in rows for word in (row["name"], *row["aliases"]) if word}


@functools.lru_cache(maxsize=None)
def describe():
    return json.loads(_call(_library.tsc_describe)[1])

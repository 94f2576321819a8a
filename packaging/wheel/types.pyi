# What the stubs have in common. There is no such module when the program runs.

import array
import ctypes
import os
import sys
from collections.abc import Sequence
from typing import Any, Literal, Optional, Protocol, SupportsComplex, SupportsFloat, SupportsIndex, TypedDict, TypeVar, Union

from numpy import dtype, ndarray
from typing_extensions import Buffer

if sys.version_info >= (3, 10):
    from types import EllipsisType
else:
    from builtins import ellipsis as EllipsisType

class HasDLPack(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

class HasArray(Protocol):
    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...

class TorchTensor(HasDLPack, Protocol):
    def contiguous(self) -> Any: ...
    def data_ptr(self) -> int: ...

class HasItemsize(Protocol):
    @property
    def itemsize(self) -> int: ...

Path = Union[str, os.PathLike[str]]
# What has no memory of its own that a result could be like: the result is an array of NumPy.
Written = Union[list[Any], tuple[Any, ...], range, complex, HasArray]
Values = Union[Path, dict[str, Any], Written]
Operand = Union[Values, Buffer, HasDLPack]
Index = Union[Operand, slice, EllipsisType, None]  # an item of an index, or a tuple of items
Writable = Union[ndarray[Any, Any], Buffer, HasDLPack]
Report = dict[str, Any]

# The result for data that is an array is a new one: of NumPy with its shape and dtype, or like data.
S = TypeVar("S", bound=tuple[Any, ...])
D = TypeVar("D", bound=dtype[Any])
Like = TypeVar("Like", bound=Union[TorchTensor, array.array[Any], ctypes.Array[Any], bytearray, memoryview])
Array = TypeVar("Array", bound=Union[ndarray[Any, Any], TorchTensor, array.array[Any], ctypes.Array[Any], bytearray, memoryview])
Out = TypeVar("Out", bound=Writable)
Result = TypeVar("Result")
Read = TypeVar("Read")
Written_co = TypeVar("Written_co", covariant=True)

# None leaves an option out.
T = TypeVar("T")
OneOrMore = Union[T, Sequence[T], None]
DType = Union[str, type[Any], HasItemsize, None]
Flag = Optional[bool]
Int = Optional[SupportsIndex]
No = Optional[Literal[False]]
Number = Union[complex, SupportsComplex, SupportsFloat]

class RunOptions(TypedDict, total=False):
    """Of each operation."""

    dtype: DType
    missing: Optional[Literal["nan"]]
    cast: Optional[Literal["no", "safe", "same-kind", "unsafe"]]
    threads: Int
    memory: Optional[str]
    format: Optional[Literal["npy", "pb", "raw", "json"]]
    force: Flag
    compress: Flag
    sync: Flag
    wait: Int
    no_journal: Flag
    part: Optional[str]
    unit: Optional[str]
    digest: Flag

class GetOptions(TypedDict, total=False):
    """Of tscatter.at(x)[index].get()."""

    dtype: DType
    missing: Optional[Literal["nan"]]
    threads: Int
    format: Optional[Literal["npy", "pb", "raw", "json"]]
    force: Flag
    compress: Flag
    sync: Flag
    wait: Int

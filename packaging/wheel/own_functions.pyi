__version__: str
kernels: Literal["avx2", "portable"]

class Error(Exception):
    kind: str
    label: str
    place: str
    message: str

class UsageError(Error, ValueError): ...
class KeywordError(UsageError, TypeError): ...
class FileError(Error, OSError): ...
class FormatError(Error, ValueError): ...
class RuleError(Error, ValueError): ...
class InternalError(Error, RuntimeError): ...

class NotLegal(AssertionError):
    verdict: Report
    case: Any
    result: Any

class StridedCopyWarning(UserWarning): ...

class OperationFunction:
    operation: str
    def __call__(
        self,
        /,
        *tensors: Index,
        data: Operand = ...,
        out: Union[Writable, Path, None] = ...,
        in_place: Flag = ...,
        dry_run: Flag = ...,
        **arguments: Unpack[ApplyArguments],
    ) -> Any: ...

Operation = Union[str, Callable[..., Any]]  # the name of an operation, or the function that applies it

def operations() -> dict[str, OperationFunction]: ...
@overload
def apply(
    operation: Operation, /, *, data: ndarray[S, D], out: None = ..., in_place: No = ..., dry_run: No = ...,
    **arguments: Unpack[ApplyArguments],
) -> ndarray[S, D]: ...
@overload
def apply(
    operation: Operation, /, *, data: Like, out: None = ..., in_place: No = ..., dry_run: No = ...,
    **arguments: Unpack[ApplyArguments],
) -> Like: ...
@overload
def apply(
    operation: Operation, /, *, data: Values, out: None = ..., in_place: No = ..., dry_run: No = ...,
    **arguments: Unpack[ApplyArguments],
) -> ndarray[Any, Any]: ...
@overload
def apply(
    operation: Operation, /, *, data: Operand = ..., out: Out, in_place: No = ..., dry_run: No = ...,
    **arguments: Unpack[ApplyArguments],
) -> Out: ...
@overload
def apply(
    operation: Operation, /, *, data: Operand = ..., out: Path, in_place: No = ..., dry_run: Flag = ...,
    **arguments: Unpack[ApplyArguments],
) -> Report: ...
@overload
def apply(
    operation: Operation, /, *, data: Operand = ..., out: None = ..., in_place: Literal[True], dry_run: Flag = ...,
    **arguments: Unpack[ApplyArguments],
) -> Report: ...
@overload
def apply(
    operation: Operation, /, *, data: Operand = ..., out: Union[Writable, Path, None] = ..., in_place: Flag = ...,
    dry_run: Literal[True], **arguments: Unpack[ApplyArguments],
) -> Report: ...
@overload
def apply(
    operation: Operation, /, *, data: Operand = ..., out: Union[Writable, Path, None] = ..., in_place: Flag = ...,
    dry_run: Flag = ..., **arguments: Unpack[ApplyArguments],
) -> Any: ...

class Write(Protocol[Written_co]):
    @overload
    def __call__(
        self, /, values: Operand, *, out: None = ..., in_place: None = ..., dry_run: No = ..., **options: Unpack[IndexOptions]
    ) -> Written_co: ...
    @overload
    def __call__(
        self, /, values: Operand, *, out: Out, in_place: No = ..., dry_run: No = ..., **options: Unpack[IndexOptions]
    ) -> Out: ...
    @overload
    def __call__(
        self, /, values: Operand, *, out: Path, in_place: No = ..., dry_run: Flag = ..., **options: Unpack[IndexOptions]
    ) -> Report: ...
    @overload
    def __call__(
        self, /, values: Operand, *, out: None = ..., in_place: Flag = ..., dry_run: Flag = ..., **options: Unpack[IndexOptions]
    ) -> Any: ...

class At(Generic[Result, Read]):
    def __getitem__(self, index: Index, /) -> AtIndex[Result, Read]: ...

class AtIndex(Generic[Result, Read]):
    """Result: of what writes. Read: of get()."""

    @overload
    def get(self, *, out: None = ..., dry_run: No = ..., **options: Unpack[GetOptions]) -> Read: ...
    @overload
    def get(self, *, out: Out, dry_run: No = ..., **options: Unpack[GetOptions]) -> Out: ...
    @overload
    def get(self, *, out: Path, dry_run: Flag = ..., **options: Unpack[GetOptions]) -> Report: ...
    @overload
    def get(self, *, out: None = ..., dry_run: Flag = ..., **options: Unpack[GetOptions]) -> Any: ...
    @property
    def set(self) -> Write[Result]: ...
    @property
    def add(self) -> Write[Result]: ...
    @property
    def sub(self) -> Write[Result]: ...
    @property
    def mul(self) -> Write[Result]: ...
    @property
    def min(self) -> Write[Result]: ...
    @property
    def max(self) -> Write[Result]: ...

@overload
def at(x: ndarray[S, D], /) -> At[ndarray[S, D], ndarray[Any, D]]: ...
@overload
def at(x: Like, /) -> At[Like, Like]: ...
@overload
def at(x: Path, /) -> At[Report, ndarray[Any, Any]]: ...
@overload
def at(x: Written, /) -> At[ndarray[Any, Any], ndarray[Any, Any]]: ...
@overload
def at(x: Operand, /) -> At[Any, Any]: ...
def verify(actual: Operand, operation: Operation, /, **arguments: Unpack[VerifyArguments]) -> Report: ...
def assert_legal(actual: Operand, operation: Operation, /, **arguments: Unpack[VerifyArguments]) -> Report: ...
def explain(operation: Operation, /, **arguments: Unpack[ExplainArguments]) -> Report: ...
def compare(
    actual: Operand,
    expected: Operand,
    /,
    *,
    dtype: DType = ...,
    missing: Optional[Literal["nan"]] = ...,
    rtol: Optional[Number] = ...,
    atol: Optional[Number] = ...,
    max_ulp: Int = ...,
    equal_nan: Flag = ...,
    tolerances: Optional[Path] = ...,
    worst: Int = ...,
    heatmap: Optional[Path] = ...,
    force: Flag = ...,
    threads: Int = ...,
    list: Flag = ...,
    details: Union[Flag, Int] = ...,
    junit: Optional[Path] = ...,
    html: Optional[Path] = ...,
) -> Report: ...
def generate(
    operation: Operation,
    folder: Path,
    /,
    *,
    count: Int = ...,
    seed: Int = ...,
    dtype: OneOrMore[DType] = ...,
    index_dtype: OneOrMore[DType] = ...,
    reduction: OneOrMore[Reduction] = ...,
    reduce: OneOrMore[Reduction] = ...,
    update_computation: OneOrMore[Reduction] = ...,
    overwrite: OneOrMore[Literal["true", "false"]] = ...,
    duplicates: Optional[Literal["none", "some", "heavy"]] = ...,
    values: Optional[Literal["exact", "rounding", "swamp", "special", "full"]] = ...,
    max_rank: Int = ...,
    max_elements: Int = ...,
    depth: Int = ...,
    plain: Flag = ...,
    errors: Flag = ...,
    witness: Flag = ...,
    large: Flag = ...,
    layout: Optional[Literal["npy", "onnx", "mlir"]] = ...,
    list: Flag = ...,
    **policies: Unpack[AllPolicies],
) -> pathlib.Path: ...
def run(
    *cases: Path,
    filter: OneOrMore[str] = ...,
    tag: OneOrMore[str] = ...,
    shard: Optional[str] = ...,
    last_failed: Flag = ...,
    resume: Flag = ...,
    state: Optional[Path] = ...,
    list: Flag = ...,
    update_golden: Flag = ...,
    force: Flag = ...,
    dry_run: Flag = ...,
    failed_dir: Optional[Path] = ...,
    unreferenced: Optional[Literal["ignore", "warn", "fail"]] = ...,
    details: Union[Flag, Int] = ...,
    by_word: Flag = ...,
    junit: Optional[Path] = ...,
    html: Optional[Path] = ...,
    wait: Int = ...,
    fail_fast: Flag = ...,
    threads: Int = ...,
) -> Report: ...
def binary() -> str: ...

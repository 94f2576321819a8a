"""What goes wrong, as exceptions. Each has the program's kind, label, place and message."""


class Error(Exception):
    """str() is what the program prints: "scatter_nd_update_15: indices[1, 0] must be in [-8, 8) …, got 9 [label]".

    kind: "usage", "file", "format", "rule" or "internal". label: the rule, see docs/errors.md. place: the operation, the file
    or the option. message: the rule, then what came.
    """

    def __init__(self, kind, label, place, message, text=None):
        super().__init__(text or f"{place}: {message} [{label}]")
        self.kind = kind
        self.label = label
        self.place = place
        self.message = message

    def __reduce__(self):
        return type(self), (self.kind, self.label, self.place, self.message, str(self))


class UsageError(Error, ValueError):
    """The call is wrong: an unknown name, a value that an option does not take, memory that cannot be used."""


class FileError(Error, OSError):
    """A file cannot be read or written, or there is no memory."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be."""


class RuleError(Error, ValueError):
    """A rule of the operation is broken."""


class InternalError(Error, RuntimeError):
    """A bug in tscatter."""


class NotLegal(AssertionError):
    """Raised by assert_legal(). verdict: the report of verify(), docs/verify.md."""

    def __init__(self, text, verdict=None):
        super().__init__(text)
        self.verdict = verdict


class StridedCopyWarning(UserWarning):
    """An operand had gaps or another order than C or Fortran, and was copied."""


_by_kind = {"usage": UsageError, "file": FileError, "format": FormatError, "rule": RuleError}


def error_of(kind, label, place, message, text):
    if kind == "stopped":
        return KeyboardInterrupt()
    return _by_kind.get(kind, InternalError)(kind, label, place, message, text)

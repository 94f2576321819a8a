"""What goes wrong, as exceptions. Each has the program's kind, label, place and message."""

import errno
import os
import re


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
    """A file cannot be read or written, or there is no memory.

    errno, strerror and filename are set where the system says why. Then it is a FileNotFoundError, a PermissionError, an
    IsADirectoryError or a NotADirectoryError, too, as for open().
    """

    def __init__(self, kind, label, place, message, text=None):
        super().__init__(kind, label, place, message, text)
        number = _errno_of(label, message)
        if number is not None:
            self.errno, self.strerror, self.filename = number, os.strerror(number), place

    def __str__(self):
        return self.args[0]


class MissingFile(FileError, FileNotFoundError):
    """There is no such file."""


class ForbiddenFile(FileError, PermissionError):
    """The permissions of a file or of its directory do not allow it."""


class DirectoryAsFile(FileError, IsADirectoryError):
    """A directory is where a file is wanted."""


class FileAsDirectory(FileError, NotADirectoryError):
    """A file is where a path has a directory."""


# The reasons end a message in the words of the system; what has a label of its own has no such reason.
_ERRNO_OF_LABEL = {"file.f2": errno.EISDIR, "file.f7": errno.EISDIR}
_ERRNO_OF_REASON = {os.strerror(number).lower(): number for number in errno.errorcode}
_BY_ERRNO = {
    errno.ENOENT: MissingFile,
    errno.EACCES: ForbiddenFile,
    errno.EPERM: ForbiddenFile,
    errno.EISDIR: DirectoryAsFile,
    errno.ENOTDIR: FileAsDirectory,
}


def _errno_of(label, message):
    if not label.startswith("file."):
        return None
    if re.search(r": the folder .* does not exist$", message, re.DOTALL):
        return errno.ENOENT
    reason = re.sub(r" \([^()]*\)$", "", message).rpartition(": ")[2].rpartition(", got ")[2]
    return _ERRNO_OF_LABEL.get(label, _ERRNO_OF_REASON.get(reason.lower()))


class KeywordError(UsageError, TypeError):
    """A keyword that the function does not have, or one that it must be given."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be."""


class RuleError(Error, ValueError):
    """A rule of the operation is broken."""


class OutOfRange(RuleError, IndexError):
    """An index is beyond its axis."""


class InternalError(Error, RuntimeError):
    """A bug in tscatter."""


class NotLegal(AssertionError):
    """Raised by assert_legal() and in tscatter.testing. verdict: the report of verify(), docs/verify.md; case: the case of a suite,
    result: what the suite has found."""

    def __init__(self, text, verdict=None, case=None, result=None):
        super().__init__(text)
        self.verdict = verdict
        self.case = case
        self.result = result


class StridedCopyWarning(UserWarning):
    """An operand had gaps or another order than C or Fortran, and was copied."""


_by_kind = {"usage": UsageError, "file": FileError, "format": FormatError, "rule": RuleError}


_OUT_OF_RANGE = re.compile(r"\] must be in \[-?[0-9]+, -?[0-9]+\)")


def error_of(kind, label, place, message, text):
    if kind == "stopped":
        return KeyboardInterrupt()
    known = _BY_ERRNO.get(_errno_of(label, message)) if kind == "file" else None
    if label == "cli.c3":
        known = KeywordError
    elif kind == "rule" and _OUT_OF_RANGE.search(message):
        known = OutOfRange
    return (known or _by_kind.get(kind, InternalError))(kind, label, place, message, text)

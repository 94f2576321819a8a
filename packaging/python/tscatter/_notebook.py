"""What a notebook shows: reports as tables, and how far a long call is."""

import base64
import html
import pathlib
import sys

_MOST_ROWS = 20
_MOST_BYTES = 1 << 20  # of a picture
_PATIENCE = 1.0  # seconds; a call that ends sooner shows nothing
_PAUSE = 0.2


class Report(dict):
    """A report of the library: a dict, which a notebook shows as tables. picture: its heat map, or the file that has
    it; None if it has none."""

    def __init__(self, report=(), picture=None):
        super().__init__(report)
        self.picture = picture

    def _repr_html_(self):
        return "".join(_parts(self)) + _picture(self.picture)


# What of a report is shown.

_COUNTS = ("elements", "differing", "beyond", "infinite", "dependent_elements", "undecided_elements")
_RUN = ("op", "output", "in_place", "shape", "dtype", "duplicates", "dropped", "elements_written", "bytes_written", "seconds", "bytes")


def _parts(report):
    summary = report.get("summary")
    if isinstance(summary, str):
        yield f"<p><b>{_text(summary)}</b></p>"
    yield _table_of_figures(_counts(report, summary))
    yield _list_of("why", map(_diagnosis_words, (report.get("diagnosis") or {}).get("named", ())))
    yield _table("", _failures(report), ("name", "state", "reason", "message"))
    yield _table("meeting", report.get("meeting", ()), ("place", "writers"))
    yield _table("depends on order", report.get("dependent", ()), ("position", "writers"))
    yield _table("worst", report.get("worst", ()), ("position", "class", "actual", "in_order", "expected", "absolute", "diagnosis"))


def _counts(report, summary):
    if isinstance(summary, dict):  # of a batch
        return {name: count for name, count in summary.items() if type(count) is int and (count or name == "failed")}
    if "classes" in report:
        return report["classes"]
    if summary is None:  # of a run
        return {name: report[name] for name in _RUN if name in report}
    coverage = {f"written {word}": count for word, count in report.get("coverage", {}).items()}
    return {**coverage, **{name: report[name] for name in _COUNTS if name in report}}


def _failures(report):
    return [case for case in report.get("cases", ()) if case.get("state") in ("failed", "xpassed")]


def _diagnosis_words(named):
    also = f" ({', '.join(named['also'])})" if named["also"] else ""
    return f"{named['words']}{also}: {named['elements']:,} of the wrong elements"


# HTML.


def _text(value):
    return html.escape(f"{value:,}" if type(value) is int else str(value))


def _table_of_figures(figures):
    return _table("", [figures] if figures else [], tuple(figures))


def _table(name, rows, columns):
    """The columns that some row has."""
    if not rows:
        return ""
    columns = [each for each in columns if any(each in row for row in rows)]
    head = "".join(f"<th>{_text(each.replace('_', ' '))}</th>" for each in columns)
    shown = "".join(f"<tr>{''.join(_cell(row, each) for each in columns)}</tr>" for row in rows[:_MOST_ROWS])
    more = f"<p>and {len(rows) - _MOST_ROWS:,} more</p>" if len(rows) > _MOST_ROWS else ""
    return f"{_heading(name)}<table><thead><tr>{head}</tr></thead><tbody>{shown}</tbody></table>{more}"


def _cell(row, column):
    value = row.get(column, "–")
    return f"<td>{_text(f'{value:.6g}' if column == 'absolute' and type(value) is float else value)}</td>"


def _list_of(name, texts):
    items = "".join(f"<li>{_text(each)}</li>" for each in texts)
    return f"{_heading(name)}<ul>{items}</ul>" if items else ""


def _heading(name):
    return f"<p>{_text(name)}</p>" if name else ""


def svg_in(path):
    """b"" if there is no such file."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b""


def _picture(picture):
    """The heat map, if its file is there and not too large."""
    svg = picture if isinstance(picture, bytes) else svg_in(picture) if picture else b""
    if not svg or len(svg) > _MOST_BYTES:
        return ""
    return f'<img alt="heat map" style="max-width: 100%" src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}">'


# How far a call is.


def in_kernel():
    """Whether this is a kernel of Jupyter. IPython is not imported for it."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython is not None and type(get_ipython()).__name__ == "ZMQInteractiveShell"


class Bar:
    """A bar in the output of a cell, which is erased at the end. What goes wrong with it does not end the call."""

    def __init__(self):
        self._handle = None

    def show(self, share):
        """share: from 0 to 1; negative if it is not known."""
        value = "" if share < 0 else f' value="{share:.3f}"'
        words = "" if share < 0 else f" {share:.0%}"
        self._put(f"<progress{value}></progress>{words}")

    def erase(self):
        if self._handle is not None:
            self._put("")

    def _put(self, text):
        try:
            from IPython.display import HTML, display

            if self._handle is None:
                self._handle = display(HTML(text), display_id=True)
            else:
                self._handle.update(HTML(text))
        except Exception:
            return


def wait_with_bar(ended, share):
    """Waits for the lock, and shows how far the work is. share: a function that says it."""
    if ended.acquire(timeout=_PATIENCE):
        return
    bar = Bar()
    try:
        bar.show(share())
        while not ended.acquire(timeout=_PAUSE):
            bar.show(share())
    finally:
        bar.erase()

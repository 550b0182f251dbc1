"""Program faults: messages of Python's in words for a beginner, and keywords with a slip of the pen."""

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from keyword import kwlist

from sprout.learning.marking.program_runs import ProgramEnd, ProgramRun
from sprout.learning.marking.unprinted_values import with_values_printed

_COMMON_KEYWORDS = ("def", "return", "while", "for", "elif", "else", "in", "and", "or", "not", "import")
_NEARLY = 0.75  # as difflib counts: "retrun", "Def", "whlie"
# A line that stores a number, a text or a list as it is written there: "prices = [10, 60]".
_STORED = re.compile(
    r"^(\w{1,40}) ?= ?(?:-?[\d.]{1,40}|\"[^\"\n]*\"|'[^'\n]*'|\[(?![^\n\]]*\bfor\b)[^\n\]]*\])[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
MISSING_NAME = re.compile(r"NameError: name '(\w+)' is not defined")
_UNCALLED = re.compile(r"\A<(?:built-in method|bound method|function) (?:\w+\.)?(\w+)")
_COMMON_FUNCTIONS = ("print", "len", "range", "input", "int", "str", "float", "round", "sum", "max", "min")
_STORES = re.compile(r"(?:^|;)[ \t]*(?:def )?(\w{1,40})(?= ?=[^=]|\()", re.MULTILINE)
_MADE = re.compile(r"^def (\w{1,40})", re.MULTILINE)
_TEXT = re.compile(r"(?<!f)[\"']([^\"'\n]*)[\"']")
_IN_SIGNS = re.compile(r"[\w\s*+/()\[\].-]+")
_UNBOUND = re.compile(r"(?:NameError: name|UnboundLocalError: cannot access local variable) '(\w+)'")
_SHOWN_BY_PRINT = "A value that is only worked out or stored is not shown: that takes `print`."
_QUOTED = re.compile(r"#[^\n]*|'[^'\n]*'|\"[^\"\n]*\"")


def fault_in_words(program: str, run: ProgramRun, *, given: str = "", expected: str = "") -> str:
    """A sentence on what the message of the run means or may come from; empty where there is none.

    Args:
        given: what was run before the program.
        expected: the value or output that was expected.
    """
    if run.end is ProgramEnd.RAISED_AFTER and run.error.startswith("NameError"):
        return _other_name(program, run, given, own=True)  # what the test needs is not there, and that is said
    if run.end is ProgramEnd.RAISED_AFTER and "object is not callable" in run.error:
        return "Under that name your program keeps a value: a function is made with `def`."
    if run.end is ProgramEnd.COMPLETE:
        if replaced := _replaced(program, given):
            return f"Your program puts another value under `{replaced}`, which is given: leave that out."
        if uncalled := _UNCALLED.search(run.value or ""):
            return f"`{uncalled[1]}` was not called: brackets are missing behind it."
        is_unprinted = not run.printed and run.value is None and with_values_printed(program)
        if is_unprinted:
            return _SHOWN_BY_PRINT
        return _name_as_text(program, run, given) or given_unused(program, run, given) or _sign_turned(program)
    return (
        _slip_in(program, run)
        or _text_without_quotes(run, given + expected)
        or _start_missing(program, run)
        or _other_name(program, run, given)
        or next(_means(run.error, _line_of(program, run)), "")
    )


def given_unused(program: str, run: ProgramRun, given: str) -> str:
    """That what the program shows uses none of the few names that are given; else empty."""
    names = _STORES.findall(given) if run.printed and "\n" not in given else []
    if not names or any(re.search(rf"\b{name}\b", program) for name in names):
        return ""
    return f"Your program does not use `{names[0]}`, which is given: it has to work with other values, too."


def _replaced(program: str, given: str) -> str:
    """The first name that is given and under which the program stores a value that is written out."""
    known = frozenset(_STORED.findall(given))
    return next((name for name in _STORED.findall(program) if name in known), "")


def _slip_in(program: str, run: ProgramRun) -> str:
    """The question whether a keyword was meant where a word of the line that Python cannot read is nearly one."""
    if run.end is not ProgramEnd.NOT_COMPILED:
        return ""
    for word in re.findall(r"[^\W\d_]{2,}", _line_of(program, run)):
        if word not in kwlist and (near := get_close_matches(word.lower(), _COMMON_KEYWORDS, n=1, cutoff=_NEARLY)):
            return f"Did you mean `{near[0]}` by `{word}`?"
    return ""


def _line_of(program: str, run: ProgramRun) -> str:
    """The line at which the run failed, without its texts; empty where none is known."""
    lines = program.splitlines()
    return _QUOTED.sub("''", lines[run.line - 1]) if run.line is not None and run.line <= len(lines) else ""


def _start_missing(program: str, run: ProgramRun) -> str:
    """That a name which the program changes, as in "days = days + 1", has no value to begin with; else empty."""
    missing = _UNBOUND.match(run.error)
    if missing is None or re.match(r"\s*\w+ ?==", _line_of(program, run)):
        return ""
    name = missing[1]
    changes = rf"^[ \t]*{name}(?: ?[-+*/]=| ?=[^=\n]*\b{name}\b|\.append\(|\[[^\n]*\] ?=[^=])"
    is_changed = re.search(changes, program, re.MULTILINE) is not None
    return (
        f"`{name}` is only changed and has no value to begin with: give it one in a line before." if is_changed else ""
    )


def _other_name(program: str, run: ProgramRun, given: str, *, own: bool = False) -> str:
    """The name that was meant by one that is missing, where they are nearly the same; else empty.

    Args:
        own: whether the program has the other one, which the test needs.
    """
    missing = MISSING_NAME.search(run.error)
    if missing is None:
        return ""
    known = {*_STORES.findall(program), *([] if own else [*_STORES.findall(given), *_COMMON_FUNCTIONS])} - {missing[1]}
    if alike := next((one for one in sorted(known) if one.casefold() == missing[1].casefold()), ""):
        return f"Capital and small letters make different names: {'yours' if own else 'it'} is `{alike}`."
    if near := get_close_matches(missing[1], sorted(known), n=1, cutoff=_NEARLY):
        return f"Look at the spelling: {'yours' if own else 'there'} is `{near[0]}`."
    made = _MADE.findall(program) if own else []
    return f"The function that your program makes is `{made[0]}`." if len(made) == 1 else ""


def _name_as_text(program: str, run: ProgramRun, given: str) -> str:
    """That a name stands in quotes, where a text of the program that was shown is one, or a calculation with it; else
    empty. "Total pay:" is a label."""
    shown = (text for text in _TEXT.findall(program) if _IN_SIGNS.fullmatch(text) and text in run.printed)
    names = {*_STORES.findall(program), *_STORES.findall(given)}
    words = (re.findall(r"[^\W\d]\w*", text) for text in shown)
    found = next((named[0] for named in words if named and names.issuperset(named)), "")
    return f"In quotes `{found}` is shown as it stands: a name stands outside of them." if found else ""


def _sign_turned(program: str) -> str:
    is_turned = re.search(r"^[ \t]*\w+ ?=[+-] ?\w", program, re.MULTILINE) is not None and re.search(r"=[+-] ", program)
    return "`=+` stores what stands on its right anew: it is added with `+=`." if is_turned else ""


def _text_without_quotes(run: ProgramRun, texts: str) -> str:
    """Remark on a missing name that stands in quotes in these texts: `soup` for `"soup"`; empty for any other."""
    missing = MISSING_NAME.search(run.error)
    if missing is None or not re.search(rf"""["']{missing[1]}["']""", texts):
        return ""
    return f"Without quotes `{missing[1]}` is a name; a text stands in quotes."


def _means(error: str, line: str) -> Iterator[str]:
    """The meaning of the message by the table, whose first rows look at the line as well."""
    for fault in _faults():
        found = re.search(fault["message"], error)
        if found and re.search(fault.get("line", ""), line):
            yield fault["means"].replace("{sign}", found.groupdict().get("sign", ""))


@cache
def _faults() -> list[dict[str, str]]:
    table = tomllib.loads(files("sprout.learning.marking").joinpath("program_faults.toml").read_text(encoding="utf-8"))
    faults: list[dict[str, str]] = table["fault"]
    return faults

"""Program faults: messages of Python's in words for a beginner, and keywords with a slip of the pen."""

import re
import tomllib
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from keyword import kwlist

from sprout.learning.marking.program_runs import ProgramEnd, ProgramRun

_COMMON_KEYWORDS = ("def", "return", "while", "for", "elif", "else", "in", "and", "or", "not", "import")
_NEARLY = 0.75  # as difflib counts: "retrun", "Def", "whlie"
_QUOTED = re.compile(r"#[^\n]*|'[^'\n]*'|\"[^\"\n]*\"")


def fault_in_words(program: str, run: ProgramRun) -> str:
    """A sentence on what the message of the run means or may come from; empty where there is none."""
    if run.end is ProgramEnd.RAISED_AFTER and run.error.startswith("NameError"):
        return ""  # what the test needs is not there, and that is said
    return _slip_in(program, run) or next((means for message, means in _faults() if message.search(run.error)), "")


def _slip_in(program: str, run: ProgramRun) -> str:
    """The question whether a keyword was meant where a word of the line that Python cannot read is nearly one."""
    lines = program.splitlines()
    if run.end is not ProgramEnd.NOT_COMPILED or run.line is None or run.line > len(lines):
        return ""
    for word in re.findall(r"[^\W\d_]{2,}", _QUOTED.sub("", lines[run.line - 1])):
        if word not in kwlist and (near := get_close_matches(word.lower(), _COMMON_KEYWORDS, n=1, cutoff=_NEARLY)):
            return f"Did you mean `{near[0]}` by `{word}`?"
    return ""


@cache
def _faults() -> tuple[tuple[re.Pattern[str], str], ...]:
    table = tomllib.loads(files("sprout.learning.marking").joinpath("program_faults.toml").read_text(encoding="utf-8"))
    return tuple((re.compile(fault["message"]), fault["means"]) for fault in table["fault"])

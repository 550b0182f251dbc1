"""Questions what a part is for, or whether an exam asks for it: answered with what it teaches and what follows."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from sprout.learning.text.normalization import folded
from sprout.offline.demo.tutor.composition import Snippet
from sprout.offline.demo.tutor.lesson import TutorLesson
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.demo.tutor.turn import Turn

MOST_TITLES = 2

_APOSTROPHE = re.compile(r"(?<=\w)['’`´](?=\w)")
_ABILITY = re.compile(r"You can (?:now )?(.+?)[.!?](?:\s|\Z)")  # as the summaries of the courses begin


def ability_in(summary: str) -> str:
    """What the summary of a lesson says that one can do after it; empty where it does not begin with that."""
    found = _ABILITY.match(summary)
    return found[1] if found else ""


def purpose_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    """The purpose of the part, if the learner asks for it, or that their exam is not known here; nothing else."""
    asks_exam = _asks(turn.message, "exam")
    if not asks_exam and not _asks(turn.message, "patterns"):
        return
    can = ability_in(teaching.summary)
    if asks_exam:
        yield Snippet(frames.render("exam"), whole=True, repeatable=True)
    elif can:
        yield Snippet(frames.render("purpose", can=can), whole=True, repeatable=True)
    if after := turn.subject.after[:MOST_TITLES]:
        titles = ", ".join(frames.render("quote", words=inner_quotes(title)) for title in after)
        yield Snippet(frames.render("comes_next", titles=titles), whole=True, repeatable=True)
    elif not can and not asks_exam:
        yield Snippet(frames.render("purpose_unknown"), whole=True, repeatable=True)


def _asks(message: str, name: str) -> bool:
    return _pattern(name).search(_APOSTROPHE.sub("", folded(message))) is not None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    file = files("sprout.offline.demo.tutor.replies").joinpath("purpose.toml")
    patterns = tomllib.loads(file.read_text(encoding="utf-8"))[name]
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b")

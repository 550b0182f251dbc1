"""Questions what a part is for: answered with what it teaches, and with what builds on it."""

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
    """What the part is for, if the learner asks that; nothing else."""
    if not _asks_purpose(turn.message):
        return
    if can := ability_in(teaching.summary):
        yield Snippet(frames.render("purpose", can=can), whole=True, repeatable=True)
    if after := turn.subject.after[:MOST_TITLES]:
        titles = ", ".join(frames.render("quote", words=inner_quotes(title)) for title in after)
        yield Snippet(frames.render("comes_next", titles=titles), whole=True, repeatable=True)
    elif not can:
        yield Snippet(frames.render("purpose_unknown"), whole=True, repeatable=True)


def _asks_purpose(message: str) -> bool:
    return _pattern().search(_APOSTROPHE.sub("", folded(message))) is not None


@cache
def _pattern() -> re.Pattern[str]:
    file = files("sprout.offline.demo.tutor.replies").joinpath("purpose.toml")
    patterns = tomllib.loads(file.read_text(encoding="utf-8"))["patterns"]
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b")

"""Questions about the lesson itself, such as whether it is marked and what is left: told from what the turn knows."""

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from sprout.learning.lessons.help_ladder import LadderStep
from sprout.learning.lessons.lesson_talk import TalkKind, talk_kind, wants_help, wants_to_skip
from sprout.offline.demo.tutor.lesson import Chunk, TutorLesson
from sprout.offline.demo.tutor.replies.verdicts import solved_alone, verdict_in
from sprout.offline.demo.tutor.templates import CODES, Templates, inner_quotes
from sprout.offline.demo.tutor.turn import Turn

MOST_TITLES = 2

_CLAUSE = re.compile(r"[?.!,;]+(?:\s+|\Z)|\s(?:and|und)\s")
_SLOT = re.compile(r"\{(\w+)\}")


def about_lesson(turn: Turn, teaching: TutorLesson, frames: Templates) -> str:
    """The reply to a question about the lesson itself; empty for any other, and in a language that it lacks."""
    if frames.code not in CODES:
        return ""
    slots = _slots(turn, teaching, frames)
    said = (_reply(kind, turn, teaching, frames) for kind in _kinds_of(turn))
    return _SLOT.sub(lambda found: slots[found[1]], " ".join(said))


def _reply(kind: str, turn: Turn, teaching: TutorLesson, frames: Templates) -> str:
    row = _table()[kind]
    texts = row[frames.code]
    return str(texts[_STATES[row["by"]](turn, teaching)] if "by" in row else texts)


def how_to_compare(frames: Templates) -> str:
    """What to do while an answer is compared."""
    return str(_table()["compare"][frames.code])


def steps_solved(turn: Turn, teaching: TutorLesson) -> list[Chunk]:
    """The steps of which a question was solved without help."""
    prompts = [*solved_alone(turn)]
    return [chunk for chunk in teaching.chunks if holds_any(chunk, prompts)]


def holds_any(chunk: Chunk, prompts: list[str] | tuple[str, ...]) -> bool:
    """Return True if one of the prompts is that of a question of the step."""
    return any(task.matches_prompt(prompt) for task in chunk.questions for prompt in prompts)


def goals_of(chunks: list[Chunk]) -> str:
    """Goals of the steps, each once."""
    return "; ".join(dict.fromkeys(chunk.goal for chunk in chunks))


def _kinds_of(turn: Turn) -> list[str]:
    """The kinds of its clauses, each once, if each has one; else that of the whole message."""
    if turn.pending is not None and turn.pending.step is LadderStep.COMPARE:
        asks_how = _kinds()["compare"].matches
        parts = [part for part in _CLAUSE.split(turn.message) if part.strip()]
        if parts and all(asks_how(part) or wants_help(part) for part in parts):
            return ["compare"]
    clauses = [_kind_of(clause) for clause in _CLAUSE.split(turn.message) if clause.strip()]
    kinds = [*dict.fromkeys(clauses if all(clauses) else [_kind_of(turn.message)])]
    is_skip = kinds == [""] and turn.pending is not None and wants_to_skip(turn.message)
    return ["skip"] if is_skip else [kind for kind in kinds if kind]


def _kind_of(words: str) -> str:
    return next((name for name, kind in _kinds().items() if name != "compare" and kind.matches(words)), "")


def _slots(turn: Turn, teaching: TutorLesson, frames: Templates) -> dict[str, str]:
    solved = steps_solved(turn, teaching)
    titles = (frames.render("quote", words=inner_quotes(title)) for title in turn.subject.after[:MOST_TITLES])
    return {
        "solved": goals_of(solved),
        "open": goals_of([chunk for chunk in teaching.chunks if chunk not in solved]),
        "count": str(len(teaching.goals)),
        "titles": ", ".join(titles),
    }


def _solved_state(turn: Turn, teaching: TutorLesson) -> str:
    solved = steps_solved(turn, teaching)
    return "none" if not solved else "some" if len(solved) < len(teaching.chunks) else "all"


def _progress_state(turn: Turn, teaching: TutorLesson) -> str:
    return "over" if turn.lesson_is_over else _solved_state(turn, teaching)


def _mark_state(turn: Turn, _: TutorLesson) -> str:
    """How the last answer was found: that to the open question, else that to the one before it."""
    if turn.pending is not None and turn.pending.step is LadderStep.COMPARE:
        return "comparing"
    if turn.pending is not None and turn.missed:
        return "wrong"
    said = (text for role, text in reversed(turn.transcript) if role == "assistant")
    return next((verdict for text in said if (verdict := verdict_in(text)) is not None), "none")


def _answer_state(turn: Turn, _: TutorLesson) -> str:
    if turn.pending is None:
        return "closed"
    return "comparing" if turn.pending.step is LadderStep.COMPARE else "open"


def _form_state(turn: Turn, teaching: TutorLesson) -> str:
    if turn.pending is None:
        return "closed"
    found = teaching.find(turn.pending.prompt)
    kind = found[1].kind if found else turn.pending.kind
    return kind if kind in ("number", "mcq", "code") else "text"


def _next_state(turn: Turn, _: TutorLesson) -> str:
    if not turn.lesson_is_over:
        return "open"
    return "over" if turn.subject.after else "path"


def _after_state(turn: Turn, _: TutorLesson) -> str:
    return "known" if turn.subject.after else "path"


_STATES: dict[str, Callable[[Turn, TutorLesson], str]] = {
    "solved": _solved_state,
    "progress": _progress_state,
    "mark": _mark_state,
    "change": _answer_state,
    "form": _form_state,
    "after": _after_state,
    "next": _next_state,
}


@cache
def _kinds() -> dict[str, TalkKind]:
    return {name: talk_kind(row["signs"], row.get("without", "")) for name, row in _table().items() if row["signs"]}


@cache
def _table() -> dict[str, Any]:
    file = files("sprout.offline.demo.tutor.replies").joinpath("about_lesson.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))

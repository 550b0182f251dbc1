"""Observations from tool results for the agents that adapt a path: answers, subconcepts, prerequisites."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sprout.offline.demo.conversation import Conversation

HARD = 3
HARDEST = 4
LEAST_GRADED = 3
TITLE_CHARACTERS = 80
DESC_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """An answer as the tools tell of it."""

    evidence: str
    tests: tuple[str, ...]
    difficulty: int
    correct: bool | None
    misconceptions: tuple[str, ...]
    blank: bool
    usable: bool
    choice: bool


@dataclass(frozen=True, slots=True)
class SubconceptState:
    title: str
    desc: str
    mastery: float
    state: str
    started: bool
    closing: bool


@dataclass(frozen=True, slots=True)
class Observations:
    """Everything that was observed; `before` has for each title those that it rests on."""

    answers: Sequence[GradedAnswer]
    subconcepts: Sequence[SubconceptState]
    prerequisites: dict[str, list[str]] = field(default_factory=dict)
    later_concepts: Sequence[str] = ()

    @property
    def usable(self) -> list[GradedAnswer]:
        return [answer for answer in self.answers if answer.usable]

    @property
    def blanks(self) -> list[GradedAnswer]:
        return [answer for answer in self.answers if answer.blank]

    @property
    def may_be_guesses(self) -> bool:
        """Return True if every open answer was left blank, so that picked options may be guesses."""
        written = [answer for answer in self.answers if not answer.choice]
        return bool(written) and all(answer.blank for answer in written)

    def answers_about(self, title: str) -> list[GradedAnswer]:
        """The usable answers about a subconcept."""
        return [answer for answer in self.usable if title in answer.tests]

    def is_weak(self, title: str) -> bool:
        """Return True if the subconcept has more wrong than right answers."""
        found = self.answers_about(title)
        return bool(found) and sum(bool(answer.correct) for answer in found) * 2 < len(found)

    def all_prerequisites(self, title: str) -> list[str]:
        """Transitive prerequisites of a subconcept, nearest first."""
        found: list[str] = []
        waiting = list(self.prerequisites.get(title, ()))
        while waiting:
            one = waiting.pop(0)
            if one not in found:
                found.append(one)
                waiting += self.prerequisites.get(one, ())
        return found

    def subconcept(self, title: str) -> SubconceptState:
        return next(part for part in self.subconcepts if part.title == title)


def read_observations(conversation: Conversation, answers_tool: str) -> Observations:
    """Parse the last results of the observing tools; empty if they were errors."""
    answers = _last_result(conversation, answers_tool)
    graph = _last_result(conversation, "get_current_subconcepts")
    future = _last_result(conversation, "get_future_concepts")
    before: dict[str, list[str]] = {}
    for edge in graph.get("edges", ()):
        before.setdefault(edge["target"], []).append(edge["source"])
    return Observations(
        [_parse_answer(item) for item in answers.get("items", ())],
        [_parse_subconcept(item) for item in graph.get("subconcepts", ())],
        before,
        future.get("futureConcepts", ()),
    )


def undone_changes(conversation: Conversation) -> str:
    """The learner's undone changes, in lower case."""
    return " ".join(_last_result(conversation, "check_student_history").get("takenBack", ())).casefold()


def transfer_step(last: SubconceptState) -> dict[str, str]:
    """A step after the last subconcept: the same on a case that the path has not shown."""
    return {
        "title": clip_text(f"On new ground: {last.title}", TITLE_CHARACTERS),
        "desc": clip_text(
            f"You can carry this over to a case that the path has not shown: {last.desc}", DESC_CHARACTERS
        ),
    }


def clip_text(text: str, characters: int) -> str:
    """The text on one line, cut at a word where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 2].rsplit(" ", 1)[0] + " …"


def _last_result(conversation: Conversation, tool: str) -> dict[str, Any]:
    for call in reversed(conversation.calls_to(tool)):
        if not call.failed:
            try:
                found = json.loads(call.result)
            except ValueError:
                return {}  # a result that was cut to fit says nothing that could be relied on
            return found if isinstance(found, dict) else {}
    return {}


def _parse_answer(item: dict[str, Any]) -> GradedAnswer:
    return GradedAnswer(
        item["evidence"],
        tuple(item["tests"]),
        item["difficulty"],
        item["correct"],
        tuple(thought.rstrip(".") for thought in item["misconceptions"]),
        item["blank"],
        item["usable"],
        item["choice"],
    )


def _parse_subconcept(item: dict[str, Any]) -> SubconceptState:
    return SubconceptState(
        item["title"], item["desc"] or "", item["mastery"], item["state"], item["begun"], bool(item.get("closing"))
    )

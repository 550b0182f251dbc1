"""What the brains that adapt a path read from the results of tools: answers, subconcepts, what rests on what."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sprout.offline.brains.conversation import Conversation

HARD = 3
HARDEST = 4
LEAST_GRADED = 3
TITLE_CHARACTERS = 80
DESC_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class Answered:
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
class Part:
    title: str
    desc: str
    mastery: float
    state: str
    begun: bool
    closing: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that was observed; `before` has for each title those that it rests on."""

    answers: Sequence[Answered]
    parts: Sequence[Part]
    before: dict[str, list[str]] = field(default_factory=dict)
    later: Sequence[str] = ()

    @property
    def usable(self) -> list[Answered]:
        return [answer for answer in self.answers if answer.usable]

    @property
    def blanks(self) -> list[Answered]:
        return [answer for answer in self.answers if answer.blank]

    @property
    def may_be_guesses(self) -> bool:
        """Whether options were picked by one who wrote nothing anywhere."""
        written = [answer for answer in self.answers if not answer.choice]
        return bool(written) and all(answer.blank for answer in written)

    def about(self, title: str) -> list[Answered]:
        """The usable answers about a subconcept."""
        return [answer for answer in self.usable if title in answer.tests]

    def fails(self, title: str) -> bool:
        """Whether there are answers about it, and more were wrong than right."""
        found = self.about(title)
        return bool(found) and sum(bool(answer.correct) for answer in found) * 2 < len(found)

    def beneath(self, title: str) -> list[str]:
        """What a subconcept rests on, nearest first, with what that rests on."""
        found: list[str] = []
        waiting = list(self.before.get(title, ()))
        while waiting:
            one = waiting.pop(0)
            if one not in found:
                found.append(one)
                waiting += self.before.get(one, ())
        return found

    def part(self, title: str) -> Part:
        return next(part for part in self.parts if part.title == title)


def picture(conversation: Conversation, answers_tool: str) -> Picture:
    """What the last results of the observing tools say; empty where they were errors."""
    answers = _last(conversation, answers_tool)
    graph = _last(conversation, "get_current_subconcepts")
    future = _last(conversation, "get_future_concepts")
    before: dict[str, list[str]] = {}
    for edge in graph.get("edges", ()):
        before.setdefault(edge["target"], []).append(edge["source"])
    return Picture(
        [_answered(item) for item in answers.get("items", ())],
        [_part(item) for item in graph.get("subconcepts", ())],
        before,
        future.get("futureConcepts", ()),
    )


def taken_back(conversation: Conversation) -> str:
    """What the learner has undone, in small letters."""
    return " ".join(_last(conversation, "check_student_history").get("takenBack", ())).casefold()


def new_ground(last: Part) -> dict[str, str]:
    """A step after the last subconcept: the same on a case that the path has not shown."""
    return {
        "title": clipped(f"On new ground: {last.title}", TITLE_CHARACTERS),
        "desc": clipped(f"You can carry this over to a case that the path has not shown: {last.desc}", DESC_CHARACTERS),
    }


def clipped(text: str, characters: int) -> str:
    """The text on one line, cut at a word where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 2].rsplit(" ", 1)[0] + " …"


def _last(conversation: Conversation, tool: str) -> dict[str, Any]:
    for call in reversed(conversation.called(tool)):
        if not call.failed:
            try:
                found = json.loads(call.result)
            except ValueError:
                return {}  # a result that was cut to fit says nothing that could be relied on
            return found if isinstance(found, dict) else {}
    return {}


def _answered(item: dict[str, Any]) -> Answered:
    return Answered(
        item["evidence"],
        tuple(item["tests"]),
        item["difficulty"],
        item["correct"],
        tuple(item["misconceptions"]),
        item["blank"],
        item["usable"],
        item["choice"],
    )


def _part(item: dict[str, Any]) -> Part:
    return Part(
        item["title"], item["desc"] or "", item["mastery"], item["state"], item["begun"], bool(item.get("closing"))
    )

"""What the offline tutor teaches at one subconcept, wherever it comes from: chunks with their prepared questions."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sprout.learning.leaks.secret import Secret, secret_of
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft, QuestionFormat, as_number
from sprout.learning.text.words import folded

Kind = Literal["text", "code", "draw", "mcq", "number"]
Source = Literal["course", "notes", "nothing"]

_FORMATS: dict[str, QuestionFormat] = {"mcq": "mcq", "number": "numeric"}


@dataclass(frozen=True, slots=True)
class Task:
    """A question with all that is prepared for it.

    Args:
        wrong: for a choice, its wrong options with the belief behind each; for a number, wrong values with theirs.
        criteria: as the tool takes them: label, statement, weight and, where there are any, partly_if, misconception.
        anchors: full and partial answers in a learner's words.
        help: read again, look here, a partly worked parallel, one step; none where nothing safe can be said.
    """

    prompt: str
    kind: Kind
    answer: str
    can: str
    wrong: tuple[tuple[str, str], ...] = ()
    criteria: tuple[Mapping[str, Any], ...] = ()
    anchors: tuple[str, ...] = ()
    tolerance: float = 0.0
    unit: str = ""
    help: tuple[str, ...] = ()
    smaller: str = ""
    because: str = ""
    solution: tuple[str, ...] = ()

    @property
    def labels(self) -> list[str]:
        """What the parts of a good answer are called in front of a learner."""
        return [str(criterion["label"]) for criterion in self.criteria]

    @property
    def options(self) -> list[str]:
        """The options of a choice, always in the same order, which says nothing about the right one."""
        options = [self.answer, *(option for option, _ in self.wrong)] if self.kind == "mcq" else []
        random.Random(self.prompt).shuffle(options)
        return options

    def is_asked_by(self, prompt: str) -> bool:
        """Whether a prompt, which may have its options below it, is this question."""
        return folded(prompt).startswith(folded(self.prompt))

    def as_input(self, message: str, plan: Sequence[str] = ()) -> dict[str, Any]:
        """The input of the tool that poses it; `message` comes first, since it is read while it is written."""
        beliefs = [{"option": option, "misconception": belief} for option, belief in self.wrong]
        fields: dict[str, Any] = {
            "message": message,
            "question": self.prompt,
            "type": "text" if self.kind == "number" else self.kind,
            "can": self.can,
            "answer": self.answer,
        }
        fields |= {"options": self.options, "wrong": beliefs} if self.kind == "mcq" else {}
        fields |= {"number": self._number()} if self.kind == "number" else {}
        fields |= {"criteria": [dict(criterion) for criterion in self.criteria]} if self.criteria else {}
        fields |= {"anchors": list(self.anchors)} if self.anchors else {}
        fields |= {"help": list(self.help)} | ({"smaller": self.smaller} if self.smaller else {})
        return fields | {"solution": list(self.solution)} | ({"plan": list(plan)} if plan else {})

    def _number(self) -> dict[str, Any]:
        misread = [
            {"value": value, "misconception": belief}
            for text, belief in self.wrong
            if (value := as_number(text, unit=self.unit)) is not None
        ]
        unit = {"unit": self.unit} if self.unit else {}
        return {"value": float(self.answer), "tolerance": self.tolerance} | unit | {"misreadings": misread}

    def draft(self) -> QuestionDraft:
        """The question as the server keeps it."""
        return QuestionDraft(
            prompt=self.prompt,
            format=_FORMATS.get(self.kind, "open_ended"),
            correct_answer=self.answer,
            difficulty=3,
            tests=(self.can,),
            options=tuple(self.options),
            criteria=tuple(
                Criterion(one["label"], one["statement"], one["weight"], one.get("partly_if")) for one in self.criteria
            ),
            tolerance=self.tolerance if self.kind == "number" else None,
            unit=self.unit or None,
            misconceptions=tuple(Misconception(option, belief) for option, belief in self.wrong),
        )

    def secret(self, said: Sequence[str] = (), label: str | None = None) -> Secret:
        """What must not be said while it is open.

        Args:
            said: what the learner has written since it was posed.
            label: the letter before the right option.
        """
        return secret_of(self.draft(), anchors=self.anchors, steps=self.solution, said=said, label=label)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A case with its one idea, the question on it, and that question in a changed form.

    Args:
        rests_on: sentences of the learner's notes that it says, or that are to be read for it.
    """

    can: str
    says: str
    first: Task
    again: Task
    rests_on: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[Task, Task]:
        return (self.first, self.again)


@dataclass(frozen=True, slots=True)
class Teaching:
    """A lesson.

    Args:
        idea, case: a widespread wrong idea, and a case that puts it to the test; empty where none is known.
        told: sentences that a side question may be answered from.
        language: the code of the language that it is written in.
    """

    source: Source
    chunks: tuple[Chunk, ...]
    summary: str
    language: str = "en"
    example_title: str = ""
    example: str = ""
    idea: str = ""
    case: str = ""
    told: tuple[str, ...] = field(default=())

    @property
    def plan(self) -> list[str]:
        return [chunk.can for chunk in self.chunks]

    def find(self, prompt: str) -> tuple[Chunk, Task] | None:
        """The question with this prompt, and the chunk that it belongs to."""
        found = ((chunk, task) for chunk in self.chunks for task in chunk.tasks if task.is_asked_by(prompt))
        return next(found, None)

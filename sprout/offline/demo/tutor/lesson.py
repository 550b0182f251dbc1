"""Lesson of the offline tutor at one subconcept, from any source: chunks with their prepared questions."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from sprout.learning.leaks.secret import Secret, build_secret
from sprout.learning.lessons.help_ladder import GAP_LADDER
from sprout.learning.marking.ordinals import in_series
from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft, QuestionFormat, parse_number
from sprout.learning.text.normalization import folded

AnswerKind = Literal["text", "code", "draw", "mcq", "number"]
LessonSource = Literal["course", "notes", "nothing"]

_FORMATS: dict[str, QuestionFormat] = {"mcq": "mcq", "number": "numeric"}


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question with all that is prepared for it.

    Args:
        wrong: for a choice, its wrong options with the belief behind each, empty where none is known; for a number or
            a term, wrong ones with theirs.
        slips: the wrong answers that are a slip of the pen or a misreading.
        contrasts: by a belief, a case that contradicts it.
        criteria: as the tool takes them: label, statement, weight and, where there are any, partly_if, misconception.
        anchors: full and partial answers in a learner's words.
        program_tests, accepted: as the draft has them: runs that mark a program, and terms that are right.
        replies: by a wrong option, number or term, what is said to it.
        help: read again, look here, a partly worked parallel, one step; none where nothing safe can be said.
        reading, settled_by: ids of the passages that it is about, and their sentences that settle it.
        is_gap: whether it is a worked case with one step left out, with help for the last level alone.
    """

    prompt: str
    kind: AnswerKind
    answer: str
    goal: str
    wrong: tuple[tuple[str, str], ...] = ()
    slips: frozenset[str] = frozenset()
    contrasts: Mapping[str, str] = field(default_factory=dict)
    criteria: tuple[Mapping[str, Any], ...] = ()
    anchors: tuple[str, ...] = ()
    tolerance: float = 0.0
    unit: str = ""
    program_tests: tuple[ProgramTest, ...] = ()
    accepted: tuple[str, ...] = ()
    replies: Mapping[str, str] = field(default_factory=dict)
    help: tuple[str, ...] = ()
    because: str = ""
    solution: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    settled_by: tuple[str, ...] = ()
    is_gap: bool = False

    @property
    def labels(self) -> list[str]:
        """Labels of a good answer's parts, as learners see them."""
        return [str(criterion["label"]) for criterion in self.criteria]

    @property
    def options(self) -> list[str]:
        """The options of a choice, always in the same order, which says nothing about the right one: by their places or
        numbers where they are that, else drawn."""
        options = [self.answer, *(option for option, _ in self.wrong)] if self.kind == "mcq" else []
        if (series := in_series(options)) is not None:
            return series
        random.Random(self.prompt).shuffle(options)
        return options

    @property
    def is_marked_by_code(self) -> bool:
        """Return True if an answer is marked without a model; words are compared by their learner."""
        return self.kind in ("mcq", "number") or bool(self.program_tests or self.accepted)

    def matches_prompt(self, prompt: str) -> bool:
        """Return True if the prompt is this question, with or without its options below it."""
        return folded(prompt).startswith(folded(self.prompt))

    def help_from(self, level: int) -> tuple[str, ...]:
        """The help of that level, from 1, and of those after it."""
        return self.help[max(0, level - 1 - int(GAP_LADDER.given)) if self.is_gap else level - 1 :]

    def was_asked(self, prompts: Sequence[str]) -> bool:
        return any(map(self.matches_prompt, prompts))

    def tool_input(self, message: str, plan: Sequence[str] = (), *, is_new_plan: bool = False) -> dict[str, Any]:
        """The input of the tool that poses it; `message` comes first, since it is read while it is written.

        Args:
            plan: of the lesson.
            is_new_plan: whether the server has none yet.
        """
        beliefs = [
            {"option": option, "misconception": belief} | self._about_belief(option, belief)
            for option, belief in self.wrong
            if belief
        ]
        fields: dict[str, Any] = {
            "message": message,
            "question": self.prompt,
            "type": "text" if self.kind == "number" else self.kind,
            "can": self.goal,
            "answer": self.answer,
        }
        fields |= {"options": self.options} if self.kind == "mcq" else {}
        fields |= {"wrong": beliefs} if self.kind == "mcq" or self.accepted else {}
        fields |= {"number": self._number_input()} if self.kind == "number" else {}
        fields |= {"criteria": [dict(criterion) for criterion in self.criteria]} if self.criteria else {}
        fields |= {"anchors": list(self.anchors)} if self.anchors else {}
        fields |= {"accepted": [*self.accepted]} if self.accepted else {}
        fields |= {"program_tests": [*map(_test_input, self.program_tests)]} if self.program_tests else {}
        fields |= {"reading": [*self.reading], "settled_by": [*self.settled_by]} if self.reading else {}
        fields |= {"gap": True} if self.is_gap else {}
        fields |= {"help": list(self.help)}
        return fields | {"solution": list(self.solution)} | ({"plan": list(plan)} if is_new_plan else {})

    def _number_input(self) -> dict[str, Any]:
        misread = [
            {"value": value, "misconception": belief} | self._about_belief(text, belief)
            for text, belief in self.wrong
            if (value := parse_number(text, unit=self.unit)) is not None
        ]
        unit = {"unit": self.unit} if self.unit else {}
        return {"value": float(self.answer), "tolerance": self.tolerance} | unit | {"misreadings": misread}

    def _about_belief(self, answer: str, belief: str) -> dict[str, Any]:
        """What the tool takes of a wrong answer beside its belief."""
        contrast = {"contrast": self.contrasts[belief]} if belief in self.contrasts else {}
        return {"slip": True} if answer in self.slips else contrast

    def draft(self) -> QuestionDraft:
        """The question as the server keeps it."""
        return QuestionDraft(
            prompt=self.prompt,
            format=_FORMATS.get(self.kind, "open_ended"),
            correct_answer=self.answer,
            difficulty=3,
            tests=(self.goal,),
            options=tuple(self.options),
            criteria=tuple(
                Criterion(one["label"], one["statement"], one["weight"], one.get("partly_if")) for one in self.criteria
            ),
            tolerance=self.tolerance if self.kind == "number" else None,
            unit=self.unit or None,
            misconceptions=tuple(Misconception(option, belief) for option, belief in self.wrong if belief),
            program_tests=self.program_tests,
            accepted=self.accepted,
        )

    def secret(self, messages: Sequence[str] = (), label: str | None = None) -> Secret:
        """The answer material that must stay hidden while the question is open.

        Args:
            messages: the learner's messages since the question was asked.
            label: the letter before the right option.
        """
        return build_secret(
            self.draft(), anchors=self.anchors, steps=self.solution, learner_texts=messages, label=label
        )


def _test_input(test: ProgramTest) -> dict[str, Any]:
    """The parts of the test that differ from their defaults."""
    return {name: part for name, part in asdict(test).items() if part != getattr(ProgramTest(), name)}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A case with its one idea, the question on it, and that question in a changed form."""

    goal: str
    explanation: str
    question: PreparedQuestion
    changed_form: PreparedQuestion

    @property
    def questions(self) -> tuple[PreparedQuestion, PreparedQuestion]:
        return (self.question, self.changed_form)


@dataclass(frozen=True, slots=True)
class ReadingAlone:
    """Passages by their ids that nothing is asked about; `before` is the number of chunks that come before them."""

    goal: str
    explanation: str
    passages: tuple[str, ...]
    before: int

    def tool_input(self, message: str, plan: Sequence[str], *, is_new_plan: bool) -> dict[str, Any]:
        """The input of the tool that shows them."""
        fields = {"message": message, "reading": [*self.passages], "can": self.goal}
        return fields | ({"plan": [*plan]} if is_new_plan else {})


@dataclass(frozen=True, slots=True)
class TutorLesson:
    """A lesson of the demo tutor.

    Args:
        gap: the example with a step left out, on another case; it comes before the first chunk's question.
        idea, case: a common misconception and a case that contradicts it; empty if none is known.
        sentences: the sentences that a side question may be answered from.
        language: the code of the language that it is written in.
        course: slug of the authored course that it is part of.
        subconcept: title of what it teaches there.
        readings: what is only read, in its order.
    """

    source: LessonSource
    chunks: tuple[Chunk, ...]
    summary: str
    language: str = "en"
    example_title: str = ""
    example: str = ""
    gap: PreparedQuestion | None = None
    idea: str = ""
    case: str = ""
    sentences: tuple[str, ...] = field(default=())
    course: str = ""
    subconcept: str = ""
    readings: tuple[ReadingAlone, ...] = ()

    @property
    def goals(self) -> list[str]:
        """Goals of its chunks and readings in their order, each once."""
        goals: list[str] = []
        for at in range(len(self.chunks) + 1):
            goals += [one.goal for one in self.readings if one.before == at]
            goals += [chunk.goal for chunk in self.chunks[at : at + 1]]
        return list(dict.fromkeys(goals))

    def find(self, prompt: str) -> tuple[Chunk, PreparedQuestion] | None:
        """The question with this prompt, and the chunk that it belongs to."""
        if self.gap is not None and self.gap.matches_prompt(prompt):
            return self.chunks[0], self.gap
        found = ((chunk, task) for chunk in self.chunks for task in chunk.questions if task.matches_prompt(prompt))
        return next(found, None)

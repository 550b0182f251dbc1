"""Format of an authored lesson on one subconcept: steps with their checkpoints, help, an example, a contrast."""

import re
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sprout.learning.questions.program_tests import MAX_PROGRAM_TESTS
from sprout.learning.questions.questions import MAX_ACCEPTED
from sprout.learning.structure.sentences import sentences_of

Line = Annotated[str, Field(min_length=1, max_length=300)]
Text = Annotated[str, Field(min_length=1, max_length=2_000)]
Title = Annotated[str, Field(min_length=2, max_length=90)]

HELP_LEVELS = 4
GAP = "___"
_LEADERS = re.compile(r"^(?:\d+\. |- |[│├└─ ]+)")  # of an item of a list, or of a tree
MOST_WORDS = 120


class AuthoredModel(BaseModel):
    """A part of a course or a lesson as its file has it: nothing that is not named here."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LessonCriterion(AuthoredModel):
    """A criterion of an answer in sentences, which its learner or a grading model judges."""

    label: Line
    statement: Line
    weight: float = Field(gt=0, le=1)
    partly_if: Line | None = None
    misconception: Line | None = None


class WrongOption(AuthoredModel):
    """A wrong option, and the belief that leads to it; `slip` says that it is a slip of the pen or a misreading."""

    option: Line
    misconception: Line
    slip: bool = False


class LessonProgramTest(AuthoredModel):
    """A run of the learner's program: either `prints`, what it must print, or `after` and `gives`, an expression that
    is evaluated after it and the `repr` of its value. `before` is code that runs first, `typed` what `input()` reads.
    """

    before: str = Field(default="", max_length=2_000)
    typed: str = Field(default="", max_length=2_000)
    prints: str | None = Field(default=None, max_length=2_000)
    after: Text | None = None
    gives: Text | None = None
    misconception: Line | None = None

    @model_validator(mode="after")
    def _check_outcome(self) -> Self:
        if (self.after is None) != (self.gives is None) or (self.prints is None) == (self.gives is None):
            raise ValueError(f"either prints, or after and gives is needed: {self.before!r}")
        return self


def solution_steps(solution: str) -> tuple[str, ...]:
    """The sentences of a solution; one with fenced code is a single step, since code has none."""
    return (solution,) if "```" in solution else tuple(sentences_of(solution))


def check_slips(slips: tuple[str, ...], values: dict[str, str]) -> None:
    """Raises ValueError: a slip is none of the wrong numbers."""
    if stray := set(slips) - values.keys():
        raise ValueError(f"a slip is one of the diagnostic values: {', '.join(sorted(stray))}")


class LessonQuestion(AuthoredModel):
    """A question of a lesson; of what is right, `answer` is the option, the number, or a full answer in plain words.

    Args:
        wrong: wrong options of a choice, or wrong terms.
        diagnostic_values: wrong numbers and what each comes from: a belief, or a slip if it is one of `slips`.
        tests: for code; criteria may be absent then.
        terms: for text, the terms of up to five words that are right; criteria may be absent then.
        replies: what is said to an answer that is wrong, by the wrong option, number or term: the mistake that leads to
            it, and where to look; none contains the result.
        help: for any other answer: read again, look here, a partly worked parallel, one worked step; none contains it.
        because: why the right answer is right, for one who has given it.
        solution: the way to the answer, for working it through together after the last help.
    """

    prompt: Text
    kind: Literal["mcq", "numeric", "text", "code", "draw"]
    answer: Text
    partial: Text | None = None
    wrong: tuple[WrongOption, ...] = ()
    criteria: tuple[LessonCriterion, ...] = ()
    tolerance: float | None = Field(default=None, ge=0)
    unit: str | None = None
    diagnostic_values: dict[str, Line] = Field(default_factory=dict)
    slips: tuple[Line, ...] = ()
    tests: tuple[LessonProgramTest, ...] = Field(default=(), max_length=MAX_PROGRAM_TESTS)
    terms: tuple[Line, ...] = Field(default=(), max_length=MAX_ACCEPTED)
    replies: dict[str, Line] = Field(default_factory=dict)
    help: tuple[Text, ...] = Field(min_length=HELP_LEVELS, max_length=HELP_LEVELS)
    because: Text
    solution: Text

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (self.tests and self.kind != "code") or (self.terms and self.kind != "text"):
            raise ValueError(f"tests are for code, and terms for text: {self.prompt!r}")
        self._check_replies()
        check_slips(self.slips, self.diagnostic_values)
        if self.kind == "mcq":
            options = {self.answer.casefold(), *(wrong.option.casefold() for wrong in self.wrong)}
            if len(self.wrong) != 3 or len(options) != 4:
                raise ValueError(f"four different options are needed: {self.prompt!r}")
        elif self.kind == "numeric":
            float(self.answer)
        elif (self.tests or self.terms) and not self.criteria:
            return self
        elif not 2 <= len(self.criteria) <= 5 or abs(sum(one.weight for one in self.criteria) - 1) > 1e-9:
            raise ValueError(f"two to five criteria whose weights sum to 1 are needed: {self.prompt!r}")
        return self

    def _check_replies(self) -> None:
        wrong = {one.option for one in self.wrong}
        if self.kind == "numeric":
            near = self.tolerance or 0
            stray = [value for value in self.replies if abs(float(value) - float(self.answer)) <= near]
        else:
            stray = [option for option in self.replies if option not in wrong]
        if stray:
            raise ValueError(f"a reply is to a wrong option, number or term: {', '.join(stray)}")


class Step(AuthoredModel):
    """One chunk: `can` is what the learner can do after it, `says` the case and the one idea, then the checkpoint.

    `again` is the changed form of the checkpoint, asked where the first was not answered alone.
    """

    can: Line
    says: Text
    asks: LessonQuestion
    again: LessonQuestion

    @model_validator(mode="after")
    def _check_length(self) -> Self:
        if len(self.says.split()) > MOST_WORDS:
            raise ValueError(f"more than {MOST_WORDS} words: {self.says[:60]!r}")
        return self


class Example(AuthoredModel):
    """One correct solution with the reasons beside its steps, in Markdown; no question in it."""

    title: Line
    text: Text


class Gap(AuthoredModel):
    """Another case like the example, worked as far as one step, which the learner fills in.

    Args:
        case: in Markdown, with `___` where the step is left out.
        answer: the right option where there are `wrong` ones, else a number.
        wrong: three wrong options.
        help: for who cannot fill it in: what to do there, without the result.
        because: why the step is as it is.
    """

    case: Text
    answer: Line
    wrong: tuple[Line, ...] = Field(default=(), max_length=3)
    unit: str | None = None
    help: Line
    because: Line

    @model_validator(mode="after")
    def _check_gap(self) -> Self:
        if self.case.count(GAP) != 1:
            raise ValueError(f"one step is left out as {GAP}: {self.case!r}")
        if not self.wrong:
            float(self.answer)
        elif len({self.answer.casefold(), *map(str.casefold, self.wrong)}) != 4:
            raise ValueError(f"four different options are needed: {self.case!r}")
        return self

    @property
    def filled(self) -> str:
        """The sentence, the row or the line of code in which the step was left out, with it."""
        line = next(line for line in self.case.splitlines() if GAP in line).strip()
        if line.startswith("|"):
            whole = ", ".join(cell.strip() for cell in line.strip("|").split("|"))
        else:
            whole = next(one for one in sentences_of(_LEADERS.sub("", line)) if GAP in one)
        return whole.replace(GAP, self.answer)


class Contrast(AuthoredModel):
    """A widespread wrong idea, and a case in which it and the right one predict different things."""

    idea: Line
    case: Text


class AskedQuestion(AuthoredModel):
    """A question that learners often ask about the part, in one or more wordings, with an answer that stands alone."""

    asks: tuple[Line, ...] = Field(min_length=1, max_length=8)
    says: Line


class Lesson(AuthoredModel):
    """A lesson; `gap` is for who gets the example first, and without it the first question comes after the example."""

    subconcept: Title
    steps: tuple[Step, ...] = Field(min_length=3, max_length=3)
    example: Example
    gap: Gap | None = None
    contrast: Contrast
    summary: Text
    asked: tuple[AskedQuestion, ...] = ()

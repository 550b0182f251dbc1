"""The tutor's tools that end a turn or show something: what the model writes, and what becomes of it."""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sprout.agents.asking import CriterionInput, MisconceptionInput
from sprout.errors import ToolFailure
from sprout.events import AnswerType
from sprout.learning.lessons.lesson import Checkpoint
from sprout.learning.lessons.tutoring import Card
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft
from sprout.learning.text.words import folded, occurs_in

SECRET = frozenset({"answer", "wrong", "criteria", "anchors", "number", "help", "smaller", "solution"})
DIFFICULTY = 3
FEWEST_WORDS_COPIED = 3
MAX_SPOKEN = 4_000
MAX_BODY = 8_000
MOST_CITED = 6

Spoken = Annotated[str, Field(min_length=1, max_length=MAX_SPOKEN)]
Cited = Annotated[list[str] | None, Field(max_length=MOST_CITED, description="ids of the passages it teaches from")]
CardTitle = Annotated[str, Field(min_length=1, max_length=200)]
CardBody = Annotated[str, Field(min_length=1, max_length=MAX_BODY)]
Diagram = Literal["mermaid", "svg", "table"]

_ACTIVE = re.compile(
    r"<\s*(?:script|foreignobject|iframe|image|use|a|animate|set|style)\b|\bon[a-z]+\s*=|javascript:|data:|@import|url\(",
    re.IGNORECASE,
)


class LessonCriterion(CriterionInput):
    """One thing that a full answer does, and the wrong thought of who says the contrary."""

    misconception: str | None = None


class Misreading(BaseModel):
    """A number that a wrong thought leads to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    misconception: str


class NumberInput(BaseModel):
    """What a number must be to be right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    tolerance: Annotated[float | None, Field(ge=0, description="how far off still counts, in the unit")] = None
    unit: str | None = None
    misreadings: tuple[Misreading, ...] = ()


def checkpoint_of(
    *,
    question: str,
    type: AnswerType,
    answer: str,
    tests: str,
    options: list[str] | None,
    wrong: list[MisconceptionInput] | None,
    criteria: list[LessonCriterion] | None,
    anchors: list[str] | None,
    number: NumberInput | None,
    help: list[str],
    smaller: str | None,
    solution: list[str],
) -> Checkpoint:
    """The checkpoint as the model has written it; whether it can be asked is for `checked` to say.

    Args:
        tests: the title of the subconcept.
    """
    misconceptions = [Misconception(one.option, one.misconception) for one in wrong or ()]
    correct, unit, tolerance = answer, None, None
    if number is not None and type != "mcq":
        correct, unit, tolerance = _plain(number.value), number.unit, number.tolerance
        misconceptions = [Misconception(_plain(one.value), one.misconception) for one in number.misreadings]
    draft = QuestionDraft(
        prompt=question,
        format="mcq" if type == "mcq" else "numeric" if number is not None else "open_ended",
        correct_answer=correct,
        difficulty=DIFFICULTY,
        tests=(tests,),
        options=tuple(options or ()) if type == "mcq" else (),
        criteria=tuple(
            Criterion(one.label, one.statement, one.weight, one.partly_if, one.misconception) for one in criteria or ()
        ),
        tolerance=tolerance,
        unit=unit,
        misconceptions=tuple(misconceptions),
        anchors=tuple(anchors or ()),
    )
    return Checkpoint(draft, type, tuple(help), smaller or "", tuple(solution))


def _plain(value: float) -> str:
    return f"{value:.12g}"


def refuse_copyable(message: str, checkpoint: Checkpoint) -> None:
    """Raises ToolFailure: the answer stands in the explanation, so that copying it would do."""
    answer = folded(checkpoint.draft.correct_answer).rstrip(".!")
    tells = checkpoint.draft.format == "open_ended" and len(answer.split()) >= FEWEST_WORDS_COPIED
    if tells and occurs_in(answer, folded(message)):
        raise ToolFailure(
            "The explanation says the answer word for word, so the question could be answered by copying. Ask about "
            "another case, or leave that sentence out."
        )


def diagram(title: str, format: Diagram, body: str, sentence: str) -> Card:
    """A diagram as a card. Raises ToolFailure: it could do something, or is no diagram."""
    if format == "table":
        return Card("diagram", title, f"{body}\n\n{sentence}")
    if format == "svg" and (not body.lstrip().lower().startswith("<svg") or _ACTIVE.search(body)):
        raise ToolFailure(
            "The SVG must begin with <svg and may only draw: shapes, lines, text; no scripts, links, styles, pictures."
        )
    if format == "mermaid" and re.search(r"\bclick\b|%%\{|javascript:|<", body):
        raise ToolFailure("The Mermaid diagram may only draw: no clicks, no directives, no HTML.")
    return Card("diagram", title, body, format, sentence)


def words_in(body: str) -> str:
    """What can be read in a body that may be SVG: what stands between its tags and in its attributes."""
    if not body.lstrip().lower().startswith("<svg"):
        return body
    return "\n".join(text or value for text, value in re.findall(r">([^<]+)<|\"([^\"]*)\"", body) if text or value)

"""Tool inputs of the tutor: what the model writes for checkpoints and cards, and its validation."""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sprout.agents.path.question_tool import CriterionInput, MisconceptionInput, ProgramTestInput
from sprout.errors import ToolFailure
from sprout.events import AnswerType
from sprout.learning.lessons.checkpoints import LessonCheckpoint
from sprout.learning.lessons.repository import Card
from sprout.learning.questions.draft_repair import mend_draft
from sprout.learning.questions.questions import SOLVABLE_FORMATS, Criterion, Misconception, QuestionDraft
from sprout.learning.text.normalization import folded, occurs_in

SECRET = frozenset(
    {"answer", "wrong", "criteria", "anchors", "number", "accepted", "program_tests", "help", "solution", "settled_by"}
)
DIFFICULTY = 3
MIN_COPIED_WORDS = 3
HELP_TEXTS = 4
TYPE_SYNONYMS = {
    **dict.fromkeys(("multiple choice", "multiplechoice", "single choice", "choice", "quiz"), "mcq"),
    **dict.fromkeys(("open", "open ended", "free text", "short answer", "words", "number", "numeric"), "text"),
    **dict.fromkeys(("program", "python", "programming"), "code"),
    **dict.fromkeys(("drawing", "sketch", "picture", "diagram"), "draw"),
}
MAX_MESSAGE = 4_000
MAX_BODY = 8_000
MAX_CITED = 6
MAX_READ = 12

SpokenText = Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE)]
Cited = Annotated[list[str] | None, Field(max_length=MAX_CITED, description="ids of the passages it teaches from")]
Reading = Annotated[
    list[str] | None,
    Field(
        max_length=MAX_READ,
        description="ids of the passages that the learner reads before the question, one after the other",
    ),
]
CardTitle = Annotated[str, Field(min_length=1, max_length=200)]
CardBody = Annotated[str, Field(min_length=1, max_length=MAX_BODY)]
Diagram = Annotated[
    Literal["mermaid", "svg", "table"],
    Field(json_schema_extra={"synonyms": {"flowchart": "mermaid", "markdown": "table", "markdown table": "table"}}),
]

_ACTIVE_SVG = re.compile(
    r"<\s*(?:script|foreignobject|iframe|image|use|a|animate|set|style)\b|\bon[a-z]+\s*=|javascript:|data:|@import|url\(",
    re.IGNORECASE,
)


class LessonCriterion(CriterionInput):
    """One thing that a full answer does, and the misconception of a learner who says the contrary."""

    misconception: str | None = None


class Misreading(BaseModel):
    """A number that a misconception leads to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    misconception: str
    contrast: str | None = None
    slip: bool = False

    def to_misconception(self) -> Misconception:
        return Misconception(_format_number(self.value), self.misconception, self.contrast, self.slip)


class NumberInput(BaseModel):
    """The right number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    tolerance: Annotated[float | None, Field(ge=0, description="how far off still counts, in the unit")] = None
    unit: str | None = None
    misreadings: tuple[Misreading, ...] = ()


def build_checkpoint(
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
    accepted: list[str] | None,
    program_tests: list[ProgramTestInput] | None,
    help: list[str],
    solution: list[str],
    gap: bool = False,
) -> LessonCheckpoint:
    """The checkpoint as the model wrote it; `validate_draft` decides whether it can be asked.

    Args:
        tests: the title of the subconcept.
        gap: whether it is a worked case with one step left out.

    Raises ToolFailure: a gap has no key that code marks.
    """
    misconceptions = [one.to_misconception() for one in wrong or ()]
    correct, unit, tolerance = answer, None, None
    if number is not None and type != "mcq":
        correct, unit, tolerance = _format_number(number.value), number.unit, number.tolerance
        misconceptions = [one.to_misconception() for one in number.misreadings]
    draft, _ = mend_draft(
        QuestionDraft(
            prompt=question,
            format="mcq" if type == "mcq" else "numeric" if number is not None else "open_ended",
            correct_answer=correct,
            difficulty=DIFFICULTY,
            tests=(tests,),
            options=tuple(options or ()) if type == "mcq" else (),
            criteria=tuple(
                Criterion(one.label, one.statement, one.weight, one.partly_if, one.misconception)
                for one in criteria or ()
            ),
            tolerance=tolerance,
            unit=unit,
            misconceptions=tuple(misconceptions),
            anchors=tuple(anchors or ()),
            program_tests=tuple(test.to_test() for test in program_tests or ()),
            accepted=tuple(accepted or ()),
            solution=tuple(solution),
        )
    )
    answered_by: AnswerType = "mcq" if draft.format == "mcq" else "text" if type == "mcq" else type
    if gap and not (draft.format in SOLVABLE_FORMATS or draft.accepted):
        raise ToolFailure(
            "Code has to mark what is left out: give a `number`, four `options`, or a short term in `accepted`."
        )
    texts = tuple(dict.fromkeys(help))[:HELP_TEXTS]
    return LessonCheckpoint(draft, answered_by, texts[-1:] if gap else texts, is_gap=gap)


def _format_number(value: float) -> str:
    return f"{value:.12g}"


def refuse_copyable(message: str, checkpoint: LessonCheckpoint) -> None:
    """Raises ToolFailure: the explanation contains the answer, so it could be copied."""
    answer = folded(checkpoint.draft.correct_answer).rstrip(".!")
    prose = checkpoint.draft.format == "open_ended" and len(answer.split()) >= MIN_COPIED_WORDS
    if prose and occurs_in(answer, folded(message)):
        raise ToolFailure(
            "The explanation says the answer word for word, so the question could be answered by copying. Ask about "
            "another case, or leave that sentence out."
        )


def build_diagram(title: str, format: Diagram, body: str, sentence: str) -> Card:
    """A diagram as a card. Raises ToolFailure: it has active content, or is not a diagram."""
    if format == "table":
        return Card("diagram", title, f"{body}\n\n{sentence}")
    if format == "svg" and (not body.lstrip().lower().startswith("<svg") or _ACTIVE_SVG.search(body)):
        raise ToolFailure(
            "The SVG must begin with <svg and may only draw: shapes, lines, text; no scripts, links, styles, pictures."
        )
    if format == "mermaid" and re.search(r"\bclick\b|%%\{|javascript:|<", body):
        raise ToolFailure("The Mermaid diagram may only draw: no clicks, no directives, no HTML.")
    return Card("diagram", title, body, format, sentence)


def visible_text(body: str) -> str:
    """The readable text of a body that may be SVG: text between tags, and values of attributes."""
    if not body.lstrip().lower().startswith("<svg"):
        return body
    return "\n".join(text or value for text, value in re.findall(r">([^<]+)<|\"([^\"]*)\"", body) if text or value)

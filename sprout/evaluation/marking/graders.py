"""Graders: Sprout's own way to mark a typed answer, and a single call of the same model to compare it with."""

from dataclasses import dataclass
from importlib.resources import files

import json_repair
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.agents.agent import Job
from sprout.agents.fences import fenced
from sprout.agents.grading.grading import NAME, grading_agent
from sprout.agents.prompts import Prompt, load_prompt, read_prompt
from sprout.errors import ModelFailure
from sprout.evaluation.agent_run import SoloTeam, failure_ends_evaluation, run_agent
from sprout.evaluation.marking.answer_set import MarkedAnswer
from sprout.evaluation.marking.memory_gradebook import MemoryGradebook
from sprout.evaluation.memory_node import LEARNER, NODE_ID
from sprout.evaluation.suite import NamedModel
from sprout.learning.marking.gradebook import OpenAnswer
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.marking.grading import POINTS
from sprout.learning.marking.number_grading import grade_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import MAX_ANSWER, MAX_PROMPT
from sprout.loop.model import Message, ModelRequest, Text, TextPart
from sprout.programs.runner import SandboxedRunner

CODE_CONFIDENCE = 1.0
SINGLE_CALL_TOKENS = 8_000


@dataclass(frozen=True, slots=True)
class Given:
    """Outcome of a grader for an answer.

    Args:
        score: 0..1; None where it gave no mark.
        leaning: the score that it would have given had it not doubted; None where nothing is known.
        confidence: 0..1, the least of all that the mark rests on.
    """

    score: float | None = None
    leaning: float | None = None
    confidence: float | None = None


async def mark_as_sprout(answer: MarkedAnswer, model: NamedModel) -> Given:
    """Mark an answer as a server would: numbers by code, sentences by the grading agent and its second look."""
    if isinstance(answer.question, NumericQuestion):
        score = grade_number(answer.question, answer.says).score
        return Given(score, score, None if score is None else CODE_CONFIDENCE)
    grade = await _grade(answer.question, answer.says, model)
    return Given() if grade is None else _given(grade)


async def mark_in_one_call(answer: MarkedAnswer, model: NamedModel) -> Given:
    """Mark an answer by asking the model once for a verdict, without criteria, spans, checks or a second look."""
    request = ModelRequest(
        model=model.name,
        system=single_call_prompt().fill(),
        messages=(Message("user", (Text(_single_call_request(answer)),)),),
        tools=(),
        max_tokens=min(SINGLE_CALL_TOKENS, model.traits.max_output),
    )
    try:
        parts = [part async for part in model.chat.reply(request)]
    except ModelFailure as failure:
        if failure_ends_evaluation(failure):
            raise
        return Given()
    return _read_verdict("".join(part.text for part in parts if isinstance(part, TextPart)))


def single_call_prompt() -> Prompt:
    """The prompt of the single call. Raises SetupError."""
    text = files("sprout.evaluation.marking").joinpath("single_call.md").read_text(encoding="utf-8")
    return read_prompt("single_call", text)


def marking_prompts() -> dict[str, Prompt]:
    """All prompts that marking sends, by the place of their file."""
    places = ("grading/grading", "grading/grading.request", "correction")
    return {place: load_prompt(place) for place in places} | {"evaluation/single_call": single_call_prompt()}


async def _grade(question: OpenQuestion, says: str, model: NamedModel) -> Grade | None:
    # The id is the same for every answer: it is sent to the model, and equal answers shall be equal requests.
    book = MemoryGradebook(OpenAnswer("a1", "q1", question, says), title="Typed answers")
    agent = grading_agent(book, book, ProgramMarker(SandboxedRunner(), book))
    job = Job("marking", "marking", LEARNER, NODE_ID, NAME, model.name, small=False, epoch=1)
    await run_agent(agent, job, SoloTeam({NAME: agent}, model, job))
    return book.answer.grade


def _given(grade: Grade) -> Given:
    verdicts = [one for one in grade.results if one.verdict is not None]
    weight = sum(one.weight for one in verdicts)
    leaning = sum(POINTS[one.verdict] * one.weight for one in verdicts) / weight if weight else None
    confidence = min((one.confidence for one in verdicts), default=None)
    return Given(grade.score if grade.state is GradeState.GRADED else None, leaning, confidence)


class _Verdict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    score: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)


def _read_verdict(text: str) -> Given:
    """The verdict in a reply; nothing where it holds none, as a reply that refuses."""
    start = text.find("{")
    try:
        verdict = _Verdict.model_validate(json_repair.loads(text[start:]) if start >= 0 else None)
    except (ValidationError, ValueError, RecursionError):
        return Given()
    return Given(verdict.score, verdict.score, verdict.confidence)


def _single_call_request(answer: MarkedAnswer) -> str:
    return "\n".join(
        (
            fenced("question", answer.question.prompt, limit=MAX_PROMPT),
            fenced("prepared_answer", answer.prepared, limit=MAX_ANSWER),
            fenced("learner_answer", answer.says, limit=MAX_ANSWER),
        )
    )


def as_level(score: float, highest: int) -> int:
    """The level of a score on a scale from 0 to `highest`; halves go up."""
    return int(score * highest + 0.5)

"""Judge: a model that gives the rows of the rubric to a transcript. It is a smoke alarm; a person decides."""

from collections.abc import Mapping
from importlib.resources import files

import json_repair
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.agents.fences import fenced
from sprout.agents.prompts import Prompt, read_prompt
from sprout.errors import ModelFailure
from sprout.evaluation.agent_run import failure_ends_evaluation
from sprout.evaluation.dialogue.transcript import HIGHEST, ROWS, Row, Transcript
from sprout.evaluation.suite import NamedModel
from sprout.loop.model import Message, ModelRequest, Text, TextPart

MAX_TRANSCRIPT = 60_000
MAX_ANSWER = 2_000
TOKENS = 8_000


async def judge(transcript: Transcript, model: NamedModel) -> Mapping[Row, int | None]:
    """The scores by row; none at all where the judge refuses, or says nothing that can be read. Raises ModelFailure."""
    request = ModelRequest(
        model=model.name,
        system=judge_prompt().fill(),
        messages=(Message("user", (Text(_material(transcript)),)),),
        tools=(),
        max_tokens=min(TOKENS, model.traits.max_output),
    )
    try:
        parts = [part async for part in model.chat.reply(request)]
    except ModelFailure as failure:
        if failure_ends_evaluation(failure):
            raise
        return {}
    return _read_scores("".join(part.text for part in parts if isinstance(part, TextPart)))


def judge_prompt() -> Prompt:
    """The prompt with the rubric. Raises SetupError."""
    return read_prompt("judge", files("sprout.evaluation.dialogue").joinpath("judge.md").read_text(encoding="utf-8"))


class _Scores(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    no_leak: int | None = Field(None, ge=0, le=HIGHEST)
    reads_attempt: int | None = Field(None, ge=0, le=HIGHEST)
    truth: int | None = Field(None, ge=0, le=HIGHEST)
    load: int | None = Field(None, ge=0, le=HIGHEST)
    adaptation: int | None = Field(None, ge=0, le=HIGHEST)
    learners_share: int | None = Field(None, ge=0, le=HIGHEST)
    honesty: int | None = Field(None, ge=0, le=HIGHEST)


def _read_scores(text: str) -> Mapping[Row, int | None]:
    start = text.find("{")
    try:
        scores = _Scores.model_validate(json_repair.loads(text[start:]) if start >= 0 else None)
    except (ValidationError, ValueError, RecursionError):
        return {}
    found: dict[Row, int | None] = {row: getattr(scores, row) for row in ROWS}
    return found if any(value is not None for value in found.values()) else {}


def _material(transcript: Transcript) -> str:
    lines = "\n\n".join(f"{one.who.upper()}: {one.text}" for one in transcript.said)
    answers = [fenced("open_answer", one, limit=MAX_ANSWER) for one in transcript.answers]
    return "\n".join([fenced("transcript", lines, limit=MAX_TRANSCRIPT), *answers])

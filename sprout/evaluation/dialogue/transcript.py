"""Transcript: what learner and tutor said in a lesson, and the marks that people gave it by the rubric."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sprout.errors import BadInput
from sprout.evaluation.data_files import parse_yaml

Row = Literal["no_leak", "reads_attempt", "truth", "load", "adaptation", "learners_share", "honesty"]
ROWS: tuple[Row, ...] = ("no_leak", "reads_attempt", "truth", "load", "adaptation", "learners_share", "honesty")
HIGHEST = 3

Words = Annotated[str, Field(min_length=1, max_length=8_000)]
Score = Annotated[int, Field(ge=0, le=HIGHEST)]


class Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    who: Literal["learner", "tutor"]
    text: Words


class Transcript(BaseModel):
    """Args: `marks` are a person's, by row; `answers` are right answers to the questions of the lesson."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Words
    said: tuple[Said, ...] = Field(min_length=1, max_length=200)
    answers: tuple[Words, ...] = ()
    marks: Mapping[Row, Score | None] = Field(default_factory=dict)


def read_transcripts(text: str, path: Path) -> list[Transcript]:
    """The transcripts of a YAML file. Raises BadInput, which names the place at fault."""
    found = parse_yaml(text, path, TypeAdapter(list[Transcript]))
    if not found:
        raise BadInput(f"{path} holds no transcripts")
    return found

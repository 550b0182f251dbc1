"""Item set: questions whose keys are to be checked, from a path or from a list with planted faults."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from sprout.evaluation.data_files import digest, parse_yaml, read_text, require, sample_text
from sprout.evaluation.suite import DataSource
from sprout.learning.paths.path_file import QuestionItem, parse_path, to_draft
from sprout.learning.questions.questions import QuestionDraft

SAMPLE = "items.yaml"
Fault = Literal["none", "wrong_key", "flawed"]


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """A question; `fault` is what was planted, None if that is unknown."""

    id: str
    draft: QuestionDraft
    fault: Fault | None = None


class _Planted(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    fault: Fault
    question: QuestionItem


def read_items(path: Path | None) -> tuple[Sequence[CheckedItem], DataSource]:
    """The questions of a path file, as `sprout export` writes it, or of a list; the shipped one without a path.

    Raises BadInput, SetupError.
    """
    text = sample_text(SAMPLE) if path is None else read_text(path)
    place = path or Path(SAMPLE)
    found = _of_path(text) if "sprout_path" in text else _of_list(text, place)
    require(found, place, "questions")
    own = path is None
    name, licence = ("Sprout's own questions", "Apache-2.0, part of Sprout") if own else (place.name, "your own")
    return found, DataSource(name, licence, digest(text))


def _of_path(text: str) -> list[CheckedItem]:
    path = parse_path(text)
    return [
        CheckedItem(f"{place}.{number}", to_draft(question, question.tests))
        for place, concept in enumerate(path.concepts, start=1)
        for number, question in enumerate(concept.questions, start=1)
    ]


def _of_list(text: str, path: Path) -> list[CheckedItem]:
    planted = parse_yaml(text, path, TypeAdapter(list[_Planted]))
    return [
        CheckedItem(f"q{number}", to_draft(one.question, one.question.tests), one.fault)
        for number, one in enumerate(planted, start=1)
    ]

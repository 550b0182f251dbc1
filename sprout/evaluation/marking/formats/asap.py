"""ASAP-SAS: answers of pupils to ten questions, each scored from 0 to 2 or 3, as the Hewlett Foundation released them.

The table has no questions: they stand in documents of the release, which may not be passed on. So a file
`questions.yaml` beside it says, for each set that is to be marked, what was asked and what an answer is scored by.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sprout.errors import BadInput
from sprout.evaluation.data_files import as_number, digest, parse_yaml, read_text, require, table_rows
from sprout.evaluation.marking.answer_set import AnswerSet, MarkedAnswer, question_of_reference
from sprout.evaluation.suite import DataSource
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion

COLUMNS = ("Id", "EssaySet", "Score1", "EssayText")
QUESTIONS = "questions.yaml"
SOURCE = "ASAP-SAS, the Hewlett Foundation's short answers"
LICENCE = "the rules of its competition; not shipped"

Words = Annotated[str, Field(min_length=1)]


class _Criterion(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Words
    statement: Words
    weight: float = Field(gt=0)
    partly_if: str | None = None


class _Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    set: int
    prompt: Words
    answer: Words
    highest: int = Field(ge=1, le=3)
    criteria: tuple[_Criterion, ...] = ()


def read_asap(text: str, path: Path) -> AnswerSet:
    """The answers of a table to the questions that are described beside it. Raises BadInput, SetupError."""
    questions = _questions(path.parent / QUESTIONS)
    found = []
    for line, row in table_rows(path, text, COLUMNS, delimiter="\t", quoted=False):
        asked = questions.get(int(as_number(path, line, "EssaySet", row["EssaySet"])))
        if asked is None:
            continue
        level = int(as_number(path, line, "Score1", row["Score1"]))
        if not 0 <= level <= asked.highest:
            raise BadInput(f"{path}, line {line}: the score is {level}, and set {asked.set} goes to {asked.highest}")
        scale, says = f"set {asked.set}", row["EssayText"].strip()
        answer = MarkedAnswer(row["Id"], _open_question(asked), asked.answer, says, level, asked.highest, scale)
        found.append(answer)
    require(found, path, f"answers to the sets {', '.join(map(str, questions))}")
    content = [f"{one.id}\t{one.question.prompt}\t{one.says}\t{one.level}" for one in found]
    return AnswerSet(found, DataSource(SOURCE, LICENCE, digest(*content)))


def _questions(path: Path) -> dict[int, _Question]:
    if not path.is_file():
        raise BadInput(
            f"{path} is missing: the table of ASAP-SAS holds no questions. Write a list of "
            "{set: 1, prompt: …, answer: …, highest: 3} with what the release says of each set that is to be marked."
        )
    text = read_text(path)
    listed = parse_yaml(text, path, TypeAdapter(list[_Question]))
    return {one.set: one for one in listed}


def _open_question(asked: _Question) -> OpenQuestion:
    if not asked.criteria:
        return question_of_reference(asked.prompt, [asked.answer])
    criteria = tuple(Criterion(one.label, one.statement, one.weight, one.partly_if) for one in asked.criteria)
    return OpenQuestion(asked.prompt, criteria, (asked.answer,))

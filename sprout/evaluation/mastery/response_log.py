"""Response log: what learners answered, in the order of time, and the skills that each answer took."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sprout.errors import BadInput
from sprout.evaluation.data_files import as_number, digest, read_text, require, table_rows
from sprout.evaluation.suite import DataSource
from sprout.learning.questions.questions import QuestionFormat

COLUMNS = ("order_id", "user_id", "correct")
SKILLS = ("skill_id", "skill_name")  # a log has one of them, or both
SOURCE = "ASSISTments response log"
LICENCE = "as ASSISTments states it; not shipped"


@dataclass(frozen=True, slots=True)
class Response:
    """A first answer. `skills` holds all that the question takes."""

    skills: tuple[str, ...]
    right: bool
    format: QuestionFormat = "numeric"


@dataclass(frozen=True, slots=True)
class ResponseLog:
    """Responses by learner."""

    learners: Mapping[str, Sequence[Response]]
    source: DataSource


def read_assistments(path: Path) -> ResponseLog:
    """A log in the format of ASSISTments 2009-2010 (`skill_builder_data.csv`) or one of its followers.

    Rows of one `order_id` are one answer that took several skills. Rows without a skill, and scaffolding (`original`
    is 0), are left out: nothing could be predicted from the former, and the latter were helped. An answer counts as
    right where `correct` is 1: after hints it is less.

    Raises BadInput, which names the line at fault; SetupError.
    """
    text = read_text(path)
    rows: dict[tuple[str, float], tuple[list[str], bool, QuestionFormat]] = {}
    for line, row in table_rows(path, text, COLUMNS):
        skill = next((row[name].strip() for name in SKILLS if (row.get(name) or "").strip()), "")
        correct = as_number(path, line, "correct", row["correct"])
        if not 0 <= correct <= 1:
            raise BadInput(f"{path}, line {line}: 'correct' is {correct:g}, and goes from 0 to 1")
        if not skill or skill == "NA" or row.get("original", "1").strip() == "0":
            continue
        key = (row["user_id"].strip(), as_number(path, line, "order_id", row["order_id"]))
        kind: QuestionFormat = "mcq" if row.get("answer_type", "").startswith("choose") else "numeric"
        skills, _, _ = rows.setdefault(key, ([], correct >= 1, kind))
        if skill not in skills:
            skills.append(skill)
    learners: dict[str, list[Response]] = defaultdict(list)
    for (learner, _), (skills, right, kind) in sorted(rows.items(), key=lambda one: one[0][1]):
        learners[learner].append(Response(tuple(skills), right, kind))
    require([*learners], path, f"answer with a skill in one of the columns {', '.join(SKILLS)}")
    return ResponseLog(dict(sorted(learners.items())), DataSource(SOURCE, LICENCE, digest(text)))

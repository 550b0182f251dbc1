"""Evidence rows: graded answers as mastery is computed from them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from sprout.learning.mastery.mastery import Evidence
from sprout.learning.questions.questions import prompt_key
from sprout.store.assessment.question_tests import Tested, gather_tests, tested_ids, with_tests
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

_answers, _questions = table_of(tables.Answer), table_of(tables.Question)

EVIDENCE_COLUMNS = (
    *(_answers.c[name] for name in ("id", "question_id", "help_level", "score", "created_at", "creation")),
    *(_questions.c[name] for name in ("prompt", "format", "difficulty")),
)
_EVIDENCE = with_tests(
    select(*EVIDENCE_COLUMNS)
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .where(_questions.c.node_id == bindparam("concept"), _answers.c.user_id == bindparam("user"))
    .where(_questions.c.state != "voided", _answers.c.score.is_not(None))
    .order_by(_answers.c.creation)
)


def evidence_about(connection: Connection, concept_id: str, user_id: str) -> list[Evidence]:
    """The learner's graded answers to questions about the concept that are not voided, oldest first."""
    found = connection.execute(_EVIDENCE, {"concept": concept_id, "user": user_id})
    return [evidence_from(row, tests) for row, tests in gather_tests(found)]


def evidence_from(row: Row[Any], tests: Sequence[Tested]) -> Evidence:
    """The evidence in a row of `EVIDENCE_COLUMNS`."""
    return Evidence(
        answer_id=row.id,
        question_id=row.question_id,
        item=prompt_key(row.prompt),
        tests=tested_ids(tests),
        format=row.format,
        difficulty=row.difficulty,
        score=row.score,
        help_level=row.help_level,
        at=row.created_at,
        number=row.creation,
    )

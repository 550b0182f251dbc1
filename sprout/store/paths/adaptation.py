"""Adaptation data: newest answers, progress and earlier changes, by which a path is adapted."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select

from sprout.events import DiagnosticStatus
from sprout.learning.actor import Actor
from sprout.learning.graph.changes import Change
from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.mastery.adaptation import AnsweredQuestion, ConceptProgress, NodeProgress, ReviewedAnswers
from sprout.learning.misconceptions.repository import HeldBelief
from sprout.store.assessment.misconceptions import held_beliefs
from sprout.store.assessment.question_tests import Tested, gather_tests, tested_ids, with_tests
from sprout.store.engine.database import Database
from sprout.store.engine.tolerant_reads import fetch_readable
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import children_of
from sprout.store.paths.history import ORDER, change_from, parent_changes, undo_run
from sprout.store.paths.removal_guards import started_nodes
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.schema import mapping, tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.grade_columns import load_grade
from sprout.store.schema.run_tables import Run

QUESTION_UPHELD = "held"  # the outcome of a contest of a question that is right
REFINEMENT = "refinement"  # the agent whose notes name the reviewed answers

_answers, _questions = table_of(tables.Answer), table_of(tables.Question)
_nodes, _progress = table_of(tables.Node), table_of(tables.Progress)
_assessments, _notes, _runs = table_of(tables.Assessment), table_of(tables.NodeGeneration), table_of(Run)
_ASKED = with_tests(
    select(
        *(_answers.c[name] for name in ("id", "question_id", "answer_text", "selected_option")),
        *(_answers.c[name] for name in ("score", "feedback", "help_level", "grade", "sure")),
        *(_questions.c[name] for name in ("prompt", "format", "difficulty", "contest")),
    )
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .where(_questions.c.node_id == bindparam("node"), _answers.c.user_id == bindparam("user"))
    .where(_questions.c.state != "voided")
    .order_by(_answers.c.creation)
)
_PROGRESS = (
    select(*(_progress.c[name] for name in ("node_id", "mastery_score", "completed_at", "mastered_at")))
    .join(_nodes, _nodes.c.id == _progress.c.node_id)
    .where(_nodes.c.parent_id == bindparam("node"), _progress.c.user_id == bindparam("user"))
)
_HISTORY = (
    select(_nodes.c.title, _progress.c.mastery_score, _progress.c.completed_at)
    .join(_nodes, _nodes.c.id == _progress.c.node_id)
    .where(_nodes.c.type == "concept", _progress.c.user_id == bindparam("user"), _progress.c.attempts_count > 0)
    .order_by(_progress.c.creation)
)
_LAST_NOTE = (
    select(_notes.c.response_meta)
    .join(_runs, _runs.c.id == _notes.c.id)
    .where(
        _notes.c.node_id == bindparam("node"),
        _notes.c.trigger == "system_refresh",
        _runs.c.agent == REFINEMENT,
        _runs.c.user_id == bindparam("user"),
    )
    .order_by(_notes.c.creation.desc())
    .limit(1)
)
_DIAGNOSTIC = select(*_assessments.c).where(
    _assessments.c.user_id == bindparam("user"),
    _assessments.c.target_node_id == bindparam("node"),
    _assessments.c.type == "diagnostic",
)
_IS_ASKED = (_questions.c.assessment_id == bindparam("assessment"), _questions.c.state.not_in(tables.NOT_ASKED))
_COUNT = select(func.count()).select_from(_questions).where(*_IS_ASKED)
_COUNT_ANSWERED = (
    select(func.count(func.distinct(_answers.c.question_id)))
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .where(*_IS_ASKED, _answers.c.user_id == bindparam("user"))
)


class SqlAdaptationRepository:
    """AdaptationRepository on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def answers(self, concept_id: str, *, user_id: str) -> Sequence[AnsweredQuestion]:
        values = {"node": concept_id, "user": user_id}
        found = await self._database.fetch(_ASKED, values)
        counted = {row.question_id: row.id for row in found}
        counted |= {row.question_id: row.id for row in reversed(found) if row.score is not None}
        return [_item(row, tests) for row, tests in gather_tests(found) if counted[row.question_id] == row.id]

    async def held_beliefs(self, concept_id: str, *, user_id: str) -> Sequence[HeldBelief]:
        return await self._database.read_tx(lambda connection: held_beliefs(connection, concept_id, user_id))

    async def reviewed(self, concept_id: str, *, user_id: str) -> ReviewedAnswers:
        values = {"node": concept_id, "user": user_id}
        return _reviewed(await self._database.read_tx(lambda connection: connection.scalar(_LAST_NOTE, values)))

    async def child_progress(self, parent_id: str, *, user_id: str) -> Mapping[str, NodeProgress]:
        def body(connection: Connection) -> dict[str, NodeProgress]:
            ids = [node.id for node in children_of(connection, parent_id)]
            found = connection.execute(_PROGRESS, {"node": parent_id, "user": user_id})
            progress = {
                row.node_id: NodeProgress(row.mastery_score, row.completed_at is not None, row.mastered_at is not None)
                for row in found
            }
            begun = started_nodes(connection, ids)
            return {id_: replace(progress.get(id_, NodeProgress()), started=id_ in begun) for id_ in ids}

        return await self._database.read_tx(body)

    async def history(self, *, user_id: str) -> Sequence[ConceptProgress]:
        found = await self._database.fetch(_HISTORY, {"user": user_id})
        return [ConceptProgress(row.title, row.mastery_score, row.completed_at is not None) for row in found]

    async def changes(self, parent_id: str, *, user_id: str) -> Sequence[Change]:
        return await fetch_readable(self._database, parent_changes(parent_id, user_id), ORDER, change_from)

    async def undo_run(self, parent_id: str, *, actor: Actor) -> int:
        def body(tx: WriteTransaction) -> int:
            return undo_run(tx, self._log, parent_id, actor)

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def diagnostic_status(self, concept_id: str, *, user_id: str) -> DiagnosticStatus | None:
        def body(connection: Connection) -> DiagnosticStatus | None:
            found = connection.execute(_DIAGNOSTIC, {"node": concept_id, "user": user_id}).mappings().one_or_none()
            if found is None:
                return None
            values = {"assessment": found["id"], "user": user_id}
            return DiagnosticStatus(
                concept_node_id=concept_id,
                assessment=mapping.assessment_row(tables.Assessment(**found)),
                answered_count=connection.execute(_COUNT_ANSWERED, values).scalar_one(),
                required_answers=connection.execute(_COUNT, values).scalar_one(),
            )

        return await self._database.read_tx(body)


def _item(row: Row[Any], tests: Iterable[Tested]) -> AnsweredQuestion:
    grade = load_grade(row.grade)
    return AnsweredQuestion(
        answer_id=row.id,
        question_id=row.question_id,
        prompt=row.prompt,
        tests=tested_ids(tests),
        difficulty=row.difficulty,
        score=row.score,
        feedback=row.feedback,
        misconceptions=_misconceptions(grade),
        help_level=row.help_level,
        contested=row.contest is not None and row.contest.get("outcome") != QUESTION_UPHELD,
        choice=row.format == "mcq",
        sure=bool(row.sure),
        blank=row.selected_option is None and says_nothing(row.answer_text or ""),
    )


def _misconceptions(grade: Grade | None) -> tuple[str, ...]:
    """The misconceptions that a settled grade reveals."""
    if grade is None or grade.state is not GradeState.GRADED:
        return ()
    judged = [one.misconception for one in grade.results if one.misconception and one.verdict != "met"]
    return tuple(dict.fromkeys([*grade.misconceptions, *judged]))


def _reviewed(meta: str | None) -> ReviewedAnswers:
    """The reviewed ids of a note; none if it has none."""
    try:
        noted = json.loads(meta or "{}")["seen"]
        return ReviewedAnswers(_ids(noted["graded"]), _ids(noted["ungraded"]))
    except (ValueError, KeyError, TypeError):
        return ReviewedAnswers()  # a note in another form: everything is reviewed again


def _ids(noted: Iterable[object]) -> frozenset[str]:
    return frozenset(str(one) for one in noted)

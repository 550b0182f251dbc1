"""Progress reports, from a fixed number of statements each."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import Connection, Row, Select, func, select, union_all
from sqlmodel import Session

from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.learning.mastery.mastery import Claim
from sprout.learning.mastery.milestones import Milestone, Reached, milestones, stage
from sprout.learning.mastery.reports import (
    MAX_LAST_MARKS,
    AnswerLine,
    BegunRow,
    CostRow,
    EvidenceRow,
    Flashcard,
    MasteryLine,
    ProgressReport,
    StudiedRow,
    TurnRow,
    answer_mark,
    common_misconception,
)
from sprout.learning.mastery.study_time import study_periods
from sprout.store.assessment import answer_history
from sprout.store.assessment.evidence import evidence_from
from sprout.store.assessment.placement_findings import claims_of
from sprout.store.assessment.question_tests import Tested, gather_tests, tested_ids
from sprout.store.engine.database import Database
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema import run_tables, tables
from sprout.store.schema.columns import table_of

_nodes, _progress, _branches = table_of(tables.Node), table_of(tables.Progress), table_of(tables.Branch)
_edges, _answers, _messages = table_of(tables.Edge), table_of(tables.Answer), table_of(tables.ChatMessage)
_sessions, _assessments = table_of(tables.ChatSession), table_of(tables.Assessment)
_runs = table_of(run_tables.Run)
_concepts = _nodes.alias("concepts")

_Answer = tuple[Row[Any], Sequence[Tested]]


class SqlReports:
    """Reports on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def report(self, user_id: str, *, branch_id: str | None = None) -> ProgressReport:
        since = utc_now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)

        def body(session: Session) -> _Found:
            connection = _owned_connection(session, user_id, branch_id)
            return _Found(
                parts=connection.execute(_parts_query(user_id, branch_id)).all(),
                answers=connection.execute(answer_history.counting_answers(user_id, branch_id)).all(),
                claims=claims_of(connection, user_id),
                edges=[(edge.source, edge.target) for edge in connection.execute(_edges_query(user_id, branch_id))],
                moments=connection.execute(_moments_query(user_id, branch_id)).scalars().all(),
                cost=CostRow(
                    since=wire_time(since),
                    usd=connection.execute(_cost_query(user_id, branch_id, since)).scalar() or 0.0,
                ),
            )

        return await asyncio.to_thread(_build_report, await self._database.read_orm_tx(body))

    async def evidence(self, node_id: str, *, user_id: str) -> Sequence[EvidenceRow]:
        return await self._database.read_orm_tx(lambda session: answer_history.evidence_of(session, node_id, user_id))

    async def answers(self, user_id: str, *, branch_id: str | None = None) -> Sequence[AnswerLine]:
        return await self._database.read_orm_tx(
            lambda session: answer_history.answer_lines(
                _owned_connection(session, user_id, branch_id), user_id, branch_id
            )
        )

    async def masteries(self, user_id: str, *, branch_id: str | None = None) -> Sequence[MasteryLine]:
        def body(session: Session) -> list[MasteryLine]:
            parts = _owned_connection(session, user_id, branch_id).execute(_parts_query(user_id, branch_id))
            return [
                MasteryLine(
                    path=part.branch_title or "",
                    concept=part.concept_title,
                    title=part.title,
                    mastery=part.mastery_score or 0.0,
                    answers=part.attempts_count or 0,
                    learned_at=None if part.completed_at is None else wire_time(part.completed_at),
                    mastered_at=None if part.mastered_at is None else wire_time(part.mastered_at),
                )
                for part in parts
            ]

        return await self._database.read_orm_tx(body)

    async def flashcards(self, user_id: str, *, branch_id: str | None = None) -> Sequence[Flashcard]:
        return await self._database.read_orm_tx(
            lambda session: answer_history.flashcards(
                _owned_connection(session, user_id, branch_id), user_id, branch_id
            )
        )


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows of a report: some thousand after a year, so a thread of its own reads them."""

    parts: Sequence[Row[Any]]
    answers: Sequence[Row[Any]]
    claims: Sequence[Claim]
    edges: Sequence[tuple[str, str]]
    moments: Sequence[datetime]
    cost: CostRow


def _build_report(found: _Found) -> ProgressReport:
    answers = list(gather_tests(found.answers))
    about = _by_node(found.parts, answers)
    begun = [_started_row(part, about[part.id]) for part in found.parts if _is_started(part)]
    return ProgressReport(
        parts=len(found.parts),
        begun=sorted(begun, key=lambda one: one.mastery),
        turns=[
            TurnRow(node_id=one.node_id, at=wire_time(one.at), reached=one.reached)
            for one in _milestones(found.parts, answers, found.claims, found.edges)
        ],
        studied=[
            StudiedRow(at=wire_time(one.at), deeds=one.activities, seconds=one.seconds)
            for one in study_periods(moment.astimezone(UTC) for moment in found.moments)
        ],
        cost=found.cost,
    )


def _owned_connection(session: Session, user_id: str, branch_id: str | None) -> Connection:
    """The session's connection, if the branch, where one is named, is the user's. Raises NotFound."""
    if branch_id is not None:
        owned_branch(session, branch_id, user_id)
    return session.connection()


def _parts_query(user_id: str, branch_id: str | None) -> Select[Any]:
    """The subconcepts with their place and the learner's progress, in the order of creation."""
    wanted = (
        select(
            _nodes.c.id,
            _nodes.c.title,
            _nodes.c.branch_id,
            _concepts.c.id.label("concept_id"),
            _concepts.c.title.label("concept_title"),
            _branches.c.title.label("branch_title"),
            _progress.c.mastery_score,
            _progress.c.attempts_count,
            _progress.c.completed_at,
            _progress.c.mastered_at,
            _progress.c.overridden_at,
            _progress.c.updated_at,
        )
        .join(_concepts, _concepts.c.id == _nodes.c.parent_id)
        .outerjoin(_branches, _branches.c.id == _nodes.c.branch_id)
        .outerjoin(_progress, (_progress.c.node_id == _nodes.c.id) & (_progress.c.user_id == user_id))
        .where(_nodes.c.user_id == user_id, _nodes.c.type == "subconcept")
        .order_by(_nodes.c.creation)
    )
    return wanted if branch_id is None else wanted.where(_nodes.c.branch_id == branch_id)


def _edges_query(user_id: str, branch_id: str | None) -> Select[Any]:
    """The edges among subconcepts."""
    wanted = (
        select(_edges.c.source_node_id.label("source"), _edges.c.target_node_id.label("target"))
        .join(_nodes, _nodes.c.id == _edges.c.source_node_id)
        .where(_nodes.c.user_id == user_id, _nodes.c.type == "subconcept")
    )
    return wanted if branch_id is None else wanted.where(_nodes.c.branch_id == branch_id)


def _moments_query(user_id: str, branch_id: str | None) -> Any:
    """When the learner answered or wrote something."""
    answers = select(_answers.c.created_at).where(_answers.c.user_id == user_id)
    messages = select(_messages.c.created_at).where(_messages.c.user_id == user_id, _messages.c.role == "user")
    if branch_id is not None:
        answers = (
            answers.join(_assessments, _assessments.c.id == _answers.c.assessment_id)
            .join(_nodes, _nodes.c.id == _assessments.c.target_node_id)
            .where(_nodes.c.branch_id == branch_id)
        )
        messages = (
            messages.join(_sessions, _sessions.c.id == _messages.c.session_id)
            .join(_nodes, _nodes.c.id == _sessions.c.node_id)
            .where(_nodes.c.branch_id == branch_id)
        )
    return union_all(answers, messages)


def _cost_query(user_id: str, branch_id: str | None, since: datetime) -> Select[Any]:
    """The cost of root runs that began since then, with all under them."""
    wanted = select(func.sum(_runs.c.cost_usd)).where(
        _runs.c.user_id == user_id, _runs.c.parent_id.is_(None), _runs.c.created_at >= since
    )
    return wanted if branch_id is None else wanted.where(_runs.c.branch_id == branch_id)


def _by_node(parts: Sequence[Row[Any]], answers: Sequence[_Answer]) -> Mapping[str, Sequence[Row[Any]]]:
    """The answers that count for each part, oldest first."""
    known = {part.id for part in parts}
    found: defaultdict[str, list[Row[Any]]] = defaultdict(list)
    for answer, tests in answers:
        for node_id in known.intersection(tested_ids(tests)):
            found[node_id].append(answer)
    return found


def _is_started(part: Row[Any]) -> bool:
    return bool(part.attempts_count) or part.overridden_at is not None


def _reached(part: Row[Any]) -> Reached:
    return stage(learned=part.completed_at is not None, mastered=part.mastered_at is not None)


def _started_row(part: Row[Any], answers: Sequence[Row[Any]]) -> BegunRow:
    last = answers[-MAX_LAST_MARKS:]
    return BegunRow(
        node_id=part.id,
        title=part.title,
        concept_id=part.concept_id,
        branch_id=part.branch_id or "",
        branch_title=part.branch_title or "",
        mastery=part.mastery_score,
        learned=part.completed_at is not None,
        mastered=part.mastered_at is not None,
        answers=len(answers),
        last=[answer_mark(answer.score) for answer in last],
        looks_like=common_misconception(
            thought for answer in last if not answer.is_open for thought in cast(list[str], answer.thoughts or [])
        ),
    )


def _milestones(
    parts: Sequence[Row[Any]],
    answers: Sequence[_Answer],
    claims: Sequence[Claim],
    edges: Sequence[tuple[str, str]],
) -> Sequence[Milestone]:
    """Milestones of each part on the way to the mastery of its row, oldest first.

    The row decides where the answers disagree: overrides and changes of the path are in no answer.
    """
    known = {part.id for part in parts}
    evidence = [evidence_from(one, [test for test in tests if test.node_id in known]) for one, tests in answers]
    found = milestones([*evidence, *(one for one in claims if one.node_id in known)], edges)
    last = {turn.node_id: turn.reached for turn in found}
    messages = [
        Milestone(part.id, part.overridden_at or part.updated_at, _reached(part))
        for part in parts
        if _is_started(part) and last.get(part.id) != _reached(part)
    ]
    return sorted([*found, *messages], key=lambda turn: turn.at)

"""Progress reports, from a fixed number of statements each."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select, union_all
from sqlmodel import Session

from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.learning.mastery.reports import (
    AnswerLine,
    CostRow,
    EvidenceRow,
    MasteryLine,
    ProgressReport,
)
from sprout.learning.reviews.cards import Review
from sprout.store.assessment import answer_history
from sprout.store.assessment.claims import claims_of
from sprout.store.assessment.progress_report import ReportRows, build_report
from sprout.store.assessment.review_cards import learned_times, review_histories
from sprout.store.engine.database import Database
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema import run_tables, tables
from sprout.store.schema.columns import table_of

_nodes, _progress, _branches = table_of(tables.Node), table_of(tables.Progress), table_of(tables.Branch)
_edges, _answers, _messages = table_of(tables.Edge), table_of(tables.Answer), table_of(tables.ChatMessage)
_sessions, _assessments = table_of(tables.ChatSession), table_of(tables.Assessment)
_runs = table_of(run_tables.Run)
_concepts = _nodes.alias("concepts")


class SqlReports:
    """Reports on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def report(self, user_id: str, *, branch_id: str | None = None) -> ProgressReport:
        since = utc_now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)

        def body(session: Session) -> ReportRows:
            connection = _owned_connection(session, user_id, branch_id)
            parts = connection.execute(_parts_query(user_id, branch_id)).all()
            return ReportRows(
                parts=parts,
                answers=connection.execute(answer_history.counting_answers(user_id, branch_id)).all(),
                claims=claims_of(connection, user_id),
                edges=[(edge.source, edge.target) for edge in connection.execute(_edges_query(user_id, branch_id))],
                moments=connection.execute(_moments_query(user_id, branch_id)).scalars().all(),
                reviewed=_reviewed(connection, [part.id for part in parts], user_id),
                cost=CostRow(
                    since=wire_time(since),
                    usd=connection.execute(_cost_query(user_id, branch_id, since)).scalar() or 0.0,
                ),
            )

        return await asyncio.to_thread(build_report, await self._database.read_orm_tx(body))

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


def _reviewed(
    connection: Connection, node_ids: Sequence[str], user_id: str
) -> Sequence[tuple[datetime, Sequence[Review]]]:
    """When each of the parts was learned, with its reviews in the order in which they were stored."""
    learned = learned_times(connection, node_ids, user_id)
    history = review_histories(connection, list(learned), user_id)
    return [(learned[node_id], [one.review for one in stored]) for node_id, stored in history.items()]

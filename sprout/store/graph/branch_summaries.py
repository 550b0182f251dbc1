"""Summaries of a learner's branches, in a fixed number of queries."""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import union_all
from sqlalchemy.exc import OperationalError
from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from sprout.events import wire_time
from sprout.learning.paths.repository import BranchSummary, ConceptSummary
from sprout.store.schema import run_tables, tables
from sprout.store.schema.mapping import branch_row

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Facts:
    nodes: Mapping[str, Sequence[tables.Node]]
    progress: Mapping[str, tables.Progress]
    parts: Mapping[str, int]
    activity: Mapping[str, datetime]


async def summaries_of(session: AsyncSession, user_id: str) -> list[BranchSummary]:
    """All branches of the user with their concepts in order of creation, newest activity first."""
    wanted = select(tables.Branch).where(tables.Branch.user_id == user_id).order_by(col(tables.Branch.creation).desc())
    branches = (await session.exec(wanted)).all()
    facts = _Facts(
        nodes=await _topics_and_concepts(session, user_id),
        progress=await _progress(session, user_id),
        parts=await _part_counts(session, user_id),
        activity=await _activity(session, user_id),
    )
    active = sorted(branches, key=lambda branch: _last_activity(branch, facts), reverse=True)
    return [_summary(branch, facts) for branch in active]


def _summary(branch: tables.Branch, facts: _Facts) -> BranchSummary:
    nodes = facts.nodes.get(branch.id, ())
    return BranchSummary(
        branch=branch_row(branch),
        root_id=next((node.id for node in nodes if node.type == "root"), None),
        concepts=[_concept(node, facts) for node in nodes if node.type == "concept"],
        last_activity_at=wire_time(_last_activity(branch, facts)),
    )


def _concept(node: tables.Node, facts: _Facts) -> ConceptSummary:
    progress = facts.progress.get(node.id)
    return ConceptSummary(
        id=node.id,
        title=node.title,
        learned=progress is not None and progress.completed_at is not None,
        mastered=progress is not None and progress.mastered_at is not None,
        begun=progress is not None and (progress.attempts_count > 0 or progress.mastery_score > 0),
        mastery=0.0 if progress is None else progress.mastery_score,
        subconcept_count=facts.parts.get(node.id, 0),
    )


def _last_activity(branch: tables.Branch, facts: _Facts) -> datetime:
    return max(branch.updated_at, facts.activity.get(branch.id, branch.updated_at))


async def _topics_and_concepts(session: AsyncSession, user_id: str) -> Mapping[str, Sequence[tables.Node]]:
    wanted = (
        select(tables.Node)
        .where(tables.Node.user_id == user_id, col(tables.Node.type).in_(("root", "concept")))
        .order_by(col(tables.Node.creation))
    )
    by_branch: defaultdict[str, list[tables.Node]] = defaultdict(list)
    for node in await session.exec(wanted):
        by_branch[node.branch_id or ""].append(node)
    return by_branch


async def _progress(session: AsyncSession, user_id: str) -> Mapping[str, tables.Progress]:
    wanted = select(tables.Progress).where(tables.Progress.user_id == user_id)
    return {progress.node_id: progress for progress in await session.exec(wanted)}


async def _part_counts(session: AsyncSession, user_id: str) -> Mapping[str, int]:
    wanted = (
        select(tables.Node.parent_id, func.count())
        .where(tables.Node.user_id == user_id, tables.Node.type == "subconcept")
        .group_by(col(tables.Node.parent_id))
    )
    return {parent_id: count for parent_id, count in await session.exec(wanted) if parent_id is not None}


async def _activity(session: AsyncSession, user_id: str) -> Mapping[str, datetime]:
    """The last activity in each branch: on a node, in a run, or in the learner's progress."""
    node, run, progress = tables.Node, run_tables.Run, tables.Progress
    moments = union_all(
        select(node.branch_id, col(node.updated_at).label("at")).where(node.user_id == user_id),
        select(run.branch_id, func.coalesce(run.ended_at, run.started_at, run.created_at)).where(
            run.user_id == user_id
        ),
        select(node.branch_id, progress.updated_at)
        .join(progress, col(progress.node_id) == col(node.id))
        .where(progress.user_id == user_id),
    ).subquery()
    latest = select(moments.c.branch_id, func.max(moments.c.at)).group_by(moments.c.branch_id)
    try:
        return {branch_id: at for branch_id, at in await session.exec(latest) if branch_id is not None}
    except (ValueError, TypeError, OperationalError):  # a damaged run hides no path; only the order differs
        _log.exception("row.damaged", extra={"table": "runs"})
        return {}

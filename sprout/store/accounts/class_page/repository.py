"""Class progress on SQL: a class page from a fixed number of statements, however many learners and concepts."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select
from sqlmodel import Session

from sprout.accounts.class_page.contrasts import (
    SEND_AGAIN_AFTER,
    ContrastRow,
    ContrastSentAlready,
    NothingToSend,
)
from sprout.accounts.class_page.progress import (
    ClassConcept,
    ClassMixUp,
    ClassProgress,
    ConceptReport,
    LearnerProgress,
    SeenPath,
)
from sprout.accounts.class_page.rules import ConceptStanding, copy_states, in_order, is_stuck
from sprout.accounts.classes import ClassArchived
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.learning.paths.next_lesson import learning_order
from sprout.store.accounts.class_page.activity import WEEK, Activity, activity_of
from sprout.store.accounts.class_page.concept_report import chance_of, given_of_concept, last_answers
from sprout.store.accounts.class_page.contrasts import (
    askable_beliefs,
    insert_contrast,
    mix_up_rows,
    sendable_mix_ups,
    sent_contrasts,
)
from sprout.store.accounts.class_page.copies import CopyRows, copies_of, copy_rows
from sprout.store.accounts.class_page.mix_ups import held_mix_ups
from sprout.store.accounts.class_page.question_beliefs import QuestionBeliefs
from sprout.store.accounts.teaching import lock_class, membership, owned_class
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, GivenPath, PathCopy
from sprout.store.schema.columns import table_of

_members, _given, _copies = table_of(ClassMember), table_of(GivenPath), table_of(PathCopy)
_accounts, _branches = table_of(AccountTable), table_of(tables.Branch)
_nodes, _edges = table_of(tables.Node), table_of(tables.Edge)


class SqlClassProgress:
    """ClassProgressReports and Contrasts on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._questions = QuestionBeliefs()

    async def send(self, class_id: str, given_id: str, mix_up_id: str, *, teacher_id: str) -> ContrastRow:
        now = utc_now()

        def body(tx: WriteTransaction) -> ContrastRow:
            if lock_class(tx, class_id, teacher_id).archived_at is not None:
                raise ClassArchived
            given = _given_path(tx.connection, class_id, given_id)
            last = sent_contrasts(tx.connection, given_id).get(mix_up_id)
            if last is not None and now - last.at < SEND_AGAIN_AFTER:
                raise ContrastSentAlready
            to = _askable_holders(tx.connection, given, mix_up_id, self._questions)
            if not to:
                raise NothingToSend
            insert_contrast(tx, given_id, mix_up_id, to, now)
            return ContrastRow(at=wire_time(now), to=len(to))

        return await self._database.write_tx(body)

    async def progress(self, class_id: str, given_id: str, *, teacher_id: str) -> ClassProgress:
        now = utc_now()

        def read(session: Session) -> "_PageRows":
            owned_class(session, class_id, teacher_id)
            return self._page_rows(session.connection(), class_id, given_id, now)

        return await asyncio.to_thread(_page, await self._database.read_orm_tx(read))

    async def concept(self, class_id: str, learner_id: str, node_id: str, *, teacher_id: str) -> ConceptReport:
        now = utc_now()

        def read(session: Session) -> ConceptReport:
            connection = session.connection()
            owned_class(session, class_id, teacher_id)
            membership(session, class_id, learner_id)
            given_id = given_of_concept(connection, class_id, node_id)
            rows = self._page_rows(connection, class_id, given_id, now, learner_id)
            return _concept_report(connection, rows, node_id, learner_id)

        return await self._database.read_orm_tx(read)

    async def seen(self, class_id: str, *, learner_id: str) -> Sequence[SeenPath]:
        now = utc_now()

        def read(session: Session) -> list[_PageRows]:
            membership(session, class_id, learner_id)
            given = select(_given.c.id).where(_given.c.class_id == class_id).order_by(_given.c.creation)
            ids = session.connection().execute(given).scalars().all()
            return [self._page_rows(session.connection(), class_id, one, now, learner_id) for one in ids]

        return [_seen(rows) for rows in await self._database.read_orm_tx(read)]

    def _page_rows(
        self, connection: Connection, class_id: str, given_id: str, now: datetime, learner_id: str | None = None
    ) -> "_PageRows":
        """The rows of all members' progress, or of one's. Raises NotFound: the class is not given the path."""
        given = _given_path(connection, class_id, given_id)
        copies = copies_of(given_id, learner_id)
        members = _learners(connection, class_id, given_id, learner_id)
        branches = {one.user_id: one.branch_id for one in members if one.branch_id is not None}
        sent = {} if learner_id is not None else sent_contrasts(connection, given_id)
        mix_ups = held_mix_ups(connection, given.branch_id, copies, self._questions, also=sent)
        sendable = sendable_mix_ups(connection, mix_ups, branches, self._questions)
        return _PageRows(
            given=given,
            now=now,
            concepts=_source_concepts(connection, given.branch_id),
            members=members,
            copies=copy_rows(connection, given_id, given.branch_id, copies),
            activity=activity_of(connection, copies, now),
            mix_ups=mix_up_rows(mix_ups, sendable, sent, branches),
        )


def _askable_holders(connection: Connection, given: Row[Any], mix_up_id: str, questions: QuestionBeliefs) -> list[str]:
    """The members who hold the mix-up and have a question on it that can be asked."""
    copies = copies_of(given.id)
    found = held_mix_ups(connection, given.branch_id, copies, questions)
    holders = next((one.holders for one in found if one.id == mix_up_id), frozenset[str]())
    branches = {row.user_id: row.branch_id for row in connection.execute(select(copies))}
    could_show = askable_beliefs(connection, [branches[one] for one in holders], questions)
    return sorted(one for one in holders if mix_up_id in could_show.get(one, ()))


@dataclass(frozen=True, slots=True)
class _PageRows:
    """The rows of a class page; `concepts` are ids and titles in learning order."""

    given: Row[Any]
    now: datetime
    concepts: Sequence[tuple[str, str]]
    members: Sequence[Any]
    copies: CopyRows
    activity: Mapping[str, Activity]
    mix_ups: Sequence[ClassMixUp]


def _given_path(connection: Connection, class_id: str, given_id: str) -> Row[Any]:
    wanted = (
        select(_given, _branches.c.title)
        .join(_branches, _branches.c.id == _given.c.branch_id)
        .where(_given.c.id == given_id, _given.c.class_id == class_id)
    )
    found = connection.execute(wanted).one_or_none()
    if found is None:
        raise NotFound("given path", given_id)
    return found


def _source_concepts(connection: Connection, branch_id: str) -> list[tuple[str, str]]:
    """Ids and titles of the teacher's concepts, prerequisites first."""
    here = (_nodes.c.branch_id == branch_id, _nodes.c.type == "concept")
    wanted = select(_nodes.c.id, _nodes.c.title).where(*here).order_by(_nodes.c.creation)
    titles = {row.id: row.title for row in connection.execute(wanted)}
    edges = select(_edges.c.target_node_id, _edges.c.source_node_id)
    needs: dict[str, list[str]] = {}
    for target, source in connection.execute(edges.join(_nodes, _nodes.c.id == _edges.c.source_node_id).where(*here)):
        needs.setdefault(target, []).append(source)
    return [(node_id, titles[node_id]) for node_id in learning_order([*titles], needs)]


def _learners(connection: Connection, class_id: str, given_id: str, learner_id: str | None) -> Sequence[Any]:
    wanted = (
        select(_members.c.user_id, _accounts.c.display_name, _copies.c.branch_id)
        .join(_accounts, _accounts.c.user_id == _members.c.user_id)
        .outerjoin(_copies, (_copies.c.user_id == _members.c.user_id) & (_copies.c.given_id == given_id))
        .where(_members.c.class_id == class_id)
    )
    if learner_id is not None:
        wanted = wanted.where(_members.c.user_id == learner_id)
    return connection.execute(wanted).all()


def _page(found: _PageRows) -> ClassProgress:
    learners = in_order(_learner(found, member) for member in found.members)
    stuck = [sum(place in one.stuck for one in learners) for place in range(len(found.concepts))]
    since = wire_time(found.now - WEEK)
    return ClassProgress(
        class_id=found.given.class_id,
        given_id=found.given.id,
        branch_id=found.given.branch_id,
        title=found.given.title,
        due_on=found.given.due_on,
        at=wire_time(found.now),
        concepts=[
            ClassConcept(node_id=node_id, title=title, stuck=count)
            for (node_id, title), count in zip(found.concepts, stuck, strict=True)
        ],
        learners=learners,
        mix_ups=[*found.mix_ups],
        active_this_week=sum(one.last_active_at is not None and one.last_active_at >= since for one in learners),
        stuck_somewhere=sum(bool(one.stuck) for one in learners),
    )


def _seen(found: _PageRows) -> SeenPath:
    """One's own row of the page, made as the teacher's page is."""
    page = _page(found)
    (row,) = page.learners
    return SeenPath(
        given_id=page.given_id,
        title=page.title,
        concepts=[one.title for one in page.concepts],
        row=row,
        mix_ups=[one.statement for one in page.mix_ups],
    )


def _concept_report(connection: Connection, found: _PageRows, node_id: str, learner_id: str) -> ConceptReport:
    (row,) = _page(found).learners
    place = [one for one, _ in found.concepts].index(node_id)
    copy_id = found.copies.copy_ids.get(learner_id, {}).get(node_id) if row.states[place] is not None else None
    return ConceptReport(
        display_name=row.display_name,
        title=found.concepts[place][1],
        state=row.states[place],
        stuck=place in row.stuck,
        unsure=place in row.unsure,
        chance=None if copy_id is None else chance_of(connection, copy_id, learner_id),
        answers=[] if copy_id is None else last_answers(connection, copy_id, learner_id),
    )


def _learner(found: _PageRows, member: Row[Any]) -> LearnerProgress:
    user_id, activity = member.user_id, found.activity.get(member.user_id, Activity())
    copies, standings = _copies_in_order(found, user_id)
    states = copy_states(
        found.copies.standings.get(user_id, ()),
        found.copies.edges.get(user_id, ()),
        left=found.copies.left.get(user_id, ()),
        over=found.copies.over.get(user_id, ()),
    )
    scores = found.copies.scores.get(user_id, {})
    return LearnerProgress(
        user_id=user_id,
        display_name=member.display_name,
        last_active_at=None if activity.last_at is None else wire_time(activity.last_at),
        due=sum(activity.due.values()),
        study_seconds=activity.seconds,
        has_copy=member.branch_id is not None,
        states=[states.get(node_id or "") for node_id in copies],
        stuck=[
            place
            for place, one in enumerate(standings)
            if one is not None and is_stuck(scores.get(one.node_id, ()), learned=one.learned)
        ],
        unsure=[place for place, one in enumerate(standings) if one is not None and one.is_unsure],
        due_concepts=[place for place, node_id in enumerate(copies) if node_id in activity.due],
    )


def _copies_in_order(found: _PageRows, user_id: str) -> tuple[Sequence[str | None], Sequence[ConceptStanding | None]]:
    """The learner's copy of each concept, and how they stand with it."""
    ids = found.copies.copy_ids.get(user_id, {})
    by_id = {one.node_id: one for one in found.copies.standings.get(user_id, ())}
    copies = [ids.get(node_id) for node_id, _ in found.concepts]
    return copies, [by_id.get(node_id or "") for node_id in copies]

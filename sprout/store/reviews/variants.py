"""Variants as rows: which parts lack fresh questions, and the ones that are made about them."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby, islice
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, Select, exists, select, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.learning.questions.questions import SOLVABLE_FORMATS, QuestionDraft, prompt_key
from sprout.learning.reviews.items import Candidate, has_fresh
from sprout.learning.reviews.variants import (
    ACTIVE_WITHIN,
    CONCEPTS_AT_ONCE,
    DUE_WITHIN,
    GIVEN_QUESTIONS,
    LackingConcept,
    LackingPart,
)
from sprout.store.assessment.questions import draft_of, insert_question, positions, unchecked_state
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node, owned_node_row
from sprout.store.reviews.candidates import asked_about
from sprout.store.reviews.item_questions import recall_of
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.runs.mapping import runs
from sprout.store.runs.tool_effects import record_effect
from sprout.store.schema import run_tables, tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard

_cards, _nodes = table_of(ReviewCard), table_of(tables.Node)
_others = _cards.alias("others")
_questions, _assessments = table_of(tables.Question), table_of(tables.Assessment)
_keys = table_of(run_tables.IdempotencyKey)
_IS_SMALL = exists().where(runs.c.node_id == _nodes.c.parent_id, runs.c.user_id == _cards.c.user_id, runs.c.small)


class SqlVariants:
    """Variants on SQL.

    Args:
        now: the clock.
    """

    def __init__(self, database: Database, publish: Publish, *, now: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._log = EventLog(publish)
        self._now = now

    async def lacking_concepts(self) -> Sequence[LackingConcept]:
        now = self._now()
        active = select(_others.c.user_id).where(_others.c.seen_at >= now - ACTIVE_WITHIN)
        wanted = _due_soon(now).where(_cards.c.user_id.in_(active), ~_IS_SMALL)
        in_order = wanted.order_by(_cards.c.user_id, _cards.c.due_at)
        due = await self._database.fetch(in_order)
        found: list[LackingConcept] = []
        for user_id, cards in groupby(due, key=attrgetter("user_id")):  # a short transaction for each
            find = partial(_not_started, user_id=user_id, cards=list(cards))
            found += await self._database.read_tx(find)
        return found

    async def lacking_parts(self, concept_id: str, *, user_id: str) -> Sequence[LackingPart]:
        wanted = _due_soon(self._now()).where(_cards.c.user_id == user_id, _nodes.c.parent_id == concept_id)

        def body(session: Session) -> list[LackingPart]:
            connection = session.connection()
            due = [row.node_id for row in connection.execute(wanted.order_by(_cards.c.due_at))]
            lacking = _lacking(connection, due, user_id)
            return [
                LackingPart(node, tuple(_given(session, lacking[node_id], node.title)))
                for node_id in due
                if node_id in lacking
                for node in [owned_node_row(connection, node_id, user_id)]
            ]

        return await self._database.read_orm_tx(body)

    async def save(self, concept_id: str, drafts: Sequence[QuestionDraft], *, actor: Actor, held_back: bool) -> int:
        def body(tx: WriteTransaction) -> int:
            concept = lock_node(tx.connection, concept_id, actor.user_id)
            recall, saved = recall_of(tx, concept, actor.user_id), 0
            for draft in drafts:
                last, same = positions(tx.connection, recall, draft.prompt)
                if same is not None:
                    continue
                waits = held_back and draft.format in SOLVABLE_FORMATS
                insert_question(
                    tx.connection,
                    draft,
                    assessment_id=recall,
                    concept_id=concept.id,
                    position=last + 1,
                    state="drafted" if waits else unchecked_state(draft.format),
                )
                saved += 1
            record_effect(tx, self._log, actor, (), result={"saved": saved})
            return saved

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def held_back(self, concept_id: str, *, user_id: str) -> Sequence[str]:
        wanted = _held_back(concept_id, user_id).order_by(_questions.c.creation)
        return [row[0] for row in await self._database.fetch(wanted)]

    async def drop_held_back(self, concept_id: str, *, actor: Actor) -> None:
        def body(tx: WriteTransaction) -> None:
            concept = lock_node(tx.connection, concept_id, actor.user_id)
            dropped = _questions.c.id.in_(_held_back(concept.id, actor.user_id))
            tx.connection.execute(update(_questions).where(dropped).values(state="voided"))
            record_effect(tx, self._log, actor, (), result={})

        await self._database.write_tx(body, order=actor.root_run_id)


def _due_soon(now: datetime) -> Select[Any]:
    """The cards of parts that are due soon, with the concepts of the parts."""
    return (
        select(_cards.c.user_id, _cards.c.node_id, _cards.c.seen_at, _nodes.c.parent_id)
        .join(_nodes, _nodes.c.id == _cards.c.node_id)
        .where(_cards.c.due_at < now + DUE_WITHIN, _nodes.c.type == "subconcept")
    )


def _held_back(concept_id: str, user_id: str) -> Select[Any]:
    return (
        select(_questions.c.id)
        .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
        .where(_assessments.c.user_id == user_id, _assessments.c.target_node_id == concept_id)
        .where(_assessments.c.type == "recall", _questions.c.state == "drafted")
    )


def _not_started(connection: Connection, user_id: str, cards: Sequence[Row[Any]]) -> list[LackingConcept]:
    """Of one learner's cards, the concepts for which no run was started."""
    lacking = _lacking(connection, [card.node_id for card in cards], user_id)
    by_concept: dict[str, list[tuple[str, datetime]]] = {}
    for card in cards:
        if card.node_id in lacking:
            by_concept.setdefault(card.parent_id, []).append((card.node_id, card.seen_at))
    found = [
        LackingConcept(owned_node_row(connection, concept_id, user_id), user_id, tuple(parts))
        for concept_id, parts in by_concept.items()
    ]
    wanted = select(_keys.c.key).where(_keys.c.user_id == user_id, _keys.c.key.in_([one.key for one in found]))
    started = set(connection.execute(wanted).scalars())
    return list(islice((one for one in found if one.key not in started), CONCEPTS_AT_ONCE))


def _lacking(connection: Connection, node_ids: Collection[str], user_id: str) -> dict[str, list[Candidate]]:
    """Those of the parts whose questions were all asked, with these questions."""
    asked = asked_about(connection, node_ids, user_id)
    return {node_id: candidates for node_id, candidates in asked.items() if not has_fresh(candidates)}


def _given(session: Session, candidates: Sequence[Candidate], title: str) -> list[QuestionDraft]:
    """A few of a part's questions: those that code marks first, each prompt once, in the order of their making."""
    by_prompt: dict[str, Candidate] = {}
    for one in candidates:
        by_prompt.setdefault(prompt_key(one.prompt), one)
    first = sorted(by_prompt.values(), key=lambda one: not one.is_marked_by_code)[:GIVEN_QUESTIONS]
    wanted = select_rows(tables.Question).where(col(tables.Question.id).in_([one.question_id for one in first]))
    rows = {row.id: row for row in session.exec(wanted)}
    given = [rows[one.question_id] for one in first if one.question_id in rows]
    return [draft_of(row, (title,)) for row in given]

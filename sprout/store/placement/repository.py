"""Placements repository: each request is one transaction, under a lock of its learner."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import BadInput, Conflict, NotFound
from sprout.ids import new_id
from sprout.learning.marking.grades import GradeState
from sprout.learning.placement.knowledge_space import KnowledgeSpace
from sprout.learning.placement.placement import Step, minutes_for, next_check_step, next_step, question_limit
from sprout.learning.placement.repository import PlacementAnswer, PlacementOverview, PlacementSession
from sprout.learning.reviews.items import ItemSource, NoItems
from sprout.learning.text.normalization import tidy
from sprout.store.assessment.attempts import record_attempt
from sprout.store.assessment.auto_grading import AMBIGUOUS, chosen_text
from sprout.store.assessment.mastery import update_progress
from sprout.store.assessment.placement_findings import (
    PlacedPath,
    asked_in,
    findings_of,
    placed_path,
    placed_paths,
    store_findings,
)
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node, owned_node_row
from sprout.store.graph.ownership import owned_branch, owned_branch_ids
from sprout.store.placement.candidates import Choice, asked_prompts, choices_for
from sprout.store.placement.sessions import (
    items_of,
    owned_placement,
    placement_item,
    question_of,
    session_response,
)
from sprout.store.reviews.answers import refuse_no_attempt
from sprout.store.reviews.item_questions import ask
from sprout.store.schema import tables
from sprout.store.schema.grade_columns import grade_of
from sprout.store.schema.placement_tables import PlacementFinding, PlacementItem, PlacementRow

NOTHING_TO_ASK = (
    "There is no question here yet that can be marked right away. Start with a lesson, or with a concept's first "
    "questions: what you answer there counts as well."
)
ALREADY_ANSWERED = "This question was answered already, perhaps on another device. Continue with the next one."
GONE = "This question is closed: its part was removed, or it was withdrawn. Continue with the next one."
OVER = "This is over already, perhaps on another device. Look at the result."
NOT_OVER = "Answer the questions first, or end it; then you can change the result."
WHICH = "Say either a path (branchId) or a node (nodeId)."
NOT_CHECKED = "Only a concept or a part of one can be checked."

T = TypeVar("T")


class SqlPlacements:
    """Placements on SQL.

    Args:
        source: where fresh questions come from.
        now: the clock.
    """

    def __init__(
        self, database: Database, source: ItemSource | None = None, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._database = database
        self._source = source or NoItems()
        self._now = now

    async def overview(self, branch_id: str, *, user_id: str) -> PlacementOverview:
        found = await self.overviews([branch_id], user_id=user_id)
        if branch_id not in found:
            raise NotFound("branch", branch_id)
        return found[branch_id]

    async def overviews(self, branch_ids: Sequence[str], *, user_id: str) -> Mapping[str, PlacementOverview]:
        def body(session: Session) -> Mapping[str, PlacementOverview]:
            owned = owned_branch_ids(session, branch_ids, user_id)
            paths = placed_paths(session.connection(), owned, user_id)
            choices = choices_for(session.connection(), paths.values(), user_id, self._source)
            rows = _placements_of(session, owned, user_id)
            return {
                one: _overview(one, path.space, choices, [row for row in rows if row.branch_id == one])
                for one, path in paths.items()
            }

        return await self._database.read_orm_tx(body) if branch_ids else {}

    async def start(
        self, *, user_id: str, branch_id: str | None = None, node_id: str | None = None
    ) -> tuple[PlacementSession, bool]:
        def body(tx: WriteTransaction) -> tuple[PlacementSession, bool]:
            row, is_new = self._started(tx, user_id, branch_id, node_id)
            path = placed_path(tx.connection, row.branch_id, user_id)
            self._advance(tx, row, path)
            if is_new and not items_of(tx.session, row.id):
                raise Conflict(NOTHING_TO_ASK, code="nothing_to_ask")
            return self._response(tx, row), is_new

        return await self._write(user_id, body)

    async def session(self, placement_id: str, *, user_id: str) -> PlacementSession:
        def body(tx: WriteTransaction) -> PlacementSession:
            row = owned_placement(tx.session, placement_id, user_id)
            if row.ended_at is None:
                self._advance(tx, row, placed_path(tx.connection, row.branch_id, user_id))
            return self._response(tx, row)

        return await self._write(user_id, body)

    async def answer(self, placement_id: str, answer: PlacementAnswer, *, user_id: str) -> PlacementSession:
        def body(tx: WriteTransaction) -> PlacementSession:
            row = owned_placement(tx.session, placement_id, user_id)
            item = placement_item(tx.session, row, answer.item_id)
            question = question_of(tx.session, item)
            if item.state == "answered" and question is not None and _is_same(tx, question, answer, user_id):
                return self._response(tx, row)
            question = _open_question(row, item, question)
            refuse_no_attempt(question, answer.text, answer.option)
            lock_node(tx.connection, question.node_id or "", user_id)
            given, _ = record_attempt(
                tx, question, user_id=user_id, now=self._now(), text=answer.text, option=answer.option
            )
            if _is_unread(given):
                return self._response(tx, row, feedback=given.feedback or AMBIGUOUS)
            return self._settle(tx, row, item, "answered")

        return await self._write(user_id, body)

    async def skip(self, placement_id: str, item_id: str, *, user_id: str) -> PlacementSession:
        def body(tx: WriteTransaction) -> PlacementSession:
            row = owned_placement(tx.session, placement_id, user_id)
            item = placement_item(tx.session, row, item_id)
            if item.state == "skipped":
                return self._response(tx, row)
            _open_question(row, item, question_of(tx.session, item))
            return self._settle(tx, row, item, "skipped")

        return await self._write(user_id, body)

    async def finish(self, placement_id: str, *, user_id: str) -> PlacementSession:
        def body(tx: WriteTransaction) -> PlacementSession:
            row = owned_placement(tx.session, placement_id, user_id)
            if row.ended_at is None:
                self._end(tx, row, placed_path(tx.connection, row.branch_id, user_id))
            return self._response(tx, row)

        return await self._write(user_id, body)

    async def overrule(self, placement_id: str, node_id: str, known: bool, *, user_id: str) -> PlacementSession:
        def body(tx: WriteTransaction) -> PlacementSession:
            row = owned_placement(tx.session, placement_id, user_id)
            if row.ended_at is None:
                raise Conflict(NOT_OVER, code="placement_not_over")
            found = next((one for one in findings_of(tx.session, row.id) if one.node_id == node_id), None)
            if found is None:
                raise NotFound("part of the placement", node_id)
            taken_back = found.said is not None and known == found.known
            is_known = node_id in placed_path(tx.connection, row.branch_id, user_id).learned
            if taken_back or known != is_known:
                self._say(tx, found, None if taken_back else known, user_id)
            return self._response(tx, row)

        return await self._write(user_id, body)

    async def _write(self, user_id: str, body: Callable[[WriteTransaction], T]) -> T:
        """Run the body while no other device of the learner is in a placement."""

        def locked(tx: WriteTransaction) -> T:
            tx.lock(f"placements:{user_id}")
            return body(tx)

        return await self._database.write_tx(locked)

    def _started(
        self, tx: WriteTransaction, user_id: str, branch_id: str | None, node_id: str | None
    ) -> tuple[PlacementRow, bool]:
        """A new row, and True; the open placement of the path, and False."""
        if (branch_id is None) == (node_id is None):
            raise BadInput(WHICH, field="branchId")
        if node_id is not None:
            node = owned_node_row(tx.connection, node_id, user_id)
            if node.type == "root" or node.branch_id is None:
                raise BadInput(NOT_CHECKED, field="nodeId")
            branch_id = node.branch_id
        owned_branch(tx.session, branch_id or "", user_id)
        kind = "path" if node_id is None else "node"
        same = [row for row in _placements_of(tx.session, [branch_id or ""], user_id, kind) if row.ended_at is None]
        if same and (node_id is None or same[0].node_id == node_id):
            return same[0], False
        for row in same:  # a check of another node, which was left
            row.ended_at = self._now()
            tx.session.add(row)
            tx.session.flush()
        new = PlacementRow(
            id=new_id(), user_id=user_id, branch_id=branch_id or "", kind=kind, node_id=node_id, started_at=self._now()
        )
        tx.session.add(new)
        tx.session.flush()
        return new, True

    def _settle(self, tx: WriteTransaction, row: PlacementRow, item: PlacementItem, state: str) -> PlacementSession:
        item.state = state
        tx.session.add(item)
        tx.session.flush()
        self._advance(tx, row, placed_path(tx.connection, row.branch_id, row.user_id))
        return self._response(tx, row)

    def _advance(self, tx: WriteTransaction, row: PlacementRow, path: PlacedPath) -> None:
        """Pose the next question unless one is open; end the placement where there is none."""
        items = items_of(tx.session, row.id)
        for item in items:
            if item.state == "posed" and _is_open(question_of(tx.session, item), item, path):
                return
            if item.state == "posed":
                item.state = "dropped"
                tx.session.add(item)
        choices = choices_for(
            tx.connection, [path], row.user_id, self._source, without=asked_prompts(tx.connection, row.id)
        )
        step = _next(tx, row, path, choices)
        if step.ask is not None:
            self._pose(tx, row, path, step.ask, choices[step.ask], len(items) + 1)
        elif items:
            self._end(tx, row, path)

    def _pose(
        self, tx: WriteTransaction, row: PlacementRow, path: PlacedPath, node_id: str, choice: Choice, position: int
    ) -> None:
        part = owned_node_row(tx.connection, node_id, row.user_id)
        concept = lock_node(tx.connection, part.parent_id or "", row.user_id)
        question_id = ask(tx, choice.candidate, concept, part, row.user_id)
        tx.session.add(
            PlacementItem(id=new_id(), placement_id=row.id, position=position, node_id=node_id, question_id=question_id)
        )
        tx.session.flush()

    def _end(self, tx: WriteTransaction, row: PlacementRow, path: PlacedPath) -> None:
        row.ended_at = self._now()
        tx.session.add(row)
        tx.session.flush()
        for concept_id in store_findings(tx, row, path):
            update_progress(tx, lock_node(tx.connection, concept_id, row.user_id), row.user_id, row.ended_at)
        tx.session.flush()

    def _say(self, tx: WriteTransaction, found: PlacementFinding, said: bool | None, user_id: str) -> None:
        """Keep the learner's word on a part, or take it back, with what follows for their progress."""
        now = self._now()
        found.said, found.said_at = said, None if said is None else now
        tx.session.add(found)
        part = owned_node_row(tx.connection, found.node_id, user_id)
        concept = lock_node(tx.connection, part.parent_id or "", user_id)
        _end_override(tx.session, found.node_id, user_id)
        tx.session.flush()
        update_progress(tx, concept, user_id, now)
        tx.session.flush()

    def _response(self, tx: WriteTransaction, row: PlacementRow, feedback: str | None = None) -> PlacementSession:
        path = placed_path(tx.connection, row.branch_id, row.user_id)
        return session_response(tx.session, row, path, feedback=feedback)


def _next(tx: WriteTransaction, row: PlacementRow, path: PlacedPath, choices: Mapping[str, Choice]) -> Step:
    asked = asked_in(tx.connection, row.id, row.user_id)
    formats = {node_id: choice.format for node_id, choice in choices.items()}
    if row.kind == "path":
        return next_step(path.space, asked, path.before, formats)
    return next_check_step(path.space, path.targets_of(row.node_id), asked, path.before, formats)


def _overview(
    branch_id: str, space: KnowledgeSpace, choices: Collection[str], rows: Sequence[PlacementRow]
) -> PlacementOverview:
    """The overview of a path.

    Args:
        choices: ids of what there is a question about.
        rows: its placements, the newest first.
    """
    questions = min(question_limit(space), sum(node_id in choices for node_id in space.node_ids))
    return PlacementOverview(
        branch_id=branch_id,
        questions=questions,
        minutes=minutes_for(questions),
        open_id=next((row.id for row in rows if row.ended_at is None), None),
        last_id=next((row.id for row in rows if row.ended_at is not None), None),
    )


def _placements_of(
    session: Session, branch_ids: Sequence[str], user_id: str, kind: str = "path"
) -> Sequence[PlacementRow]:
    """The learner's placements of paths, the newest first."""
    wanted = select(PlacementRow).where(
        col(PlacementRow.branch_id).in_(branch_ids), PlacementRow.user_id == user_id, PlacementRow.kind == kind
    )
    return session.exec(wanted.order_by(col(PlacementRow.creation).desc())).all()


def _open_question(row: PlacementRow, item: PlacementItem, question: tables.Question | None) -> tables.Question:
    """The question of an item that waits for its answer. Raises Conflict."""
    if item.state in ("answered", "skipped"):
        raise Conflict(ALREADY_ANSWERED, code="answered_already")
    if row.ended_at is not None:
        raise Conflict(OVER, code="placement_over")
    if item.state != "posed" or item.node_id is None or question is None or question.state == "voided":
        raise Conflict(GONE, code="question_closed")
    return question


def _is_open(question: tables.Question | None, item: PlacementItem, path: PlacedPath) -> bool:
    return question is not None and question.state != "voided" and item.node_id in path.space.node_ids


def _is_same(tx: WriteTransaction, question: tables.Question, given: PlacementAnswer, user_id: str) -> bool:
    """Whether the stored answer is given again, as after a lost reply."""
    wanted = select(tables.Answer).where(tables.Answer.question_id == question.id, tables.Answer.user_id == user_id)
    newest = tx.session.exec(wanted.order_by(col(tables.Answer.creation).desc())).first()
    chosen = chosen_text(question, given.option)
    words = tidy(given.text) if given.text is not None and chosen is None else None
    return newest is not None and (newest.selected_option, newest.answer_text) == (chosen, words)


def _is_unread(answer: tables.Answer) -> bool:
    """Whether the answer tries something that code could not read."""
    grade = grade_of(answer)
    return grade is not None and grade.state is not GradeState.GRADED


def _end_override(session: Session, node_id: str, user_id: str) -> None:
    """What the learner says of a part now stands before what was set on its progress."""
    wanted = select(tables.Progress).where(tables.Progress.node_id == node_id, tables.Progress.user_id == user_id)
    for row in session.exec(wanted):
        row.overridden_at = None
        session.add(row)

"""Desk on SQL: a decision, its consequences and what is needed to undo it are one transaction."""

from datetime import datetime

from sqlalchemy import func, update
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, select

from sprout.accounts.desk import (
    COUNTED_FOR,
    MAX_ITEMS,
    UNDO_WITHIN,
    DeskDecisionRow,
    DeskLearner,
    DeskPage,
    NothingToMark,
    QuestionDropped,
    TeacherDecision,
    UndoTooLate,
)
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.lessons.repository import Drawing
from sprout.learning.marking.answers import split_drawing
from sprout.learning.marking.decisions import Decision, decided_grade
from sprout.learning.text.language import detect_language
from sprout.store.accounts.teaching import lock_class, owned_class
from sprout.store.assessment.attempts import store_grade
from sprout.store.desk.dropping import drop_copy, drop_question, other_copies, was_answered
from sprout.store.desk.items import desk_item, drawing_of, waiting_items
from sprout.store.desk.scope import question_in_class
from sprout.store.desk.snapshots import restore_snapshot, take_snapshot
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.reviews.answers import regrade_review
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassTable, PathCopy
from sprout.store.schema.columns import table_of
from sprout.store.schema.desk_tables import DeskDecision
from sprout.store.schema.grade_columns import grade_of

MAX_TOLD = 50

_decisions = table_of(DeskDecision)


class SqlDesk:
    """Desk on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def desk(self, class_id: str, *, teacher_id: str) -> DeskPage:
        def read(session: Session) -> DeskPage:
            owned_class(session, class_id, teacher_id)
            now = utc_now()
            waiting = waiting_items(session, class_id, now)
            counted = select(func.count(col(DeskDecision.id))).where(
                DeskDecision.class_id == class_id,
                col(DeskDecision.cause_id).is_(None),
                col(DeskDecision.decided_at) > now - COUNTED_FOR,
            )
            items = [desk_item(one) for one in waiting[:MAX_ITEMS]]
            return DeskPage(items=items, more=len(waiting) > MAX_ITEMS, decided=session.exec(counted).one())

        return await self._database.read_orm_tx(read)

    async def learner(self, class_id: str, item_id: str, *, teacher_id: str) -> DeskLearner:
        def read(session: Session) -> DeskLearner:
            owned_class(session, class_id, teacher_id)
            _, copy = question_in_class(session, item_id, class_id)
            if _decision_of(session, item_id) is None and not waiting_items(session, class_id, utc_now(), item_id):
                raise NotFound("item", item_id)
            wanted = select(AccountTable.display_name).where(AccountTable.user_id == copy.user_id)
            return DeskLearner(user_id=copy.user_id, display_name=session.exec(wanted).one())

        return await self._database.read_orm_tx(read)

    async def drawing(self, class_id: str, item_id: str, *, teacher_id: str) -> Drawing:
        def read(session: Session) -> Drawing:
            owned_class(session, class_id, teacher_id)
            for waiting in waiting_items(session, class_id, utc_now(), item_id):
                if (found := drawing_of(session, waiting)) is not None:
                    return found
            raise NotFound("drawing", item_id)

        return await self._database.read_orm_tx(read)

    async def decide(self, class_id: str, item_id: str, decision: Decision, *, teacher_id: str) -> DeskDecisionRow:
        def body(tx: WriteTransaction) -> DeskDecisionRow:
            lock_class(tx, class_id, teacher_id)
            question, copy, now = *_lock_item(tx, item_id, class_id), utc_now()
            made = _decision_of(tx.session, item_id)
            if made is not None and made.decision == decision:
                return _row(tx.session, made)
            if made is None:
                made = _new_decision(tx, question, copy, class_id, now)
            else:
                _take_back(tx, made, now)
            made.decision, made.decided_by, made.decided_at = decision, teacher_id, now
            made.cause_id, made.seen_at = None, None
            tx.session.add(made)
            tx.session.flush()
            _apply(tx, made, question, copy, now)
            return _row(tx.session, made)

        return await self._database.write_tx(body)

    async def undo(self, class_id: str, item_id: str, *, teacher_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_class(tx, class_id, teacher_id)
            _lock_item(tx, item_id, class_id)
            made, now = _decision_of(tx.session, item_id), utc_now()
            if made is None:
                return
            if now > made.decided_at + UNDO_WITHIN:
                raise UndoTooLate
            _take_back(tx, made, now)
            tx.session.delete(made)

        await self._database.write_tx(body)

    async def decisions(self, user_id: str) -> list[TeacherDecision]:
        wanted = (
            select_rows(DeskDecision, tables.Question, tables.Answer, tables.Node, ClassTable)
            .join(tables.Question, col(tables.Question.id) == col(DeskDecision.question_id))
            .outerjoin(tables.Answer, col(tables.Answer.id) == col(DeskDecision.answer_id))
            .outerjoin(tables.Node, col(tables.Node.id) == col(tables.Question.node_id))
            .outerjoin(ClassTable, col(ClassTable.id) == col(DeskDecision.class_id))
            .where(col(DeskDecision.user_id) == user_id, col(DeskDecision.decided_by).is_distinct_from(user_id))
            .order_by(col(DeskDecision.decided_at).desc(), col(DeskDecision.creation).desc())
            .limit(MAX_TOLD)
        )
        return await self._database.read_orm_tx(lambda session: [_told(*found) for found in session.execute(wanted)])

    async def mark_seen(self, user_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            unseen = (_decisions.c.user_id == user_id, _decisions.c.seen_at.is_(None))
            tx.connection.execute(update(_decisions).where(*unseen).values(seen_at=utc_now()))

        await self._database.write_tx(body)


def _lock_item(tx: WriteTransaction, item_id: str, class_id: str) -> tuple[tables.Question, PathCopy]:
    """The question of an item, whose concept is locked until the transaction ends. Raises NotFound."""
    question, copy = question_in_class(tx.session, item_id, class_id)
    lock_node(tx.connection, question.node_id or "", copy.user_id)
    return question_in_class(tx.session, item_id, class_id)


def _decision_of(session: Session, question_id: str) -> DeskDecision | None:
    wanted = select(DeskDecision).where(DeskDecision.question_id == question_id)
    return session.exec(wanted.execution_options(populate_existing=True)).first()


def _new_decision(
    tx: WriteTransaction, question: tables.Question, copy: PathCopy, class_id: str, now: datetime
) -> DeskDecision:
    """A decision to be made about an item that waits, with what was before it. Raises NotFound, QuestionDropped."""
    if question.state == "voided":
        raise QuestionDropped
    waiting = waiting_items(tx.session, class_id, now, question.id)
    if not waiting:
        raise NotFound("item", question.id)
    answer_id = None if waiting[0].answer is None else waiting[0].answer.id
    before = take_snapshot(tx, question, answer_id, copy.user_id)
    return DeskDecision(
        id=new_id(), user_id=copy.user_id, question_id=question.id, answer_id=answer_id, class_id=class_id,
        decision="drop", before=before,
    )  # fmt: skip


def _apply(tx: WriteTransaction, made: DeskDecision, question: tables.Question, copy: PathCopy, now: datetime) -> None:
    """Write a decision as the grade of its answer, or drop its question. Raises NothingToMark."""
    if made.decision == "drop":
        drop_question(tx, question, copy.user_id, now)
        for other, user_id in other_copies(tx.session, question, copy):
            _drop_with(tx, made, other, user_id, now)
        return
    answer = tx.session.exec(select(tables.Answer).where(tables.Answer.id == made.answer_id)).first()
    if answer is None:
        if made.decision != "not_yet":
            raise NothingToMark
        return
    words = fixed_text(f"decided_{made.decision}", detect_language(question.prompt))
    grade = decided_grade(grade_of(answer), made.decision, words)  # type: ignore[arg-type]
    store_grade(tx, answer, question, grade, now=now)
    regrade_review(tx, answer, question, now)


def _drop_with(
    tx: WriteTransaction, cause: DeskDecision, question: tables.Question, user_id: str, now: datetime
) -> None:
    """Drop another learner's copy of the question too; those who never answered it are not told."""
    if _decision_of(tx.session, question.id) is not None:
        return  # decided apart, and the learner was told
    answered = was_answered(tx.session, question)
    before = drop_copy(tx, question, user_id, now)
    tx.session.add(
        DeskDecision(
            id=new_id(), user_id=user_id, question_id=question.id, class_id=cause.class_id, decision="drop",
            decided_by=cause.decided_by, decided_at=now, cause_id=cause.id, before=before,
            seen_at=None if answered else now,
        )
    )  # fmt: skip


def _take_back(tx: WriteTransaction, made: DeskDecision, now: datetime) -> None:
    """Put back what was before a decision, and with it the other copies that it has dropped."""
    wanted = select(DeskDecision).where(DeskDecision.cause_id == made.id).order_by(col(DeskDecision.creation))
    for one in (made, *tx.session.exec(wanted).all()):
        question = tx.session.exec(select(tables.Question).where(tables.Question.id == one.question_id)).one()
        if question.node_id is not None:
            concept = lock_node(tx.connection, question.node_id, one.user_id)
            restore_snapshot(tx, question, one.before, concept, now)
        if one is not made:
            tx.session.delete(one)
    tx.session.flush()


def _row(session: Session, made: DeskDecision) -> DeskDecisionRow:
    session.flush()
    others = select(func.count(col(DeskDecision.id))).where(DeskDecision.cause_id == made.id)
    return DeskDecisionRow(
        id=made.question_id,
        decision=made.decision,  # type: ignore[arg-type]
        decided_at=wire_time(made.decided_at),
        undo_until=wire_time(made.decided_at + UNDO_WITHIN),
        dropped=session.exec(others).one(),
    )


def _told(
    made: DeskDecision,
    question: tables.Question,
    answer: tables.Answer | None,
    node: tables.Node | None,
    of: ClassTable | None,
) -> TeacherDecision:
    said = None if answer is None else answer.selected_option or split_drawing(answer.answer_text or "")[1]
    return TeacherDecision(
        id=made.id,
        decision=made.decision,  # type: ignore[arg-type]
        prompt=question.prompt,
        said=said,
        branch_id=None if node is None else node.branch_id,
        node_id=None if node is None else node.id,
        class_name=None if of is None else of.name,
        decided_at=wire_time(made.decided_at),
        seen=made.seen_at is not None,
    )

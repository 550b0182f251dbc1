"""Questions of review items: one becomes a row of its own when its turn comes, so that its answer counts anew."""

from dataclasses import replace
from datetime import datetime

from sqlmodel import Session, col, select

from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.questions.questions import prompt_key
from sprout.learning.reviews.items import Candidate, ItemSource, choose_item
from sprout.store.assessment.misconceptions import clearable_beliefs
from sprout.store.assessment.questions import draft_of, insert_question, positions
from sprout.store.assessment.review_cards import learned_times
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node, owned_node_row, unique_key
from sprout.store.reviews.candidates import candidates_for
from sprout.store.reviews.contrasts import contrast_question, mark_asked
from sprout.store.schema import tables
from sprout.store.schema.review_tables import ReviewItem, ReviewSessionRow


def items_of(session: Session, session_id: str) -> list[ReviewItem]:
    """The items of a session in their order."""
    wanted = select(ReviewItem).where(ReviewItem.session_id == session_id).order_by(col(ReviewItem.position))
    return list(session.exec(wanted))


def advance(tx: WriteTransaction, row: ReviewSessionRow, *, now: datetime, source: ItemSource) -> None:
    """Pose the next question unless one is open; the session ends when there is none.

    What cannot be asked any more is dropped: its part was removed, is not learned any more, or has no question left.
    """
    items = items_of(tx.session, row.id)
    for item in items:
        if item.state in ("posed", "comparing") and not _is_open(tx, item, row.user_id):
            item.state, item.question_id, item.answer_id = "waiting", None, None
    if not any(item.state in ("posed", "comparing") for item in items):
        waiting = (item for item in items if item.state == "waiting")
        if not any(_pose(tx, item, row.user_id, now, source) for item in waiting):
            row.ended_at = row.ended_at or now
    tx.session.add_all([row, *items])
    tx.session.flush()


def question_of(session: Session, item: ReviewItem) -> tables.Question | None:
    """The question that an item asks, also after it was voided."""
    wanted = select(tables.Question).where(tables.Question.id == item.question_id)
    return session.exec(wanted).first()


def _is_open(tx: WriteTransaction, item: ReviewItem, user_id: str) -> bool:
    question = question_of(tx.session, item)
    if question is None or question.state == "voided" or item.node_id is None:
        return False
    return _may_be_asked(tx, item, user_id)


def _may_be_asked(tx: WriteTransaction, item: ReviewItem, user_id: str) -> bool:
    """Whether the item's part is learned; what a teacher sent need not be."""
    if item.node_id is None:
        return False
    return item.contrast_id is not None or item.node_id in learned_times(tx.connection, [item.node_id], user_id)


def _pose(tx: WriteTransaction, item: ReviewItem, user_id: str, now: datetime, source: ItemSource) -> bool:
    """Ask a question about the item's part; whether there was one."""
    item.state = "dropped"
    if item.node_id is None or not _may_be_asked(tx, item, user_id):
        return False
    node = owned_node_row(tx.connection, item.node_id, user_id)
    concept = lock_node(tx.connection, node.parent_id or "", user_id)
    chosen = _choose(tx, item, node, concept, user_id, now, source)
    if chosen is None:
        return False
    item.state, item.question_id, item.posed_at = "posed", ask(tx, chosen, concept, node, user_id), now
    if item.contrast_id is not None:
        mark_asked(tx, item.contrast_id, user_id, item.question_id)
    return True


def _choose(
    tx: WriteTransaction,
    item: ReviewItem,
    node: NodeRow,
    concept: NodeRow,
    user_id: str,
    now: datetime,
    source: ItemSource,
) -> Candidate | None:
    if item.contrast_id is not None:
        return contrast_question(tx.connection, item.contrast_id, node.id, user_id, now)
    clears = clearable_beliefs(tx.connection, concept.id, user_id, now)
    return choose_item(candidates_for(tx.connection, node.id, user_id, source, clears))


def ask(tx: WriteTransaction, chosen: Candidate, concept: NodeRow, node: NodeRow, user_id: str) -> str:
    """The id of the question, asked in the learner's recall of the concept: a fresh one of it itself, or a copy."""
    recall = recall_of(tx, concept, user_id)
    if chosen.prepared is not None:
        draft, kind = replace(chosen.prepared, tests=(node.title,)), None
    else:
        stored = tx.session.exec(select(tables.Question).where(tables.Question.id == chosen.question_id)).one()
        if stored.assessment_id == recall and chosen.seen_at is None:
            return stored.id
        draft, kind = draft_of(stored, _tested_titles(tx.session, stored.id)), stored.kind
    last, _ = positions(tx.connection, recall, draft.prompt)
    made = insert_question(
        tx.connection,
        draft,
        assessment_id=recall,
        concept_id=concept.id,
        position=last + 1,
        key=f"{last + 1}:{unique_key(prompt_key(draft.prompt))}",
        kind=kind,
    )
    return made.id


def _tested_titles(session: Session, question_id: str) -> list[str]:
    test = tables.QuestionTest
    return list(session.exec(select(test.title).where(test.question_id == question_id).order_by(col(test.position))))


def recall_of(tx: WriteTransaction, concept: NodeRow, user_id: str) -> str:
    """The id of the learner's one recall of the concept, made if missing.

    It belongs to the concept and not to its part, so that the answers outlive the removal of a part and its undo.
    """
    recall = tables.Assessment
    wanted = select(recall.id).where(
        recall.user_id == user_id, recall.target_node_id == concept.id, recall.type == "recall"
    )
    found = tx.session.exec(wanted.order_by(col(recall.creation))).first()
    if found is not None:
        return found
    made = recall(
        id=new_id(), user_id=user_id, target_node_id=concept.id, type="recall", title=f"Reviews of {concept.title}"
    )
    tx.session.add(made)
    tx.session.flush()
    return made.id

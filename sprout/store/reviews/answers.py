"""Answers of review sessions: marked like any other, then turned into a review of the part and of what it rests on."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import delete, insert, select, update
from sqlmodel import col
from sqlmodel import select as select_rows

from sprout.errors import BadInput, Conflict
from sprout.ids import new_id
from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.attempts import begins_by_giving_up, complains
from sprout.learning.marking.comparison import left_to_learner
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.reviews.cards import ReviewGrade, takes_credit
from sprout.learning.reviews.grading import ReviewMark
from sprout.learning.reviews.planning import prerequisites
from sprout.learning.reviews.repository import ReviewAnswer
from sprout.learning.reviews.workload import took_seconds
from sprout.learning.text.normalization import tidy
from sprout.store.assessment.attempts import record_attempt, store_grade
from sprout.store.assessment.auto_grading import chosen_text, is_attempt
from sprout.store.assessment.mastery import edge_pairs
from sprout.store.assessment.review_cards import learned_times, reschedule, stored_cards, sync_cards
from sprout.store.assessment.self_marks import store_self_mark
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.graph.ownership import owned_answer
from sprout.store.reviews.item_questions import question_of
from sprout.store.reviews.results import allowed_grades, fits_answer, mark_of_answer
from sprout.store.reviews.sessions import REMOVED, update_come_back
from sprout.store.reviews.settings import settings_of
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewEntry, ReviewItem, ReviewSessionRow

MAX_UNREAD = 2  # answers that could not be read, before the learner compares the next themself
CREDITED = frozenset({ReviewGrade.GOOD, ReviewGrade.EASY})

ALREADY_ANSWERED = "This question was answered already, perhaps on another device. Continue with the next one."
ALREADY_SKIPPED = "You have skipped this question for today. Continue with the next one."
NOT_ASKED_YET = "This question's turn has not come yet. Answer the open one first."
SESSION_OVER = "This session is over: a newer one has begun. Continue there."
WITHDRAWN = "This question was withdrawn, so the answer does not count. Continue with the next one."
NOT_TO_COMPARE = "This answer is not one that you mark yourself."
NO_ANSWER = "This is no answer yet. Write one, choose “I don't know”, or skip the question."
CHOOSE_OPTION = "Choose one of the options."

_reviews = table_of(ReviewEntry)


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An item in the transaction that answers it.

    Args:
        learned_at: when its part was learned; None where a teacher sent the question and it has no card.
    """

    session: ReviewSessionRow
    item: ReviewItem
    question: tables.Question
    learned_at: datetime | None
    retention: float

    @property
    def node_id(self) -> str:
        return cast(str, self.item.node_id)

    @property
    def user_id(self) -> str:
        return self.session.user_id


def open_item(tx: WriteTransaction, row: ReviewSessionRow, item: ReviewItem, retention: float) -> OpenItem:
    """The item with its question, whose concept is locked. Raises Conflict: it cannot be answered."""
    if item.state == "waiting":
        raise Conflict(NOT_ASKED_YET, code="not_asked_yet")
    if item.state == "skipped":
        raise Conflict(ALREADY_SKIPPED, code="already_skipped")
    question = question_of(tx.session, item)
    learned_at = learned_times(tx.connection, [item.node_id or ""], row.user_id).get(item.node_id or "")
    if question is None or (learned_at is None and item.contrast_id is None):
        raise Conflict(REMOVED, code="part_removed")
    if question.state == "voided":
        raise Conflict(WITHDRAWN, code="question_withdrawn")
    if question.node_id is not None:
        lock_node(tx.connection, question.node_id, row.user_id)
    return OpenItem(row, item, question, learned_at, retention)


def record_answer(tx: WriteTransaction, opened: OpenItem, given: ReviewAnswer, now: datetime) -> tables.Answer:
    """Mark an answer; the same one again is the one that is stored.

    Raises BadInput (no answer, no such option), Conflict (another was given already, or the session is over).
    """
    item, question = opened.item, opened.question
    if item.state != "posed":
        return _same_answer(tx, opened, given)
    if opened.session.ended_at is not None:
        raise Conflict(SESSION_OVER, code="session_over")
    refuse_no_attempt(question, given.text, given.option)
    answer, _ = record_attempt(
        tx, question, user_id=opened.user_id, now=now, text=given.text, option=given.option, sure=given.sure
    )
    if question.state != "skipped" and _is_left_to_learner(tx, answer):
        store_grade(tx, answer, question, left_to_learner(), now=now)
    measured = (now - item.posed_at).total_seconds() if item.posed_at is not None else 0.0
    item.seconds = took_seconds(given.seconds, measured=measured)
    mark = mark_of_answer(answer)
    if mark is ReviewMark.UNREAD:
        return answer
    item.answer_id = answer.id
    item.state = "comparing"
    if mark is not ReviewMark.TO_COMPARE:
        settle(tx, opened, answer, now)
    tx.session.add(item)
    tx.session.flush()
    return answer


def record_self_mark(tx: WriteTransaction, opened: OpenItem, mark: SelfMark, now: datetime) -> tables.Answer:
    """The learner's verdicts on an answer in their own words. Raises BadInput, Conflict."""
    if opened.item.state not in ("comparing", "answered") or opened.item.answer_id is None:
        raise Conflict(NOT_TO_COMPARE, code="not_to_compare")
    answer = owned_answer(tx.session, opened.item.answer_id, opened.user_id)
    if opened.item.state == "comparing":
        store_self_mark(tx, answer, opened.question, mark, now=now)
        settle(tx, opened, answer, now)
    return answer


def choose_grade(tx: WriteTransaction, opened: OpenItem, grade: ReviewGrade) -> tables.Answer:
    """Another grade than the fitting one. Raises BadInput (it does not fit the answer), Conflict (no answer yet)."""
    if opened.item.state != "answered" or opened.item.answer_id is None:
        raise Conflict(NOT_ASKED_YET, code="not_asked_yet")
    answer = owned_answer(tx.session, opened.item.answer_id, opened.user_id)
    allowed = allowed_grades(answer)
    if grade not in allowed:
        raise BadInput(f"grade: this answer can be {', '.join(allowed)}.", field="grade", code="grade_does_not_fit")
    _set_grade(tx, opened, answer, grade)
    return answer


def settle(tx: WriteTransaction, opened: OpenItem, answer: tables.Answer, now: datetime) -> None:
    """Review the part with the grade that fits the marked answer."""
    item = opened.item
    item.state, item.settled_at = "answered", now
    tx.session.add(item)
    grade = fits_answer(answer, opened.question, item.seconds or 0.0)
    assert grade is not None, "only marked answers are settled"
    _set_grade(tx, opened, answer, grade)


def regrade_review(tx: WriteTransaction, answer: tables.Answer, question: tables.Question, now: datetime) -> None:
    """Bring the review that an answer was given in into line with its grade, which a person has changed.

    Nothing is asked again: the session may be over. Nothing is done where it was no review, or its part is gone.
    """
    wanted = (
        select_rows(ReviewItem, ReviewSessionRow)
        .join(ReviewSessionRow, col(ReviewSessionRow.id) == col(ReviewItem.session_id))
        .where(ReviewItem.answer_id == answer.id, ReviewSessionRow.user_id == answer.user_id)
    )
    found = tx.session.exec(wanted).first()
    grade = None if found is None else fits_answer(answer, question, found[0].seconds or 0.0)
    if found is None or grade is None:
        return
    item, row = found
    learned_at = learned_times(tx.connection, [item.node_id or ""], answer.user_id).get(item.node_id or "")
    if learned_at is None:
        return
    item.state, item.settled_at = "answered", item.settled_at or now
    tx.session.add(item)
    retention = settings_of(tx.connection, answer.user_id).retention
    _store_review(tx, OpenItem(row, item, question, learned_at, retention), answer, grade)


def _set_grade(tx: WriteTransaction, opened: OpenItem, answer: tables.Answer, grade: ReviewGrade) -> None:
    """Store the review of an answer, or change its grade; a missed part is asked about once more."""
    _store_review(tx, opened, answer, grade)
    update_come_back(tx, opened.session, opened.item, grade, was_sure=bool(answer.sure))


def _store_review(tx: WriteTransaction, opened: OpenItem, answer: tables.Answer, grade: ReviewGrade) -> None:
    """Store the review of an answer, or change its grade; what the part rests on is credited with a good one.

    A question that comes back after a miss earns none: its answer was shown a moment ago. What has no card has no
    review either: the answer counts as evidence alone.
    """
    if opened.learned_at is None:
        return
    tx.flush()
    mine = (_reviews.c.answer_id == answer.id, _reviews.c.node_id == opened.node_id, ~_reviews.c.is_credit)
    changed = tx.connection.execute(update(_reviews).where(*mine).values(grade=grade.value))
    if not changed.rowcount:
        tx.connection.execute(insert(_reviews), [_entry(opened, answer, opened.node_id, grade)])
        # A first review that was missed has made the part unlearned by now: from here on its review keeps its card.
        sync_cards(tx, {opened.node_id: opened.learned_at}, opened.user_id)
    credited = _credit(tx, opened, answer, earned=grade in CREDITED and not opened.item.comes_back)
    reschedule(tx, {opened.node_id, *credited}, opened.user_id)


def _credit(tx: WriteTransaction, opened: OpenItem, answer: tables.Answer, *, earned: bool) -> list[str]:
    """Give the credit of an answer, or take it back; the parts whose cards change."""
    given = (_reviews.c.answer_id == answer.id, _reviews.c.is_credit)
    before = list(tx.connection.execute(select(_reviews.c.node_id).where(*given)).scalars())
    if earned and not before:
        under = _rests_on(tx, opened, answer.created_at)
        entries = [_entry(opened, answer, node_id, ReviewGrade.HARD, is_credit=True) for node_id in under]
        if entries:
            tx.connection.execute(insert(_reviews), entries)
        return under
    if not earned and before:
        tx.connection.execute(delete(_reviews).where(*given))
        return before
    return []


def _rests_on(tx: WriteTransaction, opened: OpenItem, at: datetime) -> list[str]:
    """The parts that the answered one rests on, as far as their cards take credit at that time."""
    wanted = select_rows(tables.Node.parent_id).where(col(tables.Node.id) == opened.node_id)
    concept_id = tx.session.exec(wanted).one() or ""
    under = prerequisites([opened.node_id], edge_pairs(tx.connection, concept_id))[opened.node_id]
    cards = stored_cards(tx.connection, under, opened.user_id)
    return [node_id for node_id, card in cards.items() if takes_credit(card, at)]


def _entry(
    opened: OpenItem, answer: tables.Answer, node_id: str, grade: ReviewGrade, *, is_credit: bool = False
) -> dict[str, object]:
    return {
        "id": new_id(),
        "user_id": opened.user_id,
        "node_id": node_id,
        "answer_id": answer.id,
        "at": answer.created_at,
        "grade": grade.value,
        "retention": opened.retention,
        "seconds": None if is_credit else opened.item.seconds,
        "is_credit": is_credit,
    }


def _same_answer(tx: WriteTransaction, opened: OpenItem, given: ReviewAnswer) -> tables.Answer:
    """The stored answer, where the same is given again, as after a lost reply. Raises Conflict."""
    answer = owned_answer(tx.session, opened.item.answer_id or "", opened.user_id)
    chosen = chosen_text(opened.question, given.option)
    words = tidy(given.text) if given.text is not None and chosen is None else None
    if (answer.selected_option, answer.answer_text) != (chosen, words):
        raise Conflict(ALREADY_ANSWERED, code="answered_already")
    return answer


def refuse_no_attempt(question: tables.Question, text: str | None, option: str | None) -> None:
    """Raises BadInput: the words neither try to answer nor give up."""
    if text is None or option is not None:
        return
    if question.format == "mcq":
        raise BadInput(CHOOSE_OPTION, field="selectedOption", code="choose_option")
    gives_up = says_nothing(text) or (begins_by_giving_up(text) and not complains(text))
    if not gives_up and not is_attempt(question, text):
        raise BadInput(NO_ANSWER, field="answerText", code="no_answer")


def _is_left_to_learner(tx: WriteTransaction, answer: tables.Answer) -> bool:
    """Whether only the learner can mark it: code cannot, or could not read what they wrote more than once."""
    if answer.grade is None:
        return True
    if answer.score is not None:
        return False
    wanted = select_rows(tables.Answer.id).where(tables.Answer.question_id == answer.question_id)
    return len(tx.session.exec(wanted).all()) >= MAX_UNREAD

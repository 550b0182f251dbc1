"""Flashcards from SQL: settled questions, and the cards that lessons have left."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, or_, select

from sprout.clock import utc_now
from sprout.errors import Conflict, TooLarge
from sprout.learning.mastery.flashcards import MAX_FLASHCARDS, Flashcard, FlashcardFilter
from sprout.learning.reviews.items import ItemSource, NoItems
from sprout.learning.sources import PassageRow
from sprout.store.documents.settling_passages import settling_passages
from sprout.store.engine.database import Database
from sprout.store.graph.ownership import owned_branch, owned_node
from sprout.store.reviews.due import due_parts
from sprout.store.reviews.repository import NOTHING_DUE
from sprout.store.reviews.settings import settings_of
from sprout.store.reviews.settled_questions import QuestionKey, question_key, settled_questions
from sprout.store.schema import tables
from sprout.store.schema.mapping import answer_text, question_shown, solution_text
from sprout.store.schema.marking_columns import program_tests_of

LESSON_KINDS = ("example", "exercise")
NO_CARDS = "There are no cards here yet. Answer some questions to the end first."
TOO_MANY = "A file holds at most {most:,} cards, and these would be {found:,}. Export one path or one concept."


_CONCEPTS, _TESTS = aliased(tables.Node), aliased(tables.QuestionTest)


@dataclass(slots=True)
class _Asked:
    """A question that was asked, its place, and the parts that it is about."""

    question: tables.Question
    assessment: tables.Assessment
    concept: tables.Node
    parts: list[tables.QuestionTest] = field(default_factory=list)


class SqlFlashcards:
    """Flashcards on SQL.

    Args:
        source: where fresh questions of reviews come from.
        now: the clock.
    """

    def __init__(
        self, database: Database, source: ItemSource | None = None, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._database = database
        self._source = source or NoItems()
        self._now = now

    async def flashcards(self, user_id: str, wanted: FlashcardFilter) -> Sequence[Flashcard]:
        return await self._database.read_orm_tx(lambda session: self._cards(session, user_id, wanted))

    def _cards(self, session: Session, user_id: str, wanted: FlashcardFilter) -> list[Flashcard]:
        if wanted.branch_id is not None:
            owned_branch(session, wanted.branch_id, user_id)
        if wanted.node_id is not None:
            owned_node(session, wanted.node_id, user_id)
        due = self._due_parts(session, user_id) if wanted.due else None
        if due is not None and not due:
            raise Conflict(NOTHING_DUE, code="nothing_due")
        of_learner = session.exec(select(tables.Branch).where(tables.Branch.user_id == user_id))
        paths = {branch.id: branch.title for branch in of_learner}
        asked = _asked(session, user_id, wanted, due)
        found = [*_lesson_cards(session, user_id, wanted, due, paths), *_question_cards(session, asked, paths)]
        if not found:
            raise Conflict(NO_CARDS, code="no_cards")
        if len(found) > MAX_FLASHCARDS:
            raise TooLarge(TOO_MANY, code="too_many_cards", most=MAX_FLASHCARDS, found=len(found))
        return found

    def _due_parts(self, session: Session, user_id: str) -> frozenset[str]:
        """The parts that are due, with those that the question about another one credits."""
        connection = session.connection()
        settings = settings_of(connection, user_id)
        return due_parts(connection, user_id, settings=settings, now=self._now(), source=self._source)


def _lesson_cards(
    session: Session,
    user_id: str,
    wanted: FlashcardFilter,
    due: Collection[str] | None,
    paths: Mapping[str, str],
) -> Iterator[Flashcard]:
    for content, part, concept in session.exec(_contents_query(user_id, wanted)):
        if due is not None and part.id not in due:
            continue
        for card in cast(list[dict[str, Any]], content.cards or []):
            if card.get("kind") in LESSON_KINDS:
                front = card["title"] or part.title
                place = (part.branch_id, paths[part.branch_id], concept.title, part.title)
                yield Flashcard(card["id"], front, card["body"], *place)


def _contents_query(user_id: str, wanted: FlashcardFilter) -> Any:
    content, part, concept = tables.NodeContent, tables.Node, _CONCEPTS
    query = (
        select(content, part, concept)
        .join(part, col(part.id) == col(content.node_id))
        .join(concept, col(concept.id) == col(part.parent_id))
        .where(part.user_id == user_id, col(part.branch_id).is_not(None), content.status == "active")
        .order_by(col(part.creation))
    )
    if wanted.branch_id is not None:
        query = query.where(part.branch_id == wanted.branch_id)
    if wanted.node_id is not None:
        query = query.where(or_(*(one == wanted.node_id for one in (part.id, concept.id, concept.parent_id))))
    return query


def _question_cards(session: Session, asked: Sequence[_Asked], paths: Mapping[str, str]) -> Iterator[Flashcard]:
    """A card for each question, and one for all its copies: the first."""
    first: dict[QuestionKey, _Asked] = {}
    for one in asked:
        first.setdefault(question_key(one.question), one)
    passages = settling_passages(session, [one.question for one in first.values()])
    for key, one in first.items():
        yield _question_card(key, one, paths, passages.get(one.question.id))


def _asked(session: Session, user_id: str, wanted: FlashcardFilter, due: Collection[str] | None) -> list[_Asked]:
    """The learner's questions, the oldest first: none that is held back or voided and, unless they are wanted, none
    that is not settled."""
    by_id: dict[str, _Asked] = {}
    for question, assessment, concept, part in session.exec(_asked_query(user_id, wanted)):
        one = by_id.setdefault(question.id, _Asked(question, assessment, concept))
        if part is not None:
            one.parts.append(part)
    found = [one for one in by_id.values() if due is None or any(part.node_id in due for part in one.parts)]
    if wanted.unsettled:
        return found
    settled = settled_questions(session, user_id)
    return [one for one in found if settled.holds(one.question, one.assessment)]


def _asked_query(user_id: str, wanted: FlashcardFilter) -> Any:
    question, assessment, concept, part = tables.Question, tables.Assessment, tables.Node, tables.QuestionTest
    query = (
        select(question, assessment, concept, part)
        .join(assessment, col(assessment.id) == col(question.assessment_id))
        .join(concept, col(concept.id) == col(question.node_id))
        .join(part, col(part.question_id) == col(question.id), isouter=True)
        .where(
            assessment.user_id == user_id,
            col(concept.branch_id).is_not(None),
            col(question.state).not_in(tables.NOT_ASKED),
        )
        .order_by(col(question.creation), col(part.position))
    )
    if wanted.branch_id is not None:
        query = query.where(concept.branch_id == wanted.branch_id)
    if wanted.node_id is not None:
        about = select(_TESTS.question_id).where(_TESTS.node_id == wanted.node_id)
        in_concept = (concept.id == wanted.node_id, concept.parent_id == wanted.node_id)
        query = query.where(or_(*in_concept, col(question.id).in_(about)))
    return query


def _question_card(key: QuestionKey, asked: _Asked, paths: Mapping[str, str], source: PassageRow | None) -> Flashcard:
    concept_id, (prompt, options) = key
    question, answer, path_id = asked.question, answer_text(asked.question), asked.concept.branch_id or ""
    return Flashcard(
        id=hashlib.sha256("\n".join([concept_id, prompt, *sorted(options)]).encode()).hexdigest()[:32],
        front=question.prompt,
        back=_as_code(answer) if program_tests_of(question) else answer,
        path_id=path_id,
        path=paths[path_id],
        concept=asked.concept.title,
        about=asked.parts[0].title if asked.parts else "",
        options=tuple(question_shown(question).options or ()),
        why=solution_text(question),
        source=source,
    )


def _as_code(program: str) -> str:
    """The program as a block of code in Markdown; indented, since it may hold any fence."""
    return "".join(f"    {line}\n" for line in program.splitlines())

"""Question imports: the questions of a file, added to the reviews of a concept in one transaction."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select

from sprout.errors import BadInput, Conflict, TooLarge
from sprout.events import NodeRow
from sprout.learning.questions.question_files import (
    MAX_LISTED,
    REASONS,
    ImportedQuestions,
    LeftOutQuestion,
    LeftOutRow,
    QuestionFile,
    with_tested_parts,
)
from sprout.learning.questions.question_sets import Content, content_of
from sprout.learning.questions.questions import QuestionDraft, prompt_key
from sprout.store.assessment.beliefs import name_beliefs
from sprout.store.assessment.questions import insert_new_questions, new_question
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import children_of, lock_node, owned_node_row, unique_key
from sprout.store.reviews.item_questions import recall_of
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

MAX_QUESTIONS = 5_000  # of a concept, all kinds together

_questions, _assessments = table_of(tables.Question), table_of(tables.Assessment)
_LAST = select(func.coalesce(func.max(_questions.c.position), 0)).where(
    _questions.c.assessment_id == bindparam("assessment")
)


class SqlQuestionImports:
    """QuestionImports on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def import_questions(self, node_id: str, file: QuestionFile, *, user_id: str) -> ImportedQuestions:
        return await self._database.write_tx(lambda tx: _import(tx, node_id, file, user_id))


def _import(tx: WriteTransaction, node_id: str, file: QuestionFile, user_id: str) -> ImportedQuestions:
    concept, parts = _concept_and_parts(tx, node_id, user_id)
    known = _known(tx.connection, concept.id, user_id)
    fresh = {content_of(draft.prompt, draft.options): draft for draft in reversed(file.questions)}
    fresh = {content: draft for content, draft in reversed(fresh.items()) if content not in known}
    if len(known) + len(fresh) > MAX_QUESTIONS:
        raise TooLarge(
            "A concept has at most {most:,} questions: choose a smaller file.",
            code="too_many_concept_questions",
            most=MAX_QUESTIONS,
        )
    if fresh:
        _insert(tx, concept, [with_tested_parts(draft, parts) for draft in fresh.values()], user_id)
    return ImportedQuestions(
        added=len(fresh),
        already_there=len(file.questions) - len(fresh),
        left_out_count=len(file.left_out),
        left_out=[_row(one) for one in file.left_out[:MAX_LISTED]],
    )


def _concept_and_parts(tx: WriteTransaction, node_id: str, user_id: str) -> tuple[NodeRow, Sequence[NodeRow]]:
    """The concept, locked, and those of its parts that questions can be about."""
    node = owned_node_row(tx.connection, node_id, user_id)
    if node.type == "root" or node.parent_id is None:
        raise BadInput("Questions belong to a concept: choose one.", field="id", code="questions_need_concept")
    if node.type == "subconcept":
        return lock_node(tx.connection, node.parent_id, user_id), [node]
    concept = lock_node(tx.connection, node.id, user_id)
    parts = children_of(tx.connection, concept.id)
    if not parts:
        raise Conflict("This concept has no parts yet: create them first.", code="questions_need_parts")
    return concept, parts


def _known(connection: Connection, concept_id: str, user_id: str) -> set[Content]:
    """The questions that the learner has about the concept, in whatever state: a voided one does not come again."""
    wanted = (
        select(_questions.c.prompt, _questions.c.options)
        .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
        .where(_questions.c.node_id == concept_id, _assessments.c.user_id == user_id)
    )
    return {
        content_of(row.prompt, [option["text"] for option in row.options or []]) for row in connection.execute(wanted)
    }


def _insert(tx: WriteTransaction, concept: NodeRow, drafts: Sequence[QuestionDraft], user_id: str) -> None:
    recall = recall_of(tx, concept, user_id)
    last = tx.connection.execute(_LAST, {"assessment": recall}).scalar_one()
    named = name_beliefs(tx.connection, drafts, concept.id)
    rows = [
        new_question(
            draft,
            assessment_id=recall,
            concept_id=concept.id,
            position=position,
            key=f"{position}:{unique_key(prompt_key(draft.prompt))}",
        )
        for position, draft in enumerate(named, start=last + 1)
    ]
    insert_new_questions(tx.connection, [(row, draft.tests) for row, draft in zip(rows, named, strict=True)])


def _row(one: LeftOutQuestion) -> LeftOutRow:
    return LeftOutRow(name=one.name, code=one.reason.value, why=REASONS[one.reason])

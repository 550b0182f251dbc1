"""Passages that settle questions: where in the learner's documents the answer stands."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from sqlmodel import Session, col, select

from sprout.learning.sources import PassageRow
from sprout.learning.text.stems import stems
from sprout.store.documents.passages import passage_row
from sprout.store.schema import tables
from sprout.store.schema.mapping import solution_text

MIN_SHARED_STEMS = 2


def settling_passages(session: Session, questions: Collection[tables.Question]) -> Mapping[str, PassageRow]:
    """For the id of each question the passage which shares most words with it and its answer, of those that the parts
    which it tests are taught from; none where no passage shares two."""
    if not questions:
        return {}
    wanted = (
        select(
            tables.QuestionTest.question_id,
            tables.Passage,
            tables.Document.original_filename,
            tables.Document.mime_type,
        )
        .join(tables.Citation, col(tables.Citation.node_id) == col(tables.QuestionTest.node_id))
        .join(tables.Passage, col(tables.Passage.id) == col(tables.Citation.passage_id))
        .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
        .where(col(tables.QuestionTest.question_id).in_([one.id for one in questions]))
        .order_by(col(tables.Document.creation), col(tables.Passage.position))
    )
    cited: defaultdict[str, list[PassageRow]] = defaultdict(list)
    for question_id, passage, document, mime_type in session.exec(wanted):
        cited[question_id].append(passage_row(passage, document, mime_type))
    best = {one.id: _most_alike(cited[one.id], one) for one in questions if cited[one.id]}
    return {question_id: passage for question_id, passage in best.items() if passage is not None}


def _most_alike(passages: Collection[PassageRow], question: tables.Question) -> PassageRow | None:
    asked = stems([f"{question.prompt} {question.correct_answer} {solution_text(question) or ''}"])
    shared = {one.id: len(stems([one.text]) & asked) for one in passages}
    best = max(passages, key=lambda one: shared[one.id])
    return best if shared[best.id] >= MIN_SHARED_STEMS else None

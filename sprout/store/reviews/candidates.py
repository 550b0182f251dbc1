"""Candidates for review items: the questions about a part that were asked, and prepared ones that were not."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select

from sprout.learning.misconceptions.beliefs import beliefs_in
from sprout.learning.misconceptions.ledger import Clearable
from sprout.learning.questions.questions import prompt_key
from sprout.learning.reviews.items import Candidate, ItemSource, is_marked_at_once
from sprout.store.assessment.answer_history import OPEN
from sprout.store.assessment.misconceptions import belief_ids
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewItem, ReviewSessionRow

NOT_REVIEWED_KINDS = frozenset({"code", "draw"})  # marked by running them, or by eye

_nodes, _tests = table_of(tables.Node), table_of(tables.QuestionTest)
_questions, _answers = table_of(tables.Question), table_of(tables.Answer)
_assessments = table_of(tables.Assessment)
_items, _sessions = table_of(ReviewItem), table_of(ReviewSessionRow)
_concepts, _topics = _nodes.alias("concepts"), _nodes.alias("topics")
_SEEN = select(func.max(_answers.c.created_at)).where(_answers.c.question_id == _questions.c.id).scalar_subquery()


def askable_parts(connection: Connection, node_ids: Collection[str], user_id: str, source: ItemSource) -> set[str]:
    """Those of the parts about which there is a question to ask."""
    found = {row.node_id for row in connection.execute(_asked(node_ids, user_id, _tests.c.node_id)) if is_usable(row)}
    missing = [node_id for node_id in node_ids if node_id not in found]
    return found | {row.id for row in _titled(connection, missing) if source.items(row.topic, row.concept, row.title)}


def candidates_for(
    connection: Connection, node_id: str, user_id: str, source: ItemSource, clears: Clearable
) -> list[Candidate]:
    """Everything that may be asked about a part.

    Args:
        clears: the misconceptions that a right answer can clear now.
    """
    asked = asked_about(connection, [node_id], user_id, clears)[node_id]
    prepared = [
        Candidate(
            draft.prompt,
            is_marked_at_once(draft),
            prepared=draft,
            clears=bool(clears.entries) and clears.by(prompt_key(draft.prompt), beliefs_in(draft)),
        )
        for row in _titled(connection, [node_id])
        for draft in source.items(row.topic, row.concept, row.title)
    ]
    return [*asked, *prepared]


def asked_about(
    connection: Connection, node_ids: Collection[str], user_id: str, clears: Clearable | None = None
) -> defaultdict[str, list[Candidate]]:
    """The stored questions about each of the parts, in the order in which they were made."""
    columns = (_tests.c.node_id, _questions.c.id, _questions.c.prompt, _questions.c.format, _SEEN.label("seen_at"))
    named = (_questions.c.misconceptions, _questions.c.criteria) if clears is not None and clears.entries else ()
    wanted = _asked(node_ids, user_id, *columns, *named).order_by(_questions.c.creation)
    found: defaultdict[str, list[Candidate]] = defaultdict(list)
    for row in connection.execute(wanted):
        if is_usable(row):
            found[row.node_id].append(_asked_candidate(row, clears))
    return found


def posed_in_reviews(user_id: str) -> Select[Any]:
    """The ids of the questions that a session of the learner asks now."""
    return (
        select(_items.c.question_id)
        .join(_sessions, _sessions.c.id == _items.c.session_id)
        .where(_sessions.c.user_id == user_id, _sessions.c.ended_at.is_(None))
        .where(_items.c.state.in_(("posed", "comparing")), _items.c.question_id.is_not(None))
    )


def _asked(node_ids: Collection[str], user_id: str, *columns: ColumnElement[Any]) -> Select[Any]:
    """The questions about these parts that are not open elsewhere, with what `is_usable` looks at."""
    return (
        select(*columns, _questions.c.kind, _questions.c.marked_by, _questions.c.ladder)
        .join_from(_tests, _questions, _questions.c.id == _tests.c.question_id)
        .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
        .where(_tests.c.node_id.in_(list(node_ids)), _assessments.c.user_id == user_id)
        .where(_questions.c.state.not_in(tables.NOT_ASKED), ~OPEN)
        .where(_questions.c.id.not_in(posed_in_reviews(user_id)))
    )


def _titled(connection: Connection, node_ids: Collection[str]) -> Sequence[Row[Any]]:
    """The parts with the titles above them."""
    wanted = (
        select(_nodes.c.id, _nodes.c.title, _concepts.c.title.label("concept"), _topics.c.title.label("topic"))
        .join(_concepts, _concepts.c.id == _nodes.c.parent_id)
        .join(_topics, _topics.c.id == _concepts.c.parent_id)
        .where(_nodes.c.id.in_(list(node_ids)))
    )
    return list(connection.execute(wanted))


def is_usable(row: Any) -> bool:
    """Whether a question's row, with its kind and what marks and helps it, can be asked in a review."""
    is_gap = bool((row.ladder or {}).get("given"))  # most of it is worked out, so that it recalls little
    return row.kind not in NOT_REVIEWED_KINDS and not is_gap and not (row.marked_by or {}).get("program_tests")


def _asked_candidate(row: Row[Any], clears: Clearable | None) -> Candidate:
    by_code = row.format != "open_ended" or bool((row.marked_by or {}).get("accepted"))
    can_clear = clears is not None and bool(clears.entries) and clears.by(prompt_key(row.prompt), set(belief_ids(row)))
    return Candidate(row.prompt, by_code, question_id=row.id, seen_at=row.seen_at, clears=can_clear)

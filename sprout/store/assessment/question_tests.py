"""Tests of questions: the subconcepts that each is about, by title, and by id while they exist."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Exists, Row, Select, bindparam, exists, insert, select, update

from sprout.events import NodeRow
from sprout.learning.graph.graph import title_key
from sprout.store.graph.nodes import unique_key
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

_tests, _questions = table_of(tables.QuestionTest), table_of(tables.Question)
_assessments, _nodes = table_of(tables.Assessment), table_of(tables.Node)
_PART = select(_nodes.c.id).where(_nodes.c.parent_id == bindparam("concept"), _nodes.c.title_key == bindparam("named"))
_INSERT = insert(_tests).values(
    question_id=bindparam("question"),
    position=bindparam("place"),
    title=bindparam("words"),
    node_id=_PART.scalar_subquery(),
)
_OF_CONCEPT = (
    select(_tests)
    .join(_questions, _questions.c.id == _tests.c.question_id)
    .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
    .where(_questions.c.node_id == bindparam("concept"), _assessments.c.user_id == bindparam("user"))
)
_RESOLVE = (
    update(_tests)
    .where(_tests.c.question_id == bindparam("question"), _tests.c.position == bindparam("place"))
    .values(node_id=bindparam("node"))
)


class Tested(NamedTuple):
    """A subconcept that a question tests; without an id until there is one of that title, and once it is removed."""

    title: str
    node_id: str | None


def insert_tests(connection: Connection, tested: Iterable[tuple[str, str, Sequence[str]]]) -> None:
    """Insert what new questions test, in this order, with the ids of their concepts' parts that have these titles.

    Args:
        tested: question, concept and titles.
    """
    rows = [
        {
            "question": question_id,
            "place": place,
            "words": title,
            "concept": concept_id,
            "named": unique_key(title_key(title)),
        }
        for question_id, concept_id, titles in tested
        for place, title in enumerate(titles)
    ]
    if rows:
        connection.execute(_INSERT, rows)


def resolve_tests(connection: Connection, concept_id: str, user_id: str, nodes: Sequence[NodeRow]) -> None:
    """Point the tests of the learner's questions about a concept at the nodes of their titles; others stay."""
    by_title = {title_key(node.title): node.id for node in nodes}
    found = connection.execute(_OF_CONCEPT, {"concept": concept_id, "user": user_id}).all()
    changed = [
        {"question": test.question_id, "place": test.position, "node": node_id}
        for test in found
        if (node_id := by_title.get(title_key(test.title), test.node_id)) != test.node_id
    ]
    if changed:
        connection.execute(_RESOLVE, changed)


def is_about(node_id: str) -> Exists:
    """Whether a question of the enclosing statement tests this node."""
    return exists().where(_tests.c.question_id == _questions.c.id, _tests.c.node_id == node_id)


def with_tests(wanted: Select[Any]) -> Select[Any]:
    """The statement over questions with a row for each of their tests, in order, for `gather_tests`.

    Args:
        wanted: in an order in which the rows of one `id` are neighbours.
    """
    tested = (_tests.c.title.label("tested_title"), _tests.c.node_id.label("tested_id"))
    joined = wanted.add_columns(*tested).outerjoin(_tests, _tests.c.question_id == _questions.c.id)
    return joined.order_by(_tests.c.position)


def gather_tests(rows: Iterable[Row[Any]]) -> Iterator[tuple[Row[Any], Sequence[Tested]]]:
    """Each row of the statement once, by its `id`, with the tests of its question in their order."""
    for _, same in groupby(rows, key=attrgetter("id")):
        first, *others = same
        tests = [Tested(row.tested_title, row.tested_id) for row in (first, *others) if row.tested_title is not None]
        yield first, tests


def tested_ids(tests: Iterable[Tested]) -> tuple[str, ...]:
    """The ids of the nodes that are tested and exist."""
    return tuple(test.node_id for test in tests if test.node_id is not None)

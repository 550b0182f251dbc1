"""Copies of a given path as rows: each member's, with how far they are with the concepts, in a few statements."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from sqlalchemy import CTE, Connection, Select, Text, case, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB

from sprout.accounts.class_page.rules import LOOKED_AT, ConceptStanding
from sprout.store.engine.many_ids import is_among
from sprout.store.lessons.lesson_queries import MAX_PAST_LESSONS
from sprout.store.schema import tables
from sprout.store.schema.class_tables import ClassMember, GivenPath, PathCopy
from sprout.store.schema.columns import table_of

_members, _given, _copies = table_of(ClassMember), table_of(GivenPath), table_of(PathCopy)
_nodes, _edges, _progress = table_of(tables.Node), table_of(tables.Edge), table_of(tables.Progress)
_questions, _answers = table_of(tables.Question), table_of(tables.Answer)
_sessions, _messages = table_of(tables.ChatSession), table_of(tables.ChatMessage)
_concepts, _parts = _nodes.alias("concepts"), _nodes.alias("parts")
NEXT, WITHIN = ",", " "  # between aggregated ids, which have neither


@dataclass(frozen=True, slots=True)
class CopyRows:
    """What the copies of a given path hold, each mapping but for `scores` by the user.

    Args:
        copy_ids: concept of the source → its copy.
        scores: by the copy of the concept, of those that are not learned: of the last marked answers, newest first.
        left, over: concepts with a lesson that was left, and those whose parts are all through.
    """

    copy_ids: Mapping[str, Mapping[str, str]]
    standings: Mapping[str, Sequence[ConceptStanding]]
    edges: Mapping[str, Sequence[tuple[str, str]]]
    scores: Mapping[str, Sequence[float]]
    left: Mapping[str, Collection[str]]
    over: Mapping[str, Collection[str]]


def copies_of(given_id: str, learner_id: str | None = None) -> CTE:
    """The copies that members of the class have of a given path, of all or of one: user and branch."""
    wanted = (
        select(_copies.c.user_id, _copies.c.branch_id)
        .join(_given, _given.c.id == _copies.c.given_id)
        .join(_members, (_members.c.class_id == _given.c.class_id) & (_members.c.user_id == _copies.c.user_id))
        .where(_copies.c.given_id == given_id, _copies.c.branch_id.is_not(None))
    )
    if learner_id is not None:
        wanted = wanted.where(_copies.c.user_id == learner_id)
    return wanted.cte("copies")


def copy_rows(connection: Connection, given_id: str, source_id: str, copies: CTE) -> CopyRows:
    """The rows of the copies; `source_id` is the branch that they were made of."""
    standings = _standings(connection, copies)
    unlearned = [one for of_learner in standings.values() for one in of_learner if not one.learned]
    left, over = _lessons(connection, copies, [one.node_id for one in unlearned])
    return CopyRows(
        copy_ids=_copy_ids(connection, given_id, source_id, copies),
        standings=standings,
        edges=_concept_edges(connection, copies),
        scores=_last_scores(connection, [one.node_id for one in unlearned if one.answers]),
        left=left,
        over=over,
    )


def _standings(connection: Connection, copies: CTE) -> Mapping[str, Sequence[ConceptStanding]]:
    """The standings with all concepts, a text for each learner: so many rows would take three times as long."""
    columns = (
        _nodes.c.id,
        case((_progress.c.completed_at.is_not(None), "1"), else_=""),
        case((_progress.c.mastered_at.is_not(None), "1"), else_=""),
        func.coalesce(cast(_progress.c.attempts_count, Text), "0"),
        func.coalesce(cast(_progress.c.mastery_score, Text), "0"),
    )
    text = reduce(lambda one, other: one + WITHIN + other, columns)
    wanted = (
        select(copies.c.user_id, func.aggregate_strings(text, NEXT))
        .join(_nodes, (_nodes.c.branch_id == copies.c.branch_id) & (_nodes.c.type == "concept"))
        .outerjoin(_progress, (_progress.c.node_id == _nodes.c.id) & (_progress.c.user_id == copies.c.user_id))
        .group_by(copies.c.user_id)
    )
    return {user_id: [*map(_standing, rows.split(NEXT))] for user_id, rows in connection.execute(wanted)}


def _standing(text: str) -> ConceptStanding:
    node_id, learned, mastered, answers, mastery = text.split(WITHIN)
    return ConceptStanding(node_id, bool(learned), bool(mastered), int(answers), float(mastery))


def _copy_ids(connection: Connection, given_id: str, source_id: str, copies: CTE) -> Mapping[str, Mapping[str, str]]:
    """The copy of each concept of the source."""
    if connection.dialect.name == "postgresql":
        each = func.jsonb_each(_copies.c.origins).table_valued("key", "value", name="each")
        copy_id = func.jsonb_extract_path_text(each.c.value.cast(JSONB), "0")
    else:
        each = func.json_each(_copies.c.origins).table_valued("key", "value", name="each")
        copy_id = func.json_extract(each.c.value, "$[0]")
    concepts = select(_concepts.c.id).where(_concepts.c.branch_id == source_id, _concepts.c.type == "concept")
    wanted = (
        select(_copies.c.user_id, func.aggregate_strings(each.c.key + WITHIN + copy_id, NEXT))
        .join_from(_copies, copies, copies.c.user_id == _copies.c.user_id)
        .join(each, _copies.c.given_id == given_id)
        .where(_copies.c.given_id == given_id, each.c.key.in_(concepts))
        .group_by(_copies.c.user_id)
    )
    return {user_id: dict(_pairs(ids)) for user_id, ids in connection.execute(wanted)}


def _concept_edges(connection: Connection, copies: CTE) -> Mapping[str, Sequence[tuple[str, str]]]:
    ends = _edges.c.source_node_id + WITHIN + _edges.c.target_node_id
    wanted = (
        select(copies.c.user_id, func.aggregate_strings(ends, NEXT))
        .join(_nodes, (_nodes.c.branch_id == copies.c.branch_id) & (_nodes.c.type == "root"))
        .join(_edges, _edges.c.parent_id == _nodes.c.id)
        .group_by(copies.c.user_id)
    )
    return {user_id: _pairs(ids) for user_id, ids in connection.execute(wanted)}


def _last_scores(connection: Connection, concept_ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
    """The scores of the last marked answers about each of the concepts, newest first."""
    if not concept_ids:
        return {}
    number = func.row_number().over(partition_by=_questions.c.node_id, order_by=_answers.c.creation.desc())
    marked = (
        select(_questions.c.node_id, _answers.c.score, number.label("number"))
        .join(_answers, _answers.c.question_id == _questions.c.id)
        .where(is_among(connection, _questions.c.node_id, concept_ids))
        .where(_answers.c.score.is_not(None), _questions.c.state != "voided")
        .subquery()
    )
    wanted = select(marked.c.node_id, marked.c.score).where(marked.c.number <= LOOKED_AT).order_by(marked.c.number)
    found: defaultdict[str, list[float]] = defaultdict(list)
    for node_id, score in connection.execute(wanted).all():
        found[node_id].append(score)
    return found


def _lessons(
    connection: Connection, copies: CTE, concept_ids: Collection[str]
) -> tuple[Mapping[str, Collection[str]], Mapping[str, Collection[str]]]:
    """Of the concepts, those with a lesson that was left, and those of which every part is learned or its lesson is
    over."""
    left: defaultdict[str, set[str]] = defaultdict(set)
    ended: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
    newest: dict[tuple[str, str], Any] = {}
    oldest = {user_id: creation or 0 for user_id, creation in connection.execute(_oldest_lessons(copies))}
    for row in connection.execute(_lessons_about(connection, concept_ids)).all():
        if row.a_message is not None and row.creation >= oldest[row.user_id]:
            newest[row.user_id, row.node_id] = row
    for (user_id, node_id), row in newest.items():
        if row.is_over:
            ended[user_id].setdefault(row.parent_id, set()).add(node_id)
        else:
            left[user_id].add(row.parent_id)
    return left, _all_over(connection, ended) if ended else {}


def _lessons_about(connection: Connection, concept_ids: Collection[str]) -> Select[Any]:
    """The learners' lessons about parts of the concepts, oldest first, with a message of each, which is null where none
    was said.

    It is no condition: one would look for the messages of all lessons.
    """
    a_message = select(_messages.c.id).where(_messages.c.session_id == _sessions.c.id).limit(1)
    return (
        select(_sessions.c.user_id, _sessions.c.node_id, _sessions.c.ended_at.is_not(None).label("is_over"))
        .add_columns(_parts.c.parent_id, _sessions.c.creation)
        .add_columns(a_message.correlate(_sessions).scalar_subquery().label("a_message"))
        .join_from(_parts, _sessions, (_sessions.c.node_id == _parts.c.id) & (_sessions.c.user_id == _parts.c.user_id))
        .where(is_among(connection, _parts.c.parent_id, concept_ids))
        .order_by(_sessions.c.creation)
    )


def _oldest_lessons(copies: CTE) -> Select[Any]:
    """The oldest of each learner's lessons that still count as newest; null where all do."""
    of_learner = select(_sessions.c.creation).where(
        _sessions.c.user_id == copies.c.user_id, _sessions.c.node_id.is_not(None)
    )
    newest = of_learner.order_by(_sessions.c.creation.desc()).offset(MAX_PAST_LESSONS - 1).limit(1)
    return select(copies.c.user_id, newest.correlate(copies).scalar_subquery())


def _all_over(
    connection: Connection, ended: Mapping[str, Mapping[str, Collection[str]]]
) -> Mapping[str, Collection[str]]:
    """Of the concepts in which a lesson has ended, those with no part that is not through."""
    begun = [concept_id for of_learner in ended.values() for concept_id in of_learner]
    wanted = (
        select(_parts.c.user_id, _parts.c.parent_id, _parts.c.id, _progress.c.completed_at.is_not(None))
        .outerjoin(_progress, (_progress.c.node_id == _parts.c.id) & (_progress.c.user_id == _parts.c.user_id))
        .where(is_among(connection, _parts.c.parent_id, begun))
    )
    open_parts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for user_id, concept_id, part_id, learned in connection.execute(wanted):
        open_parts[user_id, concept_id] += not learned and part_id not in ended[user_id].get(concept_id, ())
    found: defaultdict[str, set[str]] = defaultdict(set)
    for (user_id, concept_id), count in open_parts.items():
        if not count:
            found[user_id].add(concept_id)
    return found


def _pairs(ids: str) -> list[tuple[str, str]]:
    return [(one, other) for one, _, other in (pair.partition(WITHIN) for pair in ids.split(NEXT))]

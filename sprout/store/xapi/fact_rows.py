"""Rows that say what learners did in their paths: one statement over answers, progress and reviews."""

from typing import Any

from sqlalchemy import CTE, Float, Select, Subquery, Text, func, literal, null, select, type_coerce, union_all

from sprout.learning.xapi.facts import Verb
from sprout.store.schema import tables
from sprout.store.schema.class_tables import ClassMember, GivenPath, PathCopy
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewEntry, ReviewItem

_members, _given, _copies = table_of(ClassMember), table_of(GivenPath), table_of(PathCopy)
_nodes, _progress, _branches = table_of(tables.Node), table_of(tables.Progress), table_of(tables.Branch)
_answers, _questions, _assessments = table_of(tables.Answer), table_of(tables.Question), table_of(tables.Assessment)
_reviews, _items = table_of(ReviewEntry), table_of(ReviewItem)
_NO_TEXT, _NO_NUMBER = type_coerce(null(), Text()).label("no_text"), type_coerce(null(), Float()).label("no_number")
FACT_ORDER = ("at", "verb", "source_id")


def own_path(branch_id: str, user_id: str) -> CTE:
    """A learner's path as it is theirs."""
    return (
        select(_branches.c.user_id, _branches.c.id.label("branch_id"), literal(None, Text()).label("given_id"))
        .where(_branches.c.id == branch_id, _branches.c.user_id == user_id)
        .cte("paths")
    )


def class_paths(class_id: str, *, given_id: str | None = None, learner_id: str | None = None) -> CTE:
    """The copies that members of a class have of its given paths: of all or of one, of all members or of one."""
    wanted = (
        select(_copies.c.user_id, _copies.c.branch_id, _copies.c.given_id)
        .join(_given, _given.c.id == _copies.c.given_id)
        .join(_members, (_members.c.class_id == _given.c.class_id) & (_members.c.user_id == _copies.c.user_id))
        .where(_given.c.class_id == class_id, _copies.c.branch_id.is_not(None))
    )
    if given_id is not None:
        wanted = wanted.where(_given.c.id == given_id)
    if learner_id is not None:
        wanted = wanted.where(_copies.c.user_id == learner_id)
    return wanted.cte("paths")


def fact_rows(paths: CTE) -> Subquery:
    """Everything that was done in the paths. `node_id` is a concept's or a part's, null for a path as a whole."""
    return union_all(
        _answered(paths),
        _reached(paths, Verb.MASTERED),
        _reached(paths, Verb.COMPLETED),
        _ended(paths),
        _reviewed(paths),
    ).subquery("facts")


def _answered(paths: CTE) -> Select[Any]:
    """Marked answers to questions that count."""
    return (
        _fact(Verb.ANSWERED, _answers.c.id, _answers.c.created_at, paths)
        .add_columns(
            _questions.c.node_id.label("node_id"),
            _questions.c.id.label("question_id"),
            _answers.c.score.label("score"),
            _answers.c.is_correct.label("success"),
            _items.c.seconds.label("seconds"),
        )
        .join(_nodes, _nodes.c.branch_id == paths.c.branch_id)
        .join(_assessments, _assessments.c.target_node_id == _nodes.c.id)
        .join(_answers, (_answers.c.assessment_id == _assessments.c.id) & (_answers.c.user_id == paths.c.user_id))
        .join(_questions, _questions.c.id == _answers.c.question_id)
        .outerjoin(_items, _items.c.answer_id == _answers.c.id)
        .where(_answers.c.score.is_not(None), _questions.c.state != "voided")
    )


def _reached(paths: CTE, verb: Verb) -> Select[Any]:
    """Concepts that were completed, and concepts and parts that were mastered."""
    at = _progress.c.completed_at if verb is Verb.COMPLETED else _progress.c.mastered_at
    types = ("concept",) if verb is Verb.COMPLETED else ("concept", "subconcept")
    return (
        _fact(verb, _progress.c.id, at, paths)
        .add_columns(_nodes.c.id, _NO_TEXT, _NO_NUMBER, null(), _NO_NUMBER)
        .join(_nodes, (_nodes.c.branch_id == paths.c.branch_id) & _nodes.c.type.in_(types))
        .join(_progress, (_progress.c.node_id == _nodes.c.id) & (_progress.c.user_id == paths.c.user_id))
        .where(at.is_not(None))
    )


def _ended(paths: CTE) -> Select[Any]:
    """Paths of which all concepts are completed, with the last of them."""
    done = _progress.c.completed_at
    return (
        _fact(Verb.COMPLETED, paths.c.branch_id, func.max(done), paths)
        .add_columns(_NO_TEXT, _NO_TEXT, _NO_NUMBER, null(), _NO_NUMBER)
        .join(_nodes, (_nodes.c.branch_id == paths.c.branch_id) & (_nodes.c.type == "concept"))
        .outerjoin(_progress, (_progress.c.node_id == _nodes.c.id) & (_progress.c.user_id == paths.c.user_id))
        .group_by(paths.c.user_id, paths.c.branch_id, paths.c.given_id)
        .having(func.count() == func.count(done))
    )


def _reviewed(paths: CTE) -> Select[Any]:
    """Reviews of parts, but for those that an answer about another part stands for."""
    return (
        _fact(Verb.REVIEWED, _reviews.c.id, _reviews.c.at, paths)
        .add_columns(_nodes.c.id, _NO_TEXT, _NO_NUMBER, _reviews.c.grade != "again", _reviews.c.seconds)
        .join(_nodes, _nodes.c.branch_id == paths.c.branch_id)
        .join(_reviews, (_reviews.c.node_id == _nodes.c.id) & (_reviews.c.user_id == paths.c.user_id))
        .where(~_reviews.c.is_credit)
    )


def _fact(verb: Verb, source_id: Any, at: Any, paths: CTE) -> Select[Any]:
    who = (paths.c.user_id, paths.c.branch_id, paths.c.given_id)
    return select(
        literal(verb.value, Text()).label("verb"), source_id.label("source_id"), at.label("at"), *who
    ).select_from(paths)

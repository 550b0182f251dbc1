"""Removal guards: a learner's activity on a node, and active runs, that prevent its removal."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, Exists, and_, bindparam, exists, or_, select
from sqlmodel import col
from sqlmodel import select as select_one

from sprout.errors import Conflict
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import run_tables, tables
from sprout.store.schema.columns import table_of

_nodes, _progress, _chats = table_of(tables.Node), table_of(tables.Progress), table_of(tables.ChatSession)
_answers, _questions = table_of(tables.Answer), table_of(tables.Question)
_assessments, _tests = table_of(tables.Assessment), table_of(tables.QuestionTest)
_AMONG = _nodes.c.id.in_(bindparam("nodes", expanding=True))
_LOCK = select(_nodes.c.id).where(_AMONG).order_by(_nodes.c.creation).with_for_update()
_ENTERED = exists().where(
    _progress.c.node_id == _nodes.c.id,
    or_(
        _progress.c.first_entered_at.is_not(None),
        _progress.c.completed_at.is_not(None),
        _progress.c.attempts_count > 0,
        _progress.c.overridden_at.is_not(None),
    ),
)
_TALKED = exists().where(_chats.c.node_id == _nodes.c.id)


def _answered(*about: ColumnElement[bool]) -> Exists:
    """Whether a question of which all of this holds was answered, which only the node's owner can do."""
    asked = and_(_questions.c.id == _answers.c.question_id, _assessments.c.id == _answers.c.assessment_id)
    return exists().where(asked, *about).correlate(_nodes)


# A subquery for each way in which a question is about a node, so that each begins at an index.
_OF_IT, _FOR_IT = _questions.c.node_id == _nodes.c.id, _assessments.c.target_node_id == _nodes.c.id
_TESTING_IT = and_(_tests.c.node_id == _nodes.c.id, _answers.c.question_id == _tests.c.question_id)
_ABOUT = (_OF_IT, _FOR_IT, _TESTING_IT)
_IN_DIAGNOSTIC = _assessments.c.type == "diagnostic"
_ANSWERED = or_(*(_answered(about) for about in _ABOUT))
_WORKED_ON = or_(*(_answered(about, ~_IN_DIAGNOSTIC) for about in _ABOUT))
_ASKED_BEFOREHAND = or_(*(_answered(about, _IN_DIAGNOSTIC) for about in _ABOUT))
_OPENED = exists().where(
    _progress.c.node_id == _nodes.c.id,
    or_(
        _progress.c.first_entered_at.is_not(None),
        _progress.c.overridden_at.is_not(None),
        and_(or_(_progress.c.completed_at.is_not(None), _progress.c.attempts_count > 0), ~_ASKED_BEFOREHAND),
    ),
)
_BEGUN = select(_nodes.c.id).where(_AMONG, or_(_ENTERED, _TALKED, _ANSWERED))
_STARTED = select(_nodes.c.id).where(_AMONG, or_(_OPENED, _TALKED, _WORKED_ON))


def nodes_with_activity(connection: Connection, node_ids: Collection[str]) -> frozenset[str]:
    """Those of the nodes that the learner has entered, answered about or talked on.

    Their rows stay locked, so that none is begun before the transaction ends.
    """
    if not node_ids:
        return frozenset()
    connection.execute(_LOCK, {"nodes": list(node_ids)})
    return frozenset(connection.execute(_BEGUN, {"nodes": list(node_ids)}).scalars())


def started_nodes(connection: Connection, node_ids: Collection[str], *, lock: bool = False) -> frozenset[str]:
    """Those of the nodes that the learner has opened, worked on or talked on.

    Answers of a diagnostic are no start: it is there to show what need not be learned.

    Args:
        lock: whether their rows stay locked, so that none is begun before the transaction ends.
    """
    if not node_ids:
        return frozenset()
    if lock:
        connection.execute(_LOCK, {"nodes": list(node_ids)})
    return frozenset(connection.execute(_STARTED, {"nodes": list(node_ids)}).scalars())


def refuse_while_running(tx: WriteTransaction, of: ColumnElement[bool]) -> None:
    """Raises Conflict: a run of which this holds has not ended."""
    active = select_one(run_tables.Run.id).where(of, col(run_tables.Run.state).in_(run_tables.UNFINISHED)).limit(1)
    run_id = tx.session.exec(active).first()
    if run_id is not None:
        raise Conflict(f"Run {run_id} is active here: stop it first.", code="run_active")

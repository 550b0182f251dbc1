"""What keeps a node from being removed: what the learner has begun on it, and runs that are going there."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, Text, and_, bindparam, cast, exists, literal, or_, select
from sqlmodel import col
from sqlmodel import select as select_one

from sprout.errors import Conflict
from sprout.store import run_tables, tables
from sprout.store.columns import table_of
from sprout.store.write import Write

_nodes, _progress, _chats = table_of(tables.Node), table_of(tables.Progress), table_of(tables.ChatSession)
_answers, _questions = table_of(tables.Answer), table_of(tables.Question)
_assessments = table_of(tables.Assessment)
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
_ANSWERED = exists().where(
    _answers.c.user_id == _nodes.c.user_id,
    _questions.c.id == _answers.c.question_id,
    _assessments.c.id == _answers.c.assessment_id,
    or_(
        _questions.c.node_id == _nodes.c.id,
        _assessments.c.target_node_id == _nodes.c.id,
        cast(_questions.c.tests, Text).like(literal("%").concat(_nodes.c.id).concat("%")),
    ),
)
_BEGUN = select(_nodes.c.id).where(_AMONG, or_(_ENTERED, _TALKED, _ANSWERED))
_IN_DIAGNOSTIC = _assessments.c.type == "diagnostic"
_ABOUT_IT = cast(_questions.c.tests, Text).like(literal("%").concat(_nodes.c.id).concat("%"))
_ASKED_BEFOREHAND = exists().where(
    _answers.c.user_id == _nodes.c.user_id,
    _questions.c.id == _answers.c.question_id,
    _assessments.c.id == _answers.c.assessment_id,
    _IN_DIAGNOSTIC,
    _ABOUT_IT,
)
_WORKED_ON = exists().where(
    _answers.c.user_id == _nodes.c.user_id,
    _questions.c.id == _answers.c.question_id,
    _assessments.c.id == _answers.c.assessment_id,
    ~_IN_DIAGNOSTIC,
    or_(_questions.c.node_id == _nodes.c.id, _assessments.c.target_node_id == _nodes.c.id, _ABOUT_IT),
)
_OPENED = exists().where(
    _progress.c.node_id == _nodes.c.id,
    or_(
        _progress.c.first_entered_at.is_not(None),
        _progress.c.overridden_at.is_not(None),
        and_(or_(_progress.c.completed_at.is_not(None), _progress.c.attempts_count > 0), ~_ASKED_BEFOREHAND),
    ),
)
_STARTED = select(_nodes.c.id).where(_AMONG, or_(_OPENED, _TALKED, _WORKED_ON))


def begun(connection: Connection, node_ids: Collection[str]) -> frozenset[str]:
    """Those of the nodes that the learner has entered, answered about or talked on (G4).

    Their rows stay locked, so that nobody begins one until the transaction ends.
    """
    if not node_ids:
        return frozenset()
    connection.execute(_LOCK, {"nodes": list(node_ids)})
    return frozenset(connection.execute(_BEGUN, {"nodes": list(node_ids)}).scalars())


def started(connection: Connection, node_ids: Collection[str], *, lock: bool = False) -> frozenset[str]:
    """Those of the nodes that the learner has opened, worked on or talked on.

    What a diagnostic asked beforehand is no start: it is there to show what need not be learned.

    Args:
        lock: whether their rows stay locked, so that nobody starts one until the transaction ends.
    """
    if not node_ids:
        return frozenset()
    if lock:
        connection.execute(_LOCK, {"nodes": list(node_ids)})
    return frozenset(connection.execute(_STARTED, {"nodes": list(node_ids)}).scalars())


def refuse_while_going(write: Write, of: ColumnElement[bool]) -> None:
    """Raises Conflict: a run of which this holds has not ended."""
    going = select_one(run_tables.Run.id).where(of, col(run_tables.Run.state).in_(run_tables.UNFINISHED)).limit(1)
    run_id = write.session.exec(going).first()
    if run_id is not None:
        raise Conflict(f"Run {run_id} is going here: stop it first.")

"""Progress as the graded answers have it: computed anew whenever one comes or goes, never counted up (H4).

What a person said otherwise stands until an answer about that node is graded.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam, exists, or_
from sqlalchemy import select as select_rows
from sqlmodel import col, select

from sprout.events import MasteryChanged, NodeRow
from sprout.ids import new_id
from sprout.learning.mastery.mastery import Evidence, Mastery, mastery, of_parts
from sprout.store import tables
from sprout.store.children import children_of, edges_among
from sprout.store.columns import table_of
from sprout.store.questions import named_tests
from sprout.store.write import Write

NOTHING_KNOWN = Mastery(0.0)  # as rows are before the first answer

_nodes, _known = table_of(tables.Node), table_of(tables.Progress)
_assessments, _answers = table_of(tables.Assessment), table_of(tables.Answer)
_HERE = select_rows(_nodes.c.id).where(
    or_(_nodes.c.id == bindparam("concept"), _nodes.c.parent_id == bindparam("concept"))
)
_KNOWN_OF = exists().where(_known.c.user_id == bindparam("user"), _known.c.node_id.in_(_HERE))
_ASKED = select_rows(_assessments.c.id).where(
    _assessments.c.user_id == bindparam("user"), _assessments.c.target_node_id == bindparam("concept")
)
_ANSWERED = exists().where(  # also where what it was about is gone, so that nothing is known from it
    _answers.c.user_id == bindparam("user"), _answers.c.assessment_id.in_(_ASKED)
)
_COME_TO = select_rows(or_(_KNOWN_OF, _ANSWERED))


def update_progress(write: Write, concept: NodeRow, user_id: str, now: datetime) -> Sequence[MasteryChanged]:
    """Bring the learner's progress on a concept, whose row is locked, and on its parts up to date; what is new."""
    parts = children_of(write.connection, concept.id)
    edges = [(edge.source_node_id, edge.target_node_id) for edge in edges_among(write.connection, concept.id)]
    evidence = evidence_about(write, concept.id, user_id)
    found = mastery(evidence, edges)
    progress = _progress(write, [concept.id, *(part.id for part in parts)], user_id)
    news: list[MasteryChanged] = []
    for part in parts:
        if part.id in found or part.id in progress:
            known = found.get(part.id, NOTHING_KNOWN)
            news += _set(write, progress, part.id, user_id, known.value, known.attempts, known.mastered, now)
    if parts and (found or concept.id in progress or any(part.id in progress for part in parts)):
        shown = [_shown(progress.get(part.id)) for part in parts]
        value, whole = of_parts([one for one, _ in shown]), all(completed for _, completed in shown)
        news += _set(write, progress, concept.id, user_id, value, len(evidence), whole, now)
    return news


def follow_edit(write: Write, parent: NodeRow, user_id: str, now: datetime) -> Sequence[MasteryChanged]:
    """Bring progress up to date after the children of a node, or what is asked about them, have changed; what is new.

    The node's row must be locked. Nothing is done where it is no concept, or the learner has not come to it yet.
    """
    if parent.type != "concept":
        return ()
    write.flush()
    if not write.connection.execute(_COME_TO, {"user": user_id, "concept": parent.id}).scalar_one():
        return ()
    news = update_progress(write, parent, user_id, now)
    write.session.flush()  # what comes next may remove a part, and its progress with it
    return news


def end_overrides(write: Write, node_ids: Collection[str], user_id: str) -> None:
    """What a person said of these nodes stands no longer: an answer about them was graded."""
    for row in _progress(write, node_ids, user_id).values():
        row.overridden_at = None
        write.session.add(row)


def evidence_about(write: Write, concept_id: str, user_id: str) -> list[Evidence]:
    """The learner's graded answers to questions about the concept that were not taken back, oldest first."""
    answer, question = tables.Answer, tables.Question
    wanted = (
        select_rows(answer.id, answer.help_level, answer.score, answer.created_at, question.format, question.tests)  # type: ignore[call-overload]
        .join(question, col(question.id) == col(answer.question_id))
        .where(question.node_id == concept_id, answer.user_id == user_id)
        .where(col(question.state) != "voided", col(answer.score).is_not(None))
        .order_by(col(answer.creation))
    )
    evidence = []
    for row in write.connection.execute(wanted):
        tested = tuple(test["nodeId"] for test in named_tests(row.tests) if test["nodeId"] is not None)
        evidence.append(Evidence(row.id, tested, row.format, row.score, row.help_level, row.created_at))
    return evidence


def _progress(write: Write, node_ids: Collection[str], user_id: str) -> dict[str, tables.Progress]:
    wanted = select(tables.Progress).where(
        tables.Progress.user_id == user_id, col(tables.Progress.node_id).in_(node_ids)
    )
    return {row.node_id: row for row in write.session.exec(wanted)}


def _shown(row: tables.Progress | None) -> tuple[float, bool]:
    """The mastery of a part as it is shown, and whether it is completed."""
    return (0.0, False) if row is None else (row.mastery_score, row.completed_at is not None)


def _set(
    write: Write,
    progress: dict[str, tables.Progress],
    node_id: str,
    user_id: str,
    value: float,
    attempts: int,
    mastered: bool,
    now: datetime,
) -> Sequence[MasteryChanged]:
    row = progress.get(node_id) or tables.Progress(
        id=new_id(), user_id=user_id, node_id=node_id, created_at=now, updated_at=now
    )
    progress[node_id] = row
    write.session.add(row)
    completed_at = (row.completed_at or now) if mastered else None
    if row.overridden_at is not None:
        value, completed_at = row.mastery_score, row.completed_at
    if (row.mastery_score, row.attempts_count, row.completed_at) == (value, attempts, completed_at):
        return ()
    row.mastery_score, row.attempts_count, row.completed_at = value, attempts, completed_at
    row.updated_at = now
    return (MasteryChanged(node_id=node_id, mastery=value, evidence=attempts, completed=completed_at is not None),)

"""Contrasts of a class as rows: who can be asked a question against a mix-up, what was sent, and what came of it."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select

from sprout.accounts.class_page.progress import ClassMixUp, SentContrast
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.class_page.mix_ups import HeldMixUp
from sprout.store.accounts.class_page.question_beliefs import QuestionBeliefs
from sprout.store.assessment.answer_history import OPEN
from sprout.store.engine.many_ids import is_among
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.reviews.candidates import is_usable
from sprout.store.schema import tables
from sprout.store.schema.class_tables import Contrast, ContrastRecipient
from sprout.store.schema.columns import table_of

_contrasts, _recipients = table_of(Contrast), table_of(ContrastRecipient)
_nodes, _questions, _tests = table_of(tables.Node), table_of(tables.Question), table_of(tables.QuestionTest)
_assessments, _answers = table_of(tables.Assessment), table_of(tables.Answer)
_progress = table_of(tables.Progress)


@dataclass(frozen=True, slots=True)
class Sent:
    """A contrast that was sent, the newest against its mix-up."""

    at: datetime
    recipients: frozenset[str]
    answered: int


def sent_contrasts(connection: Connection, given_id: str) -> Mapping[str, Sent]:
    """What was sent last against each mix-up, by its id."""
    answered = exists().where(
        _answers.c.question_id == _recipients.c.question_id,
        _answers.c.user_id == _recipients.c.user_id,
        _answers.c.created_at >= _contrasts.c.sent_at,
    )
    wanted = (
        select(_contrasts.c.id, _contrasts.c.belief_id, _contrasts.c.sent_at, _recipients.c.user_id)
        .add_columns(answered.label("answered"))
        .outerjoin(_recipients, _recipients.c.contrast_id == _contrasts.c.id)
        .where(_contrasts.c.given_id == given_id)
        .order_by(_contrasts.c.creation)
    )
    newest: dict[str, list[Any]] = {}
    for row in connection.execute(wanted):
        if row.belief_id not in newest or newest[row.belief_id][0].id != row.id:
            newest[row.belief_id] = []
        newest[row.belief_id].append(row)
    return {belief_id: _sent(rows) for belief_id, rows in newest.items()}


def insert_contrast(tx: WriteTransaction, given_id: str, mix_up_id: str, to: Collection[str], now: datetime) -> None:
    """A contrast sent to these learners; what was sent before and never asked is not asked any more."""
    before = select(_contrasts.c.id).where(_contrasts.c.given_id == given_id, _contrasts.c.belief_id == mix_up_id)
    stale = _recipients.c.contrast_id.in_(before) & _recipients.c.question_id.is_(None)
    tx.connection.execute(delete(_recipients).where(stale))
    made = {"id": new_id(), "given_id": given_id, "belief_id": mix_up_id, "sent_at": now}
    tx.connection.execute(insert(_contrasts).values(made))
    tx.connection.execute(insert(_recipients), [{"contrast_id": made["id"], "user_id": one} for one in to])


def _sent(rows: list[Any]) -> Sent:
    recipients = frozenset(row.user_id for row in rows if row.user_id is not None)
    return Sent(rows[0].sent_at, recipients, sum(bool(row.answered) for row in rows if row.user_id is not None))


def mix_up_rows(
    found: Collection[HeldMixUp], sendable: Collection[str], sent: Mapping[str, Sent], with_copy: Collection[str]
) -> list[ClassMixUp]:
    """The mix-ups as the page has them.

    Args:
        sendable: ids of those against which a question can be sent.
        with_copy: the members who have a copy; of others it is not known what they hold.
    """
    return [
        ClassMixUp(
            id=one.id,
            statement=one.statement,
            held=len(one.holders),
            can_send=one.id in sendable,
            sent=None if (of_it := sent.get(one.id)) is None else _sent_row(of_it, one.holders, with_copy),
        )
        for one in found
    ]


def _sent_row(sent: Sent, holders: Collection[str], with_copy: Collection[str]) -> SentContrast:
    cleared = sum(user_id in with_copy and user_id not in holders for user_id in sent.recipients)
    return SentContrast(at=wire_time(sent.at), to=len(sent.recipients), answered=sent.answered, cleared=cleared)


def sendable_mix_ups(
    connection: Connection, found: Collection[HeldMixUp], branches: Mapping[str, str], questions: QuestionBeliefs
) -> set[str]:
    """The ids of those against which one of their holders can be asked a question.

    One holder of each is looked at first, and all of the others only where that one cannot be asked.

    Args:
        branches: user → their copy.
    """
    held = [one for one in found if one.holders]
    samples = {branches[user_id] for one in held if (user_id := min(one.holders)) in branches}
    sendable = _revealed(held, askable_beliefs(connection, samples, questions))
    others = {
        branches[user_id]
        for one in held
        if one.id not in sendable
        for user_id in one.holders
        if user_id in branches and branches[user_id] not in samples
    }
    return sendable | _revealed(held, askable_beliefs(connection, others, questions))


def _revealed(held: Collection[HeldMixUp], could_show: Mapping[str, Collection[str]]) -> set[str]:
    """The ids of the mix-ups that a question of one of their holders can reveal."""
    return {one.id for one in held if any(one.id in could_show.get(user_id, ()) for user_id in one.holders)}


def askable_beliefs(
    connection: Connection, branch_ids: Collection[str], questions: QuestionBeliefs
) -> Mapping[str, set[str]]:
    """User → ids of the beliefs that a question of their copy can reveal and that is fit to be asked in a review."""
    asked = [*_askable(connection, branch_ids)]
    known = questions.of(connection, (question_id for _, question_id in asked))
    found: defaultdict[str, set[str]] = defaultdict(set)
    for user_id, question_id in asked:
        if question_id in known:
            found[user_id] |= known[question_id].could_show
    return found


def _askable(connection: Connection, branch_ids: Collection[str]) -> Iterator[tuple[str, str]]:
    """Users and the questions that can be asked in a review, about concepts that they have answered about."""
    if not branch_ids:
        return
    wanted = (
        select(_assessments.c.user_id, _questions.c.id, _questions.c.kind, _questions.c.marked_by, _questions.c.ladder)
        .join_from(_nodes, _tests, _tests.c.node_id == _nodes.c.id)
        .join(_questions, _questions.c.id == _tests.c.question_id)
        .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
        .join(_progress, (_progress.c.node_id == _nodes.c.parent_id) & (_progress.c.user_id == _assessments.c.user_id))
        .where(_progress.c.attempts_count > 0)
        .where(is_among(connection, _nodes.c.branch_id, branch_ids), _questions.c.state.not_in(tables.NOT_ASKED), ~OPEN)
    )
    for row in connection.execute(wanted):
        if is_usable(row):
            yield row.user_id, row.id

"""Facts of a class that its record store does not have yet, and statements there that hold no more."""

from typing import Any

from sqlalchemy import Connection, Select, Subquery, exists, func, literal, or_, select

from sprout.learning.xapi.facts import Verb
from sprout.store.schema import tables
from sprout.store.schema.class_tables import ClassMember
from sprout.store.schema.columns import table_of
from sprout.store.schema.record_tables import SentStatement
from sprout.store.xapi.fact_rows import FACT_ORDER, class_paths, fact_rows

_sent, _members = table_of(SentStatement), table_of(ClassMember)
_answers, _questions = table_of(tables.Answer), table_of(tables.Question)


def with_markings(facts: Subquery, class_id: str | None) -> Select[Any]:
    """The rows of facts with how many statements about each were voided at the record store of the class."""
    voided = (
        select(func.count())
        .select_from(_sent)
        .where(_sent.c.class_id == class_id, _sent.c.source_id == facts.c.source_id, _sent.c.verb == facts.c.verb)
        .where(_sent.c.voided)
        .scalar_subquery()
    )
    return select(facts, (literal(0) if class_id is None else voided).label("marking"))


def waiting_rows(class_id: str) -> Select[Any]:
    """The rows of these facts, oldest first. An answer that was marked anew is another fact."""
    facts = fact_rows(class_paths(class_id))
    has_it = exists().where(
        _sent.c.class_id == class_id,
        _sent.c.source_id == facts.c.source_id,
        _sent.c.verb == facts.c.verb,
        _sent.c.at == facts.c.at,
        _sent.c.score.is_not_distinct_from(facts.c.score),
        ~_sent.c.voided,
    )
    return with_markings(facts, class_id).where(~has_it).order_by(*(facts.c[name] for name in FACT_ORDER))


def outdated_ids(class_id: str) -> Select[Any]:
    """Statements about answers of the class's members that were marked anew, or whose question counts no more."""
    return (
        select(_sent.c.id)
        .join(_answers, _answers.c.id == _sent.c.source_id)
        .join(_questions, _questions.c.id == _answers.c.question_id)
        .join(_members, (_members.c.class_id == _sent.c.class_id) & (_members.c.user_id == _sent.c.user_id))
        .where(_sent.c.class_id == class_id, _sent.c.verb == Verb.ANSWERED.value, ~_sent.c.voided)
        .where(or_(_sent.c.score.is_distinct_from(_answers.c.score), _questions.c.state == "voided"))
        .order_by(_sent.c.at, _sent.c.id)
    )


def count_waiting(connection: Connection, class_id: str) -> int:
    """The number of statements to be sent, those that void others too."""
    waiting = (waiting_rows(class_id), outdated_ids(class_id))
    return sum(
        connection.execute(select(func.count()).select_from(rows.order_by(None).subquery())).scalar_one()
        for rows in waiting
    )


def count_sent(connection: Connection, class_id: str) -> int:
    """The number of facts that have been sent to the store."""
    return connection.execute(select(func.count()).where(_sent.c.class_id == class_id)).scalar_one()

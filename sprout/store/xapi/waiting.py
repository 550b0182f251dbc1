"""Facts of a class that its record store does not have yet."""

from typing import Any

from sqlalchemy import Connection, Select, exists, func, select

from sprout.store.schema.columns import table_of
from sprout.store.schema.record_tables import SentStatement
from sprout.store.xapi.fact_rows import FACT_ORDER, class_paths, fact_rows

_sent = table_of(SentStatement)


def waiting_rows(class_id: str) -> Select[Any]:
    """The rows of these facts, oldest first. An answer that was marked anew is another fact."""
    facts = fact_rows(class_paths(class_id))
    has_it = exists().where(
        _sent.c.class_id == class_id,
        _sent.c.source_id == facts.c.source_id,
        _sent.c.verb == facts.c.verb,
        _sent.c.at == facts.c.at,
        _sent.c.score.is_not_distinct_from(facts.c.score),
    )
    return select(facts).where(~has_it).order_by(*(facts.c[name] for name in FACT_ORDER))


def count_waiting(connection: Connection, class_id: str) -> int:
    """How many there are."""
    return connection.execute(select(func.count()).select_from(waiting_rows(class_id).subquery())).scalar_one()


def count_sent(connection: Connection, class_id: str) -> int:
    """How many the store has."""
    return connection.execute(select(func.count()).where(_sent.c.class_id == class_id)).scalar_one()

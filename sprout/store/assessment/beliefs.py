"""Beliefs of a topic as rows: named with the first question that reveals them, joined by their words or their id."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite

from sprout.learning.misconceptions.beliefs import Belief, beliefs_in, is_belief_id, rename_beliefs
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

_beliefs, _nodes = table_of(tables.TopicMisconception), table_of(tables.Node)
_TOPIC = (  # of a concept its parent; a topic is its own
    select(func.coalesce(_nodes.c.parent_id, _nodes.c.id)).where(_nodes.c.id == bindparam("node")).scalar_subquery()
)
_KNOWN = select(_beliefs.c.id, _beliefs.c.statement).where(
    _beliefs.c.topic_id == _TOPIC, _beliefs.c.id.in_(bindparam("ids", expanding=True))
)


def name_beliefs(connection: Connection, drafts: Sequence[QuestionDraft], node_id: str) -> list[QuestionDraft]:
    """Keep the beliefs that wrong answers to new questions stand for under their topic.

    Returns the drafts with the statement in place of each id; an id of no belief of the topic is left out.

    Args:
        node_id: the topic, or a concept of it.
    """
    named = [one.statement for draft in drafts for one in beliefs_in(draft).values()]
    if ids := [words for words in named if is_belief_id(words)]:
        known = dict(connection.execute(_KNOWN, {"node": node_id, "ids": ids}).all())
        drafts = [
            rename_beliefs(draft, lambda words: known.get(words) if is_belief_id(words) else words) for draft in drafts
        ]
    save_beliefs(connection, (one for draft in drafts for one in beliefs_in(draft).values()), node_id)
    return [*drafts]


def save_beliefs(connection: Connection, beliefs: Iterable[Belief], node_id: str) -> None:
    """Insert the beliefs that the topic lacks; one without a contrast case gets it.

    Args:
        node_id: the topic, or a concept of it.
    """
    each = {one.id: one for one in sorted(beliefs, key=lambda one: one.contrast is not None)}
    rows = [
        {"node": node_id, "belief": one.id, "words": one.statement, "case": one.contrast}
        for _, one in sorted(each.items())  # one order of locks
    ]
    if rows:
        connection.execute(_SAVE[connection.dialect.name], rows)


def beliefs_of(connection: Connection, topic_ids: Collection[str]) -> dict[tuple[str, str], Belief]:
    """The beliefs of topics, by topic and id."""
    wanted = select(_beliefs).where(_beliefs.c.topic_id.in_(list(topic_ids)))
    found = connection.execute(wanted)
    return {(one.topic_id, one.id): Belief(one.id, one.statement, one.contrast) for one in found}


def _upsert(dialect: Any) -> Any:
    fresh = dialect.insert(_beliefs).values(
        topic_id=_TOPIC, id=bindparam("belief"), statement=bindparam("words"), contrast=bindparam("case")
    )
    return fresh.on_conflict_do_update(
        index_elements=[_beliefs.c.topic_id, _beliefs.c.id],
        set_={"contrast": fresh.excluded.contrast},
        where=_beliefs.c.contrast.is_(None) & fresh.excluded.contrast.is_not(None),
    )


_SAVE = {"sqlite": _upsert(sqlite), "postgresql": _upsert(postgresql)}

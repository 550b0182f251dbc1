"""Beliefs of a topic as rows: named with the first question that reveals them, joined by their words or their id."""

from collections.abc import Collection, Iterable
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


def name_beliefs(connection: Connection, draft: QuestionDraft, concept_id: str) -> QuestionDraft:
    """Keep the beliefs that a question's wrong answers stand for under the topic of its concept.

    Returns the draft with the statement in place of each id; an id of no belief of the topic is left out.
    """
    ids = [one.statement for one in beliefs_in(draft).values() if is_belief_id(one.statement)]
    if ids:
        known = dict(connection.execute(_KNOWN, {"node": concept_id, "ids": ids}).all())
        draft = rename_beliefs(draft, lambda words: known.get(words) if is_belief_id(words) else words)
    save_beliefs(connection, beliefs_in(draft).values(), concept_id)
    return draft


def save_beliefs(connection: Connection, beliefs: Iterable[Belief], node_id: str) -> None:
    """Insert the beliefs that the topic lacks; one without a contrast case gets it.

    Args:
        node_id: the topic, or a concept of it.
    """
    rows = [
        {"node": node_id, "belief": one.id, "words": one.statement, "case": one.contrast}
        for one in sorted(beliefs, key=lambda one: one.id)  # one order of locks
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

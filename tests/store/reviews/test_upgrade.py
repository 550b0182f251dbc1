"""Upgrade of a database without reviews: what is learned gets its card."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from harness.database.released import REVISIONS, restore
from sprout.store.engine import migrate
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard

_progress, _nodes, _cards = table_of(tables.Progress), table_of(tables.Node), table_of(ReviewCard)


@pytest.fixture(params=["sqlite", "postgres"])
def released_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of the oldest release."""
    named = request.param == "sqlite"
    url: str = f"sqlite:///{tmp_path / 'old.sqlite3'}" if named else request.getfixturevalue("bare_postgres_url")
    restore(url, REVISIONS[0])
    return url


def test_V1_what_was_learned_before_there_were_reviews_gets_its_card(released_url: str) -> None:
    with migrate.connect(released_url) as connection:
        parts = connection.execute(select(_nodes.c.id, _nodes.c.user_id).where(_nodes.c.type == "subconcept")).all()
        known = set(connection.execute(select(_progress.c.node_id)).scalars())
        learned = parts[: len(parts) // 2]
        for place, part in enumerate(learned, start=1_000):
            made = tables.Progress(creation=place, id=f"of {part.id}", user_id=part.user_id, node_id=part.id)
            made.completed_at = made.created_at
            if part.id in known:
                changed = update(_progress).where(_progress.c.node_id == part.id)
                connection.execute(changed.values(completed_at=made.completed_at))
            else:
                connection.execute(insert(_progress).values({one.name: getattr(made, one.name) for one in _progress.c}))
    migrate.upgrade(released_url)
    with migrate.connect(released_url) as connection:
        cards = {card.node_id: card for card in connection.execute(select(_cards))}
        reached = connection.execute(
            select(_progress.c.node_id, _progress.c.completed_at)
            .join(_nodes, _nodes.c.id == _progress.c.node_id)
            .where(_nodes.c.type == "subconcept", _progress.c.completed_at.is_not(None))
        ).all()
    assert len(reached) >= len(learned) > 1
    assert cards.keys() == {row.node_id for row in reached}
    for node_id, learned_at in reached:
        card = cards[node_id]
        assert (card.learned_at, card.seen_at) == (learned_at, learned_at)
        assert card.due_at == learned_at + timedelta(days=1)
        assert card.stability is None

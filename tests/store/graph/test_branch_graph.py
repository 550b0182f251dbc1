"""A branch's page is read as it stands on the wire."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import update

from harness.builders import a_concept, a_topic
from sprout.events import wire_time
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

MOMENTS = [
    datetime(2026, 11, 21, 7, 5, 3, tzinfo=UTC),
    datetime(2026, 11, 21, 7, 5, 3, 999, tzinfo=UTC),
    datetime(2026, 11, 21, 7, 5, 3, 120_999, tzinfo=UTC),
    datetime(2026, 2, 28, 23, 59, 59, 999_999, tzinfo=timezone(timedelta(hours=-5))),
]


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_page_tells_the_times_that_the_rows_tell(paths: SqlPaths, database: Database, moment: datetime) -> None:
    root = await a_topic(paths)
    concept = await a_concept(paths, root, "Light")
    node = table_of(tables.Node)
    await database.write_tx(lambda tx: tx.connection.execute(update(node).values(updated_at=moment)))
    page = await paths.graph(root.branch_id or "", user_id=DEFAULT_USER_ID)
    assert [one.updated_at for one in page.nodes] == [wire_time(moment)] * 2
    assert [one.model_dump(exclude={"reason"}) for one in page.nodes] == [
        (await paths.node(one.id, user_id=DEFAULT_USER_ID)).model_dump() for one in (root, concept)
    ]

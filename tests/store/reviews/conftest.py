"""A learner who has learned all parts of a path, on both databases."""

import pytest
from sqlalchemy import select, update

from sprout.clock import utc_now
from sprout.learning.paths.path_file import validate_path
from sprout.learning.reviews.items import ItemSource, NoItems
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.engine.database import Database
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.reviews.repository import SqlReviews
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from tests.store.reviews.learned_path import ME, Clock, Learner, a_path

_nodes = table_of(tables.Node)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def source() -> ItemSource:
    return NoItems()


@pytest.fixture
async def learner(database: Database, clock: Clock, source: ItemSource) -> Learner:
    await database.write_tx(lambda tx: tx.session.add(tables.User(id=ME)))
    imported = await SqlPathExchange(database).import_path(validate_path(a_path()), user_id=ME)
    branch_id = imported.id
    wanted = select(_nodes.c.title, _nodes.c.id).where(_nodes.c.type == "subconcept")
    parts = {row.title: row.id for row in await database.read_tx(lambda connection: connection.execute(wanted).all())}
    reviews = SqlReviews(database, source, now=clock)
    learner = Learner(database, reviews, SqlAssessments(database), clock, branch_id, parts)
    for title in parts:
        await learner.learn(title)
    over = update(table_of(tables.Assessment)).values(completed_at=utc_now())
    await database.write_tx(lambda tx: tx.connection.execute(over))
    clock.moment = utc_now()
    return learner

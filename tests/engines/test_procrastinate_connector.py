"""Connections of the dispatcher: used without being asked first, and replaced when the server has ended them."""

import tempfile
from collections.abc import AsyncIterator

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from sprout.engines.procrastinate_connector import Connector
from sprout.store.engine.urls import libpq_url
from tests.round_trips import ProtocolTrace

ASK = "select pg_backend_pid() as server_process"
END = "select pg_terminate_backend(%s, 5000)"


@pytest.fixture
async def connector(postgres_url: str) -> AsyncIterator[Connector]:
    connector = Connector(libpq_url(postgres_url), 1)
    await connector.open_async()
    try:
        yield connector
    finally:
        await connector.close_async()


async def test_a_query_of_the_queue_is_one_round_trip(connector: Connector) -> None:
    pool = connector.pool
    assert isinstance(pool, AsyncConnectionPool)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        async with pool.connection() as connection:
            connection.pgconn.trace(file.fileno())
        await connector.execute_query_one_async(ASK)
        connection.pgconn.untrace()
        file.seek(0)
        assert ProtocolTrace(file.read()).round_trips == 1


async def test_D1_a_connection_that_the_server_has_ended_is_replaced_before_it_is_used(
    connector: Connector, postgres_url: str
) -> None:
    before = await connector.execute_query_one_async(ASK)
    with psycopg.connect(libpq_url(postgres_url), autocommit=True) as other:
        assert other.execute(END, (before["server_process"],)).fetchone() == (True,)
    assert await connector.execute_query_one_async(ASK) != before

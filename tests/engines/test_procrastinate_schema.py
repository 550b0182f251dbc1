"""The job queue's tables: made, brought up to date, and left alone by our own migrations."""

from pathlib import Path

import psycopg
import pytest
from alembic import command

from sprout.engines import procrastinate_schema
from sprout.engines.procrastinate_schema import require_current_queue, upgrade_queue
from sprout.errors import SetupError
from sprout.store.engine.migrate import connect, migrations, upgrade
from sprout.store.engine.urls import libpq_url


def test_it_is_made_once_and_known_to_be_current(bare_postgres_url: str) -> None:
    url = libpq_url(bare_postgres_url)
    with pytest.raises(SetupError, match="sprout migrate"):
        require_current_queue(url)
    for _ in range(2):
        upgrade_queue(url)
    require_current_queue(url)


def test_an_older_one_gets_what_it_lacks_in_order_and_nothing_twice(
    bare_postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = libpq_url(bare_postgres_url)
    upgrade_queue(url)
    for name, statement in (
        ("99.01_a.sql", "create table later (n int)"),
        ("99.02_b.sql", "alter table later add m int"),
    ):
        (tmp_path / name).write_text(f"{statement}; select '100%';")
    monkeypatch.setattr(procrastinate_schema, "_folder", lambda: tmp_path)
    with pytest.raises(SetupError, match="older"):
        require_current_queue(url)
    for _ in range(2):
        upgrade_queue(url)
    require_current_queue(url)
    with psycopg.connect(url) as connection:
        assert connection.execute("select n, m from later").fetchall() == []


def test_our_own_migrations_see_no_difference_in_a_database_that_has_it(bare_postgres_url: str) -> None:
    upgrade(bare_postgres_url)
    upgrade_queue(libpq_url(bare_postgres_url))
    with connect(bare_postgres_url) as connection:
        command.check(migrations(connection))


def test_a_database_that_cannot_be_reached_is_said_so() -> None:
    with pytest.raises(SetupError, match="cannot be used"):
        upgrade_queue("postgresql://nobody@127.0.0.1:1/nothing")

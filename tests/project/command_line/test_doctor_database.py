"""Report of `sprout doctor` on the database: whole, current, backed up, its clock right."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from rich.console import Console
from sqlalchemy import make_url, text

from harness.database.holder import holding
from harness.database.released import a_closed_database, a_page_of_zeros
from harness.services import REDIS
from sprout.commands import installation
from sprout.commands.doctor import examine
from sprout.config import load_settings
from sprout.engines.procrastinate_schema import upgrade_queue
from sprout.errors import SetupError
from sprout.loop.policy import LoopPolicy
from sprout.store.engine import health, migrate
from sprout.store.engine.database import open_database
from sprout.store.engine.urls import libpq_url
from sprout.store.sqlite.backups import back_up


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return a_closed_database(tmp_path / "sprout.sqlite3")


async def run_doctor(url: str, folder: Path, redis_url: str = "") -> tuple[int, dict[str, str]]:
    """The exit code, and what is said under each heading."""
    console = Console(record=True, width=400)
    settings = load_settings(data_dir=folder, database_url=url, redis_url=redis_url, api_key=None, base_url=None)
    code = await examine(settings, {"any": LoopPolicy()}, console, probing="none")
    lines = [line for line in console.export_text().splitlines() if line.strip()]
    return code, {line[:12].strip(): line[12:].strip() for line in lines}


async def test_a_sound_file_is_told_with_its_size_its_schema_and_its_backup(file: Path) -> None:
    backup = back_up(file, "test")
    os.utime(backup, (time.time() - 26 * 3600,) * 2)
    content, size = contents(file), len(contents(file))
    code, report = await run_doctor(f"sqlite:///{file}", file.parent)
    assert code == 0
    assert report["database"].startswith("ok")
    assert f"{size / 2**20:,.1f} MiB" in report["database"]
    assert f"up to date ({migrate.head()})" in report["database"]
    assert report["soundness"] == (
        "ok      pages, indexes and references checked; write-ahead log, through to the disk at every commit "
        "(synchronous FULL)"
    )
    assert report["backup"] == f"ok      {backup.name}, 1 d 2 h old"
    assert contents(file) == content
    assert sorted(path.suffix for path in files_beside(file) if path != backup) == [".lock", ".sqlite3"]


async def test_a_file_without_a_backup_is_noted(file: Path) -> None:
    code, report = await run_doctor(f"sqlite:///{file}", file.parent)
    assert (code, report["backup"].split()[0]) == (0, "note")


async def test_a_file_that_a_server_is_using_is_examined_without_disturbing_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    async with holding(url, topics=5):
        code, report = await run_doctor(url, tmp_path)
        assert code == 0
        assert report["soundness"].startswith("ok")
        assert "0.0 MiB of log" not in report["database"]
        with pytest.raises(SetupError, match="Another Sprout"):
            async with open_database(url):
                pass


async def test_a_damaged_file_is_broken_with_what_to_do(file: Path) -> None:
    backup = back_up(file, "test")
    a_page_of_zeros(file)
    code, report = await run_doctor(f"sqlite:///{file}", file.parent)
    assert code == 1
    assert report["database"].startswith("BROKEN")
    assert str(backup) in report["database"]
    assert report["soundness"].startswith("BROKEN")


async def test_a_file_that_something_else_has_written_is_noted(file: Path) -> None:
    with migrate.connect(f"sqlite:///{file}") as connection:
        connection.exec_driver_sql("update nodes set title = title || '!'")
    code, report = await run_doctor(f"sqlite:///{file}", file.parent)
    assert code == 0
    assert "another program has written to the file" in report["soundness"]


@pytest.mark.parametrize(("revision", "says"), [("from the future", "BROKEN"), (None, "note")])
async def test_D7_a_newer_schema_is_broken_and_one_that_is_not_there_yet_a_note(
    file: Path, revision: str | None, says: str
) -> None:
    with migrate.connect(f"sqlite:///{file}") as connection:
        connection.exec_driver_sql("delete from alembic_version")
        if revision:
            connection.exec_driver_sql("insert into alembic_version values (?)", (revision,))
    code, report = await run_doctor(f"sqlite:///{file}", file.parent)
    assert report["database"].startswith(says)
    assert code == (1 if says == "BROKEN" else 0)


async def test_a_server_is_told_with_its_version_and_its_clock(postgres_url: str, tmp_path: Path) -> None:
    code, report = await run_doctor(postgres_url, tmp_path)
    assert code == 0
    assert report["database"].startswith("ok")
    assert f"up to date ({migrate.head()})" in report["database"]
    assert report["clock"].startswith("ok")


async def test_a_server_that_cannot_be_used_is_broken_with_what_to_do(bare_postgres_url: str, tmp_path: Path) -> None:
    with psycopg.connect(bare_postgres_url, autocommit=True) as connection:
        name = make_url(bare_postgres_url).database
        connection.execute(f"alter database {name} set default_transaction_read_only = on".encode())
    code, report = await run_doctor(bare_postgres_url, tmp_path)
    assert (code, report["database"].split()[0]) == (1, "BROKEN")
    assert "takes no writes: set default_transaction_read_only to off" in report["database"]


@pytest.mark.parametrize(("there", "says"), [(68 * 2, "ok"), (68 * 2 - 1, "note")])
async def test_the_connections_that_the_processes_need_are_told_and_whether_they_are_there(
    bare_postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: int, says: str
) -> None:
    migrate.upgrade(bare_postgres_url)
    upgrade_queue(libpq_url(bare_postgres_url))
    monkeypatch.setattr(health, "_CONNECTIONS", text(f"select {there}"))
    code, report = await run_doctor(bare_postgres_url, tmp_path, REDIS)
    assert (code, report["connections"].split()[0]) == (0, says)
    assert "a web process takes up to 31, a worker up to 37" in report["connections"]
    assert ("set PostgreSQL's max_connections to 146" in report["connections"]) is (says == "note")


async def test_a_server_without_tables_is_to_be_migrated(bare_postgres_url: str, tmp_path: Path) -> None:
    code, report = await run_doctor(bare_postgres_url, tmp_path)
    assert code == 1
    assert "run `sprout migrate`" in report["database"]


async def test_the_job_queue_of_several_processes_is_told_and_what_it_lacks(
    bare_postgres_url: str, file: Path, tmp_path: Path
) -> None:
    migrate.upgrade(bare_postgres_url)
    code, report = await run_doctor(bare_postgres_url, tmp_path, REDIS)
    assert (code, "run `sprout migrate`" in report["job queue"]) == (1, True)
    upgrade_queue(libpq_url(bare_postgres_url))
    code, report = await run_doctor(bare_postgres_url, tmp_path, REDIS)
    assert (code, report["job queue"][:2]) == (0, "ok")
    code, report = await run_doctor(f"sqlite:///{file}", file.parent, REDIS)
    assert (code, "unset REDIS_URL" in report["job queue"]) == (1, True)


def contents(file: Path) -> bytes:
    return file.read_bytes()


def files_beside(file: Path) -> list[Path]:
    return list(file.parent.iterdir())


class SlowClock(datetime):
    """This machine's clock, two seconds behind the server's."""

    @classmethod
    def now(cls, _tz: object = None) -> datetime:  # type: ignore[override]
        return datetime.now(UTC) - timedelta(seconds=2)


async def test_P7_a_server_whose_clock_is_another_is_noted(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "datetime", SlowClock)
    code, report = await run_doctor(postgres_url, tmp_path)
    assert code == 0
    assert report["clock"].startswith("note")
    assert "2.0 s ahead of this machine's" in report["clock"]
    assert installation.CLOCK_SKEW_S == 1.0


async def test_a_server_that_is_away_is_broken_without_its_password(postgres_url: str, tmp_path: Path) -> None:
    away = make_url(postgres_url).set(port=9, password="secret-word").render_as_string(hide_password=False)
    code, report = await run_doctor(away, tmp_path)
    assert code == 1
    assert report["database"].startswith("BROKEN")
    assert "secret-word" not in str(report)

"""D-11: backups are whole, hold one moment of a database in use, and give back all that was told of until then."""

import asyncio
import os
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from harness.builders import a_reasoning_event, a_run, a_topic, start_run
from harness.database.released import a_closed_database, a_page_of_zeros, all_rows
from sprout.errors import SetupError
from sprout.store.engine.database import Database, open_database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.sqlite import backups as making
from sprout.store.sqlite.backups import MAX_BACKUPS, back_up, list_backups, write_copy
from sprout.store.sqlite.checks import faults_of
from sprout.store.sqlite.files import companion_files


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return a_closed_database(tmp_path / "sprout.sqlite3")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def test_D11_a_backup_under_load_holds_one_moment_and_restores_every_event_published_before_it(
    database: Database, runs: SqlRunStore, paths: SqlPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "PAGES_PER_STEP", 4)
    run = await start_run(runs, a_run(await a_topic(paths)))
    appended, stop = len(await runs.events(run.id)), threading.Event()

    async def write() -> None:
        nonlocal appended
        while not stop.is_set():
            await runs.append(run, [a_reasoning_event("Light. " * 100)])
            appended += 1

    writing = asyncio.create_task(write())
    backups: list[tuple[int, Path, int]] = []
    for _ in range(3):
        before = appended
        backups.append((before, await asyncio.to_thread(back_up, tmp_path / "sprout.sqlite3", "test"), appended))
    stop.set()
    await writing
    for before, backup, after in backups:
        assert faults_of(backup, thorough=True) == []
        numbers = [row["seq"] for row in all_rows(f"sqlite:///{backup}")["run_events"]]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
        assert before <= len(numbers) <= after + 1
    assert backups[-1][2] > backups[0][0], "it was written meanwhile"


async def test_D11_a_backup_put_in_the_place_of_a_lost_database_is_that_database(file: Path, tmp_path: Path) -> None:
    before, backup = all_rows(f"sqlite:///{file}"), back_up(file, "test")
    await asyncio.to_thread(file.write_bytes, b"rubbish that is longer than the header of a database")
    with pytest.raises(SetupError, match=str(backup)):
        async with open_database(f"sqlite:///{file}"):
            pass
    for path in (file, *companion_files(file)):
        path.unlink(missing_ok=True)
    shutil.copyfile(backup, file)
    async with open_database(f"sqlite:///{file}"):
        pass
    assert all_rows(f"sqlite:///{file}") == before


def test_the_newest_backups_are_kept_and_those_of_others_never_removed(file: Path) -> None:
    own = file.with_name(f"{file.name}.backup-before-the-exam")
    own.write_bytes(b"")
    made = [back_up(file, f"{n}") for n in range(MAX_BACKUPS + 2)]
    assert set(list_backups(file)) == {own, *made[2:]}


def test_P7_a_backup_made_while_the_clock_is_wrong_is_not_removed_as_the_oldest(file: Path) -> None:
    for n in range(MAX_BACKUPS):
        os.utime(back_up(file, f"{n}"), (2**32, 2**32))  # a clock that was far ahead
    last = back_up(file, "last")
    assert last in list_backups(file)
    assert len(list_backups(file)) == MAX_BACKUPS


def test_a_backup_is_named_only_when_it_is_whole(file: Path) -> None:
    a_page_of_zeros(file)
    with pytest.raises(SetupError, match="No backup of"):
        back_up(file, "test")
    assert list(file.parent.glob("*backup*")) == []


def test_a_backup_without_room_for_it_says_so(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nearly_full = shutil.disk_usage(file.parent)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: nearly_full)
    with pytest.raises(SetupError, match=r"no room .* 10 are free"):
        back_up(file, "test")


def test_a_backup_into_a_folder_that_is_missing_says_so(file: Path) -> None:
    with pytest.raises(SetupError, match="No such file"):
        write_copy(file, file.parent / "nowhere" / "copy")


def test_two_backups_at_once_do_not_meet(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[SetupError] = []

    def another(*_: int) -> None:
        try:
            write_copy(file, file.with_name("second"))
        except SetupError as error:
            refused.append(error)

    monkeypatch.setattr(making, "_may_crash", another)
    write_copy(file, file.with_name("first"))
    assert "Another backup" in str(refused[0])
    assert faults_of(file.with_name("first")) == []
    with pytest.raises(SetupError, match="cannot be the database itself"):
        write_copy(file, file)


def test_a_backup_has_what_is_in_the_log_alone_and_leaves_the_log(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("create table keepsake (words text)")
        backup = back_up(file, "test")
        log = file.with_name(f"{file.name}-wal").read_bytes()
        assert len(log) > 0
    assert "keepsake" in all_rows(f"sqlite:///{backup}")

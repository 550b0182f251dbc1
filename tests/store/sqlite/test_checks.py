"""D-5 and P6: a file that cannot be trusted, written or filled is refused at the start, in one line that helps."""

import asyncio
import logging
import os
import shutil
import sqlite3
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harness.database.flips import HARMLESS, REFUSED, SILENT, TOLD, count_outcomes
from harness.database.holder import TOP, holding
from harness.database.released import PAGE_BYTES, a_closed_database, a_page_of_zeros, all_rows
from harness.prefork.python import prefork_python
from sprout.errors import DatabaseBusy, SetupError
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.failures import DatabaseDamaged
from sprout.store.schema.columns import TableModel
from sprout.store.sqlite import files
from sprout.store.sqlite.backups import back_up, list_backups
from sprout.store.sqlite.checks import LOW_SPACE_BYTES, MIB, MIN_SPACE_BYTES, check_file, faults_of
from sprout.store.sqlite.clean_shutdown import FileState, file_state, parse_shutdown_record, shutdown_record_of
from sprout.store.sqlite.files import open_read_only
from sprout.store.sqlite.lock_file import lock_path

FRAME_BYTES = 24 + PAGE_BYTES
NOBODY = 65534


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with something in it that Sprout has closed, and a backup of it."""
    made = a_closed_database(tmp_path / "sprout.sqlite3")
    back_up(made, "test")
    return made


@pytest.fixture
async def killed(file: Path) -> Path:
    """The same after three commits and a kill: they are in the write-ahead log alone."""
    async with holding(f"sqlite:///{file}", topics=3):
        pass
    assert log_of(file).stat().st_size > 6 * FRAME_BYTES
    return file


async def open_and_close(file: Path) -> None:
    async with open_database(f"sqlite:///{file}"):
        pass


async def refusal(file: Path) -> str:
    """Message of a start with this file, which changes nothing."""
    before = {path.name: path.read_bytes() for path in file.parent.glob("sprout.sqlite3*") if path.suffix != ".lock"}
    with pytest.raises(SetupError) as refused:
        await open_and_close(file)
    for name, content in before.items():
        if not name.endswith("-shm"):
            assert (file.parent / name).read_bytes() == content
    message = str(refused.value)
    assert "\n" not in message
    return message


def log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def state_of(file: Path) -> FileState:
    return file_state(file, parse_shutdown_record(lock_path(file).read_bytes()))


def flip_byte(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)


async def test_a_file_that_was_closed_is_not_read_again_at_the_start(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="sprout.store")
    assert state_of(file) is FileState.CLEAN
    await open_and_close(file)
    assert "sqlite.checked" not in caplog.text
    shutil.copy(file, file.with_name("copy"))
    shutil.move(file.with_name("copy"), file)  # another time, the same content
    await open_and_close(file)
    assert "sqlite.checked" not in caplog.text


async def test_a_file_is_checked_after_a_kill_and_when_another_version_closed_it(killed: Path) -> None:
    assert state_of(killed) is FileState.UNCLEAN
    await open_and_close(killed)
    lock = lock_path(killed)
    lock.write_bytes(lock.read_bytes().replace(b'"sprout":"', b'"sprout":"0.0.1 before '))
    assert state_of(killed) is FileState.UNKNOWN
    lock.write_bytes(b"not a seal")
    assert state_of(killed) is FileState.UNKNOWN


async def test_D5_what_was_committed_before_a_kill_is_there_also_without_the_shm_file(killed: Path) -> None:
    killed.with_name(f"{killed.name}-shm").unlink()
    await open_and_close(killed)
    titles = [row["title"] for row in all_rows(f"sqlite:///{killed}")["branches"]]
    assert {"Topic 0", "Topic 1", "Topic 2"} <= set(titles)
    assert faults_of(killed, thorough=True) == []


@pytest.mark.parametrize("frame", [0, 2])
async def test_D5_a_log_that_is_broken_before_acknowledged_commits_is_refused(killed: Path, frame: int) -> None:
    flip_byte(log_of(killed), 32 + frame * FRAME_BYTES + 500)
    assert "write-ahead log is broken in the middle" in await refusal(killed)


@pytest.mark.parametrize("at", [4, 17, 21, 25])
async def test_D5_a_log_with_a_broken_head_is_refused(killed: Path, at: int) -> None:
    flip_byte(log_of(killed), at)
    assert "write-ahead log is broken" in await refusal(killed)


async def test_D5_a_log_that_ends_in_the_middle_of_a_commit_is_taken_up_to_the_one_before(
    killed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    whole = log_of(killed).read_bytes()
    log_of(killed).write_bytes(whole[: len(whole) - FRAME_BYTES // 2])
    await open_and_close(killed)
    assert "last_commit" not in caplog.text  # nothing that was told of is missing: a kill in a write leaves this
    titles = [row["title"] for row in all_rows(f"sqlite:///{killed}")["branches"]]
    assert "Topic 0" in titles


async def test_D5_a_last_commit_that_is_broken_is_passed_over_and_told(
    killed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    flip_byte(log_of(killed), log_of(killed).stat().st_size - 100)
    await open_and_close(killed)
    assert "sqlite.last_commit_incomplete" in caplog.text


def truncate_to_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def truncate_within_a_page(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1000])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def write_text(file: Path) -> None:
    file.write_text("no database, but some words that are longer than a header")


def root_page(file: Path, table: str) -> int:
    with open_read_only(file) as connection:
        found: int = connection.execute("select rootpage from sqlite_master where name = ?", [table]).fetchone()[0]
    return found


def no_text_in_the_schema(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE nodes", b"CREATE \x8aABLE nodes"))


SPOILT = [truncate_to_half, truncate_within_a_page, empty, write_text, a_page_of_zeros, no_text_in_the_schema]


@pytest.mark.parametrize("spoil", SPOILT)
@pytest.mark.parametrize("sealed", [True, False])
async def test_D5_a_damaged_file_is_refused_with_the_newest_backup(
    file: Path, spoil: Callable[[Path], None], sealed: bool
) -> None:
    if not sealed:
        async with holding(f"sqlite:///{file}"):
            pass
        log_of(file).unlink(missing_ok=True)
    spoil(file)
    message = await refusal(file)
    assert f"{file} is damaged" in message
    assert f"put the backup {list_backups(file)[0]} in its place; see docs/database.md" in message


async def test_D5_without_a_backup_the_refusal_says_that_there_is_none(tmp_path: Path) -> None:
    write_text(tmp_path / "sprout.sqlite3")
    assert "a copy of yours (Sprout has made no backup of it)" in await refusal(tmp_path / "sprout.sqlite3")


async def test_D5_a_flipped_byte_is_never_silent_after_a_clean_stop(file: Path, tmp_path: Path) -> None:
    outcomes = await count_outcomes(file, tmp_path / "flips", 40, seed=11)
    assert outcomes[REFUSED] > 0
    assert outcomes[TOLD] > 0
    assert outcomes[SILENT] == outcomes[HARMLESS] == 0


async def test_D5_damage_that_is_met_while_it_runs_is_looked_for_at_the_next_start(file: Path) -> None:
    a_page_of_zeros(file, page=root_page(file, "branches"))
    mark_closed_as_is(file)  # as a disk that rots would leave it
    async with open_database(f"sqlite:///{file}") as database:
        with pytest.raises(DatabaseDamaged):
            await everything(database)
    assert state_of(file) is FileState.UNCLEAN
    assert "is damaged" in await refusal(file)


async def everything(database: Database) -> None:
    async with database.open_read_connection() as connection:
        for table in TableModel.metadata.tables:
            _ = (await connection.exec_driver_sql(f"select * from {table} order by 1")).all()


def mark_closed_as_is(file: Path) -> None:
    lock_path(file).write_text(shutdown_record_of(file, closed=True).model_dump_json())


async def test_a_file_that_was_deleted_is_made_anew(file: Path) -> None:
    await asyncio.to_thread(file.unlink)
    await open_and_close(file)
    assert all_rows(f"sqlite:///{file}")["branches"] == []


async def test_a_file_that_something_else_locks_is_busy(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BUSY_TIMEOUT_S", 0.1)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("create table theirs (words text)")
        with pytest.raises(DatabaseBusy, match="Another program has"):
            faults_of(file)


def test_a_full_disk_is_refused_and_a_nearly_full_one_told(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SetupError, match=r"Only 12 MiB are free at .*make room"):
        check_file(file, None, free_bytes=12 * MIB)
    check_file(file, None, free_bytes=MIN_SPACE_BYTES)
    assert "disk.space_low" in caplog.text
    caplog.clear()
    check_file(file, None, free_bytes=LOW_SPACE_BYTES)
    assert "disk.space_low" not in caplog.text


@pytest.mark.parametrize("what", ["file", "folder", "lock"])
async def test_P6_what_is_read_only_is_refused_in_one_line(what: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("read only")
    a_closed_database(folder / "sprout.sqlite3")
    for path in (folder, *folder.iterdir()):
        os.chown(path, NOBODY if os.geteuid() == 0 else -1, -1)
    spoilt = {"file": folder / "sprout.sqlite3", "folder": folder, "lock": folder / "sprout.sqlite3.lock"}[what]
    spoilt.chmod(0o555 if what == "folder" else 0o444)
    process = await create_subprocess_exec(
        prefork_python(), "-c", OPENS_AS_NOBODY, str(folder), cwd=TOP, stdout=PIPE, stderr=PIPE
    )
    output, complaints = await process.communicate()
    folder.chmod(0o755)
    assert process.returncode == 0, complaints.decode()
    assert output.decode().count("\n") == 1
    assert str(spoilt) in output.decode()


OPENS_AS_NOBODY = f"""
import asyncio, concurrent.futures.thread, os, sys
from sprout.errors import SetupError
from sprout.store.engine.database import open_database
from sprout.store.engine.migrate import head

head()
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setuid({NOBODY})

async def main():
    async with open_database("sqlite:///sprout.sqlite3"):
        pass

try:
    asyncio.run(main())
except SetupError as error:
    print(error)
"""

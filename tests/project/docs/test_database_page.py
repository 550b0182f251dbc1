"""The page about the database: its commands do what it says, and its numbers are the program's."""

import asyncio
import re
import shutil
from pathlib import Path

from harness.database.released import a_closed_database, a_page_of_zeros, all_rows
from sprout.store.engine.database import BUSY_TIMEOUT_MS, open_database
from sprout.store.sqlite.backups import MAX_BACKUPS, back_up, list_backups
from sprout.store.sqlite.checks import LOW_SPACE_BYTES, MIB, MIN_SPACE_BYTES, SAFE_SQLITE
from tests.project.commands import run_sprout, serve_sprout

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "database.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)


def test_its_numbers_are_those_of_the_program() -> None:
    assert f"the newest {MAX_BACKUPS} stay" in PAGE
    assert f"fewer than {MIN_SPACE_BYTES // MIB} MiB are free" in PAGE
    assert f"below {LOW_SPACE_BYTES // MIB // 1024} GiB it is logged" in PAGE
    assert f"for less than {BUSY_TIMEOUT_MS // 1000} s" in PAGE
    assert f"SQLite before {'.'.join(map(str, SAFE_SQLITE))}" in PAGE


async def test_its_restore_brings_back_what_was_backed_up(tmp_path: Path) -> None:
    file = damaged_beside_a_backup(tmp_path / "data")
    (backup,) = list_backups(file)
    before = all_rows(f"sqlite:///{backup}")
    commands = re.sub(r"sprout\.sqlite3\.backup-\S+", backup.name, next(block for block in BLOCKS if "mkdir" in block))
    shell = await asyncio.create_subprocess_exec("sh", "-ec", commands.replace("sprout doctor", "true"), cwd=tmp_path)
    assert await shell.wait() == 0
    async with open_database(f"sqlite:///{file}"):
        pass
    assert all_rows(f"sqlite:///{file}") == before
    assert list_backups(file) == [backup]


async def test_its_backups_are_made_while_a_server_works(tmp_path: Path) -> None:
    assert "sprout backup -o /mnt/usb/sprout.sqlite3" in BLOCKS[0]
    async with serve_sprout("serve", "--port", "0", folder=tmp_path):
        beside = await run_sprout("backup", folder=tmp_path)
        elsewhere = await run_sprout("backup", "-o", "copy.sqlite3", folder=tmp_path)
    assert (beside.code, beside.err, elsewhere.code, elsewhere.err) == (0, "", 0, "")
    (made,) = list_backups(tmp_path / "data" / "sprout.sqlite3")
    assert beside.out == f"The database was backed up to {made}\n"
    assert elsewhere.out == "The database was backed up to copy.sqlite3\n"
    assert all_rows(f"sqlite:///{tmp_path / 'copy.sqlite3'}").keys() == all_rows(f"sqlite:///{made}").keys()


async def test_there_is_no_backup_of_what_is_not_there_or_a_server_keeps(tmp_path: Path) -> None:
    nothing = await run_sprout("backup", folder=tmp_path)
    server = await run_sprout("backup", folder=tmp_path, DATABASE_URL="postgresql://127.0.0.1:9/sprout")
    assert (nothing.code, server.code) == (1, 1)
    assert "no database to back up yet" in nothing.err
    assert "pg_dump" in server.err


def damaged_beside_a_backup(data: Path) -> Path:
    (data / "documents").mkdir(parents=True)
    file = a_closed_database(data / "sprout.sqlite3")
    back_up(file, "test")
    a_page_of_zeros(file)
    shutil.copyfile(file, data / "sprout.sqlite3-wal")  # whatever it is, it may not stay
    return file

"""The long forms of the database's proofs: damage, backups under load, killed migrations, locks, a full disk."""

import asyncio
import os
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager
from pathlib import Path

from faults.core.loop_faults import ProofFigure
from harness.builders import RecordingDispatcher, a_reasoning_event, a_run, a_topic, start_run
from harness.database.flips import HARMLESS, SILENT, count_outcomes
from harness.database.holder import holding
from harness.database.kills import a_running_run, kill_in_migration, kill_in_undo
from harness.database.postgres import create_postgres
from harness.database.released import REVISIONS, a_closed_database, all_rows, restore
from harness.servers.web import Web, a_static_folder, serving_web
from harness.services import reason_missing
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine import migrate
from sprout.store.engine.database import open_database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.sqlite import backups
from sprout.store.sqlite.backups import back_up
from sprout.store.sqlite.checks import MIB, MIN_SPACE_BYTES, faults_of

FLIPS = 200
SEED = 20_26
LOCKED_S = (1.0, 10.0)
WRITERS = 20
DRILL_EVENTS = 8_000
DISK_BYTES = MIN_SPACE_BYTES + 30 * MIB


async def damage() -> list[ProofFigure]:
    """One bit flipped at 200 places of a database that was closed, of one that was not, and of its log."""
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        file = a_closed_database(place / "sprout.sqlite3")
        closed = await count_outcomes(file, place / "closed", FLIPS, seed=SEED)
        figures += _outcome_figures("closed", closed, must_hold=True)
        async with holding(f"sqlite:///{file}", topics=30):
            pass
        figures += _outcome_figures(
            "its log after a kill", await count_outcomes(file, place / "log", FLIPS, seed=SEED, ending="-wal")
        )
        figures += _outcome_figures(
            "itself after a kill", await count_outcomes(file, place / "killed", FLIPS, seed=SEED)
        )
    return figures


def _outcome_figures(which: str, outcomes: Counter[str], *, must_hold: bool = False) -> list[ProofFigure]:
    detected = outcomes.total() - outcomes[HARMLESS] - outcomes[SILENT]
    each = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    silent = outcomes[SILENT]
    return [
        ProofFigure(
            "damage", f"{which}: detected of {outcomes.total()} flips", f"{detected / outcomes.total():.0%} ({each})"
        ),
        ProofFigure("damage", f"{which}: silent wrong answers", f"{silent}", silent == 0 if must_hold else None),
    ]


async def drill() -> list[ProofFigure]:
    """Backups while events are written as fast as they go, the last put in the place of the database."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sprout.sqlite3"
        took_s, between, written_s = await _back_up_under_load(file)
        expected = all_rows(f"sqlite:///{(newest := backups.list_backups(file)[0])}")
        for path in file.parent.glob("sprout.sqlite3*"):
            if path not in backups.list_backups(file):
                path.unlink()
        began_s = time.monotonic()
        shutil.copyfile(newest, file)
        async with open_database(f"sqlite:///{file}"):
            restored_s = time.monotonic() - began_s
        lost = sum(len(rows) for rows in expected.values()) - sum(map(len, all_rows(f"sqlite:///{file}").values()))
        whole = all(faults_of(one, thorough=True) == [] for one in backups.list_backups(file))
        size_mib = newest.stat().st_size / MIB
    return [
        ProofFigure("drill", "events written meanwhile, per second", f"{DRILL_EVENTS / written_s:,.0f}"),
        ProofFigure("drill", f"backups of up to {size_mib:.0f} MiB, longest", f"{len(took_s)}, {max(took_s):.2f} s"),
        ProofFigure("drill", "backups with a gap, or without acknowledged events", f"{between}", between == 0),
        ProofFigure("drill", "backups that are whole", "all" if whole else "not all", whole),
        ProofFigure("drill", "restore and start", f"{restored_s:.2f} s"),
        ProofFigure("drill", "rows lost against the backup", f"{lost}", lost == 0),
    ]


async def _back_up_under_load(file: Path) -> tuple[list[float], int, float]:
    """Seconds that each backup took, number of inconsistent backups, and total seconds."""
    took_s, wrong, appended = [], 0, 0
    async with open_database(f"sqlite:///{file}") as database:
        runs = SqlRunStore(database, lambda _: None, RecordingDispatcher())
        paths = SqlPaths(database, lambda _: None, storage=LocalStorage(file.parent))
        run = await start_run(runs, a_run(await a_topic(paths)))

        async def write() -> None:
            nonlocal appended
            while appended < DRILL_EVENTS:
                await runs.append(run, [a_reasoning_event("Light. " * 100)])
                appended += 1

        began_s = time.monotonic()
        writing = asyncio.create_task(write())
        while not writing.done():
            before, at_s = appended, time.monotonic()
            backup = await asyncio.to_thread(back_up, file, "drill")
            took_s.append(time.monotonic() - at_s)
            numbers = await asyncio.to_thread(_event_numbers, backup)
            wrong += numbers != list(range(1, len(numbers) + 1)) or not before <= len(numbers) <= appended + 1
        await writing
        return took_s, wrong, time.monotonic() - began_s


def _event_numbers(backup: Path) -> list[int]:
    with closing(sqlite3.connect(backup)) as connection:
        return [seq for (seq,) in connection.execute("select seq from run_events order by seq")]


async def roll_backs() -> list[ProofFigure]:
    """A run's changes are taken back, killed at every step; all of them are there afterwards, or none."""
    found: Counter[str] = Counter()
    for database in _databases():
        with database() as url, tempfile.TemporaryDirectory() as folder:
            await asyncio.to_thread(migrate.upgrade, url)
            run = await a_running_run(url, Path(folder))
            lines = await kill_in_undo(url, run.id, every=1)
        found.update(line.split()[1] for line in lines[1:])
    return [
        ProofFigure("roll-backs", "kills", f"{found.total()}"),
        ProofFigure("roll-backs", "whole, or not at all", f"{found['0']} and {found['2']}", found.keys() == {"0", "2"}),
    ]


async def migrations() -> list[ProofFigure]:
    """Each release's database, its migration killed at every statement, in the backup and after the commit."""
    ends: Counter[str] = Counter()
    began_s = time.monotonic()
    for revision in REVISIONS:
        for point, database in (
            *(("migration_step", database) for database in _databases()),
            ("migration_done", _new_sqlite),
            ("backup_half_written", _new_sqlite),
        ):
            with database() as url, tempfile.TemporaryDirectory() as folder:
                restore(url, revision)
                ends.update(
                    line.split(maxsplit=1)[1]
                    for line in await kill_in_migration(url, point, Path(folder) / "migrations")
                )
    kills, broken = ends.total() - ends["lived after"], sum(ends[one] for one in ends if one.endswith("BROKEN"))
    return [
        ProofFigure("migrations", "kills", f"{kills} in {time.monotonic() - began_s:.0f} s"),
        ProofFigure("migrations", "rows equal after each", f"{1 - broken / ends.total():.0%}", broken == 0),
    ]


def _databases() -> list[Callable[[], AbstractContextManager[str]]]:
    """Makers of databases without tables: SQLite and, where one answers, PostgreSQL."""
    return [_new_sqlite, *([create_postgres] if reason_missing("postgres") is None else [])]


@contextmanager
def _new_sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{Path(folder) / 'sprout.sqlite3'}"


async def locks() -> list[ProofFigure]:
    """Another program holds the write lock for 1 s and for 10 s while twenty learners write."""
    figures = []
    for held_s in LOCKED_S:
        with tempfile.TemporaryDirectory() as folder:
            async with serving_web(Path(folder), a_static_folder(Path(folder))) as web:
                web.client.timeout = 60
                async with _hold_lock(Path(folder) / "sprout.sqlite3", held_s):
                    answers = await asyncio.gather(*(_write(web, f"{n}") for n in range(WRITERS)))
                after, _ = await _write(web, "after")
        statuses = Counter(status for status, _ in answers)
        p99_s = statistics.quantiles([took_s for _, took_s in answers], n=100)[98]
        name = f"lock held {held_s:.0f} s"
        fine = statuses.keys() <= {201, 503} and after == 201
        figures.append(ProofFigure("locks", f"{name}: statuses, then one more", f"{dict(statuses)}, {after}", fine))
        figures.append(ProofFigure("locks", f"{name}: p99", f"{p99_s:.1f} s"))
    return figures


@asynccontextmanager
async def _hold_lock(file: Path, held_s: float) -> AsyncIterator[None]:
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        letting_go = asyncio.get_running_loop().call_later(held_s, other.execute, "ROLLBACK")
        yield
        letting_go.cancel()


async def _write(web: Web, title: str) -> tuple[int, float]:
    began_s = time.monotonic()
    answer = await web.client.post("/api/branches", json={"userId": DEFAULT_USER_ID, "title": title})
    assert answer.status_code != 503 or "retry-after" in answer.headers
    return answer.status_code, time.monotonic() - began_s


async def full_disk() -> list[ProofFigure]:
    """A small disk is filled until nothing can be written, then room is made; only root can make such a disk."""
    if os.geteuid() != 0:
        return [ProofFigure("full disk", "not played: it takes root to make a small disk", "")]
    with _small_disk() as disk:
        async with serving_web(disk, a_static_folder(disk)) as web:
            statuses: Counter[int] = Counter()
            ballast = disk / "ballast"
            ballast.write_bytes(b"x" * (shutil.disk_usage(disk).free - 200_000))
            for n in range(400):
                status, _ = await _write(web, f"{n} " * 20)
                statuses[status] += 1
            read = await web.client.get("/api/branches", params={"userId": DEFAULT_USER_ID})
            shown = len(read.json()) if read.status_code == 200 else -1
            ballast.unlink()
            began_s = time.monotonic()
            after, _ = await _write(web, "after")
            recovered_s = time.monotonic() - began_s
    fine, all_read = statuses.keys() == {201, 507} and after == 201, shown == statuses[201]
    return [
        ProofFigure("full disk", "statuses while it fills, then one more", f"{dict(statuses)}, {after}", fine),
        ProofFigure("full disk", "paths read meanwhile, of those stored", f"{shown} of {statuses[201]}", all_read),
        ProofFigure("full disk", "first write after there was room", f"{recovered_s * 1000:.0f} ms"),
    ]


@contextmanager
def _small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


PROOFS: dict[str, Callable[[], Awaitable[list[ProofFigure]]]] = {
    "damage": damage,
    "drill": drill,
    "migrations": migrations,
    "roll-backs": roll_backs,
    "locks": locks,
    "full-disk": full_disk,
}

"""Checks of the installation: SQLite, the data folder, the database and its job queue."""

import asyncio
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sprout.accounts.mail import MailNotSent
from sprout.commands.finding import Finding, FindingStatus
from sprout.config import Settings
from sprout.engines.smtp_mailer import SmtpMailer, SmtpServer
from sprout.errors import SetupError, SproutError
from sprout.offline.courses.course_folder import load_course_folder
from sprout.roles import role_of_server
from sprout.store.engine import migrate
from sprout.store.engine.database import POSTGRES_CONNECTIONS
from sprout.store.engine.health import FileHealth, file_health, server_health
from sprout.store.engine.urls import async_url, libpq_url, sqlite_file
from sprout.store.sqlite.checks import LOW_SPACE_BYTES, MIB, MIN_SPACE_BYTES, SAFE_SQLITE, recovery_advice

CLOCK_SKEW_S = 1.0
RESERVED_CONNECTIONS = 10  # for superusers, backups and tools


def check_sqlite(settings: Settings) -> Finding:
    found = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= SAFE_SQLITE:
        return Finding("sqlite", FindingStatus.OK, found)
    safe = ".".join(str(part) for part in SAFE_SQLITE)
    advice = f"{found}: its write-ahead log has a rare bug that {safe} fixes; upgrade Python or the system"
    return Finding("sqlite", FindingStatus.NOTE, advice)


def check_data_folder(settings: Settings) -> Finding:
    folder = settings.data_dir.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        advice = f"{folder} cannot be written ({error.strerror}): set SPROUT_DATA_DIR to a folder that can"
        return Finding("data folder", FindingStatus.BROKEN, advice)
    message = f"{folder}, {free // MIB:,} MiB free"
    if free < MIN_SPACE_BYTES:
        return Finding(
            "data folder", FindingStatus.BROKEN, f"{message}: make room, or set SPROUT_DATA_DIR to another disk"
        )
    return Finding("data folder", FindingStatus.NOTE if free < LOW_SPACE_BYTES else FindingStatus.OK, message)


async def check_mail(server: SmtpServer, *, site: str) -> Finding:
    """The mail server: it is connected to and signed in at, and sent nothing."""
    try:
        await SmtpMailer(server, site=site).check()
    except MailNotSent as error:
        return Finding("mail", FindingStatus.BROKEN, str(error))
    return Finding("mail", FindingStatus.OK, f"{server.host}:{server.used_port}, as {server.sender}")


def check_courses(settings: Settings) -> Iterator[Finding]:
    """The courses of the configured folder, and each file that is not offered as one."""
    if settings.courses_dir is None:
        return
    found = load_course_folder(settings.courses_dir)
    titles = ", ".join(course.title for course in found.added.courses) or "none"
    where = f"{settings.courses_dir}: {titles}"
    if not settings.offline:
        where += "; they are offered with the built-in model alone, and another is configured"
    yield Finding("courses", FindingStatus.OK if settings.offline else FindingStatus.NOTE, where)
    for fault in found.faults:
        yield Finding("courses", FindingStatus.NOTE, f"not offered: {fault}")


def check_database(settings: Settings) -> Iterator[Finding]:
    """The database, from a thread without an event loop."""
    try:
        shown = async_url(settings.database).set(drivername=async_url(settings.database).get_backend_name())
        where = shown.render_as_string(hide_password=True)
        file = sqlite_file(settings.database)
        if file is None:
            yield from _postgres_findings(settings, where)
        else:
            yield from _sqlite_findings(file, where)
    except SproutError as error:
        yield Finding("database", FindingStatus.BROKEN, str(error))


async def check_redis(url: str) -> Finding:
    """Whether Redis can be used, after a value was written there and read."""
    try:
        from sprout.engines.redis_server import check_health, connect

        async with connect(url) as client:
            found = await check_health(url, client)
    except SetupError as error:
        return Finding("redis", FindingStatus.BROKEN, str(error))
    if found.advice is not None:
        return Finding("redis", FindingStatus.NOTE, found.advice)
    message = f"{found.where}, Redis {found.version}, {found.policy}, {found.round_trip_ms:.1f} ms there and back"
    return Finding("redis", FindingStatus.OK, message)


def check_queue(settings: Settings) -> Iterator[Finding]:
    """The job queue, where several processes share the work."""
    if settings.redis_url is None:
        return
    try:
        _ = role_of_server(settings)
        from sprout.engines.procrastinate_schema import require_current_queue  # in an extra

        require_current_queue(libpq_url(settings.database))
    except SproutError as error:
        yield Finding("job queue", FindingStatus.BROKEN, str(error))
    else:
        yield Finding("job queue", FindingStatus.OK, "its tables are up to date")


def _postgres_findings(settings: Settings, where: str) -> Iterator[Finding]:
    from sprout.store.engine.postgres_server import check_server  # its driver is in an extra

    url = settings.database
    asyncio.run(check_server(url))
    found, wanted = server_health(url), migrate.head()
    if (refusal := migrate.why_refused(url, found.revision)) is not None:
        yield Finding("database", FindingStatus.BROKEN, f"{where}: {refusal}")
    elif found.revision == wanted:
        yield Finding("database", FindingStatus.OK, f"{where}, PostgreSQL {found.version}, up to date ({wanted})")
    else:
        advice = f"{where} is at {found.revision}, not {wanted}: run `sprout migrate`"
        yield Finding("database", FindingStatus.BROKEN, advice)
    if settings.redis_url is not None:
        yield _connections(found.connections)
    ahead_s = found.clock_ahead_s
    message = f"the database's is {abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} this machine's"
    if abs(ahead_s) <= CLOCK_SKEW_S:
        yield Finding("clock", FindingStatus.OK, message)
    else:
        yield Finding("clock", FindingStatus.NOTE, f"{message}: set both by a time server")


def _connections(there: int) -> Finding:
    """Whether the server has connections for two web processes and two workers, the least that outlives one's end."""
    from sprout.engines.procrastinate_dispatcher import MAX_CONNECTIONS  # in an extra

    web, worker = POSTGRES_CONNECTIONS, POSTGRES_CONNECTIONS + MAX_CONNECTIONS
    needed = 2 * (web + worker)
    message = f"{there} for all; a web process takes up to {web}, a worker up to {worker}"
    if there >= needed:
        return Finding("connections", FindingStatus.OK, message)
    advice = f"{message}, two of each {needed}: set PostgreSQL's max_connections to {needed + RESERVED_CONNECTIONS}"
    return Finding("connections", FindingStatus.NOTE, advice)


def _sqlite_findings(file: Path, where: str) -> Iterator[Finding]:
    if not file.exists():
        yield Finding("database", FindingStatus.OK, f"{where}, will be created at the first start")
        return
    found, wanted = file_health(file), migrate.head()
    sizes = f"{where}, {found.size_bytes / MIB:,.1f} MiB and {found.wal_bytes / MIB:,.1f} MiB of log"
    if found.faults:
        yield Finding(
            "database", FindingStatus.BROKEN, f"{sizes}, damaged ({found.faults[0]}): {recovery_advice(file)}"
        )
    elif found.revision == wanted:
        yield Finding("database", FindingStatus.OK, f"{sizes}, up to date ({wanted})")
    elif found.revision is None or migrate.knows(found.revision):
        message = f"{sizes}, at {found.revision}: the next start backs it up and updates it"
        yield Finding("database", FindingStatus.NOTE, message)
    else:
        refusal = migrate.why_refused(f"sqlite:///{file}", found.revision)
        yield Finding("database", FindingStatus.BROKEN, f"{sizes}: {refusal}")
    yield _integrity(found)
    yield _last_backup(found)


def _integrity(found: FileHealth) -> Finding:
    journal = "write-ahead log" if found.uses_wal else "rollback journal"
    writing = f"{journal}, through to the disk at every commit (synchronous FULL)"
    if found.faults:
        return Finding("soundness", FindingStatus.BROKEN, "; ".join(found.faults))
    if found.changed:
        message = f"structure sound, but another program has written to the file since Sprout closed it; {writing}"
        return Finding("soundness", FindingStatus.NOTE, message)
    return Finding("soundness", FindingStatus.OK, f"pages, indexes and references checked; {writing}")


def _last_backup(found: FileHealth) -> Finding:
    if found.backup is None:
        return Finding("backup", FindingStatus.NOTE, "none beside the database; see docs/database.md")
    return Finding("backup", FindingStatus.OK, f"{found.backup.name}, {_age(found.backup_age_s)} old")


def _age(seconds: float) -> str:
    days, hours = divmod(int(seconds) // 3600, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {int(seconds) % 3600 // 60} min"

"""`sprout doctor`: examines the installation, says what to mend, and which numbers are in force and why."""

import asyncio
import platform
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sprout import __version__
from sprout.config import AGENT_NAMES, Settings
from sprout.errors import SproutError
from sprout.extending import added_agents, added_tools
from sprout.learning.paths.shelf import Shelf
from sprout.llm.catalogue import catalogue
from sprout.llm.claude import Claude, claude_client
from sprout.loop.estimate import Estimator, fixed_tokens
from sprout.loop.model import Message, ModelRequest, ReplyEnded
from sprout.loop.model import Text as Words
from sprout.loop.policy import LoopPolicy
from sprout.store import migrate
from sprout.store.checks import LITTLE_SPACE_BYTES, MIB, NO_SPACE_BYTES, SAFE_SQLITE, advice
from sprout.store.condition import FileCondition, condition_of_file, condition_of_server
from sprout.store.database import Database
from sprout.store.shelf import SqlShelf
from sprout.store.urls import async_url, sqlite_file

CLOCK_SKEW_S = 1.0
PROBE_TIMEOUT_S = 50.0
PROBE_TOKENS = 1_000
PROBE_WORDS = "Answer with the single word: ready"


class Verdict(StrEnum):
    GOOD = "ok"
    POOR = "note"
    BROKEN = "BROKEN"


STYLES = {Verdict.GOOD: "green", Verdict.POOR: "yellow", Verdict.BROKEN: "bold red"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it stands and, where it does not stand well, what to do."""

    what: str
    verdict: Verdict
    says: str


async def examine(settings: Settings, agents: Mapping[str, LoopPolicy], console: Console, *, probe: bool = True) -> int:
    """Print what was found and the policy in force; the exit code is 1 if something is broken.

    Args:
        agents: each agent's own numbers, before any setting.
        probe: whether to make a tiny call to each configured model, which may cost a fraction of a cent.
    """
    broken = False
    async for finding in _findings(settings, probe=probe):
        line = Text(f"{finding.what:<12}")
        line.append(f"{finding.verdict:<8}", style=STYLES[finding.verdict]).append(finding.says)
        console.print(line, soft_wrap=True)
        broken = broken or finding.verdict is Verdict.BROKEN
    console.print()
    try:
        console.print(_policy_table(settings, agents))
    except SproutError as error:
        console.print(Text(str(error), style=STYLES[Verdict.BROKEN]), soft_wrap=True)
        broken = True
    return 1 if broken else 0


async def _findings(settings: Settings, *, probe: bool) -> AsyncIterator[Finding]:
    yield Finding("sprout", Verdict.GOOD, __version__)
    yield Finding("python", Verdict.GOOD, platform.python_version())
    yield _sqlite(settings)
    yield _data_folder(settings)
    for finding in await asyncio.to_thread(list, _database(settings)):
        yield finding
    for finding in (*_models(settings), *_added(settings)):
        yield finding
    if probe and not settings.offline:
        async for finding in _probes(settings):
            yield finding


def _sqlite(settings: Settings) -> Finding:
    found = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= SAFE_SQLITE:
        return Finding("sqlite", Verdict.GOOD, found)
    safe = ".".join(str(part) for part in SAFE_SQLITE)
    advice = f"{found}: its write-ahead log has a rare fault that {safe} mends; a newer Python or system brings it"
    return Finding("sqlite", Verdict.POOR, advice)


def _data_folder(settings: Settings) -> Finding:
    folder = settings.data_dir.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        advice = f"{folder} cannot be written ({error.strerror}): set SPROUT_DATA_DIR to a folder that can"
        return Finding("data folder", Verdict.BROKEN, advice)
    says = f"{folder}, {free // MIB:,} MiB free"
    if free < NO_SPACE_BYTES:
        return Finding("data folder", Verdict.BROKEN, f"{says}: make room, or set SPROUT_DATA_DIR to another disk")
    return Finding("data folder", Verdict.POOR if free < LITTLE_SPACE_BYTES else Verdict.GOOD, says)


def _database(settings: Settings) -> Iterator[Finding]:
    try:
        shown = async_url(settings.database).set(drivername=async_url(settings.database).get_backend_name())
        where = shown.render_as_string(hide_password=True)
        file = sqlite_file(settings.database)
        yield from _server(settings.database, where) if file is None else _file(file, where)
    except SproutError as error:
        yield Finding("database", Verdict.BROKEN, str(error))


def _server(url: str, where: str) -> Iterator[Finding]:
    found, wanted = condition_of_server(url), migrate.head()
    if found.revision == wanted:
        yield Finding("database", Verdict.GOOD, f"{where}, PostgreSQL {found.version}, up to date ({wanted})")
    else:
        advice = f"{where} is at {found.revision}, not {wanted}: run `sprout migrate`"
        yield Finding("database", Verdict.BROKEN, advice)
    ahead_s = found.clock_ahead_s
    says = f"the database's is {abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} this machine's"
    if abs(ahead_s) <= CLOCK_SKEW_S:
        yield Finding("clock", Verdict.GOOD, says)
    else:
        yield Finding("clock", Verdict.POOR, f"{says}: set both by a time server")


def _file(file: Path, where: str) -> Iterator[Finding]:
    if not file.exists():
        yield Finding("database", Verdict.GOOD, f"{where}, will be made at the first start")
        return
    found, wanted = condition_of_file(file), migrate.head()
    sizes = f"{where}, {found.size_bytes / MIB:,.1f} MiB and {found.wal_bytes / MIB:,.1f} MiB of log"
    if found.faults:
        yield Finding("database", Verdict.BROKEN, f"{sizes}, damaged ({found.faults[0]}): {advice(file)}")
    elif found.revision == wanted:
        yield Finding("database", Verdict.GOOD, f"{sizes}, up to date ({wanted})")
    elif found.revision is None or migrate.knows(found.revision):
        says = f"{sizes}, at {found.revision}: the next start backs it up and updates it"
        yield Finding("database", Verdict.POOR, says)
    else:
        says = f"{sizes}, at {found.revision}, which is newer than this program: update Sprout, or restore a backup"
        yield Finding("database", Verdict.BROKEN, says)
    yield _soundness(found)
    yield _last_backup(found)


def _soundness(found: FileCondition) -> Finding:
    journal = "write-ahead log" if found.writes_ahead else "rollback journal"
    writing = f"{journal}, through to the disk at every commit (synchronous FULL)"
    if found.faults:
        return Finding("soundness", Verdict.BROKEN, "; ".join(found.faults))
    if found.changed:
        says = f"structure sound, but something else than Sprout has written the file since it was closed; {writing}"
        return Finding("soundness", Verdict.POOR, says)
    return Finding("soundness", Verdict.GOOD, f"pages, indexes and references checked; {writing}")


def _last_backup(found: FileCondition) -> Finding:
    if found.backup is None:
        return Finding("backup", Verdict.POOR, "none beside the database; docs/database.md says how to make one")
    return Finding("backup", Verdict.GOOD, f"{found.backup.name}, {_age(found.backup_age_s)} old")


def _age(seconds: float) -> str:
    days, hours = divmod(int(seconds) // 3600, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {int(seconds) % 3600 // 60} min"


def _models(settings: Settings) -> Iterator[Finding]:
    if settings.offline:
        advice = "the offline demo model, free and built in; for any topic with a real model set ANTHROPIC_API_KEY"
        yield Finding("model", Verdict.GOOD, advice)
        return
    where = settings.base_url or "Anthropic's API"
    key = "with a key" if settings.api_key else "without a key"
    yield Finding("provider", Verdict.GOOD, f"{where}, {key}")
    for model, users in _users_of_models(settings).items():
        known = model in catalogue()
        says = f"{model} for {', '.join(users)}"
        note = "" if known else "; it is not in the catalogue: its window, price and abilities are assumed cautiously"
        yield Finding("model", Verdict.GOOD if known else Verdict.POOR, says + note)


def _added(settings: Settings) -> Iterator[Finding]:
    """What was added by configuration, each with the module that it comes from."""
    # Nothing is behind this shelf: what is made now may keep it, and uses it in a run only.
    shelf: Shelf = SqlShelf(cast(Database, None), lambda _: None, split=lambda *_: ())
    try:
        for agent, entry in zip(added_agents(settings, shelf), settings.extra_agents, strict=True):
            place = "in the place of the built-in one" if agent.name in AGENT_NAMES else "an agent more"
            model = settings.model_of(agent.name, small=False)
            yield Finding("agent", Verdict.GOOD, f"{agent.name} of {entry}, {place}, with {model}")
        for tool, entry in zip(added_tools(settings, shelf), settings.tutor_tools, strict=True):
            yield Finding("tutor tool", Verdict.GOOD, f"{tool.name} of {entry}")
    except SproutError as error:
        yield Finding("added", Verdict.BROKEN, str(error))


def _users_of_models(settings: Settings) -> dict[str, list[str]]:
    """Each configured model with the agents that use it."""
    users: dict[str, list[str]] = {}
    for agent in ("topic", "subconcept"):
        users.setdefault(settings.model_of(agent, small=False), []).append(agent)
    for agent in ("topic", "subconcept"):
        small = settings.model_of(agent, small=True)
        names = users.setdefault(small, [])
        if "small mode" not in names:
            names.append("small mode")
    return users


async def _probes(settings: Settings) -> AsyncIterator[Finding]:
    async with _claude(settings) as claude:
        for model in _users_of_models(settings):
            yield await _probe(claude, model)


async def _probe(claude: Claude, model: str) -> Finding:
    request = ModelRequest(
        model=model,
        system="This is a test of the connection.",
        messages=(Message("user", (Words(PROBE_WORDS),)),),
        tools=(),
        max_tokens=PROBE_TOKENS,
    )
    began = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            parts = [part async for part in claude.reply(request)]
    except TimeoutError:
        return Finding("probe", Verdict.BROKEN, f"{model} gave no whole answer within {PROBE_TIMEOUT_S:.0f} s")
    except SproutError as error:
        return Finding("probe", Verdict.BROKEN, f"{model}: {error}")
    if not any(isinstance(part, ReplyEnded) for part in parts):
        return Finding("probe", Verdict.BROKEN, f"{model}: its answer broke off")
    took = f"{model} answered in {asyncio.get_running_loop().time() - began:.1f} s"
    return Finding("probe", Verdict.GOOD, f"{took}; {await _counted(claude, request)}")


async def _counted(claude: Claude, request: ModelRequest) -> str:
    """How far the estimate of tokens, which the loop goes by, is from the provider's own count."""
    estimated = Estimator(fixed_tokens(request.system, ()))
    guess = estimated.tokens(estimated.size(request.messages))
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            return f"its server counts {await claude.prompt_tokens(request)} tokens where Sprout estimates {guess}"
    except (SproutError, TimeoutError):
        return "its server does not count tokens, so Sprout's estimate is corrected by what replies report"


@asynccontextmanager
async def _claude(settings: Settings) -> AsyncIterator[Claude]:
    client = claude_client(
        api_key=settings.api_key or "none", base_url=settings.base_url, idle_s=LoopPolicy().stream_idle_s
    )
    async with client:
        yield Claude(client, thinking_tokens={})


def _policy_table(settings: Settings, agents: Mapping[str, LoopPolicy]) -> Table:
    """Every number of the loop for each agent and, unless it is the default, where it comes from."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("number of the loop")
    for agent in agents:
        table.add_column(agent)
    in_force = {agent: settings.policy(agent, own) for agent, own in agents.items()}
    for name in LoopPolicy.model_fields:
        cells = [_cell(settings, agent, own, in_force[agent], name) for agent, own in agents.items()]
        table.add_row(name, *cells)
    return table


def _cell(settings: Settings, agent: str, own: LoopPolicy, in_force: LoopPolicy, name: str) -> Text:
    cell = Text(_shown(getattr(in_force, name)))
    if name in settings.agents.get(agent, {}):
        cell.append("  SPROUT_AGENTS", style="cyan")
    elif name in settings.loop:
        cell.append("  SPROUT_LOOP", style="cyan")
    elif getattr(own, name) != getattr(LoopPolicy(), name):
        cell.append("  the agent's own", style="dim")
    return cell


def _shown(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"{value:,}"
        case tuple():
            return ", ".join(_shown(part) for part in value)
        case dict():
            return ", ".join(f"{key} {_shown(part)}" for key, part in value.items())
        case _:
            return str(value)

"""The `doctor` command: checks the installation, advises fixes, and shows the loop settings in force."""

import asyncio
import platform
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sprout import __version__
from sprout.agents.adaptation.refinement import refinement_agent
from sprout.agents.adaptation.review import review_agent
from sprout.agents.agent import AgentSpec
from sprout.agents.grading.grading import grading_agent
from sprout.agents.grading.key_check import key_check_agent
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.agents.tutor.tutor import tutor_agent
from sprout.config import AGENT_NAMES, Settings
from sprout.errors import SproutError
from sprout.learning.paths.repositories import Repositories
from sprout.llm.catalogue import catalogue
from sprout.llm.claude import Claude, claude_client
from sprout.loop.context.estimate import Estimator, fixed_tokens
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message, ModelRequest, ReplyEnded
from sprout.loop.model import Text as Words
from sprout.loop.policy import LoopPolicy
from sprout.loop.tool_calls.permissions import Rule
from sprout.plugins import load_agents, load_tools
from sprout.store.engine import migrate
from sprout.store.engine.database import Database
from sprout.store.engine.health import FileHealth, file_health, server_health
from sprout.store.engine.urls import async_url, sqlite_file
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.sqlite.checks import LOW_SPACE_BYTES, MIB, MIN_SPACE_BYTES, SAFE_SQLITE, recovery_advice

CLOCK_SKEW_S = 1.0
PROBE_TIMEOUT_S = 50.0
PROBE_TOKENS = 1_000
SET_FOR_ALL, SET_FOR_AGENT, AGENTS_OWN = "SPROUT_LOOP", "SPROUT_AGENTS", "the agent's own"
PROBE_WORDS = "Answer with the single word: ready"


class FindingStatus(StrEnum):
    OK = "ok"
    NOTE = "note"
    BROKEN = "BROKEN"


STYLES = {FindingStatus.OK: "green", FindingStatus.NOTE: "yellow", FindingStatus.BROKEN: "bold red"}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: its status and, unless it is fine, the advice."""

    subject: str
    status: FindingStatus
    message: str


async def examine(settings: Settings, agents: Mapping[str, LoopPolicy], console: Console, *, probe: bool = True) -> int:
    """Print the findings, and policy and mechanisms in force; the exit code is 1 if something is broken.

    Args:
        agents: the agents whose policy is printed: each one's own, before any setting.
        probe: whether to make a tiny call to each configured model, which may cost a fraction of a cent.
    """
    broken = False
    async for finding in _findings(settings, probe=probe):
        line = Text(f"{finding.subject:<12}")
        line.append(f"{finding.status:<8}", style=STYLES[finding.status]).append(finding.message)
        console.print(line, soft_wrap=True)
        broken = broken or finding.status is FindingStatus.BROKEN
    console.print()
    try:
        console.print(_policy_table(settings, agents))
        console.print()
        console.print(_mechanisms_table(settings, _known_agents(settings)))
    except SproutError as error:
        console.print(Text(str(error), style=STYLES[FindingStatus.BROKEN]), soft_wrap=True)
        broken = True
    return 1 if broken else 0


async def _findings(settings: Settings, *, probe: bool) -> AsyncIterator[Finding]:
    yield Finding("sprout", FindingStatus.OK, __version__)
    yield Finding("python", FindingStatus.OK, platform.python_version())
    yield _sqlite(settings)
    yield _data_folder(settings)
    for finding in await asyncio.to_thread(list, _database(settings)):
        yield finding
    for finding in (*_models(settings), *_plugins(settings)):
        yield finding
    if probe and not settings.offline:
        async for finding in _probes(settings):
            yield finding


def _sqlite(settings: Settings) -> Finding:
    found = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= SAFE_SQLITE:
        return Finding("sqlite", FindingStatus.OK, found)
    safe = ".".join(str(part) for part in SAFE_SQLITE)
    advice = f"{found}: its write-ahead log has a rare bug that {safe} fixes; upgrade Python or the system"
    return Finding("sqlite", FindingStatus.NOTE, advice)


def _data_folder(settings: Settings) -> Finding:
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


def _database(settings: Settings) -> Iterator[Finding]:
    try:
        shown = async_url(settings.database).set(drivername=async_url(settings.database).get_backend_name())
        where = shown.render_as_string(hide_password=True)
        file = sqlite_file(settings.database)
        yield from _postgres_findings(settings.database, where) if file is None else _sqlite_findings(file, where)
    except SproutError as error:
        yield Finding("database", FindingStatus.BROKEN, str(error))


def _postgres_findings(url: str, where: str) -> Iterator[Finding]:
    found, wanted = server_health(url), migrate.head()
    if (refusal := migrate.why_refused(url, found.revision)) is not None:
        yield Finding("database", FindingStatus.BROKEN, f"{where}: {refusal}")
    elif found.revision == wanted:
        yield Finding("database", FindingStatus.OK, f"{where}, PostgreSQL {found.version}, up to date ({wanted})")
    else:
        advice = f"{where} is at {found.revision}, not {wanted}: run `sprout migrate`"
        yield Finding("database", FindingStatus.BROKEN, advice)
    ahead_s = found.clock_ahead_s
    message = f"the database's is {abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} this machine's"
    if abs(ahead_s) <= CLOCK_SKEW_S:
        yield Finding("clock", FindingStatus.OK, message)
    else:
        yield Finding("clock", FindingStatus.NOTE, f"{message}: set both by a time server")


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


def _models(settings: Settings) -> Iterator[Finding]:
    if settings.offline:
        advice = "the offline demo model, free and built in; for any topic with a real model set ANTHROPIC_API_KEY"
        yield Finding("model", FindingStatus.OK, advice)
        return
    where = settings.base_url or "Anthropic's API"
    key = "with a key" if settings.api_key else "without a key"
    yield Finding("provider", FindingStatus.OK, f"{where}, {key}")
    for model, users in _models_in_use(settings).items():
        known = model in catalogue()
        message = f"{model} for {', '.join(users)}"
        note = (
            ""
            if known
            else "; it is not in the catalogue: conservative values are assumed for its window, price and abilities"
        )
        yield Finding("model", FindingStatus.OK if known else FindingStatus.NOTE, message + note)


def _plugins(settings: Settings) -> Iterator[Finding]:
    """Configured agents and tools, each with the module that defines it."""
    repositories = _unconnected_repositories()
    try:
        for agent, entry in zip(load_agents(settings, repositories), settings.extra_agents, strict=True):
            place = "replacing the built-in one" if agent.name in AGENT_NAMES else "additional"
            model = settings.model_of(agent.name, small=False)
            yield Finding("agent", FindingStatus.OK, f"{agent.name} of {entry}, {place}, with {model}")
        for tool, entry in zip(load_tools(settings, repositories), settings.tutor_tools, strict=True):
            yield Finding("tutor tool", FindingStatus.OK, f"{tool.name} of {entry}")
    except SproutError as error:
        yield Finding("added", FindingStatus.BROKEN, str(error))


def _unconnected_repositories() -> Repositories:
    """Repositories without a database: agents and tools may store them, and use them only in a run."""
    return SqlPathRepository(cast(Database, None), lambda _: None, split=lambda *_: ())


def _known_agents(settings: Settings) -> list[AgentSpec]:
    """The built-in agents, or those that replace them, and the added ones, as they are before any setting."""
    graphs = _unconnected_repositories()
    unconnected: Any = None
    built_in = [
        topic_agent(graphs),
        subconcept_agent(graphs),
        refinement_agent(graphs, unconnected),
        review_agent(graphs, unconnected),
        tutor_agent(unconnected, graphs, unconnected),
        grading_agent(graphs, unconnected),
        key_check_agent(graphs, unconnected),
    ]
    added: list[AgentSpec] = []
    with suppress(SproutError):  # a finding has said why they cannot be loaded
        added = load_agents(settings, graphs)
    return [*{agent.name: agent for agent in (*built_in, *added)}.values()]


def _models_in_use(settings: Settings) -> dict[str, list[str]]:
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
        for model in _models_in_use(settings):
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
        return Finding(
            "probe", FindingStatus.BROKEN, f"{model} did not answer completely within {PROBE_TIMEOUT_S:.0f} s"
        )
    except SproutError as error:
        return Finding("probe", FindingStatus.BROKEN, f"{model}: {error}")
    if not any(isinstance(part, ReplyEnded) for part in parts):
        return Finding("probe", FindingStatus.BROKEN, f"{model}: its answer was cut off")
    took = f"{model} answered in {asyncio.get_running_loop().time() - began:.1f} s"
    return Finding("probe", FindingStatus.OK, f"{took}; {await _compare_token_counts(claude, request)}")


async def _compare_token_counts(claude: Claude, request: ModelRequest) -> str:
    """The loop's estimate of tokens beside the provider's count."""
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
    """Every setting of the loop for each agent and, unless it is the default, its source."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("loop setting")
    for agent in agents:
        table.add_column(agent)
    in_force = {agent: settings.policy(agent, own) for agent, own in agents.items()}
    for name in LoopPolicy.model_fields:
        cells = [_policy_cell(settings, agent, own, in_force[agent], name) for agent, own in agents.items()]
        table.add_row(name, *cells)
    return table


def _policy_cell(settings: Settings, agent: str, own: LoopPolicy, in_force: LoopPolicy, name: str) -> Text:
    source = _source(settings, agent, own, name)
    if name in settings.loop and name not in settings.agents.get(agent, {}):
        source = SET_FOR_ALL
    return _format_value_from(getattr(in_force, name), source)


def _mechanisms_table(settings: Settings, agents: Iterable[AgentSpec]) -> Table:
    """The mechanisms of each agent that are set or are not the default, with their sources."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("agent", "loop mechanism", "in force"):
        table.add_column(column)
    for agent in agents:
        in_force = settings.mechanisms(agent.name, agent.mechanisms)
        for name in LoopMechanisms.model_fields:
            if source := _source(settings, agent.name, agent.mechanisms, name):
                table.add_row(agent.name, name, _format_value_from(getattr(in_force, name), source))
    return table


def _source(settings: Settings, agent: str, own: BaseModel, name: str) -> str | None:
    """The source of the value of a field; None if it is the default."""
    if name in settings.agents.get(agent, {}):
        return SET_FOR_AGENT
    return AGENTS_OWN if getattr(own, name) != getattr(type(own)(), name) else None


def _format_value_from(value: object, source: str | None) -> Text:
    text = Text(_format_value(value))
    return text if source is None else text.append(f"  {source}", style="dim" if source == AGENTS_OWN else "cyan")


def _format_value(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"{value:,}"
        case Rule():
            return " ".join([value.decision, value.tool, *(f"{key}={glob}" for key, glob in value.input.items())])
        case tuple():
            return ", ".join(_format_value(part) for part in value)
        case dict():
            return ", ".join(f"{key} {_format_value(part)}" for key, part in value.items())
        case _:
            return str(value)

"""The `doctor` command: checks the installation, advises fixes, and shows the loop settings in force."""

import asyncio
import platform
from collections.abc import AsyncIterator, Mapping
from itertools import chain

from rich.console import Console
from rich.text import Text

from sprout import __version__
from sprout.commands.configured_agents import check_plugins, known_agents
from sprout.commands.finding import Finding, FindingStatus
from sprout.commands.installation import (
    check_courses,
    check_data_folder,
    check_database,
    check_queue,
    check_redis,
    check_sqlite,
)
from sprout.commands.loop_tables import mechanisms_table, policy_table
from sprout.commands.provider import check_models, probe_models
from sprout.config import Settings
from sprout.errors import SproutError
from sprout.loop.policy import LoopPolicy

STYLES = {FindingStatus.OK: "green", FindingStatus.NOTE: "yellow", FindingStatus.BROKEN: "bold red"}


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
        console.print(policy_table(settings, agents))
        console.print()
        console.print(mechanisms_table(settings, known_agents(settings)))
    except SproutError as error:
        console.print(Text(str(error), style=STYLES[FindingStatus.BROKEN]), soft_wrap=True)
        broken = True
    return 1 if broken else 0


async def _findings(settings: Settings, *, probe: bool) -> AsyncIterator[Finding]:
    yield Finding("sprout", FindingStatus.OK, __version__)
    yield Finding("python", FindingStatus.OK, platform.python_version())
    yield check_sqlite(settings)
    yield check_data_folder(settings)
    for finding in await asyncio.to_thread(list, chain(check_database(settings), check_queue(settings))):
        yield finding
    if settings.redis_url is not None:
        yield await check_redis(settings.redis_url)
    for finding in (*check_models(settings), *check_courses(settings), *check_plugins(settings)):
        yield finding
    if probe and not settings.offline:
        async for finding in probe_models(settings):
            yield finding

"""The `doctor` command: checks the installation, advises fixes, and shows the loop settings in force."""

import asyncio
import platform
from collections.abc import AsyncIterator, Mapping
from itertools import chain
from typing import Literal

from rich.console import Console
from rich.text import Text

from sprout import __version__
from sprout.commands.configured_agents import check_plugins, known_agents
from sprout.commands.finding import Finding, FindingStatus
from sprout.commands.installation import (
    check_courses,
    check_data_folder,
    check_database,
    check_mail,
    check_queue,
    check_redis,
    check_sqlite,
)
from sprout.commands.loop_tables import mechanisms_table, policy_table
from sprout.commands.model_findings import probe_models
from sprout.commands.provider import ask_models, check_models
from sprout.config import Settings
from sprout.errors import SproutError
from sprout.loop.policy import LoopPolicy

Probing = Literal["none", "answer", "whole"]

STYLES = {FindingStatus.OK: "green", FindingStatus.NOTE: "yellow", FindingStatus.BROKEN: "bold red"}


async def examine(
    settings: Settings, agents: Mapping[str, LoopPolicy], console: Console, *, probing: Probing = "answer"
) -> int:
    """Print the findings, and policy and mechanisms in force; the exit code is 1 if something is broken.

    Args:
        agents: the agents whose policy is printed: each one's own, before any setting.
        probing: `answer`: one tiny call to each configured model; `whole`: all of what it can do, which is stored.
    """
    broken = False
    async for finding in _findings(settings, probing):
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


async def _findings(settings: Settings, probing: Probing) -> AsyncIterator[Finding]:
    yield Finding("sprout", FindingStatus.OK, __version__)
    yield Finding("python", FindingStatus.OK, platform.python_version())
    yield check_sqlite(settings)
    yield check_data_folder(settings)
    for finding in await asyncio.to_thread(list, chain(check_database(settings), check_queue(settings))):
        yield finding
    if settings.redis_url is not None:
        yield await check_redis(settings.redis_url)
    if settings.smtp is not None:
        yield await check_mail(settings.smtp, site=settings.public_url or "")
    for finding in (*check_models(settings), *check_courses(settings), *check_plugins(settings)):
        yield finding
    if probing != "none" and not settings.offline:
        async for finding in (probe_models if probing == "whole" else ask_models)(settings):
            yield finding

"""Topic agents for servers that are killed: one that may ask a person, and one whose work kills the process."""

import os
import signal
from dataclasses import replace
from functools import wraps

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.graph_edits import PATH_POLICY
from sprout.agents.path.topic import topic_agent
from sprout.config import Settings
from sprout.learning.paths.repositories import Repositories
from sprout.loop.human import ask_human
from sprout.loop.tools import ToolFunction

DEADLY = "Deadly"


def asking_topic(repositories: Repositories, settings: Settings) -> AgentSpec:
    """An agent that takes the topic agent's place."""
    topic = topic_agent(repositories, settings.policy("topic", PATH_POLICY))

    async def brief(job: Job, team: Team) -> Brief:
        plain = await topic.brief(job, team)
        return replace(plain, tools=(*plain.tools, ask_human))

    return replace(topic, brief=brief)


def deadly_topic(repositories: Repositories, settings: Settings) -> AgentSpec:
    """An agent that takes the topic agent's place; at a topic named `DEADLY` its first tool kills the process."""
    topic = topic_agent(repositories, settings.policy("topic", PATH_POLICY))

    async def brief(job: Job, team: Team) -> Brief:
        plain = await topic.brief(job, team)
        if DEADLY not in str(plain.messages):
            return plain
        return replace(plain, tools=tuple(replace(tool, function=_kill_process(tool.function)) for tool in plain.tools))

    return replace(topic, brief=brief)


def _kill_process(function: ToolFunction) -> ToolFunction:
    @wraps(function)
    async def kill(*_: object, **__: object) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    return kill

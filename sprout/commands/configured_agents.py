"""Checks of the agents and tools that the settings add."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from sprout.agents.adaptation.refinement import refinement_agent
from sprout.agents.adaptation.review import review_agent
from sprout.agents.agent import AgentSpec
from sprout.agents.grading.grading import grading_agent
from sprout.agents.grading.key_check import key_check_agent
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.agents.path.variants import variants_agent
from sprout.agents.tutor.tutor import tutor_agent
from sprout.commands.finding import Finding, FindingStatus
from sprout.config import AGENT_NAMES, Settings
from sprout.errors import SproutError
from sprout.learning.paths.repositories import Repositories
from sprout.plugins import load_agents, load_tools
from sprout.store.engine.database import Database
from sprout.store.paths.repository import SqlPathRepository


def check_plugins(settings: Settings) -> Iterator[Finding]:
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


def known_agents(settings: Settings) -> list[AgentSpec]:
    """The built-in agents, or those that replace them, and the added ones, as they are before any setting."""
    graphs = _unconnected_repositories()
    unconnected: Any = None
    built_in = [
        topic_agent(graphs),
        subconcept_agent(graphs),
        refinement_agent(graphs, unconnected),
        review_agent(graphs, unconnected),
        tutor_agent(unconnected, graphs, unconnected, programs=unconnected),
        grading_agent(graphs, unconnected, unconnected),
        key_check_agent(graphs, unconnected),
        variants_agent(graphs, unconnected, keys=unconnected),
    ]
    added: list[AgentSpec] = []
    with suppress(SproutError):  # a finding has said why they cannot be loaded
        added = load_agents(settings, graphs)
    return [*{agent.name: agent for agent in (*built_in, *added)}.values()]

"""Plugins: additional agents and tutor tools, named in the settings."""

import importlib
import re
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sprout.agents.agent import AgentSpec
from sprout.agents.tutor.extra_tools import ExtraTool, LessonContext, as_extra_tool
from sprout.agents.tutor.tools import TUTOR_TOOLS
from sprout.config import AGENT_NAMES, Settings
from sprout.errors import SetupError
from sprout.events import NodeRow
from sprout.learning.paths.repositories import Repositories

AgentFactory = Callable[[Repositories, Settings], AgentSpec]
AGENTS_SETTING, TOOLS_SETTING = "SPROUT_EXTRA_AGENTS", "SPROUT_TUTOR_TOOLS"
ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
RESERVED_LANES = frozenset({"child", "conversation"})


def load_agents(settings: Settings, repositories: Repositories) -> list[AgentSpec]:
    """The agents of SPROUT_EXTRA_AGENTS, created and checked; one with the name of a built-in one replaces it.

    Raises SetupError, which names the entry and what is wrong with it.
    """
    agents: list[AgentSpec] = []
    for entry in settings.extra_agents:
        with _naming_entry(AGENTS_SETTING, entry):
            taken = {agent.name for agent in agents}
            agents.append(_make_agent(_load_entry(entry), settings, repositories, taken=taken))
    known = {*AGENT_NAMES, *(agent.name for agent in agents)}
    if unknown := sorted(settings.agents.keys() - known):
        raise SetupError(
            f"SPROUT_AGENTS__{unknown[0].upper()} is about no agent; there are: {', '.join(sorted(known))}."
        )
    return agents


def load_tools(settings: Settings, repositories: Repositories) -> list[ExtraTool]:
    """The tools of SPROUT_TUTOR_TOOLS, checked. Raises SetupError, which names the entry and what is wrong with it."""
    tools: list[ExtraTool] = []
    for entry in settings.tutor_tools:
        with _naming_entry(TOOLS_SETTING, entry):
            taken = {*TUTOR_TOOLS, *(tool.name for tool in tools)}
            tools.append(_make_tool(_load_entry(entry), repositories, taken=taken))
    return tools


def _make_agent(make: object, settings: Settings, repositories: Repositories, *, taken: Collection[str]) -> AgentSpec:
    if not callable(make):
        raise ValueError(f"it is of type {type(make).__name__}, not a function of (repositories, settings)")
    agent = make(repositories, settings)
    if not isinstance(agent, AgentSpec):
        raise ValueError(f"it makes a {type(agent).__name__}, not an AgentSpec")
    if not NAME.fullmatch(agent.name):
        raise ValueError(f"{agent.name!r} is no name for an agent: small letters, digits and _, 40 at most")
    if agent.name == "tutor":
        raise ValueError("the tutor cannot be replaced; give it tools with SPROUT_TUTOR_TOOLS")
    if agent.name in taken:
        raise ValueError(f"there is another agent {agent.name!r}")
    if not NAME.fullmatch(agent.lane) or agent.lane in RESERVED_LANES:
        raise ValueError(f"{agent.lane!r} cannot be the lane of its runs; its own name, {agent.name!r}, can")
    return agent


def _make_tool(given: object, repositories: Repositories, *, taken: Collection[str]) -> ExtraTool:
    tool = as_extra_tool(given, _example_lesson(repositories))
    if tool.name in taken:
        raise ValueError(f"the tutor has a tool {tool.name!r} already")
    return tool


def _example_lesson(repositories: Repositories) -> LessonContext:
    """An empty lesson, on which tool factories are tried at the start, so that their errors show early."""

    def node(kind: str) -> NodeRow:
        return NodeRow.model_validate(
            {
                "id": f"example-{kind}",
                "userId": "example",
                "type": kind,
                "branchId": None,
                "parentId": None,
                "title": "Example",
                "desc": None,
                "createdAt": "2026-01-01T00:00:00Z",
                "updatedAt": "2026-01-01T00:00:00Z",
            }
        )

    return LessonContext("example", "example", node("root"), node("concept"), node("subconcept"), "en", repositories)


def _load_entry(entry: str) -> object:
    """The object that `module:name` names."""
    if not ENTRY.fullmatch(entry):
        raise ValueError("write it as module:name")
    module_name, _, name = entry.partition(":")
    module = importlib.import_module(module_name)
    if not hasattr(module, name):
        raise ValueError(f"{module_name} has no {name!r}")
    return getattr(module, name)


@contextmanager
def _naming_entry(setting: str, entry: str) -> Iterator[None]:
    """Raise any failure inside as a SetupError of one line: the entry, the error and its place in the plugin."""
    try:
        yield
    except ModuleNotFoundError as error:
        itself = error.name is not None and f"{entry.partition(':')[0]}.".startswith(f"{error.name}.")
        why = f"there is no module {error.name!r}"
        why += ": install it, or put its folder on PYTHONPATH" if itself else _location_suffix(error)
        raise _setup_error(setting, entry, why) from error
    except (SetupError, ValueError) as error:
        raise _setup_error(setting, entry, f"{error}{_location_suffix(error)}") from error
    except Exception as error:
        raise _setup_error(setting, entry, f"{type(error).__name__}: {error}{_location_suffix(error)}") from error


def _setup_error(setting: str, entry: str, why: str) -> SetupError:
    return SetupError(f"{setting}: {entry!r} cannot be used: {' '.join(why.split())}")


def _location_suffix(error: Exception) -> str:
    place = _location(error)
    return f" ({place})" if place else ""


def _location(error: Exception) -> str:
    """File and line of the error, if it is outside this module."""
    frames: Sequence[traceback.FrameSummary] = traceback.extract_tb(error.__traceback__)
    here = Path(__file__).parent
    others = [one for one in frames if not Path(one.filename).is_relative_to(here) and "importlib" not in one.filename]
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}"
    return f"{Path(others[-1].filename).name}, line {others[-1].lineno}" if others else ""

"""What is added to Sprout without touching it: agents and tools of the tutor, named in the settings."""

import importlib
import re
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sprout.agents.agent import AgentSpec
from sprout.agents.extra_tools import ExtraTool, LessonContext, extra_tool
from sprout.agents.tutor_tools import TUTOR_TOOLS
from sprout.config import AGENT_NAMES, Settings
from sprout.errors import SetupError
from sprout.events import NodeRow
from sprout.learning.paths.shelf import Shelf

AgentMaker = Callable[[Shelf, Settings], AgentSpec]
AGENTS, TOOLS = "SPROUT_EXTRA_AGENTS", "SPROUT_TUTOR_TOOLS"
ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
LANES_OF_OTHERS = frozenset({"child", "conversation"})


def added_agents(settings: Settings, shelf: Shelf) -> list[AgentSpec]:
    """The agents of SPROUT_EXTRA_AGENTS, made and checked; one with the name of a built-in one takes its place.

    Raises SetupError, which names the entry and what is wrong with it.
    """
    agents: list[AgentSpec] = []
    for entry in settings.extra_agents:
        with _blaming(AGENTS, entry):
            agents.append(_agent(_loaded(entry), settings, shelf, taken={agent.name for agent in agents}))
    known = {*AGENT_NAMES, *(agent.name for agent in agents)}
    if unknown := sorted(settings.agents.keys() - known):
        raise SetupError(
            f"SPROUT_AGENTS__{unknown[0].upper()} is about no agent; there are: {', '.join(sorted(known))}."
        )
    return agents


def added_tools(settings: Settings, shelf: Shelf) -> list[ExtraTool]:
    """The tools of SPROUT_TUTOR_TOOLS, checked. Raises SetupError, which names the entry and what is wrong with it."""
    tools: list[ExtraTool] = []
    for entry in settings.tutor_tools:
        with _blaming(TOOLS, entry):
            tools.append(_tool(_loaded(entry), shelf, taken={*TUTOR_TOOLS, *(tool.name for tool in tools)}))
    return tools


def _agent(make: object, settings: Settings, shelf: Shelf, *, taken: Collection[str]) -> AgentSpec:
    if not callable(make):
        raise ValueError(f"it is of type {type(make).__name__}, not a function of (shelf, settings)")
    agent = make(shelf, settings)
    if not isinstance(agent, AgentSpec):
        raise ValueError(f"it makes a {type(agent).__name__}, not an AgentSpec")
    if not NAME.fullmatch(agent.name):
        raise ValueError(f"{agent.name!r} is no name for an agent: small letters, digits and _, 40 at most")
    if agent.name == "tutor":
        raise ValueError("the tutor cannot be replaced; give it tools with SPROUT_TUTOR_TOOLS")
    if agent.name in taken:
        raise ValueError(f"there is another agent {agent.name!r}")
    if not NAME.fullmatch(agent.lane) or agent.lane in LANES_OF_OTHERS:
        raise ValueError(f"{agent.lane!r} cannot be the lane of its runs; its own name, {agent.name!r}, can")
    return agent


def _tool(given: object, shelf: Shelf, *, taken: Collection[str]) -> ExtraTool:
    tool = extra_tool(given, _example(shelf))
    if tool.name in taken:
        raise ValueError(f"the tutor has a tool {tool.name!r} already")
    return tool


def _example(shelf: Shelf) -> LessonContext:
    """A lesson that is none: functions that make tools are tried on it, so that a start finds their faults."""

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

    return LessonContext("example", "example", node("root"), node("concept"), node("subconcept"), "en", shelf)


def _loaded(entry: str) -> object:
    """What `module:name` names."""
    if not ENTRY.fullmatch(entry):
        raise ValueError("write it as module:name")
    module_name, _, name = entry.partition(":")
    module = importlib.import_module(module_name)
    if not hasattr(module, name):
        raise ValueError(f"{module_name} has no {name!r}")
    return getattr(module, name)


@contextmanager
def _blaming(setting: str, entry: str) -> Iterator[None]:
    """Whatever goes wrong inside is said in one line with the entry, and with its place in a file of somebody else."""
    try:
        yield
    except ModuleNotFoundError as error:
        itself = error.name is not None and f"{entry.partition(':')[0]}.".startswith(f"{error.name}.")
        why = f"there is no module {error.name!r}"
        why += ": install it, or put its folder on PYTHONPATH" if itself else _elsewhere(error)
        raise _refused(setting, entry, why) from error
    except (SetupError, ValueError) as error:
        raise _refused(setting, entry, f"{error}{_elsewhere(error)}") from error
    except Exception as error:
        raise _refused(setting, entry, f"{type(error).__name__}: {error}{_elsewhere(error)}") from error


def _refused(setting: str, entry: str, why: str) -> SetupError:
    return SetupError(f"{setting}: {entry!r} cannot be used: {' '.join(why.split())}")


def _elsewhere(error: Exception) -> str:
    place = _place(error)
    return f" ({place})" if place else ""


def _place(error: Exception) -> str:
    """File and line of the fault, where it is not in this file or below it."""
    frames: Sequence[traceback.FrameSummary] = traceback.extract_tb(error.__traceback__)
    here = Path(__file__).parent
    others = [one for one in frames if not Path(one.filename).is_relative_to(here) and "importlib" not in one.filename]
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}"
    return f"{Path(others[-1].filename).name}, line {others[-1].lineno}" if others else ""

"""Tables of the loop settings and mechanisms in force, with their sources."""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel
from rich.table import Table
from rich.text import Text

from sprout.agents.agent import AgentSpec
from sprout.config import Settings
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.policy import LoopPolicy
from sprout.loop.tool_calls.permissions import Rule

SET_FOR_ALL, SET_FOR_AGENT, AGENTS_OWN = "SPROUT_LOOP", "SPROUT_AGENTS", "the agent's own"


def policy_table(settings: Settings, agents: Mapping[str, LoopPolicy]) -> Table:
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


def mechanisms_table(settings: Settings, agents: Iterable[AgentSpec]) -> Table:
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

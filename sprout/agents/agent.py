"""What an agent is: somebody who, given a job, says how to begin, with which tools, and what its end means."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sprout.events import AgentDone, Event
from sprout.learning.shelf import Actor
from sprout.loop.model import Message
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Tool
from sprout.loop.turn import StopCheck, TurnResult


@dataclass(frozen=True, slots=True)
class Job:
    """What an agent is asked to do: work on a node, for a learner, within a run."""

    run_id: str
    root_run_id: str
    user_id: str
    node_id: str
    label: str
    model: str
    small: bool

    def actor(self, call_id: str | None = None) -> Actor:
        return Actor(self.user_id, self.label, self.run_id, self.root_run_id, call_id)


class Team(Protocol):
    """Whom an agent can ask for help."""

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        """Start a child run and go on; a node whose child run is still going is left to it."""
        ...


@dataclass(frozen=True, slots=True)
class Brief:
    """How a run goes: `opening` is told, `begin` is called, the loop runs (unless `messages` is empty), then `finish`.

    `finish` gets the loop's result, or None where there was no loop, and returns the closing event, whose reason and
    usage the run fills in.
    """

    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    opening: Sequence[Event] = ()
    begin: Callable[[], Awaitable[None]] | None = None
    stop_checks: tuple[StopCheck, ...] = ()
    finish: Callable[[TurnResult | None], Awaitable[AgentDone]] | None = None


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent by name, with the numbers of its loop; `lane` is the kind of lane that its runs take."""

    name: str
    lane: str
    policy: LoopPolicy
    brief: Callable[[Job, Team], Awaitable[Brief]] = field(repr=False)

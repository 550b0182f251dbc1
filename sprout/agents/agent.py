"""What an agent is: somebody who, given a job, says how to begin, with which tools, and what its end means."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sprout.events import AgentDone, Event
from sprout.learning.paths.shelf import Actor
from sprout.loop.attempt import Voice
from sprout.loop.model import Message
from sprout.loop.permissions import Permissions
from sprout.loop.policy import LoopPolicy
from sprout.loop.screen import MakeScreen
from sprout.loop.tools import Tool
from sprout.loop.turn import StopCheck, TurnResult


@dataclass(frozen=True, slots=True)
class Job:
    """What an agent is asked to do: work on a node, for a learner, within a run.

    Args:
        epoch: counts who has begun to carry the run.
        resumed: an earlier one has begun the loop, so that the brief must be that of the whole work, whatever is there
            already.
        task: what the run that asked for this one wants of it, in words.
    """

    run_id: str
    root_run_id: str
    user_id: str
    node_id: str
    label: str
    model: str
    small: bool
    epoch: int
    resumed: bool = False
    task: str | None = None

    def actor(self, call_id: str | None = None) -> Actor:
        return Actor(self.user_id, self.label, self.run_id, self.root_run_id, call_id, self.epoch)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has become of a task: the state in which its run ended, and its last words, of a private agent none."""

    state: str
    words: str


class Team(Protocol):
    """Whom an agent can ask for help, and who listens before its loop begins."""

    async def tell(self, event: Event) -> None:
        """Have the learner told of something now."""
        ...

    async def pause(self, seconds: float) -> bool:
        """Wait for a moment; False, and at once, where the run shall stop."""
        ...

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        """Start a child run and go on; a node whose child run is still going is left to it."""
        ...

    async def delegate(self, agent: str, task: str, *, key: str, label: str | None = None) -> Outcome:
        """Have a child run do a task, and wait for its end without a place among the model calls.

        Args:
            label: its name on the wire, where that is not the agent's own.
            key: names the task within this run: the same one again is not started twice, also not after a crash.
        """
        ...


@dataclass(frozen=True, slots=True)
class Brief:
    """How a run goes: `opening` is told, `begin` is called, the loop runs (unless `messages` is empty), then `finish`.

    `objective` says in a line for people what it is after. `screen` makes what words to the learner pass through.

    `finish` gets the loop's result, or None where there was no loop, and returns the closing event, whose reason and
    usage the run fills in. `give_up` is called in its place where the run is stopped or fails.

    What `begin` returns is told before the loop. A run that is taken up again after a crash is briefed again: then
    `begin` is called again, and `finish` may be, so that both must do no harm the second time. Whether there is a loop
    is decided when a run begins, and stays so.
    """

    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    opening: Sequence[Event] = ()
    begin: Callable[[], Awaitable[Sequence[Event] | None]] | None = None
    stop_checks: tuple[StopCheck, ...] = ()
    permissions: Permissions | None = None
    finish: Callable[[TurnResult | None], Awaitable[AgentDone]] | None = None
    give_up: Callable[[], Awaitable[None]] | None = None
    objective: str = ""
    screen: MakeScreen | None = None


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent by name, with the numbers of its loop; `lane` is the kind of lane that its runs take, and `voice` says
    whether its text is reasoning or words to the learner.

    What a `private` agent says and thinks, and what its tools tell it, is never shown: it works on what is secret.

    Args:
        label: its name on the wire, where that is not its own.
    """

    name: str
    lane: str
    policy: LoopPolicy
    brief: Callable[[Job, Team], Awaitable[Brief]] = field(repr=False)
    voice: Voice = "reasoning"
    private: bool = False
    label: str | None = None

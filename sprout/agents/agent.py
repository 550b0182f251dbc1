"""The agent interface: an agent turns a job into a brief."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sprout.errors import SproutError
from sprout.events import AgentDone, Event
from sprout.learning.actor import Actor
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Profile, Tool
from sprout.loop.turn import StopCheck, TurnResult
from sprout.loop.turn_options import OutputFilterFactory, Voice

NORMAL_STOP_REASONS = frozenset({"end_turn", "stop_sequence", "stuck"})
"""Ends of a loop whose result has been looked at by the agent's own checks."""


class NothingSaved(SproutError):
    """A run ended without saving anything."""

    code = "nothing_saved"


@dataclass(frozen=True, slots=True)
class Job:
    """Input of one run: work on a node, for a learner.

    Args:
        epoch: counts the workers that have held the run.
        resumed: an earlier worker has started the loop, so the brief must cover the whole work, whatever of it is done.
        task: text of the request, from the learner or from the run that delegates.
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
    """Result of a delegated task: the state in which its run ended, and its last words (none from a private agent)."""

    state: str
    words: str


class Team(Protocol):
    """Child runs of an agent, and events from before its loop begins."""

    async def publish(self, event: Event) -> None:
        """Send an event to the learner at once."""
        ...

    async def pause(self, seconds: float) -> bool:
        """Sleep. Returns False, immediately, once the run is to stop."""
        ...

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        """Start a child run without waiting for it; a child run that is active on the node already is left alone."""
        ...

    async def start_apart(self, agent: str, task: str, *, node_id: str) -> None:
        """Start a root run of an agent for a task: this run neither waits for it nor stops it.

        The same task is not started twice, even after a crash.
        """
        ...

    async def delegate(self, agent: str, task: str, *, key: str, label: str | None = None) -> Outcome:
        """Start a child run for a task and wait for its end; the wait occupies no slot for model calls.

        Raises ToolFailure: no agent of that name, or too many runs below one another.

        Args:
            key: identifies the task within this run. The same key does not start a second run, even after a crash.
            label: name on the wire, if it differs from the agent's.
        """
        ...


@dataclass(frozen=True, slots=True)
class Brief:
    """Course of a run: publish `opening`, call `begin`, run the loop (unless `messages` is empty), call `finish`.

    A run that is resumed after a crash is briefed again: `begin` is called again, and `finish` may be, so both must be
    safe to repeat. Whether there is a loop is decided when the run starts, and does not change.

    Args:
        opening: events to publish first; the agent's start follows them, unless it is one of them.
        begin: returns more events to publish before the loop.
        finish: gets the loop's result, or None without a loop, and returns the closing event, whose reason and usage
            the run fills in. Raises NothingSaved.
        give_up: called in place of `finish` if the run is stopped or fails.
        objective: purpose of the run, in one line for people.
        output_filter: makes the filter that words to the learner pass through.
        profile: the tools that may be called in this run; None: as the agent's mechanisms say.
    """

    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    opening: Sequence[Event] = ()
    begin: Callable[[], Awaitable[Sequence[Event] | None]] | None = None
    stop_checks: tuple[StopCheck, ...] = ()
    finish: Callable[[TurnResult | None], Awaitable[AgentDone]] | None = None
    give_up: Callable[[], Awaitable[object]] | None = None
    objective: str = ""
    output_filter: OutputFilterFactory | None = None
    profile: Profile | None = None


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent by name, with the limits and mechanisms of its loop.

    Args:
        policy, mechanisms: the agent's own; settings override single fields of both.
        lane: kind of lane that its runs take.
        voice: whether its text is reasoning or words to the learner.
        private: it works on secrets, so its text, its reasoning and the results of its tools are never shown.
        label: name on the wire, if it differs.
    """

    name: str
    lane: str
    policy: LoopPolicy
    brief: Callable[[Job, Team], Awaitable[Brief]] = field(repr=False)
    voice: Voice = "reasoning"
    private: bool = False
    label: str | None = None
    mechanisms: LoopMechanisms = LoopMechanisms()

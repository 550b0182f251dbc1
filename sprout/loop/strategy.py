"""When a view is made smaller and by which rungs: the strategies, and the ladder of recoveries."""

from dataclasses import dataclass
from typing import Literal

from sprout.errors import SetupError
from sprout.loop.policy import LoopPolicy

Rung = Literal["clear", "summary", "prune", "collapse", "truncate", "deep_prune"]
DEEP: tuple[Rung, ...] = ("deep_prune", "collapse", "truncate")
TO_THE_CEILING: tuple[Rung, ...] = ("prune", "collapse", "truncate", "collapse")
AFTER_TOO_LONG: tuple[Rung, ...] = ("clear", "summary", "collapse")


@dataclass(frozen=True, slots=True)
class Unlimited:
    """Nothing is taken out as long as the view fits the window at all."""


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """The task and the most recent messages, within `max_tokens`; no model is asked."""

    max_tokens: int

    def __post_init__(self) -> None:
        _refuse_nonsense(self.max_tokens)


@dataclass(frozen=True, slots=True)
class Summarize:
    """Above `max_tokens` a summary replaces the older messages; `recursive`: by groups first (C5)."""

    max_tokens: int
    recursive: bool = False

    def __post_init__(self) -> None:
        _refuse_nonsense(self.max_tokens)


@dataclass(frozen=True, slots=True)
class Auto:
    """Above the threshold: clear old results, then summarise, then collapse, until it fits (C3)."""

    recursive: bool = False


Strategy = Unlimited | SlidingWindow | Summarize | Auto


def rungs_of(strategy: Strategy) -> tuple[Rung, ...]:
    """The rungs of a compaction in order; the next is taken while the one before has not done enough."""
    match strategy:
        case SlidingWindow():
            return ("collapse",)
        case Summarize():
            return ("summary", "prune", "collapse")
        case Unlimited() | Auto():
            return ("clear", "summary", "prune", "collapse")


@dataclass(frozen=True, slots=True)
class Stood:
    """Where a ladder stands: recoveries so far, and the iterations of the last compaction and the last deep prune."""

    recoveries: int = 0
    compacted_at: int | None = None
    pruned_at: int | None = None


class Ladder:
    """C7: what a crossing of the threshold leads to; counted afresh for every run, and on through its carriers."""

    def __init__(self, policy: LoopPolicy, stood: Stood | None = None) -> None:
        self._policy = policy
        stood = stood or Stood()
        self._recoveries = stood.recoveries
        self._compacted_at = stood.compacted_at
        self._pruned_at = stood.pruned_at

    @property
    def stands(self) -> Stood:
        """Where it stands now."""
        return Stood(self._recoveries, self._compacted_at, self._pruned_at)

    def step(self, iteration: int) -> Literal["compact", "deep_prune", "ask_human", "none"]:
        """R1, R2 or R3; none when the run has had all its recoveries."""
        if self._recoveries >= self._policy.max_recoveries:
            return "none"
        self._recoveries += 1
        if self._recent(self._pruned_at, iteration):
            # Once a person has said how to go on, the ladder begins at its foot.
            self._compacted_at = self._pruned_at = None
            return "ask_human"
        if self._recent(self._compacted_at, iteration):
            self._pruned_at = iteration
            return "deep_prune"
        self._compacted_at = iteration
        return "compact"

    def _recent(self, at: int | None, iteration: int) -> bool:
        return at is not None and iteration - at <= self._policy.recovery_window


def _refuse_nonsense(max_tokens: int) -> None:
    if max_tokens < 1:
        raise SetupError(f"max_tokens: {max_tokens} is not a number of tokens; it must be at least 1")

"""Context strategies: when a view is compacted and by which steps, and the ladder of recoveries."""

from dataclasses import dataclass
from typing import Literal

from sprout.errors import SetupError
from sprout.loop.policy import LoopPolicy

CompactionStep = Literal["clear", "summary", "prune", "collapse", "truncate", "deep_prune"]
DEEP_PRUNE_STEPS: tuple[CompactionStep, ...] = ("deep_prune", "collapse", "truncate")
CEILING_STEPS: tuple[CompactionStep, ...] = ("prune", "collapse", "truncate", "collapse")
OVERFLOW_STEPS: tuple[CompactionStep, ...] = ("clear", "summary", "collapse")


@dataclass(frozen=True, slots=True)
class Unlimited:
    """Nothing is taken out as long as the view fits the window at all."""


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """The task and the most recent messages, within `max_tokens`; no model is asked."""

    max_tokens: int

    def __post_init__(self) -> None:
        _check_max_tokens(self.max_tokens)


@dataclass(frozen=True, slots=True)
class Summarize:
    """Above `max_tokens` a summary replaces the older messages; `recursive`: by groups first."""

    max_tokens: int
    recursive: bool = False

    def __post_init__(self) -> None:
        _check_max_tokens(self.max_tokens)


@dataclass(frozen=True, slots=True)
class Auto:
    """Above the threshold: clear old results, then summarise, then collapse, until it fits."""

    recursive: bool = False


Strategy = Unlimited | SlidingWindow | Summarize | Auto


def steps_of(strategy: Strategy) -> tuple[CompactionStep, ...]:
    """The rungs of a compaction in order; the next is taken while the one before has not done enough."""
    match strategy:
        case SlidingWindow():
            return ("collapse",)
        case Summarize():
            return ("summary", "prune", "collapse")
        case Unlimited() | Auto():
            return ("clear", "summary", "prune", "collapse")


@dataclass(frozen=True, slots=True)
class RecoveryState:
    """State of a recovery ladder: recoveries so far, and the iterations of the last compaction and deep prune."""

    recoveries: int = 0
    compacted_at: int | None = None
    pruned_at: int | None = None


class RecoveryLadder:
    """Recoveries at the threshold: compaction, deep prune, a question; counted per run, across its workers."""

    def __init__(self, policy: LoopPolicy, state: RecoveryState | None = None) -> None:
        self._policy = policy
        state = state or RecoveryState()
        self._recoveries = state.recoveries
        self._compacted_at = state.compacted_at
        self._pruned_at = state.pruned_at

    @property
    def state(self) -> RecoveryState:
        """Current state of the ladder."""
        return RecoveryState(self._recoveries, self._compacted_at, self._pruned_at)

    def next_step(self, iteration: int) -> Literal["compact", "deep_prune", "ask_human", "none"]:
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


def _check_max_tokens(max_tokens: int) -> None:
    if max_tokens < 1:
        raise SetupError(f"max_tokens: {max_tokens} is not a number of tokens; it must be at least 1")

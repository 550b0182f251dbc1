"""Detectors of repeated calls and of missing progress, and the escalation against repetition."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sprout.loop.encoding.canonical_json import canonical_hash
from sprout.loop.human import HumanQuestion, ask_human, stuck_question
from sprout.loop.model_notices import notice
from sprout.loop.policy import LoopPolicy
from sprout.loop.turn_steps import CallRecord

PERIODS = (1, 2, 3)
NUDGE, DIRECTIVE, ASK = 1, 2, 3
MAX_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class LoopDetected:
    """A repetition of calls.

    Args:
        kind: identical: same input, same result; pattern: one tool, ever other inputs; period: the same round of
            calls again, with the same results.
        tool: the tool called last.
        count: how many of the last calls are part of it.
    """

    kind: Literal["identical", "pattern", "period"]
    tool: str
    count: int

    @property
    def description(self) -> str:
        """The repetition in a sentence."""
        return notice(f"thrash_{self.kind}", tool=self.tool[:MAX_NAME_CHARS], count=self.count)


@dataclass(frozen=True, slots=True)
class _CallSignature:
    """A call as the detector compares it.

    Args:
        unchanged: whether it was a success that has kept all as it is.
        progress: whether it was a success that has not, and the first of its kind in the run.
    """

    name: str
    input_hash: str
    result_hash: str
    unchanged: bool
    progress: bool = field(default=False, compare=False)


class LoopDetector:
    """Detects repetition among the last calls of one run.

    It depends on calls and results alone: fed with the batches of a resumed run again, it is in the same state.
    Calls that keep all as it is may be repeated as long as another call makes progress meanwhile.

    Args:
        repeatable: tools that are meant to be called many times; the pattern detector leaves them alone.
    """

    def __init__(self, policy: LoopPolicy, repeatable: frozenset[str] = frozenset()) -> None:
        self._policy = policy
        self._repeatable = repeatable | {ask_human.name}
        self._window: deque[_CallSignature] = deque(maxlen=policy.thrash_window)
        self._seen_calls: set[_CallSignature] = set()
        self._seen_results: set[tuple[str, str]] = set()
        self._last_batch: list[_CallSignature] = []
        self._identical_batches = 0
        self._new_results = 0

    @property
    def identical_batches(self) -> int:
        """Number of batches in a row, the last one included, that had the same calls with the same results."""
        return self._identical_batches

    @property
    def batches_exceeded(self) -> bool:
        """Whether so many batches in a row were identical that the run ends."""
        most = self._policy.max_identical_batches
        return most is not None and self._identical_batches >= most

    @property
    def new_results(self) -> int:
        """Number of calls in the last batch whose result was new for their tool in this run; errors never count."""
        return self._new_results

    def observe(self, calls: Sequence[CallRecord]) -> LoopDetected | None:
        """Take in the calls of one batch, in their order; the repetition that they complete, if any.

        Only a repetition that includes calls of this batch counts: one that was left does not fire again.
        """
        batch = [self._signature(call) for call in calls]
        self._count_new_results(calls, batch)
        if batch:
            same = _order_free(batch) == _order_free(self._last_batch)
            self._identical_batches = self._identical_batches + 1 if same else 1
            self._last_batch = batch
        found: LoopDetected | None = None
        progress = any(seen.progress for seen in batch)
        for seen in batch:
            self._window.append(seen)
            repeated = None if progress and seen.unchanged else self._identical() or self._period()
            found = found or repeated or self._pattern()
        return found

    def _signature(self, call: CallRecord) -> _CallSignature:
        result = canonical_hash(call.result, call.is_error)
        signature = _CallSignature(call.name, canonical_hash(call.input), result, call.unchanged)
        progress = not call.is_error and not call.unchanged and signature not in self._seen_calls
        self._seen_calls.add(signature)
        return replace(signature, progress=progress)

    def _count_new_results(self, calls: Sequence[CallRecord], batch: Sequence[_CallSignature]) -> None:
        fresh = {(seen.name, seen.result_hash) for call, seen in zip(calls, batch, strict=True) if not call.is_error}
        self._new_results = len(fresh - self._seen_results)
        self._seen_results |= fresh

    def _identical(self) -> LoopDetected | None:
        calls = list(self._window)
        last, fewest = calls[-1], self._policy.thrash_identical
        places = [place for place, seen in enumerate(calls) if seen == last]
        if len(places) < fewest or (last.unchanged and any(seen.progress for seen in calls[places[-fewest] :])):
            return None
        return LoopDetected("identical", last.name, len(places))

    def _pattern(self) -> LoopDetected | None:
        name = self._window[-1].name
        count = len({seen.input_hash for seen in self._window if seen.name == name})
        if name in self._repeatable or count < self._policy.thrash_pattern:
            return None
        return LoopDetected("pattern", name, count)

    def _period(self) -> LoopDetected | None:
        calls = list(self._window)
        for period in PERIODS:
            length = max(2 * period, self._policy.thrash_pattern)
            last = calls[-length:]
            if len(last) == length and last[period:] == last[:-period]:
                return LoopDetected("period", last[-1].name, length)
        return None


def _order_free(batch: Sequence[_CallSignature]) -> list[tuple[str, str, str]]:
    return sorted((seen.name, seen.input_hash, seen.result_hash) for seen in batch)


@dataclass(frozen=True, slots=True)
class Intervention:
    """A step against a loop.

    Args:
        level: 1 a nudge, 2 a directive, 3 a person is asked, or the turn ends.
        description: shown to people.
        message: goes to the model, with the next user message; None if there is no next one.
        forced_tool: the tool that the next reply must call, if the model can be forced; else `message` asks for it.
        question: at level 3, what the loop asks itself when the model does not.
    """

    level: int
    description: str
    message: str | None
    forced_tool: str | None = None
    question: HumanQuestion | None = None

    @property
    def ends_turn(self) -> bool:
        """Whether there is nothing left to try and no person to ask."""
        return self.level >= ASK and self.question is None


@dataclass(frozen=True, slots=True)
class Escalation:
    """Interventions by level: a nudge, a directive, and a question to a person or the end of the turn.

    Args:
        lookup: the agent's tool for looking things up, if any.
        asks: whether a person decides at the highest level.
        has_ask_human: whether the model can put the question itself.
    """

    lookup: str | None = None
    asks: bool = True
    has_ask_human: bool = False

    def intervention(self, level: int, detected: LoopDetected) -> Intervention:
        """The intervention of a level, 1 to 3, against a loop."""
        fields = {"noticed": detected.description, "tool": detected.tool[:MAX_NAME_CHARS]}
        if level == NUDGE:
            return Intervention(NUDGE, detected.description, notice("nudge", **fields))
        if level == DIRECTIVE:
            return self._directive(detected, fields)
        if not self.asks:
            return Intervention(ASK, detected.description, None)
        message = notice("ask_now" if self.has_ask_human else "being_asked", **fields)
        forced = ask_human.name if self.has_ask_human else None
        return Intervention(ASK, detected.description, message, forced, stuck_question(detected.description))

    def _directive(self, detected: LoopDetected, fields: Mapping[str, str]) -> Intervention:
        if self.lookup is None or self.lookup == detected.tool:  # forcing the repeated tool would prolong the loop
            return Intervention(DIRECTIVE, detected.description, notice("directive", **fields))
        message = notice("directive_lookup", lookup=self.lookup, **fields)
        return Intervention(DIRECTIVE, detected.description, message, self.lookup)


@dataclass(frozen=True, slots=True)
class StallDetector:
    """Detects a run of small iterations that change nothing."""

    policy: LoopPolicy

    def count(self, in_a_row: int, output_tokens: int, effects: int) -> int:
        """Number of iterations in a row, this one included, that were small and without effect.

        Args:
            output_tokens: of this iteration or continuation.
            effects: number of its calls that changed something or had a new result.
        """
        small = output_tokens < self.policy.stalled_tokens and effects == 0
        return in_a_row + 1 if small else 0

    def stalled(self, in_a_row: int) -> bool:
        return in_a_row >= self.policy.stalled_turns

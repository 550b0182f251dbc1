"""Going in circles and getting nowhere: what shows it, and what the loop does about it, step by step."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, Protocol

from sprout.loop.human import HumanQuestion, ask_human, stuck_question
from sprout.loop.notices import notice
from sprout.loop.policy import LoopPolicy

PERIODS = (1, 2, 3)
NUDGE, DIRECTIVE, ASK = 1, 2, 3
SHOWN_NAME = 80


@dataclass(frozen=True, slots=True)
class _Written:
    text: str


def canonical(value: object) -> str:
    """JSON that is the same for inputs that mean the same.

    Keys are sorted, 1.0 is 1, white space within texts is folded to single spaces. It does not recurse, so that an
    input may be nested as deeply as JSON can be read.
    """
    written: list[str] = []
    ahead: list[object] = [value]
    while ahead:
        item = ahead.pop()
        match item:
            case _Written(text):
                written.append(text)
            case Mapping():
                pairs = [[_Written(f"{json.dumps(key)}:"), item[key]] for key in sorted(item)]
                ahead += _backwards("{", pairs, "}")
            case list() | tuple():
                ahead += _backwards("[", [[element] for element in item], "]")
            case _:
                written.append(json.dumps(_plain(item), ensure_ascii=False))
    return "".join(written)


def _backwards(opening: str, groups: Sequence[Sequence[object]], closing: str) -> list[object]:
    parts: list[object] = []
    for group in groups:
        parts += [_Written("," if parts else opening), *group]
    return [_Written(closing), *reversed(parts or [_Written(opening)])]


def _plain(leaf: object) -> object:
    if isinstance(leaf, str):
        return " ".join(leaf.split())
    if isinstance(leaf, float) and leaf.is_integer():
        return int(leaf)
    return leaf


def canonical_hash(*values: object) -> str:
    """A hash that is equal for values whose canonical forms are equal."""
    return sha256(canonical(values).encode(errors="surrogatepass")).hexdigest()


class Called(Protocol):
    """A call that has its result; `result` is what the model was told, as text."""

    @property
    def name(self) -> str: ...
    @property
    def input(self) -> Mapping[str, object]: ...
    @property
    def result(self) -> str: ...
    @property
    def is_error(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Thrash:
    """The loop goes in circles.

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
    def noticed(self) -> str:
        """What is going on, in a sentence."""
        return notice(f"thrash_{self.kind}", tool=self.tool[:SHOWN_NAME], count=self.count)


@dataclass(frozen=True, slots=True)
class _Seen:
    name: str
    asked: str
    told: str


class Detectors:
    """Looks at the last calls of one run (loop.md D1, D3).

    Only calls and results count, no clock and no chance: fed with the batches of a resumed run again, it is where it
    was.

    Args:
        repeatable: tools that are meant to be called many times; the pattern detector leaves them alone.
    """

    def __init__(self, policy: LoopPolicy, repeatable: frozenset[str] = frozenset()) -> None:
        self._policy = policy
        self._repeatable = repeatable | {ask_human.name}
        self._window: deque[_Seen] = deque(maxlen=policy.thrash_window)
        self._known: set[tuple[str, str]] = set()
        self._last_batch: list[_Seen] = []
        self._identical_batches = 0
        self._news = 0

    @property
    def identical_batches(self) -> int:
        """How many batches in a row, the last one included, had the same calls with the same results."""
        return self._identical_batches

    @property
    def batches_exceeded(self) -> bool:
        """Whether so many batches in a row were identical that the run ends (D3)."""
        most = self._policy.max_identical_batches
        return most is not None and self._identical_batches >= most

    @property
    def news(self) -> int:
        """How many calls of the last batch brought what their tool had not said before in this run; errors never do."""
        return self._news

    def after_batch(self, calls: Sequence[Called]) -> Thrash | None:
        """Take in the calls of one batch, in their order; what they show, if anything.

        A circle counts only while calls of this batch belong to it: what was left behind does not fire again.
        """
        batch = [
            _Seen(call.name, canonical_hash(call.input), canonical_hash(call.result, call.is_error)) for call in calls
        ]
        self._count_news(calls, batch)
        if batch:
            same = _as_a_whole(batch) == _as_a_whole(self._last_batch)
            self._identical_batches = self._identical_batches + 1 if same else 1
            self._last_batch = batch
        found: Thrash | None = None
        for seen in batch:
            self._window.append(seen)
            found = found or self._identical() or self._period() or self._pattern()
        return found

    def _count_news(self, calls: Sequence[Called], batch: Sequence[_Seen]) -> None:
        told = {(seen.name, seen.told) for call, seen in zip(calls, batch, strict=True) if not call.is_error}
        self._news = len(told - self._known)
        self._known |= told

    def _identical(self) -> Thrash | None:
        count = self._window.count(self._window[-1])
        return Thrash("identical", self._window[-1].name, count) if count >= self._policy.thrash_identical else None

    def _pattern(self) -> Thrash | None:
        name = self._window[-1].name
        count = len({seen.asked for seen in self._window if seen.name == name})
        if name in self._repeatable or count < self._policy.thrash_pattern:
            return None
        return Thrash("pattern", name, count)

    def _period(self) -> Thrash | None:
        calls = list(self._window)
        for period in PERIODS:
            length = max(2 * period, self._policy.thrash_pattern)
            last = calls[-length:]
            if len(last) == length and last[period:] == last[:-period]:
                return Thrash("period", last[-1].name, length)
        return None


def _as_a_whole(batch: Sequence[_Seen]) -> list[tuple[str, str, str]]:
    return sorted((seen.name, seen.asked, seen.told) for seen in batch)


@dataclass(frozen=True, slots=True)
class Intervention:
    """What the loop does about a circle.

    Args:
        level: 1 a nudge, 2 a directive, 3 a person is asked.
        noticed: what was noticed, for the person who looks on.
        say: goes to the model, with the next user message.
        force: the tool that the next call must be of, where the model can be forced; else `say` has to do.
        question: at level 3, what the loop asks itself when the model does not.
    """

    level: int
    noticed: str
    say: str
    force: str | None = None
    question: HumanQuestion | None = None


class Ladder:
    """Steps in harder each time a detector fires; the level rises up to 3 and never falls within a run (loop.md D2).

    Args:
        lookup: the agent's tool for looking things up, where it has one.
        asks: whether the agent has `ask_human`.
    """

    def __init__(self, *, lookup: str | None = None, asks: bool = False) -> None:
        self._lookup = lookup
        self._asks = asks
        self._level = 0

    @property
    def level(self) -> int:
        """0 before the first intervention, then 1 to 3."""
        return self._level

    def after(self, thrash: Thrash) -> Intervention:
        """The next step, a level higher than the last one."""
        self._level = min(self._level + 1, ASK)
        told = {"noticed": thrash.noticed, "tool": thrash.tool[:SHOWN_NAME]}
        if self._level == NUDGE:
            return Intervention(NUDGE, thrash.noticed, notice("nudge", **told))
        if self._level == DIRECTIVE:
            return self._directive(thrash, told)
        say = notice("ask_now" if self._asks else "being_asked", **told)
        force = ask_human.name if self._asks else None
        return Intervention(ASK, thrash.noticed, say, force, stuck_question(thrash.noticed))

    def _directive(self, thrash: Thrash, told: Mapping[str, str]) -> Intervention:
        if self._lookup is None or self._lookup == thrash.tool:  # forcing the tool of the circle would turn it on
            return Intervention(DIRECTIVE, thrash.noticed, notice("directive", **told))
        say = notice("directive_lookup", lookup=self._lookup, **told)
        return Intervention(DIRECTIVE, thrash.noticed, say, self._lookup)


class StalledProgress:
    """Notices that a run goes on and on in small steps that lead nowhere."""

    def __init__(self, policy: LoopPolicy) -> None:
        self._policy = policy
        self._in_a_row = 0

    def after_turn(self, output_tokens: int, effects: int) -> bool:
        """Whether the last turns, this one included, were all small and without effect, and are too many.

        Args:
            output_tokens: what the model wrote in this turn or continuation.
            effects: how many of its calls changed something or brought something new.
        """
        small = output_tokens < self._policy.stalled_tokens and effects == 0
        self._in_a_row = self._in_a_row + 1 if small else 0
        return self._in_a_row >= self._policy.stalled_turns

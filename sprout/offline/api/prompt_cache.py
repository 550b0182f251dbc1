"""The prompt cache, simulated: which prefix was seen before, and what that does to the usage."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from sprout.offline.api.prompt import Prompt

TTL_S = {"5m": 300.0, "1h": 3600.0}
LOOK_BACK = 20
MAX_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class InputUsage:
    """Input tokens by price; the three add up to the whole prompt."""

    fresh: int
    read: int
    written_5m: int
    written_1h: int

    @property
    def written(self) -> int:
        return self.written_5m + self.written_1h


class PromptCache:
    """Prefixes up to a breakpoint, each kept for its time after it was last used."""

    def __init__(self, *, least_tokens: int = 512, clock: Callable[[], float] = time.monotonic) -> None:
        self._least_tokens = least_tokens
        self._clock = clock
        self._kept_until: OrderedDict[tuple[str, bytes], float] = OrderedDict()

    def charge(self, prompt: Prompt) -> InputUsage:
        """The usage of this prompt; its breakpoints are cached from now on."""
        sums = list(accumulate((piece.tokens for piece in prompt.pieces), initial=0))[1:]
        breakpoints = {at: ttl for at, ttl in _breakpoints(prompt).items() if sums[at] >= self._least_tokens}
        if not breakpoints:
            return InputUsage(sums[-1] if sums else 0, 0, 0, 0)
        read_to = self._longest_cached(prompt, list(breakpoints))
        read = sums[read_to] if read_to is not None else 0
        written = {"5m": 0, "1h": 0}
        done = read
        for at, ttl in sorted(breakpoints.items()):
            written[ttl] += max(0, sums[at] - done)
            done = max(done, sums[at])
            self._store(prompt.model, prompt.pieces[at].digest, ttl)
        return InputUsage(sums[-1] - done, read, written["5m"], written["1h"])

    def _longest_cached(self, prompt: Prompt, breakpoints: list[int]) -> int | None:
        now = self._clock()
        for breakpoint_at in sorted(breakpoints, reverse=True):
            for at in range(breakpoint_at, max(-1, breakpoint_at - LOOK_BACK), -1):
                if self._kept_until.get((prompt.model, prompt.pieces[at].digest), 0.0) > now:
                    self._store(prompt.model, prompt.pieces[at].digest, "5m")
                    return at
        return None

    def _store(self, model: str, digest: bytes, ttl: str) -> None:
        key = (model, digest)
        until = self._clock() + TTL_S[ttl]
        self._kept_until[key] = max(until, self._kept_until.get(key, 0.0))
        self._kept_until.move_to_end(key)
        if len(self._kept_until) > MAX_ENTRIES:
            self._kept_until.popitem(last=False)


def _breakpoints(prompt: Prompt) -> dict[int, str]:
    """Index of a piece → how long the prefix that ends there is kept."""
    found = {at: ttl for at, piece in enumerate(prompt.pieces) if (ttl := piece.cache_ttl)}
    if prompt.cache_ttl and prompt.pieces:
        found.setdefault(len(prompt.pieces) - 1, prompt.cache_ttl)
    return found

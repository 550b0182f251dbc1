"""The view that is sent: the whole transcript while it fits, and a smaller excerpt of it when it does not (C1–C9)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sprout.errors import SproutError
from sprout.events import ContextCompacted, Usage
from sprout.loop.descent import Descent, Draft
from sprout.loop.estimate import Estimator, Size
from sprout.loop.excerpt import Excerpt, bare_of_thinking, begun, extended, without_thinking
from sprout.loop.kept_view import KeptView, view_as_json, view_from_json
from sprout.loop.model import Message, ToolResult
from sprout.loop.policy import LoopPolicy
from sprout.loop.strategy import (
    AFTER_TOO_LONG,
    DEEP,
    TO_THE_CEILING,
    Auto,
    Ladder,
    Rung,
    SlidingWindow,
    Strategy,
    Summarize,
    Unlimited,
    rungs_of,
)
from sprout.loop.summary import Summarise, in_groups

log = logging.getLogger(__name__)

SHRUNK = 0.8  # C6: a compaction that leaves more than this of a view has failed
REACTIVE_SHARE = 0.5  # of a view that was too long, when nothing is known but that
TURNS_PER_OVERFLOW = 2
COUNTED_AT_ONCE = 200  # messages; more are counted in a thread

Flush = Callable[[Sequence[Message]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class View:
    """What to send now.

    Args:
        compactions: what was done to get here, in order; tokens are estimates.
        ask_human: the context was lost again and again: a person must say how to go on (R3).
        usage: of the calls that summaries took.
        state: where anything was done, the keeper as JSON, for `take_up`.
    """

    messages: tuple[Message, ...]
    compactions: tuple[ContextCompacted, ...] = ()
    ask_human: bool = False
    usage: Usage = Usage()
    state: str | None = None


class ContextKeeper:
    """Makes the view that is sent from the transcript of one run, which itself is never touched.

    Between two compactions a view begins with the view before it, message for message. The view changes only once all
    that a compaction waits for is done, so that a call may be cancelled.

    Args:
        window: the model's, in tokens; `policy.context_window` overrides it.
        fixed_tokens: of system prompt and tools, as `estimate.fixed_tokens` counts them.
        summarise: None: older messages are left out without a summary.
        flush: is given calls and results that leave the view, before they do (C8).
    """

    def __init__(
        self,
        policy: LoopPolicy,
        *,
        window: int,
        strategy: Strategy = Auto(),
        fixed_tokens: int,
        summarise: Summarise | None,
        flush: Flush | None = None,
    ) -> None:
        self._policy = policy
        self._window = policy.context_window or window
        self._strategy = strategy
        self._flush = flush
        self._flushed: dict[int, ToolResult] = {}
        self._estimator = Estimator(fixed_tokens)
        self._ladder = Ladder(policy)
        recursive = isinstance(strategy, (Summarize, Auto)) and strategy.recursive
        summarise = in_groups(summarise) if recursive and summarise is not None else summarise
        self._descent = Descent(policy, self._estimator, summarise)
        self._excerpt = Excerpt()
        self._size = Size()
        self._taken = 0
        self._sent = 0
        self._sent_size = Size()
        self._reply_tokens = 0
        self._surplus = 0
        self._settled: tuple[int, int] | None = None
        self._overflow: tuple[int, list[Rung]] | None = None

    @property
    def tokens(self) -> int:
        """The estimate of the present view, in the provider's tokens."""
        return self._estimator.tokens(self._size) + self._surplus

    @property
    def begins_with_record(self) -> bool:
        """Whether the first message of the view stands for messages that are gone."""
        return bool(self._excerpt.gone)

    @property
    def ceiling(self) -> int:
        """The most a view may take: the window less reserve and buffer, which never take more than half of it."""
        return max(self._window - self._policy.reserve_tokens - self._policy.buffer_tokens, self._window // 2, 1)

    @property
    def threshold(self) -> int:
        """Above how many tokens the strategy steps in."""
        match self._strategy:
            case Unlimited():
                return self.ceiling
            case SlidingWindow(max_tokens) | Summarize(max_tokens):
                return min(max_tokens, self.ceiling)
            case Auto():
                return min(int(self._policy.compaction_threshold * self._window), self.ceiling)

    def reported(self, usage: Usage) -> None:
        """Take in what the API counted for the last view that was sent, and for the reply to it."""
        self._estimator.corrected_by(usage, self._sent_size)
        self._reply_tokens = usage.output_tokens
        self._surplus = 0

    def forget_thinking(self) -> None:
        """Take all thinking so far out of the view: another model cannot read it (H2)."""
        self._rewrite(without_thinking(self._excerpt))

    def take_up(self, transcript: Sequence[Message], *, begun_with: int, state: str | None) -> None:
        """Go on where another keeper stood: the same view, but for thinking, which holds in no view made anew (H2).

        Args:
            begun_with: how many messages were there before the first reply of the run.
            state: of that keeper's last compaction; None: there was none.

        Raises KeptUnreadable where the state is not one of this transcript.
        """
        if state is None:
            self._taken = begun_with
            self._rewrite(begun(transcript[:begun_with]))
        else:
            self._recall(view_from_json(state, transcript))
        more = [bare_of_thinking(message) for message in transcript[self._taken :]]
        if more:
            self._grow(extended(self._excerpt, more) if self._taken else begun(more))
            self._taken = len(transcript)

    def _recall(self, kept: KeptView) -> None:
        self._taken, self._window, self._settled = kept.taken, kept.window, kept.settled
        self._overflow = None if kept.overflow is None else (kept.overflow[0], list(kept.overflow[1]))
        self._flushed = {id(result): result for result in kept.flushed}
        self._ladder = Ladder(self._policy, kept.stood)
        if kept.learned is not None:
            self._estimator.recall(kept.learned)
        self._rewrite(without_thinking(kept.excerpt))

    def _state(self, transcript: Sequence[Message]) -> str:
        overflow = None if self._overflow is None else (self._overflow[0], tuple(self._overflow[1]))
        kept = KeptView(
            self._taken,
            self._excerpt,
            self._window,
            self._ladder.stands,
            self._estimator.learned,
            self._settled,
            overflow,
            tuple(self._flushed.values()),
        )
        return view_as_json(kept, transcript)

    async def view(self, transcript: Sequence[Message], *, iteration: int) -> View:
        """The view to send for a transcript that has only grown since the last call.

        Raises ValueError where it has become shorter.
        """
        await self._take(transcript)
        if self._settled == (self._taken, iteration) or self.tokens <= self.threshold:
            return self._view()
        before = self.tokens
        step = self._step(iteration)
        draft = self._draft()
        if step in ("compact", "deep_prune"):
            goal = min(self.threshold, int(SHRUNK * before))
            await self._descent.go(draft, DEEP if step == "deep_prune" else rungs_of(self._strategy), goal)
            if draft.tokens > SHRUNK * before:
                draft = replace(self._draft(), usage=draft.usage)
        if draft.tokens > self.ceiling:
            await self._descent.go(draft, TO_THE_CEILING, min(self.ceiling, int(SHRUNK * before)))
        await self._commit(draft)
        self._settled = (self._taken, iteration)
        return replace(
            self._view(),
            compactions=tuple(draft.compactions),
            ask_human=step == "ask_human",
            usage=draft.usage,
            state=self._state(transcript),
        )

    async def after_too_long(self, transcript: Sequence[Message], *, iteration: int) -> View | None:
        """A smaller view after the API has refused the last one as too long; None: give up.

        Clearing, summary and collapse are tried once each, and a rung that does not shrink the view by a fifth is
        passed over. An overflow in the turn after one that was recovered is not recovered.
        """
        await self._take(transcript)
        if self._overflow is None or iteration >= self._overflow[0] + TURNS_PER_OVERFLOW:
            self._overflow = (iteration, list(AFTER_TOO_LONG))
        elif iteration != self._overflow[0]:
            return None
        before, left = self.tokens, self._overflow[1]
        # What was refused is more than the window holds, whatever was believed of it.
        self._window = min(self._window, before)
        draft = self._draft()
        while left and draft.tokens > SHRUNK * before:
            rung = left.pop(0)
            last: tuple[Rung, ...] = ("collapse", "truncate") if rung == "collapse" else (rung,)
            await self._descent.go(draft, last, int((REACTIVE_SHARE if rung == "collapse" else SHRUNK) * before))
        if not draft.compactions:
            return None
        await self._commit(draft)
        self._settled = (self._taken, iteration)
        compactions, state = tuple(draft.compactions), self._state(transcript)
        return replace(self._view(), compactions=compactions, usage=draft.usage, state=state)

    async def _take(self, transcript: Sequence[Message]) -> None:
        if len(transcript) < self._taken:
            raise ValueError(f"the transcript has {len(transcript)} messages, and had {self._taken}")
        more = tuple(transcript[self._taken :])
        if len(more) > COUNTED_AT_ONCE:
            await asyncio.to_thread(self._estimator.size, more)
        if more:
            self._grow(extended(self._excerpt, more) if self._taken else begun(more))
            self._taken = len(transcript)

    def _grow(self, excerpt: Excerpt) -> None:
        """Take in an excerpt that has more at its end; only what may have changed is counted."""
        start = max(0, len(self._excerpt.kept) - 2)
        old, new = ([item.sent for item in one.kept[start:]] for one in (self._excerpt, excerpt))
        self._size = self._size.minus(self._estimator.size(old)).plus(self._estimator.size(new))
        self._excerpt = excerpt
        reply = [item.sent for item in excerpt.kept[self._sent : self._sent + 1]]
        if self._reply_tokens and reply and reply[0].role == "assistant":
            self._surplus = self._estimator.surplus(self._estimator.size(reply), self._reply_tokens)
            self._reply_tokens = 0

    def _rewrite(self, excerpt: Excerpt) -> None:
        self._excerpt = excerpt
        self._size = self._estimator.size(excerpt.messages)
        self._sent, self._sent_size = len(excerpt.kept), self._size
        self._surplus = self._reply_tokens = 0
        self._estimator.forget_all_but(excerpt.messages)

    def _view(self) -> View:
        self._sent, self._sent_size = len(self._excerpt.kept), self._size
        return View(self._excerpt.messages)

    def _draft(self) -> Draft:
        return Draft(without_thinking(self._excerpt), self.tokens)

    def _step(self, iteration: int) -> str:
        return "compact" if isinstance(self._strategy, SlidingWindow) else self._ladder.step(iteration)

    async def _commit(self, draft: Draft) -> None:
        if not draft.compactions:
            return
        await self._flush_results_of(draft.excerpt)
        self._rewrite(draft.excerpt)

    async def _flush_results_of(self, excerpt: Excerpt) -> None:
        """C8: what leaves the view, each result once and before it goes; a memory that fails stops no run."""
        if self._flush is None:
            return
        leaving = [
            exchange
            for exchange in excerpt.exchanges()
            if not exchange.intact and id(exchange.result) not in self._flushed
        ]
        if not leaving:
            return
        pairs = [(Message("assistant", (one.call,)), Message("user", (one.result,))) for one in leaving]
        try:
            await self._flush(tuple(message for pair in pairs for message in pair))
        except SproutError:
            log.exception("agent.compaction.flush_failed")
        else:
            self._flushed.update((id(one.result), one.result) for one in leaving)

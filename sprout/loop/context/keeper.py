"""Context keeper: the view that is sent, which is the whole transcript until it must be compacted."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sprout.errors import SproutError
from sprout.events import ContextCompacted, Usage
from sprout.loop.context.compacted import (
    CompactedTranscript,
    extended,
    message_without_thinking,
    uncompacted,
    without_thinking,
)
from sprout.loop.context.compactor import CompactionDraft, Compactor
from sprout.loop.context.estimate import Estimator, Size
from sprout.loop.context.strategy import (
    CEILING_STEPS,
    DEEP_PRUNE_STEPS,
    OVERFLOW_STEPS,
    Auto,
    CompactionStep,
    RecoveryLadder,
    SlidingWindow,
    Strategy,
    Summarize,
    Unlimited,
    steps_of,
)
from sprout.loop.context.summary import SummaryFunction, recursive_summariser
from sprout.loop.context.view_codec import ViewState, view_as_json, view_from_json
from sprout.loop.model import Message, ToolResult
from sprout.loop.policy import LoopPolicy

log = logging.getLogger(__name__)

MAX_REMAINING_SHARE = 0.8  # a compaction that leaves more than this of a view has failed
REACTIVE_SHARE = 0.5  # of a view that was too long, when nothing is known but that
TURNS_PER_OVERFLOW = 2
MIN_ROOM = 1_000  # tokens
COUNTED_INLINE = 200  # messages; more are counted in a thread

Flush = Callable[[Sequence[Message]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class View:
    """View of the transcript to send with the next call.

    Args:
        compactions: the steps that led to this view, in order; tokens are estimates.
        ask_human: whether a person must decide how to go on, as the context was lost repeatedly.
        usage: of the model calls for summaries.
        state: the keeper's state as JSON, for `ContextKeeper.restore`; None if nothing was done.
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
        flush: receives calls and results before they leave the view.
    """

    def __init__(
        self,
        policy: LoopPolicy,
        *,
        window: int,
        strategy: Strategy = Auto(),
        fixed_tokens: int,
        summarise: SummaryFunction | None,
        flush: Flush | None = None,
    ) -> None:
        self._policy = policy
        self._window = policy.context_window or window
        self._strategy = strategy
        self._flush = flush
        self._flushed: dict[int, ToolResult] = {}
        self._estimator = Estimator(fixed_tokens)
        self._recovery = RecoveryLadder(policy)
        recursive = isinstance(strategy, (Summarize, Auto)) and strategy.recursive
        summarise = recursive_summariser(summarise) if recursive and summarise is not None else summarise
        self._compactor = Compactor(policy, self._estimator, summarise)
        self._compacted = CompactedTranscript()
        self._size = Size()
        self._included = 0
        self._sent_count = 0
        self._sent_size = Size()
        self._reply_tokens = 0
        self._surplus = 0
        self._settled_at: tuple[int, int] | None = None
        self._overflow: tuple[int, list[CompactionStep]] | None = None

    @property
    def tokens(self) -> int:
        """The estimate of the present view, in the provider's tokens."""
        return self._estimator.tokens(self._size) + self._surplus

    @property
    def room(self) -> int:
        """The tokens that the window leaves for a reply to the present view; some, as the estimate may be too high."""
        return max(self._window - self.tokens, MIN_ROOM)

    @property
    def begins_with_record(self) -> bool:
        """Whether the first message of the view stands for messages that are gone."""
        return bool(self._compacted.removed)

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

    def record_usage(self, usage: Usage) -> None:
        """Take in what the API counted for the last view that was sent, and for the reply to it."""
        self._estimator.calibrate(usage, self._sent_size)
        self._reply_tokens = usage.output_tokens
        self._surplus = 0

    def drop_thinking(self) -> None:
        """Take all thinking so far out of the view: another model cannot read it."""
        self._rewrite(without_thinking(self._compacted))

    def restore(self, transcript: Sequence[Message], *, input_count: int, state: str | None) -> None:
        """Go on where another keeper stood: the same view without thinking, which is invalid in a rebuilt view.

        Args:
            input_count: how many messages there were before the first reply of the run.
            state: of that keeper's last compaction, if any.

        Raises DecodingError where the state is not one of this transcript.
        """
        if state is None:
            self._included = input_count
            self._rewrite(uncompacted(transcript[:input_count]))
        else:
            self._restore_state(view_from_json(state, transcript))
        more = [message_without_thinking(message) for message in transcript[self._included :]]
        if more:
            self._grow(extended(self._compacted, more) if self._included else uncompacted(more))
            self._included = len(transcript)

    def _restore_state(self, kept: ViewState) -> None:
        self._included, self._window, self._settled_at = kept.included, kept.window, kept.settled_at
        self._overflow = None if kept.overflow is None else (kept.overflow[0], list(kept.overflow[1]))
        self._flushed = {id(result): result for result in kept.flushed}
        self._recovery = RecoveryLadder(self._policy, kept.recovery)
        if kept.calibration is not None:
            self._estimator.restore(kept.calibration)
        self._rewrite(without_thinking(kept.compacted))

    def _state(self, transcript: Sequence[Message]) -> str:
        overflow = None if self._overflow is None else (self._overflow[0], tuple(self._overflow[1]))
        kept = ViewState(
            self._included,
            self._compacted,
            self._window,
            self._recovery.state,
            self._estimator.calibration,
            self._settled_at,
            overflow,
            tuple(self._flushed.values()),
        )
        return view_as_json(kept, transcript)

    async def build_view(self, transcript: Sequence[Message], *, iteration: int) -> View:
        """The view to send for a transcript that has only grown since the last call.

        Raises ValueError where it has become shorter.
        """
        await self._append_new(transcript)
        if self._settled_at == (self._included, iteration) or self.tokens <= self.threshold:
            return self._current_view()
        before = self.tokens
        step = self._next_step(iteration)
        draft = self._draft()
        if step in ("compact", "deep_prune"):
            goal = min(self.threshold, int(MAX_REMAINING_SHARE * before))
            await self._compactor.compact(
                draft, DEEP_PRUNE_STEPS if step == "deep_prune" else steps_of(self._strategy), goal
            )
            if draft.tokens > MAX_REMAINING_SHARE * before:
                draft = replace(self._draft(), usage=draft.usage)
        if draft.tokens > self.ceiling:
            await self._compactor.compact(draft, CEILING_STEPS, min(self.ceiling, int(MAX_REMAINING_SHARE * before)))
        await self._commit(draft)
        self._settled_at = (self._included, iteration)
        return replace(
            self._current_view(),
            compactions=tuple(draft.compactions),
            ask_human=step == "ask_human",
            usage=draft.usage,
            state=self._state(transcript),
        )

    async def shrink_after_overflow(
        self, transcript: Sequence[Message], *, iteration: int, window: int | None = None
    ) -> View | None:
        """A smaller view after the API has refused the last one as too long; None: give up.

        Clearing, summary and collapse are tried once each, and a step that does not shrink the view by a fifth is
        passed over. An overflow in the turn after one that was recovered is not recovered.

        Args:
            window: of the model, where its server has said it.
        """
        await self._append_new(transcript)
        if self._overflow is None or iteration >= self._overflow[0] + TURNS_PER_OVERFLOW:
            self._overflow = (iteration, list(OVERFLOW_STEPS))
        elif iteration != self._overflow[0]:
            return None
        before, left = self.tokens, self._overflow[1]
        # What was refused is more than the window holds, whatever was believed of it.
        self._window = min(self._window, window or before)
        draft = self._draft()
        while left and draft.tokens > MAX_REMAINING_SHARE * before:
            step = left.pop(0)
            last: tuple[CompactionStep, ...] = ("collapse", "truncate") if step == "collapse" else (step,)
            await self._compactor.compact(
                draft, last, int((REACTIVE_SHARE if step == "collapse" else MAX_REMAINING_SHARE) * before)
            )
        if not draft.compactions:
            return None
        await self._commit(draft)
        self._settled_at = (self._included, iteration)
        compactions, state = tuple(draft.compactions), self._state(transcript)
        return replace(self._current_view(), compactions=compactions, usage=draft.usage, state=state)

    async def _append_new(self, transcript: Sequence[Message]) -> None:
        if len(transcript) < self._included:
            raise ValueError(f"the transcript has {len(transcript)} messages, and had {self._included}")
        more = tuple(transcript[self._included :])
        if len(more) > COUNTED_INLINE:
            await asyncio.to_thread(self._estimator.size, more)
        if more:
            self._grow(extended(self._compacted, more) if self._included else uncompacted(more))
            self._included = len(transcript)

    def _grow(self, compacted: CompactedTranscript) -> None:
        """Take in a compacted transcript that has more at its end; only what may have changed is counted."""
        start = max(0, len(self._compacted.items) - 2)
        old, new = ([item.sent for item in one.items[start:]] for one in (self._compacted, compacted))
        self._size = self._size.minus(self._estimator.size(old)).plus(self._estimator.size(new))
        self._compacted = compacted
        reply = [item.sent for item in compacted.items[self._sent_count : self._sent_count + 1]]
        if self._reply_tokens and reply and reply[0].role == "assistant":
            self._surplus = self._estimator.surplus(self._estimator.size(reply), self._reply_tokens)
            self._reply_tokens = 0

    def _rewrite(self, compacted: CompactedTranscript) -> None:
        self._compacted = compacted
        self._size = self._estimator.size(compacted.messages)
        self._sent_count, self._sent_size = len(compacted.items), self._size
        self._surplus = self._reply_tokens = 0
        self._estimator.forget_except(compacted.messages)

    def _current_view(self) -> View:
        self._sent_count, self._sent_size = len(self._compacted.items), self._size
        return View(self._compacted.messages)

    def _draft(self) -> CompactionDraft:
        return CompactionDraft(without_thinking(self._compacted), self.tokens)

    def _next_step(self, iteration: int) -> str:
        return "compact" if isinstance(self._strategy, SlidingWindow) else self._recovery.next_step(iteration)

    async def _commit(self, draft: CompactionDraft) -> None:
        if not draft.compactions:
            return
        await self._flush_results_of(draft.compacted)
        self._rewrite(draft.compacted)

    async def _flush_results_of(self, compacted: CompactedTranscript) -> None:
        """Pass on what leaves the view, each result once; a memory that fails stops no run."""
        if self._flush is None:
            return
        leaving = [
            exchange
            for exchange in compacted.exchanges()
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

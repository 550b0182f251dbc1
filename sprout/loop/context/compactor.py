"""Compactor: applies one compaction step after another until a view is small enough."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sprout.events import ContextCompacted, Usage
from sprout.loop.context.compacted import CompactedTranscript
from sprout.loop.context.compaction_steps import cleared, collapsed, pruned, summarised, truncated_to_fit
from sprout.loop.context.estimate import Estimator
from sprout.loop.context.strategy import CompactionStep
from sprout.loop.context.summary import SummaryFunction, SummaryResult
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy

MIN_BYTES = 40  # to which texts are cut where the window holds no more


@dataclass(slots=True)
class CompactionDraft:
    """A compacted transcript on its way down.

    Args:
        tokens: an estimate, as those of the compactions are.
        usage: of the calls that summaries took.
    """

    compacted: CompactedTranscript
    tokens: int
    compactions: list[ContextCompacted] = field(default_factory=list)
    usage: Usage = Usage()

    def accept(self, step: str, compacted: CompactedTranscript, tokens: int) -> None:
        """Go on with this transcript, if it is smaller."""
        if tokens < self.tokens:
            self.compactions.append(ContextCompacted(rung=step, tokens_before=self.tokens, tokens_after=tokens))
            self.compacted, self.tokens = compacted, tokens


class Compactor:
    """Compacts drafts, one step after the other.

    Args:
        summarise: None: older messages are left out without a summary.
    """

    def __init__(self, policy: LoopPolicy, estimator: Estimator, summarise: SummaryFunction | None) -> None:
        self._policy = policy
        self._estimator = estimator
        self._summarise = summarise

    async def compact(self, draft: CompactionDraft, steps: Sequence[CompactionStep], goal: int) -> None:
        """Take step after step until the draft is within `goal` tokens."""
        for step in steps:
            if draft.tokens <= goal:
                return
            match step:
                case "summary":
                    await self._summarise_before(draft, keep=self._policy.keep_compact, deep=False)
                case "deep_prune":
                    await self._summarise_before(draft, keep=self._policy.keep_prune, deep=True)
                case _:
                    compacted = self._compacted(draft.compacted, step, lambda one: self._tokens_of(one) <= goal)
                    draft.accept(step, compacted, self._tokens_of(compacted))

    def _compacted(
        self, compacted: CompactedTranscript, step: CompactionStep, fits: Callable[[CompactedTranscript], bool]
    ) -> CompactedTranscript:
        policy = self._policy
        match step:
            case "clear":
                return cleared(compacted, keep=policy.keep_compact)
            case "collapse":
                return collapsed(compacted, fits)
            case "truncate":
                least, keep_task = policy.prune_max_bytes, policy.prune_keep_task
                shorter = truncated_to_fit(compacted, fits, least_bytes=least, keep_task=keep_task)
                if fits(shorter):
                    return shorter
                return truncated_to_fit(compacted, fits, least_bytes=min(least, MIN_BYTES), keep_task=keep_task)
            case _:
                return pruned(
                    compacted,
                    keep_pairs=policy.prune_keep_recent,
                    max_bytes=policy.prune_max_bytes,
                    keep_task=policy.prune_keep_task,
                )

    async def _summarise_before(self, draft: CompactionDraft, *, keep: int, deep: bool) -> None:
        """A summary in place of all but the last messages; without one, the same cut without it."""
        compacted = draft.compacted
        at = compacted.cut_index(keep)
        if at is None:
            return
        summary = await self._summary(compacted, at)
        draft.usage = draft.usage.plus(summary.usage)
        if summary.text is not None:
            whole = summarised(compacted, at, summary.text, deep=deep)
            if self._tokens_of(whole) < draft.tokens:
                draft.accept("deep_prune" if deep else "summary", whole, self._tokens_of(whole))
                return
        bare = summarised(compacted, at, None, deep=deep)
        draft.accept("deep_prune" if deep else "truncate", bare, self._tokens_of(bare))

    async def _summary(self, compacted: CompactedTranscript, at: int) -> SummaryResult:
        if self._summarise is None:
            return SummaryResult(None)
        earlier = () if compacted.summary is None else (Text(compacted.summary),)
        opening = Message("user", (*compacted.task, *earlier, *compacted.opening_remainder))
        going = (item.original for item in compacted.items[compacted.first_removable : at])
        return await self._summarise((opening, *compacted.removed[compacted.summarised_count :], *going))

    def _tokens_of(self, compacted: CompactedTranscript) -> int:
        return self._estimator.tokens(self._estimator.size(compacted.messages))

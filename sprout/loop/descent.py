"""The way down: one rung of compaction after another, until a view is small enough (C3, C4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sprout.events import ContextCompacted, Usage
from sprout.loop.compaction import cleared, collapsed, cut_to_fit, pruned, told
from sprout.loop.estimate import Estimator
from sprout.loop.excerpt import Excerpt
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.strategy import Rung
from sprout.loop.summary import Summarise, SummaryResult

LEAST_BYTES = 40  # to which texts are cut where the window holds no more


@dataclass(slots=True)
class Draft:
    """An excerpt on its way down.

    Args:
        tokens: an estimate, as those of the compactions are.
        usage: of the calls that summaries took.
    """

    excerpt: Excerpt
    tokens: int
    compactions: list[ContextCompacted] = field(default_factory=list)
    usage: Usage = Usage()

    def take(self, rung: str, excerpt: Excerpt, tokens: int) -> None:
        """Go on with this excerpt, if it is smaller."""
        if tokens < self.tokens:
            self.compactions.append(ContextCompacted(rung=rung, tokens_before=self.tokens, tokens_after=tokens))
            self.excerpt, self.tokens = excerpt, tokens


class Descent:
    """Takes drafts down the rungs.

    Args:
        summarise: None: older messages are left out without a summary.
    """

    def __init__(self, policy: LoopPolicy, estimator: Estimator, summarise: Summarise | None) -> None:
        self._policy = policy
        self._estimator = estimator
        self._summarise = summarise

    async def go(self, draft: Draft, rungs: Sequence[Rung], goal: int) -> None:
        """Take rung after rung until the draft is within `goal` tokens."""
        for rung in rungs:
            if draft.tokens <= goal:
                return
            match rung:
                case "summary":
                    await self._tell(draft, keep=self._policy.keep_compact, deep=False)
                case "deep_prune":
                    await self._tell(draft, keep=self._policy.keep_prune, deep=True)
                case _:
                    excerpt = self._made_smaller(draft.excerpt, rung, lambda one: self._measured(one) <= goal)
                    draft.take(rung, excerpt, self._measured(excerpt))

    def _made_smaller(self, excerpt: Excerpt, rung: Rung, fits: Callable[[Excerpt], bool]) -> Excerpt:
        policy = self._policy
        match rung:
            case "clear":
                return cleared(excerpt, keep=policy.keep_compact)
            case "collapse":
                return collapsed(excerpt, fits)
            case "truncate":
                least, keep_task = policy.prune_max_bytes, policy.prune_keep_task
                shorter = cut_to_fit(excerpt, fits, least_bytes=least, keep_task=keep_task)
                if fits(shorter):
                    return shorter
                return cut_to_fit(excerpt, fits, least_bytes=min(least, LEAST_BYTES), keep_task=keep_task)
            case _:
                return pruned(
                    excerpt,
                    keep_pairs=policy.prune_keep_recent,
                    max_bytes=policy.prune_max_bytes,
                    keep_task=policy.prune_keep_task,
                )

    async def _tell(self, draft: Draft, *, keep: int, deep: bool) -> None:
        """A summary in place of all but the last messages; where there is none, the same cut without it (C4)."""
        excerpt = draft.excerpt
        at = excerpt.cut_keeping(keep)
        if at is None:
            return
        summary = await self._summary(excerpt, at)
        draft.usage = draft.usage.plus(summary.usage)
        if summary.text is not None:
            whole = told(excerpt, at, summary.text, deep=deep)
            if self._measured(whole) < draft.tokens:
                draft.take("deep_prune" if deep else "summary", whole, self._measured(whole))
                return
        bare = told(excerpt, at, None, deep=deep)
        draft.take("deep_prune" if deep else "truncate", bare, self._measured(bare))

    async def _summary(self, excerpt: Excerpt, at: int) -> SummaryResult:
        if self._summarise is None:
            return SummaryResult(None)
        earlier = () if excerpt.summary is None else (Text(excerpt.summary),)
        opening = Message("user", (*excerpt.task, *earlier, *excerpt.beside_the_task))
        going = (item.was for item in excerpt.kept[excerpt.first : at])
        return await self._summarise((opening, *excerpt.gone[excerpt.told :], *going))

    def _measured(self, excerpt: Excerpt) -> int:
        return self._estimator.tokens(self._estimator.size(excerpt.messages))

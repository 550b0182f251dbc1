"""A model whose calls are paid from the day's purse."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from sprout.errors import ModelFailure
from sprout.events import Usage
from sprout.ids import new_id
from sprout.loop.estimate import Estimator, Size, fixed_tokens
from sprout.loop.limits import Clock, total_tokens
from sprout.loop.model import ChatModel, ModelRequest, ReplyEnded, ReplyPart, UsagePart
from sprout.runs.budget import Payer
from sprout.runs.purse import Purse

MOST_TOKENS_PER_S = 400  # faster than any model writes: bounds what a reply cost that ended before its usage was told


class PursedModel:
    """A ChatModel that holds the worst of each call before it and settles it after, for one run of one learner.

    Its place is around a GatedModel: a call that waits for money keeps no other from the provider. One of these is
    made each time that a run is taken up, so that what an earlier one left behind is known for that.

    Args:
        clock: seconds that only grow.

    Raises ModelFailure of kind `budget_spent` in the place of a reply that is not covered.
    """

    def __init__(
        self, model: ChatModel, purse: Purse, *, learner: str, run_id: str, clock: Clock = time.monotonic
    ) -> None:
        self._model = model
        self._purse = purse
        self._payer = Payer(learner, run_id, taker=new_id())
        self._clock = clock
        self._prompts = _Prompts()

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        if not self._purse.limited or self._purse.is_free(request.model):
            async with aclosing(self._model.reply(request)) as parts:
                async for part in parts:
                    yield part
            return
        size, tokens = await asyncio.to_thread(self._prompts.measured, request)
        ticket, fits = await self._purse.hold(
            self._payer, request.model, prompt_tokens=tokens, max_tokens=request.max_tokens
        )
        call = _Call(tokens, fits.output_tokens, self._clock)
        try:
            async with aclosing(self._model.reply(replace(request, max_tokens=fits.output_tokens))) as parts:
                async for part in parts:
                    call.take(part)
                    yield part
        except ModelFailure:
            call.failed = True
            raise
        finally:
            self._prompts.told(request, size, call.reported)
            await self._purse.settle(ticket, self._purse.cost(request.model, call.used()))


@dataclass(slots=True)
class _Call:
    """What is known of a call: what it could cost, what its provider has told, when it began to."""

    prompt_tokens: int
    max_tokens: int
    clock: Clock
    reported: Usage = Usage()
    ended: bool = False
    failed: bool = False
    began_s: float | None = None

    def take(self, part: ReplyPart) -> None:
        match part:
            case UsagePart(usage):
                self.reported = usage
                if self.began_s is None:
                    self.began_s = self.clock()
            case ReplyEnded():
                self.ended = True

    def used(self) -> Usage:
        """What counts as used: what was reported; where the end is missing, no less than what can have been (trap 64).

        A call that failed before its reply began was refused and costs nothing; one that was left before costs its
        prompt. A reply that is cut or left is taken to have been written as fast as can be. A server that reports
        nothing at all is taken at its worst.
        """
        if self.began_s is None and not self.ended:
            return Usage() if self.failed else Usage(cache_write_tokens=self.prompt_tokens)
        silent = total_tokens(self.reported) == 0
        prompt = Usage(cache_write_tokens=self.prompt_tokens) if silent else self.reported
        if self.ended:
            return prompt.model_copy(update={"output_tokens": self.max_tokens}) if silent else prompt
        written = math.ceil((self.clock() - (self.began_s or 0.0)) * MOST_TOKENS_PER_S)
        output = max(self.reported.output_tokens, min(self.max_tokens, written))
        return prompt.model_copy(update={"output_tokens": output})


class _Prompts:
    """How many tokens the prompts of a run have: each block is counted once, and corrected by what replies report."""

    def __init__(self) -> None:
        self._estimators: dict[tuple[str, str], Estimator] = {}

    def measured(self, request: ModelRequest) -> tuple[Size, int]:
        """Its size and its tokens; takes a while for a long one, so it is called in a thread."""
        estimator = self._estimators.get((request.model, request.system))
        if estimator is None:
            estimator = Estimator(fixed_tokens(request.system, request.tools))
            self._estimators[request.model, request.system] = estimator
        size = estimator.size(request.messages)
        estimator.forget_all_but(request.messages)
        return size, estimator.tokens(size)

    def told(self, request: ModelRequest, size: Size, usage: Usage) -> None:
        """Take in what the provider counted."""
        self._estimators[request.model, request.system].corrected_by(usage, size)

"""Timer of a model call: its duration, its outcome and its usage."""

import time

from sprout.errors import ModelFailure
from sprout.events import Usage
from sprout.loop.model import ModelRequest, ReplyEnded, ReplyPart, UsagePart
from sprout.telemetry.observed_run import ANSWERED, CUT, INTERNAL, STOPPED, ModelCall


class CallTimer:
    """Measures one call; its time includes that of the reader of the reply."""

    def __init__(self, request: ModelRequest) -> None:
        self.request = request
        self._outcome = STOPPED
        self._stop_reason: str | None = None
        self._usage = Usage()
        self._first_part_s: float | None = None
        self._began_ns = time.time_ns()
        self._began_s = time.monotonic()

    def observe(self, part: ReplyPart) -> None:
        match part:
            case UsagePart(usage):
                self._usage = usage
            case ReplyEnded(stop_reason):
                self._stop_reason = stop_reason
            case _ if self._first_part_s is None:
                self._first_part_s = time.monotonic() - self._began_s

    def end(self, error: Exception | None = None) -> None:
        """Note how the call has ended; without this it was stopped."""
        if isinstance(error, ModelFailure):
            self._outcome = error.kind.value
        elif error is not None:
            self._outcome = INTERNAL
        else:
            self._outcome = CUT if self._stop_reason is None else ANSWERED

    def finish(self) -> ModelCall:
        return ModelCall(
            model=self.request.model,
            max_tokens=self.request.max_tokens,
            outcome=self._outcome,
            stop_reason=self._stop_reason,
            usage=self._usage,
            began_ns=self._began_ns,
            duration_s=time.monotonic() - self._began_s,
            first_part_s=self._first_part_s,
        )

"""Failpoints: named places at which a test can kill the process, to examine what a crash there leaves."""

import os
import signal

FAILPOINTS = (
    "admitted",
    "run_claimed",
    "input_stored",
    "before_model_call",
    "after_model_call",
    "delta_published",
    "call_begun",
    "effect_uncommitted",
    "effect_committed",
    "call_ended",
    "reply_stored",
    "child_admitted",
    "loop_ended",
    "final_stored",
    "settle_uncommitted",
    "settled",
    "paused",
    "answer_stored",
    "lease_renewed",
    "cancel_stored",
    "lease_released",
    "document_parsed",
    "backup_half_written",
    "migration_step",
    "migration_done",
)


class _Trigger:
    """`SPROUT_CRASH_AT=name:n`: the n-th arrival at that place is the last thing that this process does."""

    def __init__(self, setting: str) -> None:
        name, _, count = setting.partition(":")
        self.name = name
        self.remaining = int(count or 1)


_trigger = _Trigger(os.environ["SPROUT_CRASH_AT"]) if os.environ.get("SPROUT_CRASH_AT") else None


def failpoint(name: str) -> None:
    """Kill the process here, as by kill -9, if the environment says so; otherwise the cost is one comparison."""
    if _trigger is not None and _trigger.name == name:
        _trigger.remaining -= 1
        if _trigger.remaining == 0:
            os.kill(os.getpid(), signal.SIGKILL)

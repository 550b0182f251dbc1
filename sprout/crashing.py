"""Places where the process can be made to die, so that a test can show what a crash there leaves behind."""

import os
import signal

POINTS = (
    "admitted",
    "lease_taken",
    "input_kept",
    "before_model_call",
    "after_model_call",
    "delta_told",
    "call_begun",
    "effect_uncommitted",
    "effect_committed",
    "call_ended",
    "reply_kept",
    "child_admitted",
    "loop_ended",
    "final_kept",
    "settle_uncommitted",
    "settled",
    "paused",
    "answer_kept",
    "lease_renewed",
    "cancel_kept",
    "released",
    "document_parsed",
    "backup_half_written",
    "migration_step",
    "migration_done",
)


class _Fuse:
    """`SPROUT_CRASH_AT=name:n`: the n-th arrival at that place is the last thing that this process does."""

    def __init__(self, setting: str) -> None:
        name, _, count = setting.partition(":")
        self.name = name
        self.left = int(count or 1)


_fuse = _Fuse(os.environ["SPROUT_CRASH_AT"]) if os.environ.get("SPROUT_CRASH_AT") else None


def crash_point(name: str) -> None:
    """Die here, as by kill -9, if the environment says so; costs a comparison where it does not."""
    if _fuse is not None and _fuse.name == name:
        _fuse.left -= 1
        if _fuse.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

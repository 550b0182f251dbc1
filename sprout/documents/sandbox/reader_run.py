"""Run of a reader: a confined child process that is given one file and answers with JSON, or why it failed."""

import logging
import re
import signal
import sys
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.sandbox.child import OutputTooLong, run_child
from sprout.sandbox.confinement import SYSTEM_CALLS

MAX_DETAIL = 60
_NOT_LETTERS = re.compile(r"[^A-Za-z_ ]+")
_NETWORK_STEPS = frozenset({"namespaces", SYSTEM_CALLS})

log = logging.getLogger(__name__)


async def run_reader(module: str, arguments: list[str], content: bytes, wall_s: float, max_bytes: int) -> bytes:
    """The raw output of the child process. Raises UnreadableDocument if it fails."""
    try:
        child = await run_child(module, arguments, content, wall_s=wall_s, max_bytes=max_bytes)
    except TimeoutError:  # an OSError too, but another cause
        raise unreadable(UnreadableReason.TIMEOUT) from None
    except OSError as error:  # no resources for another process
        raise unreadable(UnreadableReason.INTERRUPTED, detail=type(error).__name__) from None
    except OutputTooLong:
        raise unreadable(UnreadableReason.DAMAGED, detail="answer too long") from None
    if child.status != 0:
        raise unreadable(_failure_reason(child.status), detail=f"exit status {child.status}")
    return child.output


def raise_failure(fields: dict[str, Any]) -> None:
    """Raises UnreadableDocument if the child's answer says so, and ValueError if it names no known reason."""
    if "failed" in fields:
        detail = _NOT_LETTERS.sub("", str(fields["detail"]))[:MAX_DETAIL]
        raise unreadable(UnreadableReason(fields["failed"]), detail=detail)
    if set(fields["unconfined"]) >= _NETWORK_STEPS:
        log.warning("document.sandbox_has_network", extra={"cause": "the kernel refused to isolate the process"})


def _failure_reason(status: int) -> UnreadableReason:
    if sys.platform != "win32":
        if status == -signal.SIGXCPU:
            return UnreadableReason.TOO_SLOW
        if status == -signal.SIGKILL:
            return UnreadableReason.INTERRUPTED
        if status == -signal.SIGABRT:  # what libraries in C++ do without memory
            return UnreadableReason.TOO_MUCH_MEMORY
    return UnreadableReason.DAMAGED

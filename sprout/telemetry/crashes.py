"""What nobody caught, told as the log tells everything: its type and where it came from, and none of its words."""

import logging
import sys
import threading
from types import TracebackType

log = logging.getLogger(__name__)


def tell_crashes() -> None:
    """From now on an exception that ends the process, a thread or an object's life is an entry of the log.

    Python would print it with its words, and these may be a learner's.
    """
    sys.excepthook = _ended_the_process
    threading.excepthook = _ended_a_thread
    sys.unraisablehook = _ended_nothing


def _ended_the_process(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log.critical("process.crashed", exc_info=(kind, error, trace))


def _ended_a_thread(told: threading.ExceptHookArgs) -> None:
    error = told.exc_value or told.exc_type()
    log.error("thread.crashed", exc_info=(told.exc_type, error, told.exc_traceback))


def _ended_nothing(told: "sys.UnraisableHookArgs") -> None:
    error = told.exc_value or told.exc_type()
    log.error("object.crashed", exc_info=(told.exc_type, error, told.exc_traceback))

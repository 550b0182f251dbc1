"""Log entries for uncaught exceptions: their type and place, without their messages."""

import logging
import sys
import threading
from types import TracebackType

log = logging.getLogger(__name__)


def log_uncaught_exceptions() -> None:
    """Log exceptions that end the process or a thread, or that a destructor raises.

    Python would print it with its words, and these may be a learner's.
    """
    sys.excepthook = _log_process_crash
    threading.excepthook = _log_thread_crash
    sys.unraisablehook = _log_unraisable


def _log_process_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log.critical("process.crashed", exc_info=(kind, error, trace))


def _log_thread_crash(args: threading.ExceptHookArgs) -> None:
    error = args.exc_value or args.exc_type()
    log.error("thread.crashed", exc_info=(args.exc_type, error, args.exc_traceback))


def _log_unraisable(args: "sys.UnraisableHookArgs") -> None:
    error = args.exc_value or args.exc_type()
    log.error("object.unraisable", exc_info=(args.exc_type, error, args.exc_traceback))

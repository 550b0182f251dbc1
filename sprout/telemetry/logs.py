"""Structured logging: one line for each entry, for people or for programs."""

import logging
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import Any, Literal, TextIO

import structlog
from structlog.types import WrappedLogger

from sprout.errors import SetupError
from sprout.telemetry.redaction import drop_unknown_fields

LogFormat = Literal["console", "json"]
ROOT_LOGGER = "sprout"
FRAMES_MAX = 12


def configure_logging(level: str, form: LogFormat = "console", stream: TextIO | None = None) -> None:
    """Log from `level` on to a stream (standard error); from third-party libraries only warnings."""
    logging.basicConfig(level=level.upper(), handlers=[log_handler(stream or sys.stderr, form)], force=True)


def log_handler(stream: TextIO, form: LogFormat) -> logging.Handler:
    """A handler that writes each entry as one line, with the fields that `redaction.py` allows.

    Messages are taken as they stand in the code, without their arguments, and of an exception only its type and where
    it came from: arguments and an exception's words may hold what a learner or a model wrote.
    """
    handler = logging.StreamHandler(stream)
    handler.addFilter(_own_or_warning)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.stdlib.ExtraAdder(),
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _keep_first_line,
                _summarise_exception,
                drop_unknown_fields,
                _renderer(stream, form),
            ],
            use_get_message=False,
        )
    )
    return handler


def _own_or_warning(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] == ROOT_LOGGER or record.levelno >= logging.WARNING


def _renderer(stream: TextIO, form: LogFormat) -> structlog.types.Processor:
    if form == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(colors=stream.isatty(), sort_keys=False)


def _keep_first_line(_: WrappedLogger, __: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    # asyncio writes what is in its tasks behind the first line.
    entry["event"] = str(entry["event"]).strip().partition("\n")[0]
    return entry


def _summarise_exception(_: WrappedLogger, __: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace an exception's text by its type and place; a SetupError keeps its text, which the operator needs."""
    entry.pop("stack_info", None)
    error = entry.pop("exc_info", None)
    error = error[1] if isinstance(error, tuple) else error
    if isinstance(error, BaseException):
        entry["error"] = " < ".join(_exception_names(error))
        if isinstance(error, SetupError):
            entry["problem"] = str(error)
        entry["frames"] = " > ".join(_frames(error.__traceback__))
    return entry


def _exception_names(error: BaseException | None) -> Iterator[str]:
    """The type names of an exception and its causes; for a group also those of its members."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        held = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        yield type(error).__name__ + (f"({', '.join(type(one).__name__ for one in held)})" if held else "")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _frames(trace: TracebackType | None) -> list[str]:
    """The innermost twelve frames of an exception, outermost first."""
    places = [f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}" for frame, line in walk_tb(trace)]
    return places[-FRAMES_MAX:]

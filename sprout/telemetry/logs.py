"""What Sprout tells its operator while it runs: one line for each entry, for eyes or for programs."""

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
from sprout.telemetry.fields import only_allowed

LogFormat = Literal["console", "json"]
OURS = "sprout"
FRAMES_MAX = 12


def set_up(level: str, form: LogFormat = "console", stream: TextIO | None = None) -> None:
    """Log from `level` on to a stream (standard error), of other people's libraries warnings only."""
    logging.basicConfig(level=level.upper(), handlers=[handler_to(stream or sys.stderr, form)], force=True)


def handler_to(stream: TextIO, form: LogFormat) -> logging.Handler:
    """A handler that writes each entry as one line: what its fields may be, `fields.py` says.

    Messages are taken as they stand in the code, without their arguments, and of an exception only its type and where
    it came from: arguments and an exception's words may hold what a learner or a model wrote.
    """
    handler = logging.StreamHandler(stream)
    handler.addFilter(_ours_or_a_warning)
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
                _first_line_of_event,
                _without_words,
                only_allowed,
                _renderer(stream, form),
            ],
            use_get_message=False,
        )
    )
    return handler


def _ours_or_a_warning(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] == OURS or record.levelno >= logging.WARNING


def _renderer(stream: TextIO, form: LogFormat) -> structlog.types.Processor:
    if form == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(colors=stream.isatty(), sort_keys=False)


def _first_line_of_event(_: WrappedLogger, __: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    # asyncio writes what is in its tasks behind the first line.
    entry["event"] = str(entry["event"]).strip().partition("\n")[0]
    return entry


def _without_words(_: WrappedLogger, __: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Put the type and the place of an exception where its text would be; what the operator has to mend is told."""
    entry.pop("stack_info", None)
    error = entry.pop("exc_info", None)
    error = error[1] if isinstance(error, tuple) else error
    if isinstance(error, BaseException):
        entry["error"] = " < ".join(_names(error))
        if isinstance(error, SetupError):
            entry["problem"] = str(error)
        entry["frames"] = " > ".join(_places(error.__traceback__))
    return entry


def _names(error: BaseException | None) -> Iterator[str]:
    """The names of an exception's type and of those behind it; a group with those that it holds."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        held = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        yield type(error).__name__ + (f"({', '.join(type(one).__name__ for one in held)})" if held else "")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _places(trace: TracebackType | None) -> list[str]:
    """Where an exception came through, outermost first: the innermost twelve."""
    places = [f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}" for frame, line in walk_tb(trace)]
    return places[-FRAMES_MAX:]

"""Lines of the operator's log."""

import asyncio
import io
import logging

import pytest

from sprout.errors import SetupError
from sprout.telemetry.logs import LogFormat, configure_logging
from tests.telemetry.observed_runs import entries, written_log

CANARY = "the mitochondrion told me a secret"
log = logging.getLogger("sprout.tests")


def test_an_entry_is_one_object_with_its_time_level_name_and_fields() -> None:
    with written_log() as stream:
        log.warning("agent_run.failed", extra={"run": "r1", "agent": "topic"})
    (entry,) = entries(stream)
    assert entry.pop("timestamp").endswith("Z")
    assert entry == {
        "event": "agent_run.failed",
        "level": "warning",
        "logger": "sprout.tests",
        "run": "r1",
        "agent": "topic",
    }


def test_for_eyes_an_entry_is_a_line_with_its_fields_behind_it() -> None:
    with written_log("console") as stream:
        log.warning("agent_run.failed", extra={"run": "r1", "agent": "topic"})
    line = stream.getvalue()
    assert line.count("\n") == 1
    assert "warning" in line
    assert line.index("agent_run.failed") < line.index("run=r1") < line.index("agent=topic")


@pytest.mark.parametrize("form", ["console", "json"])
def test_text_from_outside_cannot_forge_a_second_line(form: LogFormat) -> None:
    with written_log(form) as stream:
        log.warning("model.unknown", extra={"model": "x\n2026-01-01 ERROR all is lost\x1b[2J"})
    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize("form", ["console", "json"])
def test_of_an_exception_only_its_types_and_places_are_written(form: LogFormat) -> None:
    def read_answer() -> None:
        raise ValueError(CANARY)

    with written_log(form, "DEBUG") as stream:
        try:
            try:
                read_answer()
            except ValueError as error:
                raise KeyError(CANARY) from error
        except KeyError:
            log.exception("agent_run.failed")
        group = ExceptionGroup(CANARY, [ValueError(CANARY), TypeError(CANARY)])
        log.error("agent_run.failed", exc_info=group)
    written = stream.getvalue()
    assert CANARY not in written
    assert "KeyError < ValueError" in written
    assert "ExceptionGroup(ValueError, TypeError)" in written
    assert "test_logs.py" in written
    assert written.count("\n") == 2


def test_what_the_operator_has_to_mend_is_told_in_words() -> None:
    with written_log() as stream:
        log.error("http.not_configured", exc_info=SetupError("The database at /srv/sprout.sqlite3 cannot be opened."))
    assert entries(stream)[0]["problem"] == "The database at /srv/sprout.sqlite3 cannot be opened."


def test_arguments_of_a_message_are_not_written() -> None:
    with written_log() as stream:
        logging.getLogger("uvicorn.error").warning("Invalid request: %s", CANARY)
    assert entries(stream)[0]["event"] == "Invalid request: %s"


async def test_what_asyncio_knows_of_a_lost_task_stays_out_but_for_its_kind() -> None:
    async def lost() -> None:
        raise ValueError(CANARY)

    with written_log() as stream:
        task = asyncio.ensure_future(lost())
        await asyncio.wait([task])
        context = {"message": f"Task exception was never retrieved\n{CANARY}", "exception": task.exception()}
        asyncio.get_running_loop().default_exception_handler(context)
    assert CANARY not in stream.getvalue()
    (entry,) = entries(stream)
    assert entry["error"] == "ValueError"
    assert entry["event"] == "Task exception was never retrieved"


def test_other_peoples_libraries_are_heard_from_warnings_on_even_when_debugging() -> None:
    with written_log(level="DEBUG") as stream:
        logging.getLogger("anthropic").debug(CANARY)
        logging.getLogger("sprouting").info("not ours")
        logging.getLogger("aiosqlite").warning("slow")
        log.debug("ours")
    assert [entry["event"] for entry in entries(stream)] == ["slow", "ours"]


def test_setting_up_again_replaces_what_was_there() -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    first, second = io.StringIO(), io.StringIO()
    try:
        configure_logging("info", "json", first)
        configure_logging("warning", "json", second)
        log.info("too low")
        log.warning("heard")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    assert first.getvalue() == ""
    assert [entry["event"] for entry in entries(second)] == ["heard"]

"""Lines of the operator's log."""

import logging

from sprout.logs import LineFormatter


def line(message: str, **fields: object) -> str:
    record = logging.getLogger("sprout.runs").makeRecord(
        "sprout.runs", logging.WARNING, __file__, 1, message, (), None, extra=dict(fields)
    )
    return LineFormatter().format(record)


def test_an_entry_is_one_line_with_its_fields() -> None:
    assert line("agent_run.failed", run="r1", agent="topic").endswith(
        " WARNING sprout.runs agent_run.failed run=r1 agent=topic"
    )


def test_an_entry_without_fields_has_nothing_behind_it() -> None:
    assert line("agent_run.started").endswith(" WARNING sprout.runs agent_run.started")


def test_text_from_outside_cannot_forge_a_second_line() -> None:
    forged = line("model.unknown", model="x\n2026-01-01 00:00:00 ERROR sprout all is lost")
    assert "\n" not in forged
    assert "x\\n2026" in forged

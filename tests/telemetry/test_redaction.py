"""Redaction: the allowed content of a log line (faults.md D18)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.telemetry.redaction import REDACTED, VALUE_MAX_CHARS, drop_unknown_fields, redact


def test_a_field_that_nobody_allowed_is_left_out() -> None:
    entry = {"event": "agent_run.started", "run": "r1", "question": "Why is the sky blue?", "title": "Light"}
    assert drop_unknown_fields(None, "info", entry) == {"event": "agent_run.started", "run": "r1"}


def test_an_allowed_field_is_a_figure_or_a_word_and_never_an_object() -> None:
    entry = {"event": "e", "tool": {"answer": 42}, "reason": ["Light"], "count": 3, "ok": False, "kind": None}
    assert drop_unknown_fields(None, "info", entry) == {"event": "e", "count": 3, "ok": False}


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-Zm9vYmFyYmF6",
        "Bearer abc.def-ghi",
        "Basic dXNlcjpwYXNz",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "ada@example.org",
        "api_key=hunter2",
        '"password": "hunter2"',
        "Set-Cookie: session=hunter2",
        "x-api-key: hunter2",
        "refresh_token=hunter2",
        "postgresql://sprout:hunter2@localhost/sprout",
    ],
)
def test_what_looks_like_a_secret_is_taken_out_of_an_allowed_field(secret: str) -> None:
    shown = drop_unknown_fields(None, "info", {"event": "e", "reason": f"before {secret} after"})["reason"]
    assert REDACTED in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    for part in ("hunter2", "Zm9vYmFy", "abc.def", "dXNlcjpwYXNz", "c2lnbmF0dXJl", "ada@"):
        assert part not in shown


@pytest.mark.parametrize(
    "harmless", ["model.unknown", "max_tokens", "topic:0199f0c2-6a1e-7cc0", "claude-opus-5-5", "prompt_too_long"]
)
def test_names_of_our_own_stay_as_they_are(harmless: str) -> None:
    assert redact(harmless) == harmless


@given(st.text(max_size=500))
def test_whatever_a_value_is_it_stays_on_one_short_line_that_can_be_written(text: str) -> None:
    shown = redact(text)
    assert shown.isprintable()
    assert len(shown) <= VALUE_MAX_CHARS * 10
    shown.encode()

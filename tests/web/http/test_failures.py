"""Failures become answers."""

import errno
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.servers.web import Web, a_static_folder, serving_web
from sprout.errors import (
    BadInput,
    Conflict,
    InvalidGraphEdit,
    ModelFailure,
    ModelFailureKind,
    NotFound,
    SetupError,
    SproutError,
    TooLarge,
    UnsupportedType,
)
from sprout.learning.paths.repository import DEFAULT_USER_ID, BranchRow
from sprout.runs.state import RunError
from sprout.store.paths.paths import SqlPaths
from sprout.web.http.failures import STATUS, RunFailed, status_for

ORIGIN = {"Origin": "http://localhost:3000"}


class BrokenPaths(SqlPaths):
    """`SqlPaths` whose `branches` raises what the test chooses."""

    def __init__(self) -> None:
        self.failure: Exception = RuntimeError()

    async def branches(self, user_id: str) -> list[BranchRow]:
        raise self.failure


@dataclass
class Broken:
    paths: BrokenPaths
    web: Web

    async def fail_with(self, failure: Exception) -> tuple[int, str, dict[str, str]]:
        """The status, text and headers of the answer to a failure."""
        self.paths.failure = failure
        answer = await self.web.client.get("/api/branches", params={"userId": DEFAULT_USER_ID}, headers=ORIGIN)
        assert list(answer.json())[:2] == ["error", "code"]
        assert answer.headers["access-control-allow-origin"] == ORIGIN["Origin"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        return answer.status_code, answer.json()["error"], dict(answer.headers)


def led_to(error: Exception, cause: Exception) -> Exception:
    """The error, as it is where it was raised from its cause."""
    error.__cause__ = cause
    return error


@pytest.fixture(scope="module")
async def broken(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Broken]:
    folder, paths = tmp_path_factory.mktemp("broken"), BrokenPaths()
    async with serving_web(folder, a_static_folder(folder), served_paths=paths) as web:
        yield Broken(paths, web)


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (BadInput("say it"), 400),
        (NotFound("branch", "x"), 404),
        (Conflict("say it"), 409),
        (InvalidGraphEdit("say it"), 409),
        (TooLarge("say it"), 413),
        (UnsupportedType("say it"), 415),
        (ModelFailure(ModelFailureKind.OVERLOADED, "say it", detail="raw"), 503),
        (SproutError("say it"), 500),
    ],
)
async def test_an_expected_failure_says_its_text_with_its_status(
    broken: Broken, failure: SproutError, status: int
) -> None:
    assert (await broken.fail_with(failure))[:2] == (status, str(failure))


async def test_a_bug_is_a_500_that_says_nothing_from_inside_and_is_logged_with_its_traceback(
    broken: Broken, caplog: pytest.LogCaptureFixture
) -> None:
    status, text, _ = await broken.fail_with(RuntimeError("/srv/secret.py: SELECT * FROM secrets"))
    assert (status, text.startswith("Something went wrong in Sprout.")) == (500, True)
    assert "secret" not in text
    [record] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.exc_info
    assert (vars(record)["method"], vars(record)["path"]) == ("GET", "/api/branches")


@pytest.mark.parametrize(
    "failure",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        led_to(ValueError("it cannot be read"), MemoryError()),
        ExceptionGroup("both", [KeyError("one"), MemoryError()]),
    ],
    ids=repr,
)
async def test_P4_what_memory_was_too_little_for_is_503_with_when_to_try_again(
    broken: Broken, failure: Exception
) -> None:
    status, text, headers = await broken.fail_with(failure)
    assert (status, "memory" in text, headers["retry-after"]) == (503, True, "5")


async def test_a_fault_of_the_installation_is_told_to_the_log_only(
    broken: Broken, caplog: pytest.LogCaptureFixture
) -> None:
    status, text, _ = await broken.fail_with(SetupError("cannot open /home/me/sprout.db"))
    assert status == 503
    assert "/home" not in text
    assert "/home/me/sprout.db" in caplog.text


@pytest.mark.parametrize(("asked_s", "message"), [(0.2, "1"), (12.1, "13"), (1e9, "3600")])
async def test_what_the_provider_asked_to_wait_is_passed_on_within_reason(
    broken: Broken, asked_s: float, message: str
) -> None:
    failure = ModelFailure(ModelFailureKind.RATE_LIMITED, "busy", retry_after_s=asked_s)
    assert (await broken.fail_with(failure))[2]["retry-after"] == message


async def test_a_database_that_does_not_answer_is_a_503(tmp_path: Path) -> None:
    async def not_ok() -> bool:
        return False

    async with serving_web(tmp_path, a_static_folder(tmp_path), database_probe=not_ok) as web:
        answer = await web.client.get("/api/health")
        assert (answer.status_code, answer.json()) == (
            503,
            {"error": "The database does not answer.", "code": "database_unavailable"},
        )


def test_every_class_of_the_tree_has_a_status() -> None:
    waiting, seen = [SproutError], set()
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        seen.add(kind)
    direct = {kind for kind in seen if kind.__module__ == "sprout.errors"}
    assert direct <= set(STATUS)
    assert status_for(type("New", (Conflict,), {})("say it")) == 409


async def test_ui_8_an_error_carries_its_code_and_its_values_beside_the_sentence(broken: Broken) -> None:
    broken.paths.failure = TooLarge("At most {most:,} bytes.", code="body_too_large", most=2_000)
    answer = await broken.web.client.get("/api/branches", params={"userId": DEFAULT_USER_ID})
    assert answer.json() == {"error": "At most 2,000 bytes.", "code": "body_too_large", "params": {"most": 2000}}
    broken.paths.failure = RunFailed(RunError("hard_limit", "It took too long.", True, {"minutes": 30.0}))
    answer = await broken.web.client.get("/api/branches", params={"userId": DEFAULT_USER_ID})
    assert answer.json() == {"error": "It took too long.", "code": "hard_limit", "params": {"minutes": 30.0}}
    broken.paths.failure = NotFound("branch", "x")
    answer = await broken.web.client.get("/api/branches", params={"userId": DEFAULT_USER_ID})
    assert answer.json() == {"error": "no branch 'x'", "code": "not_found"}

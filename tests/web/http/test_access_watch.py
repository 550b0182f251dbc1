"""Streams end once their caller may no longer have them (Z2)."""

import asyncio
from pathlib import Path

import anyio
import pytest
from starlette.requests import Request

from harness.database.empty_sqlite import create_empty_database
from harness.servers.signed_in import serving_sign_in
from sprout.accounts.principal import LOCAL_LEARNER, Principal
from sprout.errors import DatabaseBusy, MissingRight, NotSignedIn, SproutError
from sprout.web.http.access_watch import while_admitted

REQUEST = Request({"type": "http", "method": "GET", "path": "/", "headers": []})
SOON_S = 0.01


class Answers:
    """An authentication that gives these answers, the last one again and again."""

    def __init__(self, *answers: Principal | SproutError | None) -> None:
        self._answers = [*answers]
        self.asked = 0

    async def __call__(self, _: Request) -> Principal | None:
        answer = self._answers[min(self.asked, len(self._answers) - 1)]
        self.asked += 1
        if isinstance(answer, SproutError):
            raise answer
        return answer


@pytest.mark.parametrize("lost", [None, NotSignedIn(), MissingRight(), Principal("x", LOCAL_LEARNER.role, frozenset())])
async def test_a_block_is_left_once_its_caller_is_somebody_else_or_nobody(lost: Principal | SproutError | None) -> None:
    answers, ended = Answers(LOCAL_LEARNER, lost), False
    async with asyncio.timeout(10), while_admitted(REQUEST, LOCAL_LEARNER, answers, every_s=SOON_S):
        await anyio.sleep_forever()
        ended = True
    assert (ended, answers.asked) == (False, 2)


async def test_a_database_that_is_away_ends_nothing() -> None:
    answers = Answers(DatabaseBusy("locked"), LOCAL_LEARNER, None)
    async with asyncio.timeout(10), while_admitted(REQUEST, LOCAL_LEARNER, answers, every_s=SOON_S):
        await anyio.sleep_forever()
    assert answers.asked == 3


async def test_an_error_of_the_block_comes_out_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        async with while_admitted(REQUEST, LOCAL_LEARNER, Answers(LOCAL_LEARNER)):
            raise ZeroDivisionError


async def test_Z2_an_open_stream_ends_when_its_reader_signs_out(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with serving_sign_in(tmp_path) as server:
        await server.add_person("anna")
        here, there = await server.sign_in("anna"), await server.sign_in("anna")
        async with asyncio.timeout(30), here.stream("GET", "/api/events") as stream:
            lines = stream.aiter_lines()
            assert (await anext(lines)).startswith("retry")
            assert (await there.delete("/api/account/sessions")).status_code == 204
            assert [line async for line in lines if line and not line.startswith(":")] == []
        assert (await here.get("/api/events")).status_code == 401

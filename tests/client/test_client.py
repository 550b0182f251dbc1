"""The Python client: a course from the path to reviews, and a run that is followed through refusals (open.md O5)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from harness.free_port import free_port
from harness.journeys.sprout_server import COURSE
from harness.servers.in_process import serve_app
from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.client import SproutClient
from sprout.errors import BadInput
from sprout.event_stream import ServerError, ServerUnreachable
from sprout.events import Reconnect, Resync, RunDone, wire_data
from sprout.learning.today.next_step import StepKind

WITHIN_S = 120
DONE = 'event: run_done\ndata: {"status":"completed","reason":"end_turn","usage":{}}\n\n'


async def a_token(server: SignInServer, name: str, *scopes: str) -> str:
    person = await server.sign_in(name)
    made = await person.post("/api/account/tokens", json={"name": "program", "scopes": scopes, "days": 1})
    return str(made.raise_for_status().json()["token"])


async def test_O5_with_a_token_a_program_learns_and_without_one_it_is_told_why_not(tmp_path: Path) -> None:
    async with asyncio.timeout(WITHIN_S), serving_sign_in(tmp_path) as server:
        for name in ("ann", "bob"):
            await server.add_person(name)
        url = server.served.url
        async with SproutClient(url) as nobody, SproutClient(url, token="made up") as stranger:
            for client, code in ((nobody, "not_signed_in"), (stranger, "token_invalid")):
                with pytest.raises(ServerError) as refused:
                    await client.paths()
                assert (refused.value.status, refused.value.code) == (401, code)
        async with (
            SproutClient(url, token=await a_token(server, "ann", "read", "learn")) as ann,
            SproutClient(url, token=await a_token(server, "bob", "read")) as bob,
        ):
            with pytest.raises(ServerError) as refused:
                await bob.create_path(COURSE)
            assert (refused.value.status, refused.value.code) == (403, "missing_right")
            with pytest.raises(BadInput):
                await ann.create_path("")
            path = await ann.create_path(COURSE)
            run = await ann.grow(path.topic.id, small=True)
            last = [event async for event in ann.follow(run.id)][-1]
            assert isinstance(last, RunDone)
            assert last.status == "completed"
            with pytest.raises(ServerError) as refused:
                _ = [event async for event in bob.follow(run.id)]
            assert (refused.value.status, refused.value.code) == (404, "not_found")
            assert ([one.branch.id for one in await ann.paths()], await bob.paths()) == ([path.branch.id], [])

            step = await ann.next_step(path.branch.id)
            assert step.kind is StepKind.LESSON
            assert step.node is not None
            assert step.concept is not None
            lesson = await ann.start_lesson(step.node.id)
            opened = await ann.take_turn(lesson.id)
            assert opened.question is not None
            answered = await ann.take_turn(lesson.id, "no idea", is_answer=True)
            assert answered.message != opened.message
            diagnostic = await ann.diagnostic(step.concept.id)
            question = diagnostic.questions[0]
            attempt = await ann.answer_question(diagnostic.assessment.id, question.id, text="no idea")
            assert attempt.question_id == question.id
            assert (await ann.reviews_due()).due == 0
            with pytest.raises(ServerError) as refused:
                await ann.start_reviews()
            assert refused.value.status == 409


@dataclass
class Answers:
    """A server that answers one request after the other as it was told, and the cursors that it was sent."""

    queue: list[str | Response]
    cursors: list[str | None] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        self.cursors.append(request.headers.get("last-event-id"))
        answer = self.queue.pop(0)
        return PlainTextResponse(answer, media_type="text/event-stream") if isinstance(answer, str) else answer

    @asynccontextmanager
    async def client(self, give_up_s: float | None = 60) -> AsyncIterator[SproutClient]:
        app = Starlette(routes=[Route("/api/{path:path}", self.answer)])
        async with serve_app(app) as served, SproutClient(served.url, give_up_s=give_up_s) as client:
            yield client


def numbered(seq: int, data: str = '{"reason":"end_turn","usage":{}}', kind: str = "agent_done") -> str:
    return f"id: {seq}\nevent: {kind}\ndata: {data}\n\n"


async def test_O5_the_client_goes_on_behind_the_last_event_that_it_had() -> None:
    more = '{"reason":"end_turn","usage":{},"ofANewerVersion":1}'
    away = f"event: reconnect\ndata: {wire_data(Reconnect(retry_ms=1))}\n\n"
    resync = f"event: resync\ndata: {wire_data(Resync(why='A backup was restored.'))}\n\n"
    server = Answers(
        [
            "retry: 1\n\n" + numbered(1) + numbered(2, '{"text":"x"}', "of_a_newer_version") + away,
            PlainTextResponse("a gateway's page", 502),
            Response('{"error":"Wait.","code":"too_many_streams"}', 429, {"Retry-After": "0"}),
            numbered(2) + numbered(3, more) + numbered(4)[:20],
            resync + numbered(1) + DONE.replace("event", "id: 2\nevent", 1),
        ]
    )
    async with asyncio.timeout(WITHIN_S), server.client() as client:
        events = client.follow("a")
        seen = [(events.last_id, event.kind) async for event in events]
    assert server.cursors == ["0", "2", "2", "2", "3"]
    assert seen == [
        (1, "agent_done"), (2, "reconnect"), (3, "agent_done"), (0, "resync"), (1, "agent_done"), (2, "run_done"),
    ]  # fmt: skip


async def test_O5_a_client_that_has_all_of_a_run_ends_at_once() -> None:
    async with asyncio.timeout(WITHIN_S), Answers([Response(status_code=204)]).client() as client:
        assert [event async for event in client.follow("a", after=7)] == []


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        (Response('{"error":"no run","code":"not_found"}', 404), 404, "not_found"),
        (PlainTextResponse("what?", 418), 418, "http_error"),
        (Response("[]", 400), 400, "http_error"),
    ],
)
async def test_O5_a_refusal_is_an_error_with_its_code(answer: Response, status: int, code: str) -> None:
    async with asyncio.timeout(WITHIN_S), Answers([answer]).client() as client:
        with pytest.raises(ServerError) as refused:
            _ = [event async for event in client.follow("a")]
    assert (refused.value.status, refused.value.code) == (status, code)


async def test_O5_a_server_that_stays_away_is_given_up() -> None:
    async with asyncio.timeout(WITHIN_S):
        async with SproutClient(f"http://127.0.0.1:{free_port()}", give_up_s=0.2) as client:
            with pytest.raises(ServerUnreachable):
                await client.paths()
            with pytest.raises(ServerUnreachable):
                _ = [event async for event in client.follow("a")]
        busy = [Response('{"error":"Wait.","code":"database_busy"}', 503) for _ in range(9)]
        async with Answers([*busy]).client(give_up_s=0.2) as client:
            with pytest.raises(ServerError) as refused:
                _ = [event async for event in client.follow("a")]
        assert refused.value.code == "database_busy"


async def test_O5_a_page_in_place_of_an_answer_is_no_reason_to_come_back() -> None:
    page = Answers([Response("<html>"), Response("<html>")])
    async with asyncio.timeout(WITHIN_S), page.client() as client:
        with pytest.raises(ServerError) as refused:
            _ = [event async for event in client.follow("a")]
        assert refused.value.code == "no_event_stream"
        with pytest.raises(ServerError) as refused:
            await client.paths()
        assert refused.value.code == "unknown_answer"
    assert len(page.cursors) == 2

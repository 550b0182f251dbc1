"""The offline server through the real SDK: replies, streams, models, counting, the record of requests."""

import asyncio
import json

import httpx2
import pytest
from anthropic import AsyncAnthropic, DefaultAioHttpClient

from sprout.errors import SetupError
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, Scripted, TextOut, ThinkingOut, ToolOut
from sprout.offline.server import running_offline_server
from tests.offline.sdk_client import SAVE_CONCEPT, read_events, request_for, sdk_client

WHOLE = Reply(
    [ThinkingOut("Let me see."), TextOut("Grüße 🌱 und mehr."), ToolOut("save_concept", {"title": "A", "desc": "ü"})]
)


async def test_a_streamed_reply_and_a_whole_one_are_the_same() -> None:
    async with running_offline_server(Scripted([WHOLE, WHOLE])) as server, sdk_client(server) as client:
        request = request_for(tools=[SAVE_CONCEPT])
        whole = await client.messages.create(**request)
        async with client.messages.stream(**request) as stream:
            streamed = await stream.get_final_message()
    assert [block.type for block in whole.content] == ["thinking", "text", "tool_use"]
    assert streamed.stop_reason == whole.stop_reason == "tool_use"
    assert streamed.usage.output_tokens == whole.usage.output_tokens
    strip = {"id"}
    assert [block.model_dump(exclude=strip) for block in streamed.content] == [
        block.model_dump(exclude=strip) for block in whole.content
    ]


async def test_the_events_come_in_the_order_of_the_api() -> None:
    async with running_offline_server(Scripted([Reply([TextOut("Hi there")])])) as server, sdk_client(server) as client:
        kinds = [event.type for event in await read_events(client, request_for())]
    assert kinds == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


async def test_the_wire_has_a_ping_and_the_headers_of_the_api() -> None:
    async with running_offline_server(Scripted([WHOLE])) as server, httpx2.AsyncClient() as http:
        answer = await http.post(
            f"{server.base_url}/v1/messages",
            json=request_for(stream=True, tools=[SAVE_CONCEPT]),
            headers={"x-api-key": "any", "anthropic-version": "2026-10-21"},
        )
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["request-id"].startswith("req_")
    assert 'event: ping\ndata: {"type": "ping"}\n\n' in answer.text
    assert "\r" not in answer.text


async def test_aiohttp_reads_the_stream_as_well() -> None:
    async with running_offline_server(Scripted([WHOLE])) as server:
        http = DefaultAioHttpClient()
        async with AsyncAnthropic(api_key="x", base_url=server.base_url, max_retries=0, http_client=http) as client:
            kinds = [event.type for event in await read_events(client, request_for(tools=[SAVE_CONCEPT]))]
    assert kinds[-1] == "message_stop"


async def test_tool_ids_differ_from_turn_to_turn_and_between_equal_requests() -> None:
    call = Reply(
        [ToolOut("save_concept", {"title": "A", "desc": "d"}), ToolOut("save_concept", {"title": "B", "desc": "d"})]
    )
    async with running_offline_server(Scripted([call, call])) as server, sdk_client(server) as client:
        replies = [await client.messages.create(**request_for(tools=[SAVE_CONCEPT])) for _ in range(2)]
    assert len({block.id for reply in replies for block in reply.content if block.type == "tool_use"}) == 4


async def test_a_reply_longer_than_max_tokens_is_cut_there() -> None:
    async with (
        running_offline_server(Scripted([Reply([TextOut("word " * 100)])])) as server,
        sdk_client(server) as client,
    ):
        reply = await client.messages.create(**request_for(max_tokens=10))
    assert reply.stop_reason == "max_tokens"
    assert reply.usage.output_tokens == 10


async def test_beyond_its_steps_a_script_says_that_it_is_over_and_a_step_may_read_the_request() -> None:
    script = Scripted([lambda body: Reply([TextOut(body["messages"][0]["content"].upper())])])
    async with running_offline_server(script) as server, sdk_client(server) as client:
        blocks = [(await client.messages.create(**request_for("shout"))).content[0] for _ in range(2)]
    assert [block.text for block in blocks if block.type == "text"] == ["SHOUT", "That is all."]
    assert script.left == 0


async def test_requests_are_numbered_and_kept_with_body_and_headers() -> None:
    async with running_offline_server(Scripted()) as server, sdk_client(server) as client:
        for text in ("one", "two"):
            await client.messages.create(**request_for(text))
        await client.messages.count_tokens(model="any", messages=[{"role": "user", "content": "not counted"}])
    assert [(each.number, each.body["messages"][0]["content"]) for each in server.requests] == [(1, "one"), (2, "two")]
    assert server.requests[0].headers["authorization"] == "Bearer x"


async def test_a_client_that_leaves_early_is_noticed() -> None:
    slow = Pace(first_token_s=0.0, tokens_per_s=1)
    async with running_offline_server(Scripted(), pace=slow) as server, sdk_client(server) as client:
        stream = await client.messages.create(**request_for(), stream=True)
        async for _ in stream:
            break
        await stream.close()
        async with asyncio.timeout(5):
            while not server.requests[0].closed_early:
                await asyncio.sleep(0)


async def test_a_paced_reply_arrives_whole() -> None:
    text = "The same words as without a pace. " * 20
    pace = Pace(first_token_s=0.01, tokens_per_s=5_000)
    async with (
        running_offline_server(Scripted([Reply([TextOut(text)])]), pace=pace) as server,
        sdk_client(server) as client,
        client.messages.stream(**request_for()) as stream,
    ):
        assert await stream.get_final_text() == text


def test_the_schedule_of_a_pace_is_counted_from_the_start() -> None:
    pace = Pace(first_token_s=0.5, tokens_per_s=10)
    assert [pace.due_s(tokens) for tokens in (0, 10, 1_000)] == [0.5, 1.5, 100.5]


async def test_models_are_listed_and_any_name_is_answered() -> None:
    async with running_offline_server(Scripted()) as server, sdk_client(server) as client:
        listed = [model.id async for model in client.models.list()]
        offline = await client.models.retrieve("sprout-offline")
        reply = await client.messages.create(**request_for(model="something-else"))
    assert listed == ["sprout-offline"]
    assert (offline.max_input_tokens, offline.max_tokens) == (200_000, 64_000)
    assert reply.model == "something-else"


async def test_counted_tokens_are_those_that_the_reply_is_charged_for() -> None:
    async with running_offline_server(Scripted()) as server, sdk_client(server) as client:
        request = request_for("How many?", tools=[SAVE_CONCEPT], system="Be brief.")
        reply = await client.messages.create(**request)
        del request["max_tokens"]
        counted = await client.messages.count_tokens(**request)
    assert counted.input_tokens == reply.usage.input_tokens


async def test_a_port_that_is_taken_is_a_setup_error() -> None:
    async with running_offline_server(Scripted()) as server:
        port = int(server.base_url.rsplit(":", 1)[1])
        with pytest.raises(SetupError, match=str(port)):
            async with running_offline_server(Scripted(), port=port):
                pass


async def test_a_path_that_does_not_exist_is_an_error_in_the_api_s_shape() -> None:
    async with running_offline_server(Scripted()) as server, httpx2.AsyncClient() as http:
        answer = await http.get(f"{server.base_url}/v1/nothing")
    assert (answer.status_code, json.loads(answer.text)["error"]["type"]) == (404, "not_found_error")

"""Each scenario as the real SDK meets it."""

import asyncio
from typing import Any

import anthropic
import httpx2
import pytest

from sprout.offline.faults.scenarios import Fault, FaultPlan, Scenario
from sprout.offline.script import Reply, Scripted, TextOut, ToolOut
from sprout.offline.server import OfflineServer, running_offline_server
from tests.offline.sdk_client import SAVE_CONCEPT, read_events, request_for, sdk_client

SAID = Reply([TextOut("Some words before the call."), ToolOut("save_concept", {"title": "A title", "desc": "A desc"})])


def playing(fault: Fault | str) -> Any:
    return running_offline_server(Scripted([SAID, SAID]), faults=FaultPlan.always(fault))


async def streamed(server: OfflineServer, *, patience_s: float = 10) -> list[Any]:
    async with sdk_client(server, patience_s=patience_s) as client:
        return await read_events(client, request_for(tools=[SAVE_CONCEPT]))


@pytest.mark.parametrize(
    ("scenario", "error", "status", "kind"),
    [
        ("rate_limited", anthropic.RateLimitError, 429, "rate_limit_error"),
        ("overloaded", anthropic.OverloadedError, 529, "overloaded_error"),
        ("server_error", anthropic.InternalServerError, 500, "api_error"),
        ("bad_key", anthropic.AuthenticationError, 401, "authentication_error"),
        ("no_credit", anthropic.PaymentRequiredError, 402, "billing_error"),
        ("unknown_model", anthropic.NotFoundError, 404, "not_found_error"),
        ("request_too_large", anthropic.ContentTooLargeError, 413, "request_too_large"),
        ("window_exceeded", anthropic.BadRequestError, 400, "invalid_request_error"),
    ],
)
async def test_an_error_comes_with_its_status_and_type(scenario: str, error: Any, status: int, kind: str) -> None:
    async with playing(scenario) as server:
        with pytest.raises(error) as raised:
            await streamed(server)
    assert (raised.value.status_code, raised.value.type) == (status, kind)
    assert raised.value.request_id is not None
    assert (server.requests[0].fault, server.requests[0].status) == (Scenario(scenario), status)


@pytest.mark.parametrize("seconds", [None, 7.0])
async def test_a_rate_limit_tells_when_to_come_back_only_if_asked_to(seconds: float | None) -> None:
    async with playing(Fault("rate_limited", retry_after_s=seconds)) as server:
        with pytest.raises(anthropic.RateLimitError) as raised:
            await streamed(server)
    assert raised.value.response.headers.get("retry-after") == (None if seconds is None else "7")


async def test_a_bad_gateway_is_a_page_of_html() -> None:
    async with playing("bad_gateway_html") as server:
        with pytest.raises(anthropic.InternalServerError) as raised:
            await streamed(server)
    assert raised.value.status_code == 502
    assert raised.value.type is None


async def test_a_prompt_that_is_too_long_names_both_numbers() -> None:
    async with playing("window_exceeded") as server:
        with pytest.raises(anthropic.BadRequestError, match=r"prompt is too long: 200001 tokens > 200000 maximum"):
            await streamed(server)


async def test_a_reset_before_the_headers_is_a_connection_error() -> None:
    async with playing("reset") as server:
        with pytest.raises(anthropic.APIConnectionError):
            await streamed(server)


@pytest.mark.parametrize("after", [1, 100, 500, 900])
async def test_a_reset_after_n_bytes_delivers_exactly_those_bytes(after: int) -> None:
    received = bytearray()
    async with playing(Fault("reset", after_bytes=after)) as server:
        with pytest.raises(httpx2.ReadError):
            await receive_into(received, server)
    assert len(received) == after


async def receive_into(received: bytearray, server: OfflineServer) -> None:
    request = request_for(stream=True, tools=[SAVE_CONCEPT])
    headers = {"x-api-key": "x", "anthropic-version": "2026-10-21"}
    url = f"{server.base_url}/v1/messages"
    async with httpx2.AsyncClient() as http, http.stream("POST", url, json=request, headers=headers) as answer:
        async for chunk in answer.aiter_raw():
            received += chunk


async def test_a_cut_ends_cleanly_without_message_stop() -> None:
    async with playing(Fault("cut", after_events=4)) as server:
        kinds = [event.type for event in await streamed(server)]
    assert kinds == ["message_start", "content_block_start", "content_block_delta"]


async def test_a_cut_in_bytes_may_fall_into_an_event() -> None:
    async with playing(Fault("cut", after_bytes=60)) as server:
        assert await streamed(server) == []


async def test_an_error_event_comes_under_status_200() -> None:
    async with playing("error_event") as server:
        with pytest.raises(anthropic.APIStatusError) as raised:
            await streamed(server)
    assert (raised.value.status_code, raised.value.type) == (200, "overloaded_error")


async def test_a_stall_without_pings_runs_into_the_read_timeout() -> None:
    async with playing("stall") as server:
        with pytest.raises(httpx2.ReadTimeout):
            await streamed(server, patience_s=0.1)


async def test_a_stall_with_pings_keeps_the_connection_alive_and_says_nothing() -> None:
    async with (
        playing(Fault("stall", pings=True, after_events=1)) as server,
        sdk_client(server, patience_s=0.5) as client,
    ):
        stream = await client.messages.create(**request_for(tools=[SAVE_CONCEPT]), stream=True)
        seen = [(await anext(aiter(stream))).type]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(aiter(stream)), 1.0)
        await stream.close()
    assert seen == ["message_start"]


async def test_truncated_text_stops_with_max_tokens() -> None:
    async with playing("truncated_text") as server, sdk_client(server) as client:
        reply = await client.messages.create(**request_for())
    assert reply.stop_reason == "max_tokens"
    assert [block.model_dump()["text"] for block in reply.content] == ["Some words be"]


async def test_truncated_tool_json_is_half_a_json() -> None:
    async with playing("truncated_tool_json") as server:
        events = await streamed(server)
    sent = "".join(
        event.delta.partial_json
        for event in events
        if getattr(event, "delta", None) and hasattr(event.delta, "partial_json")
    )
    assert sent == '{"title": "A title"'
    assert events[-2].delta.stop_reason == "max_tokens"


@pytest.mark.parametrize(
    ("scenario", "name"), [("misspelled_tool", "save_cooncept"), ("unknown_tool", "summon_an_owl")]
)
async def test_a_wrong_tool_name_has_the_right_input(scenario: str, name: str) -> None:
    async with playing(scenario) as server, sdk_client(server) as client:
        reply = await client.messages.create(**request_for(tools=[SAVE_CONCEPT]))
    call = reply.content[-1]
    assert call.type == "tool_use"
    assert (call.name, call.input) == (name, {"title": "A title", "desc": "A desc"})


async def test_an_invalid_input_lacks_what_is_required() -> None:
    async with playing("invalid_tool_input") as server, sdk_client(server) as client:
        reply = await client.messages.create(**request_for(tools=[SAVE_CONCEPT]))
    call = reply.content[-1]
    assert call.type == "tool_use"
    assert "title" not in call.input


async def test_malformed_json_breaks_the_sdk_s_own_parser_but_not_the_raw_stream() -> None:
    async with playing("malformed_tool_json") as server, sdk_client(server) as client:
        with pytest.raises(ValueError, match="JSON"):
            async with client.messages.stream(**request_for(tools=[SAVE_CONCEPT])) as stream:
                await stream.get_final_message()
        assert (await read_events(client, request_for(tools=[SAVE_CONCEPT])))[-1].type == "message_stop"


async def test_identical_calls_are_the_same_for_ever_and_varying_ones_never() -> None:
    inputs: dict[str, list[object]] = {}
    for scenario in ("identical_calls", "varying_calls"):
        async with playing(scenario) as server, sdk_client(server) as client:
            replies = [await client.messages.create(**request_for(tools=[SAVE_CONCEPT])) for _ in range(4)]
        inputs[scenario] = [str(reply.content[0].model_dump()["input"]) for reply in replies]
    assert len(set(inputs["identical_calls"])) == 1
    assert len(set(inputs["varying_calls"])) == 4


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault("refusal"), "refusal"),
        (Fault("empty_reply"), "end_turn"),
        (Fault("window_exceeded", as_stop_reason=True), "model_context_window_exceeded"),
        (Fault("pause_turn"), "pause_turn"),
        (Fault("slow"), "tool_use"),
    ],
)
async def test_a_scenario_of_a_stop_reason_has_it(fault: Fault, reason: str) -> None:
    async with playing(fault) as server, sdk_client(server) as client:
        reply = await client.messages.create(**request_for(tools=[SAVE_CONCEPT]))
    assert reply.stop_reason == reason
    assert (reply.stop_details is not None) == (reason == "refusal")
    assert bool(reply.content) == (fault.scenario is not Scenario.EMPTY_REPLY)


async def test_an_error_uses_up_no_step_of_the_script_but_a_cut_does() -> None:
    script = Scripted([SAID, SAID])
    plan = FaultPlan({1: "overloaded", 2: "cut"})
    async with running_offline_server(script, faults=plan) as server, sdk_client(server) as client:
        with pytest.raises(anthropic.OverloadedError):
            await client.messages.create(**request_for())
        assert script.left == 2
        await read_events(client, request_for())
    assert script.left == 1


async def test_a_script_may_hold_faults_of_its_own() -> None:
    steps = Scripted([Fault("overloaded"), Fault("cut", after_events=2, reply=SAID), Reply([TextOut("ok")])])
    async with running_offline_server(steps) as server, sdk_client(server) as client:
        with pytest.raises(anthropic.OverloadedError):
            await client.messages.create(**request_for())
        assert len(await read_events(client, request_for())) == 2
        assert (await client.messages.create(**request_for())).content[0].model_dump()["text"] == "ok"


def test_a_scenario_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="meteor"):
        FaultPlan({1: "meteor"})

"""Refusals of the offline server that equal the API's: a net for mistakes of the loop."""

from typing import Any

import anthropic
import pytest

from sprout.offline.script import Reply, Scripted, TextOut, ThinkingOut, ToolOut
from sprout.offline.server import running_offline_server
from tests.offline.sdk_client import SAVE_CONCEPT, request_for, sdk_client

USER = {"role": "user", "content": "Go."}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "save_concept", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
TEXT = {"type": "text", "text": "fine"}
CACHED = TEXT | {"cache_control": {"type": "ephemeral"}}


def turn(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def results(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


async def refusal_of(body: dict[str, Any]) -> str:
    """Error message of the server for this body; empty if it accepts it."""
    async with running_offline_server(Scripted()) as server, sdk_client(server) as client:
        try:
            await client.post("/v1/messages", body=body, cast_to=object)
        except anthropic.BadRequestError as error:
            return f"{error.type}: {error.api_message}".removeprefix("invalid_request_error: ")
    return ""


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([], "at least one message"),
        ([turn(TEXT), USER], "first message must use the"),
        ([USER, turn(TEXT)], "does not support assistant message prefill"),
        ([{"role": "user", "content": ""}], "messages.0: user messages must have non-empty content"),
        ([{"role": "user", "content": []}], "messages.0: user messages must have non-empty content"),
        ([results({"type": "text", "text": ""})], "text content blocks must be non-empty"),
        ([results({"type": "text", "text": " \n"})], "must contain non-whitespace text"),
        ([USER | {"name": "x"}], "messages.0.name: Extra inputs are not permitted"),
        ([{"role": "tool", "content": "x"}], "messages.0.role"),
        ([results(TEXT | {"id": "1"})], "messages.0.content.0.text.id: Extra inputs"),
        ([results(CALL)], "`tool_use` blocks are not allowed in user messages"),
        ([USER, turn(RESULT), USER], "`tool_result` blocks are not allowed in assistant messages"),
        ([USER, turn(CALL), USER], "messages.1: `tool_use` ids were found without `tool_result` blocks"),
        ([USER, turn(CALL)], "messages.1: `tool_use` ids were found without `tool_result` blocks"),
        ([USER, turn(CALL, CALL | {"id": "toolu_2"}), results(RESULT)], "immediately after: toolu_2."),
        ([USER, turn(CALL), results(TEXT, RESULT)], "messages.2.content.1: `tool_result` blocks must come before"),
        ([results(RESULT)], "messages.0.content.0: unexpected `tool_use_id` found"),
        ([USER, turn(CALL), results(RESULT, RESULT)], "each tool_use must have a single result"),
        ([USER, turn(CALL, CALL), results(RESULT)], "`tool_use` ids must be unique"),
        ([USER, turn(CALL), results(RESULT), turn(CALL), results(RESULT)], "`tool_use` ids must be unique"),
        ([USER, turn(CALL | {"input": "{}"}), results(RESULT)], "tool_use.input: Input should be a valid dictionary"),
        ([USER, turn(CALL), {"role": "system", "content": "x"}, results(RESULT)], "without `tool_result` blocks"),
        ([USER, turn({"type": "thinking", "thinking": "hm", "signature": "x"}), USER], "final block"),
        ([USER, turn({"type": "thinking", "thinking": "hm", "signature": "x"}, TEXT), USER], "Invalid `signature`"),
        ([results(*[CACHED] * 5)], "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    ],
)
async def test_messages_that_the_api_refuses_are_refused(messages: list[Any], message: str) -> None:
    assert message in await refusal_of(request_for(messages=messages, tools=[SAVE_CONCEPT]))


@pytest.mark.parametrize(
    "messages",
    [
        [USER, USER],
        [USER, turn(TEXT), turn(TEXT), USER],
        [USER, turn(TEXT), {"role": "system", "content": "Be brief now."}, USER],
        [USER, turn(TEXT, CALL), results(RESULT, TEXT)],
        [USER, turn(CALL, CALL | {"id": "toolu_2"}), results(RESULT | {"tool_use_id": "toolu_2"}, RESULT)],
        [USER, turn(CALL), results(RESULT | {"is_error": True, "content": [TEXT]})],
        [results(*[CACHED] * 4)],
    ],
)
async def test_messages_that_the_api_takes_are_taken(messages: list[Any]) -> None:
    assert await refusal_of(request_for(messages=messages, tools=[SAVE_CONCEPT])) == ""


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"temperature": 1}, "temperature: sampling parameters are not supported"),
        ({"top_k": 5}, "top_k"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"max_tokens": 0}, "max_tokens: Input should be greater than or equal to 1"),
        ({"max_tokens": 64_001}, "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens"),
        ({"tools": [SAVE_CONCEPT, SAVE_CONCEPT]}, "Tool names must be unique"),
        ({"tools": [SAVE_CONCEPT | {"name": "no spaces"}]}, "tools.0.custom.name: String should match pattern"),
        ({"tools": [SAVE_CONCEPT | {"name": "x" * 129}]}, "tools.0.custom.name"),
        ({"tools": [{"name": "bare"}]}, "tools.0.custom.input_schema: Field required"),
        ({"tools": [{"name": "t", "input_schema": {"type": "array"}}]}, "input_schema.type: Input should be 'object'"),
        (
            {"tools": [{"name": "t", "input_schema": {"type": "object", "properties": {"a": {"type": "text"}}}}]},
            "JSON schema is invalid",
        ),
        ({"tools": [{"name": "t", "input_schema": {"type": "object", "anyOf": []}}]}, "at the top level"),
        ({"tool_choice": {"type": "any"}}, "only be specified while providing tools"),
        ({"tools": [SAVE_CONCEPT], "tool_choice": {"type": "tool", "name": "no"}}, "Tool 'no' not found"),
        ({"model": "claude-opus-5-5", "tools": [SAVE_CONCEPT], "tool_choice": {"type": "any"}}, "is not supported by"),
        ({"model": "claude-opus-5-5", "thinking": {"type": "disabled"}}, "'disabled' is not supported by"),
        ({"model": "claude-sonnet-5-5", "thinking": {"type": "enabled", "budget_tokens": 2_000}}, "not supported"),
        ({"model": "claude-haiku-4-5", "thinking": {"type": "adaptive"}}, "'adaptive' is not supported by"),
        ({"model": "claude-haiku-4-5", "thinking": {"type": "enabled", "budget_tokens": 100}}, "1024"),
        (
            {"model": "claude-haiku-4-5", "thinking": {"type": "enabled", "budget_tokens": 9_000}},
            "must be greater than",
        ),
        (
            {
                "model": "claude-sonnet-5-5",
                "thinking": {"type": "between_tools"},
                "output_config": {"effort": "max"},
            },
            "not allowed with effort 'max'",
        ),
        ({"system": [{"type": "text", "text": ""}]}, "non-empty"),
        ({"cache_control": {"type": "forever"}}, "cache_control"),
    ],
)
async def test_fields_that_the_api_refuses_are_refused(fields: dict[str, Any], message: str) -> None:
    assert message in await refusal_of(request_for() | fields)


async def test_history_with_calls_needs_the_tools_that_it_used() -> None:
    assert (await refusal_of(request_for(messages=[USER, turn(CALL), results(RESULT)]))).startswith(
        "tools: Field required"
    )


async def test_a_prompt_beyond_the_window_is_refused_with_both_numbers() -> None:
    assert await refusal_of(request_for("x" * 800_004)) == "prompt is too long: 200001 tokens > 200000 maximum"


async def test_thinking_goes_back_unchanged_or_not_at_all() -> None:
    reply = Reply([ThinkingOut("Let me see."), ToolOut("save_concept", {"title": "A", "desc": "d"})])
    async with running_offline_server(Scripted([reply])) as server, sdk_client(server) as client:
        request = request_for(tools=[SAVE_CONCEPT])
        thinking, call = [
            block.model_dump(exclude_none=True) for block in (await client.messages.create(**request)).content
        ]
        answer = {"role": "user", "content": [RESULT | {"tool_use_id": call["id"]}]}

        def continued(block: dict[str, Any], first: str = "Hello") -> dict[str, Any]:
            messages = [{"role": "user", "content": first}, turn(block, call), answer]
            return request_for(messages=messages, tools=[SAVE_CONCEPT])

        await client.messages.create(**continued(thinking))
        await client.messages.create(**continued(thinking) | {"model": "claude-haiku-5-5"})
        with pytest.raises(anthropic.BadRequestError, match="Invalid `signature`"):
            await client.messages.create(**continued(thinking | {"thinking": "Let me guess."}))
        with pytest.raises(anthropic.BadRequestError, match="bound to a different conversation"):
            await client.messages.create(**continued(thinking, first="Goodbye"))


async def test_a_paused_turn_may_be_sent_back_as_it_is() -> None:
    steps = Scripted([Reply([TextOut("Wait.")], "pause_turn"), Reply([TextOut("Done.")])])
    async with running_offline_server(steps) as server, sdk_client(server) as client:
        paused = await client.messages.create(**request_for())
        messages = [
            {"role": "user", "content": "Hello"},
            turn({"type": "text", "text": paused.content[0].model_dump()["text"]}),
        ]
        resumed = await client.messages.create(**request_for(messages=messages))
    assert resumed.content[0].model_dump()["text"] == "Done."


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"a": "\\ud800"}', b"\xff", b"[" * 100_000])
async def test_a_body_that_is_no_json_object_is_a_400(raw: bytes) -> None:
    async with running_offline_server(Scripted()) as server, sdk_client(server) as client:
        with pytest.raises(anthropic.BadRequestError):
            await client.post("/v1/messages", content=raw, cast_to=object)


async def test_a_request_without_a_key_is_a_401() -> None:
    async with running_offline_server(Scripted()) as server, sdk_client(server) as client:
        with pytest.raises(anthropic.AuthenticationError):
            await client.post(
                "/v1/messages",
                body=request_for(),
                cast_to=object,
                options={"headers": {"Authorization": anthropic.Omit()}},
            )

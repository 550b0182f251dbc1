"""Reading the Messages API strictly, and failures told apart."""

from dataclasses import replace
from functools import partial

import pytest

from harness.loop.scripted_turn import claude_at
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Usage
from sprout.llm.catalogue import UNKNOWN, catalogue, facts_of
from sprout.llm.path_cost import estimate_path_cost
from sprout.llm.request_body import request_body
from sprout.loop.model import BlockDone, Message, ModelRequest, ReplyEnded, ReplyPart, Text, ToolResult, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.models import path_estimate
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, Scripted, Step, TextOut, ToolOut
from sprout.offline.server import running_offline_server

BUDGETS = LoopPolicy().thinking_tokens
REQUEST = ModelRequest("sprout-offline", "Be brief.", (Message("user", (Text("go"),)),), (), 1_000)


async def reply(step: Step, request: ModelRequest = REQUEST, *, idle_s: float = 5.0) -> list[ReplyPart]:
    async with running_offline_server(Scripted([step])) as server, claude_at(server, idle_s=idle_s) as model:
        return [part async for part in model.reply(request)]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("rate_limited"), ModelFailureKind.RATE_LIMITED),
        (Fault("overloaded"), ModelFailureKind.OVERLOADED),
        (Fault("error_event"), ModelFailureKind.OVERLOADED),
        (Fault("server_error"), ModelFailureKind.SERVER_ERROR),
        (Fault("bad_gateway_html"), ModelFailureKind.SERVER_ERROR),
        (Fault("reset"), ModelFailureKind.UNREACHABLE),
        (Fault("reset", after_bytes=700), ModelFailureKind.CUT),
        (Fault("window_exceeded"), ModelFailureKind.PROMPT_TOO_LONG),
        (Fault("request_too_large"), ModelFailureKind.REQUEST_TOO_LARGE),
        (Fault("bad_key"), ModelFailureKind.BAD_KEY),
        (Fault("no_credit"), ModelFailureKind.NO_CREDIT),
        (Fault("unknown_model"), ModelFailureKind.UNKNOWN_MODEL),
    ],
)
async def test_failures_are_distinguished_by_type_first(fault: Fault, kind: ModelFailureKind) -> None:
    with pytest.raises(ModelFailure) as caught:
        await reply(fault)
    assert caught.value.kind is kind
    assert "{" not in str(caught.value)


async def test_a_server_that_is_not_there_is_unreachable_and_the_message_names_what_to_check() -> None:
    async with running_offline_server(Scripted()) as server:
        gone = server
    async with claude_at(gone) as model:
        with pytest.raises(ModelFailure, match="ANTHROPIC_BASE_URL"):
            [part async for part in model.reply(REQUEST)]


@pytest.mark.parametrize(("header", "low", "high"), [(2.0, 2.0, 2.0), (0.25, 0.25, 0.25)])
async def test_retry_after_is_read_in_seconds(header: float, low: float, high: float) -> None:
    with pytest.raises(ModelFailure) as caught:
        await reply(Fault("rate_limited", retry_after_s=header))
    assert caught.value.retry_after_s is not None
    assert low <= caught.value.retry_after_s <= high


async def test_a_stream_that_ends_cleanly_without_its_stop_has_no_end() -> None:
    parts = await reply(Fault("cut", reply=Reply([TextOut("Half of this.")])))
    assert not any(isinstance(part, ReplyEnded) for part in parts)


async def test_tool_input_that_is_not_whole_json_is_a_problem_not_a_call() -> None:
    tools = ModelRequest("sprout-offline", "s", REQUEST.messages, (), 1_000)
    parts = await reply(Reply([ToolOut("look", raw_json='{"a": 1, "b": "cut')]), tools)
    done = next(part for part in parts if isinstance(part, BlockDone))
    assert done.problem
    assert isinstance(done.block, ToolUse)
    assert done.block.input == {}


async def test_half_surrogates_are_made_whole_or_replaced_before_anything_is_stored() -> None:
    reply_ = Reply([TextOut("fine"), ToolOut("look", raw_json='{"a": "\\ud83d", "b": ["\\ud83d\\ude00"]}')])
    done = [part for part in await reply(reply_) if isinstance(part, BlockDone)]
    assert isinstance(done[1].block, ToolUse)
    assert done[1].block.input == {"a": "\ufffd", "b": ["😀"]}


def test_breakpoints_stand_after_the_system_and_at_the_last_two_user_messages() -> None:
    messages = (
        Message("user", (Text("one"),)),
        Message("assistant", (ToolUse("a", "look", {}),)),
        Message("user", (ToolResult("a", "seen"),)),
        Message("assistant", (ToolUse("b", "look", {}),)),
        Message("user", (ToolResult("b", "seen"),)),
    )
    body = request_body(
        ModelRequest("claude-opus-5-5", "s", messages, (), 99_999_999), catalogue()["claude-opus-5-5"], BUDGETS
    )
    marked = [i for i, message in enumerate(body["messages"]) if "cache_control" in message["content"][-1]]
    assert marked == [2, 4]
    assert "cache_control" in body["system"][0]
    assert body["max_tokens"] == 128_000
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}


def test_a_thinking_budget_stays_below_the_tokens_of_the_reply() -> None:
    for max_tokens in (1, 2_000, 4_000, 64_000):
        request = ModelRequest("claude-haiku-4-5", "s", (), (), max_tokens)
        thinking = request_body(request, catalogue()["claude-haiku-4-5"], BUDGETS).get("thinking")
        assert thinking is None or 1_024 <= thinking["budget_tokens"] < max_tokens


def test_a_dated_version_has_the_facts_of_its_model_and_an_unknown_one_cautious_ones() -> None:
    assert facts_of("claude-haiku-4-5-20251001") == catalogue()["claude-haiku-4-5"]
    assert facts_of("llama-9") == UNKNOWN


def test_cost_counts_cached_tokens_at_their_own_price_and_long_prompts_at_theirs() -> None:
    sonnet, haiku = catalogue()["claude-sonnet-5-5"], catalogue()["claude-haiku-5-5"]
    usage = Usage(input_tokens=1_000, output_tokens=1_000, cache_write_tokens=1_000, cache_read_tokens=1_000)
    assert sonnet.priced(usage).cost_usd == pytest.approx((2 + 10 + 2.5 + 0.1) / 1_000)
    short, long = Usage(input_tokens=100_000), Usage(input_tokens=100_001)
    assert haiku.priced(long).cost_usd > 4.9 * haiku.priced(short).cost_usd


def test_the_offline_model_costs_nothing_and_a_priced_one_something() -> None:
    estimate = partial(estimate_path_cost, fewest=6, most=10, small=False)
    free = estimate(topic_model="sprout-offline", subconcept_model="sprout-offline")
    paid = estimate(topic_model="claude-opus-5-5", subconcept_model="claude-sonnet-5-5")
    assert free.cost_usd_high == 0
    assert 0 < paid.cost_usd_low < paid.cost_usd_high


def test_a_path_is_estimated_from_the_sizes_that_the_agents_keep_to() -> None:
    small, full = (path_estimate("sprout-offline", "sprout-offline", small=is_small) for is_small in (True, False))
    assert (small["concepts"], small["lessonMinutes"]) == ([1, 2], [16, 48])
    assert (full["concepts"], full["lessonMinutes"]) == ([6, 10], [384, 960])


async def test_C1_an_exact_count_is_there_for_those_who_ask() -> None:
    async with running_offline_server(Scripted()) as server, claude_at(server) as model:
        few = await model.prompt_tokens(REQUEST)
        many = await model.prompt_tokens(replace(REQUEST, system="Be brief. " * 100))
    assert 0 < few < many


async def test_a_server_that_cannot_be_reached_does_not_count() -> None:
    async with running_offline_server(Scripted()) as server:
        gone = server
    async with claude_at(gone) as model:
        with pytest.raises(ModelFailure):
            await model.prompt_tokens(REQUEST)

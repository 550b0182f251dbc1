"""E1–E4 and the table of the model's errors, where test_turn does not prove them already."""

import asyncio
from typing import Any

import pytest

from harness.loop.sample_tools import PICTURE, SameIdModel, history, keep_tool, look_at, look_tool, say, texts_of
from harness.loop.scripted_turn import BEGIN, QUICK, policy_with, run_script, visible_text
from sprout.events import Usage
from sprout.loop.model import Image, Message, Text, ToolUse
from sprout.loop.tools import Effect
from sprout.loop.turn import CallDone, CallStarted
from sprout.offline.faults.scenarios import Fault, FaultPlan
from sprout.offline.script import Reply, TextOut, ThinkingOut, ToolOut

HISTORY = [*history(8, words=300), *BEGIN]


async def test_E1_what_starts_is_told_before_with_its_id_name_and_input() -> None:
    play = await run_script(
        [Reply([ToolOut("keep", {"what": "a"}), ToolOut("keep", {"what": "b"})])], tools=[keep_tool([])]
    )
    started = [step for step in play.steps if isinstance(step, CallStarted)]
    done = [step for step in play.steps if isinstance(step, CallDone)]
    assert [(step.call.name, step.call.input, step.effect) for step in started] == [
        ("keep", {"what": "a"}, Effect.WRITE),
        ("keep", {"what": "b"}, Effect.WRITE),
    ]
    for start, end in zip(started, done, strict=True):
        assert start.call.id == end.call.id
        assert play.steps.index(start) < play.steps.index(end)


async def test_E2_a_cut_after_the_last_block_keeps_the_whole_reply() -> None:
    written: list[str] = []
    reply = Reply([TextOut("Now."), ToolOut("keep", {"what": "a"})])
    frames = 1 + 1 + (1 + 1 + 1) + (1 + 1 + 2 + 1)  # start, ping, text, call in two pieces
    play = await run_script([Fault("cut", after_events=frames, reply=reply), say("Done.")], tools=[keep_tool(written)])
    assert written == ["a"]
    assert play.result.transitions == ("partial_turn_kept", "end_turn")
    assert len(play.requests) == 2


@pytest.mark.parametrize("scenario", ["cut", "reset", "error_event", "stall"])
async def test_E2_however_the_stream_breaks_what_was_whole_is_kept(scenario: str) -> None:
    written: list[str] = []
    reply = Reply([ToolOut("keep", {"what": "a"}), TextOut("and then some more words")])
    broken = Fault(scenario, after_events=9, reply=reply)
    play = await run_script([broken, say("Done.")], tools=[keep_tool(written)], idle_s=0.3)
    assert written == ["a"]
    assert [block["type"] for block in play.sent(1)[1]["content"]] == ["tool_use"]
    assert visible_text(play.events) == "Done."


async def test_E2_a_reply_cut_after_whole_thinking_is_sent_back_without_it() -> None:
    reply = Reply([TextOut("Yes."), ThinkingOut("And what now?"), ToolOut("look", {"at": "far away"})])
    play = await run_script(
        [Fault("cut", after_events=12, reply=reply), say("Done.")], tools=[look_tool()], model_name="claude-sonnet-5-5"
    )
    assert [block["type"] for block in play.sent(1)[1]["content"]] == ["text"]
    assert play.result.reason == "end_turn"


async def test_E2_text_that_goes_on_after_a_cut_is_joined_in_the_result() -> None:
    reply = Reply([TextOut("One, "), TextOut("two, three.")])
    play = await run_script([Fault("cut", after_events=7, reply=reply), say("two and three.")])
    assert play.result.text == visible_text(play.events) == "One, two and three."


async def test_E4_after_a_truncated_reply_whose_tools_ran_the_next_call_has_more_room() -> None:
    written: list[str] = []
    reply = Reply([ToolOut("keep", {"what": "a"}), TextOut("cut off here")], stop_reason="max_tokens")
    play = await run_script([reply, say("Done.")], tools=[keep_tool(written)])
    assert written == ["a"]
    assert [request.body["max_tokens"] for request in play.requests] == [8_000, 64_000]
    assert len(play.sent(1)) == 3


async def test_E4_continuations_are_joined_and_at_most_as_many_as_the_policy_says() -> None:
    cut = Reply([TextOut("word " * 500)], stop_reason="max_tokens")
    play = await run_script([cut] * 9)
    assert len(play.requests) == 1 + 1 + QUICK.max_continuations
    assert play.result.reason == "failed"
    assert play.result.text == visible_text(play.events) == "word " * 500 * (1 + QUICK.max_continuations)
    recaps = [text for text in texts_of(play.result.messages, "user") if "without a recap" in text]
    assert len(recaps) == QUICK.max_continuations


@pytest.mark.parametrize("scenario", ["bad_key", "no_credit", "unknown_model"])
async def test_what_only_a_person_can_mend_is_never_tried_again(scenario: str) -> None:
    play = await run_script([], faults=FaultPlan.always(scenario))
    assert len(play.requests) == 1
    assert play.result.reason == "failed"


async def test_a_picture_is_left_out_once_and_the_person_is_told() -> None:
    messages = [Message("user", (Text("See."), Image("image/png", PICTURE)))]
    play = await run_script([Fault("request_too_large"), say("Seen.")], messages=messages)
    assert [block["type"] for block in play.sent(1)[0]["content"]] == ["text", "text"]
    assert "picture" in play.of_kind("guardrail")[0].noticed
    assert play.result.text == "Seen."


async def test_a_picture_that_was_left_out_does_not_come_back_in_the_next_request() -> None:
    messages = [Message("user", (Text("See."), Image("image/png", PICTURE)))]
    play = await run_script(
        [Fault("request_too_large"), look_at("a"), say("Seen.")], messages=messages, tools=[look_tool()]
    )
    assert [PICTURE in str(play.sent(at)) for at in range(3)] == [True, False, False]


async def test_a_server_that_refuses_every_request_as_too_large_is_asked_twice() -> None:
    messages = [Message("user", (Text("See."), Image("image/png", PICTURE)))]
    async with asyncio.timeout(10):
        play = await run_script([], faults=FaultPlan.always("request_too_large"), messages=messages)
    assert len(play.requests) == 2
    assert play.result.reason == "failed"


async def test_a_prompt_that_stays_too_long_is_given_up_after_every_rung_was_tried_once() -> None:
    async with asyncio.timeout(10):
        play = await run_script([], faults=FaultPlan.always("window_exceeded"), tools=[look_tool()], messages=HISTORY)
    assert 2 <= len(play.requests) <= 4
    assert play.result.failure is not None
    assert play.result.failure.kind == "prompt_too_long"


async def test_usage_is_the_sum_of_every_attempt_and_every_summary() -> None:
    reply = say("One two three four.")
    play = await run_script(
        [Fault("cut", after_events=5, reply=reply), Fault("overloaded"), look_at("a")], tools=[look_tool()]
    )
    total = Usage()
    for event in play.of_kind("usage"):
        total = total.plus(event.usage)
    assert len(play.of_kind("usage")) == len(play.requests) == 4
    assert play.result.usage == total


async def test_a_call_id_of_an_earlier_turn_is_not_used_again() -> None:
    messages = [
        *BEGIN,
        Message("assistant", (ToolUse("call_0", "look", {"at": "a"}),)),
        Message("user", (Text("And now?"),)),
    ]
    play = await run_script([look_at("b"), look_at("c")], tools=[look_tool()], messages=messages, through=SameIdModel)
    ids = [block.id for message in play.result.messages for block in message.content if isinstance(block, ToolUse)]
    assert len(ids) == len(set(ids)) == 3


async def test_a_fallback_model_is_said_and_asked_with_the_same_conversation() -> None:
    play = await run_script(
        [look_at("a"), *[Fault("overloaded")] * 3], tools=[look_tool()], fallback_model="claude-haiku-5-5"
    )
    switched = play.of_kind("model_switched")[0]
    assert (switched.from_model, switched.to_model) == ("sprout-offline", "claude-haiku-5-5")
    assert play.requests[-1].body["model"] == "claude-haiku-5-5"
    assert bare(play.sent(-1)) == bare(play.sent(-2))


def bare(messages: list[dict[str, Any]]) -> list[Any]:
    return [[{**block, "cache_control": None} for block in message["content"]] for message in messages]


async def test_a_limit_that_would_outlast_the_run_ends_it_with_the_time_to_try_again() -> None:
    play = await run_script([Fault("rate_limited", retry_after_s=3_600)], policy=policy_with(soft_limit_s=60))
    assert play.result.reason == "failed"
    assert len(play.requests) == 1
    assert "min" in str(play.result.failure)
    assert play.of_kind("model_retry") == []


async def test_the_windows_end_as_a_stop_reason_is_a_prompt_too_long_where_nothing_was_said() -> None:
    nothing = Reply([], stop_reason="model_context_window_exceeded")
    play = await run_script([nothing, say("Fits.")], tools=[look_tool()], messages=HISTORY)
    assert play.result.transitions == ("reactive_compact_retry", "end_turn")

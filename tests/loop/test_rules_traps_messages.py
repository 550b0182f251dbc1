"""Traps 13–32: messages and the provider, each through the real SDK over real HTTP."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from harness.loop.sample_tools import SameIdModel, history, keep_tool, look_at, look_tool, say, wait_tool
from harness.loop.scripted_turn import (
    BEGIN,
    QUICK,
    ManualClock,
    ScriptedTurn,
    policy_with,
    run_script,
    visible_blocks,
    visible_text,
)
from sprout.llm.catalogue import facts_of
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.stop import Stop
from sprout.loop.tool_calls.permissions import Decision, Permissions, Rule
from sprout.loop.tools import Effect, tool
from sprout.loop.turn import MessageAdded
from sprout.offline.faults.scenarios import Fault, FaultPlan
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, Step, TextOut, ThinkingOut, ToolOut

THINKER = "claude-sonnet-5-5"


async def test_trap_13_results_stand_in_call_order_though_the_tools_end_the_other_way_round() -> None:
    gates = {at: asyncio.Event() for at in "abc"}
    gates["c"].set()
    after = {"c": "b", "b": "a"}

    @tool()
    async def look(at: str) -> str:
        """Look."""
        await asyncio.wait_for(gates[at].wait(), 5)
        if at in after:
            gates[after[at]].set()
        return at

    play = await run_script([look_at("a", "b", "c")], tools=[look])
    assert [call.result for call in play.result.calls] == ["c", "b", "a"]
    assert [block["content"] for block in play.sent(1)[2]["content"]] == ["a", "b", "c"]


async def _cancelled() -> ScriptedTurn:
    stop = Stop()

    @tool(effect=Effect.WRITE)
    async def keep(what: str) -> str:
        """Keep."""
        stop.request()
        return what

    return await run_script(
        [Reply([ToolOut("keep", {"what": "a"}), ToolOut("keep", {"what": "b"})])], tools=[keep], stop=stop
    )


async def _denied() -> ScriptedTurn:
    return await run_script([look_at("a")], tools=[look_tool()], permissions=Permissions(default=Decision.DENY))


async def _unknown() -> ScriptedTurn:
    return await run_script([Reply([ToolOut("summon_an_owl"), ToolOut("look", {"at": "a"})])], tools=[look_tool()])


async def _invalid() -> ScriptedTurn:
    return await run_script([Reply([ToolOut("look", {"at": ["not", "a", "text"]})])], tools=[look_tool()])


async def _limited() -> ScriptedTurn:
    return await run_script([look_at("a", "b")], tools=[look_tool()], policy=policy_with(max_iterations=1))


@pytest.mark.parametrize("ending", [_cancelled, _denied, _unknown, _invalid, _limited])
async def test_trap_14_however_a_batch_ends_each_call_has_its_result_right_after_it(
    ending: Callable[[], Awaitable[ScriptedTurn]],
) -> None:
    play = await ending()
    again = await run_script([], tools=[look_tool(), keep_tool([])], messages=[*play.result.messages, *BEGIN])
    sent = again.sent(0)
    calls = [block["id"] for block in sent[1]["content"] if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in sent[2]["content"] if block["type"] == "tool_result"]
    assert calls
    assert results == calls


async def test_trap_15_new_words_after_an_interrupted_batch_stand_in_one_message_with_its_results() -> None:
    interrupted = [
        *BEGIN,
        Message("assistant", (ToolUse("toolu_1", "look", {"at": "a"}), ToolUse("toolu_2", "look", {"at": "b"}))),
    ]
    play = await run_script([], tools=[look_tool()], messages=[*interrupted, Message("user", (Text("Never mind."),))])
    last = play.sent(0)[-1]
    assert last["role"] == "user"
    assert [block["type"] for block in last["content"]] == ["tool_result", "tool_result", "text"]
    assert all(block["is_error"] for block in last["content"][:2])


async def test_trap_16_ids_that_a_server_repeats_are_made_unique_within_a_reply_and_across_turns() -> None:
    written: list[str] = []
    reply = Reply([ToolOut("keep", {"what": "a"}), ToolOut("keep", {"what": "b"})])
    first = await run_script([reply], tools=[keep_tool(written)], through=SameIdModel)
    second = await run_script(
        [reply], tools=[keep_tool(written)], messages=[*first.result.messages, *BEGIN], through=SameIdModel
    )
    ids = [block.id for message in second.result.messages for block in message.content if isinstance(block, ToolUse)]
    assert written == ["a", "b", "a", "b"]
    assert len(ids) == len(set(ids)) == 4


async def test_trap_17_a_call_cut_twice_by_the_limit_never_runs_and_smaller_parts_are_asked_for() -> None:
    written: list[str] = []
    cut = Fault("truncated_tool_json", reply=Reply([ToolOut("keep", {"what": "a very long value that is cut"})]))
    play = await run_script([cut, cut, say("Then not.")], tools=[keep_tool(written)])
    assert written == []
    assert [request.body["max_tokens"] for request in play.requests] == [8_000, 64_000, 64_000]
    assert "smaller parts" in play.sent(2)[-1]["content"][-1]["text"]


async def test_trap_18_a_text_cut_three_times_is_joined_without_a_lost_or_doubled_letter() -> None:
    parts = ["One two three, ", "four five six, ", "seven eight nine, ", "ten."]
    cut = [Reply([TextOut(part)], stop_reason="max_tokens") for part in parts[:3]]
    play = await run_script([cut[0], *cut, say(parts[3])], policy=policy_with(stalled_tokens=1))
    assert play.result.text == "".join(parts)
    assert visible_text(play.events) == "".join(parts)


@pytest.mark.parametrize("most", [16, 1_024, 1_500, 2_048, 8_000, 24_000, 64_000])
async def test_trap_19_a_thinking_budget_is_below_the_replys_tokens_at_every_size(most: int) -> None:
    script = [Reply([TextOut("cut")], stop_reason="max_tokens"), say("Whole.")]
    play = await run_script(script, model_name="claude-haiku-4-5", policy=policy_with(max_output_tokens=most))
    for request in play.requests:
        thinking = request.body.get("thinking")
        assert request.body["max_tokens"] <= 64_000
        assert thinking is None or 1_024 <= thinking["budget_tokens"] < request.body["max_tokens"]


async def test_trap_20_thinking_of_two_tool_turns_goes_back_byte_for_byte_and_in_order() -> None:
    script = [Reply([ThinkingOut(f"Hm {at}. ½"), TextOut(f"Now {at}."), *look_at(at).blocks]) for at in "ab"]
    play = await run_script(script, tools=[look_tool()], model_name=THINKER)
    turns = [message["content"] for message in play.sent(2) if message["role"] == "assistant"]
    assert [[block["type"] for block in blocks] for blocks in turns] == [["thinking", "text", "tool_use"]] * 2
    assert [blocks[0]["thinking"] for blocks in turns] == ["Hm a. ½", "Hm b. ½"]
    assert play.sent(1)[1]["content"][0] == turns[0][0]


async def test_trap_22_the_last_call_keeps_the_tools_declared_and_lets_none_be_called() -> None:
    clock, written = ManualClock(), list[str]()
    script = [Reply([ToolOut("wait")]), Reply([TextOut("Done so far."), ToolOut("keep", {"what": "x"})])]
    play = await run_script(script, tools=[wait_tool(clock, 1_000), keep_tool(written)], clock=clock)
    assert [request.body["tool_choice"]["type"] for request in play.requests] == ["auto", "none"]
    assert len(play.requests[1].body["tools"]) == 2
    assert written == []
    assert play.result.text == "Done so far."


async def test_trap_23_a_fallback_model_gets_what_it_understands_and_is_paid_at_its_own_price() -> None:
    reply = Reply([ThinkingOut("Hm."), *look_at("a").blocks])
    play = await run_script(
        [reply, *[Fault("overloaded")] * 3, say("Fine.")],
        tools=[look_tool()],
        model_name=THINKER,
        fallback_model="claude-haiku-4-5",
    )
    last = play.requests[-1].body
    assert last["model"] == "claude-haiku-4-5"
    assert last["thinking"]["type"] == "enabled"
    assert "signature" not in str(last["messages"])
    bill = play.of_kind("usage")[-1].usage
    assert bill.cost_usd == facts_of("claude-haiku-4-5").priced(bill).cost_usd > 0


async def test_trap_24_only_overloads_in_a_row_count_and_the_first_model_is_tried_again_later() -> None:
    clock = ManualClock()
    over = Fault("overloaded")
    spread: list[Step] = [over, look_at("a"), over, over, say("Fine.")]
    calm = await run_script(spread, tools=[look_tool()], fallback_model="smaller")
    assert {request.body["model"] for request in calm.requests} == {"sprout-offline"}
    script: list[Step] = [over, over, over, Reply([ToolOut("wait")]), Reply([ToolOut("wait")]), say("Back.")]
    play = await run_script(script, tools=[wait_tool(clock, 40)], fallback_model="smaller", clock=clock)
    models = [request.body["model"] for request in play.requests]
    assert models == ["sprout-offline"] * 3 + ["smaller", "smaller", "sprout-offline"]


async def test_trap_25_retry_after_is_waited_for_with_jitter_on_top_or_the_run_ends_early() -> None:
    short = await run_script([Fault("overloaded", retry_after_s=0.03), say("Now.")])
    long = await run_script([Fault("overloaded", retry_after_s=3_600)])
    assert 30 <= short.of_kind("model_retry")[0].delay_ms <= 38
    assert (len(long.requests), long.result.reason) == (1, "failed")
    assert long.result.failure is not None
    assert 3_600 <= (long.result.failure.retry_after_s or 0) <= 4_500


async def test_trap_26_the_sdk_tries_nothing_again_by_itself() -> None:
    play = await run_script([], faults=FaultPlan.always("rate_limited"))
    assert len(play.requests) == 1 + QUICK.rate_limit_retries
    assert len(play.of_kind("model_retry")) == QUICK.rate_limit_retries


async def test_trap_27_a_server_that_always_fails_is_asked_as_often_as_the_policy_says() -> None:
    broken = await run_script([], faults=FaultPlan.always("server_error"), policy=policy_with(overload_retries=4))
    wrong = await run_script([], faults=FaultPlan.always("bad_key"))
    assert len(broken.requests) == 5
    assert len(wrong.requests) == 1


async def test_trap_28_text_of_an_attempt_that_failed_is_withdrawn_and_not_in_the_conversation() -> None:
    reply = say("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")
    play = await run_script([Fault("error_event", after_events=20, reply=reply), reply])
    texts = [block for message in play.result.messages for block in message.content if isinstance(block, Text)]
    assert [block.text for block in texts] == ["Begin.", reply.blocks[0].text]  # type: ignore[union-attr]
    assert len(play.of_kind("message_reset")) == 1
    assert list(visible_blocks(play.events).values()) == [play.result.text]
    assert len(play.of_kind("usage")) == 2


@pytest.mark.parametrize("scenario", ["error_event", "cut"])
async def test_trap_29_a_stream_under_200_that_fails_or_just_ends_is_no_success(scenario: str) -> None:
    play = await run_script([Fault(scenario, reply=say("Half of it.")), say("All of it.")])
    assert play.requests[0].status == 200
    assert play.result.text == "All of it."
    assert play.of_kind("model_retry")


async def test_trap_30_a_stream_without_a_byte_is_left_and_one_with_pings_is_not() -> None:
    silent = await run_script([Fault("stall", after_events=6, reply=say("One two three.")), say("On.")], idle_s=0.2)
    pinged = await run_script([Fault("slow", pace=Pace(0.3, 10_000), reply=say("Slow."))], idle_s=2.0)
    assert (silent.result.text, len(silent.requests)) == ("On.", 2)
    assert (pinged.result.text, len(pinged.requests)) == ("Slow.", 1)


@pytest.mark.parametrize("scenario", ["window_exceeded", "request_too_large"])
async def test_trap_31_a_prompt_that_is_always_too_large_is_sent_a_bounded_number_of_times(scenario: str) -> None:
    play = await run_script(
        [], faults=FaultPlan.always(scenario), tools=[look_tool()], messages=[*history(9, words=300), *BEGIN]
    )
    assert len(play.requests) <= 4
    assert play.result.reason == "failed"
    assert str(play.result.failure)


async def test_trap_32_an_empty_answer_a_refusal_and_a_pause_are_each_what_they_are() -> None:
    empty = await run_script([look_at("a"), Reply(), Reply()], tools=[look_tool()])
    only_thought = await run_script(
        [look_at("a"), Reply([ThinkingOut("Hm.")]), say("So.")], tools=[look_tool()], model_name=THINKER
    )
    refused = await run_script([Fault("refusal")])
    paused = await run_script([Reply([TextOut("Wait. ")], stop_reason="pause_turn"), say("Done.")])
    assert (empty.result.transitions[-2:], len(empty.requests)) == (("empty_retry", "end_turn"), 3)
    assert (only_thought.result.transitions[-2:], only_thought.result.text) == (("empty_retry", "end_turn"), "So.")
    assert (refused.result.reason, len(refused.requests)) == ("refusal", 1)
    assert [message["role"] for message in paused.sent(1)] == ["user", "assistant"]


async def test_a_transcript_is_told_message_by_message_as_it_is_in_the_result() -> None:
    play = await run_script([look_at("a"), say("Done.")], tools=[look_tool()])
    added = [step.message for step in play.steps if isinstance(step, MessageAdded)]
    assert (*BEGIN, *added) == play.result.messages


async def test_a_rule_of_permission_is_kept_however_a_name_is_misspelled() -> None:
    seen: list[str] = []
    play = await run_script(
        [Reply([ToolOut("lok", {"at": "a"})])],
        tools=[look_tool(seen)],
        permissions=Permissions([Rule(Decision.DENY, "look")]),
    )
    assert seen == []
    assert play.result.calls[0].is_error

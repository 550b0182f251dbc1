"""L1–L15: one iteration in order, each rule through the real SDK over real HTTP (those not in test_turn)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import pytest

from harness.loop.sample_tools import PICTURE, history, keep_tool, look_at, look_tool, say, wait_tool
from harness.loop.scripted_turn import (
    BEGIN,
    QUICK,
    ManualClock,
    ScriptedTurn,
    policy_with,
    repeatable,
    run_script,
    visible_text,
)
from sprout.errors import ToolFailure
from sprout.events import ReachedLimit, UsageReported
from sprout.llm.catalogue import facts_of
from sprout.loop.model import Image, Message, ModelTraits, Text, ToolUse
from sprout.loop.stop import Stop
from sprout.loop.tool_calls.permissions import Decision, Permissions, Rule
from sprout.loop.tools import tool
from sprout.loop.turn import Forbid, Step, TurnResult
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, TextOut, ToolOut
from sprout.offline.script import Step as ScriptStep


async def test_L1_a_stop_asked_for_before_a_call_ends_the_run_there() -> None:
    stop = Stop()
    stop.request()
    play = await run_script([say("Never asked.")], stop=stop)
    assert play.requests == []
    assert play.result.reason == "cancelled"


async def test_L1_the_soft_limit_is_looked_at_before_every_call() -> None:
    clock = ManualClock()
    play = await run_script([Reply([ToolOut("wait")])] * 3, tools=[wait_tool(clock, 400)], clock=clock)
    assert play.result.reason == "soft_limit"
    assert len(play.result.calls) == 3
    assert [request.body["tool_choice"]["type"] for request in play.requests] == ["auto"] * 3 + ["none"]


async def test_L2_a_budget_of_dollars_is_held_against_the_worst_that_a_call_can_cost() -> None:
    play = await run_script(
        [look_at(number) for number in range(99)],
        tools=[repeatable(look_tool())],
        model_name="claude-opus-5-5",
        traits=ModelTraits(priced=facts_of("claude-opus-5-5").priced),
        policy=policy_with(max_run_cost_usd=0.01),
    )
    assert play.result.reason == "budget"
    assert play.result.reached_limit == ReachedLimit(unit="usd", amount=0.01)
    assert 0 < play.result.usage.cost_usd <= 0.01
    dearest = [request.body["max_tokens"] * 20 / 1_000_000 for request in play.requests]
    assert max(dearest) <= 0.01


async def test_L2_a_run_that_ends_on_its_budget_leaves_a_conversation_without_repeats() -> None:
    play = await run_script(
        [look_at(number) for number in range(99)],
        tools=[repeatable(look_tool())],
        policy=policy_with(max_run_tokens=1_500),
    )
    calls = [block.id for message in play.result.messages for block in message.content if isinstance(block, ToolUse)]
    assert play.result.reason == "budget"
    assert len(calls) == len(set(calls)) == len(play.result.calls)
    assert play.result.messages[-1].role == "user"


async def test_L4_old_results_are_cleared_before_the_call_that_would_not_fit() -> None:
    play = await run_script(
        [say("Fine.")],
        tools=[look_tool()],
        messages=[*history(8, words=300), *BEGIN],
        policy=policy_with(context_window=10_000, reserve_tokens=0, buffer_tokens=0, compaction_threshold=0.4),
    )
    assert play.of_kind("context_compacted")[0].rung == "clear"
    assert "[cleared: an older result" in str(play.sent(0))


async def test_L7_what_can_be_recovered_is_no_error_to_the_person() -> None:
    script: list[ScriptStep] = [
        Fault("overloaded"),
        Fault("cut", after_events=6, reply=say("One two three four.")),
        say("Whole."),
    ]
    play = await run_script(script)
    assert play.result.reason == "end_turn"
    assert set(play.kinds()) <= {"model_retry", "usage", "agent_reasoning_delta", "agent_reasoning", "message_reset"}
    assert visible_text(play.events) == "Whole."


async def test_L9_a_denied_call_is_an_error_result_and_the_others_run() -> None:
    written: list[str] = []
    play = await run_script(
        [Reply([ToolOut("keep", {"what": "secret"}), ToolOut("keep", {"what": "open"})])],
        tools=[keep_tool(written)],
        permissions=Permissions([Rule(Decision.DENY, "keep", {"what": "secret*"})]),
    )
    assert written == ["open"]
    assert [call.is_error for call in sorted(play.result.calls, key=lambda call: str(call.input))] == [False, True]
    assert [block["is_error"] for block in play.sent(1)[2]["content"]] == [True, False]


async def test_L9_ask_pauses_the_run_and_what_ran_beside_it_is_not_lost() -> None:
    written: list[str] = []
    seen: list[str] = []
    play = await run_script(
        [Reply([ToolOut("look", {"at": "a"}), ToolOut("keep", {"what": "b"})])],
        tools=[look_tool(seen), keep_tool(written)],
        permissions=Permissions([Rule(Decision.ASK, "keep")]),
        can_wait=True,
    )
    assert play.result.reason == "waiting_on_human"
    assert (seen, written) == (["a"], [])
    assert play.result.question is not None
    assert "keep" in play.result.question.question
    assert [result.content for result in play.result.known] == ["seen a"]
    assert play.result.messages[-1].role == "assistant"


async def test_L9_where_nobody_can_be_asked_ask_is_deny() -> None:
    written: list[str] = []
    play = await run_script(
        [Reply([ToolOut("keep", {"what": "b"})])],
        tools=[keep_tool(written)],
        permissions=Permissions([Rule(Decision.ASK, "keep")]),
    )
    assert written == []
    assert play.result.calls[0].is_error
    assert play.result.reason == "end_turn"


async def test_L11_all_results_come_in_one_message_as_text_or_blocks_with_errors_flagged() -> None:
    @tool()
    async def draw() -> tuple[Text, Image]:
        """Draw."""
        return Text("A picture:"), Image("image/png", PICTURE)

    @tool()
    async def fail() -> str:
        """Fail."""
        raise ToolFailure("Nothing there.")

    reply = Reply([ToolOut("look", {"at": "a"}), ToolOut("draw"), ToolOut("fail")])
    play = await run_script([reply], tools=[look_tool(), draw, fail])
    results = play.sent(1)[2]["content"]
    assert [block["type"] for block in results] == ["tool_result"] * 3
    assert [block["is_error"] for block in results] == [False, False, True]
    assert results[0]["content"] == "seen a"
    assert [part["type"] for part in results[1]["content"]] == ["text", "image"]
    assert results[2]["content"] == "Nothing there."


async def test_L11_a_block_without_text_is_left_out_of_a_result() -> None:
    @tool()
    async def draw() -> tuple[Text, Image]:
        """Draw."""
        return Text("  "), Image("image/png", PICTURE)

    play = await run_script([Reply([ToolOut("draw")])], tools=[draw])
    assert [part["type"] for part in play.sent(1)[2]["content"][0]["content"]] == ["image"]


async def test_L12_after_the_batch_a_circle_is_told_with_its_results() -> None:
    play = await run_script([look_at("a"), look_at("a"), look_at("a"), say("Enough.")], tools=[look_tool()])
    assert [event.level for event in play.of_kind("guardrail")] == [1]
    content = play.sent(3)[-1]["content"]
    assert [block["type"] for block in content] == ["tool_result", "text"]
    assert "same input" in content[1]["text"]


async def test_L13_a_stop_check_may_forbid_the_end() -> None:
    asked: list[str] = []

    async def check(result: TurnResult) -> Forbid | None:
        asked.append(result.text)
        return Forbid("Not yet.") if len(asked) < 4 else None

    script = [say(f"{'word ' * 600}{number}") for number in range(9)]
    play = await run_script(script, stop_checks=[check])
    assert len(asked) == len(play.requests) == 4
    assert play.result.transitions == ("stop_hook_forbidden",) * 3 + ("end_turn",)
    assert play.sent(1)[-1]["content"][0]["text"] == "Not yet."


async def test_L14_an_end_far_below_the_token_target_is_answered_with_a_nudge() -> None:
    play = await run_script([say("word " * 800), say("word " * 800), say("word " * 800)], token_target=2_900)
    assert play.result.transitions == ("token_target_continuation", "token_target_continuation", "end_turn")
    assert "do not summarise" in play.sent(1)[-1]["content"][-1]["text"]


async def test_L14_a_target_that_leads_nowhere_is_ended_by_diminishing_progress() -> None:
    play = await run_script([], token_target=50_000)
    assert play.result.reason == "end_turn"
    assert len(play.requests) == QUICK.stalled_turns
    assert play.result.problems


CUT_TEXT = Reply([TextOut("part ")], stop_reason="max_tokens")
TOO_LONG = Fault("window_exceeded")


async def _correct(result: TurnResult) -> str | None:
    return "Again." if result.text != "Better." else None


async def _forbid(result: TurnResult) -> Forbid | None:
    return Forbid("Go on.") if result.text != "Better." else None


async def _cancelled_in_mid_stream() -> ScriptedTurn:
    stop = Stop()

    @tool()
    async def halt() -> str:
        """Ask for the stop."""
        stop.request()
        return "asked"

    reply = Reply([ToolOut("halt"), TextOut("word " * 4_000)])
    return await run_script([reply], tools=[halt], stop=stop, pace=Pace(tokens_per_s=2_000))


async def _cancelled_in_a_tool() -> ScriptedTurn:
    stop, replied = Stop(), asyncio.Event()

    @tool()
    async def halt() -> str:
        """Ask for the stop once the reply is over."""
        async with asyncio.timeout(5):
            await replied.wait()
        stop.request()
        return "asked"

    def heard(step: Step) -> None:
        if isinstance(step, UsageReported):
            replied.set()

    return await run_script([Reply([ToolOut("halt")])], tools=[halt], stop=stop, heard=heard)


def _with_picture() -> list[Message]:
    return [Message("user", (Text("See."), Image("image/png", PICTURE)))]


LONG = [*history(8, words=300), *BEGIN]


@dataclass(frozen=True)
class Way:
    """A code of L15 and a run on which it is recorded."""

    code: str
    play: Callable[[], Awaitable[ScriptedTurn]]


WAYS = [
    Way("next_turn", lambda: run_script([look_at("a")], tools=[look_tool()])),
    Way("max_output_tokens_escalate", lambda: run_script([CUT_TEXT, say("Whole.")])),
    Way("max_output_tokens_recovery", lambda: run_script([CUT_TEXT, CUT_TEXT, say("Whole.")])),
    Way("reactive_compact_retry", lambda: run_script([TOO_LONG, say("Fits.")], tools=[look_tool()], messages=LONG)),
    Way(
        "collapse_retry",
        lambda: run_script([TOO_LONG, TOO_LONG, TOO_LONG, say("Fits.")], tools=[look_tool()], messages=LONG),
    ),
    Way(
        "partial_turn_kept",
        lambda: run_script(
            [Fault("cut", after_events=9, reply=Reply([TextOut("Whole. "), TextOut("Gone.")])), say("On.")]
        ),
    ),
    Way("model_error_retry", lambda: run_script([Fault("overloaded"), say("Back.")])),
    Way("image_error", lambda: run_script([Fault("request_too_large"), say("Seen.")], messages=_with_picture())),
    Way("fallback_model", lambda: run_script([Fault("overloaded")] * 3, fallback_model="smaller")),
    Way("stop_hook_correction", lambda: run_script([say("Worse."), say("Better.")], stop_checks=[_correct])),
    Way("stop_hook_forbidden", lambda: run_script([say("Worse."), say("Better.")], stop_checks=[_forbid])),
    Way("token_target_continuation", lambda: run_script([say("Short."), say("word " * 900)], token_target=1_000)),
    Way("pause_turn", lambda: run_script([Reply([TextOut("Hm.")], stop_reason="pause_turn"), say("Done.")])),
    Way("empty_retry", lambda: run_script([look_at("a"), Reply(), say("There.")], tools=[look_tool()])),
    Way("aborted_streaming", _cancelled_in_mid_stream),
    Way("aborted_tools", _cancelled_in_a_tool),
    Way("end_turn", lambda: run_script([])),
    Way(
        "stop_sequence", lambda: run_script([Reply([TextOut("So.")], stop_reason="stop_sequence", stop_sequence="END")])
    ),
    Way(
        "max_iterations", lambda: run_script([look_at("a")], tools=[look_tool()], policy=policy_with(max_iterations=1))
    ),
    Way("refusal", lambda: run_script([Fault("refusal")])),
    Way("budget", lambda: run_script([], policy=policy_with(max_run_tokens=5))),
    Way("cancelled", _cancelled_in_mid_stream),
    Way("failed", lambda: run_script([Fault("bad_key")])),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.code)
async def test_L15_why_the_loop_went_on_or_ended_is_recorded_as_one_code(way: Way) -> None:
    play = await way.play()
    assert way.code in play.result.transitions
    assert play.result.transitions[-1] == play.result.reason


async def test_L15_every_iteration_that_went_on_has_its_code() -> None:
    script: list[ScriptStep] = [look_at("a"), look_at("b"), Fault("overloaded"), look_at("c"), say("Done.")]
    play = await run_script(script, tools=[look_tool()])
    assert play.result.transitions == ("next_turn", "next_turn", "model_error_retry", "next_turn", "end_turn")


async def test_L10_a_read_waits_for_the_write_before_it_and_runs_beside_its_own_kind() -> None:
    order: list[str] = []
    reply = Reply([ToolOut("keep", {"what": "w1"}), ToolOut("look", {"at": "r"}), ToolOut("keep", {"what": "w2"})])
    await run_script([reply], tools=[look_tool(order), replace(keep_tool(order), idempotent=True)])
    assert order == ["w1", "r", "w2"]

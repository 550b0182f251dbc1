"""Traps 43–50, 54, 55, 60, 61, 63 and 64: tools and thrash, cancel and limits, through the loop."""

import asyncio

import pytest

from harness.loop.sample_tools import keep_tool, look_at, look_tool, say, wait_tool
from harness.loop.scripted_turn import BEGIN, ManualClock, policy_with, run_script
from sprout.events import ReachedLimit
from sprout.llm.catalogue import facts_of
from sprout.loop.human import ask_human
from sprout.loop.model import Message, ModelTraits, Text, ToolResult, ToolUse
from sprout.loop.stop import Stop
from sprout.loop.tool_calls.permissions import Approval, Decision, Permissions, Rule
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import CallStarted, Step
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, TextOut, ToolOut

ASKS = Permissions([Rule(Decision.ASK, "keep")])


@tool()
async def find(at: str = "", near: int = 0) -> str:
    """Find something."""
    return "nothing"


async def test_trap_43_the_order_of_the_arguments_makes_no_other_call() -> None:
    script = [
        Reply([ToolOut("find", raw_json=raw)])
        for raw in ('{"at": "a b", "near": 1}', '{"near": 1.0, "at": "a b"}', '{ "near" : 1, "at" : " a  b " }')
    ]
    play = await run_script(script, tools=[find])
    assert [event.noticed[:20] for event in play.of_kind("guardrail")] == ["find was called 3 tim"[:20]]


async def test_trap_44_a_poll_that_says_something_new_is_no_circle() -> None:
    count = iter(range(99))

    @tool()
    async def poll() -> str:
        """Poll."""
        return f"{next(count)} of 9"

    play = await run_script([Reply([ToolOut("poll")])] * 9, tools=[poll])
    assert play.of_kind("guardrail") == []
    assert len(play.requests) == 10


async def test_trap_45_two_calls_in_turn_for_ever_are_a_circle() -> None:
    play = await run_script([look_at("a"), look_at("b")] * 3, tools=[look_tool()])
    assert play.of_kind("guardrail")[0].level == 1
    assert len(play.result.calls) >= 4


async def test_trap_46_the_ladder_rises_by_one_each_time_and_ends_with_a_person() -> None:
    script = [*[look_at("a")] * 5, Reply([ToolOut("ask_human", {"question": "How shall I go on?"})])]
    play = await run_script(
        script, tools=[look_tool(), ask_human], can_wait=True, traits=ModelTraits(forces_tools=True)
    )
    assert [event.level for event in play.of_kind("guardrail")] == [1, 2, 3]
    assert play.requests[5].body["tool_choice"] == {"type": "tool", "name": "ask_human"}
    assert play.result.question is not None
    assert play.result.question.question == "How shall I go on?"


async def test_trap_47_no_name_is_repaired_into_a_change_and_none_in_a_tie() -> None:
    written: list[str] = []
    seen: list[str] = []
    play = await run_script(
        [Reply([ToolOut("kep", {"what": "a"}), ToolOut("lookx", {"at": "b"}), ToolOut("serch", {"at": "c"})])],
        tools=[
            keep_tool(written),
            look_tool(seen, name="looka"),
            look_tool(seen, name="lookb"),
            look_tool(seen, name="search"),
        ],
    )
    assert (written, seen) == ([], ["c"])
    names = [block["name"] for block in play.sent(1)[1]["content"]]
    assert names == ["kep", "lookx", "serch"]


async def test_trap_48_a_read_after_a_change_sees_it_and_one_before_does_not() -> None:
    place = ["before"]

    @tool()
    async def read() -> str:
        """Read."""
        return place[0]

    @tool(effect=Effect.WRITE)
    async def write(what: str) -> str:
        """Write."""
        await asyncio.sleep(0)
        place[0] = what
        return what

    batch = Reply([ToolOut("read"), ToolOut("write", {"what": "after"}), ToolOut("read")])
    play = await run_script([batch], tools=[read, write])
    assert [block["content"] for block in play.sent(1)[2]["content"]] == ["before", "after", "after"]


async def test_trap_49_a_call_that_waits_for_a_person_is_answered_with_its_batch_in_a_later_turn() -> None:
    written: list[str] = []
    seen: list[str] = []
    batch = Reply([ToolOut("look", {"at": "a"}), ToolOut("keep", {"what": "b"}), ToolOut("look", {"at": "c"})])
    tools = [look_tool(seen), keep_tool(written)]
    first = await run_script([batch], tools=tools, permissions=ASKS, can_wait=True)
    assert (first.result.reason, seen, written) == ("waiting_on_human", ["a", "c"], [])
    open_call = next(
        block for block in first.result.messages[-1].content if isinstance(block, ToolUse) and block.name == "keep"
    )
    second = await run_script(
        [say("Kept.")],
        tools=tools,
        permissions=ASKS,
        can_wait=True,
        messages=first.result.messages,
        known_results=first.result.known,
        approvals=[Approval.of(open_call)],
    )
    assert (second.result.text, seen, written) == ("Kept.", ["a", "c"], ["b"])
    assert [block["content"] for block in second.sent(0)[-1]["content"]] == ["seen a", "kept b", "seen c"]


async def test_trap_49_a_refusal_is_the_result_of_the_call() -> None:
    written: list[str] = []
    tools = [keep_tool(written)]
    first = await run_script([Reply([ToolOut("keep", {"what": "b"})])], tools=tools, permissions=ASKS, can_wait=True)
    assert first.result.question is not None
    no = ToolResult(first.result.question.call_id or "", "The person did not allow it.", is_error=True)
    second = await run_script(
        [say("Then not.")],
        tools=tools,
        permissions=ASKS,
        can_wait=True,
        messages=first.result.messages,
        known_results=[no],
    )
    assert written == []
    assert second.sent(0)[-1]["content"][0]["is_error"]


async def test_trap_50_an_approval_is_for_that_call_with_that_input_alone() -> None:
    written: list[str] = []
    waiting = Message("assistant", (ToolUse("toolu_1", "keep", {"what": "other"}),))
    yes = Approval.of(ToolUse("toolu_1", "keep", {"what": "this"}))
    play = await run_script(
        [], tools=[keep_tool(written)], permissions=ASKS, can_wait=True, messages=[*BEGIN, waiting], approvals=[yes]
    )
    assert play.result.reason == "waiting_on_human"
    assert written == []


async def test_trap_54_a_cancel_in_mid_stream_keeps_the_part_and_its_usage() -> None:
    stop = Stop()

    def heard(step: Step) -> None:
        if getattr(step, "kind", "") == "agent_reasoning_delta":
            stop.request()

    play = await run_script([say("word " * 4_000)], stop=stop, heard=heard, pace=Pace(tokens_per_s=1_000))
    assert play.result.reason == "cancelled"
    assert play.result.text.startswith("word")
    assert play.result.messages[-1] == Message("assistant", (Text(play.result.text),))
    assert play.result.usage.input_tokens + play.result.usage.cache_write_tokens > 0


async def test_trap_55_of_three_changes_the_running_one_ends_and_the_last_is_answered_without_running() -> None:
    stop = Stop()
    written: list[str] = []

    @tool(effect=Effect.WRITE)
    async def keep(what: str) -> str:
        """Keep."""
        if what == "b":
            stop.request()
            await asyncio.sleep(0)
        written.append(what)
        return what

    play = await run_script([Reply([ToolOut("keep", {"what": what}) for what in "abc"])], tools=[keep], stop=stop)
    assert written == ["a", "b"]
    assert [call.is_error for call in play.result.calls] == [False, False, True]
    assert len(play.requests) == 1
    started = [step.call.input["what"] for step in play.steps if isinstance(step, CallStarted)]
    assert set(written) <= set(started)


@pytest.mark.parametrize(("seconds", "reason", "asked"), [(899, "end_turn", 2), (900, "soft_limit", 2)])
async def test_trap_60_a_second_before_the_soft_limit_and_at_it(seconds: float, reason: str, asked: int) -> None:
    clock = ManualClock()
    play = await run_script([Reply([ToolOut("wait")]), say("Done.")], tools=[wait_tool(clock, seconds)], clock=clock)
    assert (play.result.reason, len(play.requests)) == (reason, asked)
    assert play.requests[-1].body["tool_choice"]["type"] == ("none" if reason == "soft_limit" else "auto")


async def test_trap_60_a_closing_turn_that_fails_ends_the_run_without_waiting() -> None:
    clock = ManualClock()
    play = await run_script([Reply([ToolOut("wait")]), Fault("overloaded")], tools=[wait_tool(clock, 901)], clock=clock)
    assert play.result.reason == "soft_limit"
    assert len(play.requests) == 2


async def test_trap_61_waiting_for_a_person_does_not_count_and_waiting_for_the_server_does() -> None:
    clock = ManualClock()
    asks = Reply([ToolOut("ask_human", {"question": "Which?"})])
    tools = [ask_human, wait_tool(clock, 500)]
    first = await run_script([Reply([ToolOut("wait")]), asks], tools=tools, can_wait=True, clock=clock)
    clock.now_s += 3_600
    answer = ToolResult(first.result.question.call_id or "", "This.") if first.result.question else None
    assert answer is not None
    second = await run_script(
        [Reply([ToolOut("wait")]), say("Done.")],
        tools=tools,
        can_wait=True,
        clock=clock,
        messages=first.result.messages,
        known_results=[answer],
    )
    assert second.result.reason == "end_turn"
    late = ManualClock()
    third = await run_script(
        [Reply([ToolOut("wait")]), Fault("rate_limited", retry_after_s=200)], tools=[wait_tool(late, 800)], clock=late
    )
    assert third.result.reason == "failed"
    assert third.of_kind("model_retry") == []


async def test_trap_63_short_turns_with_an_effect_go_on_and_three_without_any_are_enough() -> None:
    saving = [Reply([ToolOut("keep", {"what": str(number)})]) for number in range(8)]
    busy = await run_script(saving, tools=[_repeatable_keeper()])
    idle = await run_script([Reply([TextOut("Hm.")], stop_reason="pause_turn")] * 9)
    assert len(busy.requests) == 9
    assert busy.result.problems == ()
    assert len(idle.requests) == 3
    assert idle.result.problems


def _repeatable_keeper() -> Tool:
    @tool(effect=Effect.WRITE, repeatable=True)
    async def keep(what: str) -> str:
        """Keep."""
        return "ok"

    return keep


async def test_trap_64_a_budget_smaller_than_one_call_pays_for_none_and_failed_attempts_are_paid() -> None:
    name = "claude-opus-5-5"
    traits = ModelTraits(priced=facts_of(name).priced)
    none = await run_script([], model_name=name, traits=traits, policy=policy_with(max_run_cost_usd=0.0001))
    reply = say("one two three four five six seven eight")
    twice = await run_script([Fault("cut", after_events=8, reply=reply), reply], model_name=name, traits=traits)
    once = await run_script([reply], model_name=name, traits=traits)
    assert (none.requests, none.result.reason) == ([], "budget")
    assert none.result.reached_limit == ReachedLimit(unit="usd", amount=0.0001)
    assert twice.result.usage.cost_usd > once.result.usage.cost_usd > 0
    total = sum(event.usage.cost_usd for event in twice.of_kind("usage"))
    assert twice.result.usage.cost_usd == pytest.approx(total)

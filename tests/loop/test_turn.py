"""The rules of the loop, each through the real SDK over real HTTP."""

import asyncio
import json
from dataclasses import replace

import pytest

from harness.loop.scripted_turn import QUICK, claude_at, run_script, visible_text
from sprout.errors import ToolFailure
from sprout.events import ReachedLimit, Usage
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.model_call.caller import PARTS_AT_ONCE
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import CallStarted, TurnResult, run_turn
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, Scripted, Step, TextOut, ThinkingOut, ToolOut
from sprout.offline.server import running_offline_server


def looker(seen: list[str], *, name: str = "look") -> Tool:
    @tool(name=name)
    async def look(at: str) -> str:
        """Look at something."""
        seen.append(at)
        return f"seen {at}"

    return look


def keeper(written: list[str], *, idempotent: bool | None = None) -> Tool:
    @tool(effect=Effect.WRITE, idempotent=idempotent)
    async def keep(what: str) -> dict[str, str]:
        """Keep something."""
        written.append(what)
        return {"kept": what}

    return keep


async def test_a_plain_answer_is_streamed_and_ends_the_turn() -> None:
    play = await run_script([Reply([TextOut("Hello, world.")])])
    assert play.result.text == "Hello, world."
    assert play.result.reason == "end_turn"
    assert visible_text(play.events) == "Hello, world."
    assert play.kinds()[-2:] == ["agent_reasoning", "usage"]
    assert play.result.usage.output_tokens > 0


async def test_L2_a_spent_token_budget_ends_the_run_before_the_next_call() -> None:
    policy = QUICK.model_copy(update={"max_run_tokens": 1_500})
    play = await run_script(
        [Reply([ToolOut("look", {"at": str(at)})]) for at in range(99)],
        tools=[replace(looker([]), repeatable=True)],
        policy=policy,
    )
    assert play.result.reason == "budget"
    assert play.result.reached_limit == ReachedLimit(unit="tokens", amount=1_500)
    assert 1 <= len(play.requests) < 15
    assert all(request.body["max_tokens"] < 1_500 for request in play.requests)
    assert play.result.calls[0].result == "seen 0"


async def test_L3_a_conversation_with_orphans_is_sent_as_a_valid_one() -> None:
    history = [
        Message("user", (Text("One."), Text("  "))),
        Message("user", (Text("Two."),)),
        Message("assistant", (ToolUse("toolu_lost", "look", {"at": "a"}),)),
        Message("user", (Text("Three."),)),
    ]
    play = await run_script([Reply([TextOut("Fine.")])], tools=[looker([])], messages=history)
    assert play.result.text == "Fine."
    sent = play.requests[0].body["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [block["type"] for block in sent[2]["content"]] == ["tool_result", "text"]


async def test_L5_the_prefix_of_each_request_is_the_one_before_byte_for_byte() -> None:
    script = [Reply([ToolOut("look", {"at": str(number)})]) for number in range(5)]
    play = await run_script(script, tools=[looker([])], system="You are tested at length. " * 200)
    for earlier, later in zip(play.requests, play.requests[1:], strict=False):
        for part in ("system", "tools"):
            assert json.dumps(earlier.body[part]) == json.dumps(later.body[part])
        before, after = (_without_breakpoints(request.body["messages"]) for request in (earlier, later))
        assert after[: len(before)] == before
    usages = [event.usage for event in play.events if event.kind == "usage"]
    assert usages[0].cache_write_tokens > 0
    assert all(usage.cache_read_tokens > 0 for usage in usages[1:])


def _without_breakpoints(messages: list[dict[str, object]]) -> list[str]:
    def bare(block: dict[str, object]) -> dict[str, object]:
        return {key: value for key, value in block.items() if key != "cache_control"}

    return [
        json.dumps([message["role"], [bare(block) for block in message["content"]]])  # type: ignore[attr-defined]
        for message in messages
    ]


async def test_L6_a_tool_starts_while_the_rest_of_the_reply_is_still_streaming() -> None:
    running = asyncio.Event()

    @tool()
    async def look(at: str) -> str:
        """Look."""
        running.set()
        return at

    script = Scripted([Reply([ToolOut("look", {"at": "a"}), TextOut("word " * 400)])])
    async with (
        running_offline_server(script, pace=Pace(tokens_per_s=2_000)) as server,
        claude_at(server) as model,
    ):
        told_after_start = 0
        async for step in run_turn(
            model, model_name="m", system="s", messages=[Message("user", (Text("go"),))], tools=[look], policy=QUICK
        ):
            if running.is_set() and getattr(step, "kind", "") == "agent_reasoning_delta":
                told_after_start += 1
    assert told_after_start > 10


async def test_a_reply_that_comes_in_one_piece_leaves_others_their_turn_while_it_is_read() -> None:
    taken = 0

    async def others() -> None:
        nonlocal taken
        while True:
            taken += 1
            await asyncio.sleep(0)

    async with (
        running_offline_server(Scripted([Reply([TextOut("word " * 400)])])) as server,
        claude_at(server) as model,
    ):
        beside = asyncio.create_task(others())
        steps = run_turn(model, model_name="m", system="s", messages=[Message("user", (Text("go"),))])
        turns = [taken async for step in steps if getattr(step, "kind", "") == "agent_reasoning_delta"]
        beside.cancel()
    assert len({*turns}) >= len(turns) // PARTS_AT_ONCE > 10


async def test_L8_a_misspelled_tool_is_repaired_with_a_warning_and_keeps_its_name_in_history() -> None:
    seen: list[str] = []
    play = await run_script([Reply([ToolOut("lok", {"at": "a"})])], tools=[looker(seen)])
    assert seen == ["a"]
    assert "guardrail" in play.kinds()
    assert play.requests[1].body["messages"][1]["content"][0]["name"] == "lok"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        pytest.param("look_around", {"at": "a"}, id="too far"),
        pytest.param("lok", {"from": "a"}, id="input does not fit"),
        pytest.param("kep", {"what": "a"}, id="a write that is not safe to repeat"),
    ],
)
async def test_L8_an_unknown_tool_is_answered_with_the_valid_names(name: str, given: dict[str, str]) -> None:
    written: list[str] = []
    play = await run_script([Reply([ToolOut(name, given)])], tools=[looker(written), keeper(written)])
    assert written == []
    assert "keep, look" in play.result.calls[0].result
    assert play.result.calls[0].is_error


async def test_what_an_unknown_tool_was_given_is_not_shown_since_it_may_be_secret() -> None:
    play = await run_script([Reply([ToolOut("save_questions", {"correct_answer": "canary"})])], tools=[looker([])])
    shown = next(event for event in play.events if event.kind == "tool_call")
    assert shown.input == {}


async def test_L8_a_tie_between_two_names_is_not_guessed() -> None:
    seen: list[str] = []
    play = await run_script(
        [Reply([ToolOut("lookc", {"at": "a"})])], tools=[looker(seen, name="looka"), looker(seen, name="lookb")]
    )
    assert seen == []
    assert play.result.calls[0].is_error


async def test_L8_an_input_that_does_not_fit_names_the_field() -> None:
    play = await run_script([Reply([ToolOut("look", {"at": {"x": 3, "y": 4}})])], tools=[looker([])])
    result = play.result.calls[0].result
    assert "at:" in result


async def test_L8_an_input_that_a_person_would_understand_is_mended_and_the_result_says_so() -> None:
    seen: list[str] = []
    play = await run_script([Reply([ToolOut("look", {"At": [3], "more": 1})])], tools=[looker(seen)])
    (call,) = play.result.calls
    assert not call.is_error
    assert (seen, dict(call.input)) == (["3"], {"at": "3"})
    assert "there is no field 'more': left out" in call.result


async def test_L10_reads_run_together_writes_alone_and_results_come_in_call_order() -> None:
    order: list[str] = []
    both_reading = asyncio.Barrier(2)

    @tool()
    async def look(at: str) -> str:
        """Look."""
        if at != "after":
            await asyncio.wait_for(both_reading.wait(), 5)
        order.append(at)
        return at

    save = keeper(order)
    calls = [("look", {"at": "a"}), ("look", {"at": "b"}), ("keep", {"what": "w"}), ("look", {"at": "after"})]
    play = await run_script([Reply([ToolOut(name, given) for name, given in calls])], tools=[look, save])
    assert sorted(order[:2]) == ["a", "b"]
    assert order[2:] == ["w", "after"]
    results = play.requests[1].body["messages"][2]["content"]
    assert [block["content"] for block in results] == ["a", "b", '{"kept": "w"}', "after"]


async def test_L10_without_parallel_tools_everything_runs_one_after_the_other() -> None:
    going = 0

    @tool()
    async def look(at: str) -> str:
        """Look."""
        nonlocal going
        going += 1
        await asyncio.sleep(0)
        together, going = going, going - 1
        return f"{together}"

    policy = QUICK.model_copy(update={"parallel_tools": False})
    play = await run_script([Reply([ToolOut("look", {"at": "x"})] * 3)], tools=[look], policy=policy)
    assert [call.result for call in play.result.calls] == ["1", "1", "1"]


async def test_L13_a_stop_check_corrects_twice_and_then_the_run_ends_with_what_it_says() -> None:
    asked = 0

    async def check(_: TurnResult) -> str | None:
        nonlocal asked
        asked += 1
        return "Not enough."

    play = await run_script([], stop_checks=[check])
    assert len(play.requests) == 3
    assert play.result.problems == ("Not enough.",)
    assert play.requests[1].body["messages"][-1]["content"][0]["text"] == "Not enough."


async def test_max_iterations_ends_with_the_partial_result() -> None:
    policy = QUICK.model_copy(update={"max_iterations": 3})
    script = [Reply([TextOut(f"Step {number}."), ToolOut("look", {"at": str(number)})]) for number in range(9)]
    play = await run_script(script, tools=[looker([])], policy=policy)
    assert play.result.reason == "max_iterations"
    assert play.result.reached_limit == ReachedLimit(unit="iterations", amount=3)
    assert play.result.text == "Step 2."
    assert len(play.result.calls) == 3
    assert len(play.requests) == 3


async def test_E1_a_call_starts_only_after_its_reader_has_gone_on() -> None:
    seen: list[str] = []
    async with running_offline_server(Scripted([Reply([ToolOut("look", {"at": "a"})])])) as server:
        async with claude_at(server) as model:
            async for step in run_turn(
                model,
                model_name="m",
                system="s",
                messages=[Message("user", (Text("go"),))],
                tools=[looker(seen)],
            ):
                if isinstance(step, CallStarted):
                    await asyncio.sleep(0)
                    assert seen == []
    assert seen == ["a"]


async def test_E2_after_a_cut_the_whole_blocks_are_the_reply_and_nothing_runs_twice() -> None:
    written: list[str] = []
    reply = Reply([TextOut("First."), ToolOut("keep", {"what": "a"}), ToolOut("keep", {"what": "bbbbbbbbbbbbbbb"})])
    whole = await run_script([reply], tools=[keeper([])])
    events_of_first_call = 14
    play = await run_script([Fault("cut", after_events=events_of_first_call, reply=reply)], tools=[keeper(written)])
    assert written == ["a"]
    assert "partial_turn_kept" in play.result.transitions
    assert [block["type"] for block in play.requests[1].body["messages"][1]["content"]] == ["text", "tool_use"]
    assert len(whole.result.calls) == 2


async def test_E3_a_cut_before_any_whole_block_repeats_the_request_and_withdraws_the_text() -> None:
    reply = Reply([TextOut("One two three four five six.")])
    play = await run_script([Fault("cut", after_events=5, reply=reply), reply])
    assert play.requests[0].body == play.requests[1].body
    assert visible_text(play.events) == play.result.text == "One two three four five six."
    assert play.kinds().count("message_reset") == 1


async def test_E4_a_truncated_reply_is_asked_for_once_more_with_more_room() -> None:
    play = await run_script(
        [Fault("truncated_text", reply=Reply([TextOut("A long text.")])), Reply([TextOut("Whole.")])]
    )
    assert [request.body["max_tokens"] for request in play.requests] == [8_000, 64_000]
    assert visible_text(play.events) == play.result.text == "Whole."


async def test_E4_a_call_cut_by_the_token_limit_never_runs() -> None:
    written: list[str] = []
    reply = Reply([ToolOut("keep", {"what": "a long value that is cut"})])
    play = await run_script(
        [Fault("truncated_tool_json", reply=reply), Reply([TextOut("Done.")])], tools=[keeper(written)]
    )
    assert written == []
    assert play.requests[0].body["messages"] == play.requests[1].body["messages"]


async def test_E4_a_reply_that_stays_too_long_is_continued_and_joined() -> None:
    cut = Reply([TextOut("part ")], stop_reason="max_tokens")
    play = await run_script([cut, cut, cut, Reply([TextOut("end.")])])
    texts = [block.text for message in play.result.messages for block in message.content if isinstance(block, Text)]
    assert [text for text in texts if text in ("part ", "end.")] == ["part ", "part ", "end."]
    assert play.result.transitions.count("max_output_tokens_recovery") == 2


@pytest.mark.parametrize(
    "scenario", ["overloaded", "server_error", "bad_gateway_html", "reset", "cut", "error_event", "rate_limited"]
)
async def test_a_passing_failure_of_the_model_is_tried_again_and_told(scenario: str) -> None:
    play = await run_script([Fault(scenario), Reply([TextOut("Back.")])])
    assert play.result.text == "Back."
    assert visible_text(play.events) == "Back."
    retry = next(event for event in play.events if event.kind == "model_retry")
    assert retry.attempt == 1
    assert "{" not in retry.why


async def test_a_silent_stream_is_left_after_the_idle_time() -> None:
    play = await run_script([Fault("stall"), Reply([TextOut("Awake.")])], idle_s=0.2)
    assert play.result.text == "Awake."


async def test_pings_count_as_life() -> None:
    stop = Stop()
    play_task = asyncio.create_task(run_script([Fault("stall", pings=True)], idle_s=0.3, stop=stop))
    done, _ = await asyncio.wait([play_task], timeout=1.0)
    assert not done
    stop.request()
    assert (await play_task).result.reason == "cancelled"


@pytest.mark.parametrize(
    ("scenario", "words"),
    [("bad_key", "ANTHROPIC_API_KEY"), ("unknown_model", "SPROUT_MODEL"), ("no_credit", "credit")],
)
async def test_what_trying_again_cannot_help_ends_at_once_and_says_what_to_fix(scenario: str, words: str) -> None:
    play = await run_script([Fault(scenario)])
    assert play.result.reason == "failed"
    assert play.result.failure is not None
    assert words in str(play.result.failure)
    assert len(play.requests) == 1


async def test_rate_limits_are_given_up_after_the_schedule() -> None:
    play = await run_script([Fault("rate_limited")] * 9)
    assert play.result.reason == "failed"
    assert len(play.requests) == 1 + QUICK.rate_limit_retries


async def test_retry_after_is_honoured_with_jitter_on_top() -> None:
    play = await run_script([Fault("rate_limited", retry_after_s=0.02), Reply([TextOut("Now.")])])
    retry = next(event for event in play.events if event.kind == "model_retry")
    assert 20 <= retry.delay_ms <= 25


async def test_three_overloads_in_a_row_switch_to_the_fallback_model() -> None:
    play = await run_script([Fault("overloaded")] * 3, fallback_model="smaller")
    assert [request.body["model"] for request in play.requests] == ["sprout-offline"] * 3 + ["smaller"]
    assert "model_switched" in play.kinds()


async def test_a_rate_limit_between_overloads_neither_counts_nor_resets() -> None:
    faults = [Fault("overloaded"), Fault("overloaded"), Fault("rate_limited"), Fault("overloaded")]
    play = await run_script(faults, fallback_model="smaller")
    assert play.requests[-1].body["model"] == "smaller"


async def test_a_success_resets_the_count_of_overloads() -> None:
    calls = Reply([ToolOut("look", {"at": "a"})])
    script: list[Step] = [Fault("overloaded"), Fault("overloaded"), calls, Fault("overloaded")]
    play = await run_script(script, tools=[looker([])], fallback_model="smaller")
    assert {request.body["model"] for request in play.requests} == {"sprout-offline"}


async def test_T2_a_transient_failure_of_a_read_is_tried_again() -> None:
    tries = 0

    @tool()
    async def flaky() -> str:
        """Fails twice."""
        nonlocal tries
        tries += 1
        if tries < 3:
            raise ToolFailure("busy", transient=True)
        return "fine"

    play = await run_script([Reply([ToolOut("flaky")])], tools=[flaky])
    assert play.result.calls[0].result == "fine"
    assert play.result.calls[0].attempts == 3


async def test_T2_a_write_that_timed_out_is_not_run_again() -> None:
    tries = 0

    @tool(effect=Effect.WRITE, timeout_s=0.01)
    async def slow() -> str:
        """Never ends."""
        nonlocal tries
        tries += 1
        await asyncio.Event().wait()
        return ""

    play = await run_script([Reply([ToolOut("slow")])], tools=[slow])
    assert tries == 1
    assert "did not answer within 0.01 s" in play.result.calls[0].result


async def test_T3_a_bug_in_a_tool_is_an_error_result_without_its_traceback() -> None:
    @tool()
    async def broken() -> str:
        """Breaks."""
        raise KeyError("secret detail")

    play = await run_script([Reply([ToolOut("broken")])], tools=[broken])
    assert play.result.calls[0].is_error
    assert "secret" not in play.result.calls[0].result


async def test_T4_a_large_result_is_cut_in_the_middle() -> None:
    @tool()
    async def large() -> str:
        """Says a lot."""
        return "é" * 100_000

    play = await run_script([Reply([ToolOut("large")])], tools=[large])
    result = play.result.calls[0].result
    assert len(result.encode()) < 51_000
    assert "[cut: 150000 bytes]" in result


async def test_T8_a_tool_that_ends_the_turn_needs_no_further_call() -> None:
    @tool(effect=Effect.WRITE, ends_turn=True)
    async def finish(summary: str) -> str:
        """End."""
        return summary

    play = await run_script([Reply([ToolOut("finish", {"summary": "all"})])], tools=[finish])
    assert play.result.reason == "end_turn"
    assert len(play.requests) == 1


async def test_malformed_json_is_an_error_result_for_that_call_alone() -> None:
    seen: list[str] = []
    reply = Reply([ToolOut("look", raw_json='{"at": '), ToolOut("look", {"at": "b"})])
    play = await run_script([reply], tools=[looker(seen)])
    assert seen == ["b"]
    results = play.requests[1].body["messages"][2]["content"]
    assert [block["is_error"] for block in results] == [True, False]


async def test_a_refusal_is_shown_as_such() -> None:
    play = await run_script([Fault("refusal")])
    assert play.result.reason == "refusal"


async def test_a_paused_turn_is_sent_back_and_goes_on() -> None:
    play = await run_script(
        [Reply([TextOut("Thinking it over.")], stop_reason="pause_turn"), Reply([TextOut("Done.")])]
    )
    assert play.result.text == "Done."
    assert play.result.transitions[0] == "pause_turn"


async def test_an_empty_answer_to_results_is_asked_once_more() -> None:
    script = [Reply([ToolOut("look", {"at": "a"})]), Reply([]), Reply([])]
    play = await run_script(script, tools=[looker([])])
    assert play.result.reason == "end_turn"
    assert len(play.requests) == 3


async def test_cancel_in_mid_stream_closes_the_stream_and_keeps_what_was_said() -> None:
    stop = Stop()
    script = Scripted([Reply([TextOut("word " * 5_000)])])
    async with (
        running_offline_server(script, pace=Pace(tokens_per_s=500)) as server,
        claude_at(server) as model,
    ):
        steps = []
        async for step in run_turn(
            model, model_name="m", system="s", messages=[Message("user", (Text("go"),))], stop=stop
        ):
            steps.append(step)
            if len(steps) == 5:
                stop.request()
        result = steps[-1]
        assert isinstance(result, TurnResult)
        assert result.reason == "cancelled"
        assert result.text.startswith("word ")
        async with asyncio.timeout(5):
            while not server.requests[0].closed_early:
                await asyncio.sleep(0)


async def test_cancel_lets_the_running_tool_finish_and_runs_no_other() -> None:
    stop = Stop()
    written: list[str] = []

    @tool(effect=Effect.WRITE)
    async def keep(what: str) -> str:
        """Keep."""
        stop.request()
        await asyncio.sleep(0)
        written.append(what)
        return "ok"

    play = await run_script([Reply([ToolOut("keep", {"what": what}) for what in "abc"])], tools=[keep], stop=stop)
    assert play.result.reason == "cancelled"
    assert written == ["a"]
    assert next(call.is_error for call in play.result.calls) is False


async def test_H1_thinking_is_streamed_and_sent_back_unchanged_within_the_turn() -> None:
    reply = Reply([ThinkingOut("Hm, let me see."), ToolOut("look", {"at": "a"})])
    play = await run_script([reply], tools=[looker([])], model_name="claude-sonnet-5-5")
    assert "thinking" in play.kinds()
    block = play.requests[1].body["messages"][1]["content"][0]
    assert block["thinking"] == "Hm, let me see."
    assert block["signature"]


async def test_H3_no_sampling_parameters_are_sent() -> None:
    play = await run_script([])
    assert not {"temperature", "top_p", "top_k"} & set(play.requests[0].body)


async def test_usage_counts_failed_attempts_too() -> None:
    reply = Reply([TextOut("One two three four.")])
    play = await run_script([Fault("cut", after_events=6, reply=reply), reply])
    usages = [event.usage for event in play.events if event.kind == "usage"]
    total = Usage()
    for usage in usages:
        total = total.plus(usage)
    assert len(usages) == 2
    assert play.result.usage == total


async def test_a_repeated_call_id_gets_a_new_one() -> None:
    same = Reply([ToolOut("look", {"at": "a"})])
    play = await run_script([same, same, same], tools=[looker([])], policy=LoopPolicy())
    ids = [call.id for call in play.result.calls]
    assert len(set(ids)) == len(ids) == 3

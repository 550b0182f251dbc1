"""S1, S2 and J1–J4 through the loop: its time, and what an agent notes down for its next run."""

import asyncio
import json
from contextlib import aclosing

from harness.loop.journals import unstored_journal
from harness.loop.sample_tools import keep_tool, say, wait_tool
from harness.loop.scripted_turn import BEGIN, QUICK, ManualClock, claude_at, run_script, visible_text
from sprout.events import ReachedLimit
from sprout.loop.journal import Journal, journal_tools
from sprout.loop.model import Message, Text
from sprout.loop.tools import tool
from sprout.loop.turn import run_turn
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, Scripted, TextOut, ToolOut
from sprout.offline.server import running_offline_server

WAIT = Reply([ToolOut("wait")])


async def test_S1_at_the_soft_limit_one_more_call_says_what_was_done() -> None:
    clock = ManualClock()
    play = await run_script([WAIT, say("I have looked at one source.")], tools=[wait_tool(clock, 901)], clock=clock)
    last = play.requests[-1].body
    assert play.result.reason == "soft_limit"
    assert play.result.reached_limit == ReachedLimit(unit="seconds", amount=900)
    assert play.result.text == "I have looked at one source."
    assert last["tools"] == play.requests[0].body["tools"]
    assert last["tool_choice"] == {"type": "none"}
    assert play.result.messages[-1].role == "assistant"
    assert visible_text(play.events) == "I have looked at one source."


async def test_S1_a_call_that_comes_all_the_same_is_answered_and_not_run() -> None:
    clock, written = ManualClock(), list[str]()
    stubborn = Reply([TextOut("So far: "), ToolOut("keep", {"what": "late"}), TextOut("one source. " * 60)])
    play = await run_script(
        [WAIT, stubborn], tools=[wait_tool(clock, 901), keep_tool(written)], clock=clock, pace=Pace(tokens_per_s=2_000)
    )
    assert written == []
    assert play.result.reason == "soft_limit"
    assert play.result.text.startswith("So far: one source.")
    assert len(play.of_kind("tool_call")) == len(play.of_kind("tool_result")) == 2


async def test_S1_the_wait_before_a_retry_counts_and_is_not_begun_where_it_would_outlast_the_run() -> None:
    clock = ManualClock()
    play = await run_script([WAIT, say("Nearly."), say("Never.")], tools=[wait_tool(clock, 899)], clock=clock)
    assert play.result.reason == "end_turn"
    assert len(play.requests) == 2


async def test_S2_at_the_hard_limit_the_run_is_cancelled_from_outside_and_nothing_of_it_goes_on() -> None:
    began, ended = asyncio.Event(), list[str]()

    @tool()
    async def endless() -> str:
        """Never end."""
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return ""

    async def run() -> None:
        script = Scripted([Reply([ToolOut("endless"), TextOut("word " * 9_000)])])
        async with running_offline_server(script, pace=Pace(tokens_per_s=2_000)) as server, claude_at(server) as model:
            turn = run_turn(model, model_name="m", system="s", messages=BEGIN, tools=[endless], policy=QUICK)
            try:
                async with aclosing(turn) as steps:
                    async for _ in steps:
                        pass
            finally:
                async with asyncio.timeout(5):
                    while not server.requests[0].closed_early:
                        await asyncio.sleep(0)

    running = asyncio.create_task(run())
    await asyncio.wait_for(began.wait(), 5)
    running.cancel()
    await asyncio.wait([running], timeout=10)
    assert running.cancelled()
    assert ended == ["cancelled"]


async def test_J1_all_eight_sections_can_be_written_by_the_model_and_are_kept() -> None:
    book = unstored_journal()
    lines = {"objective": "a", "current_state": "b", "handoff_next_action": "c"}
    lists = ("verified_findings", "decisions", "artifacts", "open_questions", "blockers")
    appended = [ToolOut("append_run_journal_entry", {"section": name, "entry": f"x {name}"}) for name in lists]
    script = [Reply([ToolOut("update_run_journal", lines), *appended])]
    play = await run_script(script, tools=journal_tools(book))
    assert all(not call.is_error for call in play.result.calls)
    assert book.content == Journal(**lines, **{name: (f"x {name}",) for name in lists})  # type: ignore[arg-type]


async def test_J2_the_model_reads_what_it_wrote_and_entries_are_no_circle() -> None:
    book = unstored_journal()
    entries = [
        Reply([ToolOut("append_run_journal_entry", {"section": "decisions", "entry": f"Decision {number}"})])
        for number in range(8)
    ]
    play = await run_script([*entries, Reply([ToolOut("get_run_journal")])], tools=journal_tools(book))
    assert play.of_kind("guardrail") == []
    assert "Decision 7" in play.result.calls[-1].result
    assert play.result.calls[-1].result.startswith("<run_journal>")


async def test_J3_the_digest_ends_the_system_prompt_and_the_journal_stands_before_the_live_messages() -> None:
    journal = Journal(objective="Find the source", verified_findings=("Page 1 is no help",), blockers=("No index",))
    book = unstored_journal(journal)
    script = [Reply([ToolOut("update_run_journal", {"objective": f"Now {number}"})]) for number in range(4)]
    play = await run_script(
        script,
        tools=journal_tools(book),
        system=f"You are tested.\n\n{journal.digest()}",
        messages=(*journal.as_messages(), Message("user", (Text("Go on."),))),
    )
    systems = {json.dumps(request.body["system"]) for request in play.requests}
    assert len(systems) == 1
    text = play.requests[0].body["system"][0]["text"]
    assert text.endswith("</run_journal_digest>")
    assert len(text) - len("You are tested.") < 500 + 150
    assert [message["role"] for message in play.sent(-1)[:3]] == ["user", "assistant", "user"]
    assert "Page 1 is no help" in play.sent(-1)[0]["content"][0]["text"]
    assert play.sent(-1)[2]["content"][0]["text"] == "Go on."

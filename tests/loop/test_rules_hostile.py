"""Hostile or accidental model output, and a model's thinking that is never requested."""

import pytest

from harness.loop.sample_tools import PICTURE, history, look_at, look_tool, say
from harness.loop.scripted_turn import BEGIN, refused_requests, run_script
from sprout.llm.catalogue import facts_of
from sprout.loop.model import Image, Message, ModelTraits, Text
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, TextOut, ThinkingOut, ToolOut


@pytest.mark.parametrize("depth", [300, 600])
async def test_a_tool_input_nested_too_deeply_is_an_error_result(depth: int) -> None:
    raw = '{"at": ' + "[" * depth + "]" * depth + "}"
    play = await run_script([Reply([ToolOut("look", raw_json=raw)]), say("Then not.")], tools=[look_tool()])
    assert play.result.calls[0].is_error
    assert play.result.text == "Then not."


@pytest.mark.parametrize("name", ["", "l" * 300])
async def test_a_name_that_the_provider_does_not_take_back_poisons_nothing(name: str) -> None:
    play = await run_script([Reply([ToolOut(name, {"at": "a"})]), say("Then not.")], tools=[look_tool()])
    assert play.result.text == "Then not."


async def test_a_paused_turn_whose_view_is_rewritten_goes_on() -> None:
    paused = Reply([ThinkingOut("Hm."), TextOut("And on.")], stop_reason="pause_turn")
    play = await run_script(
        [paused, Fault("window_exceeded"), say("Done.")],
        tools=[look_tool()],
        model_name="claude-sonnet-5-5",
        messages=[*history(6, words=300), *BEGIN],
    )
    assert play.result.text == "Done."


async def test_what_is_thought_after_the_words_that_a_rewritten_pause_needs_is_not_sent_again() -> None:
    paused = Reply([ThinkingOut("Hm."), TextOut("And on.")], stop_reason="pause_turn")
    thought = Reply([ThinkingOut("Where was I?"), ToolOut("look", {"at": "a"})])
    play = await run_script(
        [paused, Fault("window_exceeded"), thought, say("Done.")],
        tools=[look_tool()],
        model_name="claude-sonnet-5-5",
        messages=[*history(6, words=300), *BEGIN],
    )
    assert play.result.text == "Done."
    assert refused_requests(play.requests) == []


async def test_H2_thinking_before_a_picture_that_is_left_out_is_not_sent_again() -> None:
    picture = Image("image/png", PICTURE)
    thought = Reply([ThinkingOut("What is drawn?"), ToolOut("look", {"at": "a"})])
    play = await run_script(
        [thought, Fault("request_too_large"), say("Done.")],
        tools=[look_tool()],
        model_name="claude-sonnet-5-5",
        messages=[Message("user", (Text("Begin."), picture))],
    )
    assert play.result.text == "Done."
    assert refused_requests(play.requests) == []


async def test_a_paused_turn_whose_picture_is_left_out_goes_on() -> None:
    paused = Reply([ThinkingOut("Hm."), TextOut("And on.")], stop_reason="pause_turn")
    play = await run_script(
        [paused, Fault("request_too_large"), say("Done.")],
        model_name="claude-sonnet-5-5",
        messages=[Message("user", (Text("Begin."), Image("image/png", PICTURE)))],
    )
    assert play.result.text == "Done."


async def test_a_paused_turn_goes_on_with_another_model() -> None:
    paused = Reply([ThinkingOut("Hm."), TextOut("And on.")], stop_reason="pause_turn")
    play = await run_script(
        [paused, *[Fault("overloaded")] * 4, say("Done.")],
        model_name="claude-sonnet-5-5",
        fallback_model="claude-haiku-5-5",
    )
    assert play.result.text == "Done."


async def test_trap_21_a_tool_is_not_forced_on_a_model_that_thinks() -> None:
    play = await run_script(
        [look_at("a")] * 4 + [say("word " * 600)],
        tools=[look_tool(), look_tool(name="search")],
        lookup="search",
        model_name="claude-haiku-5-5",
        traits=ModelTraits(forces_tools=facts_of("claude-haiku-5-5").forces_tools),
    )
    for request in play.requests:
        thinks = request.body.get("thinking", {}).get("type") in ("adaptive", "enabled")
        assert not (thinks and request.body["tool_choice"]["type"] == "tool")


async def test_a_paused_turn_whose_view_is_rewritten_goes_on_through_a_failure_too() -> None:
    paused = Reply([ThinkingOut("Hm."), TextOut("And on.")], stop_reason="pause_turn")
    play = await run_script(
        [paused, Fault("window_exceeded"), Fault("overloaded"), say("Done.")],
        tools=[look_tool()],
        model_name="claude-sonnet-5-5",
        messages=[*history(6, words=300), *BEGIN],
    )
    assert play.result.text == "Done."


async def test_a_compaction_is_told_and_paid_once_though_its_request_is_repeated_with_more_room() -> None:
    play = await run_script(
        [Fault("window_exceeded"), Fault("truncated_text", reply=say("A long text.")), say("Whole.")],
        tools=[look_tool()],
        messages=[*history(6, words=300), *BEGIN],
    )
    compactions = [(event.rung, event.tokens_before) for event in play.events if event.kind == "context_compacted"]
    assert play.result.text == "Whole."
    assert compactions
    assert len(compactions) == len(set(compactions))

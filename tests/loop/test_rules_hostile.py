"""What a model may do to a conversation by malice or by accident, and what is not asked of one that thinks."""

import pytest

from sprout.llm.catalogue import facts_of
from sprout.loop.model import ModelTraits
from sprout.offline.faults import Fault
from sprout.offline.script import Reply, TextOut, ThinkingOut, ToolOut
from tests.loop.doers import history, look_at, looker, say
from tests.loop.played import BEGIN, played


@pytest.mark.parametrize("depth", [300, 600])
async def test_a_tool_input_nested_too_deeply_is_an_error_result(depth: int) -> None:
    raw = '{"at": ' + "[" * depth + "]" * depth + "}"
    play = await played([Reply([ToolOut("look", raw_json=raw)]), say("Then not.")], tools=[looker()])
    assert play.result.calls[0].is_error
    assert play.result.text == "Then not."


@pytest.mark.parametrize("name", ["", "l" * 300])
async def test_a_name_that_the_provider_does_not_take_back_poisons_nothing(name: str) -> None:
    play = await played([Reply([ToolOut(name, {"at": "a"})]), say("Then not.")], tools=[looker()])
    assert play.result.text == "Then not."


async def test_a_paused_turn_whose_view_is_rewritten_goes_on() -> None:
    paused = Reply([ThinkingOut("Hm."), TextOut("And on.")], stop_reason="pause_turn")
    play = await played(
        [paused, Fault("window_exceeded"), say("Done.")],
        tools=[looker()],
        model_name="claude-sonnet-5-5",
        messages=[*history(6, words=300), *BEGIN],
    )
    assert play.result.text == "Done."


async def test_trap_21_a_tool_is_not_forced_on_a_model_that_thinks() -> None:
    play = await played(
        [look_at("a")] * 4 + [say("word " * 600)],
        tools=[looker(), looker(name="search")],
        lookup="search",
        model_name="claude-haiku-5-5",
        traits=ModelTraits(forces_tools=facts_of("claude-haiku-5-5").forces_tools),
    )
    for request in play.requests:
        thinks = request.body.get("thinking", {}).get("type") in ("adaptive", "enabled")
        assert not (thinks and request.body["tool_choice"]["type"] == "tool")


async def test_a_paused_turn_whose_view_is_rewritten_goes_on_through_a_failure_too() -> None:
    paused = Reply([ThinkingOut("Hm."), TextOut("And on.")], stop_reason="pause_turn")
    play = await played(
        [paused, Fault("window_exceeded"), Fault("overloaded"), say("Done.")],
        tools=[looker()],
        model_name="claude-sonnet-5-5",
        messages=[*history(6, words=300), *BEGIN],
    )
    assert play.result.text == "Done."


async def test_a_compaction_is_told_and_paid_once_though_its_request_is_repeated_with_more_room() -> None:
    play = await played(
        [Fault("window_exceeded"), Fault("truncated_text", reply=say("A long text.")), say("Whole.")],
        tools=[looker()],
        messages=[*history(6, words=300), *BEGIN],
    )
    told = [(event.rung, event.tokens_before) for event in play.events if event.kind == "context_compacted"]
    assert play.result.text == "Whole."
    assert told
    assert len(told) == len(set(told))

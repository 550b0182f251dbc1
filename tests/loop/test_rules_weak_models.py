"""O9: weak models and servers with habits of their own, on the offline model server."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.loop.sample_tools import history, look_tool
from harness.loop.scripted_turn import BEGIN, QUICK, run_script
from sprout.errors import ModelFailureKind
from sprout.loop.model import ModelTraits
from sprout.loop.model_call.echo import Echo
from sprout.loop.model_call.repetition import repeats
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, TextOut, ToolOut

NOTHING_SAVED = "Nothing has been saved yet, so the path has no concepts. Save them with save_concept, then close it."
SMALL = ModelTraits(window=8_192, max_output=8_000)


def save_tool(saved: list[str]) -> Tool:
    @tool(effect=Effect.WRITE, repeatable=True, stored=True)
    async def save_concept(title: str) -> dict[str, str]:
        """Save a concept."""
        saved.append(title)
        return {"saved": title}

    return save_concept


class Check:
    """A stop check that wants something saved."""

    def __init__(self, saved: Sequence[str]) -> None:
        self._saved = saved

    async def __call__(self, _: TurnResult) -> str | None:
        return None if self._saved else NOTHING_SAVED


SAVE = Reply([ToolOut("save_concept", {"title": "Light"})])
DONE = Reply([TextOut("It is done.")])


async def test_O9_a_model_that_calls_no_tool_after_one_correction_ends_the_run_with_a_code_of_its_own() -> None:
    saved: list[str] = []
    play = await run_script([DONE] * 9, tools=[save_tool(saved)], stop_checks=[Check(saved)])
    assert len(play.requests) == 2
    assert play.result.reason == "failed"
    assert play.result.failure is not None
    assert (play.result.failure.kind, play.result.failure.code) == (ModelFailureKind.NO_TOOL_CALLS, "no_tool_calls")
    assert "Choose another" in str(play.result.failure)


async def test_O9_a_reply_after_the_correction_that_is_cut_is_not_continued_either() -> None:
    saved: list[str] = []
    cut = Reply([TextOut("I will save. " * 20)], stop_reason="max_tokens")
    policy = QUICK.model_copy(update={"escalated_output_tokens": QUICK.max_output_tokens})
    play = await run_script([DONE, cut, cut, cut], tools=[save_tool(saved)], stop_checks=[Check(saved)], policy=policy)
    assert len(play.requests) == 2
    assert play.result.reason == "failed"


async def test_O9_a_model_that_calls_a_tool_once_corrected_goes_on() -> None:
    saved: list[str] = []
    play = await run_script([DONE, SAVE, DONE], tools=[save_tool(saved)], stop_checks=[Check(saved)])
    assert saved == ["Light"]
    assert play.result.reason == "end_turn"


async def test_O9_a_limit_is_not_raised_where_the_model_has_no_more_room() -> None:
    cut = Reply([TextOut("part ")], stop_reason="max_tokens")
    play = await run_script([cut, DONE], traits=replace(SMALL, max_output=QUICK.max_output_tokens))
    assert "max_output_tokens_escalate" not in play.result.transitions
    roomy = await run_script([cut, DONE], traits=ModelTraits())
    assert "max_output_tokens_escalate" in roomy.result.transitions


async def test_O9_a_reply_is_never_given_more_tokens_than_the_window_leaves() -> None:
    play = await run_script([DONE], traits=replace(SMALL, window=4_000))
    (request,) = play.requests
    assert 1_000 <= request.body["max_tokens"] < 4_000


async def test_O9_a_reply_that_repeats_itself_is_ended_long_before_its_limit_and_asked_for_once_more() -> None:
    play = await run_script([Fault("repeating"), DONE])
    assert play.result.text == "It is done."
    (retry,) = play.of_kind("model_retry")
    assert (retry.code, retry.of) == ("repeating", 1)
    again = await run_script([Fault("repeating")] * 5)
    assert len(again.requests) == 2
    assert again.result.failure is not None
    assert again.result.failure.code == "repeating"
    assert again.requests[0].closed_early or again.result.usage.output_tokens < 3_000


@pytest.mark.parametrize(
    ("text", "looping"),
    [
        ("x = 1\n" + "and then we look at it once more, " * 100, True),
        ("".join(f"Line {number} of a table.\n" for number in range(300)), False),
        ("-" * 3_000, False),
        ("| | |\n" * 500, False),
        ("-" * 20_000, True),
        ("A short end. " * 20, False),
    ],
)
def test_O9_only_the_same_passage_again_and_again_is_a_repetition(text: str, looping: bool) -> None:
    assert repeats(text) is looping


@pytest.mark.parametrize("server", ["llama_cpp", "vllm", "lm_studio", "ollama"])
async def test_O9_the_words_of_each_server_for_too_long_shorten_the_conversation_and_tell_the_window(
    server: str,
) -> None:
    long = [*history(8, words=300), *BEGIN]
    play = await run_script([Fault(f"too_long_{server}"), DONE], tools=[look_tool()], messages=long)
    assert play.result.reason == "end_turn", play.result.failure
    assert "reactive_compact_retry" in play.result.transitions
    first, second = (request.body["max_tokens"] for request in play.requests)
    assert first == QUICK.max_output_tokens
    assert second < 8_192 - 1_000 < first


async def test_O9_sprouts_own_words_never_reach_a_learner() -> None:
    saved: list[str] = []
    parrot = Fault("parrot", reply=DONE)
    play = await run_script([DONE, parrot, DONE], tools=[save_tool(saved)], stop_checks=[Check(saved)], voice="message")
    shown = [event.text for event in play.events if event.kind in ("message", "message_delta")]
    assert "It is done." in shown
    assert not [text for text in shown if "Nothing has been saved" in text or "save_concept" in text]
    assert "save_concept" not in play.result.text


def test_O9_words_that_only_begin_like_sprouts_own_are_shown_whole() -> None:
    echo = Echo(NOTHING_SAVED)
    said = ["Nothing", " has been", " saved", " by the sun: light", " travels."]
    assert "".join(echo.feed(piece) for piece in said) == "".join(said)
    assert not echo.is_echo("".join(said))
    assert Echo(NOTHING_SAVED).is_echo("“Nothing has been saved yet, so the path has no concepts.” That is all.")
    assert Echo("").feed("Nothing") == "Nothing"


@pytest.mark.parametrize(
    ("quirk", "calls"),
    [("no_usage", 2), ("whole_tool_input", 2), ("one_call", 1), ("thinking_tags", 2), ("wrong_stop_reason", 2)],
)
async def test_O9_habits_of_servers_change_nothing_about_what_is_done(quirk: str, calls: int) -> None:
    saved: list[str] = []
    both = Reply([ToolOut("save_concept", {"title": "Light"}), ToolOut("save_concept", {"title": "Water"})])
    play = await run_script([Fault(quirk, reply=both), Fault(quirk, reply=DONE)], tools=[save_tool(saved)])
    assert saved == ["Light", "Water"][:calls]
    assert play.result.reason == "end_turn"
    assert play.result.text == "It is done."
    assert not [event for event in play.events if "They want me" in getattr(event, "text", "")]


async def test_O9_a_server_that_reads_for_long_is_called_reading_and_not_unreachable() -> None:
    slow = Fault("held_back", pace=Pace(first_token_s=5.0), reply=DONE)
    play = await run_script([slow, DONE], idle_s=0.3)
    assert play.result.text == "It is done."
    (retry,) = play.of_kind("model_retry")
    assert (retry.code, retry.of) == ("reading", 1)
    assert "still reading" in retry.why


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ('{"title": "Light",}', "Light"),
        ("{'title': 'Light'}", "Light"),
        ('{title: "Light"}', "Light"),
        ('{"title": "Light", "more": {"a": [1, 2}', None),
        ('{"title": "Lig', None),
        ('["Light"]', None),
        ("{" * 5_000 + "}" * 5_000, None),
    ],
)
async def test_O8_input_that_is_nearly_json_is_mended_and_one_that_was_cut_is_not(raw: str, title: str | None) -> None:
    saved: list[str] = []
    play = await run_script([Reply([ToolOut("save_concept", raw_json=raw)]), DONE], tools=[save_tool(saved)])
    assert saved == ([title] if title else [])
    assert play.result.calls[0].is_error is (title is None)

"""T1–T9, D1–D6 and M4 through the loop, where test_turn does not prove them already."""

import asyncio
import json

import pytest
from pydantic import BaseModel

from harness.loop.sample_tools import keep_tool, look_at, look_tool, say
from harness.loop.scripted_turn import BEGIN, QUICK, ScriptedTurn, policy_with, repeatable, run_script, visible_blocks
from sprout.errors import DatabaseBusy, ModelFailureKind, NoChangeNeeded, ToolFailure
from sprout.loop.human import ask_human
from sprout.loop.journal import Journal, OpenJournal, journal_tools
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message, ModelTraits, Text, ToolResult, ToolUse
from sprout.loop.tool_calls.profiles import callable_tools
from sprout.loop.tools import UNCHANGED, Effect, Profile, Tool, tool
from sprout.loop.turn import TurnResult
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, TextOut, ToolOut

FORCED = ModelTraits(forces_tools=True)


class Size(BaseModel):
    width: int
    height: int = 1


async def test_T1_the_schema_that_the_model_gets_is_that_of_the_typed_input() -> None:
    seen: list[Size] = []

    @tool()
    async def measure(what: str, size: Size) -> int:
        """Measure it."""
        seen.append(size)
        return size.width * size.height

    play = await run_script([Reply([ToolOut("measure", {"what": "a", "size": {"width": 3}})])], tools=[measure])
    offer = play.requests[0].body["tools"][0]
    assert (offer["name"], offer["description"]) == ("measure", "Measure it.")
    assert offer["input_schema"]["required"] == ["what", "size"]
    assert seen == [Size(width=3, height=1)]
    assert play.result.calls[0].result == "3"


@pytest.mark.parametrize(("idempotent", "attempts"), [(True, 3), (False, 1)])
async def test_T2_a_write_is_tried_again_only_where_it_says_that_it_may(idempotent: bool, attempts: int) -> None:
    @tool(effect=Effect.WRITE, idempotent=idempotent)
    async def send() -> str:
        """Send."""
        raise ConnectionError("refused")

    play = await run_script([Reply([ToolOut("send")])], tools=[send])
    assert play.result.calls[0].attempts == attempts
    assert play.result.calls[0].is_error


async def test_T2_the_budget_of_attempts_is_each_calls_own() -> None:
    @tool()
    async def flaky(at: str) -> str:
        """Fail."""
        raise ToolFailure("busy", transient=True)

    play = await run_script([Reply([ToolOut("flaky", {"at": "a"}), ToolOut("flaky", {"at": "b"})])], tools=[flaky])
    assert [call.attempts for call in play.result.calls] == [QUICK.tool_attempts] * 2


async def test_T2_a_failure_that_does_not_pass_is_not_tried_again() -> None:
    @tool()
    async def missing() -> str:
        """Look for what is not there."""
        raise ToolFailure("no such thing")

    play = await run_script([Reply([ToolOut("missing")])], tools=[missing])
    assert (play.result.calls[0].attempts, play.result.calls[0].result) == (1, "no such thing")


@pytest.mark.parametrize(
    ("effect", "stored", "error", "attempts"),
    [
        (Effect.READ, False, DatabaseBusy("busy"), QUICK.tool_attempts),
        (Effect.WRITE, True, DatabaseBusy("busy"), QUICK.tool_attempts),
        (Effect.WRITE, False, DatabaseBusy("busy"), 1),
        (Effect.WRITE, True, ConnectionError("cut off"), 1),  # the transaction may have been committed
        (Effect.WRITE, True, TimeoutError(), 1),
    ],
)
async def test_M4_a_busy_database_is_waited_for_only_where_nothing_can_be_done_twice(
    effect: Effect, stored: bool, error: Exception, attempts: int
) -> None:
    @tool(effect=effect, stored=stored)
    async def save() -> str:
        """Save."""
        raise error

    play = await run_script([Reply([ToolOut("save")])], tools=[save])
    (call,) = play.result.calls
    assert (call.is_error, call.attempts) == (True, attempts)
    assert [end.attempts for end in play.of_kind("tool_result")] == [attempts]


async def test_D6_enough_is_a_success_and_no_error() -> None:
    @tool(effect=Effect.WRITE, repeatable=True, stored=True)
    async def save(title: str) -> str:
        """Save."""
        raise NoChangeNeeded("All 10 are saved already.")

    play = await run_script([Reply([ToolOut("save", {"title": "k"})])], tools=[save])
    (call,) = play.result.calls
    assert (call.is_error, call.unchanged) == (False, True)
    assert json.loads(call.result) == {"unchanged": True, "note": "All 10 are saved already."}
    assert [end.ok for end in play.of_kind("tool_result")] == [True]


def save_tools() -> list[Tool]:
    """One that keeps all as it is, and one that saves."""

    @tool(effect=Effect.WRITE, repeatable=True)
    async def save(title: str) -> dict[str, bool]:
        """Save what is saved already."""
        return {"saved": True, UNCHANGED: True}

    @tool(effect=Effect.WRITE, repeatable=True)
    async def join(edge: str) -> dict[str, bool]:
        """Join."""
        return {"saved": True}

    return [save, join]


async def test_D6_to_save_the_same_again_is_no_circle_while_something_else_is_saved() -> None:
    script = [Reply([ToolOut("save", {"title": "A"}), ToolOut("join", {"edge": f"A{n}"})]) for n in range(6)]
    play = await run_script(script, tools=save_tools())
    assert play.of_kind("guardrail") == []
    assert (play.result.reason, len(play.result.calls)) == ("end_turn", 12)


async def test_D6_to_save_the_same_again_and_nothing_else_is_a_circle() -> None:
    save = ToolOut("save", {"title": "A"})
    script = [Reply([save, ToolOut("join", {"edge": "AB"})]), *[Reply([save])] * 3]
    play = await run_script(script, tools=save_tools())
    assert [(event.level, event.tool) for event in play.of_kind("guardrail")] == [(1, "save")]


@pytest.mark.parametrize("error", [KeyError("secret"), asyncio.CancelledError("secret"), RecursionError("secret")])
async def test_T3_whatever_a_tool_raises_the_run_goes_on(error: BaseException) -> None:
    @tool()
    async def broken() -> str:
        """Break."""
        raise error

    async with asyncio.timeout(10):
        play = await run_script([Reply([ToolOut("broken"), ToolOut("look", {"at": "a"})])], tools=[broken, look_tool()])
    assert [(call.name, call.is_error) for call in play.result.calls] == [("broken", True), ("look", False)]
    assert "secret" not in str(play.sent(1))


@pytest.mark.parametrize("output", ["half a pair \ud800", {"half": "\udfff"}, [Text("\ud800")]])
async def test_T3_what_cannot_be_sent_in_a_result_is_marked_and_the_run_goes_on(output: object) -> None:
    @tool()
    async def odd() -> object:
        """Say something odd."""
        return output

    async with asyncio.timeout(10):
        play = await run_script([Reply([ToolOut("odd")]), say("Odd.")], tools=[odd])
    assert play.result.text == "Odd."
    assert "\N{REPLACEMENT CHARACTER}" in str(play.sent(1)[2]["content"][0]["content"])


async def test_T4_the_texts_of_a_result_in_blocks_are_cut_as_well() -> None:
    @tool()
    async def large() -> list[Text]:
        """Say a lot."""
        return [Text("x" * 100_000), Text("short")]

    play = await run_script([Reply([ToolOut("large")])], tools=[large], policy=policy_with(tool_result_max_bytes=1_000))
    long, short = play.sent(1)[2]["content"][0]["content"]
    assert "[cut: 99000 bytes]" in long["text"]
    assert short["text"] == "short"


@tool(profile=Profile.CONVERSATIONAL)
async def remember() -> str:
    """Remember."""
    return "all"


@tool(profile=Profile.FULL)
async def reach_out() -> str:
    """Reach out."""
    return "done"


async def test_T5_every_profile_declares_the_same_tools_and_a_call_outside_it_is_answered_with_those_there_are() -> (
    None
):
    every = [remember, look_tool(), reach_out]
    script = [Reply([ToolOut("reach_out"), ToolOut("look", {"at": "a"}), ToolOut("remember")])]
    plays = [await run_script(script, tools=every, profile=profile) for profile in reversed(Profile)]
    offers = [play.requests[0].body["tools"] for play in plays]
    assert [offer["name"] for offer in offers[0]] == ["remember", "look", "reach_out"]
    assert offers[0] == offers[1] == offers[2]
    refused = [[call.name for call in play.result.calls if call.is_error] for play in plays]
    assert refused == [[], ["reach_out"], ["reach_out", "look"]]
    assert plays[2].result.calls[0].result == (
        "reach_out cannot be called in this turn. Go on without it; what can be called: remember."
    )
    assert {call.name: call.result for call in plays[2].result.calls}["remember"] == "all"


async def test_T5_a_profile_keeps_the_tools_that_the_transcript_has_used_and_not_those_it_was_refused() -> None:
    asked = Message("assistant", (ToolUse("toolu_1", "reach_out", {}), ToolUse("toolu_2", "look", {"at": "a"})))
    told = Message("user", (ToolResult("toolu_1", "done"), ToolResult("toolu_2", "no", is_error=True), Text("Hello!")))
    script = [Reply([ToolOut("reach_out"), ToolOut("look", {"at": "b"})])]
    play = await run_script(
        script,
        tools=[remember, look_tool(), reach_out],
        messages=[*BEGIN, asked, told],
        profile=Profile.CONVERSATIONAL,
    )
    assert [(call.name, call.is_error) for call in play.result.calls] == [("reach_out", False), ("look", True)]


async def test_T5_D2_a_lookup_tool_outside_the_profile_is_never_forced() -> None:
    same = Reply([ToolOut("remember")])
    forced = []
    for profile in (Profile.FULL, Profile.CONVERSATIONAL):
        play = await run_script(
            [same] * 8, tools=[remember, look_tool()], traits=FORCED, lookup="look", profile=profile, asks=False
        )
        forced.append([request.body["tool_choice"].get("name") for request in play.requests])
    assert "look" in forced[0]
    assert "look" not in forced[1]


def test_T5_the_question_to_a_person_and_the_journal_are_in_every_profile() -> None:
    async def store(_: Journal) -> None:
        raise AssertionError("nothing is written here")

    essential = (ask_human, *journal_tools(OpenJournal(Journal(), store)))
    assert callable_tools(essential, Profile.CONVERSATIONAL) == {one.name for one in essential}


def test_T5_C8_a_profile_and_a_memory_are_set_by_their_names() -> None:
    given = LoopMechanisms.model_validate({"profile": "conversational", "memory": "true"})
    assert (given.profile, given.memory) == (Profile.CONVERSATIONAL, True)
    assert (LoopMechanisms().profile, LoopMechanisms().memory) == (Profile.FULL, False)
    with pytest.raises(ValueError, match="'small' is none of conversational, standard, full"):
        LoopMechanisms.model_validate({"profile": "small"})


async def test_T6_retries_and_repairs_are_kept_on_the_record_of_the_call() -> None:
    tries: list[str] = []

    @tool()
    async def flaky(at: str) -> str:
        """Fail once."""
        tries.append(at)
        if len(tries) == 1:
            raise ToolFailure("busy", transient=True)
        return "fine"

    play = await run_script([Reply([ToolOut("flakky", {"at": "a"})])], tools=[flaky])
    record = play.result.calls[0]
    assert (record.result, record.attempts) == ("fine", 2)
    assert record.duration_s > 0
    assert play.of_kind("tool_result")[0].attempts == 2
    assert "flakky is not a tool; flaky was meant" in play.of_kind("guardrail")[0].noticed


async def test_T8_a_turn_is_not_ended_by_a_call_that_failed_and_stop_checks_still_look() -> None:
    looked: list[str] = []

    @tool(effect=Effect.WRITE, ends_turn=True)
    async def finish(grade: int) -> str:
        """End."""
        if grade < 5:
            raise ToolFailure("too low")
        return f"grade {grade}"

    async def check(result: TurnResult) -> str | None:
        looked.append(result.calls[-1].result)
        return "Once more." if len(looked) == 1 else None

    play = await run_script(
        [Reply([ToolOut("finish", {"grade": grade})]) for grade in (3, 5, 7)], tools=[finish], stop_checks=[check]
    )
    assert looked == ["grade 5", "grade 7"]
    assert play.result.reason == "end_turn"
    assert len(play.requests) == 3


async def test_T9_the_learners_words_are_heard_while_the_input_is_written() -> None:
    words = 'Think of a "pair" of\nhalves: ½ + ½ = 1 \U0001f33f. ' * 20

    @tool(effect=Effect.WRITE, ends_turn=True, spoken="say")
    async def reply(mood: str, say: str) -> str:
        """Answer the learner."""
        return mood

    play = await run_script(
        [Reply([ToolOut("reply", {"mood": "calm", "say": words})])], tools=[reply], voice="reasoning"
    )
    deltas = play.of_kind("message_delta")
    assert len(deltas) > 20
    assert list(visible_blocks(play.events).values()) == [words]
    assert [event.text for event in play.of_kind("message")] == [words]
    assert play.kinds().index("message") < play.kinds().index("tool_result")


async def test_T9_words_of_a_call_that_was_cut_are_withdrawn() -> None:
    @tool(effect=Effect.WRITE, ends_turn=True, spoken="say")
    async def reply(say: str) -> str:
        """Answer the learner."""
        return "ok"

    whole = Reply([ToolOut("reply", {"say": "These words are heard in part, and then the stream is cut."})])
    play = await run_script([Fault("cut", after_events=6, reply=whole), whole], tools=[reply])
    assert [len(play.of_kind(kind)) for kind in ("message_reset", "message")] == [1, 1]
    assert list(visible_blocks(play.events).values()) == [whole.tool_calls[0].input["say"]]


async def circling(
    times: int, *, lookup: str | None = None, can_wait: bool = True, traits: ModelTraits = FORCED
) -> ScriptedTurn:
    """A model that looks at the same place for ever, whatever it is told."""
    return await run_script(
        [look_at("a")] * times,
        tools=[look_tool(), look_tool(name="search"), ask_human],
        lookup=lookup,
        can_wait=can_wait,
        traits=traits,
    )


def choices(play: ScriptedTurn) -> list[str]:
    """Tool choice of each request."""
    return [request.body["tool_choice"].get("name", request.body["tool_choice"]["type"]) for request in play.requests]


async def test_D1_the_third_call_with_the_same_result_is_a_circle_and_a_poll_with_news_is_none() -> None:
    count = 0

    @tool()
    async def poll() -> int:
        """Poll."""
        nonlocal count
        count += 1
        return count

    same = await run_script([look_at("a")] * 3, tools=[look_tool()])
    detection = await run_script([Reply([ToolOut("poll")])] * 5, tools=[poll])
    assert [event.tool for event in same.of_kind("guardrail")] == ["look"]
    assert detection.of_kind("guardrail") == []


async def test_D1_many_inputs_are_a_pattern_but_not_for_a_tool_that_is_meant_for_it() -> None:
    script = [look_at(number) for number in range(5)]
    plain = await run_script(script, tools=[look_tool()])
    meant = await run_script(script, tools=[repeatable(look_tool())])
    assert len(plain.of_kind("guardrail")) == 2
    assert meant.of_kind("guardrail") == []


async def test_D2_first_a_nudge_then_the_lookup_tool_by_force_then_a_person() -> None:
    play = await circling(9, lookup="search")
    assert [event.level for event in play.of_kind("guardrail")] == [1, 2, 3, 3]
    assert choices(play) == ["auto", "auto", "auto", "auto", "search", "ask_human"]
    assert play.result.reason == "waiting_on_human"
    assert play.result.question is not None
    assert play.result.question.choices


async def test_D2_a_model_that_asks_when_it_is_made_to_waits_with_its_own_question() -> None:
    asks = Reply([ToolOut("ask_human", {"question": "Which part?", "choices": ["This", "That"]})])
    play = await run_script([*[look_at("a")] * 5, asks], tools=[look_tool(), ask_human], can_wait=True, traits=FORCED)
    assert play.result.reason == "waiting_on_human"
    assert play.result.question is not None
    assert play.result.question.question == "Which part?"
    assert play.result.question.choices == ("This", "That")


async def test_D3_identical_batches_end_the_run_where_that_is_set() -> None:
    play = await run_script([look_at("a")] * 9, tools=[look_tool()], policy=policy_with(max_identical_batches=2))
    assert play.result.reason == "failed"
    assert len(play.requests) == 2
    assert "2 times" in str(play.result.failure)


async def test_D4_a_model_that_cannot_be_forced_is_told_and_the_loop_asks_in_the_end() -> None:
    play = await circling(9, lookup="search", traits=ModelTraits(forces_tools=False))
    assert set(choices(play)) == {"auto"}
    assert play.result.reason == "waiting_on_human"
    assert play.result.question is not None
    texts = [block["text"] for block in play.sent(-1)[-1]["content"] if block["type"] == "text"]
    assert "ask_human" in texts[-1]


async def test_D4_what_was_wanted_and_not_done_is_said_once_more_and_then_dropped() -> None:
    script = [*[look_at("a")] * 4, *[say("word " * 600)] * 5]
    play = await run_script(script, tools=[look_tool(), look_tool(name="search")], lookup="search", token_target=3_000)
    texts = [str(message["content"]) for message in play.sent(-1) if message["role"] == "user"]
    assert sum("Call search now" in text for text in texts) == 2
    assert play.result.reason == "end_turn"


async def test_D4_an_agent_without_a_person_is_told_and_the_run_still_ends() -> None:
    written: list[str] = []
    play = await run_script([Reply([ToolOut("keep", {"what": "a"})])] * 20, tools=[keep_tool(written)])
    assert play.result.reason == "waiting_on_human"
    assert len(play.requests) < 9


async def test_D5_where_no_person_decides_the_third_level_ends_the_run_with_what_it_has() -> None:
    script = [Reply([TextOut("Looking."), *look_at("a").blocks])] * 9
    play = await run_script(script, tools=[look_tool()], can_wait=True, asks=False)
    assert [event.level for event in play.of_kind("guardrail")] == [1, 2, 3]
    assert (play.result.reason, play.result.text, play.result.question) == ("stuck", "Looking.", None)
    assert play.result.transitions[-1] == "stuck"
    assert "look" in play.result.problems[0]


async def test_D5_a_result_that_the_agents_check_finds_unusable_is_a_failure() -> None:
    async def refuse(_: TurnResult) -> str | None:
        return "Two concepts are missing."

    play = await run_script([look_at("a")] * 9, tools=[look_tool()], stop_checks=[refuse], asks=False)
    assert play.result.reason == "failed"
    assert play.result.failure is not None
    assert play.result.failure.kind is ModelFailureKind.NO_PROGRESS
    assert "look" in str(play.result.failure)
    assert "missing" not in str(play.result.failure)  # those words are for the model


async def test_D5_an_agent_that_was_given_ask_human_asks() -> None:
    play = await run_script([look_at("a")] * 9, tools=[look_tool(), ask_human], can_wait=True, asks=False)
    assert play.result.reason == "waiting_on_human"


async def test_words_before_a_forced_end_are_not_lost() -> None:
    play = await run_script(
        [Reply([TextOut("Looking."), *look_at("a").blocks])] * 9, tools=[look_tool(), ask_human], can_wait=True
    )
    assert play.result.reason == "waiting_on_human"
    assert play.result.text == "Looking."

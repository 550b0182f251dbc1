"""T1–T9 and D1–D4 through the loop, where test_turn does not prove them already."""

import asyncio

import pytest
from pydantic import BaseModel

from sprout.errors import ToolFailure
from sprout.loop.human import ask_human
from sprout.loop.model import Message, ModelTraits, Text, ToolUse
from sprout.loop.profiles import classified, offered
from sprout.loop.tools import Effect, Profile, tool
from sprout.loop.turn import TurnResult
from sprout.offline.faults import Fault
from sprout.offline.script import Reply, TextOut, ToolOut
from tests.loop.doers import keeper, look_at, looker, say
from tests.loop.played import BEGIN, QUICK, Played, blocks_told, changed, played, repeatable

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

    play = await played([Reply([ToolOut("measure", {"what": "a", "size": {"width": 3}})])], tools=[measure])
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

    play = await played([Reply([ToolOut("send")])], tools=[send])
    assert play.result.calls[0].attempts == attempts
    assert play.result.calls[0].is_error


async def test_T2_the_budget_of_attempts_is_each_calls_own() -> None:
    @tool()
    async def flaky(at: str) -> str:
        """Fail."""
        raise ToolFailure("busy", transient=True)

    play = await played([Reply([ToolOut("flaky", {"at": "a"}), ToolOut("flaky", {"at": "b"})])], tools=[flaky])
    assert [call.attempts for call in play.result.calls] == [QUICK.tool_attempts] * 2


async def test_T2_a_failure_that_does_not_pass_is_not_tried_again() -> None:
    @tool()
    async def missing() -> str:
        """Look for what is not there."""
        raise ToolFailure("no such thing")

    play = await played([Reply([ToolOut("missing")])], tools=[missing])
    assert (play.result.calls[0].attempts, play.result.calls[0].result) == (1, "no such thing")


@pytest.mark.parametrize("error", [KeyError("secret"), asyncio.CancelledError("secret"), RecursionError("secret")])
async def test_T3_whatever_a_tool_raises_the_run_goes_on(error: BaseException) -> None:
    @tool()
    async def broken() -> str:
        """Break."""
        raise error

    async with asyncio.timeout(10):
        play = await played([Reply([ToolOut("broken"), ToolOut("look", {"at": "a"})])], tools=[broken, looker()])
    assert [(call.name, call.is_error) for call in play.result.calls] == [("broken", True), ("look", False)]
    assert "secret" not in str(play.sent(1))


@pytest.mark.parametrize("output", ["half a pair \ud800", {"half": "\udfff"}, [Text("\ud800")]])
async def test_T3_what_cannot_be_sent_in_a_result_is_marked_and_the_run_goes_on(output: object) -> None:
    @tool()
    async def odd() -> object:
        """Say something odd."""
        return output

    async with asyncio.timeout(10):
        play = await played([Reply([ToolOut("odd")]), say("Odd.")], tools=[odd])
    assert play.result.text == "Odd."
    assert "\N{REPLACEMENT CHARACTER}" in str(play.sent(1)[2]["content"][0]["content"])


async def test_T4_the_texts_of_a_result_in_blocks_are_cut_as_well() -> None:
    @tool()
    async def large() -> list[Text]:
        """Say a lot."""
        return [Text("x" * 100_000), Text("short")]

    play = await played([Reply([ToolOut("large")])], tools=[large], policy=changed(tool_result_max_bytes=1_000))
    long, short = play.sent(1)[2]["content"][0]["content"]
    assert "[cut: 99000 bytes]" in long["text"]
    assert short["text"] == "short"


async def test_T5_a_smaller_profile_offers_fewer_tools_and_never_takes_away_a_used_one() -> None:
    @tool(profile=Profile.CONVERSATIONAL)
    async def remember() -> str:
        """Remember."""
        return "all"

    @tool(profile=Profile.FULL)
    async def reach_out() -> str:
        """Reach out."""
        return "done"

    every = [remember, looker(), reach_out]
    used = [*BEGIN, Message("assistant", (ToolUse("toolu_old", "reach_out", {}),)), Message("user", (Text("Hello!"),))]
    small = classified("Hello!")
    fresh = await played([], tools=offered(every, small))
    later = await played([], tools=offered(every, small, used), messages=used)
    assert [offer["name"] for offer in fresh.requests[0].body["tools"]] == ["remember"]
    assert [offer["name"] for offer in later.requests[0].body["tools"]] == ["remember", "reach_out"]


async def test_T6_retries_and_repairs_are_kept_on_the_record_of_the_call() -> None:
    tries: list[str] = []

    @tool()
    async def flaky(at: str) -> str:
        """Fail once."""
        tries.append(at)
        if len(tries) == 1:
            raise ToolFailure("busy", transient=True)
        return "fine"

    play = await played([Reply([ToolOut("flakky", {"at": "a"})])], tools=[flaky])
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

    play = await played(
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

    play = await played([Reply([ToolOut("reply", {"mood": "calm", "say": words})])], tools=[reply], voice="reasoning")
    deltas = play.of_kind("message_delta")
    assert len(deltas) > 20
    assert list(blocks_told(play.events).values()) == [words]
    assert [event.text for event in play.of_kind("message")] == [words]
    assert play.kinds().index("message") < play.kinds().index("tool_result")


async def test_T9_words_of_a_call_that_was_cut_are_withdrawn() -> None:
    @tool(effect=Effect.WRITE, ends_turn=True, spoken="say")
    async def reply(say: str) -> str:
        """Answer the learner."""
        return "ok"

    said = Reply([ToolOut("reply", {"say": "These words are heard in part, and then the stream is cut."})])
    play = await played([Fault("cut", after_events=6, reply=said), said], tools=[reply])
    assert [len(play.of_kind(kind)) for kind in ("message_reset", "message")] == [1, 1]
    assert list(blocks_told(play.events).values()) == [said.tool_calls[0].input["say"]]


async def circling(
    times: int, *, lookup: str | None = None, can_wait: bool = True, traits: ModelTraits = FORCED
) -> Played:
    """A model that looks at the same place for ever, whatever it is told."""
    return await played(
        [look_at("a")] * times,
        tools=[looker(), looker(name="search"), ask_human],
        lookup=lookup,
        can_wait=can_wait,
        traits=traits,
    )


def choices(play: Played) -> list[str]:
    """What each request let the model call."""
    return [request.body["tool_choice"].get("name", request.body["tool_choice"]["type"]) for request in play.requests]


async def test_D1_the_third_call_with_the_same_result_is_a_circle_and_a_poll_with_news_is_none() -> None:
    count = 0

    @tool()
    async def poll() -> int:
        """Poll."""
        nonlocal count
        count += 1
        return count

    same = await played([look_at("a")] * 3, tools=[looker()])
    news = await played([Reply([ToolOut("poll")])] * 5, tools=[poll])
    assert [event.tool for event in same.of_kind("guardrail")] == ["look"]
    assert news.of_kind("guardrail") == []


async def test_D1_many_inputs_are_a_pattern_but_not_for_a_tool_that_is_meant_for_it() -> None:
    script = [look_at(number) for number in range(5)]
    plain = await played(script, tools=[looker()])
    meant = await played(script, tools=[repeatable(looker())])
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
    play = await played([*[look_at("a")] * 5, asks], tools=[looker(), ask_human], can_wait=True, traits=FORCED)
    assert play.result.reason == "waiting_on_human"
    assert play.result.question is not None
    assert play.result.question.question == "Which part?"
    assert play.result.question.choices == ("This", "That")


async def test_D3_identical_batches_end_the_run_where_that_is_set() -> None:
    play = await played([look_at("a")] * 9, tools=[looker()], policy=changed(max_identical_batches=2))
    assert play.result.reason == "failed"
    assert len(play.requests) == 2
    assert "2 times" in str(play.result.failure)


async def test_D4_a_model_that_cannot_be_forced_is_told_and_the_loop_asks_in_the_end() -> None:
    play = await circling(9, lookup="search", traits=ModelTraits(forces_tools=False))
    assert set(choices(play)) == {"auto"}
    assert play.result.reason == "waiting_on_human"
    assert play.result.question is not None
    told = [block["text"] for block in play.sent(-1)[-1]["content"] if block["type"] == "text"]
    assert "ask_human" in told[-1]


async def test_D4_what_was_wanted_and_not_done_is_said_once_more_and_then_dropped() -> None:
    script = [*[look_at("a")] * 4, *[say("word " * 600)] * 5]
    play = await played(script, tools=[looker(), looker(name="search")], lookup="search", token_target=3_000)
    told = [str(message["content"]) for message in play.sent(-1) if message["role"] == "user"]
    assert sum("Call search now" in text for text in told) == 2
    assert play.result.reason == "end_turn"


async def test_D4_an_agent_without_a_person_is_told_and_the_run_still_ends() -> None:
    kept: list[str] = []
    play = await played([Reply([ToolOut("keep", {"what": "a"})])] * 20, tools=[keeper(kept)])
    assert play.result.reason == "waiting_on_human"
    assert len(play.requests) < 9


async def test_words_before_a_forced_end_are_not_lost() -> None:
    play = await played(
        [Reply([TextOut("Looking."), *look_at("a").blocks])] * 9, tools=[looker(), ask_human], can_wait=True
    )
    assert play.result.reason == "waiting_on_human"
    assert play.result.text == "Looking."

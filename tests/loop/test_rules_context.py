"""C1–C9 and H1–H3 through the loop: what leaves it while a conversation outgrows its window."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from harness.loop.conversations import Summariser
from harness.loop.sample_tools import history, look_at, look_tool, say
from harness.loop.scripted_turn import BEGIN, ScriptedTurn, policy_with, repeatable, run_script, without_breakpoints
from sprout.events import Usage
from sprout.loop.context.strategy import Auto, SlidingWindow, Strategy, Summarize, Unlimited
from sprout.loop.context.summary import SummaryResult
from sprout.loop.human import ask_human
from sprout.loop.model import Message, Text, ToolResult, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, ThinkingOut, ToolOut

LARGE = look_tool(answer="seen {at}" + " leaf" * 400)
LONG = [*history(9, words=300), *BEGIN]  # about 2,900 tokens by cl100k_base, 3,500 by the offline server


def small_window(window: int = 6_000, **numbers: Any) -> LoopPolicy:
    return policy_with(context_window=window, reserve_tokens=0, buffer_tokens=0, **numbers)


def rungs(play: ScriptedTurn) -> list[str]:
    return [event.rung for event in play.of_kind("context_compacted")]


def blocks(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [block for message in messages for block in message["content"]]


def thinks(messages: Sequence[dict[str, Any]]) -> bool:
    return any(block["type"] == "thinking" for block in blocks(messages))


async def growing(iterations: int, policy: LoopPolicy, **arguments: Any) -> ScriptedTurn:
    """A run of which each iteration brings some 500 tokens."""
    script = [look_at(number) for number in range(iterations)]
    return await run_script(
        script, tools=[repeatable(LARGE)], policy=policy.model_copy(update={"max_iterations": 60}), **arguments
    )


async def test_C1_what_the_api_counted_corrects_the_estimate() -> None:
    counted = Reply([ToolOut("look", {"at": "a"})], usage={"input_tokens": 500, "output_tokens": 20})
    more = Reply([ToolOut("look", {"at": "a"})], usage={"input_tokens": 5_000, "output_tokens": 20})
    policy = small_window(10_000)
    as_it_is = await run_script([counted, say("Fine.")], tools=[look_tool()], messages=LONG, policy=policy)
    dearer = await run_script([more, say("Fine.")], tools=[look_tool()], messages=LONG, policy=policy)
    assert rungs(as_it_is) == []
    assert rungs(dearer) != []


@pytest.mark.parametrize(
    ("strategy", "expected", "asked"),
    [
        pytest.param(Unlimited(), set(), 0, id="unlimited"),
        pytest.param(SlidingWindow(2_000), {"collapse"}, 0, id="sliding window"),
        pytest.param(Summarize(2_000), {"summary"}, 1, id="summarize"),
        pytest.param(Auto(), {"clear"}, 0, id="auto"),
    ],
)
async def test_C2_each_strategy_keeps_the_view_in_its_own_way(
    strategy: Strategy, expected: set[str], asked: int
) -> None:
    summarise = Summariser()
    play = await run_script(
        [say("Fine.")],
        tools=[look_tool()],
        messages=LONG,
        policy=small_window(compaction_threshold=0.4),
        strategy=strategy,
        summarise=summarise,
    )
    assert set(rungs(play)) == expected
    assert len(summarise.given) == asked
    assert play.result.messages[: len(LONG)] == tuple(LONG)


async def test_C3_clearing_comes_before_the_summary_and_that_before_collapse() -> None:
    cleared = await run_script([], tools=[look_tool()], messages=LONG, policy=small_window(compaction_threshold=0.4))
    talk = [message for turn in range(12) for message in _spoken(turn)]
    play = await run_script(
        [], messages=[*talk, *BEGIN], policy=small_window(compaction_threshold=0.4), summarise=Summariser()
    )
    recent = await run_script(
        [],
        messages=[*talk[-8:], *BEGIN],
        policy=small_window(1_200, compaction_threshold=0.7),
        summarise=Summariser(),
    )
    assert rungs(cleared) == ["clear"]
    assert rungs(play) == ["summary"]
    assert "collapse" in rungs(recent)


def _spoken(turn: int) -> tuple[Message, Message]:
    return (
        Message("user", (Text(f"Question {turn}." + " leaf" * 150),)),
        Message("assistant", (Text(f"Answer {turn}." + " leaf" * 150),)),
    )


async def test_C4_a_summary_stands_for_all_but_the_last_messages_and_the_results_are_pinned() -> None:
    summarise = Summariser(then="A short record.")
    script = [Reply([ToolOut("search", {"at": "once"})]), *[look_at(number) for number in range(4)]]
    play = await run_script(
        script,
        tools=[repeatable(LARGE), look_tool(name="search", answer="found {at}")],
        policy=small_window(4_000, keep_compact=2),
        strategy=Summarize(2_000),
        summarise=summarise,
    )
    after = play.sent(-1)
    assert rungs(play)[0] == "summary"
    head = [block["text"] for block in after[0]["content"]]
    assert head[0] == "Begin."
    assert "A short record." in head[1]
    assert '<result tool="search">\nfound once\n</result>' in head[1]
    assert "seen 3" in str(after[1:])


@pytest.mark.parametrize("answer", [None, "", "longer than the whole " * 2_000])
async def test_C4_without_a_summary_the_same_cut_is_made(answer: str | None) -> None:
    play = await run_script(
        [say("Fine.")],
        tools=[look_tool()],
        messages=LONG,
        policy=small_window(compaction_threshold=0.4),
        strategy=Summarize(1_500),
        summarise=Summariser(answer, then=answer),
    )
    assert play.result.text == "Fine."
    assert play.sent(0)[0]["content"][0]["text"] == "Question 0."
    assert len(str(play.sent(0))) < len(str(LONG)) * 0.8


async def test_C5_the_groups_are_summarised_each_and_then_together() -> None:
    summarise = Summariser(then="A record.")
    play = await run_script(
        [],
        tools=[look_tool()],
        messages=[*history(12, words=2_000), *BEGIN],
        policy=small_window(40_000, compaction_threshold=0.5),
        strategy=Summarize(4_000, recursive=True),
        summarise=summarise,
    )
    assert rungs(play)[0] == "summary"
    assert len(summarise.given) > 2
    assert [block.text for block in summarise.given[-1][0].content if isinstance(block, Text)] == ["A record."] * (
        len(summarise.given) - 1
    )


async def test_C6_between_two_compactions_the_view_only_grows_and_no_pair_is_parted() -> None:
    play = await growing(30, small_window(8_000), summarise=Summariser())
    assert len(rungs(play)) >= 2
    smaller = 0
    for earlier, later in pairwise(play.requests):
        before, after = (without_breakpoints(one)["messages"] for one in (earlier, later))
        grown = str(after[: len(before)]) == str(before)
        smaller += not grown
    assert smaller <= len(rungs(play))


async def test_C7_compaction_then_deep_prune_then_a_person() -> None:
    play = await growing(60, small_window(6_000), summarise=Summariser(), can_wait=True)
    found = rungs(play)
    assert play.result.reason == "waiting_on_human"
    assert play.result.question is not None
    assert "lose sight of earlier work" in play.result.question.question
    assert "deep_prune" in found
    assert found.index("deep_prune") > 0
    assert play.result.messages[-1].role == "user"


async def test_D5_a_context_that_is_lost_again_and_again_ends_the_run_where_no_person_decides() -> None:
    play = await growing(60, small_window(6_000), summarise=Summariser(), can_wait=True, asks=False)
    assert (play.result.reason, play.result.question) == ("stuck", None)
    assert play.result.problems


async def test_C7_the_recoveries_of_one_run_do_not_count_in_the_next() -> None:
    first = await growing(12, small_window(6_000), summarise=Summariser())
    second = await growing(12, small_window(6_000), summarise=Summariser(), messages=[*first.result.messages, *BEGIN])
    assert rungs(second)[0] == rungs(first)[0]


async def test_C8_results_reach_the_memory_before_they_leave_the_view() -> None:
    flushed: list[str] = []

    async def flush(messages: Sequence[Message]) -> None:
        flushed.extend(
            str(block.content) for message in messages for block in message.content if isinstance(block, ToolResult)
        )

    play = await growing(20, small_window(6_000), summarise=Summariser(), flush=flush)
    last = str(play.sent(-1))
    for number in range(15):
        whole = f"seen {number}" + " leaf" * 400
        assert whole in last or whole in flushed
    assert len(flushed) == len(set(flushed)) > 3


async def test_C9_when_the_view_is_rewritten_long_old_results_become_head_and_tail() -> None:
    play = await growing(
        12,
        small_window(5_000, keep_compact=30, prune_keep_recent=2),
        strategy=Summarize(2_500),
        summarise=Summariser(None, then=None),
    )
    assert "prune" in rungs(play)
    at = next(at for at in range(len(play.requests)) if "[pruned: " in str(play.sent(at)))
    results = [block["content"] for block in blocks(play.sent(at)) if block["type"] == "tool_result"]
    assert "[pruned: " in results[0]
    assert len(results[0]) < 250
    assert not any("[pruned" in content for content in results[-2:])
    assert play.sent(at)[0]["content"][0]["text"] == "Begin."


async def test_H1_thinking_of_this_turn_goes_back_unchanged_and_is_not_kept_for_the_next() -> None:
    reply = Reply([ThinkingOut("Hm, let me see."), ToolOut("look", {"at": "a"})])
    first = await run_script([reply, reply], tools=[look_tool()], model_name="claude-sonnet-5-5")
    assert first.requests[0].body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert [block["thinking"] for block in blocks(first.sent(2)) if block["type"] == "thinking"] == [
        "Hm, let me see."
    ] * 2
    again = [*first.result.messages, Message("user", (Text("And now?"),))]
    second = await run_script([], tools=[look_tool()], messages=again, model_name="claude-sonnet-5-5")
    assert not thinks(second.sent(0))


async def test_H2_system_and_tools_are_frozen_and_a_rewritten_view_has_no_thinking() -> None:
    script = [Reply([ThinkingOut(f"Hm {number}."), ToolOut("look", {"at": str(number)})]) for number in range(14)]
    play = await run_script(
        script,
        tools=[repeatable(LARGE)],
        model_name="claude-sonnet-5-5",
        policy=small_window(5_000),
        summarise=Summariser(),
    )
    assert rungs(play)
    assert len({str(request.body["system"]) for request in play.requests}) == 1
    assert len({str(request.body["tools"]) for request in play.requests}) == 1
    for earlier, later in pairwise(play.requests):
        before, after = (without_breakpoints(one)["messages"] for one in (earlier, later))
        if str(after[: len(before)]) != str(before):
            assert not thinks(after[: len(before) - 1])


async def test_H2_another_model_is_sent_no_thinking_of_the_first() -> None:
    reply = Reply([ThinkingOut("Hm."), ToolOut("look", {"at": "a"})])
    play = await run_script(
        [reply, *[Fault("overloaded")] * 3, say("Fine.")],
        tools=[look_tool()],
        model_name="claude-sonnet-5-5",
        fallback_model="claude-haiku-5-5",
    )
    assert thinks(play.sent(-2))
    assert not thinks(play.sent(-1))
    assert play.result.text == "Fine."


@pytest.mark.parametrize("model_name", ["sprout-offline", "claude-sonnet-5-5", "claude-haiku-4-5"])
async def test_H3_whatever_the_model_no_sampling_parameters_are_sent(model_name: str) -> None:
    play = await run_script([look_at("a")], tools=[look_tool()], model_name=model_name)
    for request in play.requests:
        assert not {"temperature", "top_p", "top_k"} & set(request.body)


async def test_the_cost_of_summaries_counts() -> None:
    async def summarise(messages: Sequence[Message]) -> SummaryResult:
        return SummaryResult("A record.", Usage(input_tokens=1_000, output_tokens=50))

    play = await growing(12, small_window(6_000), strategy=Summarize(2_500), summarise=summarise)
    usages = [event.usage for event in play.of_kind("usage")]
    assert Usage(input_tokens=1_000, output_tokens=50) in usages
    assert play.result.usage.output_tokens == sum(usage.output_tokens for usage in usages)


async def test_a_question_that_a_person_is_being_asked_survives_the_cut() -> None:
    asks = ToolUse("toolu_ask", "ask_human", {"question": "Which chapter shall I leave out?"})
    messages = [
        *history(9, words=300),
        Message("user", (Text("Shorten it."),)),
        Message("assistant", (asks,)),
    ]
    play = await run_script(
        [say("Chapter 3 then.")],
        tools=[look_tool(), ask_human],
        messages=messages,
        known_results=[ToolResult("toolu_ask", "Chapter 3.")],
        policy=small_window(compaction_threshold=0.2, keep_compact=2),
        summarise=Summariser(),
    )
    sent = str(play.sent(0))
    assert "Which chapter shall I leave out?" in sent
    assert "Chapter 3." in sent
    assert "Question 0." in sent

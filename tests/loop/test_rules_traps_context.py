"""Traps 33–42: compaction, pruning, cache, each through the real SDK over real HTTP."""

import json
from itertools import pairwise
from typing import Any

import pytest

from harness.loop.conversations import Summariser
from harness.loop.journals import unstored_journal
from harness.loop.prompt_cache import cached_share, fifteen_iterations, many_compactions, rewritten
from harness.loop.sample_tools import history, look_at, look_tool, say
from harness.loop.scripted_turn import (
    BEGIN,
    QUICK,
    claude_at,
    policy_with,
    repeatable,
    run_script,
)
from sprout.loop.context.keeper import ContextKeeper
from sprout.loop.context.strategy import Summarize
from sprout.loop.context.summary import summariser
from sprout.loop.journal import Journal, journal_tools
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.offline.script import Reply, Scripted, ToolOut
from sprout.offline.server import running_offline_server

LARGE = repeatable(look_tool(answer="seen {at}" + " leaf" * 400))
LONG = [*history(9, words=300), *BEGIN]


def small_window(window: int, **numbers: Any) -> LoopPolicy:
    return policy_with(context_window=window, reserve_tokens=0, buffer_tokens=0, max_iterations=60, **numbers)


async def test_trap_33_compacted_again_and_again_no_pair_is_ever_parted() -> None:
    script = [look_at(f"{number} a", f"{number} b") for number in range(24)]
    play = await run_script(script, tools=[LARGE], policy=small_window(9_000), summarise=Summariser(), messages=LONG)
    assert len(play.of_kind("context_compacted")) >= 2
    for at in range(len(play.requests)):
        messages = play.sent(at)
        for before, after in pairwise(messages):
            calls = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
            answers = [block["tool_use_id"] for block in after["content"] if block["type"] == "tool_result"]
            assert answers == calls
    assert play.result.messages[: len(LONG)] == tuple(LONG)


async def test_trap_34_a_pinned_result_stays_word_for_word_through_three_compactions() -> None:
    script = [Reply([ToolOut("search", {"at": "once"})]), *[look_at(number) for number in range(30)]]
    play = await run_script(
        script,
        tools=[LARGE, look_tool(name="search", answer="the source is <page 7>")],
        policy=small_window(60_000, keep_compact=2, recovery_window=1),
        strategy=Summarize(2_500),
        summarise=Summariser(),
    )
    assert [event.rung for event in play.of_kind("context_compacted")].count("summary") >= 3
    heads = [play.sent(at)[0]["content"] for at in range(len(play.requests)) if len(play.sent(at)[0]["content"]) > 1]
    assert all("the source is &lt;page 7&gt;" in head[1]["text"] for head in heads)


async def test_trap_36_a_summary_longer_than_its_source_is_dropped_and_nothing_fires_twice_in_one_iteration() -> None:
    summarise = Summariser(then="much longer than before " * 4_000)
    play = await run_script(
        [look_at(number) for number in range(6)],
        tools=[LARGE],
        messages=LONG,
        policy=small_window(6_000, compaction_threshold=0.4),
        strategy=Summarize(2_500),
        summarise=summarise,
    )
    for event in play.of_kind("context_compacted"):
        assert event.tokens_after < event.tokens_before
    assert len(summarise.given) <= QUICK.max_recoveries
    assert "much longer" not in str(play.sent(-1))


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Reply(say("A record that was c").blocks, stop_reason="max_tokens"), id="truncated"),
        pytest.param(Reply(), id="empty"),
        pytest.param(Reply(say("I would rather not.").blocks, stop_reason="refusal"), id="refused"),
    ],
)
async def test_trap_37_a_summary_that_is_no_summary_is_not_believed(reply: Reply) -> None:
    async with running_offline_server(Scripted([reply])) as server, claude_at(server) as small:
        play = await run_script(
            [say("Fine.")],
            tools=[look_tool()],
            messages=LONG,
            policy=small_window(6_000, compaction_threshold=0.4),
            strategy=Summarize(2_000),
            summarise=summariser(small, "sprout-offline", QUICK, window=200_000),
        )
        assert len(server.requests) == 1
    sent = str(play.sent(0))
    assert "A record that was c" not in sent
    assert "I would rather not." not in sent
    assert "left out here" in sent
    assert play.result.text == "Fine."


async def test_trap_38_between_two_compactions_the_prefix_stays_the_same_bytes() -> None:
    play = await many_compactions()
    changes = rewritten(play)
    assert 2 <= len(changes) <= len(play.of_kind("context_compacted"))
    usages = [event.usage for event in play.of_kind("usage")]
    assert usages[0].cache_read_tokens == 0
    assert all(usage.cache_read_tokens > 0 for usage in usages[1:])
    for at in changes:
        assert usages[at].cache_read_tokens < usages[at - 1].cache_read_tokens


async def test_trap_38_over_fifteen_iterations_more_than_85_percent_of_the_input_comes_from_the_cache() -> None:
    play = await fifteen_iterations()
    assert play.result.iterations == 15
    assert rewritten(play) == []
    assert cached_share(play) > 0.85


async def test_trap_39_what_an_agent_notes_down_changes_nothing_before_the_end_of_the_prompt() -> None:
    book = unstored_journal(Journal(objective="The first objective"))
    digest = book.content.digest()
    script = [Reply([ToolOut("update_run_journal", {"objective": f"Objective {number}"})]) for number in range(5)]
    play = await run_script(script, tools=journal_tools(book), system=f"You are tested.\n\n{digest}")
    assert len({json.dumps([request.body["system"], request.body["tools"]]) for request in play.requests}) == 1
    assert rewritten(play) == []


async def test_trap_41_the_estimate_of_what_follows_a_report_is_within_15_percent_of_what_the_server_counts() -> None:
    errors: list[float] = []
    play = await run_script([look_at(number) for number in range(12)], tools=[LARGE], system="You are tested. " * 50)
    keeper = ContextKeeper(QUICK, window=200_000, fixed_tokens=300, summarise=None)
    transcript: list[Message] = []
    added = iter([*BEGIN, *play.result.messages[1:]])
    for number, event in enumerate(play.of_kind("usage")):
        transcript += [next(added)] if number == 0 else [next(added), next(added)]
        await keeper.build_view(transcript, iteration=number)
        counted = event.usage.input_tokens + event.usage.cache_write_tokens + event.usage.cache_read_tokens
        if number:
            errors.append(abs(keeper.tokens - counted) / counted)
        keeper.record_usage(event.usage)
    assert len(errors) == 12
    assert sorted(errors)[-2] < 0.15


async def test_trap_42_the_task_and_the_open_question_outlive_every_summary() -> None:
    messages = [
        Message("user", (Text("The task: explain photosynthesis."),)),
        *history(6, words=300),
        Message("user", (Text("And now?"),)),
        Message("assistant", (Text("Do you want the chemistry, or the story?"),)),
        Message("user", (Text("The story, please."),)),
    ]
    play = await run_script(
        [look_at(number) for number in range(12)],
        tools=[LARGE],
        messages=messages,
        policy=small_window(6_000, keep_compact=2),
        strategy=Summarize(2_500),
        summarise=Summariser(then="They talked."),
    )
    assert len(play.of_kind("context_compacted")) >= 2
    for at in range(len(play.requests)):
        sent = str(play.sent(at))
        for words in ("explain photosynthesis", "Do you want the chemistry, or the story?", "The story, please."):
            assert words in sent

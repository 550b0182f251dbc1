"""The view that is sent: rules C1 to C9 of the loop, each by itself."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.loop.conversations import (
    SMALL,
    WINDOW,
    Summariser,
    all_text,
    assert_pairs_fit,
    flat,
    step,
    steps,
    thinks,
    user_message,
    words,
)
from sprout.errors import NotFound, SetupError
from sprout.events import Usage
from sprout.loop.context.keeper import ContextKeeper
from sprout.loop.context.strategy import Auto, SlidingWindow, Strategy, Summarize, Unlimited
from sprout.loop.context.summary import SummaryFunction, SummaryResult
from sprout.loop.model import Image, Message, Text, Thinking, ToolResult, ToolUse
from sprout.loop.policy import LoopPolicy


def keeper(
    *,
    policy: LoopPolicy = SMALL,
    strategy: Strategy = Auto(),
    summarise: SummaryFunction | None = None,
    window: int = WINDOW,
) -> ContextKeeper:
    return ContextKeeper(policy, window=window, strategy=strategy, fixed_tokens=100, summarise=summarise)


def rungs(compactions: Sequence[object]) -> list[str]:
    return [str(getattr(each, "rung")) for each in compactions]  # noqa: B009 - any event may be here


async def test_C1_the_estimate_counts_hidden_thinking_as_the_api_reported_it() -> None:
    context = keeper()
    transcript = [user_message("Begin.")]
    await context.build_view(transcript, iteration=1)
    context.record_usage(Usage(input_tokens=140, output_tokens=2_000))
    await context.build_view([*transcript, *step(1, "seen")], iteration=2)
    assert context.tokens > 2_100


async def test_C1_what_the_api_counted_moves_the_moment_of_the_compaction() -> None:
    transcript = [user_message("Begin."), *steps(20, tokens=160)]
    lean, fat = keeper(), keeper()
    for context, factor in (lean, 1.0), (fat, 2.0):
        for iteration in (5, 10):
            await context.build_view(transcript[: 1 + 2 * iteration], iteration=iteration)
            context.record_usage(Usage(input_tokens=round(factor * 180 * iteration)))
    assert not (await lean.build_view(transcript, iteration=20)).compactions
    assert (await fat.build_view(transcript, iteration=20)).compactions


async def test_C2_unlimited_leaves_everything_as_long_as_it_fits_the_window() -> None:
    transcript = [user_message("Begin."), *steps(20, tokens=240)]
    unlimited = keeper(strategy=Unlimited())
    view = await unlimited.build_view(transcript, iteration=1)
    assert view.messages == tuple(transcript)
    assert 7_000 < unlimited.tokens < 8_000
    assert (await keeper().build_view(transcript, iteration=1)).compactions


async def test_C2_a_sliding_window_keeps_the_task_and_the_latest_and_asks_no_model() -> None:
    summarise = Summariser()
    context = keeper(strategy=SlidingWindow(2_000), summarise=summarise)
    transcript = [user_message("The task.")]
    for number in range(40):
        transcript += step(number, f"result {number}" + words(200))
        view = await context.build_view(transcript, iteration=number)
        assert_pairs_fit(view.messages)
        assert context.tokens <= 2_000
        assert view.messages[0].content[0] == Text("The task.")
        assert view.messages[-2:] == tuple(transcript[-2:])
        assert not view.ask_human
        assert set(rungs(view.compactions)) <= {"collapse"}
    assert not summarise.given


async def test_C2_summarize_summarises_above_its_own_limit() -> None:
    summarise = Summariser("They looked at many things.")
    context = keeper(strategy=Summarize(3_000), summarise=summarise)
    view = await context.build_view([user_message("The task."), *steps(20, tokens=120)], iteration=1)
    assert rungs(view.compactions) == ["summary"]
    assert "They looked at many things." in all_text(view.messages[:1])


@pytest.mark.parametrize("strategy", [SlidingWindow, Summarize])
def test_C2_a_limit_that_is_no_number_of_tokens_is_refused(strategy: type[SlidingWindow | Summarize]) -> None:
    with pytest.raises(SetupError, match="max_tokens: 0"):
        strategy(0)


async def test_C3_old_results_are_cleared_first_and_no_model_is_asked() -> None:
    summarise = Summariser()
    transcript = [user_message("The task."), *steps(10, tokens=500), *steps(10, tokens=50, start=10)]
    view = await keeper(summarise=summarise).build_view(transcript, iteration=1)
    assert rungs(view.compactions) == ["clear"]
    assert not summarise.given
    assert len(view.messages) == len(transcript)
    assert view.messages[-10:] == tuple(transcript[-10:])
    assert "result 0" not in all_text(view.messages)
    assert_pairs_fit(view.messages)


async def test_C3_a_summary_follows_where_clearing_is_not_enough() -> None:
    summarise = Summariser()
    transcript = [user_message("The task."), *(message for n in range(40) for message in talk(n))]
    view = await keeper(summarise=summarise).build_view(transcript, iteration=1)
    assert rungs(view.compactions) == ["summary"]
    assert len(summarise.given) == 1
    assert view.messages[0].content[0] == Text("The task.")


async def test_C3_collapse_follows_where_the_last_messages_alone_are_too_many() -> None:
    transcript = [user_message("The task."), *(message for n in range(5) for message in talk(n, tokens=1_300))]
    view = await keeper(summarise=Summariser()).build_view(transcript, iteration=1)
    assert rungs(view.compactions) == ["collapse"]
    assert view.messages[0].content[0] == Text("The task.")
    assert view.messages[-2:] == tuple(transcript[-2:])


def talk(number: int, tokens: int = 150) -> tuple[Message, Message]:
    return Message("assistant", (Text(f"thought {number}" + words(tokens)),)), user_message(f"reply {number}")


async def test_C4_a_summary_keeps_the_last_messages_and_pins_the_latest_success_of_each_tool() -> None:
    summarise = Summariser("The record.")
    transcript = [user_message("The task.")]
    transcript += step(100, "first find", tool="find")
    transcript += step(101, "second <b>find</b>", tool="find")
    transcript += step(102, "no such thing", tool="find", is_error=True)
    transcript += step(103, "broken", tool="fetch", is_error=True)
    transcript += steps(20, tokens=350)
    context = keeper(strategy=Summarize(5_000), summarise=summarise)
    view = await context.build_view(transcript, iteration=1)
    head = all_text(view.messages[:1])
    assert "second &lt;b&gt;find&lt;/b&gt;" in head
    assert "first find" not in head
    assert "no such thing" not in head
    assert "broken" not in head
    assert "The record." in head
    assert view.messages[-10:] == tuple(transcript[-10:])
    assert "result 19" not in head
    assert_pairs_fit(view.messages)


async def test_C4_pins_stay_word_for_word_through_three_compactions() -> None:
    context = keeper(strategy=Summarize(2_000), summarise=Summariser(), policy=replace_policy(max_recoveries=100))
    transcript = [user_message("The task."), *step(100, "the one finding", tool="find")]
    fired = 0
    for number in range(60):
        transcript += step(number, words(60))
        view = await context.build_view(transcript, iteration=number * 50)
        fired += bool(view.compactions)
        assert "the one finding" in all_text(view.messages)
    assert fired >= 3


def replace_policy(**changes: object) -> LoopPolicy:
    return SMALL.model_copy(update=changes)


@pytest.mark.parametrize("answer", [None, words(50_000)])
async def test_C4_a_summary_that_fails_or_is_longer_than_its_source_gives_way_to_the_same_cut_without_it(
    answer: str | None,
) -> None:
    transcript = [user_message("The task."), *(message for n in range(40) for message in talk(n))]
    view = await keeper(summarise=Summariser(then=answer)).build_view(transcript, iteration=1)
    assert rungs(view.compactions) == ["truncate"]
    assert "earlier messages were left out" in all_text(view.messages[:1])
    assert view.messages[-10:] == tuple(transcript[-10:])


async def test_C4_the_next_summary_is_told_the_one_before_and_what_left_since() -> None:
    summarise = Summariser("The first record.", "The second record.")
    context = keeper(strategy=Summarize(3_000), summarise=summarise)
    transcript = [user_message("The task."), *(message for n in range(20) for message in talk(n))]
    await context.build_view(transcript, iteration=1)
    transcript += (message for n in range(20, 40) for message in talk(n))
    view = await context.build_view(transcript, iteration=100)
    given = all_text(summarise.given[1])
    assert "The first record." in given
    assert "thought 0 " not in given
    assert all(f"thought {number} " in given for number in range(16, 34))
    assert "The second record." in all_text(view.messages)
    assert "The first record." not in all_text(view.messages)


async def test_C5_a_recursive_summary_is_made_of_summaries_of_groups() -> None:
    summarise = Summariser("group one", "group two", "group three", then="the whole")
    transcript = [user_message("The task."), *(message for n in range(100) for message in talk(n, tokens=200))]
    context = keeper(strategy=Auto(recursive=True), summarise=summarise, window=30_000)
    view = await context.build_view(transcript, iteration=1)
    assert len(summarise.given) == 4
    assert [block for _, block in flat(summarise.given[3])] == [
        Text("group one"),
        Text("group two"),
        Text("group three"),
    ]
    assert "the whole" in all_text(view.messages)


async def test_C5_a_group_without_a_summary_leaves_the_whole_without_one() -> None:
    transcript = [user_message("The task."), *(message for n in range(100) for message in talk(n, tokens=200))]
    summarise = Summariser("group one", None)
    view = await keeper(strategy=Auto(recursive=True), summarise=summarise, window=30_000).build_view(
        transcript, iteration=1
    )
    assert len(summarise.given) == 2
    assert rungs(view.compactions) == ["truncate"]


async def test_C6_what_was_asked_and_the_question_before_it_outlive_the_cut() -> None:
    history = [user_message("The task."), *(message for n in range(8) for message in talk(n))]
    history += [Message("assistant", (Text("What does a leaf need? </said>"),)), user_message("Light, I think.")]
    context = keeper(summarise=Summariser())
    transcript = [*history]
    await context.build_view(transcript, iteration=1)
    transcript += (message for n in range(40) for message in step(n, words(20)))
    transcript += (message for n in range(10) for message in talk(n, tokens=500))
    view = await context.build_view(transcript, iteration=2)
    head = view.messages[0].content
    assert head[0] == Text("The task.")
    assert head[-1] == Text("Light, I think.")
    assert "What does a leaf need? &lt;/said&gt;" in all_text(view.messages[:1])


async def test_C6_a_summary_too_weak_by_a_fifth_counts_as_failed() -> None:
    """Clearing alone would fit under the threshold, and yet it leaves more than four fifths."""
    transcript = [user_message("The task."), *step(0, words(400)), *(m for n in range(20) for m in talk(n, tokens=240))]
    context = keeper(summarise=Summariser())
    view = await context.build_view(transcript, iteration=1)
    assert view.compactions[-1].tokens_after <= 0.8 * view.compactions[0].tokens_before
    assert rungs(view.compactions)[-1] == "summary"


async def test_C6_a_view_that_cannot_be_made_smaller_is_left_as_it_is() -> None:
    context = keeper(summarise=Summariser())
    transcript = [user_message("The task." + words(5_300)), *steps(1, tokens=100)]
    views = [await context.build_view(transcript, iteration=number) for number in range(1, 9)]
    assert all(view.messages == tuple(transcript) and not view.compactions for view in views)


async def test_C7_crossed_again_within_the_window_it_is_pruned_deep_then_a_person_is_asked_then_at_most_four() -> None:
    context = keeper(summarise=Summariser())
    transcript = [user_message("The task.")]
    seen: list[list[str] | str] = []
    number = 0
    for iteration in range(60):
        transcript += (message for n in range(2) for message in talk(number + n, tokens=600))
        number += 2
        view = await context.build_view(transcript, iteration=iteration)
        assert_pairs_fit(view.messages)
        assert context.tokens <= context.ceiling
        if view.ask_human:
            seen.append("ask")
        elif view.compactions:
            seen.append(rungs(view.compactions))
    assert seen[0] == ["summary"]
    assert seen[1] == ["deep_prune"]
    assert seen[2] == "ask"
    assert "deep_prune" not in str(seen[3:])
    assert seen.count("ask") == 1


async def test_C7_far_apart_each_crossing_is_a_plain_compaction() -> None:
    context = keeper(summarise=Summariser())
    transcript = [user_message("The task.")]
    fired: list[str] = []
    for number in range(70):
        transcript += talk(number, tokens=200)
        view = await context.build_view(transcript, iteration=number * 21)
        assert not view.ask_human
        fired += rungs(view.compactions)
    assert fired.count("summary") >= 2
    assert "deep_prune" not in fired


async def test_C7_the_same_iteration_is_asked_twice_and_recovered_once() -> None:
    context = keeper(summarise=Summariser())
    transcript = [user_message("The task."), *(message for n in range(40) for message in talk(n))]
    first = await context.build_view(transcript, iteration=1)
    again = await context.build_view(transcript, iteration=1)
    assert first.compactions
    assert not again.compactions
    assert again.messages == first.messages


async def test_C8_results_are_flushed_once_and_before_they_leave() -> None:
    flushed: list[Message] = []
    tokens_then: list[int] = []

    async def flush(messages: Sequence[Message]) -> None:
        flushed.extend(messages)
        tokens_then.append(context.tokens)

    context = ContextKeeper(SMALL, window=WINDOW, fixed_tokens=100, summarise=Summariser(), flush=flush)
    transcript = [user_message("The task.")]
    for number in range(30):
        transcript += step(number, f"result {number}." + words(300))
        await context.build_view(transcript, iteration=number * 30)
    results = [block for _, block in flat(flushed) if isinstance(block, ToolResult)]
    assert len({block.call_id for block in results}) == len(results) > 10
    assert all(str(block.content).startswith("result ") for block in results)
    assert_pairs_fit(flushed)
    assert min(tokens_then) > context.threshold


async def test_C8_a_memory_that_fails_stops_no_compaction_and_is_told_again() -> None:
    token_counts: list[int] = []

    async def flush(messages: Sequence[Message]) -> None:
        token_counts.append(len(messages))
        if len(token_counts) == 1:
            raise NotFound("memory", "m1")

    context = ContextKeeper(SMALL, window=WINDOW, fixed_tokens=100, summarise=None, flush=flush)
    transcript = [user_message("The task."), *steps(30, tokens=300)]
    assert (await context.build_view(transcript, iteration=1)).compactions
    transcript += steps(30, tokens=300, start=30)
    await context.build_view(transcript, iteration=50)
    assert token_counts[1] > token_counts[0]


async def test_C9_pruning_leaves_head_and_tail_and_the_last_two_pairs_and_the_task() -> None:
    context = keeper(policy=replace_policy(keep_compact=100))
    transcript = [user_message("The task."), *steps(10, tokens=600)]
    view = await context.build_view(transcript, iteration=1)
    assert rungs(view.compactions) == ["prune"]
    old = view.messages[2].content[0]
    assert isinstance(old, ToolResult)
    assert isinstance(old.content, str)
    assert old.content.startswith("result 0 word")
    assert old.content.endswith(" word")
    assert "[pruned: " in old.content
    assert len(old.content.encode()) < 260
    assert view.messages[-4:] == tuple(transcript[-4:])
    assert view.messages[0] == transcript[0]


async def test_trap_35_one_giant_result_is_cut_in_the_view_and_not_in_the_transcript() -> None:
    context = keeper()
    transcript = [user_message("The task."), *step(1, "begin" + words(30_000) + " end")]
    view = await context.build_view(transcript, iteration=1)
    assert rungs(view.compactions)[-1] == "truncate"
    assert context.tokens <= context.ceiling
    result = view.messages[2].content[0]
    assert isinstance(result, ToolResult)
    assert str(result.content).startswith("begin word")
    assert str(result.content).endswith(" end")
    assert "30000" not in str(result.content)
    assert len(str(transcript[2])) > 100_000


async def test_the_ceiling_holds_for_inputs_pictures_and_pins_as_well() -> None:
    call = ToolUse("c1", "save", {"texts": [words(5_000), {"more": words(5_000)}], "n": 1})
    pictures = tuple(Image("image/png", "unreadable") for _ in range(10))
    transcript = [user_message("The task."), *step(7, words(6_000), tool="find")]
    transcript += [Message("assistant", (call,)), Message("user", (ToolResult("c1", (Text("saved"), *pictures)),))]
    context = keeper(summarise=Summariser())
    view = await context.build_view(transcript, iteration=1)
    assert context.tokens <= context.ceiling
    assert_pairs_fit(view.messages)
    assert view.messages[0].content[0] == Text("The task.")


async def test_H2_a_rewritten_view_has_no_thinking_and_one_that_only_grew_keeps_it() -> None:
    context = keeper()
    transcript = [user_message("The task.")]
    await context.build_view(transcript, iteration=0)
    for number in range(3):
        call, result = step(number, "seen")
        transcript += [replace(call, content=(Thinking("hm", "signed"), *call.content)), result]
    assert thinks((await context.build_view(transcript, iteration=1)).messages)
    transcript += [Message("assistant", (Thinking("only this", "signed"),)), user_message("Go on.")]
    transcript += steps(20, tokens=400, start=10)
    view = await context.build_view(transcript, iteration=2)
    assert view.compactions
    assert not thinks(view.messages)
    assert_pairs_fit(view.messages)


async def test_H1_thinking_of_earlier_runs_is_not_sent_and_another_model_sees_none() -> None:
    context = keeper()
    transcript = [
        user_message("One."),
        Message("assistant", (Thinking("hm", "s"), Text("Two."))),
        user_message("Three."),
    ]
    assert not thinks((await context.build_view(transcript, iteration=1)).messages)
    call, result = step(1, "seen")
    transcript += [replace(call, content=(Thinking("hm", "s"), *call.content)), result]
    assert thinks((await context.build_view(transcript, iteration=2)).messages)
    context.drop_thinking()
    assert not thinks((await context.build_view(transcript, iteration=2)).messages)


async def test_a_too_long_prompt_is_cleared_then_summarised_then_collapsed_then_given_up() -> None:
    context = keeper(summarise=Summariser(), window=100_000)
    transcript = [
        user_message("The task."),
        *steps(10, tokens=300),
        *(m for n in range(20) for m in talk(n, tokens=100)),
    ]
    await context.build_view(transcript, iteration=1)
    seen = []
    while (view := await context.shrink_after_overflow(transcript, iteration=1)) is not None:
        seen.append(rungs(view.compactions))
        assert_pairs_fit(view.messages)
        assert view.compactions[-1].tokens_after <= 0.8 * view.compactions[0].tokens_before
    assert [each[0] for each in seen] == ["clear", "summary", "collapse"]


async def test_of_two_turns_in_a_row_only_one_recovers_from_a_too_long_prompt() -> None:
    context = keeper(summarise=None, window=100_000)
    transcript = [user_message("The task."), *steps(20, tokens=300)]
    await context.build_view(transcript, iteration=4)
    assert await context.shrink_after_overflow(transcript, iteration=4) is not None
    transcript += steps(20, tokens=300, start=20)
    assert await context.shrink_after_overflow(transcript, iteration=5) is None
    assert await context.shrink_after_overflow(transcript, iteration=6) is not None


async def test_a_window_that_proved_smaller_is_believed_from_then_on() -> None:
    context = keeper(summarise=None, window=1_000_000)
    transcript = [user_message("The task."), *steps(20, tokens=300)]
    await context.build_view(transcript, iteration=1)
    before = context.tokens
    assert await context.shrink_after_overflow(transcript, iteration=1) is not None
    transcript += steps(40, tokens=300, start=20)
    await context.build_view(transcript, iteration=2)
    assert context.tokens <= before


async def test_nothing_left_to_take_out_after_too_long_means_giving_up() -> None:
    context = keeper()
    transcript = [user_message("The task." + words(20_000))]
    await context.build_view(transcript, iteration=1)
    assert await context.shrink_after_overflow(transcript, iteration=1) is None


async def test_a_transcript_that_became_shorter_is_refused() -> None:
    context = keeper()
    await context.build_view([user_message("One."), *steps(1, tokens=1)], iteration=1)
    with pytest.raises(ValueError, match="had 3"):
        await context.build_view([user_message("One.")], iteration=2)


@pytest.mark.parametrize(("window", "ceiling", "threshold"), [(200_000, 167_000, 140_000), (32_000, 16_000, 16_000)])
def test_a_small_window_keeps_half_of_itself_for_the_view(window: int, ceiling: int, threshold: int) -> None:
    context = ContextKeeper(LoopPolicy(), window=window, fixed_tokens=0, summarise=None)
    assert (context.ceiling, context.threshold) == (ceiling, threshold)


def test_the_policys_window_overrides_the_models() -> None:
    policy = LoopPolicy(context_window=100_000)
    assert ContextKeeper(policy, window=1, fixed_tokens=0, summarise=None).threshold == 67_000


async def test_a_compaction_that_is_cancelled_leaves_the_view_as_it_was() -> None:
    asked = asyncio.Event()

    async def never(messages: Sequence[Message]) -> SummaryResult:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError("nothing wakes this")

    context = keeper(summarise=never)
    transcript = [user_message("The task."), *(message for n in range(40) for message in talk(n))]
    await context.build_view(transcript[:9], iteration=1)
    task = asyncio.create_task(context.build_view(transcript, iteration=2))
    await asked.wait()
    tokens = context.tokens
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert context.tokens == tokens > context.threshold

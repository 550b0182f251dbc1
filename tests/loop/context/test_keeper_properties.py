"""Invariants of every view of every conversation."""

import asyncio
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.loop.conversations import assert_pairs_fit, flat, thinks, words
from sprout.loop.context.estimate import Estimator
from sprout.loop.context.keeper import ContextKeeper
from sprout.loop.context.normalisation import normalised
from sprout.loop.context.strategy import Auto, SlidingWindow, Strategy, Summarize, Unlimited
from sprout.loop.context.summary import SummaryResult
from sprout.loop.context.truncation import longest_text_bytes
from sprout.loop.model import Block, Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from sprout.loop.policy import LoopPolicy

FIXED = 50
TASK = Text("The task: explain photosynthesis.")
POLICY = LoopPolicy(reserve_tokens=300, buffer_tokens=200, keep_compact=6, max_recoveries=6, recovery_window=3)

texts = st.builds(
    lambda count, word: f"x{words(count, word)}",
    st.sampled_from([0, 3, 40, 300, 2_500]),
    st.sampled_from(["leaf", "é", "<", "\ud800"]),
)
pictures = st.just(Image("image/png", "none"))
contents = st.one_of(texts, st.lists(st.one_of(st.builds(Text, texts), pictures), min_size=1, max_size=3).map(tuple))
thoughts = st.one_of(st.builds(Thinking, texts, st.just("signed")), st.just(RedactedThinking("secret")))
windows = st.sampled_from([1_500, 4_000])
strategies: st.SearchStrategy[Strategy] = st.sampled_from(
    [Auto(), Auto(recursive=True), Unlimited(), SlidingWindow(900), Summarize(1_200)]
)
summaries = st.lists(st.sampled_from([None, "", "A record.", words(1_000)]), max_size=12)


class Added(list[list[Message]]):
    """Messages by iteration, shown by what they are and how long."""

    def __repr__(self) -> str:
        messages = (message for iteration in self for message in iteration)
        shown = [
            [f"{type(block).__name__}:{longest_text_bytes(block)}" for block in message.content] for message in messages
        ]
        return f"Added({shown})"


@st.composite
def iterations(draw: st.DrawFn) -> Added:
    """Messages that each iteration of a loop adds to a transcript: always ending with the user."""
    added = Added()
    for at in range(draw(st.integers(1, 10))):
        blocks: list[Block] = list(draw(st.lists(st.one_of(thoughts, st.builds(Text, texts)), max_size=2)))
        names = draw(st.lists(st.sampled_from(["look", "find", "save"]), max_size=3))
        calls = [ToolUse(f"c{at}_{n}", name, {"at": draw(texts)}) for n, name in enumerate(names)]
        results = [ToolResult(call.id, draw(contents), draw(st.booleans())) for call in calls]
        after: list[Block] = [Text(draw(texts))] if not results or draw(st.booleans()) else []
        apart = draw(st.booleans())
        messages = [Message("assistant", (*blocks, *calls)), Message("user", (*results, *([] if apart else after)))]
        messages += [Message("user", tuple(after))] if apart else []
        added.append([message for message in messages if message.content])
    return added


class Answers:
    def __init__(self, answers: Sequence[str | None]) -> None:
        self._answers = list(answers)

    async def __call__(self, messages: Sequence[Message]) -> SummaryResult:
        await asyncio.sleep(0)
        answer = self._answers.pop(0) if self._answers else "A late record."
        return SummaryResult(answer or None)


def nothing_is_left_to_cut(messages: Sequence[Message]) -> bool:
    tail = [block for message in messages[1:] for block in message.content]
    return len(messages) <= 3 and all(longest_text_bytes(block) <= POLICY.prune_max_bytes + 40 for block in tail)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(iterations(), windows, strategies, summaries, st.booleans())
async def test_any_chain_of_views_is_valid_and_only_grows_between_compactions(
    added: Added, window: int, strategy: Strategy, answers: list[str | None], with_history: bool
) -> None:
    context = ContextKeeper(POLICY, window=window, strategy=strategy, fixed_tokens=FIXED, summarise=Answers(answers))
    transcript = [Message("user", (TASK,))]
    if with_history:
        transcript += [message for messages in added for message in messages]
        added = Added([Message(m.role, tuple(map(_renamed, m.content))) for m in messages] for messages in added)
    before: list[tuple[str, Block]] = []
    for iteration, more in enumerate([[], *added]):
        transcript += more
        view = await context.build_view(transcript, iteration=iteration)
        assert normalised(view.messages) == view.messages
        assert_pairs_fit(view.messages)
        assert view.messages[0].content[0] == TASK
        assert len([block for _, block in flat(view.messages) if block == TASK]) == 1
        now = flat(view.messages)
        if view.compactions:
            assert not thinks(view.messages)
            assert view.compactions[-1].tokens_after < view.compactions[0].tokens_before
        else:
            assert now[: len(before)] == before
        estimator = Estimator(FIXED)
        assert context.tokens == estimator.tokens(estimator.size(view.messages))
        assert context.tokens <= context.ceiling or nothing_is_left_to_cut(view.messages)
        before = now


def _renamed(block: Block) -> Block:
    if isinstance(block, ToolUse):
        return ToolUse(f"again_{block.id}", block.name, block.input)
    if isinstance(block, ToolResult):
        return ToolResult(f"again_{block.call_id}", block.content, block.is_error)
    return block


ids = st.sampled_from(["a", "b", "c"])
words_said = st.builds(Text, st.one_of(texts, st.just("  ")))
of_assistant = st.one_of(words_said, thoughts, st.builds(ToolUse, ids, st.just("look"), st.just({})))
of_user = st.one_of(words_said, pictures, st.builds(ToolResult, ids, contents, st.booleans()))
messages_of_any_kind = st.one_of(
    st.builds(Message, st.just("assistant"), st.lists(of_assistant, max_size=3).map(tuple)),
    st.builds(Message, st.just("user"), st.lists(of_user, max_size=4).map(tuple)),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    st.lists(st.lists(messages_of_any_kind, min_size=1, max_size=4), min_size=1, max_size=8).map(Added),
    windows,
    strategies,
)
async def test_whatever_a_transcript_holds_no_pair_is_parted(added: Added, window: int, strategy: Strategy) -> None:
    context = ContextKeeper(POLICY, window=window, strategy=strategy, fixed_tokens=FIXED, summarise=None)
    transcript: list[Message] = []
    for iteration, more in enumerate(added):
        transcript += more
        view = await context.build_view(transcript, iteration=iteration)
        assert normalised(view.messages) == view.messages
        if view.messages:
            assert_pairs_fit(view.messages)
        smaller = await context.shrink_after_overflow(transcript, iteration=iteration)
        if smaller is not None:
            assert normalised(smaller.messages) == smaller.messages
            assert_pairs_fit(smaller.messages)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(iterations(), windows, strategies)
async def test_a_prompt_that_is_always_too_long_is_given_up_after_three_rungs(
    added: Added, window: int, strategy: Strategy
) -> None:
    context = ContextKeeper(POLICY, window=window, strategy=strategy, fixed_tokens=FIXED, summarise=None)
    transcript = [Message("user", (TASK,)), *(message for messages in added for message in messages)]
    await context.build_view(transcript, iteration=1)
    calls = 0
    while (view := await context.shrink_after_overflow(transcript, iteration=1)) is not None:
        calls += 1
        assert_pairs_fit(view.messages)
        assert view.messages[0].content[0] == TASK
    assert calls <= 3

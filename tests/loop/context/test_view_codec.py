"""Whatever a conversation holds, a later keeper makes the same view of it, from what was kept of a compaction."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.loop.conversations import assert_pairs_fit, flat
from sprout.loop.context.keeper import ContextKeeper
from sprout.loop.context.strategy import Strategy
from sprout.loop.encoding.message_codec import messages_as_json, messages_from_json
from sprout.loop.model import Message
from tests.loop.context.test_keeper_properties import (
    FIXED,
    POLICY,
    TASK,
    Added,
    Answers,
    iterations,
    messages_of_any_kind,
    strategies,
    summaries,
    windows,
)

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


def keeper(window: int, strategy: Strategy, answers: list[str | None]) -> ContextKeeper:
    return ContextKeeper(POLICY, window=window, strategy=strategy, fixed_tokens=FIXED, summarise=Answers(answers))


@settings(max_examples=60, suppress_health_check=QUIET)
@given(iterations(), windows, strategies, summaries)
async def test_a_view_that_was_taken_up_is_the_one_that_was_sent_and_goes_on_like_it(
    added: Added, window: int, strategy: Strategy, answers: list[str | None]
) -> None:
    first = keeper(window, strategy, answers)
    transcript = [Message("user", (TASK,))]
    for iteration, more in enumerate([[], *added]):
        transcript += more
        view = await first.build_view(transcript, iteration=iteration)
        if view.state is None or not view.compactions:
            continue
        read = messages_from_json(messages_as_json(transcript))
        second = keeper(window, strategy, [])
        second.restore(read, input_count=1, state=view.state)
        again = await second.build_view(read, iteration=iteration)
        assert again.messages == view.messages
        assert again.compactions == ()
        assert second.tokens == first.tokens


@settings(max_examples=60, suppress_health_check=QUIET)
@given(
    st.lists(st.lists(messages_of_any_kind, min_size=1, max_size=4), min_size=1, max_size=8).map(Added),
    windows,
    strategies,
)
async def test_a_view_of_anything_can_be_taken_up_and_grow(added: Added, window: int, strategy: Strategy) -> None:
    first = keeper(window, strategy, [])
    transcript: list[Message] = []
    state: str | None = None
    for iteration, more in enumerate(added):
        transcript += more
        state = (await first.build_view(transcript, iteration=iteration)).state or state
        smaller = await first.shrink_after_overflow(transcript, iteration=iteration)
        state = (smaller.state if smaller is not None else None) or state
        read = messages_from_json(messages_as_json(transcript))
        second = keeper(window, strategy, [])
        second.restore(read, input_count=0, state=state)
        view = await second.build_view([*read, *messages_from_json(messages_as_json(added[0]))], iteration=99)
        if flat(view.messages):
            assert_pairs_fit(view.messages)

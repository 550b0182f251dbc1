"""Whatever a conversation holds, a later keeper makes the same view of it, from what was kept of a compaction."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprout.loop.context import ContextKeeper
from sprout.loop.kept import messages_as_json, messages_from_json
from sprout.loop.model import Message
from sprout.loop.strategy import Strategy
from tests.loop.conversations import assert_pairs_fit, flat
from tests.loop.test_context_properties import (
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


@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(iterations(), windows, strategies, summaries)
async def test_a_view_that_was_taken_up_is_the_one_that_was_sent_and_goes_on_like_it(
    added: Added, window: int, strategy: Strategy, answers: list[str | None]
) -> None:
    first = keeper(window, strategy, answers)
    transcript = [Message("user", (TASK,))]
    for iteration, more in enumerate([[], *added]):
        transcript += more
        view = await first.view(transcript, iteration=iteration)
        if view.state is None or not view.compactions:
            continue
        read = messages_from_json(messages_as_json(transcript))
        second = keeper(window, strategy, [])
        second.take_up(read, begun_with=1, state=view.state)
        again = await second.view(read, iteration=iteration)
        assert again.messages == view.messages
        assert again.compactions == ()
        assert second.tokens == first.tokens


@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
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
        state = (await first.view(transcript, iteration=iteration)).state or state
        smaller = await first.after_too_long(transcript, iteration=iteration)
        state = (smaller.state if smaller is not None else None) or state
        read = messages_from_json(messages_as_json(transcript))
        second = keeper(window, strategy, [])
        second.take_up(read, begun_with=0, state=state)
        view = await second.view([*read, *messages_from_json(messages_as_json(added[0]))], iteration=99)
        if flat(view.messages):
            assert_pairs_fit(view.messages)

"""Going in circles, the ladder against it, and progress that stalls."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sprout.loop.detectors import Called, Detectors, Ladder, StalledProgress, Thrash, canonical
from sprout.loop.policy import LoopPolicy
from sprout.loop.turn import CallRecord

POLICY = LoopPolicy()


@dataclass(frozen=True)
class Call:
    name: str
    input: Mapping[str, object] = field(default_factory=dict)
    result: str = "seen"
    is_error: bool = False


def fired(*batches: Sequence[Called], detectors: Detectors | None = None) -> list[Thrash | None]:
    """What the detectors say after each batch."""
    looking = detectors or Detectors(POLICY)
    return [looking.after_batch(batch) for batch in batches]


def singles(*calls: Call) -> list[list[Call]]:
    return [[call] for call in calls]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_canonical_arguments_are_json_and_canonical_already(value: JsonValue) -> None:
    once = canonical(value)
    assert canonical(json.loads(once)) == once


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=5), st.randoms())
def test_43_the_order_of_keys_makes_no_difference(value: dict[str, JsonValue], chance: object) -> None:
    keys = list(value)
    chance.shuffle(keys)  # type: ignore[attr-defined]
    assert canonical({key: value[key] for key in keys}) == canonical(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [({"n": 1}, {"n": 1.0}), ({"q": " a \n b"}, {"q": "a b"}), ({"deep": [{"n": -0.0}]}, {"deep": [{"n": 0}]})],
)
def test_arguments_that_mean_the_same_are_the_same(one: object, other: object) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"n": 1}, {"n": "1"}),
        ({"n": 1}, {"n": True}),
        ({"n": 0}, {"n": None}),
        ({"n": 1.5}, {"n": 1}),
        ({"q": "ab"}, {"q": "a b"}),
        ({"a": ["b", "c"]}, {"a": ["c", "b"]}),
        ({"a": ["b,c"]}, {"a": ["b", "c"]}),
        ({"a": {}}, {"a": []}),
    ],
)
def test_arguments_that_mean_something_else_differ(one: object, other: object) -> None:
    assert canonical(one) != canonical(other)


def test_arguments_nested_deeper_than_python_recurses_can_be_compared() -> None:
    deep: object = 1
    for _ in range(20_000):
        deep = [deep]
    assert canonical(deep) == "[" * 20_000 + "1" + "]" * 20_000


def test_D1_the_third_identical_call_with_the_same_result_is_noticed() -> None:
    said = fired(*singles(*[Call("search", {"q": "a", "n": 1})] * 3))
    assert said == [None, None, Thrash("identical", "search", 3)]


def test_D1_43_three_spellings_of_the_same_input_are_identical() -> None:
    spellings = [{"q": "a b", "n": 1}, {"n": 1.0, "q": "a b"}, {"q": " a\tb ", "n": 1}]
    assert fired(*singles(*(Call("search", spelling) for spelling in spellings)))[-1] == Thrash(
        "identical", "search", 3
    )


def test_D1_44_a_poll_that_returns_something_new_is_progress() -> None:
    assert fired(*singles(*(Call("poll", {"job": 1}, str(count)) for count in range(12)))) == [None] * 12


def test_D1_a_poll_that_always_returns_the_same_is_noticed_each_time_from_the_third_on() -> None:
    said = fired(*singles(*[Call("poll", {"job": 1}, "busy")] * 5))
    assert [one and one.count for one in said] == [None, None, 3, 4, 5]


def test_D1_the_same_error_again_is_a_circle_and_the_same_words_without_error_are_another_result() -> None:
    assert fired(*singles(*[Call("send", {}, "no", is_error=True)] * 3))[-1] is not None
    mixed = [Call("send", {}, "no", is_error=failed) for failed in (True, False, True, False)]
    assert fired(*singles(*mixed[:3])) == [None] * 3


def test_D1_only_the_last_six_calls_count() -> None:
    others = [Call(f"other_{number}") for number in range(4)]
    same = Call("search", {"q": "a"})
    assert fired(*singles(same, same, *others, same)) == [None] * 7
    assert fired(*singles(same, same, *others[:3], same))[-1] == Thrash("identical", "search", 3)


def test_D1_three_identical_calls_within_one_long_batch_are_noticed() -> None:
    batch = [*[Call("search")] * 3, *(Call(f"other_{number}") for number in range(9))]
    assert fired(batch) == [Thrash("identical", "search", 3)]


def test_D1_four_inputs_of_one_tool_within_six_calls_are_a_pattern() -> None:
    said = fired(*singles(*(Call("search", {"q": word}, "nothing") for word in "abcd")))
    assert said == [None, None, None, Thrash("pattern", "search", 4)]


def test_D1_a_repeatable_tool_makes_no_pattern_but_can_be_identical() -> None:
    saves = [Call("save_concept", {"title": word}, f"saved {word}") for word in "abcdefgh"]
    assert fired(*singles(*saves), detectors=Detectors(POLICY, frozenset({"save_concept"}))) == [None] * 8
    again = fired(*singles(*[saves[0]] * 3), detectors=Detectors(POLICY, frozenset({"save_concept"})))
    assert again[-1] == Thrash("identical", "save_concept", 3)


def test_D1_several_questions_to_a_person_are_no_pattern() -> None:
    asked = singles(*(Call("ask_human", {"question": word}, f"answer {word}") for word in "abcdef"))
    assert fired(*asked) == [None] * 6


def test_D1_what_was_left_behind_does_not_fire_again() -> None:
    said = fired(*singles(*[Call("search")] * 3, Call("read"), Call("write")))
    assert said == [None, None, Thrash("identical", "search", 3), None, None]


@pytest.mark.parametrize(("cycle", "calls_until_noticed"), [("ab", 4), ("abc", 6)])
def test_45_a_round_made_again_is_noticed(cycle: str, calls_until_noticed: int) -> None:
    calls = [Call(f"tool_{letter}") for letter in itertools.islice(itertools.cycle(cycle), 6)]
    said = fired(*singles(*calls))
    first = next(position for position, one in enumerate(said, 1) if one)
    assert first == calls_until_noticed
    assert said[first - 1] == Thrash("period", calls[first - 1].name, calls_until_noticed)


def test_45_a_round_with_new_results_is_progress() -> None:
    calls = [Call(f"tool_{letter}", {}, str(turn)) for turn, letter in enumerate("abababab")]
    assert fired(*singles(*calls)) == [None] * 8


def test_the_numbers_come_from_the_policy() -> None:
    early = Detectors(LoopPolicy(thrash_identical=2, thrash_window=2))
    assert fired(*singles(*[Call("search")] * 2), detectors=early)[-1] == Thrash("identical", "search", 2)


def test_D3_identical_batches_are_counted_in_a_row_whatever_the_order_of_their_calls() -> None:
    detectors = Detectors(LoopPolicy(max_identical_batches=2))
    one, other = Call("read", {"at": "a"}), Call("read", {"at": "b"})
    counts = []
    for batch in ([one, other], [other, one], [one], [one, other], []):
        detectors.after_batch(batch)
        counts.append((detectors.identical_batches, detectors.batches_exceeded))
    assert counts == [(1, False), (2, True), (1, False), (1, False), (1, False)]


def test_D3_a_batch_with_a_new_result_is_not_identical() -> None:
    detectors = Detectors(POLICY)
    fired([Call("poll", {}, "1")], [Call("poll", {}, "2")], detectors=detectors)
    assert detectors.identical_batches == 1


def test_D3_is_off_where_no_number_is_set() -> None:
    detectors = Detectors(POLICY)
    fired(*[[Call("read")]] * 50, detectors=detectors)
    assert detectors.identical_batches == 50
    assert not detectors.batches_exceeded


def test_63_what_a_tool_had_not_said_before_is_news_and_an_error_is_not() -> None:
    detectors = Detectors(POLICY)
    news = []
    for batch in (
        [Call("search", {"q": "a"}, "nothing"), Call("search", {"q": "b"}, "nothing")],
        [Call("search", {"q": "c"}, "nothing")],
        [Call("search", {"q": "d"}, "broken", is_error=True)],
        [Call("search", {"q": "e"}, "found e"), Call("read", {}, "found e")],
        [],
    ):
        detectors.after_batch(batch)
        news.append(detectors.news)
    assert news == [1, 0, 0, 2, 0]


CALLS = st.builds(Call, st.sampled_from("ab"), st.fixed_dictionaries({"n": st.integers(0, 2)}), st.sampled_from("xy"))


@given(st.lists(CALLS, max_size=14))
def test_no_circle_is_noticed_where_nothing_was_ever_repeated(calls: list[Call]) -> None:
    new = [Call(f"{call.name}{turn}", call.input, call.result) for turn, call in enumerate(calls)]
    assert fired(*singles(*new)) == [None] * len(new)


def test_the_detectors_read_the_records_of_the_loop() -> None:
    record = CallRecord("toolu_1", "look", {"at": "a"}, "seen a", is_error=False, duration_s=0.1, attempts=1)
    assert fired(*[[record]] * 3)[-1] == Thrash("identical", "look", 3)


THRASH = Thrash("identical", "search", 3)


def test_D2_the_ladder_rises_to_asking_and_never_falls() -> None:
    ladder = Ladder(lookup="look_up", asks=True)
    steps = [ladder.after(THRASH) for _ in range(4)]
    assert [step.level for step in steps] == [1, 2, 3, 3]
    assert [step.force for step in steps] == [None, "look_up", "ask_human", "ask_human"]
    assert [step.question is not None for step in steps] == [False, False, True, True]
    assert all(THRASH.noticed in step.say for step in steps)
    assert "look_up" in steps[1].say
    assert "ask_human" in steps[2].say
    assert ladder.level == 3


def test_D2_the_tool_of_the_circle_is_not_forced_once_more() -> None:
    ladder = Ladder(lookup="search")
    assert [ladder.after(THRASH).force for _ in range(2)] == [None, None]


def test_D4_a_person_is_asked_even_by_an_agent_that_cannot_ask() -> None:
    ladder = Ladder()
    step = [ladder.after(THRASH) for _ in range(3)][-1]
    assert step.force is None
    assert "ask_human" not in step.say
    assert step.question is not None
    assert step.question.why == THRASH.noticed
    assert step.question.call_id is None


@pytest.mark.parametrize("kind", ["identical", "pattern", "period"])
def test_every_kind_of_circle_can_be_told(kind: str) -> None:
    told = Thrash(kind, "s" * 500, 4).noticed  # type: ignore[arg-type]
    assert "4" in told
    assert len(told) < 250


def test_63_three_short_turns_without_effect_are_no_progress() -> None:
    stalled = StalledProgress(POLICY)
    assert [stalled.after_turn(100, 0) for _ in range(4)] == [False, False, True, True]


def test_63_short_turns_with_an_effect_are_progress() -> None:
    stalled = StalledProgress(POLICY)
    assert not any(stalled.after_turn(100, 1) for _ in range(5))


def test_63_a_long_turn_or_an_effect_starts_the_count_afresh() -> None:
    stalled = StalledProgress(POLICY)
    turns = [(499, 0), (499, 0), (500, 0), (0, 0), (0, 0), (0, 2), (0, 0), (0, 0), (0, 0)]
    assert [stalled.after_turn(tokens, effects) for tokens, effects in turns] == [False] * 8 + [True]

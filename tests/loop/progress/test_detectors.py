"""Going in circles, the ladder against it, and progress that stalls."""

import itertools
import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sprout.loop.encoding.canonical_json import canonical_json
from sprout.loop.model_reply import ModelReply
from sprout.loop.policy import LoopPolicy
from sprout.loop.progress.detectors import Escalation, LoopDetected, LoopDetector, StallDetector
from sprout.loop.progress.loop_guard import LoopGuard, LoopState
from sprout.loop.turn import CallRecord

POLICY = LoopPolicy()


def a_call(
    name: str, input: Mapping[str, object] | None = None, result: str = "seen", is_error: bool = False
) -> CallRecord:
    return CallRecord("", name, input or {}, result, is_error, duration_s=0.0, attempts=1)


def fired(*batches: Sequence[CallRecord], detectors: LoopDetector | None = None) -> list[LoopDetected | None]:
    """Detections after each batch."""
    looking = detectors or LoopDetector(POLICY)
    return [looking.observe(batch) for batch in batches]


def singles(*calls: CallRecord) -> list[list[CallRecord]]:
    return [[call] for call in calls]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_canonical_arguments_are_json_and_canonical_already(value: JsonValue) -> None:
    once = canonical_json(value)
    assert canonical_json(json.loads(once)) == once


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=5), st.randoms())
def test_43_the_order_of_keys_makes_no_difference(value: dict[str, JsonValue], chance: object) -> None:
    keys = list(value)
    chance.shuffle(keys)  # type: ignore[attr-defined]
    assert canonical_json({key: value[key] for key in keys}) == canonical_json(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [({"n": 1}, {"n": 1.0}), ({"q": " a \n b"}, {"q": "a b"}), ({"deep": [{"n": -0.0}]}, {"deep": [{"n": 0}]})],
)
def test_arguments_that_mean_the_same_are_the_same(one: object, other: object) -> None:
    assert canonical_json(one) == canonical_json(other)


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
    assert canonical_json(one) != canonical_json(other)


def test_arguments_nested_deeper_than_python_recurses_can_be_compared() -> None:
    deep: object = 1
    for _ in range(20_000):
        deep = [deep]
    assert canonical_json(deep) == "[" * 20_000 + "1" + "]" * 20_000


def test_D1_the_third_identical_call_with_the_same_result_is_noticed() -> None:
    detection = fired(*singles(*[a_call("search", {"q": "a", "n": 1})] * 3))
    assert detection == [None, None, LoopDetected("identical", "search", 3)]


def test_D1_43_three_spellings_of_the_same_input_are_identical() -> None:
    spellings = [{"q": "a b", "n": 1}, {"n": 1.0, "q": "a b"}, {"q": " a\tb ", "n": 1}]
    assert fired(*singles(*(a_call("search", spelling) for spelling in spellings)))[-1] == LoopDetected(
        "identical", "search", 3
    )


def test_D1_44_a_poll_that_returns_something_new_is_progress() -> None:
    assert fired(*singles(*(a_call("poll", {"job": 1}, str(count)) for count in range(12)))) == [None] * 12


def test_D1_a_poll_that_always_returns_the_same_is_noticed_each_time_from_the_third_on() -> None:
    detection = fired(*singles(*[a_call("poll", {"job": 1}, "busy")] * 5))
    assert [one and one.count for one in detection] == [None, None, 3, 4, 5]


def test_D1_the_same_error_again_is_a_circle_and_the_same_words_without_error_are_another_result() -> None:
    assert fired(*singles(*[a_call("send", {}, "no", is_error=True)] * 3))[-1] is not None
    mixed = [a_call("send", {}, "no", is_error=failed) for failed in (True, False, True, False)]
    assert fired(*singles(*mixed[:3])) == [None] * 3


def kept(title: str) -> CallRecord:
    """A call that keeps all as it is."""
    return a_call("save", {"title": title}, '{"saved": true, "unchanged": true}')


def joined(edge: str) -> CallRecord:
    return a_call("join", {"edge": edge}, '{"saved": true}')


def test_D6_to_keep_the_same_again_is_a_circle_once_nothing_else_happens() -> None:
    between = singles(kept("A"), joined("AB"), kept("A"), joined("AC"), kept("A"))
    assert fired(*between) == [None] * 5
    detectors = LoopDetector(POLICY, frozenset({"save", "join"}))
    assert fired(*between, *singles(kept("A")), detectors=detectors)[-1] is None  # one was joined in between
    assert fired(*singles(kept("A")), detectors=detectors) == [LoopDetected("identical", "save", 4)]


def test_D6_what_else_a_batch_does_counts_wherever_it_stands_in_it() -> None:
    assert fired([*[kept("A")] * 5, joined("AB")]) == [None]
    assert fired([joined("AB"), *[kept("A")] * 5]) == [None]
    assert fired([kept("A")] * 3) == [LoopDetected("identical", "save", 3)]


@pytest.mark.parametrize(
    "other",
    [joined("AB"), kept("B"), a_call("join", {"edge": "AB"}, "no such title", is_error=True)],
    ids=["done before", "kept as well", "an error"],
)
def test_D6_something_else_is_a_success_that_is_new(other: CallRecord) -> None:
    assert fired([other], *[[kept("A"), other]] * 3)[-1] is not None


def test_D6_only_a_success_that_says_so_keeps_all_as_it_is() -> None:
    assert kept("A").unchanged
    for result in ('{"unchanged": false}', '{"unchanged": "true"}', '["unchanged"]', "unchanged", "", "[" * 100_000):
        assert not a_call("save", {}, result).unchanged
    assert not a_call("save", {}, '{"unchanged": true}', is_error=True).unchanged


def test_D1_only_the_last_six_calls_count() -> None:
    others = [a_call(f"other_{number}") for number in range(4)]
    same = a_call("search", {"q": "a"})
    assert fired(*singles(same, same, *others, same)) == [None] * 7
    assert fired(*singles(same, same, *others[:3], same))[-1] == LoopDetected("identical", "search", 3)


def test_D1_three_identical_calls_within_one_long_batch_are_noticed() -> None:
    batch = [*[a_call("search")] * 3, *(a_call(f"other_{number}") for number in range(9))]
    assert fired(batch) == [LoopDetected("identical", "search", 3)]


def test_D1_four_inputs_of_one_tool_within_six_calls_are_a_pattern() -> None:
    detection = fired(*singles(*(a_call("search", {"q": word}, "nothing") for word in "abcd")))
    assert detection == [None, None, None, LoopDetected("pattern", "search", 4)]


def test_D1_a_repeatable_tool_makes_no_pattern_but_can_be_identical() -> None:
    saves = [a_call("save_concept", {"title": word}, f"saved {word}") for word in "abcdefgh"]
    assert fired(*singles(*saves), detectors=LoopDetector(POLICY, frozenset({"save_concept"}))) == [None] * 8
    again = fired(*singles(*[saves[0]] * 3), detectors=LoopDetector(POLICY, frozenset({"save_concept"})))
    assert again[-1] == LoopDetected("identical", "save_concept", 3)


def test_D1_several_questions_to_a_person_are_no_pattern() -> None:
    asked = singles(*(a_call("ask_human", {"question": word}, f"answer {word}") for word in "abcdef"))
    assert fired(*asked) == [None] * 6


def test_D1_what_was_left_behind_does_not_fire_again() -> None:
    detection = fired(*singles(*[a_call("search")] * 3, a_call("read"), a_call("write")))
    assert detection == [None, None, LoopDetected("identical", "search", 3), None, None]


@pytest.mark.parametrize(("cycle", "calls_until_noticed"), [("ab", 4), ("abc", 6)])
def test_45_a_round_made_again_is_noticed(cycle: str, calls_until_noticed: int) -> None:
    calls = [a_call(f"tool_{letter}") for letter in itertools.islice(itertools.cycle(cycle), 6)]
    detection = fired(*singles(*calls))
    first = next(position for position, one in enumerate(detection, 1) if one)
    assert first == calls_until_noticed
    assert detection[first - 1] == LoopDetected("period", calls[first - 1].name, calls_until_noticed)


def test_45_a_round_with_new_results_is_progress() -> None:
    calls = [a_call(f"tool_{letter}", {}, str(turn)) for turn, letter in enumerate("abababab")]
    assert fired(*singles(*calls)) == [None] * 8


def test_the_numbers_come_from_the_policy() -> None:
    early = LoopDetector(LoopPolicy(thrash_identical=2, thrash_window=2))
    assert fired(*singles(*[a_call("search")] * 2), detectors=early)[-1] == LoopDetected("identical", "search", 2)


def test_D3_identical_batches_are_counted_in_a_row_whatever_the_order_of_their_calls() -> None:
    detectors = LoopDetector(LoopPolicy(max_identical_batches=2))
    one, other = a_call("read", {"at": "a"}), a_call("read", {"at": "b"})
    counts = []
    for batch in ([one, other], [other, one], [one], [one, other], []):
        detectors.observe(batch)
        counts.append((detectors.identical_batches, detectors.batches_exceeded))
    assert counts == [(1, False), (2, True), (1, False), (1, False), (1, False)]


def test_D3_a_batch_with_a_new_result_is_not_identical() -> None:
    detectors = LoopDetector(POLICY)
    fired([a_call("poll", {}, "1")], [a_call("poll", {}, "2")], detectors=detectors)
    assert detectors.identical_batches == 1


def test_D3_is_off_where_no_number_is_set() -> None:
    detectors = LoopDetector(POLICY)
    fired(*[[a_call("read")]] * 50, detectors=detectors)
    assert detectors.identical_batches == 50
    assert not detectors.batches_exceeded


def test_63_what_a_tool_had_not_said_before_is_news_and_an_error_is_not() -> None:
    detectors = LoopDetector(POLICY)
    detections = []
    for batch in (
        [a_call("search", {"q": "a"}, "nothing"), a_call("search", {"q": "b"}, "nothing")],
        [a_call("search", {"q": "c"}, "nothing")],
        [a_call("search", {"q": "d"}, "broken", is_error=True)],
        [a_call("search", {"q": "e"}, "found e"), a_call("read", {}, "found e")],
        [],
    ):
        detectors.observe(batch)
        detections.append(detectors.new_results)
    assert detections == [1, 0, 0, 2, 0]


CALLS = st.builds(a_call, st.sampled_from("ab"), st.fixed_dictionaries({"n": st.integers(0, 2)}), st.sampled_from("xy"))


@given(st.lists(CALLS, max_size=14))
def test_no_circle_is_noticed_where_nothing_was_ever_repeated(calls: list[CallRecord]) -> None:
    new = [a_call(f"{call.name}{turn}", call.input, call.result) for turn, call in enumerate(calls)]
    assert fired(*singles(*new)) == [None] * len(new)


def test_the_detectors_read_the_records_of_the_loop() -> None:
    record = CallRecord("toolu_1", "look", {"at": "a"}, "seen a", is_error=False, duration_s=0.1, attempts=1)
    assert fired(*[[record]] * 3)[-1] == LoopDetected("identical", "look", 3)


THRASH = LoopDetected("identical", "search", 3)


def test_D2_the_ladder_rises_to_asking_and_never_falls() -> None:
    ladder = Escalation(lookup="look_up", has_ask_human=True)
    steps = [ladder.intervention(level, THRASH) for level in (1, 2, 3)]
    assert [step.level for step in steps] == [1, 2, 3]
    assert [step.forced_tool for step in steps] == [None, "look_up", "ask_human"]
    assert [step.question is not None for step in steps] == [False, False, True]
    messages = [step.message or "" for step in steps]
    assert all(THRASH.description in message for message in messages)
    assert "look_up" in messages[1]
    assert "ask_human" in messages[2]
    guard = LoopGuard(POLICY, {}, lookup=None, asks=True, can_wait=False)
    loop, reply = LoopState(), ModelReply(())
    levels: list[int] = []
    for _ in range(6):
        loop, _verdict = guard.observe(loop, reply, [a_call("search")], 1_000)
        levels.append(loop.level)
    assert levels == [0, 0, 1, 2, 3, 3]


def test_D2_the_tool_of_the_circle_is_not_forced_once_more() -> None:
    ladder = Escalation(lookup="search")
    assert [ladder.intervention(level, THRASH).forced_tool for level in (1, 2)] == [None, None]


def test_D4_a_person_is_asked_even_by_an_agent_that_cannot_ask() -> None:
    ladder = Escalation()
    step = ladder.intervention(3, THRASH)
    assert step.forced_tool is None
    assert step.message is not None
    assert "ask_human" not in step.message
    assert step.question is not None
    assert step.question.why == THRASH.description
    assert step.question.call_id is None


@pytest.mark.parametrize("kind", ["identical", "pattern", "period"])
def test_every_kind_of_circle_can_be_told(kind: str) -> None:
    description = LoopDetected(kind, "s" * 500, 4).description  # type: ignore[arg-type]
    assert "4" in description
    assert len(description) < 250


def stalled(*iterations: tuple[int, int]) -> list[bool]:
    """True for each iteration after which progress has stalled, given its output tokens and effects."""
    detector, in_a_row, found = StallDetector(POLICY), 0, list[bool]()
    for tokens, effects in iterations:
        in_a_row = detector.count(in_a_row, tokens, effects)
        found.append(detector.stalled(in_a_row))
    return found


def test_63_three_short_turns_without_effect_are_no_progress() -> None:
    assert stalled(*[(100, 0)] * 4) == [False, False, True, True]


def test_63_short_turns_with_an_effect_are_progress() -> None:
    assert not any(stalled(*[(100, 1)] * 5))


def test_63_a_long_turn_or_an_effect_starts_the_count_afresh() -> None:
    turns = [(499, 0), (499, 0), (500, 0), (0, 0), (0, 0), (0, 2), (0, 0), (0, 0), (0, 0)]
    assert stalled(*turns) == [False] * 8 + [True]


def test_D5_where_no_person_is_asked_the_last_level_ends_the_turn() -> None:
    step = Escalation(asks=False).intervention(3, THRASH)
    assert step.ends_turn
    assert (step.question, step.forced_tool, step.message) == (None, None, None)
    assert not any(Escalation(asks=False).intervention(level, THRASH).ends_turn for level in (1, 2))

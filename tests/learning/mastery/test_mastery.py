"""Mastery is what the graded answers say, and nothing else (H3, H4 to H4c, H5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.learning.marking.program_marking import grade_runs
from sprout.learning.marking.program_runs import ProgramEnd, ProgramRun
from sprout.learning.mastery.knowledge_tracing import update, update_prerequisite
from sprout.learning.mastery.mastery import HIGHEST_OPEN, LEARNED_FROM, Claim, Evidence, Mastery, mastery, mean_mastery
from sprout.learning.questions.program_tests import ProgramTest
from tests.learning.mastery.histories import (
    CHAIN,
    NODES,
    NOON,
    after,
    an_answer,
    answers,
    days_later,
    fresh,
    histories,
    next_answer,
)

START = Mastery().known


def shown(history: Sequence[Evidence]) -> dict[str, float]:
    found = mastery(history, CHAIN)
    return {node: found.get(node, Mastery()).value for node in NODES}


def test_H4_nothing_is_known_of_who_has_answered_nothing() -> None:
    assert mastery([], CHAIN) == {}
    assert Mastery().value == 0


@pytest.mark.parametrize("format", ["mcq", "numeric", "open_ended"])
@pytest.mark.parametrize("difficulty", [1, 3, 5])
def test_H4c_two_right_first_attempts_at_different_questions_make_a_node_learned(format: str, difficulty: int) -> None:
    one, two = (after(*[1.0] * count, format=format, difficulty=difficulty) for count in (1, 2))
    assert (one.learned, two.learned, two.mastered) == (False, True, False)
    assert one.value <= HIGHEST_OPEN < LEARNED_FROM <= two.value
    same = replace(an_answer(1, number=1), item="prompt 0")
    assert not mastery([an_answer(1), same], CHAIN)["leaf"].learned, "the same words twice are one question"


def test_H4c_what_a_placement_found_known_is_learned_until_a_miss_and_mastered_a_day_later() -> None:
    claim = Claim("leaf", True, NOON)
    found = mastery([claim], CHAIN)["leaf"]
    assert (found.learned_at, found.mastered, found.right_answers_needed, found.value) == (NOON, False, 0, LEARNED_FROM)
    missed = mastery([claim, an_answer(0, number=1)], CHAIN)["leaf"]
    assert (missed.learned, missed.right_answers_needed) == (False, 2)
    assert missed.value <= HIGHEST_OPEN
    assert not mastery([claim, an_answer(1, number=1)], CHAIN)["leaf"].mastered
    assert mastery([claim, days_later(an_answer(1, number=1), 1)], CHAIN)["leaf"].mastered


def test_H4_the_newest_of_claims_and_answers_stands() -> None:
    right = [an_answer(1), an_answer(1, number=1)]
    learned_at = right[-1].at
    later, last = learned_at + timedelta(hours=1), learned_at + timedelta(hours=2)
    assert mastery([*right, Claim("leaf", True, later)], CHAIN)["leaf"].learned_at == learned_at
    assert not mastery([*right, Claim("leaf", False, later)], CHAIN)["leaf"].learned
    assert mastery([Claim("leaf", True, last), *right, Claim("leaf", False, later)], CHAIN)["leaf"].learned_at == last


@given(histories, st.lists(st.sampled_from(NODES), max_size=4), answers)
def test_H4b_a_wrong_answer_never_raises_what_was_claimed_and_a_right_one_never_lowers_it(
    history: list[Evidence], claimed: list[str], answer: Evidence
) -> None:
    claims = [Claim(node, True, NOON + timedelta(minutes=place)) for place, node in enumerate(claimed)]
    given_last = next_answer(history, answer)
    before, now = mastery([*history, *claims], CHAIN), mastery([*history, *claims, given_last], CHAIN)
    for node in NODES:
        was, is_now = (found.get(node, Mastery()).value for found in (before, now))
        assert is_now >= was if given_last.score >= 0.5 else is_now <= was


def test_H4c_one_success_after_failure_and_help_makes_nothing_learned() -> None:
    missed, helped, changed_form = an_answer(0), replace(an_answer(1, number=1, level=1), question_id="q0"), 2
    found = mastery([missed, helped, an_answer(1, number=changed_form)], CHAIN)["leaf"]
    assert (found.learned, found.right_answers_needed) == (False, 1)


@pytest.mark.parametrize(
    ("scores", "needed"),
    [
        ((), 2),
        ((1,), 1),
        ((0,), 2),
        ((1, 0), 2),
        ((1, 1), 0),
        ((1, 1, 0), 2),
        ((1, 1, 0, 1), 1),
        ((1, 0, 1), 1),
        ((0.6,), 2),
        ((1, 1, 0.6), 0),
        ((1, 0, 0.6), 1),
        ((1, 0, 0.6, 0.6), 1),
    ],
)
def test_H4c_it_takes_two_right_ones_and_no_miss_among_the_last_two(scores: tuple[float, ...], needed: int) -> None:
    found = after(*scores)
    assert (found.learned, found.right_answers_needed) == (needed == 0, needed)


def test_H4c_mastered_is_learned_and_right_once_more_a_day_later() -> None:
    learned = [an_answer(1, number=0), an_answer(1, number=5)]
    assert mastery(learned, CHAIN)["leaf"].mastered_from == NOON + timedelta(days=1, minutes=5)
    for later, score, level, mastered in (
        (0.99, 1, 0, False),
        (1, 1, 0, True),
        (30, 1, 0, True),
        (30, 0.6, 0, False),
        (30, 1, 1, False),
    ):
        again = days_later(an_answer(score, number=5, level=level), later)
        found = mastery([*learned, replace(again, answer_id="later", question_id="later")], CHAIN)["leaf"]
        assert (found.learned, found.mastered) == (True, mastered), (later, score, level)


def test_H4c_a_miss_takes_both_away_and_mastery_takes_another_day() -> None:
    first = [an_answer(1, number=0), an_answer(1, number=1), days_later(an_answer(1, number=2), 1)]
    assert mastery(first, CHAIN)["leaf"].mastered
    missed = [*first, days_later(an_answer(0, number=3), 2)]
    assert not mastery(missed, CHAIN)["leaf"].learned
    again = [*missed, days_later(an_answer(1, number=4), 2), days_later(an_answer(1, number=5), 2)]
    assert (mastery(again, CHAIN)["leaf"].learned, mastery(again, CHAIN)["leaf"].mastered) == (True, False)
    assert mastery([*again, days_later(an_answer(1, number=6), 3)], CHAIN)["leaf"].mastered


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_H3_what_is_done_with_help_is_practice_and_leaves_mastery_where_it_is(level: int) -> None:
    practised = after(*[1.0, 0.0] * 10, level=level)
    assert (practised.known, practised.value, practised.learned) == (START, 0, False)
    assert practised.attempts == 20
    own = [an_answer(1, number=number) for number in range(30, 32)]
    helped = [an_answer(1, number=number, level=level) for number in range(5)]
    assert mastery([*helped, *own], CHAIN)["leaf"].learned, "but then alone it is"


def test_H4a_trying_again_at_the_same_question_costs_nothing() -> None:
    first = [an_answer(1), an_answer(1, number=1), an_answer(0, number=2)]
    retries = [replace(an_answer(0, number=number), question_id="q2") for number in range(3, 9)]
    once, often = mastery(first, CHAIN)["leaf"], mastery([*first, *retries], CHAIN)["leaf"]
    assert replace(often, evidence=once.evidence) == once
    assert often.attempts == 9


def test_H4a_a_firm_node_keeps_what_it_has_when_another_is_the_likelier_cause_of_a_miss() -> None:
    firm = [an_answer(1, number=number) for number in range(3)]
    found = mastery([*firm, an_answer(0, "leaf", "growth", number=9)], [])
    before = mastery(firm, [])["leaf"]
    assert found["leaf"].learned
    assert before.value - found["leaf"].value < 0.02
    assert (found["leaf"].run, found["growth"].run) == (3, 0)
    alike = [an_answer(1, "leaf"), an_answer(1, "growth", number=1)]
    shared = mastery([*alike, an_answer(0, "leaf", "growth", number=2)], [])
    assert shared["leaf"].known == shared["growth"].known < mastery(alike, [])["leaf"].known, "equally known, both pay"
    assert shared["leaf"].run == shared["growth"].run == 0


def test_H5_a_miss_casts_doubt_on_what_it_rests_on_the_less_the_farther() -> None:
    known = [an_answer(1, node, number=number) for number, node in enumerate(NODES)]
    before = mastery(known, CHAIN)
    missed = mastery([*known, an_answer(0, "growth", number=9)], CHAIN)
    loss = {node: before[node].known - missed[node].known for node in NODES}
    assert loss["growth"] > loss["sugar"] > loss["leaf"] > 0
    assert loss["light"] == 0, "three edges away it says nothing"
    assert [missed[node].attempts for node in NODES] == [1, 1, 1, 2]


def test_H5_a_good_answer_is_credit_for_what_it_rests_on_but_makes_nothing_learned() -> None:
    credited = mastery([an_answer(1, "growth", number=number) for number in range(3)], CHAIN)
    assert credited["growth"].learned
    assert credited["sugar"].known > credited["leaf"].known > START
    often = mastery([an_answer(1, "growth", number=number) for number in range(50)], CHAIN)
    assert often["sugar"].value == HIGHEST_OPEN
    assert not often["sugar"].learned
    assert mastery([an_answer(1, "growth", level=2)], CHAIN).keys() == {"growth"}, "help gives no credit"


def test_H5_a_node_that_an_answer_tests_itself_gets_nothing_along_its_edges() -> None:
    found = mastery([an_answer(1, "sugar", "leaf")], CHAIN)
    assert [found["sugar"].known, found["leaf"].known] == update([START, START], 1, "open_ended", 3)
    assert found["light"].known == update_prerequisite(START, 1, "open_ended", 3, edges=1)


@settings(max_examples=100)
@given(histories, answers, st.integers(2, 8), st.data())
def test_H4b_a_program_that_fails_a_case_raises_nothing_however_many_it_passes(
    history: list[Evidence], answer: Evidence, cases: int, data: st.DataObject
) -> None:
    passed = data.draw(st.integers(0, cases - 1))
    printed = [ProgramRun(ProgramEnd.COMPLETE, "1" if case < passed else "2") for case in range(cases)]
    grade = grade_runs("print(n)", [ProgramTest(before="n = 1", prints="1")] * cases, printed)
    assert grade.correct is False
    assert grade.score is not None
    before = mastery(history, CHAIN)
    now = mastery([*history, next_answer(history, replace(answer, score=grade.score))], CHAIN)
    for node in NODES:
        was, is_now = before.get(node, Mastery()), now.get(node, Mastery())
        assert is_now.known <= was.known + 1e-9
        assert is_now.value <= was.value + 1e-9
        assert was.learned or not is_now.learned


@settings(max_examples=150)
@given(histories, answers)
def test_H4b_a_right_answer_lowers_nothing_a_wrong_one_raises_nothing_and_practice_changes_nothing(
    history: list[Evidence], answer: Evidence
) -> None:
    last = next_answer(history, answer)
    before, now = shown(history), shown([*history, last])
    earlier = any(one.question_id == last.question_id for one in history)
    if last.help_level or earlier:
        assert now == before
    for node in NODES:
        assert now[node] >= before[node] - 1e-9 or last.score < 0.5
        assert now[node] <= before[node] + 1e-9 or last.score >= 0.5


@settings(max_examples=150)
@given(histories, answers, st.sampled_from(NODES))
def test_H4b_the_words_beside_the_bar_promise_what_the_next_answer_does(
    history: list[Evidence], answer: Evidence, node: str
) -> None:
    before = mastery(history, CHAIN).get(node, Mastery())
    fresh_one = replace(fresh(next_answer(history, answer)), tests=(node,))
    right = mastery([*history, replace(fresh_one, score=1.0)], CHAIN)[node]
    wrong = mastery([*history, replace(fresh_one, score=0.0)], CHAIN)[node]
    assert (before.right_answers_needed == 0) == before.learned
    assert right.right_answers_needed == max(0, before.right_answers_needed - 1)
    assert right.learned == (before.right_answers_needed <= 1)
    assert (wrong.learned, wrong.right_answers_needed) == (False, 2)
    if before.mastered_from is not None:
        for moment, mastered in ((before.mastered_from, True), (before.mastered_from - timedelta(seconds=1), False)):
            if moment > max(one.at for one in history):
                then = replace(fresh_one, score=1.0, at=moment)
                assert mastery([*history, then], CHAIN)[node].mastered is mastered


@settings(max_examples=100)
@given(histories)
def test_H3_H4c_nothing_is_learned_without_two_own_first_attempts_or_mastered_within_a_day(
    history: list[Evidence],
) -> None:
    for found in mastery(history, CHAIN).values():
        own = [one for one in found.evidence if one.help_level == 0 and one.score >= 0.7]
        if found.learned:
            assert len({one.item for one in own}) >= 2
            assert len({one.question_id for one in own}) >= 2
        if found.mastered:
            assert found.learned
            assert max(one.at for one in own) - min(one.at for one in own) >= timedelta(days=1)


def test_H4_an_answer_given_while_the_clock_was_ahead_does_not_come_after_those_given_since() -> None:
    """A lesson that waited for that time to come would not end, however much is answered right."""
    missed = days_later(an_answer(0), 3)
    right = [an_answer(1, number=number) for number in (1, 2)]
    found = mastery([missed, *right], CHAIN)["leaf"]
    assert (found.learned, found.learned_at, found.mastered) == (True, right[-1].at, False)
    claim = Claim("leaf", False, right[-1].at + timedelta(minutes=1))
    assert not mastery([missed, *right, claim], CHAIN)["leaf"].learned, "nor does it undo what was said since"
    assert mastery([missed, claim, an_answer(1, number=7), an_answer(1, number=8)], CHAIN)["leaf"].learned


@settings(max_examples=60)
@given(histories, st.randoms())
def test_H4_the_order_in_which_answers_are_found_makes_no_difference(history: list[Evidence], chance: Random) -> None:
    shuffled = list(history)
    chance.shuffle(shuffled)
    assert mastery(shuffled, CHAIN) == mastery(history, CHAIN)


@settings(max_examples=60)
@given(histories, histories)
def test_H4_answers_that_reach_no_node_in_common_count_in_any_order(
    history: list[Evidence], other: list[Evidence]
) -> None:
    """Reached are what is tested and what that rests on: two graphs without an edge between them have none in common,
    and answers about the one are worth the same before, between and after answers about the other."""
    apart = [
        replace(
            one,
            answer_id=f"other {one.answer_id}",
            question_id=f"other {one.question_id}",
            tests=tuple(f"other {node}" for node in one.tests),
        )
        for one in other
    ]
    edges = [*CHAIN, *((f"other {source}", f"other {target}") for source, target in CHAIN)]
    assert mastery([*history, *apart], edges) == mastery(history, edges) | mastery(apart, edges)


@settings(max_examples=60)
@given(histories)
def test_H4_every_value_is_between_nothing_and_all_and_its_evidence_the_answers_about_the_node(
    history: list[Evidence],
) -> None:
    for node, found in mastery(history, CHAIN).items():
        assert 0 < found.known < 1
        assert 0 <= found.value < 1
        assert (found.value >= LEARNED_FROM) == found.learned
        assert set(found.evidence) == {one for one in history if node in one.tests}


def test_the_mastery_of_a_concept_is_the_mean_of_its_parts() -> None:
    assert mean_mastery([]) == 0
    assert mean_mastery([0.2, 0.0, 0.7]) == pytest.approx(0.3)

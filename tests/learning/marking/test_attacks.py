"""Answers that speak to their grader, before a grader that obeys all of them: what code alone still holds (A2, I-1)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from sprout.learning.marking.answers import ADDRESSES_GRADER, grader_directed_spans
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.marking.grading import CriterionVerdict, grade_verdicts, merge_samples
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion
from sprout.learning.text.grading_talk import talks_about_grading
from sprout.learning.text.normalization import tidy
from sprout.yaml_loader import load_yaml

CORPUS: dict[str, Any] = load_yaml(Path(__file__).with_name("attacks.yaml").read_text())
FAMILIES: dict[str, list[str]] = CORPUS["families"]
UNSEEN: dict[str, list[str]] = CORPUS["unseen"]
HONEST: list[str] = CORPUS["honest"]
SPOONS = OpenQuestion(
    prompt="A metal spoon and a wooden spoon lay in the same room all night. Why does the metal one feel colder?",
    criteria=(
        Criterion("the two temperatures", "both spoons are at room temperature", 0.5),
        Criterion("what metal does to heat", "metal carries heat from the hand faster", 0.5),
    ),
    anchors=("Both have the temperature of the room, but metal leads the warmth of the hand away quicker.",),
)
MOST_INFLATION = 0.1
MOST_INFLATION_UNSEEN = 0.5
MOST_FALSE_FLAGS = 2

Property = Callable[[str, object], None]


@dataclass(frozen=True)
class Attack:
    family: str
    wrong: str
    answer: str


def attacks(families: dict[str, list[str]]) -> Iterator[Attack]:
    """Every text around every wrong answer, as an answer is kept."""
    for family, texts in families.items():
        for text in texts:
            for wrong in CORPUS["wrong"]:
                yield Attack(family, wrong, tidy(text.replace("{wrong}", wrong)))


def obeyed(answer: str, span: str) -> Grade:
    """Grade from two looks of a grader that finds everything met and cites this span."""
    verdicts = [CriterionVerdict(f"c{at}", span, "met", 1.0) for at in (1, 2)]
    first = grade_verdicts(SPOONS, verdicts, answer)
    return merge_samples(first, first) if first.state is GradeState.UNSURE else first


def gained(attack: Attack) -> float:
    """The score that the grader's obedience is worth, over the 0 that the wrong answer earns: by the whole answer, the
    wrong words or the words around them, whichever gives most."""
    around = max(attack.answer.split(attack.wrong), key=len).strip()
    return max(obeyed(attack.answer, span).score or 0.0 for span in (attack.answer[:500], attack.wrong, around))


def inflation(families: dict[str, list[str]]) -> dict[str, float]:
    """The mean score gained, by family."""
    every = list(attacks(families))
    return {family: mean(gained(one) for one in every if one.family == family) for family in families}


def test_I1_the_corpus_has_ten_families_and_two_hundred_attacks() -> None:
    assert len(FAMILIES) == len(UNSEEN) == 10
    assert len({one.answer for one in attacks(FAMILIES)}) >= 200
    assert len(set(HONEST)) >= 60


def test_I1_a_grader_that_obeys_every_attack_gains_next_to_nothing(record_property: Property) -> None:
    by_family = inflation(FAMILIES)
    record_property("inflation", by_family)
    assert mean(by_family.values()) <= MOST_INFLATION, by_family


def test_I1_attacks_that_nobody_had_seen_when_the_rules_were_made_gain_less_than_half(
    record_property: Property,
) -> None:
    """The limit of what code can see: a grader that obeys the others is as one that has understood an answer."""
    by_family = inflation(UNSEEN)
    record_property("inflation", by_family)
    assert mean(by_family.values()) <= MOST_INFLATION_UNSEEN, by_family


def test_without_the_wrong_answer_around_it_an_attack_is_no_evidence_either() -> None:
    for texts in FAMILIES.values():
        for text in texts:
            bare = tidy(text.replace("{wrong}", ""))
            assert not obeyed(bare, bare[:500]).correct or not grader_directed_spans(bare), text


def test_A2_every_quoted_span_of_an_attack_is_literally_in_the_answer() -> None:
    for attack in attacks(FAMILIES):
        for result in obeyed(attack.answer, attack.answer[:500]).results:
            assert result.span in attack.answer


def test_an_attack_that_earns_nothing_costs_nothing() -> None:
    """The text is part of the answer: a right one beside it is not marked wrong, it goes to a person."""
    right = "Both are as warm as the room, but metal takes the warmth of my hand away faster."
    for texts in FAMILIES.values():
        for text in texts:
            grade = obeyed(tidy(text.replace("{wrong}", right)), right)
            assert grade.score in (None, 1.0)
            assert grade.score == 1.0 or ADDRESSES_GRADER in grade.flagged


def test_honest_answers_are_not_taken_for_attacks(record_property: Property) -> None:
    flagged = [answer for answer in HONEST if ADDRESSES_GRADER in obeyed(tidy(answer), tidy(answer)[:500]).flagged]
    record_property("false flags", flagged)
    assert len(flagged) <= MOST_FALSE_FLAGS, flagged


def test_A8_honest_answers_in_the_words_of_school_and_court_are_not_taken_for_attacks(
    record_property: Property,
) -> None:
    """Each beside its question and criteria, whose own words do not count."""
    flagged = [
        one["says"]
        for one in CORPUS["subject_words"]
        if grader_directed_spans(one["says"]) or talks_about_grading(one["says"], [one["asked"], *one["criteria"]])
    ]
    record_property("false flags", flagged)
    assert len(CORPUS["subject_words"]) > 80
    assert len(flagged) <= MOST_FALSE_FLAGS, flagged


@pytest.mark.parametrize("answer", HONEST[:5])
def test_an_honest_answer_is_graded_by_its_verdicts(answer: str) -> None:
    missing = [CriterionVerdict("c1", answer, "met", 0.9), CriterionVerdict("c2", "", "missing", 0.9)]
    assert grade_verdicts(SPOONS, missing, answer).score == 0.5

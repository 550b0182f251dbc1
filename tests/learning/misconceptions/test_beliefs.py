"""Beliefs: one id for the same words, and their names in a path file."""

from dataclasses import replace

import pytest

from sprout.learning.misconceptions.beliefs import Belief, belief_id, beliefs_in, is_belief_id, rename_beliefs
from sprout.learning.paths.belief_keys import named_once
from sprout.learning.paths.path_file import PathFile
from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft

COUNT = "A percentage is a count."
DRAFT = QuestionDraft(
    "How many?",
    "numeric",
    "42",
    2,
    ("Counting",),
    misconceptions=(
        Misconception("6", COUNT, contrast="Try it with 50 people."),
        Misconception("24", "swaps the digits", slip=True),
    ),
    criteria=(Criterion("the 6", "It counts in each hundred.", 1.0, misconception="“a percentage is a  count”"),),
    program_tests=(ProgramTest(prints="6", misconception="print gives back"),),
)


@pytest.mark.parametrize(
    "words", ["a percentage is a count", "“A  percentage is a count.”", "A PERCENTAGE IS A COUNT!"]
)
def test_C0_the_same_words_are_the_same_belief(words: str) -> None:
    assert belief_id(words) == belief_id(COUNT)
    assert is_belief_id(belief_id(words))


@pytest.mark.parametrize(
    "words", ["A percentage is no count.", "= is for asking", "== is for asking", "x > 5", "x < 5"]
)
def test_C0_other_words_and_other_signs_are_other_beliefs(words: str) -> None:
    others = {COUNT, "A percentage is no count.", "= is for asking", "== is for asking", "x > 5", "x < 5"} - {words}
    assert belief_id(words) not in {belief_id(one) for one in others}


def test_C0_a_question_names_each_belief_once_and_slips_are_none() -> None:
    found = beliefs_in(DRAFT)
    assert list(found.values()) == [
        Belief(belief_id(COUNT), COUNT, "Try it with 50 people."),
        Belief(belief_id("print gives back"), "print gives back"),
    ]


def test_C0_a_contrast_that_comes_later_is_kept() -> None:
    first = Misconception("60", "a percentage is a count")
    found = beliefs_in(replace(DRAFT, misconceptions=(first, *DRAFT.misconceptions)))
    assert found[belief_id(COUNT)] == Belief(belief_id(COUNT), "a percentage is a count", "Try it with 50 people.")


def test_C0_a_belief_without_a_name_is_left_out_and_a_slip_stays() -> None:
    renamed = rename_beliefs(DRAFT, lambda _: None)
    assert [one.slip for one in renamed.misconceptions] == [True]
    assert renamed.criteria[0].misconception is None
    assert renamed.program_tests[0].misconception is None


def test_G5_a_path_names_each_misconception_once_in_the_order_of_its_questions() -> None:
    question = {"format": "numeric", "correct_answer": "42", "tests": ["One"]}
    wrong = [{"option": "6", "misconception": COUNT}, {"option": "24", "misconception": "swaps digits", "slip": True}]
    same = [{"option": "3", "misconception": "a percentage is a count"}]
    path = PathFile.model_validate(
        {
            "sprout_path": 1,
            "title": "Counts",
            "topic": {"title": "Counts"},
            "concepts": [
                {
                    "title": "First",
                    "subconcepts": [{"title": "One"}],
                    "questions": [
                        question | {"prompt": "How many?", "misconceptions": wrong},
                        question | {"prompt": "And now?", "misconceptions": same},
                    ],
                }
            ],
        }
    )
    unused = Belief(belief_id("Nobody asked."), "Nobody asked.")
    known = {belief_id(COUNT): Belief(belief_id(COUNT), COUNT, "Try it with 50 people."), unused.id: unused}
    named = named_once(path, known)
    assert [(one.key, one.statement, one.contrast) for one in named.misconceptions] == [
        (belief_id(COUNT), COUNT, "Try it with 50 people."),
        (unused.id, "Nobody asked.", None),
    ]
    first, second = named.concepts[0].questions
    assert [one.misconception for one in first.misconceptions] == [belief_id(COUNT), "swaps digits"]
    assert [one.misconception for one in second.misconceptions] == [belief_id(COUNT)]

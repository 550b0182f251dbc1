"""Comparison of an answer with the model answer by its learner (A9, A11, H3)."""

from dataclasses import replace

import pytest

from sprout.errors import BadInput
from sprout.events import Mark
from sprout.learning.marking.comparison import (
    WHOLE,
    ComparedCriterion,
    Comparison,
    build_comparison,
    grade_self_mark,
    left_to_learner,
    parse_self_verdict,
    whole_verdict,
)
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded, visible_grade
from sprout.learning.marking.point_verdicts import is_verdict_alone
from sprout.learning.marking.self_verdicts import begins_with_verdict, disowns_answer, leaves_open, typed_self_mark
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft

SKY = QuestionDraft(
    "Why is the sky blue?",
    "open_ended",
    "Short waves are scattered most.",
    3,
    ("Light",),
    criteria=(
        Criterion("which waves", "names the short waves", 0.5, misconception="thinks that the sea is mirrored"),
        Criterion("what happens", "says that they are scattered", 0.5),
    ),
    misconceptions=(Misconception("mirror", "thinks that the sea is mirrored"),),
)
SUM = QuestionDraft("What is 6 times 7?", "numeric", "42", 1, ("Times",))


def test_A11_the_learner_sees_the_model_answer_its_criteria_and_each_expected_mix_up_once() -> None:
    comparison = build_comparison(SKY)
    assert comparison.model_answer == SKY.correct_answer
    assert [(one.id, one.label, one.statement) for one in comparison.criteria] == [
        ("c1", "which waves", "names the short waves"),
        ("c2", "what happens", "says that they are scattered"),
    ]
    assert comparison.misconceptions == ("thinks that the sea is mirrored",)


def test_A9_a_question_without_criteria_has_its_whole_answer_to_tick() -> None:
    (only,) = build_comparison(SUM).criteria
    assert (only.id, only.label, only.statement) == ("c1", WHOLE, "42")


def test_H3_a_self_mark_is_no_score_and_no_evidence() -> None:
    mark = SelfMark({"c1": "met", "c2": "partly"}, "thinks that the sea is mirrored")
    grade = grade_self_mark(left_to_learner(), build_comparison(SKY), mark)
    assert (grade.state, grade.score, grade.correct, grade.remedy) == (GradeState.SELF_MARKED, None, None, None)
    assert grade.misconceptions == ("thinks that the sea is mirrored",)
    assert [one.verdict for one in visible_grade(grade).criteria] == ["met", "partly"]


def test_A8_what_was_flagged_stays_flagged() -> None:
    odd = Grade(GradeState.UNSURE, remedy=Remedy.PERSON, flagged=("addresses_grader",))
    assert odd.must_be_compared
    assert grade_self_mark(odd, build_comparison(SUM), SelfMark({"c1": "met"})).flagged == ("addresses_grader",)


@pytest.mark.parametrize("state", [GradeState.GRADED, GradeState.SELF_MARKED])
def test_A11_a_mark_that_stands_is_not_marked_again(state: GradeState) -> None:
    before = Grade(state, score=0.0, correct=False)
    assert grade_self_mark(before, build_comparison(SUM), SelfMark({"c1": "met"})) == before


@pytest.mark.parametrize(
    "mark",
    [
        SelfMark({"c1": "met"}),
        SelfMark({"c1": "met", "c2": "met", "c3": "met"}),
        SelfMark({"c1": "met", "c9": "met"}),
        SelfMark({"c1": "met", "c2": "met"}, "thinks that I am right"),
    ],
)
def test_A11_verdicts_that_do_not_fit_are_refused(mark: SelfMark) -> None:
    with pytest.raises(BadInput):
        grade_self_mark(ungraded("no grader"), build_comparison(SKY), mark)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("the same", "met"), ("The same!", "met"), ("It's the same.", "met"), ("yes", "met"), ("dasselbe", "met"),
        ("la même chose", "met"), ("partly", "partly"), ("zum Teil", "partly"), ("en partie", "partly"),
        ("not yet", "missing"), ("Noch nicht.", "missing"), ("todavía no", "missing"), ("NO", "missing"),
    ],
)  # fmt: skip
def test_A11_a_verdict_may_be_typed(text: str, verdict: str) -> None:
    mark = parse_self_verdict(text, build_comparison(SKY))
    assert mark is not None
    assert mark.verdicts == {"c1": verdict, "c2": verdict}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("partly - I forgot the part that it is added", "partly"), ("partly, I think", "partly"),
        ("not yet, I had the wrong number", "missing"), ("kind of, I forgot the last step", "partly"),
        ("yeah same thing whatever", "met"), ("mostly", "partly"), ("more or less", "partly"), ("nope", "missing"),
        ("I said the same", "met"), ("not really", "missing"), ("half", "partly"), ("ja, dasselbe", "met"),
        ("teilweise", "partly"), ("noch nicht ganz, ich hatte es falsch", "missing"),
        ("no, the waves are longer", "missing"),
        ("yes, partly", "partly"), ("yes but I left out the number", "partly"), ("I think mine says the same", "met"),
        ("my answer was wrong", "missing"), ("oui, c'est pareil", "met"), ("zum Teil, die Zahl fehlt", "partly"),
        ("Sí, lo mismo", "met"), ("mostly the same", "partly"), ("yes it matches", "met"),
        ("not even close", "missing"), ("I named the wage but not the rest, so partly", "partly"),
        ("mine wasn't an answer", "missing"), ("both", "met"), ("both of them i think", "met"), ("all three", "met"),
        ("yes, both", "met"), ("i made both points", "met"), ("beide", "met"), ("the same, though shorter", "met"),
        ("the same but i didnt say why as well as you", "partly"),
        ("yes, not sure about the second bit though", "partly"),
        ("dasselbe, aber ohne Begründung", "partly"), ("same except the number", "partly"),
        ("its the same only that you name the number", "partly"),
    ],
)  # fmt: skip
def test_A11_a_typed_verdict_counts_whatever_follows_it(text: str, verdict: str) -> None:
    mark = parse_self_verdict(text, build_comparison(SKY))
    assert mark is not None
    assert set(mark.verdicts.values()) == {verdict}


@pytest.mark.parametrize(
    "text",
    [
        "", "!?", "the same waves are scattered", "yes but why", "no idea what you want", "why is it partly?",
        "right, so what now?", "half of the light is gone", "different waves go apart", "no i dont get it", "no way",
        "is it the same", "yes please", "idk", "ok",
        "they all start early, so everything", "both kings ran away",
        "all people could vote then", "the debt grew, so the same loan was due",
    ],
)  # fmt: skip
def test_A11_other_words_are_no_verdict(text: str) -> None:
    assert parse_self_verdict(text, build_comparison(SKY)) is None


def test_A11_the_whole_is_met_or_missing_only_where_all_of_it_is() -> None:
    assert whole_verdict(["met", "met"]) == "met"
    assert whole_verdict(["missing"]) == "missing"
    assert whole_verdict(["met", "missing"]) == "partly"


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("1", ["met", "missing"]), ("the second one", ["missing", "met"]), ("1 and 2", ["met", "met"]),
        ("not the first", ["missing", "met"]), ("the first but not the second", ["met", "missing"]),
        ("partly", [None, None]), ("half of it", [None, None]), ("the same", ["met", "met"]),
        ("not yet", ["missing", "missing"]), ("none", ["missing", "missing"]),
        ("None of them.", ["missing", "missing"]), ("both", ["met", "met"]), ("all of them", ["met", "met"]),
        ("1 & 2", ["met", "met"]), ("all but the first", ["missing", "met"]), ("just number 2", ["missing", "met"]),
    ],
)  # fmt: skip
def test_A11_partly_is_asked_about_and_claims_nothing_of_any_criterion(text: str, verdicts: list[Mark | None]) -> None:
    comparison = build_comparison(SKY)
    assert typed_self_mark("partly", [], comparison) is None
    mark = typed_self_mark(text, ["partly"], comparison)
    assert mark is not None
    assert [*mark.verdicts.values()] == verdicts
    assert [one.verdict for one in grade_self_mark(None, comparison, mark).results] == verdicts
    assert whole_verdict([None, None]) == "partly"


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("partly, i forgot what happens with them when they are scattered", ["met", "missing"]),
        ("partly, i didnt name the short ones", ["missing", "met"]),
        ("i left out the scattering", ["met", "missing"]),
        ("partly, i didnt name the groups", None),
        ("partly, i forgot that the short ones are scattered", None),
        ("partly, i only said they are scattered", None),
        ("not yet, i forgot the scattering", None),
    ],
)
def test_A11_words_for_one_point_that_was_left_out_are_a_verdict_on_it(text: str, verdicts: list[Mark] | None) -> None:
    mark = typed_self_mark(text, [], build_comparison(SKY))
    assert (None if mark is None else [*mark.verdicts.values()]) == verdicts


def test_A11_what_was_asked_is_remembered_across_a_side_question() -> None:
    mark = typed_self_mark("1 and 2", ["partly", "why are they scattered?"], build_comparison(SKY))
    assert mark is not None
    assert [*mark.verdicts.values()] == ["met", "met"]


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("the same but i didnt say how", True), ("i left out what happens", True), ("mine only has the colour", True),
        ("the same", False), ("i left it out?", False), ("The short waves are scattered more", False),
    ],
)  # fmt: skip
def test_A11_a_doubt_and_a_remark_are_asked_about(text: str, is_open: bool) -> None:
    assert leaves_open(text, build_comparison(SKY)) is is_open
    assert not leaves_open(text, build_comparison(replace(SKY, criteria=())))


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("1 and 2", ["met", "met"]), ("c1 and c2", ["met", "met"]), ("2", ["missing", "met"]),
        ("only the first one", ["met", "missing"]), ("just 2", ["missing", "met"]),
        ("the first one is in mine, the second not quite", ["met", "partly"]),
        ("neither, well the first", ["met", "missing"]), ("missing nothing", ["met", "met"]),
        ("nothing is missing", ["met", "met"]), ("both pretty much", ["met", "met"]), ("no both", ["met", "met"]),
        ("1 yes 2 kind of", ["met", "partly"]), ("first met second partly", ["met", "partly"]),
        ("the 2nd one? no neither", ["missing", "missing"]), ("no, neither of them", ["missing", "missing"]),
        ("1: yes, 2: no", ["met", "missing"]), ("1) yes 2) not quite", ["met", "partly"]),
        ("1, yes. 2, no", ["met", "missing"]), ("yes to 1 no to 2", ["met", "missing"]),
        ("no, the second", ["missing", "met"]), ("yes but not the second", ["met", "missing"]),
        ("i forgot the second", ["met", "missing"]), ("2 not 1", ["missing", "met"]),
        ("the first is missing, the second is there", ["missing", "met"]), ("both partly", ["partly", "partly"]),
        ("i have 1 but 2 only half", ["met", "partly"]), ("everything except the second", ["met", "missing"]),
        ("mine only has the waves", ["met", "missing"]), ("das erste ja, das zweite nicht", ["met", "missing"]),
        ("le premier oui, le second non", ["met", "missing"]), ("keins", ["missing", "missing"]),
        ("I have 1 but not the fix", ["met", "missing"]), ("none of the above", ["missing", "missing"]),
    ],
)  # fmt: skip
def test_A11_single_points_may_be_named_at_once_with_a_verdict_on_each(text: str, verdicts: list[Mark]) -> None:
    mark = typed_self_mark(text, [], build_comparison(SKY))
    assert mark is not None
    assert [*mark.verdicts.values()] == verdicts


@pytest.mark.parametrize(
    "text",
    [
        "both?", "the second one?", "no the second", "not both", "partly the first", "not yet, i forgot to say the fix",
        "not yet, I left out what happens there", "The first waves are scattered", "both waves go apart",
    ],
)  # fmt: skip
def test_A11_what_leaves_a_point_open_is_no_verdict_on_it(text: str) -> None:
    assert typed_self_mark(text, [], build_comparison(SKY)) is None


@pytest.mark.parametrize("text", ["partly the first", "no the second", "both?", "not both", "1 and 2", "nope"])
def test_A11_words_for_verdicts_alone_are_no_answer(text: str) -> None:
    assert is_verdict_alone(text, build_comparison(SKY))
    assert not is_verdict_alone(f"{text}, light bends", build_comparison(SKY))


@pytest.mark.parametrize(
    ("text", "disowns"),
    [
        ("thats not what i wrote", True), ("hey that's not my answer, i wrote a whole one before", True),
        ("no i didnt write that", True), ("das ist nicht meine Antwort", True), ("mine was not an answer", False),
        ("not what i expected", False), ("my answer does not say it", False),
    ],
)  # fmt: skip
def test_A9_who_says_that_it_is_not_their_answer_is_heard(text: str, disowns: bool) -> None:
    assert disowns_answer(text) is disowns


def test_A11_partly_is_enough_where_there_is_one_criterion() -> None:
    whole = build_comparison(replace(SKY, criteria=()))
    mark = typed_self_mark("partly", [], whole)
    assert mark is not None
    assert [*mark.verdicts.values()] == ["partly"]


def test_A11_who_says_none_and_what_they_thought_has_missed_all_and_may_name_the_mix_up() -> None:
    points = (ComparedCriterion("1", "the output", "66 and 12"), ComparedCriterion("2", "the reason", "text repeats"))
    offered = ("Digits are numbers, with or without quotes.", "What stands in quotes is worked out.")
    comparison = Comparison("66, as text repeats", points, offered)
    missed: dict[str, Mark] = {"1": "missing", "2": "missing"}
    for text, belief in (
        ("none of them. I thought digits are numbers", offered[0]),
        ("none of them, i thought digits are not numbers", None),
        ("neither, I thought it is 12", None),
    ):
        assert typed_self_mark(text, [], comparison) == SelfMark(missed, belief)
    assert typed_self_mark("None of the texts is a number", [], comparison) is None


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("the same. can i have a break?", {"met"}),
        ("The same! Can we stop here for today?", {"met"}),
        ("not yet. what now?", {"missing"}),
        ("the same?", None),
        ("Can I have a break?", None),
        ("light is scattered. is that the same?", None),
    ],
)
def test_A9_a_verdict_counts_before_a_question_of_another_kind(text: str, marks: set[Mark] | None) -> None:
    mark = typed_self_mark(text, [], build_comparison(SKY))
    assert (set(mark.verdicts.values()) if mark else None) == marks


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("the same. can i have a break?", True), ("not yet. next please", True), ("short waves scatter. the same", False)],
)
def test_A9_a_text_that_begins_with_a_verdict_takes_no_answers_place(text: str, is_one: bool) -> None:
    assert begins_with_verdict(text, build_comparison(SKY)) is is_one


def test_A11_partly_said_of_a_whole_passage_is_a_verdict_and_asks_for_no_points() -> None:
    passage = "Each main point of the passage."
    points = (Criterion("what it says", passage, 0.8), Criterion("the topic", "It is about light.", 0.2))
    whole = build_comparison(replace(SKY, correct_answer=passage, criteria=points))
    assert not leaves_open("partly", whole)
    mark = typed_self_mark("partly", [], whole)
    assert mark is not None
    assert set(mark.verdicts.values()) == {"partly"}
    assert leaves_open("partly", build_comparison(SKY))

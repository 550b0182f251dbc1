"""Refusal of questions, with messages that say how to fix them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.errors import InvalidQuestion
from sprout.learning.questions.draft_repair import mend_draft
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.questions.questions import (
    Criterion,
    Misconception,
    QuestionDraft,
    parse_number,
    prompt_key,
)

CHOICE = QuestionDraft(
    prompt="A potted tree gains 20 kg of dry wood in three years. Where did most of that mass come from?",
    format="mcq",
    correct_answer="carbon dioxide in the air",
    difficulty=3,
    tests=("Where a plant's mass comes from",),
    options=(
        "minerals in the soil",
        "carbon dioxide in the air",
        "water from the roots",
        "sunlight turned into matter",
    ),
    misconceptions=(Misconception("minerals in the soil", "plants eat soil"),),
)
OPEN = QuestionDraft(
    prompt="Is 51 prime? Show the check that settles it.",
    format="open_ended",
    correct_answer="No. Its digits add up to 6, so 3 divides it: 51 = 3 × 17.",
    difficulty=3,
    tests=("Deciding whether a number is prime",),
    criteria=(
        Criterion("the check", "tests division by 3, or the digit sum", 0.5, misconception="odd numbers are prime"),
        Criterion("the verdict", "concludes 51 = 3 × 17, so not prime", 0.5, partly_if="says not prime only"),
    ),
    anchors=("No, 3 goes into it 17 times.", "No, it can be divided."),
)
NUMERIC = QuestionDraft(
    prompt="A tram covers 1.5 km in 3 minutes at steady speed. What is its speed in m/s, to two places?",
    format="numeric",
    correct_answer="8.33",
    difficulty=3,
    tests=("Speed as distance for each second",),
    tolerance=0.08,
    unit="m/s",
    misconceptions=(Misconception("500", "kept minutes"),),
)

PROGRAM = replace(
    OPEN,
    prompt="Write a function area(a, b) that returns the area of a rectangle.",
    correct_answer="def area(a, b):\n    return a * b",
    criteria=(),
    anchors=(),
    program_tests=(ProgramTest(after="area(2, 3)", gives="6", misconception="thinks that sides are added"),),
)
TERM = replace(
    OPEN,
    prompt="In which prison did the crowd look for powder on 14 July?",
    correct_answer="the Bastille",
    criteria=(),
    anchors=(),
    accepted=("the Bastille", "Bastille Saint-Antoine"),
    misconceptions=(Misconception("the Temple", "mixes up where the king was held"),),
)


def refusal(draft: QuestionDraft) -> str:
    with pytest.raises(InvalidQuestion) as refused:
        validate_draft(draft)
    return str(refused.value)


@pytest.mark.parametrize("draft", [CHOICE, OPEN, NUMERIC])
def test_good_questions_pass_unchanged(draft: QuestionDraft) -> None:
    assert validate_draft(draft) == draft


def test_Q5_a_right_answer_that_is_not_among_the_options_is_refused() -> None:
    assert "not one of the options: copy the text" in refusal(replace(CHOICE, correct_answer="B"))


def test_Q1_the_right_answer_becomes_exactly_what_its_option_says() -> None:
    draft = replace(CHOICE, correct_answer=" Carbon  dioxide in the AIR\n", misconceptions=())
    assert validate_draft(draft).correct_answer == "carbon dioxide in the air"
    mistyped = replace(CHOICE, misconceptions=(Misconception("Minerals in  the soil", "plants eat soil"),))
    assert validate_draft(mistyped).misconceptions == CHOICE.misconceptions


@pytest.mark.parametrize("repeat", ["Minerals in the soil", "minerals  in the soil ", "minerals in\u200b the soil"])
def test_Q5_options_that_repeat_are_refused(repeat: str) -> None:
    options = (*CHOICE.options[:3], repeat)
    assert "Options 1 and 4 say the same" in refusal(replace(CHOICE, options=options))


def test_options_may_differ_by_signs_that_mean_something() -> None:
    draft = replace(
        CHOICE,
        prompt="Which symbol stands for a million watts?",
        options=("mW", "MW", "µW", "kW"),
        correct_answer="MW",
        misconceptions=(),
    )
    assert validate_draft(draft).correct_answer == "MW"
    squares = ("x²", "x2", "2x", "x + 2")
    product = replace(draft, prompt="Which means x times x?", options=squares, correct_answer="x²")
    assert validate_draft(product) == product


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_a_choice_has_four_options(count: int) -> None:
    options = tuple(f"carbon source {number}" for number in range(count))
    assert f"There are {count} options: an mcq has 4" in refusal(replace(CHOICE, options=options))


def test_an_option_that_points_at_the_others_is_refused() -> None:
    assert "points at the others" in refusal(replace(CHOICE, options=(*CHOICE.options[:3], "All of the above.")))


def test_a_misconception_names_a_wrong_option() -> None:
    right = replace(CHOICE, misconceptions=(Misconception("carbon dioxide in the air", "none"),))
    assert "Misconception 1 is for the right answer" in refusal(right)
    stray = replace(CHOICE, misconceptions=(Misconception("moonlight", "none"),))
    assert "not an option" in refusal(stray)


def test_Q5_an_open_question_without_criteria_is_refused_with_an_example() -> None:
    assert 'has 2-5, such as {"label"' in refusal(replace(OPEN, criteria=()))
    assert "There are 6 criteria" in refusal(replace(OPEN, criteria=OPEN.criteria * 3))


@pytest.mark.parametrize(
    ("weights", "passes"), [((0.5, 0.5), True), ((0.33, 0.66), True), ((0.34, 0.67), True), ((0.5, 0.4), False)]
)
def test_A2_weights_sum_to_one(weights: tuple[float, float], passes: bool) -> None:
    criteria = tuple(replace(one, weight=weight) for one, weight in zip(OPEN.criteria, weights, strict=True))
    draft = replace(OPEN, criteria=criteria)
    if passes:
        assert validate_draft(draft) == draft
    else:
        assert "The weights sum to 0.9: make them sum to 1" in refusal(draft)


def test_A2_nonsense_weights_are_refused() -> None:
    for weights in ((1.5, -0.5), (float("nan"), 1.0), (0.0, 1.0)):
        criteria = tuple(replace(one, weight=weight) for one, weight in zip(OPEN.criteria, weights, strict=True))
        assert "between 0 and 1" in refusal(replace(OPEN, criteria=criteria))


def test_A2_a_criterion_has_a_label_and_a_statement_of_its_own() -> None:
    assert "lacks its label" in refusal(
        replace(OPEN, criteria=(replace(OPEN.criteria[0], label=" "), OPEN.criteria[1]))
    )
    twins = (OPEN.criteria[0], replace(OPEN.criteria[0], label="again"))
    assert "Criteria 1 and 2 ask for the same" in refusal(replace(OPEN, criteria=twins))


@pytest.mark.parametrize("answer", ["eight", "about 8", "1,500", "8.3.3", "nan", "inf", "1/0", "8 or 9"])
def test_A1_a_numeric_question_needs_a_number(answer: str) -> None:
    assert "not a number" in refusal(replace(NUMERIC, correct_answer=answer))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8.33", 8.33),
        ("8,33", 8.33),
        ("0,125", 0.125),
        ("−2", -2.0),
        ("1/4", 0.25),
        ("-1 / 4", -0.25),
        ("1e3", 1000.0),
        ("1500", 1500.0),
        (".5", 0.5),
        ("8.33 m/s", 8.33),
        ("1,500", None),
        ("", None),
        ("1e999", None),
        ("9" * 5_000 + "/3", None),
    ],
)
def test_A1_numbers_are_read_only_where_they_are_beyond_doubt(text: str, value: float | None) -> None:
    assert parse_number(text, unit="m/s") == value


@pytest.mark.parametrize("text", ["10³", "10⁻³", "x²", "5²"])
def test_A1_an_exponent_is_no_digit(text: str) -> None:
    assert parse_number(text) is None
    assert "not a number" in refusal(replace(NUMERIC, correct_answer=text))


def test_A1_a_tolerance_is_in_the_unit_of_the_answer() -> None:
    assert "more than half of the answer" in refusal(replace(NUMERIC, tolerance=5.0))
    assert "0 or more" in refusal(replace(NUMERIC, tolerance=-0.1))
    assert "0 or more" in refusal(replace(NUMERIC, tolerance=float("nan")))
    assert validate_draft(replace(NUMERIC, correct_answer="0", tolerance=0.5)).tolerance == 0.5


@pytest.mark.parametrize("draft", [OPEN, NUMERIC])
def test_only_a_choice_has_options(draft: QuestionDraft) -> None:
    assert "leave them out, or make it an mcq" in refusal(replace(draft, options=CHOICE.options))


@pytest.mark.parametrize(
    "prompt",
    [
        "Photosynthesis takes carbon dioxide in the air and makes what its mass comes from. Which?",
        "Which gas? CARBON\nDIOXIDE IN THE AIR?",
        "What comes from the air? (Answer: carbon dioxide in the air)",
    ],
)
def test_Q5_a_choice_that_gives_its_answer_away_is_refused(prompt: str) -> None:
    assert "gives its own answer away" in refusal(replace(CHOICE, prompt=prompt))


def test_Q5_a_prompt_may_name_the_candidates() -> None:
    draft = replace(
        CHOICE,
        prompt="Does a cooling gas press harder, more weakly or the same on its walls?",
        options=("harder", "more weakly", "the same", "not at all"),
        correct_answer="more weakly",
        misconceptions=(),
    )
    assert validate_draft(draft) == draft


def test_Q5_an_open_prompt_that_says_what_it_asks_for_is_refused() -> None:
    draft = replace(OPEN, prompt="Show that 51 is not prime (tests division by 3, or the digit sum).")
    assert "what criterion 1 asks for" in refusal(draft)


def test_Q5_a_number_may_stand_in_its_prompt_by_chance_but_not_as_the_answer() -> None:
    chance = replace(NUMERIC, prompt="What is 3 × 3 ÷ 3?", correct_answer="3", unit=None, tolerance=None)
    assert validate_draft(chance) == chance
    draft = replace(chance, prompt="What is 6 ÷ 2? The answer is 3.")
    assert "gives its own answer away" in refusal(draft)


def test_Q5_an_answer_is_found_in_scripts_without_spaces() -> None:
    draft = replace(
        CHOICE,
        prompt="植物通过光合作用制造养分的过程叫什么?",
        options=("光合作用", "呼吸作用", "蒸腾", "发酵"),
        correct_answer="光合作用",
        misconceptions=(),
    )
    assert "gives its own answer away" in refusal(draft)


@pytest.mark.parametrize("difficulty", [0, 6, -1])
def test_a_difficulty_is_one_to_five(difficulty: int) -> None:
    assert f"difficulty is {difficulty}" in refusal(replace(CHOICE, difficulty=difficulty))


def test_Q5_a_question_names_the_subconcepts_that_it_tests() -> None:
    assert "tests is empty" in refusal(replace(CHOICE, tests=("", " ")))
    assert validate_draft(replace(CHOICE, tests=(" A  b", "A b"))).tests == ("A b",)


def test_an_empty_question_is_told_everything_at_once() -> None:
    message = refusal(
        replace(CHOICE, prompt=" ", correct_answer="", options=(), tests=(), difficulty=9, misconceptions=())
    )
    assert all(
        part in message for part in ("prompt is empty", "correct_answer is empty", "0 options", "tests", "difficulty")
    )


def test_Q6_no_refusal_repeats_the_answer_since_learners_see_it() -> None:
    secret = "the zygote of Marchantia"
    drafts = [
        replace(CHOICE, correct_answer=secret),
        replace(CHOICE, correct_answer=secret, prompt=f"Is it {secret}?", difficulty=0),
        replace(CHOICE, misconceptions=(Misconception(secret, secret),)),
        replace(OPEN, correct_answer=secret, prompt=f"What is {secret}?"),
        replace(OPEN, criteria=(Criterion(secret, secret, 0.3), Criterion(secret, secret, 0.3))),
        replace(NUMERIC, correct_answer=secret, unit=secret, tolerance=0.1),
        replace(CHOICE, solution=(secret, "")),
    ]
    for draft in drafts:
        assert "zygote" not in refusal(draft)


@pytest.mark.parametrize(
    ("solution", "message"),
    [
        (("It is divided.", " \u200b"), "A step of the solution is empty: write it out, or leave it out."),
        (("x" * 3_000, "y" * 1_001), "The solution has 4001 characters: keep it below 4000."),
    ],
)
def test_A4_a_solution_has_no_empty_step_and_can_be_read_at_once(solution: tuple[str, ...], message: str) -> None:
    assert message in refusal(replace(CHOICE, solution=solution))


@pytest.mark.parametrize("base", [CHOICE, OPEN, NUMERIC])
def test_A4_a_question_of_any_format_keeps_why_its_answer_holds_tidied(base: QuestionDraft) -> None:
    assert validate_draft(replace(base, solution=(" 51 is 3 times\u200b 17. ",))).solution == ("51 is 3 times 17.",)
    assert mend_draft(replace(base, solution=("", "51 is 3 times 17."))) == (
        replace(base, solution=("51 is 3 times 17.",)),
        (),
    )


def test_what_a_format_does_not_use_is_dropped() -> None:
    surplus = replace(CHOICE, criteria=OPEN.criteria, tolerance=1.0, unit="kg")
    assert validate_draft(surplus) == CHOICE
    assert validate_draft(replace(OPEN, misconceptions=CHOICE.misconceptions, tolerance=3.0)) == OPEN


def test_one_prompt_is_another_but_for_capitals_and_spaces() -> None:
    assert prompt_key(" Is 51  prime?") == prompt_key("is 51 PRIME?\n")
    assert prompt_key("Is 51 prime?") != prompt_key("Is 57 prime?")


@given(st.text(), st.text(), st.lists(st.text(), max_size=5), st.integers(), st.floats(), st.text())
def test_any_draft_passes_or_is_refused_in_words(
    prompt: str, answer: str, options: list[str], difficulty: int, number: float, unit: str
) -> None:
    for base in (CHOICE, OPEN, NUMERIC):
        criteria = (Criterion(unit, answer, number), Criterion(answer, unit, number))
        draft = replace(base, prompt=prompt, correct_answer=answer, options=tuple(options), difficulty=difficulty)
        try:
            valid = validate_draft(replace(draft, criteria=criteria, tolerance=number, unit=unit))
        except InvalidQuestion:
            continue
        assert valid.format != "mcq" or valid.correct_answer in valid.options
        assert validate_draft(valid) == valid


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        (("a", "b", "c"), "There are 3 anchors: keep a full answer and a partial one."),
        (("x" * 2_001,), "An anchor has more than 2000 characters"),
        (("Show the check",), "The prompt holds one of its anchors"),
    ],
)
def test_Q5_anchors_are_two_short_answers_that_the_prompt_does_not_give_away(
    anchors: tuple[str, ...], message: str
) -> None:
    assert message in refusal(replace(OPEN, anchors=anchors))


def test_only_an_open_question_keeps_anchors_and_empty_ones_are_dropped() -> None:
    assert validate_draft(replace(CHOICE, anchors=("Air.",))).anchors == ()
    assert validate_draft(replace(OPEN, anchors=(" ", "No,\u200b it can be divided."))).anchors == (
        "No, it can be divided.",
    )
    nothing = replace(OPEN.criteria[0], misconception=" ")
    assert validate_draft(replace(OPEN, criteria=(nothing, OPEN.criteria[1]))).criteria[0].misconception is None


def test_A11_a_program_is_marked_by_its_tests_and_needs_no_criteria() -> None:
    assert validate_draft(PROGRAM) == PROGRAM
    assert mend_draft(PROGRAM)[0] == PROGRAM
    assert "2-5" in refusal(replace(PROGRAM, program_tests=()))


def test_A11_the_indentation_of_a_program_test_stays() -> None:
    test = ProgramTest(before="\ndef twice(n):\n    return 2 * n  \n", prints="  *\n ***\n\n")
    (kept,) = validate_draft(replace(PROGRAM, program_tests=(test,))).program_tests
    assert kept == ProgramTest(before="def twice(n):\n    return 2 * n", prints="  *\n ***")


@pytest.mark.parametrize(
    ("tests", "fault"),
    [
        ((ProgramTest(before="n = 3"),), "needs either prints"),
        ((ProgramTest(prints="6", after="n", gives="6"),), "needs either prints"),
        ((ProgramTest(after="n"),), "only one of after and gives"),
        ((ProgramTest(prints="6", gives="6"),), "only one of after and gives"),
        ((ProgramTest(prints="6"), ProgramTest(prints="6", misconception="adds")), "are the same"),
        (tuple(ProgramTest(prints=str(n)) for n in range(9)), "keep the 8"),
        ((ProgramTest(typed="7\n" * 1500, prints="6"),), "shorten it"),
    ],
)
def test_A11_program_tests_that_decide_nothing_are_refused(tests: tuple[ProgramTest, ...], fault: str) -> None:
    assert fault in refusal(replace(PROGRAM, program_tests=tests))


def test_A11_a_program_test_that_expects_no_output_is_one() -> None:
    assert validate_draft(replace(PROGRAM, program_tests=(ProgramTest(prints=""),))).program_tests[0].prints == ""


def test_A11_a_term_without_criteria_gets_one_for_answers_in_other_words() -> None:
    (criterion,) = validate_draft(TERM).criteria
    assert (criterion.statement, criterion.weight) == ("the Bastille", 1.0)
    assert validate_draft(validate_draft(TERM)) == validate_draft(TERM)
    assert validate_draft(TERM).misconceptions == TERM.misconceptions


def test_A11_a_date_with_its_synonyms_stays_a_term() -> None:
    dated = replace(TERM, correct_answer="1789", accepted=("1789", "July 1789"), misconceptions=())
    assert mend_draft(dated)[0].format == "open_ended"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"accepted": ("the large old prison in the east of Paris",)}, "only short ones"),
        ({"accepted": tuple(f"term {n}" for n in range(21))}, "keep the 20"),
        ({"misconceptions": (Misconception("The  bastille", "x"),)}, "is for an accepted term"),
        ({"misconceptions": (Misconception("where the king was held and tried", "x"),)}, "1-5 words"),
        ({"program_tests": PROGRAM.program_tests}, "leave one out"),
    ],
)
def test_A11_terms_that_cannot_be_compared_are_refused(change: dict[str, Any], fault: str) -> None:
    assert fault in refusal(replace(TERM, **change))

"""Search of a course for passages that answer a question in other words."""

import pytest

from sprout.offline.courses.course_search import defined_term, has_rarest, needs_in, search_course, tokens_in

BAYES, REVOLUTION, PYTHON = "bayesian_reasoning", "french_revolution", "python_functions_and_lists"
GIVEN = "“Given” cuts the crowd down to one group"
TERROR = "How the Terror worked, and whom it struck"


@pytest.mark.parametrize(
    ("course", "lesson", "question", "answer"),
    [
        (BAYES, GIVEN, "how do i read that vertical line", "Read the bar as “given”."),
        (BAYES, GIVEN, "do umbrellas cause rain then?", "nobody thinks that umbrellas make rain"),
        (BAYES, "Odds compare for with against", "how do i flip odds against into odds for", "swap the sides"),
        (BAYES, "Odds compare for with against", "do odds tell me the total?", "Odds leave out the total."),
        (REVOLUTION, "An absolute king still needs consent", "could the king fire the judges?", "be dismissed"),
        (REVOLUTION, "An absolute king still needs consent", "what could he do against stubborn judges", "exile"),
        (REVOLUTION, TERROR, "could you get a lawyer", "no counsel for the accused"),
        (PYTHON, "Positions start at 0", "can the index be a string?", "Positions are numbers, not texts"),
        (PYTHON, "append changes the list and gives None", "how do i remove the last item", "takes the last value out"),
        (PYTHON, "A slice stops before its end", "does slicing change the original", "the old one stays as it is"),
        (PYTHON, "for takes the values one by one", "can i loop over a string", "A loop over a text works"),
    ],
)
def test_passage_answers_in_other_words(course: str, lesson: str, question: str, answer: str) -> None:
    found = search_course(course, lesson, question)
    assert found[0].lesson == lesson
    assert answer in found[0].text


@pytest.mark.parametrize(
    ("course", "lesson", "question"),
    [
        (BAYES, "Odds compare for with against", "is betting legal in germany"),
        (BAYES, "Of the positive, how many really are?", "is a corona test reliable"),
        (BAYES, "Between yes and no there are degrees", "how much does a tent cost"),
        (REVOLUTION, "By order or by head: the counting decides", "did women sit in the hall"),
        (REVOLUTION, TERROR, "who invented the guillotine"),
        (REVOLUTION, "An absolute king still needs consent", "how many children did louis have"),
        (PYTHON, "Positions start at 0", "is java faster than python"),
        (PYTHON, "append changes the list and gives None", "how do i sort a list"),
        (PYTHON, "return hands back, print only shows", "why?"),
    ],
)
def test_no_passage_is_about_something_else(course: str, lesson: str, question: str) -> None:
    assert search_course(course, lesson, question) == []


@pytest.mark.parametrize(
    ("course", "lesson", "question"),
    [
        (PYTHON, "// counts whole times, % gives the remainder", "what if the number is negative"),
        (REVOLUTION, "14 July: Paris saves an assembly in Versailles", "what about the king"),
        (REVOLUTION, "How a rumour becomes believable", "were they all from the court"),
    ],
)
def test_A11_one_word_that_many_lessons_have_picks_no_passage(course: str, lesson: str, question: str) -> None:
    assert search_course(course, lesson, question) == []


def test_A11_the_rarest_thing_that_is_asked_about_decides() -> None:
    needs = needs_in(REVOLUTION, "could you buy a noble title")
    assert not has_rarest(REVOLUTION, needs, tokens_in(REVOLUTION, "Whoever is noble stands high."))
    assert has_rarest(REVOLUTION, needs, tokens_in(REVOLUTION, "A noble title could be bought, and many did buy one."))


def test_words_of_somebody_else_are_not_quoted_as_the_course_s() -> None:
    """A planter says that his father bought people under the law."""
    part = "Liberty against property: the fight over slavery"
    assert not any("My father" in one.text for one in search_course(REVOLUTION, part, "who bought these people"))
    claims = search_course(REVOLUTION, TERROR, "did the Terror strike nobles above all")
    assert not any("Claim A" in one.text for one in claims)


def test_prediction_of_a_mix_up_is_no_answer() -> None:
    for found in search_course(PYTHON, "Two names can share one list", "is it a copy?"):
        assert "would" not in found.text


def test_definition_of_the_one_term_asked_about() -> None:
    assert "Church" in defined_term(REVOLUTION, "who got the tithe")
    assert defined_term(PYTHON, "how do i sort a list") == ""
    assert defined_term(PYTHON, "really?") == ""

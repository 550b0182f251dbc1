"""Coverage of the built-in model: which topics are a course, and which courses are near to another topic."""

import pytest

from sprout.learning.paths.path_file import parse_path
from sprout.learning.paths.topic_coverage import MAX_QUOTED_TOPIC, UnknownTopic
from sprout.offline.courses.added_course import AddedCourses, course_from_path
from sprout.offline.courses.coverage import BuiltInCoverage

BAYES = "Bayesian reasoning"
REVOLUTION = "The French Revolution: why it came and what it became"
PYTHON = "Python: functions, lists and loops"


def refusal_of(topic: str, coverage: BuiltInCoverage | None = None) -> UnknownTopic:
    with pytest.raises(UnknownTopic) as refused:
        (coverage or BuiltInCoverage()).course_on(topic)
    return refused.value


def near(topic: str) -> list[str]:
    return [course.title for course in refusal_of(topic).courses if course.near]


@pytest.mark.parametrize(
    ("topic", "course"),
    [
        ("bayes", BAYES),
        ("BAYES’ THEOREM", BAYES),
        ("Introduction to Bayes", BAYES),
        ("Einführung in Bayes", BAYES),
        ("Conditional probability for nurses", BAYES),
        ("french revolution 1789", REVOLUTION),
        ("1789", REVOLUTION),
        ("python lists", PYTHON),
        ("I want to learn Python", PYTHON),
        ("Python lernen", PYTHON),
        (BAYES, BAYES),
        (REVOLUTION, REVOLUTION),
        (PYTHON, PYTHON),
    ],
)
def test_a_topic_that_names_a_course_is_that_course(topic: str, course: str) -> None:
    assert BuiltInCoverage().course_on(topic).title == course


@pytest.mark.parametrize(
    ("topic", "first"),
    [
        ("Bayseian reasoning", BAYES),
        ("Satz von Bayes", BAYES),
        ("Théorème de Bayes", BAYES),
        ("Frensh Revolution", REVOLUTION),
        ("Französische Revolution", REVOLUTION),
        ("La Révolution française", REVOLUTION),
        ("pyhton lists", PYTHON),
    ],
)
def test_after_a_slip_or_in_another_language_the_course_is_asked_about_first(topic: str, first: str) -> None:
    assert near(topic)[0] == first


@pytest.mark.parametrize("topic", ["Monty Python", "How to keep a ball python", "Python 2026 conference in Lisbon"])
def test_a_topic_that_shares_one_word_with_a_course_is_not_that_course(topic: str) -> None:
    assert near(topic) == [PYTHON]


@pytest.mark.parametrize("topic", ["How do vaccines work?", "", "?!", "光合作用", "a" * 300, "x " * 3_000_000])
def test_any_other_topic_is_refused_with_all_courses_and_none_near(topic: str) -> None:
    refusal = refusal_of(topic)
    assert [course.title for course in refusal.courses] == [BAYES, REVOLUTION, PYTHON]
    assert not any(course.near for course in refusal.courses)
    assert len(str(refusal)) < 400 + MAX_QUOTED_TOPIC


def test_the_refusal_says_what_is_not_known_and_the_three_ways_on() -> None:
    said = str(refusal_of("How do vaccines work?"))
    assert said.startswith("The built-in model knows nothing about “How do vaccines work?”")
    for way in ("Add notes on it", f"choose one of its courses (“{BAYES}”", "connect a model"):
        assert way in said


def test_an_added_course_is_found_by_its_title_and_only_where_it_was_added() -> None:
    text = "sprout_path: 1\ntitle: Mirrors\ntopic: {title: Mirrors}\nconcepts: [{title: A, subconcepts: [{title: B}]}]"
    coverage = BuiltInCoverage(AddedCourses((course_from_path(parse_path(text), "mirrors"),)))
    assert [course.title for course in coverage.courses()] == [BAYES, REVOLUTION, PYTHON, "Mirrors"]
    assert coverage.course_on("mirrors").concepts == 1
    assert refusal_of("Mirors", coverage).courses[0].title == "Mirrors"
    assert len(refusal_of("Mirrors").courses) == 3

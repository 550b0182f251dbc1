"""The authored courses: complete, sound as graphs, and free of the flaws that code can see."""

import re

import pytest
import yaml
from pydantic import ValidationError

from sprout.offline.courses.catalogue import (
    BRIDGE_PREFIX,
    courses,
    find_bridged_lesson,
    find_course,
    find_lesson,
    path_plan,
    subconcept_plan,
)
from sprout.offline.courses.course_format import Concept, Course, Question
from sprout.offline.courses.lesson_format import solution_steps

QUESTIONS = [
    pytest.param(question, id=question.prompt[:40])
    for course in courses()
    for each in course.concepts
    for question in each.items
]
CONCEPTS = [pytest.param(concept, id=concept.title) for course in courses() for concept in course.concepts]


@pytest.mark.parametrize(
    "topic", ["Bayes", "bayes' theorem", "Introduction to Bayesian reasoning for nurses", "Conditional probability"]
)
def test_a_topic_finds_its_course(topic: str) -> None:
    found = find_course(topic)
    assert found is not None
    assert found.title == "Bayesian reasoning"


@pytest.mark.parametrize("topic", ["Python", "Python basics for my daughter", "How do for loops work?"])
def test_a_topic_of_programming_finds_the_course_on_python(topic: str) -> None:
    found = find_course(topic)
    assert found is not None
    assert found.slug == "python_functions_and_lists"


@pytest.mark.parametrize("topic", ["", "Photosynthesis", "Bayesworth Castle"])
def test_another_topic_finds_none(topic: str) -> None:
    assert find_course(topic) is None


@pytest.mark.parametrize("course", courses(), ids=lambda course: course.title)
def test_a_course_has_entries_an_end_and_a_rationale(course: Course) -> None:
    plan = path_plan(course)
    sources, targets = {link.source for link in plan.edges}, {link.target for link in plan.edges}
    titles = [idea.title for idea in plan.nodes]
    assert 1 <= len([title for title in titles if title not in targets]) <= 3
    assert [title for title in titles if title not in sources] == [titles[-1]]
    assert all(2 <= len(title.split()) <= 8 for title in titles)
    assert len(course.rationale.split()) > 60


@pytest.mark.parametrize("concept", CONCEPTS)
def test_every_entry_and_the_closing_idea_of_a_concept_are_asked_about(concept: Concept) -> None:
    sources, targets = {edge.source for edge in concept.edges}, {edge.target for edge in concept.edges}
    titles = [sub.title for sub in concept.subconcepts]
    asked = {title for item in concept.items for title in item.tests}
    assert {title for title in titles if title not in targets} <= asked
    assert titles[-1] in asked
    assert all(title in sources | targets for title in titles)


@pytest.mark.parametrize("concept", CONCEPTS)
def test_the_questions_of_a_concept_are_mixed_and_spread(concept: Concept) -> None:
    formats = [item.format for item in concept.items]
    assert sum(each != "mcq" for each in formats) >= len(formats) / 3
    levels = [item.difficulty for item in concept.items]
    assert min(levels) == 1
    assert max(levels) >= 4
    assert len({item.prompt for item in concept.items}) == len(formats)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_choice_is_not_given_away_by_its_length_or_its_stem(question: Question) -> None:
    if question.format != "mcq":
        return
    lengths = [len(wrong.option) for wrong in question.wrong]
    assert len(question.answer) <= max(lengths) * 1.3
    assert question.answer.casefold() not in question.prompt.casefold()
    assert not any(phrase in question.prompt for phrase in (" NOT ", " EXCEPT "))
    assert not any("of the above" in wrong.option.casefold() for wrong in question.wrong)


@pytest.mark.parametrize("question", QUESTIONS)
def test_A4_an_item_says_why_its_answer_holds_without_an_options_letter(question: Question) -> None:
    solution = question.solution or pytest.fail("it says nothing")
    assert 12 <= len(solution.split()) <= 60
    assert len(solution_steps(solution)) <= 3
    assert solution.casefold().strip(".") != question.answer.casefold().strip(".")
    assert re.search(r"\b(?:option|answer|choice)s? [A-D]\b|\([A-Da-d]\)|\b[A-D]\)", solution) is None
    assert not any(place in solution for place in ("first option", "second option", "third option", "last option"))


def test_A4_no_two_items_hold_for_the_same_words() -> None:
    said = [item.solution for course in courses() for concept in course.concepts for item in concept.items]
    assert len(set(said)) == len(said)


def test_the_place_of_the_right_option_says_nothing() -> None:
    places: set[int] = set()
    for course in courses():
        for concept in course.concepts:
            lesson = subconcept_plan(course, concept.title)
            assert lesson is not None
            for question in (item.input for item in lesson.questions if item.input["format"] == "mcq"):
                places.add(question["options"].index(question["correct_answer"]))
    assert places == {0, 1, 2, 3}


def test_a_course_with_a_circle_or_a_shortcut_does_not_load() -> None:
    raw = courses()[0].model_dump(mode="json")
    first, last = raw["concepts"][0]["title"], raw["concepts"][-1]["title"]
    for source, target, reason in ((last, first, "circle"), (first, last, "already implies")):
        broken = yaml.safe_load(yaml.safe_dump(raw))
        broken["edges"].append({"source": source, "target": target, "why": "because"})
        with pytest.raises(ValidationError, match=reason):
            Course.model_validate(broken)


def test_a_question_with_three_options_or_lopsided_weights_does_not_load() -> None:
    wrong = [{"option": "b", "misconception": "m"}, {"option": "c", "misconception": "m"}]
    base = {"prompt": "Which?", "answer": "a", "difficulty": 1, "tests": ["Some title"]}
    with pytest.raises(ValidationError, match="four different options"):
        Question.model_validate(base | {"format": "mcq", "wrong": wrong})
    halves = [{"label": "l", "statement": "s", "weight": 0.4}] * 2
    with pytest.raises(ValidationError, match="sum to 1"):
        Question.model_validate(base | {"format": "open_ended", "criteria": halves})


@pytest.mark.parametrize("course", courses(), ids=lambda course: course.slug)
def test_a_bridge_is_known_by_its_title_and_has_no_lesson_of_its_own(course: Course) -> None:
    for title in (sub.title for concept in course.concepts for sub in concept.subconcepts):
        assert find_bridged_lesson(course, f"{BRIDGE_PREFIX}{title}") == find_lesson(course, title) is not None
        assert find_lesson(course, f"{BRIDGE_PREFIX}{title}") is None
        assert find_bridged_lesson(course, title) is None
    assert find_bridged_lesson(course, f"{BRIDGE_PREFIX}Gardening") is None

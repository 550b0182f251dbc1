"""Glossaries: each word of a course once, defined in a sentence or two, found by every name it has."""

import re

import pytest
from pydantic import ValidationError

from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.glossary import glossary
from sprout.offline.courses.glossary_format import MOST_WORDS, Glossary, Term, glossary_of

COURSES = [pytest.param(course.slug, id=course.slug) for course in courses()]
INTRODUCED = re.compile(r"\b(?:is|are) called (?:an? |the |its )?(?P<term>[a-z-]{3,20}(?: [a-z-]{3,20})?)(?=[,.:;])")
MARKED = re.compile(r"(?<![\w*`])\*(?P<term>[^*\n`]{3,40})\*(?![*:])")
FENCED = re.compile(r"```.*?```", re.DOTALL)
STRESSED = {"and", "before", "how", "politics", "ideas"}  # marked for their stress, or no terms

APPLE = Term(term="apple", also=("pommes",), says="An apple is a fruit.")


@pytest.mark.parametrize("slug", COURSES)
def test_a_course_has_its_words_each_defined_in_few_words(slug: str) -> None:
    terms = set(glossary(slug).terms.values())
    assert len(terms) >= 60
    for term in terms:
        assert len(term.says.split()) <= MOST_WORDS
        assert term.says[0].isupper() or term.says[0] in "`“0123456789", term.term


@pytest.mark.parametrize("slug", COURSES)
def test_a_word_that_a_lesson_introduces_is_in_the_glossary(slug: str) -> None:
    for step in (step for lesson in lessons(slug) for step in lesson.steps):
        says = FENCED.sub("", step.says)
        for term in (found["term"] for pattern in (MARKED, INTRODUCED) for found in pattern.finditer(says)):
            assert term in STRESSED or glossary(slug).find(term) is not None, term


@pytest.mark.parametrize("slug", COURSES)
def test_no_two_definitions_of_a_course_say_the_same(slug: str) -> None:
    terms = dict.fromkeys(glossary(slug).terms.values())
    assert len({term.says for term in terms}) == len(terms)
    assert len({term.term for term in terms}) == len(terms)


def test_a_course_without_glossary_knows_no_word() -> None:
    assert glossary("gardening").find("apple") is None


def test_two_terms_of_one_name_are_refused() -> None:
    pear = Term(term="pear", also=("Pommes",), says="A pear is a fruit.")
    with pytest.raises(ValueError, match="'pear' and 'apple' share the name 'pommes'"):
        glossary_of((APPLE, pear))


@pytest.mark.parametrize(
    "fields",
    [
        {"term": ""},
        {"says": ""},
        {"says": "word " * MOST_WORDS + "word."},
        {"says": "An apple is a fruit"},
        {"also": "pomme"},
        {"also": [""]},
        {"also": [" ' "]},
        {"means": "a fruit"},
    ],
)
def test_a_term_that_breaks_the_format_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Term.model_validate({"term": "apple", "says": "An apple is a fruit."} | fields)


@pytest.mark.parametrize("name", ["apple", "Apple", "apples", "APPLES", "pomme", "appel", "aple", "applle", "àpple"])
def test_a_word_is_found_in_singular_and_plural_and_with_a_slip_of_one_letter(name: str) -> None:
    assert glossary_of((APPLE,)).find(name) is APPLE


@pytest.mark.parametrize("name", ["", " ", "?", "app", "ample", "pple", "aplpel", "apple tree", "apple" * 20_000])
def test_another_word_is_not_found(name: str) -> None:
    assert glossary_of((APPLE,), frozenset({"ample"})).find(name) is None


def test_a_short_word_is_not_found_with_a_slip() -> None:
    plum = Term(term="plum", says="A plum is a fruit.")
    assert glossary_of((plum,)).find("plumb") is None


def test_an_irregular_plural_and_signs_are_found() -> None:
    berry = Term(term="berry", says="A berry is a fruit.")
    equal = Term(term="==", also=("a 'quoted' message",), says="It asks whether two things are the same.")
    known = glossary_of((berry, equal))
    assert known.find("berries") is berry
    assert known.find("`==`") is equal
    assert known.find("= =") is equal
    assert known.find("a 'different' message") is equal
    assert known.find("=") is None


def test_an_empty_glossary_finds_nothing() -> None:
    assert Glossary({}).find("apple") is None

"""A whole path from notes with all its lessons, made of what the server would hand over: fit to be learned from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from sprout.agents.fitting import Passages
from sprout.documents.passages import passages_of
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft, checked
from sprout.offline.notes.language import about_the_notes
from sprout.offline.notes.path import lesson_from_notes, path_from_notes
from sprout.offline.notes.reading import sentences_of
from sprout.offline.plan import Idea, Plan
from tests.offline.asking import NOTES

FILES = ("water-cycle.md", "bread.txt", "photosynthese.md", "revolution.md")
PASSAGE_CHARACTERS = 12_000


@dataclass(frozen=True)
class Learned:
    """A path and its lessons, by the titles of their concepts."""

    path: Plan
    lessons: dict[str, Plan]

    @property
    def ideas(self) -> Iterator[Idea]:
        yield from self.path.ideas
        for lesson in self.lessons.values():
            yield from lesson.ideas

    @property
    def questions(self) -> Iterator[dict[str, Any]]:
        return (dict(item.input) for lesson in self.lessons.values() for item in lesson.items)


@cache
def learned(name: str) -> Learned:
    text = (NOTES / name).read_text()
    passages = Passages(passages_of(name, text))
    path = path_from_notes([text], least=6, most=10)
    assert path is not None
    lessons = {}
    for idea in path.ideas:
        given = [one.text for one in passages.within(idea.title, idea.desc, characters=PASSAGE_CHARACTERS)]
        lesson = lesson_from_notes(given, least=8, most=12, most_items=10, title=idea.title, desc=idea.desc)
        assert lesson is not None
        lessons[idea.title] = lesson
    return Learned(path, lessons)


def draft_of(question: dict[str, Any]) -> QuestionDraft:
    return QuestionDraft(
        prompt=question["prompt"],
        format=question["format"],
        correct_answer=question["correct_answer"],
        difficulty=question["difficulty"],
        tests=tuple(question["tests"]),
        options=tuple(question.get("options", ())),
        criteria=tuple(Criterion(**row) for row in question.get("criteria", ())),
        tolerance=question.get("tolerance"),
        unit=question.get("unit"),
        misconceptions=tuple(Misconception(**row) for row in question.get("misconceptions", ())),
    )


@pytest.mark.parametrize("name", FILES)
def test_titles_are_short_and_none_stands_in_two_lessons(name: str) -> None:
    titles = [idea.title for lesson in learned(name).lessons.values() for idea in lesson.ideas]
    assert len({title.casefold() for title in titles}) == len(titles)
    assert all(2 <= len(idea.title.split()) <= 8 for idea in learned(name).ideas)


@pytest.mark.parametrize("name", FILES)
def test_no_title_is_two_words_joined_by_and(name: str) -> None:
    titles = [idea.title for lesson in learned(name).lessons.values() for idea in lesson.ideas]
    assert [title for title in titles if re.fullmatch(r"\w+(?: \w+)? (?:and|und|et) \w+(?: \w+)?", title)] == []
    assert sum("what the notes say" in title for title in titles) == 0


@pytest.mark.parametrize("name", FILES)
def test_nothing_in_it_speaks_of_the_notes_themselves(name: str) -> None:
    assert [idea for idea in learned(name).ideas if about_the_notes().search(f"{idea.title}. {idea.desc}")] == []


@pytest.mark.parametrize("name", FILES)
def test_the_lessons_of_two_concepts_share_less_than_a_fifth_of_their_sentences(name: str) -> None:
    told = [
        {sentence for idea in lesson.ideas for sentence in sentences_of(idea.desc)}
        for lesson in learned(name).lessons.values()
    ]
    assert all(len(one & other) < 0.2 * min(len(one), len(other)) for one, other in combinations(told, 2))


@pytest.mark.parametrize("name", FILES)
def test_every_question_is_one_that_the_server_accepts(name: str) -> None:
    questions = list(learned(name).questions)
    assert len(questions) >= 2 * len(learned(name).lessons)
    for question in questions:
        checked(draft_of(question))


@pytest.mark.parametrize("name", FILES)
def test_every_entry_of_a_lesson_is_asked_about(name: str) -> None:
    for lesson in learned(name).lessons.values():
        targets = {link.target for link in lesson.links}
        tested = {title for item in lesson.items for title in item.tests}
        assert {idea.title for idea in lesson.ideas} - targets <= tested


@pytest.mark.parametrize("name", FILES)
def test_at_most_a_third_of_the_questions_fill_a_gap_with_a_word(name: str) -> None:
    for lesson in learned(name).lessons.values():
        gaps = [item for item in lesson.items if item.input["format"] == "mcq" and "____" in item.input["prompt"]]
        assert len(gaps) * 3 <= len(lesson.items) or len(lesson.items) < 5


def test_long_notes_are_asked_about_at_every_level() -> None:
    levels = [
        {item.input["difficulty"] for item in lesson.items} for lesson in learned("water-cycle.md").lessons.values()
    ]
    assert all(len(each) >= 3 for each in levels)
    assert set().union(*levels) == {1, 2, 3, 4, 5}


def test_the_options_of_a_gap_fit_the_article_before_it() -> None:
    gap = "Die Zellatmung setzt die ____ des Zuckers wieder frei"
    question = next(each for each in learned("photosynthese.md").questions if gap in each["prompt"])
    text = (NOTES / "photosynthese.md").read_text().casefold()
    assert all(f"die {option}".casefold() in text for option in question["options"])


def test_a_thin_concept_has_fewer_subconcepts_and_says_that_the_notes_have_no_more() -> None:
    lesson = learned("photosynthese.md").lessons["Was mit dem Zucker geschieht"]
    text = (NOTES / "photosynthese.md").read_text().split("## Was mit dem Zucker geschieht")[1].split("##")[0]
    assert 2 <= len(lesson.ideas) < 8
    assert all(sentence in text for idea in lesson.ideas for sentence in sentences_of(idea.desc))
    assert "geben deine Notizen dazu nicht her" in lesson.no_more


@pytest.mark.parametrize("name", FILES)
def test_the_rationale_names_entries_and_speaks_plainly(name: str) -> None:
    path = learned(name).path
    targets = {link.target for link in path.links}
    entries = [idea.title for idea in path.ideas if idea.title not in targets]
    assert len(path.closing.split()) <= 150
    assert all(title in path.closing for title in entries[:3])
    assert re.search(r"offline demo model|Offline-Demomodell|modèle de démonstration hors ligne", path.closing)


def test_the_rationale_names_forks_and_what_was_merged_or_left_out() -> None:
    closing = learned("water-cycle.md").path.closing
    assert "you can choose between “" in closing
    assert "“Transpiration”" in closing
    assert "I left out “References”." in closing

"""A whole path from notes with all its lessons, made of what the server would hand over: fit to be learned from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft, validate_draft
from sprout.offline.graph_plan import Plan, PlannedNode
from sprout.offline.notes.course_builder import path_from_notes, subconcepts_from_notes
from sprout.offline.notes.language import meta_sentence_pattern
from sprout.offline.notes.parser import sentences_of
from tests.offline.sdk_client import NOTES

FILES = ("water-cycle.md", "bread.txt", "photosynthese.md", "revolution.md")
PASSAGE_CHARACTERS = 12_000


@dataclass(frozen=True)
class Learned:
    """A path and its lessons, by the titles of their concepts."""

    path: Plan
    lessons: dict[str, Plan]

    @property
    def ideas(self) -> Iterator[PlannedNode]:
        yield from self.path.nodes
        for lesson in self.lessons.values():
            yield from lesson.nodes

    @property
    def questions(self) -> Iterator[dict[str, Any]]:
        return (dict(item.input) for lesson in self.lessons.values() for item in lesson.questions)


@cache
def learned(name: str) -> Learned:
    text = (NOTES / name).read_text()
    passages = PassageIndex(split_into_passages(name, text))
    path = path_from_notes([text], least=6, most=10)
    assert path is not None
    lessons = {}
    for idea in path.nodes:
        given = [one.text for one in passages.select(idea.title, idea.desc, characters=PASSAGE_CHARACTERS)]
        lesson = subconcepts_from_notes(given, least=8, most=12, most_items=10, title=idea.title, desc=idea.desc)
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
    titles = [idea.title for lesson in learned(name).lessons.values() for idea in lesson.nodes]
    assert len({title.casefold() for title in titles}) == len(titles)
    assert all(2 <= len(idea.title.split()) <= 8 for idea in learned(name).ideas)


@pytest.mark.parametrize("name", FILES)
def test_no_title_is_two_words_joined_by_and(name: str) -> None:
    titles = [idea.title for lesson in learned(name).lessons.values() for idea in lesson.nodes]
    assert [title for title in titles if re.fullmatch(r"\w+(?: \w+)? (?:and|und|et) \w+(?: \w+)?", title)] == []
    assert sum("what the notes say" in title for title in titles) == 0


@pytest.mark.parametrize("name", FILES)
def test_nothing_in_it_speaks_of_the_notes_themselves(name: str) -> None:
    assert [idea for idea in learned(name).ideas if meta_sentence_pattern().search(f"{idea.title}. {idea.desc}")] == []


@pytest.mark.parametrize("name", FILES)
def test_the_lessons_of_two_concepts_share_less_than_a_fifth_of_their_sentences(name: str) -> None:
    lines = [
        {sentence for idea in lesson.nodes for sentence in sentences_of(idea.desc)}
        for lesson in learned(name).lessons.values()
    ]
    assert all(len(one & other) < 0.2 * min(len(one), len(other)) for one, other in combinations(lines, 2))


@pytest.mark.parametrize("name", FILES)
def test_every_question_is_one_that_the_server_accepts(name: str) -> None:
    questions = list(learned(name).questions)
    assert len(questions) >= 2 * len(learned(name).lessons)
    for question in questions:
        validate_draft(draft_of(question))


@pytest.mark.parametrize("name", FILES)
def test_every_entry_of_a_lesson_is_asked_about(name: str) -> None:
    for lesson in learned(name).lessons.values():
        targets = {link.target for link in lesson.edges}
        tested = {title for item in lesson.questions for title in item.tests}
        assert {idea.title for idea in lesson.nodes} - targets <= tested


@pytest.mark.parametrize("name", FILES)
def test_at_most_a_third_of_the_questions_fill_a_gap_with_a_word(name: str) -> None:
    for lesson in learned(name).lessons.values():
        gaps = [item for item in lesson.questions if item.input["format"] == "mcq" and "____" in item.input["prompt"]]
        assert len(gaps) * 3 <= len(lesson.questions) or len(lesson.questions) < 5


def test_long_notes_are_asked_about_at_every_level() -> None:
    levels = [
        {item.input["difficulty"] for item in lesson.questions} for lesson in learned("water-cycle.md").lessons.values()
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
    assert 2 <= len(lesson.nodes) < 8
    assert all(sentence in text for idea in lesson.nodes for sentence in sentences_of(idea.desc))
    assert "geben deine Notizen dazu nicht her" in lesson.no_more


@pytest.mark.parametrize("name", FILES)
def test_the_rationale_names_entries_and_speaks_plainly(name: str) -> None:
    path = learned(name).path
    targets = {link.target for link in path.edges}
    entries = [idea.title for idea in path.nodes if idea.title not in targets]
    assert len(path.closing.split()) <= 150
    assert all(title in path.closing for title in entries[:3])
    assert re.search(r"offline demo model|Offline-Demomodell|modèle de démonstration hors ligne", path.closing)


def test_the_rationale_names_forks_and_what_was_merged_or_left_out() -> None:
    closing = learned("water-cycle.md").path.closing
    assert "you can choose between “" in closing
    assert "“Transpiration”" in closing
    assert "I left out “References”." in closing

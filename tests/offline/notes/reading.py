"""Notes as the agents see them: the path of a text, and the lesson plan of each concept from its passages."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.structure.plain_view import text_of
from sprout.offline.graph_plan import Plan, PlannedNode
from sprout.offline.notes.document import documents_of_passages
from sprout.offline.notes.lesson_plan import PassageText, lesson_plan_from_notes
from sprout.offline.notes.path import path_from_notes
from tests.offline.sdk_client import NOTES

FILES = ("water-cycle.md", "bread.txt", "photosynthese.md", "revolution.md")
PASSAGE_CHARACTERS = 12_000


@dataclass(frozen=True)
class Learned:
    """A path and its lesson plans, by the titles of their concepts."""

    path: Plan
    lessons: dict[str, Plan]

    @property
    def titles(self) -> list[str]:
        return [node.title for node in self.path.nodes]

    @property
    def questions(self) -> Iterator[dict[str, Any]]:
        return (dict(item.input) for lesson in self.lessons.values() for item in lesson.questions)


def passages_for(name: str, text: str, node: PlannedNode, *, characters: int = PASSAGE_CHARACTERS) -> list[PassageText]:
    """The passages that an agent is given for a concept."""
    index = PassageIndex(split_into_passages(name, text))
    chosen = index.select(node.title, node.desc, characters=characters)
    return [(one.document, one.heading or "", one.text) for one in chosen]


def learn(name: str, text: str, *, most: int = 10) -> Learned:
    path = path_from_notes([text], least=6, most=most)
    assert path is not None
    lessons = {}
    for node in path.nodes:
        given = passages_for(name, text, node)
        lesson = lesson_plan_from_notes(given, most=12, most_items=10, title=node.title, desc=node.desc)
        assert lesson is not None, node
        lessons[node.title] = lesson
    return Learned(path, lessons)


@cache
def learned(name: str) -> Learned:
    return learn(name, (NOTES / name).read_text())


def plain_words(name: str) -> str:
    """All words of the notes that are content, in one line, as they are read."""
    text = (NOTES / name).read_text()
    index = split_into_passages(name, text)
    (document,) = documents_of_passages([(one.document, one.heading or "", one.text) for one in index])
    return " ".join(" ".join(text_of(block) for block in document.content.all_blocks).split())

"""Subconcepts and diagnostic questions of one concept, from the passages of its notes."""

from collections.abc import Sequence
from functools import lru_cache

from sprout.learning.structure.tree import Block
from sprout.offline.graph_plan import Plan, PlannedNode, PlannedQuestion
from sprout.offline.notes.document import Document, Part, documents_of_passages
from sprout.offline.notes.language import language
from sprout.offline.notes.material import Material, NoteQuestion, Topic
from sprout.offline.notes.order import edges_between
from sprout.offline.notes.path import code_of, passage_of, subconcepts_of
from sprout.offline.notes.scope import own_parts
from sprout.offline.notes.selection import all_questions, select_questions

ITEMS_WANTED = 8

PassageText = tuple[str, str, str]  # document, path of headings, text


def lesson_plan_from_notes(
    passages: Sequence[PassageText], *, most: int, most_items: int, title: str = "", desc: str = ""
) -> Plan | None:
    """Subconcepts and questions from a concept's own part of the passages, or None where they say nothing.

    Where that part gives fewer subconcepts than are wanted there are fewer. The other passages only give terms and
    statements to tell apart.
    """
    documents = documents_of_passages(passages, desc=desc)
    code = code_of(documents, desc)
    parts = own_parts(documents, title=title, desc=desc, code=code)
    concept = PlannedNode(title, desc)
    told = any(part.words for part in parts)
    found = subconcepts_of(documents, parts, code, most=most, concept=concept) if told else []
    if not found:
        return None
    say = language(code).phrases
    edges = edges_between([passage_of(one, code) for one in found], code)
    topics = [
        Topic(one.node.title, tuple(part.title for part in one.point.parts if part.title), one.point.blocks)
        for one in found
    ]
    chosen = select_questions(_questions(documents, parts, topics, code), most=min(most_items, ITEMS_WANTED))
    chosen.sort(key=lambda question: int(question.fields["difficulty"]))
    items = [
        PlannedQuestion(
            {
                **question.fields,
                "tests": [found[question.topic].node.title],
                "solution": [say.quoted.format(one) for one in question.settles],
            }
        )
        for question in chosen
    ]
    no_more = say.no_more.format(ideas=len(found), items=len(items))
    return Plan(say.lesson_opening, [one.node for one in found], edges, say.lesson_closing, items, no_more)


@lru_cache(maxsize=8)
def answers_in_notes(passages: tuple[PassageText, ...], *, title: str, desc: str) -> dict[str, str]:
    """Prompt of every question that could be asked about a concept → its right answer."""
    documents = documents_of_passages(passages, desc=desc)
    code = code_of(documents, desc)
    parts = own_parts(documents, title=title, desc=desc, code=code)
    titles = tuple(each.title for part in parts for each in part.iter_parts() if each.title)
    return {
        question.prompt: str(question.fields["correct_answer"])
        for question in _questions(documents, parts, [Topic(title, titles, _blocks(parts))], code)
    }


def _questions(
    documents: Sequence[Document], parts: Sequence[Part], topics: Sequence[Topic], code: str
) -> list[NoteQuestion]:
    own = {*_blocks(parts)}
    around = [block for document in documents for block in document.content.all_blocks if block not in own]
    return all_questions(Material(topics, around, code))


def _blocks(parts: Sequence[Part]) -> tuple[Block, ...]:
    return tuple(block for part in parts for block in part.all_blocks)

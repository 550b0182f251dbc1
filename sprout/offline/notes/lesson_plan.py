"""Subconcepts and diagnostic questions of one concept, from the passages of its notes."""

from collections.abc import Sequence
from functools import lru_cache

from sprout.offline.graph_plan import Plan, PlannedQuestion
from sprout.offline.notes.document import Document, Part, documents_of_passages
from sprout.offline.notes.language import language
from sprout.offline.notes.material import Material, NoteQuestion, Topic
from sprout.offline.notes.order import edges_between
from sprout.offline.notes.path import Subconcept, code_of, passage_of, subconcepts_of
from sprout.offline.notes.points import MOST_POINTS
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
    found = subconcepts_of(documents, parts, code, most=most, title=title) if any(part.words for part in parts) else []
    if not found:
        return None
    say = language(code).phrases
    edges = edges_between([passage_of(one, code) for one in found], code)
    chosen = select_questions(_questions(documents, parts, found, code), most=min(most_items, ITEMS_WANTED))
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
    if not any(part.words for part in parts):
        return {}
    answers: dict[str, str] = {}
    seen: list[list[Subconcept]] = []
    for most in range(MOST_POINTS, 0, -1):  # the subconcepts may have been fewer
        found = subconcepts_of(documents, parts, code, most=most, title=title)
        if found in seen:
            continue
        seen.append(found)
        for question in _questions(documents, parts, found, code):
            answers.setdefault(question.prompt, str(question.fields["correct_answer"]))
    return answers


def _questions(
    documents: Sequence[Document], parts: Sequence[Part], found: Sequence[Subconcept], code: str
) -> list[NoteQuestion]:
    topics = [
        Topic(one.node.title, tuple(part.title for part in one.point.parts if part.title), one.point.blocks)
        for one in found
    ]
    own = {block for part in parts for block in part.all_blocks}
    around = [block for document in documents for block in document.content.all_blocks if block not in own]
    glossary = [entry for document in documents for entry in document.glossary]
    return all_questions(Material(topics, around, glossary, code))

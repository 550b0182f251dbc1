"""Passages and what cites them, on both databases: places that hold, words that are found, and nobody else's."""

from collections.abc import Callable

import pytest
from sqlmodel import select

from harness.builders import a_topic, add_notes
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.documents.sources import SqlSources
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema import tables

NOTES = """# Circuits

## Voltage

A battery hands energy to each bit of charge. Voltage says how much energy each bit gets on its way round the loop,
and it is measured across a part, never through it. Two batteries in a row add their voltages, because each bit of
charge is pushed twice before it comes back. Für Größen wie diese gilt das überall.

## Fuses

A fuse is a thin wire that melts first. It protects the house from a current that would heat the cables in the wall.
Nothing else in the circuit is meant to break, so a fuse is chosen a little above the current that is wanted there.
"""


@pytest.fixture
def sources(database: Database) -> SqlSources:
    return SqlSources(database)


async def topic_with_notes(paths: SqlPaths, document_queue: SqlDocumentQueue) -> NodeRow:
    root = await a_topic(paths)
    await add_notes(paths, document_queue, root, NOTES, "circuits.md")
    return root


async def test_S1_every_passage_names_its_place_and_the_text_that_stands_there(
    paths: SqlPaths, document_queue: SqlDocumentQueue, repositories: SqlPathRepository, sources: SqlSources
) -> None:
    root = await topic_with_notes(paths, document_queue)
    passages = await repositories.passages(root.id)
    assert [one.heading for one in passages] == ["Circuits › Voltage", "Circuits › Fuses"]
    for one in passages:
        assert NOTES[one.start : one.end] == one.text
        shown = await sources.passage(one.id, user_id=root.user_id)
        assert (shown.document, shown.heading, shown.start, shown.end, shown.text) == (
            "circuits.md", one.heading, one.start, one.end, one.text
        )  # fmt: skip


@pytest.mark.parametrize(
    ("query", "heading"),
    [("fuse", "Fuses"), ("melting fuses", "Fuses"), ('"batteries in a row"', "Voltage"), ("Größe", "Voltage"),
     ('"thin wires"', "Fuses"), ("chosen", "Fuses"), ("groß", "Voltage"), ("melt wire", "Fuses"),
     ("VOLTAGES", "Voltage"), ("grossen", "Voltage"), ("größen", "Voltage"), ("batter", "Voltage"),
     ('"); drop table passages; --', None), ("* OR NEAR(", None), ("", None), ("\x00", None)],
)  # fmt: skip
async def test_S1_words_are_found_where_they_stand_and_nothing_in_a_query_is_syntax(
    paths: SqlPaths, document_queue: SqlDocumentQueue, sources: SqlSources, query: str, heading: str | None
) -> None:
    root = await topic_with_notes(paths, document_queue)
    found = await sources.search(root.id, query, user_id=root.user_id)
    if heading is None:
        assert all("drop" not in one.text for one in found)
    else:
        assert (found[0].heading or "").endswith(heading)


async def test_S1_a_phrase_is_found_only_where_it_stands(
    paths: SqlPaths, document_queue: SqlDocumentQueue, sources: SqlSources
) -> None:
    root = await topic_with_notes(paths, document_queue)
    for query, headings in (('"thin wire"', ["Fuses"]), ('"wire thin"', []), ('"the loop" wire', ["Voltage"])):
        found = await sources.search(root.id, query, user_id=root.user_id)
        assert [(one.heading or "").split(" › ")[-1] for one in found] == headings, query


async def test_S1_a_subconcept_cites_the_passages_that_it_teaches_and_the_map_shows_what_none_does(
    paths: SqlPaths, document_queue: SqlDocumentQueue, repositories: SqlPathRepository, sources: SqlSources
) -> None:
    root = await topic_with_notes(paths, document_queue)
    voltage, fuses = await repositories.passages(root.id)
    me = Actor(root.user_id)
    made = await repositories.edit_graph(root.id, add("Voltage"), actor=me, passages=[voltage.id, voltage.id])
    other = await repositories.edit_graph(root.id, add("Ohm"), actor=me)
    assert made.node is not None
    assert other.node is not None
    cited = await sources.of_node(made.node.id, user_id=root.user_id)
    assert ([one.id for one in cited.passages], cited.general_knowledge) == ([voltage.id], False)
    assert (await sources.of_node(other.node.id, user_id=root.user_id)).general_knowledge
    coverage = await sources.coverage(str(root.branch_id), user_id=root.user_id)
    assert [(one.id, one.node_ids) for one in coverage] == [(voltage.id, [made.node.id]), (fuses.id, [])]


async def test_A4_S1_the_results_of_a_diagnostic_have_the_cited_passage_that_is_nearest_to_the_question(
    paths: SqlPaths,
    document_queue: SqlDocumentQueue,
    repositories: SqlPathRepository,
    assessments: SqlAssessments,
) -> None:
    root = await topic_with_notes(paths, document_queue)
    voltage, fuses = await repositories.passages(root.id)
    me = Actor(root.user_id)
    concept = (await repositories.edit_graph(root.id, add("Circuits"), actor=me)).node or pytest.fail("no concept")
    await repositories.edit_graph(concept.id, add("Safety"), actor=me, passages=[voltage.id, fuses.id])
    await repositories.edit_graph(concept.id, add("Light"), actor=me)
    asked = [
        ("Which part of a house melts before its cables heat up?", "A fuse", "Safety"),
        ("What is fastest?", "A cat", "Safety"),
        ("Which wire melts first?", "A fuse, too", "Light"),
    ]
    for prompt, right, part in asked:
        options = (right, "A bulb", "A dog", "A lamp")
        draft = QuestionDraft(prompt, "mcq", right, 1, (part,), options=options)
        saved = await repositories.save_question(concept.id, draft, actor=me)
    questions = await assessments.questions(saved.assessment_id, user_id=me.user_id)
    for question in questions:
        given = GivenAnswer(question.id, option="A dog")
        assert (await assessments.record_answer(saved.assessment_id, given, user_id=me.user_id)).passage is None
    answers = await assessments.answers(saved.assessment_id, user_id=me.user_id)
    assert [one.passage and one.passage.id for one in answers] == [fuses.id, None, None]


async def test_S1_a_passage_that_is_not_there_is_left_out(
    paths: SqlPaths, document_queue: SqlDocumentQueue, repositories: SqlPathRepository, sources: SqlSources
) -> None:
    root, other = await topic_with_notes(paths, document_queue), await topic_with_notes(paths, document_queue)
    (elsewhere, *_) = await repositories.passages(other.id)
    for strange in ("p-none", elsewhere.id):
        await repositories.edit_graph(root.id, add("Voltage"), actor=Actor(root.user_id), passages=[strange])
    (node,), _ = await repositories.children(root.id)
    assert (await sources.of_node(node.id, user_id=root.user_id)).passages == []


async def test_a_node_without_documents_is_not_called_general_knowledge(paths: SqlPaths, sources: SqlSources) -> None:
    root = await a_topic(paths)
    assert not (await sources.of_node(root.id, user_id=root.user_id)).general_knowledge


async def test_documents_of_an_earlier_version_get_their_passages_when_they_are_first_wanted(
    paths: SqlPaths,
    document_queue: SqlDocumentQueue,
    repositories: SqlPathRepository,
    sources: SqlSources,
    database: Database,
) -> None:
    root = await topic_with_notes(paths, document_queue)

    def forget(tx: WriteTransaction) -> None:
        for passage in tx.session.exec(select(tables.Passage)):
            tx.session.delete(passage)

    await database.write_tx(forget)
    assert await sources.search(root.id, "fuse", user_id=root.user_id) == []
    again = await repositories.passages(root.id)
    assert "\n\n".join(one.text for one in again)
    assert await sources.search(root.id, "fuse", user_id=root.user_id)
    assert await repositories.passages(root.id) == again


async def test_a_deleted_document_takes_its_passages_and_their_words_along(
    paths: SqlPaths, document_queue: SqlDocumentQueue, sources: SqlSources
) -> None:
    root = await topic_with_notes(paths, document_queue)
    (document,) = await paths.documents(root.id, user_id=root.user_id)
    await paths.delete_document(root.id, document.id, user_id=root.user_id)
    assert await sources.search(root.id, "fuse", user_id=root.user_id) == []
    assert await sources.coverage(str(root.branch_id), user_id=root.user_id) == []


async def test_what_is_another_learners_is_not_found(
    paths: SqlPaths, document_queue: SqlDocumentQueue, repositories: SqlPathRepository, sources: SqlSources
) -> None:
    root = await topic_with_notes(paths, document_queue)
    (passage, *_) = await repositories.passages(root.id)
    whole = await sources.document(
        (await sources.passage(passage.id, user_id=root.user_id)).document_id, user_id=root.user_id
    )
    assert [one.id for one in whole] == [one.id for one in await repositories.passages(root.id)]
    for asked in (
        sources.search(root.id, "fuse", user_id="mallory"),
        sources.passage(passage.id, user_id="mallory"),
        sources.of_node(root.id, user_id="mallory"),
        sources.coverage(str(root.branch_id), user_id="mallory"),
        sources.document(whole[0].document_id, user_id="mallory"),
    ):
        with pytest.raises(NotFound):
            await asked


def add(title: str) -> Callable[[ConceptGraph], Edit]:
    return lambda graph: graph.add(title, None, utc_now())

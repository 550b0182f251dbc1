"""Passages and what cites them, on both databases: places that hold, words that are found, and nobody else's."""

from collections.abc import Callable

import pytest
from sqlmodel import select

from sprout.clock import utc_now
from sprout.errors import GraphRefused, NotFound
from sprout.events import NodeRow
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.shelf import Actor
from sprout.store import tables
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.shelf import SqlShelf
from sprout.store.sources import SqlSources
from sprout.store.unread import SqlPile
from sprout.store.write import Write
from tests.builders import a_topic, with_notes

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


async def topic_with_notes(library: SqlLibrary, pile: SqlPile) -> NodeRow:
    root = await a_topic(library)
    await with_notes(library, pile, root, NOTES, "circuits.md")
    return root


async def test_S1_every_passage_names_its_place_and_the_text_that_stands_there(
    library: SqlLibrary, pile: SqlPile, shelf: SqlShelf, sources: SqlSources
) -> None:
    root = await topic_with_notes(library, pile)
    passages = await shelf.passages(root.id)
    assert [one.heading for one in passages] == ["Circuits › Voltage", "Circuits › Fuses"]
    for one in passages:
        assert NOTES[one.start : one.end] == one.text
        shown = await sources.passage(one.id, user_id=root.user_id)
        assert (shown.document, shown.heading, shown.start, shown.end, shown.text) == (
            "circuits.md", one.heading, one.start, one.end, one.text
        )  # fmt: skip


@pytest.mark.parametrize(
    ("query", "heading"),
    [("fuse", "Fuses"), ("melt wire", "Fuses"), ("VOLTAGES", "Voltage"), ("grossen", None), ("größen", "Voltage"),
     ("batter", "Voltage"), ('"); drop table passages; --', None), ("* OR NEAR(", None), ("", None), ("\x00", None)],
)  # fmt: skip
async def test_S1_words_are_found_where_they_stand_and_nothing_in_a_query_is_syntax(
    library: SqlLibrary, pile: SqlPile, sources: SqlSources, query: str, heading: str | None
) -> None:
    root = await topic_with_notes(library, pile)
    found = await sources.search(root.id, query, user_id=root.user_id)
    if heading is None:
        assert all("drop" not in one.text for one in found)
    else:
        assert (found[0].heading or "").endswith(heading)


async def test_S1_a_subconcept_cites_the_passages_that_it_teaches_and_the_map_shows_what_none_does(
    library: SqlLibrary, pile: SqlPile, shelf: SqlShelf, sources: SqlSources
) -> None:
    root = await topic_with_notes(library, pile)
    voltage, fuses = await shelf.passages(root.id)
    me = Actor(root.user_id)
    made = await shelf.edit_graph(root.id, add("Voltage"), actor=me, passages=[voltage.id, voltage.id])
    other = await shelf.edit_graph(root.id, add("Ohm"), actor=me)
    assert made.node is not None
    assert other.node is not None
    cited = await sources.of_node(made.node.id, user_id=root.user_id)
    assert ([one.id for one in cited.passages], cited.general_knowledge) == ([voltage.id], False)
    assert (await sources.of_node(other.node.id, user_id=root.user_id)).general_knowledge
    coverage = await sources.coverage(str(root.branch_id), user_id=root.user_id)
    assert [(one.id, one.node_ids) for one in coverage] == [(voltage.id, [made.node.id]), (fuses.id, [])]


async def test_S1_a_passage_that_is_not_there_is_refused_and_nothing_is_written(
    library: SqlLibrary, pile: SqlPile, shelf: SqlShelf
) -> None:
    root, other = await topic_with_notes(library, pile), await topic_with_notes(library, pile)
    (elsewhere, *_) = await shelf.passages(other.id)
    for strange in ("p-none", elsewhere.id):
        with pytest.raises(GraphRefused, match="There is no passage"):
            await shelf.edit_graph(root.id, add("Voltage"), actor=Actor(root.user_id), passages=[strange])
    assert (await shelf.children(root.id))[0] == []


async def test_a_node_without_documents_is_not_called_general_knowledge(
    library: SqlLibrary, sources: SqlSources
) -> None:
    root = await a_topic(library)
    assert not (await sources.of_node(root.id, user_id=root.user_id)).general_knowledge


async def test_documents_of_an_earlier_version_get_their_passages_when_they_are_first_wanted(
    library: SqlLibrary, pile: SqlPile, shelf: SqlShelf, sources: SqlSources, database: Database
) -> None:
    root = await topic_with_notes(library, pile)

    def forget(write: Write) -> None:
        for passage in write.session.exec(select(tables.Passage)):
            write.session.delete(passage)

    await database.write(forget)
    assert await sources.search(root.id, "fuse", user_id=root.user_id) == []
    again = await shelf.passages(root.id)
    assert "\n\n".join(one.text for one in again)
    assert await sources.search(root.id, "fuse", user_id=root.user_id)
    assert await shelf.passages(root.id) == again


async def test_a_deleted_document_takes_its_passages_and_their_words_along(
    library: SqlLibrary, pile: SqlPile, sources: SqlSources
) -> None:
    root = await topic_with_notes(library, pile)
    (document,) = await library.documents(root.id, user_id=root.user_id)
    await library.delete_document(root.id, document.id, user_id=root.user_id)
    assert await sources.search(root.id, "fuse", user_id=root.user_id) == []
    assert await sources.coverage(str(root.branch_id), user_id=root.user_id) == []


async def test_what_is_somebody_elses_is_not_found(
    library: SqlLibrary, pile: SqlPile, shelf: SqlShelf, sources: SqlSources
) -> None:
    root = await topic_with_notes(library, pile)
    (passage, *_) = await shelf.passages(root.id)
    whole = await sources.document(
        (await sources.passage(passage.id, user_id=root.user_id)).document_id, user_id=root.user_id
    )
    assert [one.id for one in whole] == [one.id for one in await shelf.passages(root.id)]
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

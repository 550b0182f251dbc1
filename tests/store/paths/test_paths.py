"""Learners' own data in the database: owned, in order of creation, in few queries, and gone when deleted."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func
from sqlalchemy.exc import StatementError
from sqlmodel import select

from harness.builders import CLAIM, a_child, a_concept, a_reasoning_event, a_run, a_topic, end_run, start_run
from sprout.clock import utc_now
from sprout.errors import BadInput, Conflict, InvalidGraphEdit, NotFound
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.repository import DEFAULT_USER_ID, NewDocument
from sprout.learning.questions.questions import Misconception, QuestionDraft
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint, RequestKey
from sprout.runs.state import RunState
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassTable, Contrast, GivenPath
from sprout.store.schema.columns import TableModel
from sprout.store.schema.desk_tables import DeskDecision, SharedLesson
from sprout.store.schema.placement_tables import PlacementFinding, PlacementItem, PlacementRow
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry
from sprout.store.schema.run_tables import GraphOperation
from tests.statement_counter import count_statements

NO_BRANCHS_OWN = (
    "users", "worker_leases", "budget_days", "budget_reservations", "concerns", "learner_memories",
    "review_sessions", "review_items", "review_settings", "accounts", "account_sessions", "access_tokens",
    "one_time_codes", "passkeys", "linked_identities", "sign_in_attempts",
    "security_events", "classes", "class_members", "path_copies", "contrast_recipients",
    "model_probes", "record_stores", "sent_statements",
)  # fmt: skip
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOTES = NewDocument("notes.md", "text/markdown", b"# Light")
ASKED = QuestionDraft(
    "How many?", "numeric", "6", 1, ("Photons",), misconceptions=(Misconception("3", "A photon counts for half."),)
)


async def test_lists_are_in_order_of_creation(paths: SqlPaths) -> None:
    roots = [await a_topic(paths, f"Topic {n}") for n in (3, 1, 2)]
    concepts = [await a_concept(paths, roots[1], f"Idea {n}") for n in (5, 4, 6)]
    assert [branch.id for branch in await paths.branches(DEFAULT_USER_ID)] == [root.branch_id for root in roots]
    assert await paths.nodes(user_id=DEFAULT_USER_ID) == [*roots, *concepts]
    assert await paths.nodes(user_id=DEFAULT_USER_ID, type="concept") == concepts
    assert await paths.nodes(user_id=DEFAULT_USER_ID, parent_id=roots[1].id) == concepts
    assert await paths.nodes(user_id=DEFAULT_USER_ID, type="root", branch_id=roots[2].branch_id) == [roots[2]]


async def test_a_branch_page_is_drawn_in_as_many_queries_with_one_node_as_with_sixty(
    paths: SqlPaths, database: Database
) -> None:
    root = await a_topic(paths)
    with count_statements(database) as few:
        small = await paths.graph(root.branch_id or "", user_id=DEFAULT_USER_ID)
    await grow(paths, root)
    with count_statements(database) as many:
        graph = await paths.graph(root.branch_id or "", user_id=DEFAULT_USER_ID)
    assert len(many) == len(few) <= 6
    assert (len(small.nodes), len(graph.nodes), len(graph.documents)) == (1, 61, 1)
    assert graph.nodes[0].id == root.id
    assert [node.id for node in graph.nodes] == [node.id for node in await paths.nodes(user_id=DEFAULT_USER_ID)]


async def test_the_list_of_paths_takes_as_many_queries_for_one_path_as_for_twenty(
    paths: SqlPaths, repositories: SqlPathRepository, database: Database
) -> None:
    root = await a_topic(paths)
    with count_statements(database) as few:
        await paths.summaries(DEFAULT_USER_ID)
    await grow(paths, root)
    for n in range(20):
        await a_topic(paths, f"Topic {n}")
    with count_statements(database) as many:
        summaries = await paths.summaries(DEFAULT_USER_ID)
    assert len(many) == len(few) <= 6
    (grown,) = (summary for summary in summaries if summary.root_id == root.id)
    assert [concept.subconcept_count for concept in grown.concepts] == [9] * 6


async def test_the_path_with_the_newest_activity_comes_first(
    paths: SqlPaths, repositories: SqlPathRepository, runs: SqlRunStore
) -> None:
    first, second, third = [await a_topic(paths, f"Topic {n}") for n in range(3)]

    async def order() -> list[str | None]:
        return [summary.root_id for summary in await paths.summaries(DEFAULT_USER_ID)]

    assert await order() == [third.id, second.id, first.id]
    run = await start_run(runs, a_run(second))
    assert await order() == [second.id, third.id, first.id]
    await repositories.mark_generated(first.id, user_id=DEFAULT_USER_ID)
    assert await order() == [first.id, second.id, third.id]
    await end_run(runs, run)
    assert await order() == [second.id, first.id, third.id]
    await paths.rename_branch(third.branch_id or "", None, user_id=DEFAULT_USER_ID)
    assert await order() == [third.id, second.id, first.id]


async def test_a_concept_is_begun_learned_and_mastered_by_its_progress(paths: SqlPaths, database: Database) -> None:
    root = await a_topic(paths)
    marks: dict[str, dict[str, Any]] = {
        "none": {},
        "some": {"mastery_score": 0.69},
        "learned": {"mastery_score": 0.1, "completed_at": utc_now()},
        "mastered": {"mastery_score": 0.9, "completed_at": utc_now(), "mastered_at": utc_now()},
    }
    for title, mark in marks.items():
        node = await a_concept(paths, root, title)
        progress = tables.Progress(id=title, user_id=DEFAULT_USER_ID, node_id=node.id, **mark)
        await database.write_tx(partial(add, progress))
    (summary,) = await paths.summaries(DEFAULT_USER_ID)
    facts = [(concept.begun, concept.learned, concept.mastered) for concept in summary.concepts]
    assert facts == [(False, False, False), (True, False, False), (True, True, False), (True, True, True)]
    assert [row.mastery_score for row in await paths.progress(DEFAULT_USER_ID)] == [0.0, 0.69, 0.1, 0.9]
    assert len(await paths.progress(DEFAULT_USER_ID, node_id=summary.concepts[0].id)) == 1


async def test_D13_everything_of_another_learner_is_as_if_it_were_not_there(paths: SqlPaths) -> None:
    theirs = await a_topic(paths, user_id="someone-else")
    (document,) = await paths.add_documents(theirs.id, [NOTES], user_id="someone-else")
    await paths.ensure_user(DEFAULT_USER_ID)
    me = {"user_id": DEFAULT_USER_ID}
    new: dict[str, Any] = {**me, "type": "concept", "title": "x", "desc": None}
    calls: list[Callable[[str, str], Coroutine[Any, Any, object]]] = [
        lambda branch, _: paths.branch(branch, **me),
        lambda branch, _: paths.rename_branch(branch, "mine", **me),
        lambda branch, _: paths.delete_branch(branch, **me),
        lambda branch, _: paths.graph(branch, **me),
        lambda branch, _: paths.create_node(**{**new, "type": "root"}, branch_id=branch, parent_id=None),
        lambda branch, node: paths.create_node(**new, branch_id=None, parent_id=node),
        lambda _, node: paths.node(node, **me),
        lambda _, node: paths.update_node(node, title="mine", desc=None, accuracy_score=None, **me),
        lambda _, node: paths.add_documents(node, [NOTES], **me),
        lambda _, node: paths.documents(node, **me),
        lambda _, node: paths.delete_document(node, document.id, **me),
    ]
    for call in calls:
        with pytest.raises(NotFound) as foreign:
            await call(theirs.branch_id or "", theirs.id)
        with pytest.raises(NotFound) as missing:
            await call("nothing\x00", "nothing\x00")
        assert foreign.value.what == missing.value.what
    await paths.delete_node(theirs.id, **me)
    assert await paths.dependency_edges(theirs.id, child_type=None, **me) == []
    assert await paths.branches(DEFAULT_USER_ID) == []
    assert await paths.summaries(DEFAULT_USER_ID) == []
    assert [row.title for row in await paths.branches("someone-else")] == ["Photosynthesis"]
    assert len(await paths.documents(theirs.id, user_id="someone-else")) == 1


async def test_a_document_is_found_only_under_its_own_node(paths: SqlPaths) -> None:
    one, other = await a_topic(paths, "One"), await a_topic(paths, "Other")
    (document,) = await paths.add_documents(one.id, [NOTES], user_id=DEFAULT_USER_ID)
    with pytest.raises(NotFound):
        await paths.delete_document(other.id, document.id, user_id=DEFAULT_USER_ID)


async def test_a_branch_has_one_topic_even_if_two_come_at_once(paths: SqlPaths) -> None:
    await paths.ensure_user(DEFAULT_USER_ID)
    branch = await paths.create_branch("Light", user_id=DEFAULT_USER_ID)
    made = await asyncio.gather(*(a_root(paths, branch.id) for _ in range(6)), return_exceptions=True)
    assert [type(one) for one in made].count(NodeRow) == 1
    assert [str(one) for one in made if isinstance(one, Conflict)] == ["This path has its topic already."] * 5


async def test_what_does_not_fit_is_refused_with_the_field_named(paths: SqlPaths) -> None:
    root = await a_topic(paths)
    concept = await a_concept(paths, root, "Light")
    other = await a_topic(paths, "Other")
    good: dict[str, Any] = {
        "user_id": DEFAULT_USER_ID,
        "type": "concept",
        "title": "Leaves",
        "branch_id": None,
        "parent_id": root.id,
        "desc": None,
    }
    for change, field in (
        ({"type": "subconcept"}, "type"),
        ({"type": "root"}, "type"),
        ({"parent_id": None}, "parentId"),
        ({"parent_id": concept.id}, "type"),
        ({"branch_id": other.branch_id}, "branchId"),
        ({"title": " \u200b"}, "title"),
        ({"title": "x" * 201}, "title"),
    ):
        with pytest.raises(BadInput) as refused:
            await paths.create_node(**{**good, **change})
        assert refused.value.field == field, change
    with pytest.raises(Conflict):
        await paths.create_node(**{**good, "title": "ＬＩＧＨＴ"})
    for score in (-0.1, 1.1, float("nan")):
        with pytest.raises(BadInput):
            await change_node(paths, concept, accuracy_score=score)
    with pytest.raises(BadInput):
        await paths.create_branch("", user_id=DEFAULT_USER_ID)
    assert len(await paths.nodes(user_id=DEFAULT_USER_ID)) == 3


async def test_a_change_of_a_node_keeps_what_is_not_given(paths: SqlPaths, database: Database) -> None:
    root = await a_topic(paths)
    concept, _ = await a_concept(paths, root, "Light"), await a_concept(paths, root, "Leaves")
    renamed = await change_node(paths, concept, title=" Sun  light ", desc="From the sun.")
    assert (renamed.title, renamed.desc, renamed.accuracy_score) == ("Sun light", "From the sun.", 0.0)
    scored = await change_node(paths, concept, accuracy_score=0.5)
    assert (scored.title, scored.desc, scored.accuracy_score) == ("Sun light", "From the sun.", 0.5)
    assert scored.updated_at >= renamed.updated_at > concept.updated_at
    assert await paths.node(concept.id, user_id=DEFAULT_USER_ID) == scored
    with pytest.raises(InvalidGraphEdit):
        await change_node(paths, concept, title="LEAVES")
    assert (await change_node(paths, root, title="Plants")).title == "Plants"
    async with database.open_read_session() as session:
        actors = (await session.exec(select(GraphOperation.agent, GraphOperation.user_id))).all()
    assert set(actors) == {(None, DEFAULT_USER_ID)}


async def test_G4_a_node_that_is_deleted_hands_its_edges_on(
    paths: SqlPaths, repositories: SqlPathRepository, runs: SqlRunStore
) -> None:
    root = await a_topic(paths)
    a, b, c = [await a_concept(paths, root, title) for title in "ABC"]
    for one, other in ((a, b), (b, c)):
        await repositories.edit_graph(root.id, joining(one, other), actor=Actor(DEFAULT_USER_ID))
    run = (await runs.admit(a_run(b))).run
    with pytest.raises(Conflict):
        await paths.delete_node(b.id, user_id=DEFAULT_USER_ID)
    await end_run(runs, run, RunState.CANCELLED)
    with pytest.raises(Conflict):
        await paths.delete_node(root.id, user_id=DEFAULT_USER_ID)
    await paths.delete_node(b.id, user_id=DEFAULT_USER_ID)
    await paths.delete_node(b.id, user_id=DEFAULT_USER_ID)
    edges = await paths.dependency_edges(root.id, user_id=DEFAULT_USER_ID, child_type="concept")
    assert [(edge.source_node_id, edge.target_node_id) for edge in edges] == [(a.id, c.id)]
    assert await paths.dependency_edges(root.id, user_id=DEFAULT_USER_ID, child_type="subconcept") == []


async def test_changes_of_one_node_by_many_at_once_do_not_wait_for_each_other(paths: SqlPaths) -> None:
    root = await a_topic(paths)
    nodes = [await a_concept(paths, root, f"Idea {n}") for n in range(4)]
    await asyncio.gather(*(change_node(paths, node, title=f"{node.title} {n}") for node in nodes for n in range(5)))
    deletions = (paths.delete_node(node.id, user_id=DEFAULT_USER_ID) for node in nodes * 3)
    await asyncio.gather(*deletions)
    assert await paths.nodes(user_id=DEFAULT_USER_ID) == [root]


async def test_the_log_of_a_root_run_keeps_its_numbers_when_a_concept_is_deleted(
    paths: SqlPaths, runs: SqlRunStore
) -> None:
    root = await a_topic(paths)
    concept = await a_concept(paths, root, "Light")
    run = await start_run(runs, a_run(root))
    child = await start_run(runs, a_child(run, concept))
    await end_run(runs, child)
    await paths.delete_node(concept.id, user_id=DEFAULT_USER_ID)
    with pytest.raises(NotFound):
        await runs.run(child.id)
    await runs.append(run, [a_reasoning_event()])
    assert [one.seq for one in await runs.events(run.id)] == [1, 2, 3]


async def test_deleting_a_branch_leaves_no_row_and_no_file_of_it(
    paths: SqlPaths, repositories: SqlPathRepository, runs: SqlRunStore, database: Database, data_dir: Path
) -> None:
    other = await a_topic(paths, "Kept")
    await fill(paths, repositories, runs, database, other)
    before = await row_counts(database)
    files = contents(data_dir)
    gone = await a_topic(paths, "Gone")
    await fill(paths, repositories, runs, database, gone)
    filled = await row_counts(database)
    assert all(filled[name] > before[name] for name in before if name not in NO_BRANCHS_OWN), (
        "every table has a row to lose"
    )

    await paths.delete_branch(gone.branch_id or "", user_id=DEFAULT_USER_ID)
    assert await row_counts(database) == before
    assert contents(data_dir) == files
    assert len(await paths.documents(other.id, user_id=DEFAULT_USER_ID)) == 1


async def test_a_branch_is_not_deleted_under_a_run(paths: SqlPaths, runs: SqlRunStore) -> None:
    root = await a_topic(paths)
    run = (await runs.admit(a_run(root))).run
    with pytest.raises(Conflict, match=run.id):
        await paths.delete_branch(root.branch_id or "", user_id=DEFAULT_USER_ID)
    assert (await runs.run(run.id)).id == run.id


async def test_a_run_admitted_while_its_branch_is_deleted_is_refused_or_refuses(
    paths: SqlPaths, runs: SqlRunStore
) -> None:
    for n in range(10):
        root = await a_topic(paths, f"Topic {n}")
        outcomes = await asyncio.gather(
            runs.admit(a_run(root)),
            paths.delete_branch(root.branch_id or "", user_id=DEFAULT_USER_ID),
            return_exceptions=True,
        )
        (refused,) = (one for one in outcomes if isinstance(one, Exception))
        assert isinstance(refused, (Conflict, NotFound))


async def test_documents_are_kept_all_or_none(paths: SqlPaths, data_dir: Path) -> None:
    root = await a_topic(paths)
    hostile = NewDocument("../../etc/\x00pass\u202ewd", "text/plain", b"\xff\x00")
    added = await paths.add_documents(root.id, [hostile, NOTES], user_id=DEFAULT_USER_ID)
    assert await paths.documents(root.id, user_id=DEFAULT_USER_ID) == added
    assert sorted(contents(data_dir).values()) == [b"# Light", b"\xff\x00"]
    assert (added[0].original_filename, added[0].file_size_bytes) == ("../../etc/\ufffdpass\u202ewd", 2)

    with pytest.raises(NotFound):
        await paths.add_documents("nothing", [NOTES], user_id=DEFAULT_USER_ID)
    assert len(contents(data_dir)) == 2
    await paths.delete_document(root.id, added[0].id, user_id=DEFAULT_USER_ID)
    assert list(contents(data_dir).values()) == [b"# Light"]
    assert await paths.documents(root.id, user_id=DEFAULT_USER_ID) == added[1:]


async def test_files_that_a_crash_left_without_a_row_are_swept_at_start(
    paths: SqlPaths, database: Database, data_dir: Path
) -> None:
    alone = database.writer.engine.dialect.name == "sqlite"
    root = await a_topic(paths)
    await paths.add_documents(root.id, [NOTES], user_id=DEFAULT_USER_ID)
    orphan, arriving = await LocalStorage(data_dir).save([b"orphan", b"of another process, whose row comes yet"])
    two_hours_ago = time.time() - 7_200
    os.utime(data_dir / orphan, (two_hours_ago, two_hours_ago))
    if not alone:
        await paths.delete_orphaned_files()
        assert (data_dir / arriving).exists()
        await paths.storage.remove([arriving])
    await paths.delete_orphaned_files()
    assert list(contents(data_dir).values()) == [b"# Light"]


async def test_times_are_utc_with_milliseconds_on_the_wire(paths: SqlPaths, database: Database) -> None:
    root = await a_topic(paths)
    assert datetime.fromisoformat(root.created_at).utcoffset() is not None
    assert len(root.created_at) == len("2026-11-20T10:00:00.000Z")
    async with database.open_read_session() as session:
        (stored,) = (await session.exec(select(tables.Node.created_at))).all()
    assert stored.utcoffset() is not None
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the point of the test
    branch = tables.Branch(id="b", title="t", user_id=DEFAULT_USER_ID, created_at=naive)
    with pytest.raises(StatementError, match="without a zone"):
        await database.write_tx(lambda tx: tx.session.add(branch))


async def test_the_default_user_is_made_once(paths: SqlPaths, database: Database) -> None:
    users = select(tables.User.id)
    async with database.open_read_session() as session:
        assert (await session.exec(users)).all() == []
    await asyncio.gather(*(paths.ensure_user(DEFAULT_USER_ID) for _ in range(10)))
    async with database.open_read_session() as session:
        assert (await session.exec(users)).all() == [DEFAULT_USER_ID]


def joining(one: NodeRow, other: NodeRow) -> Callable[[ConceptGraph], Edit]:
    return lambda graph: graph.connect(one.id, other.id)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


async def a_root(paths: SqlPaths, branch_id: str) -> NodeRow:
    return await paths.create_node(
        user_id=DEFAULT_USER_ID, type="root", title="Light", branch_id=branch_id, parent_id=None, desc=None
    )


async def change_node(paths: SqlPaths, node: NodeRow, **changes: Any) -> NodeRow:
    given = {"title": None, "desc": None, "accuracy_score": None, **changes}
    return await paths.update_node(node.id, user_id=node.user_id, **given)


async def grow(paths: SqlPaths, root: NodeRow) -> None:
    """Six concepts with nine parts each, and a document."""
    for n in range(6):
        concept = await a_concept(paths, root, f"Idea {n}")
        for m in range(9):
            await a_concept(paths, concept, f"Part {m}")
    await paths.add_documents(root.id, [NOTES], user_id=root.user_id)


async def fill(
    paths: SqlPaths, repositories: SqlPathRepository, runs: SqlRunStore, database: Database, root: NodeRow
) -> None:
    """At least one row in every table, for this branch."""
    one, other = await a_concept(paths, root, "Light"), await a_concept(paths, root, "Leaves")
    await a_concept(paths, one, "Photons")
    await paths.add_documents(root.id, [NOTES], user_id=root.user_id)
    run = (await runs.admit(a_run(root), key=RequestKey(f"k-{root.id}", "digest"), lease=CLAIM)).run
    child = await start_run(runs, a_child(run, one))
    await runs.append(child, [CallBegun("c", "look", "{}", "read"), CallEnded("c", "found", False, 1)])
    await runs.append(child, [Checkpoint("input", 0, "[]")])
    actor = Actor(run.user_id, run.label, run.id, run.root_id, epoch=run.epoch)
    await repositories.edit_graph(root.id, lambda graph: graph.connect(one.id, other.id), actor=actor)
    asked = await repositories.save_question(one.id, ASKED, actor=actor)
    await repositories.mark_generated(root.id, user_id=run.user_id)
    await repositories.log_generation(root.id, trigger="on_first_enter", model="m", meta="{}", run_id=run.id)
    chat, one_id, user_id = f"s-{root.id}", one.id, run.user_id
    rows: list[TableModel] = [
        tables.NodeContent(id=f"n-{root.id}", node_id=one_id, explanation_md="x"),
        tables.Answer(id=f"a-{root.id}", user_id=user_id, assessment_id=asked.assessment_id, question_id=asked.id),
        tables.ChatSession(id=chat, user_id=user_id, node_id=one_id),
        tables.ChatMessage(id=f"m-{root.id}", session_id=chat, user_id=user_id, role="user", content="?"),
        tables.Reading(question_id=asked.id, message_id=f"m-{root.id}"),
        tables.HintEvent(id=f"h-{root.id}", user_id=user_id, node_id=one_id, request_message_id=f"m-{root.id}"),
        tables.Drawing(id=f"d-{root.id}", session_id=chat, media_type="image/png", data=b"x"),
        ReviewCard(
            id=f"v-{root.id}", user_id=user_id, node_id=one_id, learned_at=NOON, due_at=NOON, seen_at=NOON
        ),
        ReviewEntry(
            id=f"w-{root.id}", user_id=user_id, node_id=one_id, answer_id=f"a-{root.id}", at=NOON, grade="good",
            retention=0.9,
        ),
        PlacementRow(
            id=f"pl-{root.id}", user_id=user_id, branch_id=root.branch_id or "", kind="node", node_id=one_id,
            ended_at=NOON,
        ),
        PlacementItem(
            id=f"pi-{root.id}", placement_id=f"pl-{root.id}", position=1, node_id=one_id, question_id=asked.id,
            state="answered",
        ),
        PlacementFinding(id=f"pf-{root.id}", placement_id=f"pl-{root.id}", node_id=one_id, known=True),
        DeskDecision(id=f"dd-{root.id}", user_id=user_id, question_id=asked.id, decision="right", before={}),
    ]  # fmt: skip

    def body(tx: WriteTransaction) -> None:
        document = tx.session.exec(select(tables.Document).where(tables.Document.node_id == root.id)).one()
        passage = tables.Passage(
            id=f"p-{root.id}", document_id=document.id, position=9, starts_at=0, ends_at=1, text="#"
        )
        cited = tables.MessageCitation(message_id=f"m-{root.id}", passage_id=passage.id, position=0)
        rows.extend([passage, tables.Citation(node_id=one_id, passage_id=passage.id), cited])
        if tx.session.exec(select(ClassTable)).first() is None:
            tx.session.add(
                AccountTable(id="teacher", user_id=user_id, name="t", name_key="t", display_name="T", role="teacher")
            )
            tx.session.flush()
            tx.session.add(ClassTable(id="class", user_id=user_id, name="5b"))
        rows.append(GivenPath(id=f"g-{root.id}", class_id="class", branch_id=root.branch_id or ""))
        rows.append(SharedLesson(id=f"sl-{root.id}", session_id=chat, class_id="class", user_id=user_id))
        rows.append(Contrast(id=f"k-{root.id}", given_id=f"g-{root.id}", belief_id="m"))
        for row in rows:
            tx.session.add(row)
            tx.session.flush()

    await database.write_tx(body)
    await end_run(runs, child)
    await end_run(runs, run)


async def row_counts(database: Database) -> dict[str, int]:
    async with database.open_read_connection() as connection:
        return {
            table.name: (await connection.execute(select(func.count()).select_from(table))).scalar_one()
            for table in TableModel.metadata.sorted_tables
        }


def add(row: TableModel, tx: WriteTransaction) -> None:
    tx.session.add(row)

"""Changes of a path in the database: who made them and why, and the way back, exactly, whoever else is at work."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import text, update
from sqlmodel import select

from sprout.clock import utc_now
from sprout.errors import Conflict, GraphRefused, NotFound, RowDamaged
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change, UndoRefused
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.library import DEFAULT_USER_ID, BranchGraph, Undone
from sprout.learning.paths.progressing import Overruling
from sprout.learning.paths.shelf import Actor
from sprout.runs.log import Logged
from sprout.runs.state import Run
from sprout.store import migrate, tables
from sprout.store.columns import Row, table_of
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.progressing import SqlProgress
from sprout.store.run_tables import GraphOperation
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from tests.builders import a_concept, a_draft, a_run, a_topic, ended, started
from tests.store.released import REVISIONS, all_rows, restore

ME = DEFAULT_USER_ID
THEM = "someone-else"
Operation = Callable[[ConceptGraph], Edit]


@pytest.fixture
async def root(library: SqlLibrary) -> NodeRow:
    return await a_topic(library)


@pytest.fixture
async def run(runs: SqlRunStore, root: NodeRow) -> Run:
    return await started(runs, a_run(root))


@pytest.fixture
def agent(run: Run) -> Actor:
    return Actor(run.user_id, "refinement", run.id, run.root_id, epoch=run.epoch)


async def test_G3_a_change_is_listed_with_who_why_and_what_it_goes_by(
    shelf: SqlShelf, library: SqlLibrary, root: NodeRow, run: Run, agent: Actor
) -> None:
    light = await a_concept(library, root, "Light")
    await shelf.edit_graph(root.id, adding("Bridge"), actor=agent, reason="a gap", evidence=["answer 1", "answer 2"])
    newest, oldest = await listed(library, root)
    assert (newest.agent, newest.run_id, newest.reason) == ("refinement", run.id, "a gap")
    assert (newest.evidence, newest.parent_id, newest.branch_id) == (("answer 1", "answer 2"), root.id, root.branch_id)
    assert [node.title for node in newest.after.nodes] == ["Bridge"]
    assert (oldest.agent, oldest.run_id, oldest.evidence, oldest.undone_at) == (None, None, (), None)
    assert oldest.after.nodes == (light,)


async def test_G3_changes_of_all_levels_are_listed_page_by_page_and_only_the_owners(
    library: SqlLibrary, root: NodeRow
) -> None:
    light = await a_concept(library, root, "Light")
    for n in range(4):
        await a_concept(library, light, f"Part {n}")
    elsewhere = await a_topic(library, "Elsewhere")
    await a_concept(library, elsewhere, "Not of this branch")
    seen: list[Change] = []
    while page := await listed(library, root, before=seen[-1].id if seen else None, limit=2):
        assert len(page) <= 2
        seen += page
    titles = [node.title for change in seen for node in change.after.nodes]
    assert titles == ["Part 3", "Part 2", "Part 1", "Part 0", "Light"]
    assert await listed(library, root, before="nothing\x00") == []


async def test_D13_somebody_elses_changes_are_neither_listed_nor_undone(library: SqlLibrary, root: NodeRow) -> None:
    theirs = await a_topic(library, user_id=THEM)
    await a_concept(library, theirs, "Light")
    (change,) = await library.changes(theirs.branch_id or "", user_id=THEM)
    mine = await a_concept(library, root, "Mine")
    for look in (library.changes(theirs.branch_id or "", user_id=ME), library.undo(change.id, user_id=ME)):
        with pytest.raises(NotFound):
            await look
    with pytest.raises(NotFound):
        await library.undo("nothing\x00", user_id=ME)
    assert await listed(library, root, before=change.id) == []
    assert (await library.changes(theirs.branch_id or "", user_id=THEM))[0].undone_at is None
    assert await library.nodes(user_id=ME, parent_id=root.id) == [mine]


async def test_G3_a_refinement_is_undone_by_the_learner_and_brought_back(
    shelf: SqlShelf, library: SqlLibrary, root: NodeRow, agent: Actor, told: list[Logged]
) -> None:
    a, b = await a_concept(library, root, "A"), await a_concept(library, root, "B")
    await shelf.edit_graph(root.id, joining(a, b), actor=agent)
    before = await page(library, root)
    await shelf.edit_graph(root.id, inserting(a, b), actor=agent, reason="a gap")
    refined, heard = await page(library, root), len(told)
    change = (await listed(library, root))[0]

    back = await library.undo(change.id, user_id=ME)
    assert await page(library, root) == before
    assert (back.nodes, back.edges) == ([node for node in before.nodes if node.parent_id], before.edges)
    assert (back.change.undoes, back.change.run_id, back.change.undone_at) == (change.id, None, None)
    assert len(told) == heard  # as every edit of the learner's own: no run did it

    again = await library.undo(back.change.id, user_id=ME)
    assert await page(library, root) == refined
    assert again.nodes[-1].reason == "a gap"
    assert [one.undone_by for one in await listed(library, root)][:3] == [None, again.change.id, back.change.id]


async def test_G3_undone_again_the_answer_is_the_same_and_nothing_is_done_twice(
    library: SqlLibrary, root: NodeRow
) -> None:
    await a_concept(library, root, "Light")
    (change,) = await listed(library, root)
    first = await library.undo(change.id, user_id=ME)
    assert await library.undo(change.id, user_id=ME) == first
    assert len(await listed(library, root)) == 2
    redone = await library.undo(first.change.id, user_id=ME)
    with pytest.raises(UndoRefused, match="brought back") as refused:
        await library.undo(change.id, user_id=ME)
    assert refused.value.first == redone.change.id
    last = await library.undo(redone.change.id, user_id=ME)
    assert (await library.undo(change.id, user_id=ME)).change == last.change


async def test_G3_of_many_undos_at_once_one_is_done(library: SqlLibrary, root: NodeRow) -> None:
    await a_concept(library, root, "Light")
    await a_concept(library, root, "Leaves")
    change = (await listed(library, root))[1]
    answers = await asyncio.gather(*(library.undo(change.id, user_id=ME) for _ in range(8)))
    assert len({answer.change.id for answer in answers}) == 1
    assert len(await listed(library, root)) == 3
    assert [node.title for node in answers[0].nodes] == ["Leaves"]


async def test_G3_undos_and_edits_at_once_leave_a_sound_graph(
    shelf: SqlShelf, library: SqlLibrary, root: NodeRow, agent: Actor
) -> None:
    a, b = await a_concept(library, root, "A"), await a_concept(library, root, "B")
    await shelf.edit_graph(root.id, inserting(a, b), actor=agent)
    bridge = (await library.nodes(user_id=ME, parent_id=root.id))[-1]
    change = (await listed(library, root))[0]
    done = await asyncio.gather(
        library.undo(change.id, user_id=ME),
        *(shelf.edit_graph(root.id, connecting(bridge, f"N{n}"), actor=agent) for n in range(4)),
        return_exceptions=True,
    )
    refused = [one for one in done if not isinstance(one, (Edit, Undone))]
    assert all(isinstance(one, GraphRefused) for one in refused)
    assert len(refused) in (1, 4)  # either the undo came first, or it was too late
    nodes, edges = await shelf.children(root.id)
    assert not ConceptGraph(root, tuple(nodes), tuple(edges)).validate().broken


async def test_G3_what_was_deleted_comes_back_in_its_place_with_its_reason_and_progress(
    shelf: SqlShelf, library: SqlLibrary, database: Database, root: NodeRow, agent: Actor
) -> None:
    for title in "ABC":
        await shelf.edit_graph(root.id, adding(title), actor=agent, reason=f"because {title}")
    a, b, c = await library.nodes(user_id=ME, parent_id=root.id)
    for one, other in ((a, b), (b, c)):
        await shelf.edit_graph(root.id, joining(one, other), actor=agent)
    await keep(database, a_progress(b, mastery_score=0.8, attempts_count=3, first_entered_at=utc_now()))
    before = await page(library, root)
    await library.delete_node(b.id, user_id=ME)
    assert (await page(library, root)).progress == []
    back = await library.undo((await listed(library, root))[0].id, user_id=ME)
    assert await page(library, root) == before
    with pytest.raises(UndoRefused, match="Delete it yourself"):
        await library.undo(back.change.id, user_id=ME)


async def test_a_place_that_was_given_away_meanwhile_is_not_taken_from_who_has_it(
    library: SqlLibrary, root: NodeRow
) -> None:
    for title in "AB":
        await a_concept(library, root, title)
    b = (await library.nodes(user_id=ME, parent_id=root.id))[-1]
    await library.delete_node(b.id, user_id=ME)
    deletion = (await listed(library, root))[0]
    elsewhere = await a_concept(library, await a_topic(library, "Elsewhere"), "C")
    await a_concept(library, root, "D")
    back = await library.undo(deletion.id, user_id=ME)
    assert sorted(node.title for node in back.nodes) == ["A", "B", "D"]
    assert await library.node(elsewhere.id, user_id=ME) == elsewhere


async def test_G3_a_concept_comes_back_and_then_the_parts_that_went_before_it(
    library: SqlLibrary, root: NodeRow
) -> None:
    concept = await a_concept(library, root, "Light")
    part = await a_concept(library, concept, "Photons")
    before = await page(library, root)
    for node in (part, concept):
        await library.delete_node(node.id, user_id=ME)
    newest, earlier = (await listed(library, root))[:2]
    with pytest.raises(UndoRefused, match="removed: undo that first"):
        await library.undo(earlier.id, user_id=ME)
    for change in (newest, earlier):
        await library.undo(change.id, user_id=ME)
    assert await page(library, root) == before


async def test_the_changes_of_a_topic_go_with_it(library: SqlLibrary, root: NodeRow, database: Database) -> None:
    kept = await a_topic(library, "Kept")
    await a_concept(library, kept, "Light")
    concept = await a_concept(library, root, "Light")
    part = await a_concept(library, concept, "Photons")
    for node in (part, concept, root):
        await library.delete_node(node.id, user_id=ME)
    async with database.reading() as session:
        left = (await session.exec(select(GraphOperation.parent_id))).all()
    assert left == [kept.id]


@pytest.mark.parametrize("begun", ["first_entered_at", "completed_at", "attempts_count", "overridden_at", "chat"])
async def test_G4_no_agent_removes_what_the_learner_has_begun(
    begun: str, shelf: SqlShelf, library: SqlLibrary, database: Database, root: NodeRow, agent: Actor
) -> None:
    node = await a_concept(library, root, "Light")
    moment = utc_now()
    row = a_progress(node, **{begun: 1 if begun == "attempts_count" else moment}) if begun != "chat" else a_chat(node)
    await keep(database, row)
    before = await page(library, root)
    with pytest.raises(GraphRefused, match="begun 'Light'"):
        await shelf.edit_graph(root.id, removing(node), actor=agent)
    assert await page(library, root) == before
    await library.delete_node(node.id, user_id=ME)
    assert await library.nodes(user_id=ME, parent_id=root.id) == []


async def test_G4_no_agent_removes_a_part_about_which_a_question_was_answered(
    shelf: SqlShelf, library: SqlLibrary, database: Database, root: NodeRow, agent: Actor
) -> None:
    concept = await a_concept(library, root, "Why leaves are green")
    light, other = await a_concept(library, concept, "Light"), await a_concept(library, concept, "Other")
    saved = await shelf.save_question(concept.id, a_draft(), actor=agent)
    await shelf.edit_graph(concept.id, removing(light), actor=agent)  # asked only
    await library.undo((await listed(library, root))[0].id, user_id=ME)
    answer = tables.Answer(id="answer", user_id=ME, assessment_id=saved.assessment_id, question_id=saved.id)
    await keep(database, answer)
    with pytest.raises(GraphRefused, match="begun 'Light'"):
        await shelf.edit_graph(concept.id, removing(light), actor=agent)
    await shelf.edit_graph(concept.id, removing(other), actor=agent)
    with pytest.raises(GraphRefused, match="begun 'Why leaves are green'"):
        await shelf.edit_graph(root.id, removing(concept), actor=agent)


async def test_G4_an_agent_removes_what_was_only_prepared_and_its_undo_brings_that_back(
    shelf: SqlShelf, library: SqlLibrary, root: NodeRow, agent: Actor
) -> None:
    node = await a_concept(library, root, "Light")
    await shelf.mark_generated(node.id, user_id=ME)
    before = await page(library, root)
    await shelf.edit_graph(root.id, removing(node), actor=agent)
    await library.undo((await listed(library, root))[0].id, user_id=ME)
    assert await page(library, root) == before
    assert await shelf.is_generated(node.id, user_id=ME)


async def test_G4_an_undo_takes_nothing_along_that_was_begun_since(
    shelf: SqlShelf, runs: SqlRunStore, library: SqlLibrary, database: Database, root: NodeRow, agent: Actor
) -> None:
    for title in ("Begun", "With parts", "Busy"):
        await shelf.edit_graph(root.id, adding(title), actor=agent)
    begun, with_parts, busy = await library.nodes(user_id=ME, parent_id=root.id)
    changes = list(reversed(await listed(library, root)))
    await keep(database, a_progress(begun, attempts_count=1))
    part = await a_concept(library, with_parts, "Part")
    run = await started(runs, a_run(busy))
    for change, refusal in zip(changes, (UndoRefused, GraphRefused, Conflict), strict=True):
        with pytest.raises(refusal, match=r"begun 'Begun'|remove its parts first|stop it first"):
            await library.undo(change.id, user_id=ME)
    assert await library.nodes(user_id=ME, parent_id=root.id) == [begun, with_parts, busy]
    assert len(await library.progress(ME)) == 1
    await ended(runs, run)
    await library.delete_node(part.id, user_id=ME)
    assert [node.title for node in (await library.undo(changes[1].id, user_id=ME)).nodes] == ["Begun", "Busy"]
    assert [node.title for node in (await library.undo(changes[2].id, user_id=ME)).nodes] == ["Begun"]


async def test_a_node_on_which_a_run_is_going_is_not_removed_by_another(
    shelf: SqlShelf, runs: SqlRunStore, library: SqlLibrary, root: NodeRow, agent: Actor
) -> None:
    node = await a_concept(library, root, "Light")
    going = await started(runs, a_run(node))
    with pytest.raises(Conflict, match=going.id):
        await shelf.edit_graph(root.id, removing(node), actor=agent)
    assert (await runs.run(going.id)).id == going.id


async def test_a_damaged_change_hides_no_other_and_is_not_undone(
    library: SqlLibrary, database: Database, root: NodeRow
) -> None:
    for title in "ABC":
        await a_concept(library, root, title)
    third, second, first = await listed(library, root)
    kept = table_of(GraphOperation)
    damage = update(kept).where(kept.c.id == second.id).values(before={"nodes": [{}], "edges": []})
    await database.write(lambda write: write.connection.execute(damage))
    assert await listed(library, root) == [third, first]
    with pytest.raises(RowDamaged, match=second.id):
        await library.undo(second.id, user_id=ME)
    back = await library.undo(first.id, user_id=ME)
    assert [node.title for node in back.nodes] == ["B", "C"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_release_before_has_only_changes_whose_parents_are_there(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    sqlite = f"sqlite:///{tmp_path / 'released.sqlite3'}"
    url = sqlite if kind == "sqlite" else str(request.getfixturevalue("bare_postgres_url"))
    restore(url, REVISIONS[0])
    migrate.upgrade(url)
    kept = all_rows(url)["graph_operations"]
    with migrate.connected(url) as connection:
        gone = {"id": kept[0]["id"]}
        connection.execute(text("update graph_operations set parent_id = 'gone' where id = :id"), gone)
    with migrate.connected(url) as connection:
        command.downgrade(migrate.migrations(connection), "5d1c0b7e42a9")
    assert {row["id"] for row in all_rows(url)["graph_operations"]} == {row["id"] for row in kept[1:]}
    migrate.upgrade(url)
    assert [row["evidence"] for row in all_rows(url)["graph_operations"]] == [row["evidence"] for row in kept[1:]]


@pytest.mark.parametrize("seed", range(3))
async def test_G3_G4_whatever_was_done_on_both_levels_is_undone_step_by_step_and_done_again(
    seed: int, shelf: SqlShelf, library: SqlLibrary, database: Database, root: NodeRow, agent: Actor
) -> None:
    chance, progress = random.Random(seed), SqlProgress(database)
    steps: dict[str, BranchGraph] = {}  # the page before each change
    for n in range(6):
        concept = await a_concept(library, root, f"Concept {n}")
        part = await a_concept(library, concept, "Part")
        entered, _ = await progress.enter(chance.choice((concept, part)).id, user_id=ME)
        await progress.overrule(entered.id, Overruling(mastery=0.9), user_id=ME)
    for n in range(50):
        before, old = await page(library, root), await newest(library, root)
        await do_something(chance, n, shelf, before, agent)
        now = await newest(library, root)
        if now is None or (old is not None and now.id == old.id):
            continue
        steps[now.id] = before
        after = await page(library, root)
        if now.run_id is not None:
            said_before, said_after = (
                [row for row in each.progress if row.first_entered_at] for each in (before, after)
            )
            assert said_before == said_after
    last = await page(library, root)
    undos: list[tuple[str, BranchGraph]] = []
    for change_id, before in reversed(steps.items()):
        here = await page(library, root)
        undos.append(((await library.undo(change_id, user_id=ME)).change.id, here))
        assert sound(await page(library, root), before)
    assert len(undos) > 20
    for undo_id, before in reversed(undos):
        await library.undo(undo_id, user_id=ME)
        assert sound(await page(library, root), before)
    assert sound(await page(library, root), last)


async def do_something(
    chance: random.Random,
    n: int,
    shelf: SqlShelf,
    now: BranchGraph,
    agent: Actor,
) -> None:
    """An edit under the topic or a concept, by the agent or the learner."""
    parent = chance.choice([node for node in now.nodes if node.type != "subconcept"])
    children = [node for node in now.nodes if node.parent_id == parent.id]
    one, other = (chance.choice(children) if children else parent for _ in range(2))
    begun = any(row.node_id == one.id for row in now.progress)  # the learner may remove it, and then not once more
    actor = agent if begun else chance.choice((agent, Actor(ME)))
    operations: list[Operation] = [
        adding(f"N{n}"),
        adding(f"M{n}"),
        lambda graph: graph.connect(one.id, other.id, reason="r"),
        lambda graph: graph.insert_before(one.id, f"I{n}", None, utc_now(), reason="needed"),
        lambda graph: graph.update(one.id, utc_now(), title=f"R{n}"),
        lambda graph: graph.disconnect(one.id, other.id),
        removing(one),
    ]
    try:
        await shelf.edit_graph(parent.id, chance.choice(operations), actor=actor, reason="by chance")
    except GraphRefused:
        return


def sound(now: BranchGraph, expected: BranchGraph) -> bool:
    assert now.nodes == expected.nodes
    assert now.edges == expected.edges
    assert what_is_known(now) == what_is_known(expected)
    return True


def what_is_known(now: BranchGraph) -> dict[str, tuple[float, int, bool]]:
    """Progress by node, whenever it was worked out last; a row that says nothing counts as none."""
    known = {row.node_id: (row.mastery_score, row.attempts_count, row.completed_at is not None) for row in now.progress}
    return {node_id: one for node_id, one in known.items() if one != (0.0, 0, False)}


async def page(library: SqlLibrary, root: NodeRow) -> BranchGraph:
    return await library.graph(root.branch_id or "", user_id=ME)


async def listed(library: SqlLibrary, root: NodeRow, **wanted: Any) -> list[Change]:
    return await library.changes(root.branch_id or "", user_id=ME, **wanted)


async def newest(library: SqlLibrary, root: NodeRow) -> Change | None:
    return next(iter(await listed(library, root, limit=1)), None)


async def keep(database: Database, row: Row) -> None:
    await database.write(lambda write: write.session.add(row))


def a_progress(node: NodeRow, **marks: Any) -> tables.Progress:
    return tables.Progress(id=f"progress of {node.id}", user_id=ME, node_id=node.id, **marks)


def a_chat(node: NodeRow) -> tables.ChatSession:
    return tables.ChatSession(id="chat", user_id=ME, node_id=node.id)


def adding(title: str) -> Operation:
    return lambda graph: graph.add(title, None, utc_now())


def removing(node: NodeRow) -> Operation:
    return lambda graph: graph.remove(node.id)


def joining(one: NodeRow, other: NodeRow) -> Operation:
    return lambda graph: graph.connect(one.id, other.id, reason="basis")


def inserting(one: NodeRow, other: NodeRow) -> Operation:
    return lambda graph: graph.insert_between(one.id, other.id, "Bridge", None, utc_now(), reason="a gap")


def connecting(one: NodeRow, title: str) -> Operation:
    """A new node that builds on this one."""

    def operation(graph: ConceptGraph) -> Edit:
        added = graph.add(title, None, utc_now())
        assert added.node is not None
        joined = added.graph.connect(one.id, added.node.id)
        return replace(joined, events=(*added.events, *joined.events))

    return operation

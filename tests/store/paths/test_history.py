"""Changes of a path in the database: who made them and why, and the way back, exactly, whoever else is at work."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import select

from harness.builders import a_concept, a_draft, a_run, a_topic, end_run, start_run
from sprout.clock import utc_now
from sprout.errors import Conflict, CorruptRow, InvalidGraphEdit, NotFound
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.changes import Change, UndoRefused
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.mastery.adaptation_rules import bridge_edit
from sprout.learning.paths.progress import ProgressOverride
from sprout.learning.paths.repository import DEFAULT_USER_ID, BranchGraph, UndoResult
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import Run
from sprout.store.assessment.progress import SqlProgressRepository
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.store.schema.columns import TableModel, table_of
from sprout.store.schema.run_tables import GraphOperation

ME = DEFAULT_USER_ID
THEM = "someone-else"
Operation = Callable[[ConceptGraph], Edit]


@pytest.fixture
async def root(paths: SqlPaths) -> NodeRow:
    return await a_topic(paths)


@pytest.fixture
async def run(runs: SqlRunStore, root: NodeRow) -> Run:
    return await start_run(runs, a_run(root))


@pytest.fixture
def agent(run: Run) -> Actor:
    return Actor(run.user_id, "refinement", run.id, run.root_id, epoch=run.epoch)


async def test_G3_a_change_is_listed_with_who_why_and_what_it_goes_by(
    repositories: SqlPathRepository, paths: SqlPaths, root: NodeRow, run: Run, agent: Actor
) -> None:
    light = await a_concept(paths, root, "Light")
    await repositories.edit_graph(
        root.id, adding("Bridge"), actor=agent, reason="a gap", evidence=["answer 1", "answer 2"]
    )
    newest, oldest = await list_changes(paths, root)
    assert (newest.agent, newest.run_id, newest.reason) == ("refinement", run.id, "a gap")
    assert (newest.evidence, newest.parent_id, newest.branch_id) == (("answer 1", "answer 2"), root.id, root.branch_id)
    assert [node.title for node in newest.after.nodes] == ["Bridge"]
    assert (oldest.agent, oldest.run_id, oldest.evidence, oldest.undone_at) == (None, None, (), None)
    assert oldest.after.nodes == (light,)


async def test_G3_changes_of_all_levels_are_listed_page_by_page_and_only_the_owners(
    paths: SqlPaths, root: NodeRow
) -> None:
    light = await a_concept(paths, root, "Light")
    for n in range(4):
        await a_concept(paths, light, f"Part {n}")
    elsewhere = await a_topic(paths, "Elsewhere")
    await a_concept(paths, elsewhere, "Not of this branch")
    seen: list[Change] = []
    while page := await list_changes(paths, root, before=seen[-1].id if seen else None, limit=2):
        assert len(page) <= 2
        seen += page
    titles = [node.title for change in seen for node in change.after.nodes]
    assert titles == ["Part 3", "Part 2", "Part 1", "Part 0", "Light"]
    assert await list_changes(paths, root, before="nothing\x00") == []


async def test_D13_another_learners_changes_are_neither_listed_nor_undone(paths: SqlPaths, root: NodeRow) -> None:
    theirs = await a_topic(paths, user_id=THEM)
    await a_concept(paths, theirs, "Light")
    (change,) = await paths.changes(theirs.branch_id or "", user_id=THEM)
    mine = await a_concept(paths, root, "Mine")
    for look in (paths.changes(theirs.branch_id or "", user_id=ME), paths.undo(change.id, user_id=ME)):
        with pytest.raises(NotFound):
            await look
    with pytest.raises(NotFound):
        await paths.undo("nothing\x00", user_id=ME)
    assert await list_changes(paths, root, before=change.id) == []
    assert (await paths.changes(theirs.branch_id or "", user_id=THEM))[0].undone_at is None
    assert await paths.nodes(user_id=ME, parent_id=root.id) == [mine]


async def test_G3_a_refinement_is_undone_by_the_learner_and_brought_back(
    repositories: SqlPathRepository, paths: SqlPaths, root: NodeRow, agent: Actor, published: list[StoredEvent]
) -> None:
    a, b = await a_concept(paths, root, "A"), await a_concept(paths, root, "B")
    await repositories.edit_graph(root.id, joining(a, b), actor=agent)
    before = await page(paths, root)
    await repositories.edit_graph(root.id, inserting(a, b), actor=agent, reason="a gap")
    refined, heard = await page(paths, root), len(published)
    change = (await list_changes(paths, root))[0]

    back = await paths.undo(change.id, user_id=ME)
    assert await page(paths, root) == before
    assert (back.nodes, back.edges) == ([node for node in before.nodes if node.parent_id], before.edges)
    assert (back.change.undoes, back.change.run_id, back.change.undone_at) == (change.id, None, None)
    assert len(published) == heard  # as every edit of the learner's own: no run did it

    again = await paths.undo(back.change.id, user_id=ME)
    assert await page(paths, root) == refined
    assert again.nodes[-1].reason == "a gap"
    assert [one.undone_by for one in await list_changes(paths, root)][:3] == [None, again.change.id, back.change.id]


async def test_G3_undone_again_the_answer_is_the_same_and_nothing_is_done_twice(paths: SqlPaths, root: NodeRow) -> None:
    await a_concept(paths, root, "Light")
    (change,) = await list_changes(paths, root)
    first = await paths.undo(change.id, user_id=ME)
    assert await paths.undo(change.id, user_id=ME) == first
    assert len(await list_changes(paths, root)) == 2
    redone = await paths.undo(first.change.id, user_id=ME)
    with pytest.raises(UndoRefused, match="brought back") as refused:
        await paths.undo(change.id, user_id=ME)
    assert refused.value.undo_first == redone.change.id
    last = await paths.undo(redone.change.id, user_id=ME)
    assert (await paths.undo(change.id, user_id=ME)).change == last.change


async def test_G3_of_many_undos_at_once_one_is_done(paths: SqlPaths, root: NodeRow) -> None:
    await a_concept(paths, root, "Light")
    await a_concept(paths, root, "Leaves")
    change = (await list_changes(paths, root))[1]
    answers = await asyncio.gather(*(paths.undo(change.id, user_id=ME) for _ in range(8)))
    assert len({answer.change.id for answer in answers}) == 1
    assert len(await list_changes(paths, root)) == 3
    assert [node.title for node in answers[0].nodes] == ["Leaves"]


async def test_G3_undos_and_edits_at_once_leave_a_sound_graph(
    repositories: SqlPathRepository, paths: SqlPaths, root: NodeRow, agent: Actor
) -> None:
    a, b = await a_concept(paths, root, "A"), await a_concept(paths, root, "B")
    await repositories.edit_graph(root.id, inserting(a, b), actor=agent)
    bridge = (await paths.nodes(user_id=ME, parent_id=root.id))[-1]
    change = (await list_changes(paths, root))[0]
    done = await asyncio.gather(
        paths.undo(change.id, user_id=ME),
        *(repositories.edit_graph(root.id, connecting(bridge, f"N{n}"), actor=agent) for n in range(4)),
        return_exceptions=True,
    )
    refused = [one for one in done if not isinstance(one, (Edit, UndoResult))]
    assert all(isinstance(one, InvalidGraphEdit) for one in refused)
    assert len(refused) in (1, 4)  # either the undo came first, or it was too late
    nodes, edges = await repositories.children(root.id)
    assert not ConceptGraph(root, tuple(nodes), tuple(edges)).validate().broken


async def test_G3_what_was_deleted_comes_back_in_its_place_with_its_reason_and_progress(
    repositories: SqlPathRepository, paths: SqlPaths, database: Database, root: NodeRow, agent: Actor
) -> None:
    for title in "ABC":
        await repositories.edit_graph(root.id, adding(title), actor=agent, reason=f"because {title}")
    a, b, c = await paths.nodes(user_id=ME, parent_id=root.id)
    for one, other in ((a, b), (b, c)):
        await repositories.edit_graph(root.id, joining(one, other), actor=agent)
    await insert(database, a_progress(b, mastery_score=0.8, attempts_count=3, first_entered_at=utc_now()))
    before = await page(paths, root)
    await paths.delete_node(b.id, user_id=ME)
    assert (await page(paths, root)).progress == []
    back = await paths.undo((await list_changes(paths, root))[0].id, user_id=ME)
    assert await page(paths, root) == before
    with pytest.raises(UndoRefused, match="You can delete it yourself"):
        await paths.undo(back.change.id, user_id=ME)


async def test_a_place_that_was_given_away_meanwhile_is_not_taken_from_who_has_it(
    paths: SqlPaths, root: NodeRow
) -> None:
    for title in "AB":
        await a_concept(paths, root, title)
    b = (await paths.nodes(user_id=ME, parent_id=root.id))[-1]
    await paths.delete_node(b.id, user_id=ME)
    deletion = (await list_changes(paths, root))[0]
    elsewhere = await a_concept(paths, await a_topic(paths, "Elsewhere"), "C")
    await a_concept(paths, root, "D")
    back = await paths.undo(deletion.id, user_id=ME)
    assert sorted(node.title for node in back.nodes) == ["A", "B", "D"]
    assert await paths.node(elsewhere.id, user_id=ME) == elsewhere


async def test_G3_a_concept_comes_back_and_then_the_parts_that_went_before_it(paths: SqlPaths, root: NodeRow) -> None:
    concept = await a_concept(paths, root, "Light")
    part = await a_concept(paths, concept, "Photons")
    before = await page(paths, root)
    for node in (part, concept):
        await paths.delete_node(node.id, user_id=ME)
    newest, earlier = (await list_changes(paths, root))[:2]
    with pytest.raises(UndoRefused, match="removed: undo that first"):
        await paths.undo(earlier.id, user_id=ME)
    for change in (newest, earlier):
        await paths.undo(change.id, user_id=ME)
    assert await page(paths, root) == before


async def test_the_changes_of_a_topic_go_with_it(paths: SqlPaths, root: NodeRow, database: Database) -> None:
    other = await a_topic(paths, "Kept")
    await a_concept(paths, other, "Light")
    concept = await a_concept(paths, root, "Light")
    part = await a_concept(paths, concept, "Photons")
    for node in (part, concept, root):
        await paths.delete_node(node.id, user_id=ME)
    async with database.open_read_session() as session:
        left = (await session.exec(select(GraphOperation.parent_id))).all()
    assert left == [other.id]


@pytest.mark.parametrize("started_by", ["first_entered_at", "completed_at", "attempts_count", "overridden_at", "chat"])
async def test_G4_no_agent_removes_what_the_learner_has_begun(
    started_by: str, repositories: SqlPathRepository, paths: SqlPaths, database: Database, root: NodeRow, agent: Actor
) -> None:
    node = await a_concept(paths, root, "Light")
    moment = utc_now()
    row = (
        a_progress(node, **{started_by: 1 if started_by == "attempts_count" else moment})
        if started_by != "chat"
        else a_chat(node)
    )
    await insert(database, row)
    before = await page(paths, root)
    with pytest.raises(InvalidGraphEdit, match="begun 'Light'"):
        await repositories.edit_graph(root.id, removing(node), actor=agent)
    assert await page(paths, root) == before
    await paths.delete_node(node.id, user_id=ME)
    assert await paths.nodes(user_id=ME, parent_id=root.id) == []


async def test_G4_no_agent_removes_a_part_about_which_a_question_was_answered(
    repositories: SqlPathRepository, paths: SqlPaths, database: Database, root: NodeRow, agent: Actor
) -> None:
    concept = await a_concept(paths, root, "Why leaves are green")
    light, other = await a_concept(paths, concept, "Light"), await a_concept(paths, concept, "Other")
    saved = await repositories.save_question(concept.id, a_draft(), actor=agent)
    await repositories.edit_graph(concept.id, removing(light), actor=agent)  # asked only
    await paths.undo((await list_changes(paths, root))[0].id, user_id=ME)
    answer = tables.Answer(id="answer", user_id=ME, assessment_id=saved.assessment_id, question_id=saved.id)
    await insert(database, answer)
    with pytest.raises(InvalidGraphEdit, match="begun 'Light'"):
        await repositories.edit_graph(concept.id, removing(light), actor=agent)
    await repositories.edit_graph(concept.id, removing(other), actor=agent)
    with pytest.raises(InvalidGraphEdit, match="begun 'Why leaves are green'"):
        await repositories.edit_graph(root.id, removing(concept), actor=agent)


async def test_G4_an_agent_removes_what_was_only_prepared_and_its_undo_brings_that_back(
    repositories: SqlPathRepository, paths: SqlPaths, root: NodeRow, agent: Actor
) -> None:
    node = await a_concept(paths, root, "Light")
    await repositories.mark_generated(node.id, user_id=ME)
    before = await page(paths, root)
    await repositories.edit_graph(root.id, removing(node), actor=agent)
    await paths.undo((await list_changes(paths, root))[0].id, user_id=ME)
    assert await page(paths, root) == before
    assert await repositories.is_generated(node.id, user_id=ME)


async def test_G4_an_undo_takes_nothing_along_that_was_begun_since(
    repositories: SqlPathRepository, runs: SqlRunStore, paths: SqlPaths, database: Database, root: NodeRow, agent: Actor
) -> None:
    for title in ("Begun", "With parts", "Busy"):
        await repositories.edit_graph(root.id, adding(title), actor=agent)
    started, with_parts, busy = await paths.nodes(user_id=ME, parent_id=root.id)
    changes = list(reversed(await list_changes(paths, root)))
    await insert(database, a_progress(started, attempts_count=1))
    part = await a_concept(paths, with_parts, "Part")
    run = await start_run(runs, a_run(busy))
    for change, refusal in zip(changes, (UndoRefused, InvalidGraphEdit, Conflict), strict=True):
        with pytest.raises(refusal, match=r"started 'Begun'|remove its parts first|stop it first"):
            await paths.undo(change.id, user_id=ME)
    assert await paths.nodes(user_id=ME, parent_id=root.id) == [started, with_parts, busy]
    assert len(await paths.progress(ME)) == 1
    await end_run(runs, run)
    await paths.delete_node(part.id, user_id=ME)
    assert [node.title for node in (await paths.undo(changes[1].id, user_id=ME)).nodes] == ["Begun", "Busy"]
    assert [node.title for node in (await paths.undo(changes[2].id, user_id=ME)).nodes] == ["Begun"]


async def test_a_node_on_which_a_run_is_going_is_not_removed_by_another(
    repositories: SqlPathRepository, runs: SqlRunStore, paths: SqlPaths, root: NodeRow, agent: Actor
) -> None:
    node = await a_concept(paths, root, "Light")
    going = await start_run(runs, a_run(node))
    with pytest.raises(Conflict, match=going.id):
        await repositories.edit_graph(root.id, removing(node), actor=agent)
    assert (await runs.run(going.id)).id == going.id


async def test_a_damaged_change_hides_no_other_and_is_not_undone(
    paths: SqlPaths, database: Database, root: NodeRow
) -> None:
    for title in "ABC":
        await a_concept(paths, root, title)
    third, second, first = await list_changes(paths, root)
    operations = table_of(GraphOperation)
    damage = update(operations).where(operations.c.id == second.id).values(before={"nodes": [{}], "edges": []})
    await database.write_tx(lambda tx: tx.connection.execute(damage))
    assert await list_changes(paths, root) == [third, first]
    with pytest.raises(CorruptRow, match=second.id):
        await paths.undo(second.id, user_id=ME)
    back = await paths.undo(first.id, user_id=ME)
    assert [node.title for node in back.nodes] == ["B", "C"]


@pytest.mark.parametrize(
    ("database_url", "seed", "edits"),
    [("sqlite", 0, 50), ("postgres", 0, 12)],
    indirect=["database_url"],
)
async def test_G3_G4_whatever_was_done_on_both_levels_is_undone_step_by_step_and_done_again(
    seed: int,
    edits: int,
    repositories: SqlPathRepository,
    paths: SqlPaths,
    database: Database,
    root: NodeRow,
    agent: Actor,
) -> None:
    """On PostgreSQL a few edits show that its SQL agrees."""
    chance, progress = random.Random(seed), SqlProgressRepository(database)
    steps: dict[str, BranchGraph] = {}  # the page before each change
    for n in range(6):
        concept = await a_concept(paths, root, f"Concept {n}")
        part = await a_concept(paths, concept, "Part")
        entered, _ = await progress.enter_node(chance.choice((concept, part)).id, user_id=ME)
        await progress.override(entered.id, ProgressOverride(mastery=0.9), user_id=ME)
    for n in range(edits):
        before, old = await page(paths, root), await newest(paths, root)
        await do_something(chance, n, repositories, before, agent)
        now = await newest(paths, root)
        if now is None or (old is not None and now.id == old.id):
            continue
        steps[now.id] = before
        after = await page(paths, root)
        if now.run_id is not None:
            said_before, said_after = (
                [row for row in each.progress if row.first_entered_at] for each in (before, after)
            )
            assert said_before == said_after
    last = await page(paths, root)
    undos: list[tuple[str, BranchGraph]] = []
    for change_id, before in reversed(steps.items()):
        here = await page(paths, root)
        undos.append(((await paths.undo(change_id, user_id=ME)).change.id, here))
        assert is_same_graph(await page(paths, root), before)
    assert len(undos) > 0.4 * edits
    for undo_id, before in reversed(undos):
        await paths.undo(undo_id, user_id=ME)
        assert is_same_graph(await page(paths, root), before)
    assert is_same_graph(await page(paths, root), last)


async def do_something(
    chance: random.Random,
    n: int,
    repositories: SqlPathRepository,
    now: BranchGraph,
    agent: Actor,
) -> None:
    """An edit under the topic or a concept, by the agent or the learner."""
    parent = chance.choice([node for node in now.nodes if node.type != "subconcept"])
    children = [node for node in now.nodes if node.parent_id == parent.id]
    one, other = (chance.choice(children) if children else parent for _ in range(2))
    started = any(row.node_id == one.id for row in now.progress)  # the learner may remove it, and then not once more
    actor = agent if started else chance.choice((agent, Actor(ME)))
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
        await repositories.edit_graph(parent.id, chance.choice(operations), actor=actor, reason="by chance")
    except InvalidGraphEdit:
        return


def is_same_graph(now: BranchGraph, expected: BranchGraph) -> bool:
    assert now.nodes == expected.nodes
    assert now.edges == expected.edges
    assert what_is_known(now) == what_is_known(expected)
    return True


def what_is_known(now: BranchGraph) -> dict[str, tuple[float, int, bool]]:
    """Progress by node, whenever it was worked out last; a row that says nothing counts as none."""
    known = {row.node_id: (row.mastery_score, row.attempts_count, row.completed_at is not None) for row in now.progress}
    return {node_id: one for node_id, one in known.items() if one != (0.0, 0, False)}


async def page(paths: SqlPaths, root: NodeRow) -> BranchGraph:
    return await paths.graph(root.branch_id or "", user_id=ME)


async def list_changes(paths: SqlPaths, root: NodeRow, **wanted: Any) -> list[Change]:
    return await paths.changes(root.branch_id or "", user_id=ME, **wanted)


async def newest(paths: SqlPaths, root: NodeRow) -> Change | None:
    return next(iter(await list_changes(paths, root, limit=1)), None)


async def insert(database: Database, row: TableModel) -> None:
    await database.write_tx(lambda tx: tx.session.add(row))


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
    return lambda graph: bridge_edit(graph, "Bridge", "", [one.title], [other.title], utc_now(), reason="a gap")


def connecting(one: NodeRow, title: str) -> Operation:
    """A new node that builds on this one."""

    def operation(graph: ConceptGraph) -> Edit:
        added = graph.add(title, None, utc_now())
        assert added.node is not None
        joined = added.graph.connect(one.id, added.node.id)
        return replace(joined, events=(*added.events, *joined.events))

    return operation

"""Updates of given paths, on both databases: offered, accepted as shown, and nothing begun is taken away."""

import asyncio
from functools import partial
from typing import Literal

import pytest

from sprout.accounts.path_updates import PathUpdateRow, PathUpdates, UpdateChanged
from sprout.accounts.principal import AccountRole
from sprout.errors import NotFound, TooLarge
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph
from sprout.learning.paths.contents import NewContent
from sprout.learning.paths.path_file import parse_path
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.accounts.path_updates import SqlPathUpdates
from sprout.store.assessment.progress import SqlProgressRepository
from sprout.store.paths.contents import SqlContents
from sprout.store.paths.repository import SqlPathRepository
from tests.store.accounts.conftest import HERE, SchoolWithPath, an_account

FITS: type[PathUpdates] = SqlPathUpdates  # mypy checks it
PATH = """
sprout_path: 1
title: Waves
topic: {title: Waves}
concepts:
  - title: Light
    desc: What is seen.
    subconcepts: [{title: Colour}, {title: Shade}]
"""


async def offered(school: SchoolWithPath, at: int = 0) -> PathUpdateRow | None:
    (copy,) = await school.given.copies(school.learners[at])
    return await SqlPathUpdates(school.database).update(copy.branch_id, user_id=school.learners[at])


async def accept(school: SchoolWithPath, version: str, at: int = 0) -> None:
    (copy,) = await school.given.copies(school.learners[at])
    await SqlPathUpdates(school.database).accept(copy.branch_id, version, user_id=school.learners[at])


async def titles(school: SchoolWithPath, user_id: str) -> list[str]:
    return [node.title for node in await school.paths.nodes(user_id=user_id)]


@pytest.fixture
async def given(school_with_path: SchoolWithPath) -> SchoolWithPath:
    """The school, with the path of these tests given to the first class."""
    school = school_with_path
    branch = await school.exchange.import_path(parse_path(PATH), user_id=school.teacher)
    await school.paths.delete_branch(school.branch_id, user_id=school.teacher)
    await school.given.give(school.class_ids[0], branch.id, due_on=None, teacher_id=school.teacher)
    await school.giver.give_lacking()
    return school


async def add(school: SchoolWithPath, title: str, under: str, desc: str | None = None) -> str:
    """A node that the teacher adds to the path."""
    parent = next(node for node in await school.paths.nodes(user_id=school.teacher) if node.title == under)
    kind: Literal["concept", "subconcept"] = "concept" if parent.type == "root" else "subconcept"
    made = await school.paths.create_node(
        user_id=school.teacher, type=kind, title=title, branch_id=None, parent_id=parent.id, desc=desc
    )
    return made.id


async def test_what_a_teacher_adds_and_describes_anew_is_offered_and_taken_over_once(given: SchoolWithPath) -> None:
    assert await offered(given) is None
    sound = await add(given, "Sound", "Waves", "What is heard.")
    await add(given, "Pitch", "Sound")
    await add(given, "Mirrors", "Light")
    await SqlContents(given.database).add_content(sound, NewContent("Air that moves."), user_id=given.teacher)
    light = next(node for node in await given.paths.nodes(user_id=given.teacher) if node.title == "Light")
    await given.paths.update_node(light.id, user_id=given.teacher, title=None, desc="Waves too.", accuracy_score=None)
    update = await offered(given)
    assert update is not None
    assert [(one.title, one.concept) for one in update.added] == [
        ("Sound", None),
        ("Pitch", "Sound"),
        ("Mirrors", "Light"),
    ]
    assert [(one.title, one.before, one.after) for one in update.described] == [
        ("Light", "What is seen.", "Waves too.")
    ]
    assert update.teacher == "Tess"
    await accept(given, update.version)
    learner = given.learners[0]
    assert sorted(await titles(given, learner)) == sorted(await titles(given, given.teacher))
    nodes = {node.title: node for node in await given.paths.nodes(user_id=learner)}
    assert nodes["Light"].desc == "Waves too."
    assert nodes["Pitch"].parent_id == nodes["Sound"].id
    content = await SqlContents(given.database).active_content(nodes["Sound"].id, user_id=learner)
    assert content is not None
    assert await offered(given) is None
    with pytest.raises(UpdateChanged):
        await accept(given, update.version)
    assert await offered(given, 1) is not None
    changes = await given.paths.changes((await given.given.copies(learner))[0].branch_id, user_id=learner)
    assert len(changes) == 4


async def test_a_new_concept_comes_with_its_edges_and_questions(given: SchoolWithPath) -> None:
    sound = await add(given, "Sound", "Waves")
    await add(given, "Pitch", "Sound")
    repository = SqlPathRepository(given.database, lambda _: None, split=lambda *_: [])
    actor, theirs = Actor(given.teacher), await given.paths.node(sound, user_id=given.teacher)
    edge = partial(ConceptGraph.connect_titles, source_title="Light", target_title="Sound")
    await repository.edit_graph(str(theirs.parent_id), edge, actor=actor)
    draft = QuestionDraft("How many legs has a spider?", "numeric", "8", 1, ("Pitch",))
    await repository.save_question(sound, draft, actor=actor)
    shown = await offered(given)
    assert shown is not None
    await accept(given, shown.version)
    (copy,) = await given.given.copies(given.learners[0])
    file = await given.exchange.export_path(copy.branch_id, user_id=given.learners[0])
    assert [(edge.source, edge.target) for edge in file.edges] == [("Light", "Sound")]
    assert [[one.prompt for one in concept.questions] for concept in file.concepts] == [[], [draft.prompt]]


async def test_nothing_that_was_begun_is_taken_away_or_gets_a_new_prerequisite(given: SchoolWithPath) -> None:
    learner = given.learners[0]
    mine = {node.title: node for node in await given.paths.nodes(user_id=learner)}
    await SqlProgressRepository(given.database).enter_node(mine["Shade"].id, user_id=learner)
    theirs = {node.title: node for node in await given.paths.nodes(user_id=given.teacher)}
    await given.paths.delete_node(theirs["Colour"].id, user_id=given.teacher)
    await add(given, "Rays", "Light")
    update = await offered(given)
    assert update is not None
    assert [one.title for one in update.added] == ["Rays"]
    await accept(given, update.version)
    assert sorted(await titles(given, learner)) == ["Colour", "Light", "Rays", "Shade", "Waves"]


async def test_what_changed_since_it_was_shown_is_not_accepted_unseen(given: SchoolWithPath) -> None:
    await add(given, "Sound", "Waves")
    shown = await offered(given)
    assert shown is not None
    await add(given, "Pitch", "Sound")
    with pytest.raises(UpdateChanged):
        await accept(given, shown.version)
    assert "Sound" not in await titles(given, given.learners[0])


async def test_of_two_who_accept_at_once_one_takes_it_over(given: SchoolWithPath) -> None:
    await add(given, "Sound", "Waves")
    shown = await offered(given)
    assert shown is not None
    answers = await asyncio.gather(*(accept(given, shown.version) for _ in range(3)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in answers) == ["NoneType", "UpdateChanged", "UpdateChanged"]
    assert (await titles(given, given.learners[0])).count("Sound") == 1


async def test_only_the_learner_sees_an_update_and_only_while_in_the_class(given: SchoolWithPath) -> None:
    await add(given, "Sound", "Waves")
    updates, (learner, other, _) = SqlPathUpdates(given.database), given.learners
    (copy,) = await given.given.copies(learner)
    theo = await an_account(given.accounts, "Theo", AccountRole.TEACHER)
    for user_id in (other, given.teacher, theo):
        with pytest.raises(NotFound):
            await updates.update(copy.branch_id, user_id=user_id)
        with pytest.raises(NotFound):
            await updates.accept(copy.branch_id, "x", user_id=user_id)
    own = await given.paths.create_branch("Own", user_id=learner)
    assert await updates.update(own.id, user_id=learner) is None
    for archived in (True, False):
        await given.classes.change(given.class_ids[0], archived=archived, teacher_id=given.teacher)
        assert (await updates.update(copy.branch_id, user_id=learner) is None) is archived
    for role in (AccountRole.LEARNER, AccountRole.TEACHER):
        await given.accounts.change(given.teacher, role=role, origin=HERE)
        assert (await updates.update(copy.branch_id, user_id=learner) is None) is (role is AccountRole.LEARNER)
    await given.memberships.leave(given.class_ids[0], user_id=learner, origin=HERE)
    assert await updates.update(copy.branch_id, user_id=learner) is None


async def test_an_update_that_does_not_fit_leaves_nothing_behind(given: SchoolWithPath) -> None:
    learner = given.learners[0]
    (root,) = await given.paths.nodes(user_id=learner, type="root")
    for n in range(34):
        await given.paths.create_node(
            user_id=learner, type="concept", title=f"Mine {n}", branch_id=None, parent_id=root.id, desc=None
        )
    for n in range(3):
        await add(given, f"More {n}", "Waves")
    shown = await offered(given)
    assert shown is not None
    before = await titles(given, learner)
    with pytest.raises(TooLarge):
        await accept(given, shown.version)
    assert await titles(given, learner) == before
    assert await offered(given) == shown

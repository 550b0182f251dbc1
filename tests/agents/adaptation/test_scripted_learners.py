"""Six learners whose beliefs are code answer a concept's diagnostic over HTTP: what its map looks like afterwards.

Scripts rather than models (teaching.md §8): a belief shows in every answer that it concerns, and in no other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.engine.database import Database
from tests.agents.classroom import PARTS, Classroom, Event, a_choice, a_number, an_open_one, classroom, of_kind

WHOLE, EQUAL, ADDING, COMPARING, RECIPE = PARTS
BELIEF = "adds the parts below the line too"
DIAGNOSTIC = (
    a_choice("How many fifths make a whole?", WHOLE, difficulty=1),
    a_number("A bar has 4 equal parts of 3. How long is it?", EQUAL, difficulty=2),
    a_choice("A third and a third: which share?", ADDING, wrong=(BELIEF, "haste", "guess")),
    a_choice("Which share is larger, a third or a fourth?", COMPARING, wrong=("size", "haste", "guess")),
    a_number("Two sixths and three sixths of 14.4?", ADDING, difficulty=4),
    an_open_one("Why may a recipe use halves of thirds?", RECIPE, difficulty=4),
    a_choice("How much of the dough is butter?", RECIPE, difficulty=5, wrong=(BELIEF, "haste", "guess")),
)  # fmt: skip
RIGHT = {"mcq": "the right one", "numeric": "12", "open_ended": "It works because the shares are alike."}
WRONG = {"mcq": "option of haste", "numeric": "7", "open_ended": "It just does."}

Answers = Callable[[int, QuestionDraft], str | None]


@dataclass(frozen=True)
class Learner:
    """A learner's answers by place in the diagnostic; None is "I don't know"."""

    says: Answers


def knowing(but: set[str]) -> Answers:
    """All but these subconcepts, and what rests on them shows it."""

    def says(_: int, question: QuestionDraft) -> str:
        return WRONG[question.format] if but & set(question.tests) else RIGHT[question.format]

    return says


def a_novice(at: int, question: QuestionDraft) -> str | None:
    """Nothing is known: every third question gets "idk", the others what comes to mind."""
    return None if at % 3 == 2 else WRONG[question.format]


def one_who_believes(at: int, question: QuestionDraft) -> str:
    """Right, and sure, wherever the belief does not lead astray."""
    options = [one.option for one in question.misconceptions if one.misconception == BELIEF]
    return options[0] if options else RIGHT[question.format]


def a_slipper(at: int, question: QuestionDraft) -> str:
    """Knows it all, and is careless once."""
    return WRONG[question.format] if at == 2 else RIGHT[question.format]


def a_guesser(at: int, question: QuestionDraft) -> str | None:
    """Clicks something, and writes nothing."""
    if question.format != "mcq":
        return None
    return [question.correct_answer, *(one.option for one in question.misconceptions)][at % 4]


async def taught(room: Classroom, says: Answers) -> list[Event]:
    """The diagnostic, answered, and what is told when the concept is opened then."""
    await room.draw_map()
    await room.ask(*DIAGNOSTIC)
    for at, question in enumerate(DIAGNOSTIC):
        answer = says(at, question)
        choice = question.format == "mcq"
        await room.answer(question.prompt, text=None if choice else answer, option=answer if choice else None)
    return await room.opened()


def assert_sound(events: list[Event], added: int = 0, removed: int = 0) -> None:
    """The run came to its end with so many changes, each with a short reason, and none was refused or too many."""
    replayed = next((at for at, event in enumerate(events) if event.kind == "tool_call"), len(events))
    new_events = events[replayed:]
    ends = of_kind(new_events, "tool_result")
    assert [one for one in ends if not one["ok"] or '"unchanged": true' in one["summary"]] == []
    made, gone = of_kind(new_events, "node_created"), of_kind(new_events, "node_removed")
    assert (len(made), len(gone)) == (added, removed)
    for one in (*made, *gone):
        assert 0 < len(one["reason"].split()) <= 30
    assert events[-1].data["status"] == "completed"


async def test_learner_1_a_novice_gets_a_smaller_first_step(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        events = await taught(room, a_novice)
        (change,) = await room.changes()
        (node,) = change.after.nodes
        assert await room.edges() >= {f"{node.title} > {WHOLE}"}
        before, _ = await room.whole()
    assert_sound(events, added=1)
    assert all(edge.target_node_id != node.id for edge in change.after.edges), "no entry is above their level"
    assert len(before) == len(PARTS) + 1


async def test_learner_2_a_hole_is_bridged_exactly_there(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        events = await taught(room, knowing(but={ADDING, RECIPE}))
        (change,) = await room.changes()
        added = next(node for node in change.after.nodes if node.id in change.added)
        edges = await room.edges()
        assert edges >= {f"{ADDING} > {added.title}", f"{added.title} > {RECIPE}"}
        assert f"{ADDING} > {RECIPE}" not in edges, "the bridge stands in the way that it bridges"
        assert ADDING in added.title
        assert "haste" in (added.desc or ""), "it starts from what the answers showed"
        items = await room.refining.answers(room.concept.id, user_id=DEFAULT_USER_ID)
        nodes = {node.title: node.id for node in (await room.whole())[0]}
    assert_sound(events, added=1)
    assert len(change.evidence) >= 2
    tested = {node_id for item in items if item.answer_id in change.evidence for node_id in item.tests}
    assert tested == {nodes[ADDING], nodes[RECIPE]}


async def test_learner_3_an_expert_is_not_given_more_of_the_same(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        events = await taught(room, knowing(but=set()))
        left = await room.titles()
        assert await room.titles(room.root) == ["Whole", "Shares", "Percent"], "more follows anyway"
    assert_sound(events, removed=len(PARTS) - len(left))
    assert RECIPE in left, "where all comes together stays"
    assert set(left) <= set(PARTS)
    assert ADDING not in left, "two harder questions on it were solved"


async def test_learner_3_at_the_end_of_the_path_an_expert_gets_one_transfer(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        last = (await room.repositories.children(room.root.id))[0][2]
        await room.edit(lambda graph: graph.remove(last.id), room.root)
        await room.draw_map(PARTS[:2] + PARTS[4:], ((0, 1), (1, 2)))
        hard = [an_open_one(f"Why is case {n} fair?", RECIPE, difficulty=4 + n % 2) for n in range(3)]
        await room.ask(*hard)
        for question in hard:
            await room.answer(question.prompt, text=RIGHT["open_ended"])
        events = await room.opened()
        titles = await room.titles(room.root)
        made = (await room.repositories.children(room.root.id))[0][-1]
        assert (await room.repositories.children(made.id))[0], "its parts were worked out in the same run"
    added = [one["node"]["title"] for one in of_kind(events, "node_created") if one["node"]["type"] == "concept"]
    assert added == titles[2:]
    assert len(added) == 1


async def test_learner_4_a_misconception_in_two_items_gets_one_case_that_decides(
    database: Database, data_dir: Path
) -> None:
    async with classroom(database, data_dir) as room:
        events = await taught(room, one_who_believes)
        (change,) = await room.changes()
        added = next(node for node in change.after.nodes if node.id in change.added)
        again = await room.opened()
    assert_sound(events, added=1)
    assert BELIEF in f"{added.title} {added.desc}"
    assert "two answers" in (change.reason or "")
    assert of_kind(again, "tool_call") == [], "the same answers lead to nothing more"


async def test_learner_5_one_slip_changes_nothing(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        events = await taught(room, a_slipper)
        assert await room.changes() == []
        assert await room.titles() == list(PARTS)
    assert_sound(events)
    assert "stays as it is" in of_kind(events, "agent_done")[-1]["rationale"]


async def test_learner_6_a_guesser_proves_nothing_and_masters_nothing(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        events = await taught(room, a_guesser)
        assert await room.changes() == []
        known = await room.refining.child_progress(room.concept.id, user_id=DEFAULT_USER_ID)
    assert_sound(events)
    assert not any(one.learned for one in known.values())


async def test_I_dont_know_throughout_gets_one_easier_entry_and_not_two(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        events = await taught(room, lambda at, question: None)
        (change,) = await room.changes()
        await room.ask(a_choice("One more?", WHOLE))
        await room.answer("One more?")
        await room.opened()
        assert len(await room.changes()) == 1
    assert_sound(events, added=1)
    assert {edge.source_node_id for edge in change.after.edges} == change.added

"""The tutor's briefs: the same whenever a run is taken up, and nothing that a crash could do twice."""

import json
from collections.abc import AsyncIterator

import pytest
from sqlmodel import select

from sprout.agents.agent import Brief, Job
from sprout.agents.prompts import load_prompt
from sprout.agents.tutor import tutor_agent
from sprout.agents.tutor_task import TutorTask
from sprout.documents.passages import passages_of
from sprout.errors import BadInput, NotFound
from sprout.events import NodeRow
from sprout.learning.lessons.lesson import Checkpoint, Plan
from sprout.learning.lessons.tutoring import TurnEnd
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.learning.questions.questions import QuestionDraft
from sprout.loop.digest import prompt_digest
from sprout.loop.model import Text
from sprout.runs.state import Run
from sprout.store import tables
from sprout.store.database import Database, open_database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.memories import SqlMemories
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.talk import SqlTalk
from sprout.store.tutoring import SqlTutoring
from tests.agents.driving import finished
from tests.agents.memory_shelf import NotedTeam
from tests.builders import CLAIM, NotedWakeUps, a_concept, a_run, a_topic, started


class Room:
    """A lesson on a real database, and briefs of its turns."""

    def __init__(self, database: Database, files: Files) -> None:
        self.runs = SqlRunStore(database, _nobody, NotedWakeUps())
        self.library = SqlLibrary(database, _nobody, files=files)
        self.tutoring = SqlTutoring(database, _nobody)
        self.memories = SqlMemories(database, _nobody)
        self.talk = SqlTalk(database)
        shelf = SqlShelf(database, _nobody, split=passages_of)
        self.spec = tutor_agent(self.tutoring, shelf, self.memories, helpers=["review"])
        self.team = NotedTeam()
        self.database = database
        self.node: NodeRow
        self.session_id = ""

    async def begin(self) -> None:
        await self.runs.enrol(CLAIM)
        concept = await a_concept(self.library, await a_topic(self.library), "Sums")
        self.node = await a_concept(self.library, concept, "Adding")
        self.session_id = (await self.talk.begin_session(DEFAULT_USER_ID, node_id=self.node.id)).id

    async def a_turn(self, content: str = "") -> Job:
        task = TutorTask(session_id=self.session_id, content=content).model_dump_json()
        lane = f"conversation:{self.session_id}-{content}"
        return job_of(await started(self.runs, a_run(self.node, agent="tutor", label="tutor", lane=lane, task=task)))

    async def brief(self, job: Job) -> Brief:
        return await self.spec.brief(job, self.team)

    async def asks(self, job: Job) -> None:
        """The turn of this run ends with a question."""
        draft = QuestionDraft("What is 2 plus 2?", "numeric", "4", 3, ("Adding",))
        end = TurnEnd("Two and two.", "learning", poses=Checkpoint(draft, "text"), plan=Plan(("add",), 1))
        await self.tutoring.end(self.session_id, end, actor=job.actor())


def _nobody(_: object) -> None:
    pass


def job_of(run: Run) -> Job:
    return Job(run.id, run.root_id, run.user_id, run.node_id, run.label, run.model, False, run.epoch, task=run.task)


@pytest.fixture
async def room(sqlite_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    async with open_database(sqlite_url) as database:
        found = Room(database, Files(tmp_path_factory.mktemp("files")))
        await found.begin()
        yield found


def state_of(brief: Brief) -> str:
    block = brief.messages[-1].content[0]
    assert isinstance(block, Text)
    return block.text


async def test_every_tool_of_the_tutor_is_named_in_its_prompt(room: Room) -> None:
    brief = await room.brief(await room.a_turn())
    text = load_prompt("tutor").text
    assert [tool.name for tool in brief.tools if f"`{tool.name}`" not in text] == []


async def test_K5_the_instructions_are_the_same_in_every_turn(room: Room) -> None:
    opening = await room.a_turn()
    first = await room.brief(opening)
    await room.asks(opening)
    later = await room.brief(await room.a_turn("[ANSWER]\n5"))
    digests = {prompt_digest(brief.system, brief.tools, "m") for brief in (first, later)}
    assert len(digests) == 1


async def test_K4_a_turn_that_is_briefed_again_makes_no_second_attempt_and_moves_no_level(room: Room) -> None:
    await room.asks(await room.a_turn())
    job = await room.a_turn("[ANSWER]\n5")
    briefs = [await room.brief(job) for _ in range(3)]
    for brief in briefs:
        assert 'level="1" step="give_help"' in state_of(brief)
        assert 'missed="1"' in state_of(brief)
    rows = await room.database.read(lambda session: session.exec(select(tables.Answer)).all())
    assert len(rows) == 1


async def test_K4_a_turn_that_had_ended_is_not_held_again(room: Room) -> None:
    job = await room.a_turn()
    await room.asks(job)
    again = await room.brief(job)
    assert again.messages == ()
    assert (await finished(again, None)).reason == "end_turn"
    lesson = await room.tutoring.lesson(room.session_id, user_id=DEFAULT_USER_ID)
    assert len(lesson.messages) == 1
    assert lesson.pending is not None
    assert lesson.pending.missed == 0


async def test_a_turn_of_somebody_elses_session_is_not_there(room: Room) -> None:
    job = await room.a_turn()
    with pytest.raises(NotFound):
        await room.brief(Job("r", "r", "eve", room.node.id, "tutor", "m", False, 1, task=job.task))


@pytest.mark.parametrize("task", [None, "", "{}", "nonsense", json.dumps({"session_id": "x", "more": 1})])
async def test_a_task_that_is_no_turn_is_refused(room: Room, task: str | None) -> None:
    with pytest.raises(BadInput):
        await room.brief(Job("r", "r", DEFAULT_USER_ID, room.node.id, "tutor", "m", False, 1, task=task))

"""Open answers that wait, and the grading agent with its runs, on a real database and the offline model server."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlmodel import select

from harness.builders import a_concept, a_topic
from harness.loop.scripted_turn import QUICK
from sprout.agents.agent import AgentSpec, Brief, Job, Outcome, Team
from sprout.agents.grading.grading import grading_agent
from sprout.clock import utc_now
from sprout.events import AgentDone, NodeRow, Usage
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.marking.gradebook import OpenAnswer
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import AnswerRow, GivenAnswer
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.loop.turn import TurnResult
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.demo.tagged_request import Tag
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Block, Body, Reply, TextOut, ToolOut
from sprout.programs.runner import SandboxedRunner
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from tests.runs.live_app import LiveApp, ModelBackend, StoreMaker, live_app

SPOONS = QuestionDraft(
    prompt="A metal spoon and a wooden spoon lay in the same room all night. Why does the metal one feel colder?",
    format="open_ended",
    correct_answer="Both have the warmth of the room, but the metal one leads it out of the hand quicker.",
    difficulty=4,
    tests=("Heat flows",),
    criteria=(
        Criterion("the two temperatures", "both spoons are at room temperature", 0.5, misconception="metal is cold"),
        Criterion("what metal does to heat", "metal carries heat from the hand faster", 0.5, "says metal conducts"),
    ),
    anchors=("It is metal, and metal conducts.",),
)
BREAD = replace(
    SPOONS,
    prompt="Why does bread dough grow when it stands in a warm place?",
    correct_answer="Yeast eats sugar and gives off a gas that stays in the dough.",
    criteria=(
        Criterion("who is at work", "yeast eats the sugar", 0.5),
        Criterion("what blows it up", "a gas stays in the dough", 0.5),
    ),
    anchors=(),
)
GOOD = "theyre both as warm as the room its just the metal sucks the warmth outta ur hand quicker"
WRONG = "Metal is just cold. The cold goes into your hand. 100 % sure."

Judge = Callable[[Tag], list[dict[str, Any]]]
ME = Actor(DEFAULT_USER_ID)


def verdict(criterion: str, mark: str, span: str = "", confidence: float = 0.95, **more: str) -> dict[str, Any]:
    return {"criterion": criterion, "span": span, "verdict": mark, "confidence": confidence, **more}


def all_met(span: str, confidence: float = 0.95) -> Judge:
    return lambda _: [verdict("c1", "met", span, confidence), verdict("c2", "met", span, confidence)]


def all_missing(confidence: float = 0.95) -> Judge:
    return lambda _: [verdict("c1", "missing", "", confidence), verdict("c2", "missing", "", confidence)]


def unusable(_: Tag) -> list[dict[str, Any]]:
    return [verdict("c1", "great")]


@dataclass
class Grader:
    """A model that judges as it is told to: in the first run that asks it by the first judge, and so on."""

    judges: Sequence[Judge | Fault]
    step: str = "Say what your hand feels."
    words: str = ""
    runs: int = 0

    def answer(self, body: Body) -> Reply | Fault:
        conversation = read_conversation(body)
        self.runs += len(body["messages"]) == 1
        judge = self.judges[min(self.runs, len(self.judges)) - 1]
        if isinstance(judge, Fault):
            return judge
        done = {call.input["answer_id"] for call in conversation.calls_to("record_grade") if not call.failed}
        left = [item for item in conversation.request.children("item") if answer_in(item)[0] not in done]
        blocks: list[Block] = [TextOut(self.words)] if self.words else []
        return Reply([*blocks, *(recorded(answer_in(item)[0], judge(item), self.step) for item in left)])


def answer_in(item: Tag) -> tuple[str, str]:
    """The id and the text of an item's answer."""
    tag = next(item.children("learner_answer"))
    return tag.attributes["id"], tag.text


def recorded(answer_id: str, verdicts: list[dict[str, Any]], step: str = "Go on.") -> ToolOut:
    return ToolOut("record_grade", {"answer_id": answer_id, "verdicts": verdicts, "next_step": step})


def a_boss(outcomes: list[Outcome]) -> AgentSpec:
    """An agent without a model that has the newest open answers graded, as the tutor does by their ids."""

    async def brief(job: Job, team: Team) -> Brief:
        async def finish(_: TurnResult | None) -> AgentDone:
            outcomes.append(await team.delegate("grading", "", key="grade"))
            return AgentDone(reason="end_turn", usage=Usage())

        return Brief(finish=finish)

    return AgentSpec("boss", "boss", QUICK, brief)


@dataclass
class Marking:
    """A concept with two open questions, and what grades the answers to them."""

    life: LiveApp
    database: Database
    assessments: SqlAssessments
    gradebook: SqlGradebook
    concept: NodeRow
    assessment_id: str
    questions: list[str]
    outcomes: list[Outcome]

    async def answer(self, text: str, *, question: int = 0) -> AnswerRow:
        given = GivenAnswer(self.questions[question], text=text)
        return await self.assessments.record_answer(self.assessment_id, given, user_id=DEFAULT_USER_ID)

    async def grade(self, *, agent: str = "grading") -> str:
        """The id of a run that has ended."""
        run_id = await self.life.start(agent, node=self.concept)
        await self.life.runs.wait_until_released(run_id)
        return run_id

    async def rows(self) -> list[AnswerRow]:
        return [*await self.assessments.answers(self.assessment_id, user_id=DEFAULT_USER_ID)]

    async def answers(self) -> list[OpenAnswer]:
        return [*await self.gradebook.answers(self.concept.id, user_id=DEFAULT_USER_ID)]

    async def events_of_kind(self, run_id: str, kind: str) -> list[dict[str, Any]]:
        """The data of the run's events of a kind."""
        return [json.loads(one.data) for one in await self.life.stored_events(run_id) if one.kind == kind]

    async def progress(self) -> dict[str, float]:
        return {row.node_id: row.mastery_score for row in await self.life.paths.progress(DEFAULT_USER_ID)}

    async def drawn(self, note: str, picture: bytes | None, *, question: int = 0) -> str:
        """The id of an answer that is a drawing; without a picture, of one that is gone."""
        drawing_id = new_id()
        async with self.database.open_read_session() as session:
            found = (
                await session.exec(select(tables.Question).where(tables.Question.id == self.questions[question]))
            ).one()
        found.kind = "draw"
        chat = tables.ChatSession(id=new_id(), user_id=DEFAULT_USER_ID, node_id=self.concept.id)

        def body(write: WriteTransaction) -> None:
            write.session.add(chat)
            write.session.merge(found)
            write.session.flush()
            if picture is not None:
                write.session.add(
                    tables.Drawing(id=drawing_id, session_id=chat.id, media_type="image/png", data=picture)
                )

        await self.database.write_tx(body)
        return (await self.answer(f"[drawing:{drawing_id}] {note}", question=question)).id


@asynccontextmanager
async def marking(
    database: Database,
    model: OfflineModel,
    folder: Path,
    *,
    backend: ModelBackend | None = None,
    concept: NodeRow | None = None,
    store_like: StoreMaker = SqlRunStore,
    sweep_s: float = 30.0,
) -> AsyncIterator[Marking]:
    """A server's life with the grading agent in it; `concept` is that of an earlier life."""
    paths = SqlPaths(database, lambda _: None, storage=LocalStorage(folder))
    repositories = SqlPathRepository(database, lambda _: None, split=lambda _name, _text: [])
    gradebook, outcomes = SqlGradebook(database, lambda _: None), list[Outcome]()
    concept = concept or await a_concept(paths, await a_topic(paths), "Heat")
    await repositories.edit_graph(concept.id, lambda graph: graph.add("Heat flows", None, utc_now()), actor=ME)
    saved = [await repositories.save_question(concept.id, one, actor=ME) for one in (SPOONS, BREAD)]
    agents = [
        grading_agent(repositories, gradebook, ProgramMarker(SandboxedRunner(), gradebook), QUICK),
        a_boss(outcomes),
    ]
    root = await repositories.node(concept.parent_id or "", user_id=DEFAULT_USER_ID)
    async with live_app(
        database, model, folder, agents=agents, root=root, backend=backend, store_like=store_like, sweep_s=sweep_s
    ) as life:
        yield Marking(
            life,
            database,
            SqlAssessments(database),
            gradebook,
            concept,
            saved[0].assessment_id,
            [one.id for one in saved],
            outcomes,
        )

"""A learner who is played: grows paths, answers, takes lessons and changes their mind, at whichever process is up."""

import json
import random
from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy import Connection, select

from harness.simulation.process import SimulatedProcess
from sprout.agents.tutor.task import TutorTask
from sprout.events import NodeRow
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import GivenAnswer
from sprout.runs.run_store import OnBusy, RequestKey
from sprout.runs.state import Run
from sprout.store.engine.database import Database
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

MESSAGES = ("", "[ANSWER]\nMode: text\nBecause light goes straight on.", "Why is that so?", "I don't know.", "A hint!")
_nodes, _assessments = table_of(tables.Node), table_of(tables.Assessment)

Action = Callable[[SimulatedProcess], Awaitable[Run | None]]


class SimulatedLearner:
    """Does one thing after another, as chance will have it.

    Args:
        desk: where the learner looks what there is to do; nothing befalls it.
    """

    def __init__(self, desk: Database, topics: Sequence[NodeRow], chance: random.Random) -> None:
        self._database = desk
        self._topics = topics
        self._chance = chance
        self._runs: list[str] = []
        self._sessions: list[str] = []
        self._done = 0

    async def act(self, at: SimulatedProcess) -> Run | None:
        """The resulting root run, if any. Raises SproutError: refused, or no response."""
        first, self._done = self._done < len(self._topics), self._done + 1
        deeds: Sequence[Action] = (
            *(self._grow, self._change_run, self._change_run, self._answer, self._answer),
            *(self._edit, self._refine, self._send_message, self._send_message),
        )
        run = await (self._grow if first else self._chance.choice(deeds))(at)
        if run is None or not run.is_root:
            return None
        self._runs.append(run.id)
        return run

    async def _grow(self, at: SimulatedProcess) -> Run:
        topic = self._topics[self._done % len(self._topics)]
        key = RequestKey(f"key {self._chance.randint(1, 3)}", topic.id) if self._chance.random() < 0.3 else None
        on_busy = self._chance.choice([*OnBusy])
        admission = await at.runs.start(
            "topic", node=topic, user_id=DEFAULT_USER_ID, small=True, on_busy=on_busy, key=key
        )
        return admission.run

    async def _change_run(self, at: SimulatedProcess) -> Run | None:
        if not self._runs:
            return None
        run_id = self._chance.choice(self._runs)
        match self._chance.choice(["stop", "stop", "retry", "resume", "discard"]):
            case "stop":
                return await at.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
            case "retry":
                return (await at.runs.retry(run_id, user_id=DEFAULT_USER_ID)).run
            case "resume":
                return await at.runs.resume(run_id, user_id=DEFAULT_USER_ID)
            case _:
                return await at.runs.discard(run_id, user_id=DEFAULT_USER_ID)

    async def _answer(self, at: SimulatedProcess) -> None:
        diagnostics = await self._database.read_tx(_diagnostics)
        if not diagnostics:
            return
        assessment = self._chance.choice(diagnostics)
        questions = await at.assessments.questions(assessment, user_id=DEFAULT_USER_ID)
        if questions:
            question = self._chance.choice(questions)
            options = [*json.loads(question.options or "[]"), None]  # None says "I don't know"
            given = GivenAnswer(question.id, option=self._chance.choice(options))
            await at.assessments.record_answer(assessment, given, user_id=DEFAULT_USER_ID)

    async def _edit(self, at: SimulatedProcess) -> None:
        """Change the path by hand: rename, add or remove a part, or take a change back."""
        if self._chance.random() < 0.3:
            changes = await at.paths.changes(self._chance.choice(self._topics).branch_id or "", user_id=DEFAULT_USER_ID)
            if changes:
                await at.paths.undo(self._chance.choice(changes).id, user_id=DEFAULT_USER_ID)
            return
        node = await self._random_node(self._chance.choice(["concept", "subconcept"]), at)
        if node is None:
            return
        match self._chance.choice(["rename", "add", "remove"]):
            case "rename":
                title = f"Renamed {self._done}"
                await at.paths.update_node(
                    node.id, title=title, desc=None, accuracy_score=None, user_id=DEFAULT_USER_ID
                )
            case "add":
                parent = node.id if node.type == "concept" else node.parent_id
                await at.paths.create_node(
                    type="subconcept",
                    title=f"Added {self._done}",
                    branch_id=None,
                    parent_id=parent,
                    desc=None,
                    user_id=DEFAULT_USER_ID,
                )
            case _:
                await at.paths.delete_node(node.id, user_id=DEFAULT_USER_ID)

    async def _refine(self, at: SimulatedProcess) -> Run | None:
        concept = await self._random_node("concept", at)
        if concept is None:
            return None
        on_busy = self._chance.choice([OnBusy.ATTACH, OnBusy.ENQUEUE])
        agent = self._chance.choice(["refinement", "review"])
        return (await at.runs.start(agent, node=concept, user_id=DEFAULT_USER_ID, on_busy=on_busy)).run

    async def _send_message(self, at: SimulatedProcess) -> Run | None:
        """A turn of a lesson, which is started if there is none."""
        if not self._sessions or self._chance.random() < 0.2:
            part = await self._random_node("subconcept", at)
            if part is None:
                return None
            self._sessions.append((await at.talk.start_session(DEFAULT_USER_ID, node_id=part.id)).id)
        lesson = await at.tutoring.lesson(self._chance.choice(self._sessions), user_id=DEFAULT_USER_ID)
        words = self._chance.choice(MESSAGES)
        if lesson.pending is not None and lesson.pending.options and self._chance.random() < 0.7:
            words = f"[ANSWER]\nMode: choice\n{self._chance.choice(lesson.pending.options).text}"
        admission = await at.runs.start(
            "tutor",
            node=lesson.node,
            user_id=DEFAULT_USER_ID,
            on_busy=OnBusy.ENQUEUE,
            lane=f"conversation:{lesson.session_id}",
            task=TutorTask(session_id=lesson.session_id, content=words).model_dump_json(),
        )
        return admission.run

    async def _random_node(self, kind: str, at: SimulatedProcess) -> NodeRow | None:
        """A node of this kind, as the queried process sees it."""
        ids = await self._database.read_tx(lambda connection: _of_kind(connection, kind))
        return await at.graphs.node(self._chance.choice(ids), user_id=DEFAULT_USER_ID) if ids else None


def _diagnostics(connection: Connection) -> list[str]:
    wanted = select(_assessments.c.id).where(_assessments.c.type == "diagnostic").order_by(_assessments.c.creation)
    return list(connection.execute(wanted).scalars())


def _of_kind(connection: Connection, kind: str) -> list[str]:
    wanted = select(_nodes.c.id).where(_nodes.c.type == kind).order_by(_nodes.c.creation)
    return list(connection.execute(wanted).scalars())

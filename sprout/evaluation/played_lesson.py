"""Played lesson: a lesson of a real Sprout with a database of its own, and what the tutor says in it."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sprout.agents.tutor.task import TutorTask
from sprout.app import Sprout, open_app
from sprout.config import OFFLINE_MODEL, Settings, load_settings
from sprout.errors import ModelFailure, SproutError
from sprout.evaluation.suite import NamedModel
from sprout.events import NodeRow
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.repository import Lesson
from sprout.learning.lessons.turn import extract_explanation
from sprout.learning.paths.path_file import PathFile, validate_path
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.model import ChatModel, ModelRequest, ReplyEnded, ReplyPart
from sprout.offline.courses.course_format import Course
from sprout.store.engine.migrate import upgrade

DATABASE = "lesson.sqlite3"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: the learner's words, and the tutor's without the question that follows them.

    Args:
        asked: the question that was open when the learner spoke.
        still_open: whether it is open after the reply: as long as it is, its answer is a secret.
        open_now: the question that is open after the reply.
    """

    said: str
    reply: str
    asked: AskedCheckpoint | None
    still_open: bool
    open_now: AskedCheckpoint | None


class PlayedLesson:
    """The lesson on one part of a path."""

    def __init__(self, sprout: Sprout, node: NodeRow, session_id: str, model: "_ObservedModel") -> None:
        self._sprout = sprout
        self._node = node
        self._session_id = session_id
        self._model = model

    async def say(self, text: str) -> Turn:
        """Take a turn; an empty text opens the lesson. Raises SproutError: the model, or the turn, has failed."""
        before = await self._lesson()
        task = TutorTask(session_id=self._session_id, content=text)
        admission = await self._sprout.runs.start(
            "tutor", node=self._node, user_id=DEFAULT_USER_ID, task=task.model_dump_json()
        )
        async with aclosing(self._sprout.runs.follow_to_end(admission.run.root_id)) as events:
            async for _ in events:
                pass
        run = await self._sprout.runs.wait_until_released(admission.run.id)
        if self._model.failure is not None:
            raise self._model.failure
        if run.error is not None:
            raise SproutError(run.error.message, code=run.error.code)
        after = await self._lesson()
        reply = next((one.content for one in reversed(after.messages) if one.role == "assistant"), "")
        still_open = before.pending is not None and after.pending is not None and before.pending.id == after.pending.id
        return Turn(text, extract_explanation(reply), before.pending, still_open, after.pending)

    async def _lesson(self) -> Lesson:
        return await self._sprout.stores.lessons.lesson(self._session_id, user_id=DEFAULT_USER_ID)


@asynccontextmanager
async def play_lesson(model: NamedModel, course: Course, part: str) -> AsyncIterator[PlayedLesson]:
    """A lesson on a part of a course's first concept, with this model as the tutor and the grader."""
    observed = _ObservedModel(model.chat)
    with TemporaryDirectory(prefix="sprout-lesson-") as name:
        folder = Path(name)
        (folder / DATABASE).write_bytes(_empty_database())
        async with open_app(_settings(folder, model.name), replace_model=observed) as sprout:
            branch = await sprout.stores.exchange.import_path(_path_of(course), user_id=DEFAULT_USER_ID)
            graph = await sprout.stores.paths.graph(branch.id, user_id=DEFAULT_USER_ID)
            node = next(one for one in graph.nodes if one.title == part and one.type == "subconcept")
            session = await sprout.stores.conversations.start_session(DEFAULT_USER_ID, node_id=node.id)
            yield PlayedLesson(sprout, node, session.id, observed)


class _ObservedModel:
    """The model of a lesson; `failure` is that of its last call, if it failed."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.failure: ModelFailure | None = None

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        try:
            async with aclosing(self._chat.reply(request)) as parts:
                async for part in parts:
                    if isinstance(part, ReplyEnded):
                        self.failure = None
                    yield part
        except ModelFailure as failure:
            self.failure = failure
            raise


@cache
def _empty_database() -> bytes:
    """A database that is up to date: migrations cannot run for two lessons at once, and take longer than a turn."""
    with TemporaryDirectory(prefix="sprout-lesson-") as name:
        file = Path(name) / DATABASE
        upgrade(f"sqlite:///{file}")
        return file.read_bytes()


def _settings(folder: Path, model: str) -> Settings:
    """Settings of a Sprout of its own, whatever those of the installation are but for the loop's."""
    offline = model == OFFLINE_MODEL
    return load_settings(
        data_dir=folder,
        database_url=f"sqlite:///{folder / DATABASE}",
        redis_url="",
        documents_url=None,
        auth=(),
        api_key=None if offline else "not-needed",
        base_url=None,
        model=None if offline else model,
        agents={},
        extra_agents=(),
        tutor_tools=(),
        log_level="error",
    )


def _path_of(course: Course) -> PathFile:
    """The first concept of a course, with its parts, as a path."""
    concept = course.concepts[0]
    return validate_path(
        {
            "sprout_path": 1,
            "title": course.title,
            "topic": {"title": course.title, "desc": course.desc},
            "concepts": [
                {
                    "title": concept.title,
                    "desc": concept.desc,
                    "subconcepts": [{"title": one.title, "desc": one.desc} for one in concept.subconcepts],
                    "edges": [{"from": edge.source, "to": edge.target} for edge in concept.edges],
                }
            ],
        }
    )

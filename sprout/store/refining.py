"""What a path is adapted by, in the database: newest answers, how far the learner is, and what was changed before."""

import json
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, RowMapping, bindparam, func, select

from sprout.events import DiagnosticStatus
from sprout.learning.graph.changes import Change
from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.mastery.refining import Item, Known, Learned, Seen
from sprout.learning.paths.shelf import Actor
from sprout.store import rows, tables
from sprout.store.begun import started
from sprout.store.changes import PLACE, change_from, of_parent, take_back
from sprout.store.children import children_of
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.kept_grades import as_grade
from sprout.store.log import EventLog, Publish
from sprout.store.questions import named_tests
from sprout.store.readable import each_readable
from sprout.store.run_tables import Run
from sprout.store.write import Write

HELD = "held"  # what a question came out as whose learner said that it is wrong, and that is not
REFINEMENT = "refinement"  # the agent whose notes say what was looked at

_answers, _questions = table_of(tables.Answer), table_of(tables.Question)
_nodes, _progress = table_of(tables.Node), table_of(tables.Progress)
_assessments, _notes, _runs = table_of(tables.Assessment), table_of(tables.NodeGeneration), table_of(Run)
_ASKED = (
    select(
        *(_answers.c[name] for name in ("id", "question_id", "answer_text", "selected_option")),
        *(_answers.c[name] for name in ("score", "feedback", "help_level", "grade")),
        *(_questions.c[name] for name in ("prompt", "format", "tests", "difficulty", "contest")),
    )
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .where(_questions.c.node_id == bindparam("node"), _answers.c.user_id == bindparam("user"))
    .where(_questions.c.state != "voided")
    .order_by(_answers.c.creation)
)
_PROGRESS = (
    select(_progress.c.node_id, _progress.c.mastery_score, _progress.c.completed_at)
    .join(_nodes, _nodes.c.id == _progress.c.node_id)
    .where(_nodes.c.parent_id == bindparam("node"), _progress.c.user_id == bindparam("user"))
)
_HISTORY = (
    select(_nodes.c.title, _progress.c.mastery_score, _progress.c.completed_at)
    .join(_nodes, _nodes.c.id == _progress.c.node_id)
    .where(_nodes.c.type == "concept", _progress.c.user_id == bindparam("user"), _progress.c.attempts_count > 0)
    .order_by(_progress.c.creation)
)
_LAST_NOTE = (
    select(_notes.c.response_meta)
    .join(_runs, _runs.c.id == _notes.c.id)
    .where(
        _notes.c.node_id == bindparam("node"),
        _notes.c.trigger == "system_refresh",
        _runs.c.agent == REFINEMENT,
        _runs.c.user_id == bindparam("user"),
    )
    .order_by(_notes.c.creation.desc())
    .limit(1)
)
_DIAGNOSTIC = select(*_assessments.c).where(
    _assessments.c.user_id == bindparam("user"),
    _assessments.c.target_node_id == bindparam("node"),
    _assessments.c.type == "diagnostic",
)
_IS_ASKED = (_questions.c.assessment_id == bindparam("assessment"), _questions.c.state.not_in(tables.NOT_ASKED))
_COUNT = select(func.count()).select_from(_questions).where(*_IS_ASKED)
_COUNT_ANSWERED = (
    select(func.count(func.distinct(_answers.c.question_id)))
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .where(*_IS_ASKED, _answers.c.user_id == bindparam("user"))
)


class SqlRefining:
    """Refining on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def items(self, concept_id: str, *, user_id: str) -> Sequence[Item]:
        """The newest answer to each question about the concept, oldest first; not to those that were taken back."""
        values = {"node": concept_id, "user": user_id}
        found = await self._database.look(lambda connection: connection.execute(_ASKED, values).mappings().all())
        newest = {row["question_id"]: row["id"] for row in found}
        return [_item(row) for row in found if newest[row["question_id"]] == row["id"]]

    async def seen(self, concept_id: str, *, user_id: str) -> Seen:
        """What the last refinement of the concept has looked at."""
        values = {"node": concept_id, "user": user_id}
        return _seen(await self._database.look(lambda connection: connection.scalar(_LAST_NOTE, values)))

    async def known(self, parent_id: str, *, user_id: str) -> Mapping[str, Known]:
        """How far the learner is with each child of a node."""

        def look(connection: Connection) -> dict[str, Known]:
            ids = [node.id for node in children_of(connection, parent_id)]
            found = connection.execute(_PROGRESS, {"node": parent_id, "user": user_id})
            progress = {row.node_id: (row.mastery_score, row.completed_at is not None) for row in found}
            theirs = started(connection, ids)
            return {id_: Known(*progress.get(id_, (0.0, False)), started=id_ in theirs) for id_ in ids}

        return await self._database.look(look)

    async def history(self, *, user_id: str) -> Sequence[Learned]:
        """The concepts of all the learner's paths that they have worked on, oldest first."""
        found = await self._database.look(lambda connection: connection.execute(_HISTORY, {"user": user_id}).all())
        return [Learned(row.title, row.mastery_score, row.completed_at is not None) for row in found]

    async def changes(self, parent_id: str, *, user_id: str) -> Sequence[Change]:
        """Every change of the children of a node, oldest first."""
        return await each_readable(self._database, of_parent(parent_id, user_id), PLACE, change_from)

    async def take_back(self, parent_id: str, *, actor: Actor) -> int:
        """Take back what the actor's run has changed under a node, newest first, all or nothing; how many changes.

        Raises NotFound, UndoRefused, GraphRefused (the learner has built on it meanwhile), Conflict, RunAlreadyEnded.
        """

        def body(write: Write) -> int:
            return take_back(write, self._log, parent_id, actor)

        return await self._database.write(body, order=actor.root_run_id)

    async def diagnostic(self, concept_id: str, *, user_id: str) -> DiagnosticStatus | None:
        """How far the learner has come with the concept's diagnostic; None where it has none yet."""

        def look(connection: Connection) -> DiagnosticStatus | None:
            found = connection.execute(_DIAGNOSTIC, {"node": concept_id, "user": user_id}).mappings().one_or_none()
            if found is None:
                return None
            values = {"assessment": found["id"], "user": user_id}
            return DiagnosticStatus(
                concept_node_id=concept_id,
                assessment=rows.assessment_row(tables.Assessment(**found)),
                answered_count=connection.execute(_COUNT_ANSWERED, values).scalar_one(),
                required_answers=connection.execute(_COUNT, values).scalar_one(),
            )

        return await self._database.look(look)


def _item(row: RowMapping) -> Item:
    grade = as_grade(row["grade"])
    return Item(
        answer_id=row["id"],
        question_id=row["question_id"],
        prompt=row["prompt"],
        tests=tuple(test["nodeId"] for test in named_tests(row["tests"]) if test["nodeId"] is not None),
        difficulty=row["difficulty"],
        score=row["score"],
        feedback=row["feedback"],
        misconceptions=_misconceptions(grade),
        help_level=row["help_level"],
        contested=row["contest"] is not None and row["contest"].get("outcome") != HELD,
        choice=row["format"] == "mcq",
        blank=row["selected_option"] is None and says_nothing(row["answer_text"] or ""),
    )


def _misconceptions(grade: Grade | None) -> tuple[str, ...]:
    """The wrong thoughts that a settled grade reveals."""
    if grade is None or grade.state is not GradeState.GRADED:
        return ()
    judged = [one.misconception for one in grade.results if one.misconception and one.verdict != "met"]
    return tuple(dict.fromkeys([*grade.misconceptions, *judged]))


def _seen(meta: str | None) -> Seen:
    """What a note says that was looked at; nothing where it does not say."""
    try:
        noted = json.loads(meta or "{}")["seen"]
        return Seen(_ids(noted["graded"]), _ids(noted["ungraded"]))
    except (ValueError, KeyError, TypeError):
        return Seen()  # a note in another form: everything is new, and is looked at once more


def _ids(noted: Iterable[object]) -> frozenset[str]:
    return frozenset(str(one) for one in noted)

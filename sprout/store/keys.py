"""What became of the keys of questions: held back, verified, voided; and what a learner's word against one came to."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.events import ContestSettled, Event, NodeRow, QuestionReady
from sprout.learning.marking.grades import GradeState
from sprout.learning.marking.keyed_answers import Option
from sprout.learning.marking.keys import SAYS, SURE, Contest, Look, Solution, ToSolve, look_at, outcome_of
from sprout.learning.paths.shelf import Actor
from sprout.learning.questions.questions import Criterion
from sprout.learning.text.words import tidy
from sprout.store import rows, tables
from sprout.store.children import locked_node
from sprout.store.database import Database
from sprout.store.edits import tell
from sprout.store.log import EventLog, Publish
from sprout.store.marking import marked
from sprout.store.owned import owned_question
from sprout.store.questions import questions_about
from sprout.store.voiding import voided
from sprout.store.write import Write


class SqlKeys:
    """Keys on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def unchecked(self, node_id: str, *, user_id: str) -> Sequence[str]:
        """The ids of the concept's choice questions whose key nobody has checked and that nobody has answered."""

        def look(session: Session) -> list[str]:
            about = questions_about(session, node_id, user_id)
            return [one.id for one in about if one.format == "mcq" and one.state in ("drafted", "posed")]

        return await self._database.read(look)

    async def to_solve(self, question_ids: Sequence[str], *, user_id: str) -> Sequence[ToSolve]:
        """Those of the questions that are still asked, in their order."""
        wanted = (
            select(tables.Question, tables.Assessment.target_node_id)
            .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
            .where(col(tables.Question.id).in_(question_ids), tables.Assessment.user_id == user_id)
            .where(tables.Question.state != "voided")
            .order_by(col(tables.Question.creation))
        )
        async with self._database.reading() as session:
            return [_to_solve(question, target) for question, target in await session.exec(wanted)]

    async def keep_solutions(self, node_id: str, solutions: Sequence[Solution], *, actor: Actor) -> None:
        """Verify the questions whose key the solutions agree with, and void the others; a guess changes nothing.

        Raises NotFound (the node is gone), and what the shelf raises for an actor whose time is over.
        """

        def body(write: Write) -> None:
            concept = locked_node(write.connection, node_id, actor.user_id)
            open_ones = {one.id: one for one in _unsettled(write.session, concept.id, actor.user_id)}
            news: list[Event] = []
            for solution in solutions:
                question = open_ones.get(solution.question_id)
                if question is not None:
                    news += _checked(write, question, look_at("mcq", solution, right=question.correct_option_id))
            write.session.flush()
            tell(write, self._log, actor, news, result={"recorded": len(solutions)})

        await self._database.write(body, order=actor.root_run_id)

    async def pose(self, node_id: str, *, actor: Actor) -> None:
        """Have the concept's questions asked that are held back and could not be checked."""

        def body(write: Write) -> None:
            concept = locked_node(write.connection, node_id, actor.user_id)
            held_back = [one for one in _unsettled(write.session, concept.id, actor.user_id) if one.state == "drafted"]
            news = [event for question in held_back for event in _asked_now(write, question, "posed")]
            write.session.flush()
            tell(write, self._log, actor, news, result={})

        await self._database.write(body, order=actor.root_run_id)

    async def contest(self, question_id: str, *, user_id: str, reason: str | None) -> Contest:
        """Keep the learner's word that a question is wrong; what is settled stays as it is. Raises NotFound."""

        def body(write: Write) -> Contest:
            question, _ = _locked(write, question_id, user_id)
            kept = _contest_of(question, _node_of(write.session, question))
            if kept is None or kept.outcome == "unsettled":
                now = self._log.now()
                said: JsonValue = tidy(reason) if reason else None
                question.contest = {"reason": said, "at": now.isoformat(), "outcome": None, "looks": {}}
                write.session.add(question)
                kept = _contest_of(question, _node_of(write.session, question))
            assert kept is not None
            return kept

        return await self._database.write(body)

    async def contested(self, question_id: str, *, user_id: str) -> Contest:
        """What became of it. Raises NotFound: nobody has said that this question is wrong."""

        def look(session: Session) -> Contest:
            question = owned_question(session, question_id, user_id)
            found = _contest_of(question, _node_of(session, question))
            if found is None:
                raise NotFound("contest of question", question_id)
            return found

        return await self._database.read(look)

    async def keep_look(self, solution: Solution, *, actor: Actor) -> None:
        """Keep what the actor's run found about a contested question, with the end of the call. Raises NotFound."""

        def body(write: Write) -> None:
            question, _ = _locked(write, solution.question_id, actor.user_id)
            contest = _kept_contest(question)
            if contest is not None and contest["outcome"] is None:
                look = {"root": actor.root_run_id, "saw": _seen(question, solution).value}
                question.contest = {**contest, "looks": contest["looks"] | {str(actor.run_id): look}}
                write.session.add(question)
            write.session.flush()
            tell(write, self._log, actor, (), result={"recorded": 1})

        await self._database.write(body, order=actor.root_run_id)

    async def settle(self, question_id: str, *, actor: Actor) -> None:
        """Decide a contest by the looks of the actor's root run, and tell it; one that is decided stays as it is.

        Raises NotFound.
        """

        def body(write: Write) -> None:
            question, concept = _locked(write, question_id, actor.user_id)
            contest = _kept_contest(question)
            if contest is None or contest["outcome"] is not None:
                return
            looks = [Look(one["saw"]) for one in contest["looks"].values() if one["root"] == actor.root_run_id]
            outcome, now = outcome_of(looks), self._log.now()
            question.contest = {**contest, "outcome": outcome, "settledAt": now.isoformat()}
            write.session.add(question)
            news: list[Event] = [ContestSettled(question_id=question.id, outcome=outcome, says=SAYS[outcome])]
            if outcome == "wrong":
                news += voided(write, question, concept, actor.user_id, now)
            write.session.flush()
            tell(write, self._log, actor, news, result={})

        await self._database.write(body, order=actor.root_run_id)


def under_contest(question: tables.Question) -> bool:
    """Whether a learner's word against the question is not decided: then nothing else is decided by its answers."""
    contest = _kept_contest(question)
    return contest is not None and contest["outcome"] in (None, "unsettled")


def _unsettled(session: Session, concept_id: str, user_id: str) -> list[tables.Question]:
    return [one for one in questions_about(session, concept_id, user_id) if one.state in ("drafted", "posed")]


def _checked(write: Write, question: tables.Question, look: Look) -> Sequence[Event]:
    if look is Look.AGREES:
        return _asked_now(write, question, "verified")
    if look is Look.DISAGREES:
        question.state = "voided"
        write.session.add(question)
    return ()


def _asked_now(write: Write, question: tables.Question, state: str) -> Sequence[Event]:
    """Put a question into a state in which it is asked; the event where it was held back."""
    was_held_back, question.state = question.state == "drafted", state
    write.session.add(question)
    if not was_held_back or question.node_id is None:
        return ()
    return (QuestionReady(concept_node_id=question.node_id, question=rows.question_shown(question)),)


def _locked(write: Write, question_id: str, user_id: str) -> tuple[tables.Question, NodeRow]:
    """The learner's question and the node that it is about, which is locked. Raises NotFound."""
    node_id = _node_of(write.session, owned_question(write.session, question_id, user_id))
    node = locked_node(write.connection, node_id, user_id)
    return owned_question(write.session, question_id, user_id), node


def _node_of(session: Session, question: tables.Question) -> str:
    if question.node_id is not None:
        return question.node_id
    wanted = select(tables.Assessment.target_node_id).where(tables.Assessment.id == question.assessment_id)
    return session.exec(wanted).one()


def _kept_contest(question: tables.Question) -> dict[str, Any] | None:
    return cast("dict[str, Any] | None", question.contest)


def _contest_of(question: tables.Question, node_id: str) -> Contest | None:
    kept = _kept_contest(question)
    if kept is None:
        return None
    at = datetime.fromisoformat(kept["at"])
    return Contest(question.id, node_id, kept["reason"], at, kept["outcome"])


def _seen(question: tables.Question, solution: Solution) -> Look:
    """What a solution says of the question's key."""
    if question.format != "numeric":
        return look_at(question.format, solution, right=question.correct_option_id)  # type: ignore[arg-type]
    if solution.sure < SURE:
        return Look.UNSURE
    if solution.number is None:
        return Look.DISAGREES
    grade = marked(question, text=solution.number, option=None)
    if grade is None or grade.state is not GradeState.GRADED:
        return Look.UNSURE
    return Look.AGREES if grade.correct else Look.DISAGREES


def _to_solve(question: tables.Question, target_node_id: str) -> ToSolve:
    contest = _kept_contest(question)
    judged = question.format == "open_ended"
    return ToSolve(
        id=question.id,
        node_id=question.node_id or target_node_id,
        prompt=question.prompt,
        format=question.format,  # type: ignore[arg-type]
        options=tuple(Option(**one) for one in cast(list[dict[str, str]], question.options or [])),
        unit=question.unit,
        answer=question.correct_answer if judged else None,
        criteria=tuple(_criterion(one) for one in _objects(question.criteria)) if judged else (),
        reason=contest["reason"] if contest is not None else None,
    )


def _criterion(kept: dict[str, Any]) -> Criterion:
    return Criterion(kept["label"], kept["statement"], kept["weight"], kept.get("partly_if"))


def _objects(column: Any) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], column or [])

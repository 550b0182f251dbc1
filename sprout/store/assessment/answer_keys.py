"""Answer keys of questions: checked, held back, verified or voided; and contests of a question by its learner."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.events import ContestSettled, Event, NodeRow, QuestionReady
from sprout.learning.actor import Actor
from sprout.learning.marking.answer_keys import (
    MIN_CONFIDENCE,
    OUTCOME_TEXTS,
    BlindQuestion,
    Contest,
    KeyVerdict,
    Solution,
    contest_outcome,
    judge_key,
)
from sprout.learning.marking.choices import Option
from sprout.learning.marking.grades import GradeState
from sprout.learning.questions.questions import SOLVABLE_FORMATS, Criterion
from sprout.learning.text.normalization import tidy
from sprout.store.assessment.auto_grading import auto_grade
from sprout.store.assessment.questions import questions_about
from sprout.store.assessment.voiding import void_question
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.graph.ownership import owned_question
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.runs.tool_effects import record_effect
from sprout.store.schema import mapping, tables


class SqlAnswerKeys:
    """AnswerKeys on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def unchecked_ids(self, node_id: str, *, user_id: str) -> Sequence[str]:
        def body(session: Session) -> list[str]:
            about = questions_about(session, node_id, user_id)
            return [one.id for one in about if one.format in SOLVABLE_FORMATS and one.state in ("drafted", "posed")]

        return await self._database.read_orm_tx(body)

    async def blind_questions(self, question_ids: Sequence[str], *, user_id: str) -> Sequence[BlindQuestion]:
        wanted = (
            select(tables.Question, tables.Assessment.target_node_id)
            .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
            .where(col(tables.Question.id).in_(question_ids), tables.Assessment.user_id == user_id)
            .where(tables.Question.state != "voided")
            .order_by(col(tables.Question.creation))
        )
        async with self._database.open_read_session() as session:
            return [_to_solve(question, target) for question, target in await session.exec(wanted)]

    async def save_solutions(self, node_id: str, solutions: Sequence[Solution], *, actor: Actor) -> None:
        def body(tx: WriteTransaction) -> None:
            concept = lock_node(tx.connection, node_id, actor.user_id)
            open_ones = {one.id: one for one in _unchecked(tx.session, concept.id, actor.user_id)}
            events: list[Event] = []
            for solution in solutions:
                question = open_ones.get(solution.question_id)
                if question is not None:
                    finding, now = _judge_solution(question, solution), self._log.now()
                    events += _apply_verdict(tx, question, finding, concept, actor.user_id, now)
            tx.session.flush()
            record_effect(tx, self._log, actor, events, result={"recorded": len(solutions)})

        await self._database.write_tx(body, order=actor.root_run_id)

    async def release_held_back(self, node_id: str, *, actor: Actor) -> None:
        def body(tx: WriteTransaction) -> None:
            concept = lock_node(tx.connection, node_id, actor.user_id)
            held_back = [
                one
                for one in _unchecked(tx.session, concept.id, actor.user_id)
                if one.state == "drafted" and not _is_for_reviews(tx.session, one)
            ]
            events = [event for question in held_back for event in _release(tx, question, "posed")]
            tx.session.flush()
            record_effect(tx, self._log, actor, events, result={})

        await self._database.write_tx(body, order=actor.root_run_id)

    async def contest(self, question_id: str, *, user_id: str, reason: str | None) -> Contest:
        def body(tx: WriteTransaction) -> Contest:
            question, _ = _lock_question(tx, question_id, user_id)
            stored = _contest_of(question, _node_of(tx.session, question))
            if stored is None or stored.outcome == "unsettled":
                now = self._log.now()
                words: JsonValue = tidy(reason) if reason else None
                question.contest = {"reason": words, "at": now.isoformat(), "outcome": None, "looks": {}}
                tx.session.add(question)
                stored = _contest_of(question, _node_of(tx.session, question))
            assert stored is not None
            return stored

        return await self._database.write_tx(body)

    async def find_contest(self, question_id: str, *, user_id: str) -> Contest:
        def body(session: Session) -> Contest:
            question = owned_question(session, question_id, user_id)
            found = _contest_of(question, _node_of(session, question))
            if found is None:
                raise NotFound("contest of question", question_id)
            return found

        return await self._database.read_orm_tx(body)

    async def save_contest_solution(self, solution: Solution, *, actor: Actor) -> None:
        def body(tx: WriteTransaction) -> None:
            question, _ = _lock_question(tx, solution.question_id, actor.user_id)
            contest = _contest_column(question)
            if contest is not None and contest["outcome"] is None:
                finding = {"root": actor.root_run_id, "saw": _judge_solution(question, solution).value}
                question.contest = {**contest, "looks": contest["looks"] | {str(actor.run_id): finding}}
                tx.session.add(question)
            tx.session.flush()
            record_effect(tx, self._log, actor, (), result={"recorded": 1})

        await self._database.write_tx(body, order=actor.root_run_id)

    async def settle_contest(self, question_id: str, *, actor: Actor) -> None:
        def body(tx: WriteTransaction) -> None:
            question, concept = _lock_question(tx, question_id, actor.user_id)
            contest = _contest_column(question)
            if contest is None or contest["outcome"] is not None:
                return
            findings = [KeyVerdict(one["saw"]) for one in contest["looks"].values() if one["root"] == actor.root_run_id]
            outcome, now = contest_outcome(findings), self._log.now()
            question.contest = {**contest, "outcome": outcome, "settledAt": now.isoformat()}
            tx.session.add(question)
            events: list[Event] = [
                ContestSettled(question_id=question.id, outcome=outcome, says=OUTCOME_TEXTS[outcome])
            ]
            if outcome == "wrong":
                events += void_question(tx, question, concept, actor.user_id, now)
            tx.session.flush()
            record_effect(tx, self._log, actor, events, result={})

        await self._database.write_tx(body, order=actor.root_run_id)


def _unchecked(session: Session, concept_id: str, user_id: str) -> list[tables.Question]:
    return [one for one in questions_about(session, concept_id, user_id) if one.state in ("drafted", "posed")]


def _apply_verdict(
    tx: WriteTransaction, question: tables.Question, finding: KeyVerdict, concept: NodeRow, user_id: str, now: datetime
) -> Sequence[Event]:
    match finding:
        case KeyVerdict.AGREES:
            return _release(tx, question, "verified")
        case KeyVerdict.DISAGREES:
            return void_question(tx, question, concept, user_id, now)
        case KeyVerdict.UNSURE:
            return ()


def _release(tx: WriteTransaction, question: tables.Question, state: str) -> Sequence[Event]:
    """Move a question into a state in which it is asked; the event, if a diagnostic was held back for it."""
    was_held_back, question.state = question.state == "drafted", state
    tx.session.add(question)
    if not was_held_back or question.node_id is None or _is_for_reviews(tx.session, question):
        return ()
    return (QuestionReady(concept_node_id=question.node_id, question=mapping.question_shown(question)),)


def _is_for_reviews(session: Session, question: tables.Question) -> bool:
    wanted = select(tables.Assessment.type).where(tables.Assessment.id == question.assessment_id)
    return session.exec(wanted).one() == "recall"


def _lock_question(tx: WriteTransaction, question_id: str, user_id: str) -> tuple[tables.Question, NodeRow]:
    """The learner's question and the node that it is about, which is locked. Raises NotFound."""
    node_id = _node_of(tx.session, owned_question(tx.session, question_id, user_id))
    node = lock_node(tx.connection, node_id, user_id)
    return owned_question(tx.session, question_id, user_id), node


def _node_of(session: Session, question: tables.Question) -> str:
    if question.node_id is not None:
        return question.node_id
    wanted = select(tables.Assessment.target_node_id).where(tables.Assessment.id == question.assessment_id)
    return session.exec(wanted).one()


def _contest_column(question: tables.Question) -> dict[str, Any] | None:
    return cast("dict[str, Any] | None", question.contest)


def _contest_of(question: tables.Question, node_id: str) -> Contest | None:
    stored = _contest_column(question)
    if stored is None:
        return None
    at = datetime.fromisoformat(stored["at"])
    return Contest(question.id, node_id, stored["reason"], at, stored["outcome"])


def _judge_solution(question: tables.Question, solution: Solution) -> KeyVerdict:
    """Verdict of a solution on the question's key."""
    if question.format != "numeric":
        return judge_key(question.format, solution, right=question.correct_option_id)  # type: ignore[arg-type]
    if solution.sure < MIN_CONFIDENCE:
        return KeyVerdict.UNSURE
    if solution.number is None:
        return KeyVerdict.DISAGREES
    grade = auto_grade(question, text=solution.number, option=None)
    if grade is None or grade.state is not GradeState.GRADED:
        return KeyVerdict.UNSURE
    return KeyVerdict.AGREES if grade.correct else KeyVerdict.DISAGREES


def _to_solve(question: tables.Question, target_node_id: str) -> BlindQuestion:
    contest = _contest_column(question)
    judged = question.format == "open_ended"
    return BlindQuestion(
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


def _criterion(stored: dict[str, Any]) -> Criterion:
    return Criterion(stored["label"], stored["statement"], stored["weight"], stored.get("partly_if"))


def _objects(column: Any) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], column or [])

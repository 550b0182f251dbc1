"""Misconceptions of a learner: their ledger, folded from the answers in a fixed number of statements."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, or_, select
from sqlmodel import Session

from sprout.events import wire_time
from sprout.learning.leaks.leak_filter import LeakFilter
from sprout.learning.leaks.secret import build_secret
from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.learning.marking.answers import split_drawing
from sprout.learning.marking.grades import GradeState
from sprout.learning.mastery.mastery import RIGHT_FROM
from sprout.learning.misconceptions.beliefs import Belief, belief_id, beliefs_in
from sprout.learning.misconceptions.ledger import Clearable, LedgerAnswer, LedgerEntry, clearable, ledger, open_entries
from sprout.learning.misconceptions.repository import HeldBelief, MixUp, MixUpEvidence
from sprout.learning.questions.questions import QuestionDraft, prompt_key
from sprout.store.assessment.answer_history import OPEN
from sprout.store.assessment.beliefs import beliefs_of
from sprout.store.assessment.question_tests import Tested, gather_tests, with_tests
from sprout.store.assessment.questions import draft_of
from sprout.store.engine.database import Database
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

_answers, _questions = table_of(tables.Answer), table_of(tables.Question)
_assessments, _branches = table_of(tables.Assessment), table_of(tables.Branch)
_concepts = table_of(tables.Node)
_parents = _concepts.alias("parents")
BELIEF_COLUMNS = tuple(_questions.c[name] for name in ("misconceptions", "criteria", "marked_by"))
_ROWS = (
    select(
        *(_answers.c[name] for name in ("id", "question_id", "created_at", "answer_text", "selected_option")),
        *(_answers.c[name] for name in ("score", "help_level", "sure")),
        _answers.c.grade["misconceptions"].label("shown"),
        _questions.c.prompt,
        *BELIEF_COLUMNS,
        _concepts.c.id.label("concept_id"),
        _concepts.c.title.label("concept_title"),
        _concepts.c.parent_id.label("topic_id"),
        _concepts.c.branch_id,
        _branches.c.title.label("branch_title"),
    )
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
    .join(_concepts, _concepts.c.id == _questions.c.node_id)
    .outerjoin(_branches, _branches.c.id == _concepts.c.branch_id)
    .where(_questions.c.state != "voided", ~OPEN)
    .where(
        or_(
            _answers.c.score.is_not(None),
            _answers.c.grade["state"].as_string() == GradeState.SELF_MARKED.value,
        )
    )
    .order_by(_answers.c.creation)
)


class SqlMisconceptions:
    """Misconceptions on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def mix_ups(self, user_id: str, *, branch_id: str | None = None) -> Sequence[MixUp]:
        def body(session: Session) -> _Found:
            if branch_id is not None:
                owned_branch(session, branch_id, user_id)
            rows = _answered(session.connection(), user_id, branch_id=branch_id)
            return _found(session, rows, user_id)

        return await asyncio.to_thread(_mix_ups, await self._database.read_orm_tx(body))

    async def cleared_since(self, user_id: str, since: datetime) -> Sequence[str]:
        def body(connection: Connection) -> Sequence[str]:
            rows = _answered(connection, user_id)
            entries = ledger(ledger_answers(rows))
            cleared = [one for one in entries if one.cleared_by is not None and one.cleared_by.at >= since]
            beliefs = beliefs_of(connection, {one.topic_id for one in cleared}) if cleared else {}
            return [_statement(one, beliefs, _words(rows)) for one in cleared]

        return await self._database.read_tx(body)


def held_beliefs(connection: Connection, concept_id: str, user_id: str) -> list[HeldBelief]:
    """The learner's beliefs that showed about a concept and are not cleared: open ones first, sure ones before."""
    rows = _answered(connection, user_id, concept_id=concept_id)
    topics = {row.topic_id for row, _ in rows if row.shown}
    return [*_held(rows, concept_id, beliefs_of(connection, topics))] if topics else []


def clearable_beliefs(connection: Connection, concept_id: str, user_id: str, now: datetime) -> Clearable:
    """The beliefs of a concept's topic that a right answer can clear now."""
    return clearable([*ledger_answers(_answered(connection, user_id, concept_id=concept_id))], now)


def belief_ids(row: Row[Any]) -> Iterator[str]:
    """Ids of the beliefs that a question's row names, by its `BELIEF_COLUMNS`."""
    named = [one for one in row.misconceptions or () if not one.get("slip")]
    named += [*(row.criteria or ()), *((row.marked_by or {}).get("program_tests") or ())]
    return (belief_id(one["misconception"]) for one in named if one.get("misconception"))


def contrast_to(session: Session, shown: Sequence[str], topic_id: str, user_id: str) -> str | None:
    """The case in which a belief that an answer has shown and the right idea differ, of the first belief that has one.

    None without one, and while it would give away the answer to a question that is still open.

    Args:
        shown: statements of beliefs.
    """
    beliefs = beliefs_of(session.connection(), [topic_id]) if shown else {}
    known = (beliefs.get((topic_id, belief_id(words))) for words in shown)
    belief = next((one for one in known if one is not None and one.contrast), None)
    return None if belief is None else _safe_contrast(belief, _revealing(_still_open(session, [topic_id], user_id)))


def mix_ups_of(session: Session, user_id: str) -> list[MixUp]:
    """All mix-ups of a learner."""
    return _mix_ups(_found(session, _answered(session.connection(), user_id), user_id))


_Answered = tuple[Row[Any], Sequence[Tested]]


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows of a ledger; `still_open` are the questions of its topics that may still be answered."""

    answers: Sequence[_Answered]
    beliefs: Mapping[tuple[str, str], Belief]
    still_open: Sequence[tables.Question]


def _found(session: Session, rows: Sequence[_Answered], user_id: str) -> _Found:
    topics = {row.topic_id for row, _ in rows if row.shown}
    beliefs = beliefs_of(session.connection(), topics)
    has_contrast = any(belief.contrast for belief in beliefs.values())
    return _Found(rows, beliefs, _still_open(session, topics, user_id) if has_contrast else [])


def _answered(
    connection: Connection, user_id: str, *, branch_id: str | None = None, concept_id: str | None = None
) -> list[_Answered]:
    """The answers that the ledger reads, oldest first: all of the learner, of a path, or of the topic of a concept."""
    wanted: Select[Any] = _ROWS.where(_answers.c.user_id == user_id)
    if branch_id is not None:
        wanted = wanted.where(_concepts.c.branch_id == branch_id)
    if concept_id is not None:
        topic = select(_parents.c.parent_id).where(_parents.c.id == concept_id).scalar_subquery()
        wanted = wanted.where(_concepts.c.parent_id == topic)
    return list(gather_tests(connection.execute(with_tests(wanted))))


def _still_open(session: Session, topics: Collection[str], user_id: str) -> Sequence[tables.Question]:
    question = tables.Question
    wanted = (
        select(question)
        .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
        .join(_concepts, _concepts.c.id == _questions.c.node_id)
        .where(_assessments.c.user_id == user_id, _concepts.c.parent_id.in_(list(topics)), OPEN)
        .where(_questions.c.state.not_in(tables.NOT_ASKED))
    )
    return session.scalars(wanted).all()


def ledger_answers(rows: Sequence[_Answered]) -> Iterator[LedgerAnswer]:
    """The answers of rows as the ledger reads them."""
    could_show: dict[str, frozenset[str]] = {}
    for row, _ in rows:
        if row.question_id not in could_show:
            could_show[row.question_id] = frozenset(belief_ids(row))
        yield LedgerAnswer(
            answer_id=row.id,
            question_id=row.question_id,
            item=prompt_key(row.prompt),
            topic_id=row.topic_id,
            at=row.created_at,
            right=row.score is not None and row.score >= RIGHT_FROM,
            help_level=row.help_level,
            sure=bool(row.sure),
            shows=tuple(map(belief_id, row.shown or ())),
            could_show=could_show[row.question_id],
        )


def _words(rows: Sequence[_Answered]) -> dict[str, str]:
    """The words of the beliefs that showed, by id, as they showed first."""
    found: dict[str, str] = {}
    for row, _ in rows:
        for words in row.shown or ():
            found.setdefault(belief_id(words), words)
    return found


def _statement(entry: LedgerEntry, beliefs: Mapping[tuple[str, str], Belief], words: Mapping[str, str]) -> str:
    """The statement of the belief; where its topic does not name it, the words in which it showed."""
    known = beliefs.get((entry.topic_id, entry.belief_id))
    return known.statement if known else words[entry.belief_id]


def _held(
    rows: Sequence[_Answered], concept_id: str, beliefs: Mapping[tuple[str, str], Belief]
) -> Iterator[HeldBelief]:
    words, by_id = _words(rows), {row.id: (row, tests) for row, tests in rows}
    for entry in open_entries(ledger(ledger_answers(rows))):
        about = [by_id[one.answer_id] for one in entry.evidence]
        if all(row.concept_id != concept_id for row, _ in about):
            continue
        known = beliefs.get((entry.topic_id, entry.belief_id))
        titles = dict.fromkeys(test.title for _, tests in about for test in tests)
        yield HeldBelief(
            entry.belief_id,
            _statement(entry, beliefs, words),
            known.contrast if known else None,
            tuple(titles),
            entry.sure,
        )


def _mix_ups(found: _Found) -> list[MixUp]:
    context = _Context(
        {row.id: (row, tests) for row, tests in found.answers},
        _words(found.answers),
        found.beliefs,
        _revealing(found.still_open),
    )
    return [_mix_up(entry, context) for entry in ledger(ledger_answers(found.answers))]


@dataclass(frozen=True, slots=True)
class _Context:
    """What an entry of the ledger is shown with.

    Args:
        answered: by the id of the answer.
        words: those in which beliefs showed, by their ids.
        still_open: open questions, each with the beliefs that answers to it can reveal.
    """

    answered: Mapping[str, _Answered]
    words: Mapping[str, str]
    beliefs: Mapping[tuple[str, str], Belief]
    still_open: Sequence[tuple[QuestionDraft, frozenset[str]]]


def _mix_up(entry: LedgerEntry, context: _Context) -> MixUp:
    known = context.beliefs.get((entry.topic_id, entry.belief_id))
    row, tests = context.answered[entry.last_shown.answer_id]
    part = next((test for test in tests if test.node_id is not None), None)
    return MixUp(
        id=entry.belief_id,
        statement=_statement(entry, context.beliefs, context.words),
        state=entry.state.value,
        sure=entry.sure,
        contrast=_safe_contrast(known, context.still_open) if known else None,
        evidence=[_evidence(context.answered[one.answer_id][0]) for one in entry.evidence],
        clears_from=wire_time(entry.clears_from),
        cleared_by=None if entry.cleared_by is None else _evidence(context.answered[entry.cleared_by.answer_id][0]),
        relapses=entry.relapses,
        node_id=part.node_id if part else None,
        title=part.title if part else None,
        concept_id=row.concept_id,
        concept_title=row.concept_title,
        branch_id=row.branch_id,
        branch_title=row.branch_title,
    )


def _evidence(row: Row[Any]) -> MixUpEvidence:
    said = row.selected_option or split_drawing(row.answer_text or "")[1]
    return MixUpEvidence(
        answer_id=row.id, at=wire_time(row.created_at), prompt=row.prompt, said=said, sure=bool(row.sure)
    )


def _revealing(questions: Sequence[tables.Question]) -> list[tuple[QuestionDraft, frozenset[str]]]:
    """The questions, each with the ids of the beliefs that answers to it can reveal."""
    return [(draft, frozenset(beliefs_in(draft))) for draft in map(draft_of, questions)]


def _safe_contrast(belief: Belief, still_open: Sequence[tuple[QuestionDraft, frozenset[str]]]) -> str | None:
    """The contrast case, unless it gives away the answer to an open question that could reveal the belief."""
    text = belief.contrast
    if text and any(belief.id in ids and _gives_away(text, draft) for draft, ids in still_open):
        return None
    return text


def _gives_away(text: str, draft: QuestionDraft) -> bool:
    leak_filter = LeakFilter(build_secret(draft, anchors=draft.anchors), level=HelpLevel.NONE)
    return leak_filter.feed(text) + leak_filter.end() != text

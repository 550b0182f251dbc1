"""Mix-ups of a class: who holds which, by the ledger of each learner, from the answers that bear on it alone."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from sqlalchemy import CTE, Connection, Row, Select, case, func, or_, select, text

from sprout.learning.marking.grades import GradeState
from sprout.learning.mastery.mastery import RIGHT_FROM
from sprout.learning.misconceptions.beliefs import belief_id
from sprout.learning.misconceptions.ledger import LedgerAnswer, ledger, open_entries
from sprout.store.accounts.class_page.question_beliefs import QuestionBeliefs
from sprout.store.assessment.answer_history import OPEN
from sprout.store.engine.many_ids import is_among
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

_nodes, _answers, _questions = table_of(tables.Node), table_of(tables.Answer), table_of(tables.Question)
_assessments, _beliefs = table_of(tables.Assessment), table_of(tables.TopicMisconception)
_belief_id = lru_cache(4_096)(belief_id)  # the learners of a class show the same few


@dataclass(frozen=True, slots=True)
class HeldMixUp:
    """A mix-up, and the learners who hold it: open or treated."""

    id: str
    statement: str
    holders: frozenset[str]


def held_mix_ups(
    connection: Connection, source_id: str, copies: CTE, questions: QuestionBeliefs, *, also: Collection[str] = ()
) -> list[HeldMixUp]:
    """The mix-ups that learners hold in their copies, those that most hold first.

    Only what a topic names is one: what a teacher reads was written with a question, never by a learner.

    Args:
        source_id: the branch that the copies were made of.
        also: ids of mix-ups that are listed if nobody holds them any more.
    """
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for user_id, answers in _ledger_answers(connection, copies, questions):
        for entry in open_entries(ledger(answers)):
            holders[entry.belief_id].add(user_id)
    statements = _statements(connection, source_id, copies, {*holders, *also})
    found = [HeldMixUp(one, statement, frozenset(holders.get(one, ()))) for one, statement in statements.items()]
    return sorted(found, key=lambda one: (-len(one.holders), one.statement))


def _ledger_answers(
    connection: Connection, copies: CTE, questions: QuestionBeliefs
) -> Iterator[tuple[str, Sequence[LedgerAnswer]]]:
    """Of each learner who has shown a mix-up the answers that decide whether it is held, oldest first.

    They are those to questions that can reveal it, and to others in the same words.
    """
    shown = {
        user_id: {_belief_id(one) for statements in json.loads(f"[{lists}]") for one in statements}
        for user_id, lists in connection.execute(_shown(connection.dialect.name, copies))
    }
    asked = (
        {user_id: ids.split(",") for user_id, ids in connection.execute(_asked(connection, copies, shown))}
        if shown
        else {}
    )
    known = questions.of(connection, (one for ids in asked.values() for one in ids))
    relevant: list[str] = []
    for user_id, ids in asked.items():
        items = {known[one].item for one in ids if one in known and known[one].could_show & shown[user_id]}
        relevant += [one for one in dict.fromkeys(ids) if one in known and known[one].item in items]
    found: defaultdict[str, list[LedgerAnswer]] = defaultdict(list)
    for row in _answered(connection, relevant):
        asked_item = known[row.question_id]
        found[row.user_id].append(_ledger_answer(row, asked_item.item, asked_item.could_show))
    yield from found.items()


def _ledger_answer(row: Row[Any], item: str, could_show: frozenset[str]) -> LedgerAnswer:
    return LedgerAnswer(
        answer_id=row.id,
        question_id=row.question_id,
        item=item,
        topic_id="",
        at=row.created_at,
        right=row.score is not None and row.score >= RIGHT_FROM,
        help_level=row.help_level,
        sure=bool(row.sure),
        shows=tuple(map(_belief_id, row.shown or ())),
        could_show=could_show,
    )


def _counting(wanted: Select[Any]) -> Select[Any]:
    """The answers that a ledger reads: marked, by somebody, to questions that are neither open nor voided."""
    self_marked = _answers.c.grade["state"].as_string() == GradeState.SELF_MARKED.value
    return (
        wanted.join(_questions, _questions.c.id == _answers.c.question_id)
        .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
        .where(_questions.c.state != "voided", ~OPEN, or_(_answers.c.score.is_not(None), self_marked))
    )


def _shown(dialect: str, copies: CTE) -> Select[Any]:
    """Of each learner who has shown a mix-up in their copy the lists of statements that their answers have shown."""
    stated = _answers.c.grade["misconceptions"].as_string()
    return (
        select(copies.c.user_id, func.aggregate_strings(stated, ","))
        .join(_answers, _answers.c.user_id == copies.c.user_id)
        .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
        .join(_nodes, (_nodes.c.id == _assessments.c.target_node_id) & (_nodes.c.branch_id == copies.c.branch_id))
        .where(text(tables.SHOWS_MIX_UP[dialect]))
        .group_by(copies.c.user_id)
    )


def _asked(connection: Connection, copies: CTE, user_ids: Collection[str]) -> Select[Any]:
    """The ids of the questions that these learners have in their copies."""
    return (
        select(copies.c.user_id, func.aggregate_strings(_questions.c.id, ","))
        .join(_assessments, _assessments.c.user_id == copies.c.user_id)
        .join(_nodes, (_nodes.c.id == _assessments.c.target_node_id) & (_nodes.c.branch_id == copies.c.branch_id))
        .join(_questions, _questions.c.assessment_id == _assessments.c.id)
        .where(is_among(connection, copies.c.user_id, user_ids))
        .group_by(copies.c.user_id)
    )


def _answered(connection: Connection, question_ids: Sequence[str]) -> list[Row[Any]]:
    """The answers to these questions, oldest first."""
    if not question_ids:
        return []
    names = ("creation", "id", "user_id", "question_id", "created_at", "score", "help_level")
    columns = (_answers.c[name] for name in names)
    shows = text(tables.SHOWS_MIX_UP[connection.dialect.name])
    shown = case((shows, _answers.c.grade["misconceptions"])).label("shown")  # few of them are read as JSON
    wanted = _counting(select(*columns, _answers.c.sure, shown).select_from(_answers))
    these = is_among(connection, _answers.c.question_id, question_ids)
    return sorted(connection.execute(wanted.where(these)), key=attrgetter("creation"))


def _statements(connection: Connection, source_id: str, copies: CTE, ids: Collection[str]) -> Mapping[str, str]:
    """The words of mix-ups: those of the teacher's topic, else those of a learner's copy."""
    root = select(_nodes.c.id).where(_nodes.c.branch_id == source_id, _nodes.c.type == "root")
    found = _words(connection, root, ids)
    if missing := [one for one in ids if one not in found]:
        roots = select(_nodes.c.id).join(copies, _nodes.c.branch_id == copies.c.branch_id)
        found |= _words(connection, roots.where(_nodes.c.type == "root"), missing)
    return found


def _words(connection: Connection, topics: Select[Any], ids: Collection[str]) -> dict[str, str]:
    if not ids:
        return {}
    of_topics = _beliefs.c.topic_id.in_(topics) & _beliefs.c.id.in_([*ids])
    wanted = select(_beliefs.c.id, _beliefs.c.statement).where(of_topics).order_by(_beliefs.c.topic_id.desc())
    return {row.id: row.statement for row in connection.execute(wanted)}

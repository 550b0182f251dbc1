"""Ownership: rows loaded for their owner; a missing row and another user's are the same NotFound."""

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import bindparam
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from sprout.errors import NotFound
from sprout.store.schema import tables

_Row = TypeVar("_Row")

# Built once: every request looks up its node or session, some of them often.
_NODE = select(tables.Node).where(col(tables.Node.id) == bindparam("id"), col(tables.Node.user_id) == bindparam("user"))
_SESSION = select(tables.ChatSession).where(
    col(tables.ChatSession.id) == bindparam("id"), col(tables.ChatSession.user_id) == bindparam("user")
)


def owned_branch(session: Session, branch_id: str, user_id: str, *, lock: bool = False) -> tables.Branch:
    """The user's branch; with `lock`, locked until the transaction ends."""
    mine = col(tables.Branch.user_id) == user_id
    wanted = select(tables.Branch).where(tables.Branch.id == branch_id, mine)
    return _one_or_not_found(session, wanted, "branch", branch_id, lock=lock)


def owned_branch_ids(session: Session, branch_ids: Sequence[str], user_id: str) -> list[str]:
    """Those of these ids that are of the user's branches, in their order."""
    wanted = select(tables.Branch.id).where(col(tables.Branch.id).in_(branch_ids), tables.Branch.user_id == user_id)
    found = {*session.exec(wanted)}
    return [one for one in branch_ids if one in found]


def owned_node(session: Session, node_id: str, user_id: str, *, lock: bool = False) -> tables.Node:
    """The user's node; with `lock`, locked until the transaction ends."""
    return _one_or_not_found(session, _NODE, "node", node_id, lock=lock, user=user_id, id=node_id)


def owned_document(
    session: Session, document_id: str, node_id: str, user_id: str, *, lock: bool = False
) -> tables.Document:
    """The document of the user's node; with `lock`, locked until the transaction ends."""
    own_node = select(tables.Node.id).where(tables.Node.user_id == user_id, tables.Node.id == node_id)
    wanted = select(tables.Document).where(
        tables.Document.id == document_id, col(tables.Document.node_id).in_(own_node)
    )
    return _one_or_not_found(session, wanted, "document", document_id, lock=lock)


def owned_document_by_id(session: Session, document_id: str, user_id: str) -> tables.Document:
    """A document of any of the user's nodes."""
    wanted = (
        select(tables.Document)
        .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
        .where(tables.Document.id == document_id, tables.Node.user_id == user_id)
        .options(defer(tables.Document.extracted_text))  # type: ignore[arg-type]
    )
    return _one_or_not_found(session, wanted, "document", document_id, lock=False)


def owned_assessment(session: Session, assessment_id: str, user_id: str, *, lock: bool = False) -> tables.Assessment:
    """The user's assessment; with `lock`, locked until the transaction ends."""
    wanted = select(tables.Assessment).where(
        tables.Assessment.id == assessment_id, tables.Assessment.user_id == user_id
    )
    return _one_or_not_found(session, wanted, "assessment", assessment_id, lock=lock)


def owned_session(session: Session, session_id: str, user_id: str, *, lock: bool = False) -> tables.ChatSession:
    """The user's conversation; with `lock`, locked until the transaction ends."""
    return _one_or_not_found(session, _SESSION, "session", session_id, lock=lock, user=user_id, id=session_id)


def askable_question(session: Session, question_id: str, assessment_id: str) -> tables.Question:
    """The question of the assessment, unless it is held back or voided."""
    wanted = select(tables.Question).where(
        tables.Question.id == question_id,
        tables.Question.assessment_id == assessment_id,
        col(tables.Question.state).not_in(tables.NOT_ASKED),
    )
    return _one_or_not_found(session, wanted, "question", question_id, lock=False)


def owned_answer(session: Session, answer_id: str, user_id: str) -> tables.Answer:
    """The user's answer."""
    wanted = select(tables.Answer).where(tables.Answer.id == answer_id, tables.Answer.user_id == user_id)
    return _one_or_not_found(session, wanted, "answer", answer_id, lock=False)


def owned_question(session: Session, question_id: str, user_id: str) -> tables.Question:
    """A question of the user's assessments that was asked at some time, also one that was contested and voided."""
    wanted = (
        select(tables.Question)
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Question.id == question_id, tables.Assessment.user_id == user_id)
        .where(col(tables.Question.state) != "drafted")
    )
    question = _one_or_not_found(session, wanted, "question", question_id, lock=False)
    if question.state == "voided" and question.contest is None:
        raise NotFound("question", question_id)
    return question


def _one_or_not_found(
    session: Session, wanted: SelectOfScalar[_Row], what: str, id_: str, *, lock: bool, **values: str
) -> _Row:
    if lock:
        wanted = wanted.with_for_update()
    found = session.exec(wanted, params=values, execution_options={"populate_existing": True}).first()
    if found is None:
        raise NotFound(what, id_)
    return found

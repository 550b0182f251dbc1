"""Scope of a teacher's view of a class: what its members do in their copies of the paths that are given to it."""

from typing import Any

from sqlalchemy import and_
from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.store.schema import tables
from sprout.store.schema.class_tables import ClassMember, GivenPath, PathCopy


def within_class(wanted: Any, class_id: str) -> Any:
    """The statement about nodes, of which only those in the members' copies of the given paths are left."""
    member = and_(
        col(ClassMember.class_id) == col(GivenPath.class_id), col(ClassMember.user_id) == col(PathCopy.user_id)
    )
    return (
        wanted.join(PathCopy, col(PathCopy.branch_id) == col(tables.Node.branch_id))
        .join(GivenPath, col(GivenPath.id) == col(PathCopy.given_id))
        .join(ClassMember, member)
        .where(GivenPath.class_id == class_id, col(tables.Node.user_id) == col(PathCopy.user_id))
    )


def question_in_class(session: Session, question_id: str, class_id: str) -> tuple[tables.Question, PathCopy]:
    """A question that a member was asked in a copy, and that copy. Raises NotFound."""
    wanted = select(tables.Question, PathCopy).join(
        tables.Node, col(tables.Node.id) == col(tables.Question.node_id)
    )  # fmt: skip
    found: tuple[tables.Question, PathCopy] | None = session.exec(
        within_class(wanted, class_id)
        .where(col(tables.Question.id) == question_id)
        .execution_options(populate_existing=True)
    ).first()
    if found is None:
        raise NotFound("item", question_id)
    return found

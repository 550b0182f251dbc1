"""Whole paths in and out of the database: planting one from a file, and writing one for a file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pydantic import JsonValue
from sqlalchemy import Connection
from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.graph.graph import title_key
from sprout.learning.paths.exchange import (
    ConceptItem,
    EdgeItem,
    PathFile,
    QuestionItem,
    SubconceptItem,
    TopicItem,
)
from sprout.learning.paths.library import BranchRow
from sprout.learning.paths.planting import PlannedPath, planned
from sprout.store import rows, tables
from sprout.store.children import unique_key
from sprout.store.database import Database
from sprout.store.owned import owned_branch
from sprout.store.questions import diagnostic_of, kept, positions
from sprout.store.quotas import refuse_over
from sprout.store.write import Write


class SqlExchange:
    """Paths as files, for their owner."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def import_path(self, path: PathFile, *, user_id: str) -> BranchRow:
        """A new branch with all of the path, or nothing. Raises BadPath, which names every item at fault,
        TooLarge (it has more nodes than a path may have, or there are as many paths as may be).
        """
        now = utc_now()
        branch_id = new_id()
        plan = planned(path, user_id=user_id, branch_id=branch_id, now=now)
        branch = tables.Branch(id=branch_id, title=plan.title, user_id=user_id, created_at=now, updated_at=now)

        def body(write: Write) -> BranchRow:
            refuse_over(write, "paths", user_id)
            refuse_over(write, "nodes_per_path", branch_id, adding=1 + len(plan.nodes))
            write.session.add(branch)
            write.session.flush()
            _plant_nodes(write.session, plan)
            _plant_edges(write.session, plan)
            _plant_questions(write.connection, plan, user_id)
            _mark_grown(write.session, plan, user_id)
            return rows.branch_row(branch)

        return await self._database.write(body)

    async def export_path(self, branch_id: str, *, user_id: str) -> PathFile:
        """The branch as a file has it, siblings referred to by title. Raises NotFound (also: it has no topic yet)."""
        return await self._database.read(lambda session: exported(session, branch_id, user_id))


def _plant_nodes(session: Session, plan: PlannedPath) -> None:
    session.add_all(_node(row) for row in (plan.root, *plan.nodes))
    session.flush()


def _plant_edges(session: Session, plan: PlannedPath) -> None:
    parents = {node.id: node.parent_id for node in plan.nodes if node.parent_id}
    for edge in plan.edges:
        session.add(tables.Edge(id=new_id(), parent_id=parents[edge.source_node_id], **edge.model_dump(by_alias=False)))
    session.flush()


def _plant_questions(connection: Connection, plan: PlannedPath, user_id: str) -> None:
    concepts = {node.id: node for node in plan.nodes}
    for question in plan.questions:
        concept = concepts[question.concept_id]
        assessment_id = diagnostic_of(connection, concept, user_id)
        last, _ = positions(connection, assessment_id, question.draft.prompt)
        kept(
            connection,
            question.draft,
            assessment_id=assessment_id,
            concept_id=concept.id,
            position=last + 1,
            parts=[node for node in plan.nodes if node.parent_id == concept.id],
        )


def _mark_grown(session: Session, plan: PlannedPath, user_id: str) -> None:
    """What the file gave parts to is complete as it is: no agent adds to it unasked."""
    for parent_id in dict.fromkeys(node.parent_id for node in plan.nodes if node.parent_id):
        session.add(tables.Progress(id=new_id(), user_id=user_id, node_id=parent_id, has_generated_subnodes=True))


def exported(session: Session, branch_id: str, user_id: str) -> PathFile:
    """The branch as a file has it. Raises NotFound (also: it has no topic yet)."""
    branch = owned_branch(session, branch_id, user_id)
    nodes = _all(session, tables.Node, tables.Node.branch_id == branch_id)
    ids = [node.id for node in nodes]
    edges = _all(session, tables.Edge, col(tables.Edge.parent_id).in_(ids))
    questions = _all(session, tables.Question, col(tables.Question.node_id).in_(ids))
    return _path(branch, nodes, edges, questions)


def _node(row: NodeRow) -> tables.Node:
    return tables.Node(
        id=row.id,
        user_id=row.user_id,
        type=row.type,
        branch_id=row.branch_id,
        parent_id=row.parent_id,
        title=row.title,
        title_key=unique_key(title_key(row.title)),
        desc=row.desc,
    )


def _all(session: Session, table: Any, condition: Any) -> Sequence[Any]:
    return session.exec(select(table).where(condition).order_by(col(table.creation))).all()


def _path(
    branch: tables.Branch,
    nodes: Sequence[tables.Node],
    edges: Sequence[tables.Edge],
    questions: Sequence[tables.Question],
) -> PathFile:
    root = next((node for node in nodes if node.type == "root"), None)
    if root is None:
        raise NotFound("topic in branch", branch.id)
    titles = {node.id: node.title for node in nodes}
    concepts = [node for node in nodes if node.parent_id == root.id]
    return PathFile(
        sprout_path=1,
        title=branch.title,
        topic=TopicItem(title=root.title, desc=root.desc),
        concepts=tuple(_concept(concept, nodes, edges, questions, titles) for concept in concepts),
        edges=_edges_under(root.id, edges, titles),
    )


def _concept(
    concept: tables.Node,
    nodes: Iterable[tables.Node],
    edges: Iterable[tables.Edge],
    questions: Iterable[tables.Question],
    titles: Mapping[str, str],
) -> ConceptItem:
    return ConceptItem(
        title=concept.title,
        desc=concept.desc,
        subconcepts=tuple(
            SubconceptItem(title=node.title, desc=node.desc) for node in nodes if node.parent_id == concept.id
        ),
        edges=_edges_under(concept.id, edges, titles),
        questions=tuple(
            item for question in questions if question.node_id == concept.id and (item := _question(question, titles))
        ),
    )


def _edges_under(parent_id: str, edges: Iterable[tables.Edge], titles: Mapping[str, str]) -> tuple[EdgeItem, ...]:
    return tuple(
        EdgeItem.joining(titles[edge.source_node_id], titles[edge.target_node_id])
        for edge in edges
        if edge.parent_id == parent_id
    )


def _question(question: tables.Question, titles: Mapping[str, str]) -> QuestionItem | None:
    """The question as a file has it; None for one that tests nothing which is still there."""
    tests = [titles[test["nodeId"]] for test in _objects(question.tests) if test["nodeId"] in titles]
    if not tests or question.state in tables.NOT_ASKED:
        return None
    return QuestionItem.model_validate(
        {
            "prompt": question.prompt,
            "format": question.format,
            "correct_answer": question.correct_answer,
            "difficulty": question.difficulty,
            "tests": tests,
            "options": [option["text"] for option in _objects(question.options)],
            "criteria": _objects(question.criteria),
            "tolerance": question.tolerance,
            "unit": question.unit,
            "misconceptions": [
                {"option": one["answer"], "misconception": one["misconception"]}
                for one in _objects(question.misconceptions)
            ],
            "anchors": question.anchors or [],
        }
    )


def _objects(column: JsonValue) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], column or [])

"""Import and export of whole paths as files."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from pydantic import JsonValue
from sqlalchemy import Connection
from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.graph.graph import title_key
from sprout.learning.paths.belief_keys import named_once
from sprout.learning.paths.import_plan import PlannedPath, PlannedQuestion, plan_import
from sprout.learning.paths.path_file import (
    ConceptItem,
    EdgeItem,
    PathFile,
    QuestionItem,
    SubconceptItem,
    TopicItem,
)
from sprout.learning.paths.repository import BranchRow
from sprout.store.assessment.beliefs import beliefs_of, name_beliefs, save_beliefs
from sprout.store.assessment.questions import (
    get_or_create_diagnostics,
    insert_new_questions,
    last_positions,
    new_question,
)
from sprout.store.engine.database import Database
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import unique_key
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema import mapping, tables
from sprout.store.schema.marking_columns import accepted_of, misconceptions_of, program_tests_of


class SqlPathExchange:
    """PathExchange on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def import_path(self, path: PathFile, *, user_id: str) -> BranchRow:
        plan = plan_import(path, user_id=user_id, branch_id=new_id(), now=utc_now())
        return await self._database.write_tx(lambda tx: insert_path(tx, plan))

    async def export_path(self, branch_id: str, *, user_id: str) -> PathFile:
        return await self._database.read_orm_tx(lambda session: path_file(session, branch_id, user_id))


def insert_path(tx: WriteTransaction, plan: PlannedPath) -> BranchRow:
    """A new branch with all of the path. Raises TooLarge."""
    root, now = plan.root, datetime.fromisoformat(plan.root.created_at)
    user_id, branch_id = root.user_id, root.branch_id
    assert branch_id is not None
    enforce_quota(tx, "paths", user_id)
    enforce_quota(tx, "nodes_per_path", branch_id, adding=1 + len(plan.nodes))
    branch = tables.Branch(id=branch_id, title=plan.title, user_id=user_id, created_at=now, updated_at=now)
    tx.session.add(branch)
    tx.session.flush()
    _insert_nodes(tx.session, plan)
    _insert_edges(tx.session, plan)
    save_beliefs(tx.connection, plan.beliefs, root.id)
    insert_questions(tx.connection, plan.nodes, plan.questions, user_id)
    mark_generated(tx.session, plan.nodes, user_id)
    return mapping.branch_row(branch)


def _insert_nodes(session: Session, plan: PlannedPath) -> None:
    session.add_all(_node(row) for row in (plan.root, *plan.nodes))
    session.flush()


def _insert_edges(session: Session, plan: PlannedPath) -> None:
    parents = {node.id: node.parent_id for node in plan.nodes if node.parent_id}
    for edge in plan.edges:
        session.add(tables.Edge(id=new_id(), parent_id=parents[edge.source_node_id], **edge.model_dump(by_alias=False)))
    session.flush()


def insert_questions(
    connection: Connection, nodes: Iterable[NodeRow], questions: Sequence[PlannedQuestion], user_id: str
) -> None:
    """Insert the questions of these concepts of a topic into their diagnostics, in a few statements for all."""
    if not questions:
        return
    asked_about = {one.concept_id for one in questions}
    diagnostics = get_or_create_diagnostics(connection, [one for one in nodes if one.id in asked_about], user_id)
    last = Counter(last_positions(connection, diagnostics.values()))
    drafts = name_beliefs(connection, [one.draft for one in questions], questions[0].concept_id)
    new: list[tuple[tables.Question, Sequence[str]]] = []
    for concept_id, draft in zip((one.concept_id for one in questions), drafts, strict=True):
        assessment_id = diagnostics[concept_id]
        last[assessment_id] += 1
        row = new_question(draft, assessment_id=assessment_id, concept_id=concept_id, position=last[assessment_id])
        new.append((row, draft.tests))
    insert_new_questions(connection, new)


def mark_generated(session: Session, nodes: Iterable[NodeRow], user_id: str) -> None:
    """Mark the parents of new nodes as complete, so that no agent adds to them unasked."""
    for parent_id in dict.fromkeys(node.parent_id for node in nodes if node.parent_id):
        session.add(tables.Progress(id=new_id(), user_id=user_id, node_id=parent_id, has_generated_subnodes=True))


def path_file(session: Session, branch_id: str, user_id: str) -> PathFile:
    """The branch as a file has it. Raises NotFound (also: it has no topic yet)."""
    branch = owned_branch(session, branch_id, user_id)
    nodes = _all(session, tables.Node, tables.Node.branch_id == branch_id)
    ids = [node.id for node in nodes]
    edges = _all(session, tables.Edge, col(tables.Edge.parent_id).in_(ids))
    root_ids = [node.id for node in nodes if node.type == "root"]
    beliefs = {id_: one for (_, id_), one in beliefs_of(session.connection(), root_ids).items()}
    return named_once(_path(branch, nodes, edges, _questions_with_tests(session, branch_id)), beliefs)


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


def _questions_with_tests(session: Session, branch_id: str) -> list[tuple[tables.Question, Sequence[str]]]:
    """The branch's questions that are asked, each with the titles of the nodes that it tests, at least one."""
    question, test, node = tables.Question, tables.QuestionTest, tables.Node
    repeated = select(tables.Assessment.id).where(tables.Assessment.type == "recall")
    wanted = (
        select(question, node.title)
        .join(test, col(test.question_id) == col(question.id))
        .join(node, col(node.id) == col(test.node_id))
        .where(node.branch_id == branch_id, col(question.state).not_in(tables.NOT_ASKED))
        .where(col(question.assessment_id).not_in(repeated))
        .order_by(col(question.creation), col(test.position))
    )
    found: dict[str, tuple[tables.Question, list[str]]] = {}
    for one, title in session.exec(wanted):
        found.setdefault(one.id, (one, []))[1].append(title)
    return list(found.values())


def _path(
    branch: tables.Branch,
    nodes: Sequence[tables.Node],
    edges: Sequence[tables.Edge],
    questions: Sequence[tuple[tables.Question, Sequence[str]]],
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
    questions: Iterable[tuple[tables.Question, Sequence[str]]],
    titles: Mapping[str, str],
) -> ConceptItem:
    return ConceptItem(
        title=concept.title,
        desc=concept.desc,
        subconcepts=tuple(
            SubconceptItem(title=node.title, desc=node.desc) for node in nodes if node.parent_id == concept.id
        ),
        edges=_edges_under(concept.id, edges, titles),
        questions=tuple(_question(question, tests) for question, tests in questions if question.node_id == concept.id),
    )


def _edges_under(parent_id: str, edges: Iterable[tables.Edge], titles: Mapping[str, str]) -> tuple[EdgeItem, ...]:
    return tuple(
        EdgeItem.between(titles[edge.source_node_id], titles[edge.target_node_id])
        for edge in edges
        if edge.parent_id == parent_id
    )


def _question(question: tables.Question, tests: Sequence[str]) -> QuestionItem:
    """The question as a file has it."""
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
                {"option": one.option, "misconception": one.misconception, "slip": one.slip}
                for one in misconceptions_of(question)
            ],
            "anchors": question.anchors or [],
            "program_tests": [asdict(test) for test in program_tests_of(question)],
            "accepted": accepted_of(question),
            "solution": question.solution or [],
        }
    )


def _objects(column: JsonValue) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], column or [])

"""Placements as rows, and as their learner sees them."""

from collections import Counter
from collections.abc import Sequence

from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.events import AnswerType, wire_time
from sprout.learning.paths.next_lesson import learning_order
from sprout.learning.placement.placement import CHECK_QUESTIONS, minutes_for, question_limit
from sprout.learning.placement.repository import (
    PlacedNode,
    PlacementOutcome,
    PlacementQuestion,
    PlacementSession,
)
from sprout.store.assessment.placement_findings import PlacedPath, findings_of
from sprout.store.assessment.questions import draft_of
from sprout.store.schema import tables
from sprout.store.schema.mapping import question_shown
from sprout.store.schema.placement_tables import PlacementFinding, PlacementItem, PlacementRow


def owned_placement(session: Session, placement_id: str, user_id: str) -> PlacementRow:
    """The user's placement. Raises NotFound."""
    wanted = select(PlacementRow).where(PlacementRow.id == placement_id, PlacementRow.user_id == user_id)
    found = session.exec(wanted.execution_options(populate_existing=True)).first()
    if found is None:
        raise NotFound("placement", placement_id)
    return found


def placement_item(session: Session, row: PlacementRow, item_id: str) -> PlacementItem:
    """The item of the placement. Raises NotFound."""
    wanted = select(PlacementItem).where(PlacementItem.id == item_id, PlacementItem.placement_id == row.id)
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("placement item", item_id)
    return found


def items_of(session: Session, placement_id: str) -> Sequence[PlacementItem]:
    """The items of a placement in their order."""
    wanted = select(PlacementItem).where(PlacementItem.placement_id == placement_id)
    return session.exec(wanted.order_by(col(PlacementItem.position))).all()


def question_of(session: Session, item: PlacementItem) -> tables.Question | None:
    """The question that an item asks, also after it was voided."""
    return session.exec(select(tables.Question).where(tables.Question.id == item.question_id)).first()


def session_response(
    session: Session, row: PlacementRow, path: PlacedPath, *, feedback: str | None = None
) -> PlacementSession:
    """The placement as its learner sees it."""
    items = items_of(session, row.id)
    answered = sum(item.state == "answered" for item in items)
    posed = next((item for item in items if item.state == "posed"), None)
    most = question_limit(path.space) if row.kind == "path" else CHECK_QUESTIONS
    is_over, node = row.ended_at is not None, path.by_id.get(row.node_id or "")
    nodes = _placed_nodes(path, findings_of(session, row.id), items) if is_over else []
    return PlacementSession(
        id=row.id,
        branch_id=row.branch_id,
        kind="path" if row.kind == "path" else "node",
        node_id=row.node_id,
        title=None if node is None else node.title,
        started_at=wire_time(row.started_at),
        ended_at=None if row.ended_at is None else wire_time(row.ended_at),
        answered=answered,
        questions=most,
        minutes_left=0 if is_over else minutes_for(max(1, most - answered)),
        question=None if posed is None or is_over else _question(session, posed, path),
        outcome=_outcome(row, nodes) if is_over else None,
        nodes=nodes,
        feedback=feedback,
    )


def _outcome(row: PlacementRow, nodes: Sequence[PlacedNode]) -> PlacementOutcome:
    if row.kind == "path":
        return "placed"
    return "confirmed" if any(node.found for node in nodes) else "not_confirmed"


def _placed_nodes(
    path: PlacedPath, findings: Sequence[PlacementFinding], items: Sequence[PlacementItem]
) -> list[PlacedNode]:
    """The parts that the placement is about, in the order in which they are learned; where each stands by now."""
    by_id, asked = path.by_id, Counter(item.node_id for item in items if item.state == "answered")
    placed = path.space.placed(path.learned)
    by_node = {finding.node_id: finding for finding in findings}
    return [
        PlacedNode(
            node_id=node_id,
            concept_id=by_id[node_id].parent_id or "",
            title=by_id[node_id].title,
            concept=by_id[by_id[node_id].parent_id or ""].title,
            placed=placed[node_id],
            found=by_node[node_id].known,
            said=by_node[node_id].said,
            asked=asked[node_id],
        )
        for node_id in learning_order(path.space.node_ids, path.space.needs)
        if node_id in by_node
    ]


def _question(session: Session, item: PlacementItem, path: PlacedPath) -> PlacementQuestion | None:
    question, part = question_of(session, item), path.by_id.get(item.node_id or "")
    if question is None or part is None:
        return None
    kind: AnswerType = "mcq" if question.format == "mcq" else "text"
    return PlacementQuestion(
        item_id=item.id,
        question_id=question.id,
        node_id=part.id,
        title=part.title,
        concept=path.by_id[part.parent_id or ""].title,
        prompt=question.prompt,
        type=kind,
        form=draft_of(question).form,
        options=question_shown(question).options,
    )

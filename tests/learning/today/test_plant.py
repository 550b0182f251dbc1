"""Leaves of a path's plant."""

from datetime import UTC, datetime
from typing import Any

from sprout.events import wire_time
from sprout.learning.paths.repository import BranchRow, NodeDetail, PathGraph, ProgressRow
from sprout.learning.today.plant import part_count, plant_leaves


def moment(day: int) -> str:
    return wire_time(datetime(2026, 11, day, tzinfo=UTC))


def node(node_id: str, kind: Any = "subconcept") -> NodeDetail:
    return NodeDetail(
        id=node_id, user_id="me", type=kind, branch_id="b", parent_id="c", title=node_id, desc=None, reason=None,
        created_at=moment(1), updated_at=moment(1),
    )  # fmt: skip


def progress(node_id: str, *, learned: int | None, mastered: int | None = None) -> ProgressRow:
    return ProgressRow(
        id=node_id, user_id="me", node_id=node_id, mastery_score=1, attempts_count=2, first_entered_at=None,
        last_entered_at=None, has_generated_subnodes=False,
        completed_at=None if learned is None else moment(learned),
        mastered_at=None if mastered is None else moment(mastered),
        created_at=moment(1), updated_at=moment(1),
    )  # fmt: skip


def a_graph(*rows: ProgressRow) -> PathGraph:
    branch = BranchRow(id="b", title="B", user_id="me", created_at=moment(1), updated_at=moment(1))
    nodes = [node("c", "concept"), *(node(one) for one in "pqrs")]
    return PathGraph(branch=branch, nodes=nodes, edges=[], progress=list(rows))


def test_there_is_a_leaf_for_each_learned_part_and_the_first_stands_at_the_ground() -> None:
    graph = a_graph(progress("q", learned=9), progress("p", learned=3, mastered=5), progress("r", learned=None))
    assert (plant_leaves(graph, ()), part_count(graph)) == ("mn", 4)


def test_what_is_due_is_blue_whether_or_not_it_is_mastered() -> None:
    graph = a_graph(progress("p", learned=3, mastered=5), progress("q", learned=4), progress("r", learned=5))
    assert plant_leaves(graph, {"p", "q", "s"}) == "ddn"


def test_a_learned_concept_is_no_leaf_of_its_own() -> None:
    assert plant_leaves(a_graph(progress("c", learned=3)), ()) == ""

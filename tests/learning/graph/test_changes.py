"""Taking changes back: exactly, in any order that makes sense, and refused with what to do where it makes none."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.errors import InvalidGraphEdit
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change, GraphRows, UndoRefused, effective_changes, rows_only_in, undo_edit
from sprout.learning.graph.graph import ConceptGraph, Edit, apply
from tests.learning.graph.graphs import LATER, NOW, a_graph, drawn
from tests.learning.graph.test_graph_properties import OPERATIONS, Operation, written


@dataclass
class History:
    """A graph and the changes that made it what it is, as a store would keep them."""

    graph: ConceptGraph = field(default_factory=a_graph)
    changes: list[Change] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)

    def edit(self, operation: Operation, *, undoes: str | None = None) -> Change | None:
        """The change that the operation makes; None where it changes nothing."""
        before, edit = self.graph, operation(self.graph)
        assert apply(before, edit.events) == edit.graph
        if not edit.events:
            return None
        change = Change(
            id=f"change {len(self.changes)}",
            branch_id="branch",
            parent_id="parent",
            before=rows_only_in(before, edit.graph),
            after=rows_only_in(edit.graph, before),
            at=NOW,
            undoes=undoes,
        )
        self.graph = edit.graph
        self.changes.append(change)
        return change

    def undo(self, change_id: str) -> Change:
        """The change that took it back. Raises UndoRefused."""
        (place,) = (n for n, change in enumerate(self.changes) if change.id == change_id)
        change, later = self.changes[place], self.changes[place + 1 :]
        back = self.edit(lambda graph: undo_edit(graph, change, later=later, started=self.begun), undoes=change_id)
        assert back is not None
        self.changes[place] = replace(change, undone_at=LATER, undone_by=back.id)
        return back

    def titled(self, title: str) -> NodeRow:
        return self.graph.node_by_title(title)


def together(operations: Sequence[Operation]) -> Operation:
    """The operations that are not refused, as one edit."""

    def operation(graph: ConceptGraph) -> Edit:
        edit = Edit(graph)
        for one in operations:
            try:
                step = one(edit.graph)
            except InvalidGraphEdit:
                continue
            edit = replace(step, events=(*edit.events, *step.events))
        return edit

    return operation


def a_history(edits: Sequence[Sequence[Operation]]) -> History:
    """The changes of these edits that left anything."""
    history = History()
    for operations in edits:
        history.edit(together(operations))
    return history


EDITS = st.lists(st.lists(OPERATIONS, min_size=1, max_size=4), max_size=15)


def rows(graph: ConceptGraph) -> GraphRows:
    """All rows, whatever their order."""
    return GraphRows(
        tuple(sorted(graph.nodes, key=lambda node: node.id)),
        tuple(sorted(graph.edges, key=lambda edge: (edge.source_node_id, edge.target_node_id))),
    )


@given(EDITS)
@settings(max_examples=40)
def test_G3_undoing_everything_from_the_last_gives_exactly_the_first_graph(edits: list[list[Operation]]) -> None:
    history, graphs = History(), []
    for operations in edits:
        before = history.graph
        if history.edit(together(operations)) is not None:
            graphs.append(before)
    made = list(history.changes)
    for change, before in reversed(list(zip(made, graphs, strict=True))):
        if change.before != change.after:
            history.undo(change.id)
        assert rows(history.graph) == rows(before)
    assert rows(history.graph) == GraphRows()


@given(EDITS)
@settings(max_examples=40)
def test_G3_an_undo_and_its_undo_leave_everything_as_it_was(edits: list[list[Operation]]) -> None:
    history = a_history(edits)
    for change in [one for one in history.changes if one.before != one.after]:
        before = history.graph
        try:
            back = history.undo(change.id)
        except UndoRefused:
            assert history.graph == before
            continue
        again = history.undo(back.id)
        assert rows(history.graph) == rows(before)
        assert [(again.before, again.after)] == [(back.after, back.before)]


@given(EDITS, st.lists(st.integers(0, 40), max_size=25))
@settings(max_examples=40)
def test_G2_G3_undone_in_any_order_the_graph_stays_sound_and_all_other_rows_as_they_are(
    edits: list[list[Operation]], places: list[int]
) -> None:
    history, named = a_history(edits), list[str | None]()
    for place in places:
        if not history.changes:
            return
        change = history.changes[place % len(history.changes)]
        before = history.graph
        assert {*named} <= {None, *(one.id for one in history.changes if one.undone_at is None)}
        named.clear()
        if change.undone_at is not None:
            continue
        try:
            back = history.undo(change.id)
        except UndoRefused as refused:
            named.append(refused.undo_first)
            continue
        report = history.graph.validate()
        assert not report.broken, report
        assert {(node.id, node.title, node.desc) for node in back.after.nodes} == {
            (node.id, node.title, node.desc) for node in change.before.nodes
        }
        assert set(back.after.edges) == set(change.before.edges)
        touched = change.before.node_ids | change.after.node_ids
        assert {node for node in before.nodes if node.id not in touched} <= set(history.graph.nodes)


@given(EDITS)
@settings(max_examples=40)
def test_G3_the_events_of_an_undo_can_be_written_one_by_one(edits: list[list[Operation]]) -> None:
    history = a_history(edits)
    for change in reversed(history.changes):
        if change.before == change.after:
            continue
        edit = undo_edit(history.graph, change)
        assert written(history.graph, edit.events) == (
            {node.id: node for node in edit.graph.nodes},
            {(edge.source_node_id, edge.target_node_id) for edge in edit.graph.edges},
        )
        history.graph = edit.graph


def test_G3_titles_that_were_exchanged_are_exchanged_back_without_standing_twice_in_between() -> None:
    history = History(a_graph("A B"))
    a, b = history.graph.nodes
    steps: list[Operation] = [
        lambda graph: graph.update(a.id, LATER, title="C"),
        lambda graph: graph.update(b.id, LATER, title="A"),
        lambda graph: graph.update(a.id, LATER, title="B"),
    ]
    change = history.edit(together(steps))
    assert change is not None
    edit = undo_edit(history.graph, change)
    assert edit.graph.nodes == (a, b)
    graph = history.graph
    for event in edit.events:
        graph = apply(graph, [event])
        assert not graph.validate().duplicate_titles


def test_G3_a_change_on_which_another_builds_is_refused_and_that_one_named() -> None:
    builds_on: list[tuple[str, Operation, Operation]] = [
        ("changed 'Z'", adding("Z"), lambda graph: graph.update(graph.node_by_title("Z").id, LATER, desc="More.")),
        ("removed 'Z'", adding("Z"), lambda graph: graph.remove(graph.node_by_title("Z").id)),
        ("what builds on what", adding("Z"), lambda graph: graph.connect_titles("A", "Z")),
        ("removed 'B'", cutting("A", "B"), lambda graph: graph.remove(graph.node_by_title("B").id)),
        ("what builds on what", cutting("A", "B"), lambda graph: graph.connect_titles("A", "B")),
    ]
    for reason, first, second in builds_on:
        history = History(a_graph("A B", "A>B"))
        one, other = history.edit(first), history.edit(second)
        assert one is not None
        assert other is not None
        with pytest.raises(UndoRefused, match=reason) as refused:
            history.undo(one.id)
        assert refused.value.undo_first == other.id
        history.undo(other.id)
        history.undo(one.id)
        assert drawn(history.graph) == {"A>B"}
        assert len(history.graph.nodes) == 2


def test_G2_an_undo_that_would_close_a_cycle_is_refused_with_the_way_round() -> None:
    history = History(a_graph("A B", "A>B"))
    change = history.edit(cutting("A", "B"))
    history.edit(lambda graph: graph.connect_titles("B", "A"))
    assert change is not None
    with pytest.raises(UndoRefused, match="'A' → 'B' → 'A'") as refused:
        history.undo(change.id)
    assert refused.value.undo_first is None


def test_G2_an_undo_that_would_give_a_title_twice_is_refused_with_the_title() -> None:
    history = History(a_graph("A"))
    change = history.edit(lambda graph: graph.remove(graph.node_by_title("A").id))
    history.edit(adding("ａ"))
    assert change is not None
    with pytest.raises(UndoRefused, match="rename"):
        history.undo(change.id)
    history.edit(lambda graph: graph.update(graph.node_by_title("a").id, LATER, title="Other"))
    history.undo(change.id)
    assert [node.title for node in history.graph.nodes] == ["Other", "A"]


def test_G4_what_the_learner_has_begun_does_not_go_with_an_undo() -> None:
    history = History(a_graph("A"))
    change = history.edit(adding("Z"))
    assert change is not None
    history.begun = {history.titled("Z").id, history.titled("A").id}
    with pytest.raises(UndoRefused, match="started 'Z'"):
        history.undo(change.id)
    assert [node.title for node in history.graph.nodes] == ["A", "Z"]
    removal = history.edit(lambda graph: graph.remove(graph.node_by_title("A").id))
    assert removal is not None
    history.undo(removal.id)  # what comes back is not lost


def test_a_change_that_left_nothing_or_is_no_longer_as_it_left_it_is_refused() -> None:
    history = History(a_graph("A B"))
    empty = history.edit(together([adding("Z"), lambda graph: graph.remove(graph.node_by_title("Z").id)]))
    assert empty is not None
    with pytest.raises(UndoRefused, match="nothing to undo"):
        history.undo(empty.id)
    change = history.edit(lambda graph: graph.connect_titles("A", "B"))
    assert change is not None
    with pytest.raises(UndoRefused, match="by hand"):
        undo_edit(a_graph("A B"), change)


def test_an_undo_leaves_the_accuracy_of_a_node_as_it_is_by_now() -> None:
    history = History(a_graph("A"))
    (old,) = history.graph.nodes
    change = history.edit(lambda graph: graph.update(old.id, LATER, title="B"))
    assert change is not None
    (renamed,) = history.graph.nodes
    history.graph = replace(history.graph, nodes=(renamed.model_copy(update={"accuracy_score": 0.5}),))
    history.undo(change.id)
    assert history.graph.nodes == (old.model_copy(update={"accuracy_score": 0.5}),)


def test_what_stands_of_a_change_that_was_undone_and_brought_back_often_is_found_at_once() -> None:
    history = History()
    last = history.edit(adding("A"))
    assert last is not None
    for _ in range(1500):
        last = history.undo(last.id)
    assert effective_changes(history.changes) == [last]
    assert effective_changes(history.changes[1:]) == []
    assert [node.title for node in history.graph.nodes] == ["A"]


def test_a_change_is_told_in_few_words() -> None:
    history = History(a_graph("A"))
    many = history.edit(together([adding(f"N{n}") for n in range(5)]))
    assert many is not None
    assert many.summary == "you added 'N0', added 'N1', added 'N2', 2 more"
    assert replace(many, run_id="run").summary.startswith("an agent added")


def adding(title: str) -> Operation:
    return lambda graph: graph.add(title, None, NOW)


def cutting(source: str, target: str) -> Operation:
    return lambda graph: graph.disconnect(graph.node_by_title(source).id, graph.node_by_title(target).id)

"""Evidence for a change of a path, its allowed size, and forbidden changes (teaching.md §5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.errors import InvalidGraphEdit, NoChangeNeeded
from sprout.learning.graph.changes import Change, GraphRows, rows_only_in
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.graph.traversal import reachable
from sprout.learning.mastery.adaptation import AnsweredQuestion, NodeProgress, ReviewedAnswers, mark_reviewed
from sprout.learning.mastery.adaptation_rules import (
    MAX_CHANGES,
    MAX_OPEN,
    MAX_REPAIRS,
    blank_evidence,
    bridge_edit,
    check_addition,
    check_limits,
    check_reason,
    check_removal,
    check_repair_limit,
    cite,
    closing_nodes,
    faults,
    new_faults,
    require_all_right,
    require_gap,
)
from tests.learning.graph.graphs import a_graph

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def an_item(answer_id: str, *tests: str, score: float | None = 0.0, **more: object) -> AnsweredQuestion:
    item = AnsweredQuestion(answer_id, f"question of {answer_id}", "Which?", tests, 3, score)
    return replace(item, **more)  # type: ignore[arg-type]


def a_change(edit: Edit, before: ConceptGraph, id: str = "change", **more: object) -> Change:
    rows = Change(
        id, "branch", before.parent.id, rows_only_in(before, edit.graph), rows_only_in(edit.graph, before), NOW
    )
    return replace(rows, **{"run_id": "run", "agent": "concept_refinement", **more})  # type: ignore[arg-type]


def title_of(graph: ConceptGraph, node_id: str) -> str:
    return graph.node(node_id).title


def edges(graph: ConceptGraph) -> set[str]:
    return {f"{title_of(graph, e.source_node_id)}>{title_of(graph, e.target_node_id)}" for e in graph.edges}


def bridge(graph: ConceptGraph, title: str, before: Sequence[str], after: Sequence[str]) -> Edit:
    return bridge_edit(graph, title, "It helps.", before, after, NOW, reason="Added because.")


MISSED = (an_item("a", "n1"), an_item("b", "n2"))


def test_two_graded_unaided_answers_are_evidence() -> None:
    assert cite(MISSED, ["b", "a", "b"], ()) == [MISSED[1], MISSED[0]]


@pytest.mark.parametrize(
    ("ids", "message"),
    [(["a"], "may be a slip"), (["a", "a"], "may be a slip"), (["a", "z"], "'z' is no answer"), ([], "slip")],
)
def test_one_answer_or_an_unknown_one_is_no_evidence(ids: list[str], message: str) -> None:
    with pytest.raises(InvalidGraphEdit, match=message):
        cite(MISSED, ids, ())


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({"score": None}, "not graded"),
        ({"help_level": 1}, "with help"),
        ({"contested": True}, "contested"),
        ({"blank": True}, "I don't know"),
    ],
)
def test_never_an_ungraded_aided_contested_or_skipped_answer(odd: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidGraphEdit, match=message):
        cite([MISSED[0], replace(MISSED[1], **odd)], ["a", "b"], ())  # type: ignore[arg-type]


def test_never_two_changes_for_one_piece_of_evidence() -> None:
    graph = a_graph("A B", "A>B")
    change = a_change(bridge(graph, "X", ["A"], ["B"]), graph, evidence=("a", "c"))
    with pytest.raises(InvalidGraphEdit, match="led to a change already"):
        cite(MISSED, ["a", "b"], [change])
    undone_by_learner = Change("undo", "branch", "p", GraphRows(), GraphRows(), NOW, undoes="change")
    with pytest.raises(InvalidGraphEdit, match="led to a change already"):
        cite(MISSED, ["a", "b"], [change, undone_by_learner])
    rolled_back = replace(undone_by_learner, run_id="run")
    assert cite(MISSED, ["a", "b"], [change, rolled_back]), "what the run took back itself has used nothing up"


def test_a_miss_with_firm_prerequisites_is_the_tutors_business() -> None:
    with pytest.raises(InvalidGraphEdit, match="what it rests on is firm"):
        require_gap([an_item("a", "n1"), an_item("b", "n1")])
    require_gap(MISSED)
    require_gap([an_item("a", "n1", misconceptions=("M",)), an_item("b", "n1", misconceptions=("M", "N"))])


def test_a_right_answer_shows_no_gap_and_a_wrong_one_opens_no_door() -> None:
    right = an_item("c", "n3", score=0.8)
    with pytest.raises(InvalidGraphEdit, match="shows no gap"):
        require_gap([MISSED[0], right])
    with pytest.raises(InvalidGraphEdit, match="right without help"):
        require_all_right([MISSED[0], right])
    require_all_right([right, replace(right, answer_id="d")])


def test_options_picked_by_one_who_writes_nothing_show_no_gap() -> None:
    picked = [replace(one, choice=True) for one in MISSED]
    with pytest.raises(InvalidGraphEdit, match="may be guessing"):
        require_gap(picked, [*picked, an_item("c", "n3", score=None, blank=True)])
    require_gap(picked, [*picked, an_item("c", "n3")])


def test_blank_answers_are_evidence_for_an_easier_entry_alone_and_only_throughout() -> None:
    blank = [an_item(one, "n1", score=None, blank=True) for one in "abc"]
    assert blank_evidence(blank, ["a", "b"], (), is_entry=True) == blank[:2]
    assert blank_evidence(blank, ["a", "b"], (), is_entry=False) is None
    assert blank_evidence(blank[:2], ["a", "b"], (), is_entry=True) is None
    assert blank_evidence([*blank, MISSED[0]], ["a", "b"], (), is_entry=True) is None


@pytest.mark.parametrize("reason", ["", "  \n ", "word " * 31])
def test_a_reason_is_there_and_has_at_most_thirty_words(reason: str) -> None:
    with pytest.raises(InvalidGraphEdit, match=r"[Ss]ay"):
        check_reason(reason)
    assert check_reason("  Added \n because. ") == "Added because."
    assert check_reason("word " * 30)


def a_proof(graph: ConceptGraph, title: str, **more: object) -> list[AnsweredQuestion]:
    node_id = graph.node_by_title(title).id
    return [an_item(one, node_id, score=1.0, **more) for one in "ab"]


def test_a_learned_part_that_was_not_begun_may_go() -> None:
    graph = a_graph("A B C", "A>B B>C")
    node = graph.node_by_title("B")
    check_removal(graph, node, a_proof(graph, "B"), {node.id: NodeProgress(0.9, learned=True)}, [])


def test_three_right_choices_are_no_luck() -> None:
    graph = a_graph("A B C", "A>B B>C")
    node = graph.node_by_title("B")
    choices = [an_item(one, node.id, score=1.0, choice=True) for one in "abc"]
    check_removal(graph, node, choices, {node.id: NodeProgress(0.9, learned=True)}, [])


@pytest.mark.parametrize(
    ("title", "known", "odd", "message"),
    [
        ("B", NodeProgress(0.9, learned=True, started=True), {}, "has begun 'B'"),
        ("C", NodeProgress(0.9, learned=True), {}, "brings the others together"),
        ("B", NodeProgress(0.6), {}, "is learned"),
        ("B", NodeProgress(0.9, learned=True), {"choice": True}, "lucky choices"),
        ("B", NodeProgress(0.9, learned=True), {"difficulty": 2}, "difficulty 3"),
        ("B", NodeProgress(0.9, learned=True), {"score": 0.6}, "right answers"),
        ("B", NodeProgress(0.9, learned=True), {"tests": ("other",)}, "is not about 'B'"),
    ],
)
def test_G4_what_is_begun_closing_or_not_proved_stays(
    title: str, known: NodeProgress, odd: dict[str, object], message: str
) -> None:
    graph = a_graph("A B C", "A>B B>C")
    node = graph.node_by_title(title)
    proof = [replace(one, **odd) for one in a_proof(graph, title)]  # type: ignore[arg-type]
    with pytest.raises(InvalidGraphEdit, match=message):
        check_removal(graph, node, proof, {node.id: known}, [])


def test_G3_what_the_learner_has_taken_back_is_not_done_again() -> None:
    graph = a_graph("A B", "A>B")
    added = a_change(bridge(graph, "X", ["A"], ["B"]), graph, "one", undone_at=NOW)
    undo = Change("undo", "branch", "p", GraphRows(), GraphRows(), NOW, undoes="one")
    target = [graph.node_by_title("B").id]
    check_addition(graph, "x", target, [])
    with pytest.raises(InvalidGraphEdit, match="taken 'x' out before"):
        check_addition(graph, "x", [], [added, undo])
    with pytest.raises(InvalidGraphEdit, match="added before 'B'"):
        check_addition(graph, "Something else", target, [added, undo])
    check_addition(graph, "Something else", target, [added, replace(undo, run_id="run")])
    check_addition(graph, "Something else", target, [added, replace(undo, undone_at=NOW)])
    removed = a_change(graph.remove(graph.node_by_title("A").id), graph, "one", undone_at=NOW)
    node, known = graph.node_by_title("A"), {graph.node_by_title("A").id: NodeProgress(0.9, learned=True)}
    with pytest.raises(InvalidGraphEdit, match="brought 'A' back"):
        check_removal(graph, node, a_proof(graph, "A"), known, [removed, undo])


def test_G3_what_the_learner_has_deleted_is_not_added_again() -> None:
    graph = a_graph("A B", "A>B")
    edit = bridge(graph, "X", ["A"], ["B"])
    added = a_change(edit, graph, "one")
    gone = a_change(edit.graph.remove(edit.graph.node_by_title("X").id), edit.graph, "two", run_id=None)
    with pytest.raises(InvalidGraphEdit, match="taken 'X' out before"):
        check_addition(graph, "X", [], [added, gone])


def some_changes(count: int, **more: object) -> list[Change]:
    graph = a_graph("A B", "A>B")
    edits = [bridge(graph, f"X{number}", ["A"], ["B"]) for number in range(count)]
    return [a_change(edit, graph, str(number), **more) for number, edit in enumerate(edits)]


def test_a_run_makes_three_changes_at_most() -> None:
    check_limits(some_changes(2), "run", adds=False, open_count=0)
    with pytest.raises(NoChangeNeeded, match="made 3 changes"):
        check_limits(some_changes(MAX_CHANGES), "run", adds=False, open_count=0)
    check_limits(some_changes(MAX_CHANGES), "another run", adds=False, open_count=0)


def test_a_concept_gets_two_additions_at_most_whatever_the_run() -> None:
    with pytest.raises(NoChangeNeeded, match="2 additions are all"):
        check_limits(some_changes(2, evidence=("a",), run_id="earlier"), "run", adds=True, open_count=0)
    check_limits(some_changes(2, evidence=("a",), undone_at=NOW), "run", adds=True, open_count=0)
    check_limits(some_changes(9), "run", adds=True, open_count=0, max_changes=10)  # those that made the concept


def test_no_more_than_twelve_parts_are_left_open() -> None:
    check_limits([], "run", adds=True, open_count=MAX_OPEN - 1)
    with pytest.raises(NoChangeNeeded, match="12 are enough"):
        check_limits([], "run", adds=True, open_count=MAX_OPEN)


def test_edges_are_not_moved_for_ever() -> None:
    graph = a_graph("A B", "A>B")
    cut = a_change(graph.disconnect(graph.node_by_title("A").id, graph.node_by_title("B").id), graph)
    check_repair_limit([cut] * (MAX_REPAIRS - 1), "run")
    with pytest.raises(NoChangeNeeded, match="edges were changed by hand"):
        check_repair_limit([cut] * MAX_REPAIRS, "run")


def test_G4_a_bridge_takes_the_place_of_the_edge_that_it_bridges() -> None:
    graph = a_graph("A B C", "A>B B>C")
    edit = bridge(graph, "X", ["A", "B"], ["C"])
    assert edges(edit.graph) == {"A>B", "B>X", "X>C"}, "A leads there over B, and B over X"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([], [], "alone it cannot be reached"),
        (["C"], ["A"], "cycle"),
        (["Z"], [], "There is no 'Z'"),
        ([], ["X"], "no 'X'"),
    ],
)
def test_G2_a_bridge_that_leads_nowhere_or_back_is_refused(before: list[str], after: list[str], message: str) -> None:
    with pytest.raises(InvalidGraphEdit, match=message):
        bridge(a_graph("A B C", "A>B B>C"), "X", before, after)


def test_the_closing_node_is_the_one_that_rests_on_the_most() -> None:
    graph = a_graph("A B C D E", "A>B B>C A>D")
    assert [title_of(graph, one) for one in closing_nodes(graph)] == ["C"]
    assert closing_nodes(a_graph("A B", "")) == frozenset()


def test_G4_only_the_faults_that_a_run_has_made_are_its_own() -> None:
    graph = a_graph("A B C", "A>B")
    assert [*faults(graph)] == [("orphan", graph.node_by_title("C").id)]
    edit = graph.disconnect(graph.node_by_title("A").id, graph.node_by_title("B").id)
    assert new_faults(edit.graph, [a_change(edit, graph)]) == ["'A' has no edge.", "'B' has no edge."]
    joined = graph.connect_titles("B", "C")
    assert new_faults(joined.graph, [a_change(joined, graph)]) == []
    both = joined.graph.connect_titles("A", "C")
    assert new_faults(both.graph, [a_change(joined, graph, "1"), a_change(both, joined.graph, "2")]) == [
        "The edge 'A' → 'C' is needless: a longer way joins them."
    ]


def test_what_was_looked_at_is_news_again_when_it_is_graded() -> None:
    open_one, closed = an_item("a", score=None), an_item("b")
    before = mark_reviewed([open_one, closed], grading_ended=True)
    assert before == ReviewedAnswers(frozenset("b"), frozenset("a"))
    assert mark_reviewed([open_one, closed], grading_ended=False) == ReviewedAnswers(frozenset("b"))
    assert mark_reviewed([replace(open_one, blank=True)], grading_ended=False) == ReviewedAnswers(
        frozenset(), frozenset("a")
    )
    assert not before.has_new([open_one, closed])
    assert before.has_new([replace(open_one, score=1.0), closed])
    assert before.has_new([open_one, closed, an_item("c", score=None)])
    assert not ReviewedAnswers().has_new([])


@given(st.data())
def test_G4_a_bridge_keeps_every_way_and_breaks_nothing(data: st.DataObject) -> None:
    letters = "ABCDEF"
    pairs = [(one, other) for at, one in enumerate(letters) for other in letters[at + 1 :]]
    chosen = data.draw(st.lists(st.sampled_from(pairs), unique=True))
    graph = a_graph(" ".join(letters), " ".join(f"{one}>{other}" for one, other in chosen))
    place = data.draw(st.integers(0, len(letters)))
    before = data.draw(st.lists(st.sampled_from(letters[:place] or "A"), unique=True, max_size=3)) if place else []
    after = data.draw(st.lists(st.sampled_from(letters[place:] or "F"), unique=True, max_size=3)) if place < 6 else []
    if not before and not after:
        return
    edit = bridge(graph, "X", before, after)
    assert set(faults(edit.graph)) <= set(faults(graph))
    ways = {(e.source_node_id, e.target_node_id) for e in graph.edges}
    now = [(e.source_node_id, e.target_node_id) for e in edit.graph.edges]
    assert all(target in reachable(now, [source]) for source, target in ways)
    new = edit.graph.node_by_title("X").id
    assert all(new in reachable(now, [graph.node_by_title(one).id]) for one in before)
    assert all(graph.node_by_title(one).id in reachable(now, [new]) for one in after)

"""The rules of the graph, one by one."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.errors import InvalidGraphEdit
from sprout.events import EdgeCreated, EdgeEnds, EdgeRemoved, NodeCreated, NodeRemoved, NodeUpdated
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE, ConceptGraph, title_key
from tests.learning.graph.graphs import LATER, NOW, a_graph, a_parent, drawn


def test_G1_children_of_a_topic_are_concepts_and_theirs_are_subconcepts() -> None:
    concept = ConceptGraph(a_parent("root")).add("Voltage", "What it is.", NOW).node
    subconcept = ConceptGraph(a_parent("concept")).add("Volts", None, NOW).node
    assert concept is not None
    assert subconcept is not None
    assert (concept.type, concept.parent_id, concept.branch_id, concept.user_id) == (
        "concept",
        "parent",
        "branch",
        "ada",
    )
    assert (concept.desc, concept.created_at) == ("What it is.", "2026-11-20T09:30:00.000Z")
    assert subconcept.type == "subconcept"


def test_G1_nothing_grows_under_a_subconcept() -> None:
    with pytest.raises(InvalidGraphEdit, match="'Electric circuits': it is a subconcept"):
        ConceptGraph(a_parent("subconcept")).add("Volts", None, NOW)


def test_G2_saving_a_title_again_returns_the_node_that_is_there_without_an_event() -> None:
    graph = a_graph("Voltage")
    edit = graph.add("  VOLTAGE ", "another text", LATER)
    assert edit.node == graph.nodes[0]
    assert (edit.graph, edit.events, edit.created) == (graph, (), False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ohm's law", "OHM'S   LAW\n"),
        ("Straße", "STRASSE"),
        ("ﬁelds", "fields"),
        ("Café", "Cafe\u0301"),
        ("１２ volts", "12 VOLTS"),
        ("Power", "Po\u200bwer\u202e"),
        ("Café", "Cafe\u200b\u0301"),
    ],
)
def test_G2_titles_are_the_same_but_for_capitals_spaces_and_unicode_forms(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)
    assert not a_graph().add(one, None, NOW).graph.add(other, None, NOW).created


@given(st.text(max_size=40))
def test_G2_the_key_of_a_key_is_the_key(title: str) -> None:
    assert title_key(title_key(title)) == title_key(title)
    assert title_key(unicodedata.normalize("NFKD", title)) == title_key(title)
    assert title_key(f" {title}\t") == title_key(title)


@pytest.mark.parametrize("title", ["", "  ", "\u200b", "\u202e\n\t"])
def test_an_empty_title_is_refused(title: str) -> None:
    with pytest.raises(InvalidGraphEdit, match="empty"):
        a_graph().add(title, None, NOW)


def test_an_over_long_title_or_description_is_refused_and_the_limit_named() -> None:
    with pytest.raises(InvalidGraphEdit, match="201 characters, at most 200"):
        a_graph().add("x" * (MAX_TITLE + 1), None, NOW)
    with pytest.raises(InvalidGraphEdit, match="at most 4000"):
        a_graph().add("x", "y" * (MAX_DESC + 1), NOW)


def test_titles_are_kept_as_one_visible_line() -> None:
    node = a_graph().add(" Series\n circuits\u202e ", " line\r\nline ", NOW).node
    assert node is not None
    assert (node.title, node.desc) == ("Series circuits", "line\nline")


def test_G2_a_cycle_is_refused_with_an_error_that_names_it() -> None:
    graph = a_graph("A B C", "A>B B>C")
    with pytest.raises(InvalidGraphEdit, match="'C' → 'A' would close a cycle: 'C' → 'A' → 'B' → 'C'"):
        graph.connect_titles("C", "A")


def test_G2_an_edge_to_itself_is_refused() -> None:
    with pytest.raises(InvalidGraphEdit, match="'A' cannot be its own prerequisite"):
        a_graph("A").connect_titles("A", "a ")


def test_G2_an_edge_to_a_stranger_is_refused() -> None:
    graph = a_graph("A")
    with pytest.raises(InvalidGraphEdit, match="'somebody' is not one of the nodes under 'Electric circuits'"):
        graph.connect(graph.nodes[0].id, "somebody")


def test_an_unknown_title_is_refused_with_the_titles_that_there_are() -> None:
    with pytest.raises(InvalidGraphEdit, match=r"There is no 'C' here\. There are: 'A', 'B'\."):
        a_graph("A B").connect_titles("A", "C")
    with pytest.raises(InvalidGraphEdit, match="Nothing has been saved yet"):
        a_graph().connect_titles("A", "B")


def test_an_edge_that_is_there_makes_no_event() -> None:
    graph = a_graph("A B", "A>B")
    assert graph.connect_titles("A", "B").events == ()


def test_G3_every_change_is_an_event_with_its_reason() -> None:
    graph = a_graph("A B")
    a, b = graph.nodes
    ends = EdgeEnds(source_node_id=a.id, target_node_id=b.id)
    joined = graph.connect(a.id, b.id, reason="B uses A")
    assert joined.events == (EdgeCreated(edge=ends, reason="B uses A"),)
    parted = joined.graph.disconnect(a.id, b.id, reason="it does not")
    assert parted.events == (EdgeRemoved(source_node_id=a.id, target_node_id=b.id, reason="it does not"),)
    assert parted.graph == graph
    made = graph.add("C", None, NOW, reason="a gap")
    assert made.node is not None
    assert made.events == (NodeCreated(node=made.node, reason="a gap"),)


def test_disconnecting_what_is_not_joined_changes_nothing() -> None:
    graph = a_graph("A B")
    assert graph.disconnect(graph.nodes[0].id, graph.nodes[1].id).events == ()


def test_G4_removing_joins_prerequisites_to_dependents() -> None:
    graph = a_graph("A B X C D", "A>X B>X X>C X>D")
    edit = graph.remove(graph.node_by_title("X").id, reason="mastered")
    assert drawn(edit.graph) == {"A>C", "A>D", "B>C", "B>D"}
    assert [type(event) for event in edit.events] == [EdgeRemoved] * 4 + [NodeRemoved] + [EdgeCreated] * 4
    assert {event.reason for event in edit.events} == {"mastered"}


def test_G4_removing_adds_no_duplicate_and_no_needless_edge() -> None:
    graph = a_graph("A B X C D", "A>B A>X B>X X>C X>D C>D A>C")
    assert drawn(graph.remove(graph.node_by_title("X").id).graph) == {"A>B", "B>C", "C>D", "A>C"}


def test_removing_what_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidGraphEdit, match="'nobody'"):
        a_graph("A").remove("nobody")


def test_G4_inserting_before_and_after_takes_over_the_edges() -> None:
    graph = a_graph("A B X C", "A>X B>X X>C")
    x = graph.node_by_title("X").id
    assert drawn(graph.insert_before(x, "N", None, NOW).graph) == {"A>N", "B>N", "N>X", "X>C"}
    assert drawn(graph.insert_after(x, "N", None, NOW).graph) == {"A>X", "B>X", "X>N", "N>C"}


def test_inserting_a_title_that_is_there_is_refused() -> None:
    graph = a_graph("A B", "A>B")
    with pytest.raises(InvalidGraphEdit, match="already is 'b' here: connect it"):
        graph.insert_before(graph.node_by_title("A").id, "b", None, NOW)


def test_an_update_is_one_event_with_the_whole_row() -> None:
    graph = a_graph("A B")
    a = graph.node_by_title("A")
    edit = graph.update(a.id, LATER, title="Amperes", desc="How much flows.")
    (event,) = edit.events
    assert isinstance(event, NodeUpdated)
    assert (event.node.id, event.node.title, event.node.desc) == (a.id, "Amperes", "How much flows.")
    assert (event.node.created_at, event.node.updated_at) == (a.created_at, "2026-11-20T09:31:00.000Z")
    assert [node.title for node in edit.graph.nodes] == ["Amperes", "B"]


def test_an_update_to_the_same_makes_no_event_and_to_a_siblings_title_is_refused() -> None:
    graph = a_graph("A B")
    a = graph.node_by_title("A").id
    assert graph.update(a, LATER, title="A").events == ()
    assert graph.update(a, LATER, title="a").graph.node_by_title("A").title == "a"
    with pytest.raises(InvalidGraphEdit, match="already is 'B'"):
        graph.update(a, LATER, title=" b")


def test_G4_validate_finds_nothing_in_a_sound_graph() -> None:
    report = a_graph("A B C", "A>B B>C").validate()
    assert not report.broken
    assert (report.orphans, report.redundant, len(report.components)) == ((), (), 1)
    assert not a_graph("A").validate().orphans


def test_G4_validate_reports_orphans_redundant_edges_and_parts() -> None:
    graph = a_graph("A B C D E O", "A>B B>C A>C D>E")
    report = graph.validate()
    titles = {node.id: node.title for node in graph.nodes}
    assert [titles[orphan] for orphan in report.orphans] == ["O"]
    assert [(titles[edge.source_node_id], titles[edge.target_node_id]) for edge in report.redundant] == [("A", "C")]
    assert [[titles[node] for node in part] for part in report.components] == [["A", "B", "C"], ["D", "E"], ["O"]]
    assert not report.broken


def test_G4_validate_reports_what_only_a_damaged_store_can_hold() -> None:
    sound = a_graph("A B C D", "A>B B>C")
    a, b, c, d = (node.id for node in sound.nodes)
    back = EdgeEnds(source_node_id=c, target_node_id=a)
    twice = EdgeEnds(source_node_id=a, target_node_id=b)
    loose = EdgeEnds(source_node_id=d, target_node_id="gone")
    twin = sound.nodes[0].model_copy(update={"id": "twin", "title": " a"})
    report = ConceptGraph(sound.parent, (*sound.nodes, twin), (*sound.edges, back, twice, loose)).validate()
    assert report.broken
    assert report.cycles == ((a, b, c),)
    assert set(report.unreachable) == {a, b, c}
    assert report.duplicate == (twice,)
    assert report.dangling == (loose,)
    assert report.duplicate_titles == ("twin",)

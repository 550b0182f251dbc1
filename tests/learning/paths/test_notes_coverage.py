"""Coverage of documents by concepts: what is left out and why, and the edit that brings a section in."""

from dataclasses import replace

import pytest

from harness.documents.office_files import slides_file, word_file
from sprout.clock import utc_now
from sprout.documents.formats.powerpoint import read_powerpoint
from sprout.documents.formats.readers import Reader, read_document
from sprout.documents.formats.web_page import read_web_page
from sprout.documents.formats.word import read_word
from sprout.documents.limits import ReadingLimits
from sprout.errors import BadInput, NotFound
from sprout.events import NodeRow, wire_time
from sprout.learning.graph.graph import ConceptGraph
from sprout.learning.paths.heading_names import description_of, heading_names
from sprout.learning.paths.notes_coverage import DocumentText, NotesCoverage, PassagePlace
from sprout.offline.notes.language import CODES

SAID = "It says so in many words that can be learned one by one, and then again in other words, so that it is long. "
NOTES = f"""# Optics

## Light

{SAID * 2}

### Exercises

1. What is light?
2. Why is it fast?

## Mirrors

{SAID * 2}

### Flat ones

{SAID * 2}

### Bent ones

{SAID * 2}

## Lenses

A short word on lenses.

## Exercises

1. What is a mirror?
2. What is a lens?

## References

- Hecht, E. (2016). Optics. Pearson.
- Born, M. (1999). Principles of Optics. Cambridge.
"""
EARLY, LATE = "2026-01-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"


def a_document(text: str = NOTES, name: str = "notes.md", places: tuple[PassagePlace, ...] = ()) -> DocumentText:
    return DocumentText(name, name, text, slides=False, added_at=EARLY, passages=places)


def a_graph(**descs: str) -> ConceptGraph:
    now = wire_time(utc_now())
    parent = NodeRow(
        id="root", user_id="u", type="root", branch_id="b", parent_id=None, title="Optics", desc=None,
        accuracy_score=0.0, created_at=now, updated_at=now,
    )  # fmt: skip
    graph = ConceptGraph(parent)
    for title, desc in descs.items():
        graph = graph.add(title, desc, utc_now()).graph
    return graph


def left_out(graph: ConceptGraph, *documents: DocumentText) -> list[tuple[str, str]]:
    """Title and reason of each, a text before subsections with its mark."""
    found = NotesCoverage(documents or [a_document()], graph.nodes).left_out()
    return [(one.title + " …" * one.opening, one.reason.value) for one in found]


def start_of(heading: str, text: str = NOTES) -> int:
    return text.index(heading)


def test_S1_what_no_concept_names_stands_in_the_order_of_the_text_with_its_reason() -> None:
    graph = a_graph(Light="In your notes: Light", Mirrors="In your notes: Mirrors …")
    assert left_out(graph) == [
        ("Exercises", "exercises"),
        ("Flat ones", "no_room"),
        ("Bent ones", "no_room"),
        ("Lenses", "short"),
        ("Exercises", "exercises"),
        ("References", "references"),
    ]


def test_S1_a_section_of_which_nothing_is_taught_is_listed_once_and_without_concepts_nothing_is() -> None:
    assert ("Mirrors", "no_room") in left_out(a_graph(Light="In your notes: Light"))
    assert "Flat ones" not in dict(left_out(a_graph(Light="In your notes: Light")))
    assert left_out(a_graph()) == []


def test_S1_a_concept_that_names_no_heading_teaches_what_it_cites() -> None:
    graph = a_graph(Waves="You can say what light is: a wave, and a particle.")
    flat = start_of("### Flat ones")
    cited = PassagePlace("p1", flat, start_of("### Bent ones"), None, (graph.nodes[0].id,))
    assert left_out(graph, a_document(places=(cited,))) == [
        ("Light", "not_cited"),
        ("Mirrors …", "not_cited"),
        ("Bent ones", "not_cited"),
        ("Lenses", "short"),
        ("Exercises", "exercises"),
        ("References", "references"),
    ]


def test_S1_what_was_added_after_the_path_says_so_and_each_names_its_place() -> None:
    graph = a_graph(Light="In your notes: Light")
    places = (PassagePlace("p1", 0, 10, 1, ()), PassagePlace("p2", 10, 10_000, 2, ()))
    later = replace(a_document(f"# Prisms\n\n{SAID}{SAID}", "more.md", places), added_at="2999-01-01T00:00:00.000Z")
    found = NotesCoverage([a_document(), later], graph.nodes).left_out()
    assert [(one.title, one.reason.value, one.passage_id, one.page) for one in found if one.document == "more.md"] == [
        ("Prisms", "added_later", "p1", 1)
    ]


@pytest.mark.parametrize(
    ("heading", "title", "desc", "before"),
    [
        ("### Exercises", "Light: Exercises", "In your notes: Light › Exercises", "Light"),
        ("## Exercises", "Exercises", "In your notes: Optics › Exercises", "Mirrors"),
        ("### Bent ones", "Bent ones", "In your notes: Bent ones", "Mirrors"),
        ("## References", "References", "In your notes: References", "Mirrors"),
    ],
)
def test_S1_a_section_is_brought_in_behind_the_concept_before_it_and_named_so_that_it_is_found(
    heading: str, title: str, desc: str, before: str
) -> None:
    graph = a_graph(Light="In your notes: Light", Mirrors="In your notes: Mirrors …")
    documents = [a_document()]
    at = NOTES.index(f"\n{heading}\n") + 1
    edit = NotesCoverage(documents, graph.nodes).bring_in(graph, "notes.md", at, utc_now())
    assert edit.node is not None
    assert (edit.created, edit.node.title, edit.node.desc) == (True, title, desc)
    assert [edit.graph.node(one).title for one in edit.graph.prerequisites(edit.node.id)] == [before]
    assert at not in [one.start for one in NotesCoverage(documents, edit.graph.nodes).left_out()]

    again = NotesCoverage(documents, edit.graph.nodes).bring_in(edit.graph, "notes.md", at, utc_now())
    assert (again.created, again.events, again.node) == (False, (), edit.node)


def test_S1_what_precedes_all_concepts_is_an_entry_and_a_taken_title_is_not_the_section() -> None:
    graph = a_graph(Lenses="In your notes: Lenses", Light="The learner counts lamps.")
    edit = NotesCoverage([a_document()], graph.nodes).bring_in(graph, "notes.md", start_of("## Light"), utc_now())
    assert edit.node is not None
    assert (edit.created, edit.node.title) == (True, "Light (2)")
    assert edit.graph.prerequisites(edit.node.id) == ()


def test_S1_a_text_before_subsections_that_are_taught_is_brought_in_alone_and_in_the_language_of_the_notes() -> None:
    said = "Das Licht ist eine Welle und wird von den Spiegeln nicht verschluckt, weil es so ist. "
    german = f"# Licht\n\n{said * 4}\n\n## Spiegel\n\n{said * 2}"
    graph = a_graph(Waves="Was ein Spiegel tut.")
    cited = PassagePlace("p1", german.index("## Spiegel"), len(german), None, (graph.nodes[0].id,))
    coverage = NotesCoverage([a_document(german, places=(cited,))], graph.nodes)
    edit = coverage.bring_in(graph, "notes.md", 0, utc_now())
    assert edit.node is not None
    assert edit.node.desc == "In deinen Notizen: Licht …"


def test_S1_a_section_that_is_not_there_or_says_nothing_is_refused() -> None:
    graph = a_graph(Light="In your notes: Light")
    coverage = NotesCoverage([a_document(NOTES + "\n## Numbers\n\n1 2 3\n")], graph.nodes)
    for document, start in (("other.md", 0), ("notes.md", 3)):
        with pytest.raises(NotFound):
            coverage.bring_in(graph, document, start, utc_now())
    with pytest.raises(BadInput, match="no words to learn under 'Numbers'"):
        coverage.bring_in(graph, "notes.md", len(NOTES) + 1, utc_now())


HTML = f"<main><h1>Light</h1><p>{SAID * 2}</p><h1>Exercises</h1><p>What is light?</p><p>Why?</p></main>".encode()


@pytest.mark.parametrize(
    ("reader", "content", "taught", "left"),
    [
        (read_web_page, HTML, "Light", ["Exercises"]),
        (read_powerpoint, slides_file(), "Brüche", ["Im Kopf rechnen"]),
        (read_word, word_file(), "something else", ["Wärmelehre"]),
    ],
)
def test_S1_sections_of_every_kind_of_document_can_be_left_out(
    reader: Reader, content: bytes, taught: str, left: list[str]
) -> None:
    text = read_document(reader, content, ReadingLimits()).text
    found = left_out(a_graph(One=f"In your notes: {taught}"), a_document(text))
    assert [title for title, _ in found] == left


@pytest.mark.parametrize("code", CODES)
def test_descriptions_name_what_they_name_in_every_language_of_notes(code: str) -> None:
    others = {description_of("", language=other) for other in CODES if other != code}
    assert description_of("", language=code) not in others
    (name,) = heading_names(description_of("Optics › 2. Mirrors …", language=code))
    assert (name.keys, name.opening) == (("optics", "mirrors"), True)

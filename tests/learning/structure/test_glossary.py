"""Terms and definitions read out of a document."""

from sprout.learning.structure.glossary import glossary_entries
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.roles import classify


def entries(text: str) -> list[tuple[str, str]]:
    return [(each.term, each.definition) for each in glossary_entries(classify(read_structure(text), text))]


def test_terms_are_read_however_they_are_set() -> None:
    text = """# Glossar

**Zelle**: kleinste Einheit

- *Kern* – enthält die DNA
- Wand: umgibt die Zelle

Gewebe
: viele Zellen

| Wort | Sinn |
|---|---|
| Organ | viele Gewebe |
"""
    assert entries(text) == [
        ("Zelle", "kleinste Einheit"),
        ("Kern", "enthält die DNA"),
        ("Wand", "umgibt die Zelle"),
        ("Gewebe", "viele Zellen"),
        ("Organ", "viele Gewebe"),
    ]


def test_an_entry_knows_where_it_stands() -> None:
    text = "# Glossary\n\n- cell: a unit\n- wall: a cover\n"
    (first, _) = glossary_entries(classify(read_structure(text), text))
    assert text[first.start : first.end] == "- cell: a unit"


def test_running_text_elsewhere_has_no_entries() -> None:
    assert entries("# Cells\n\n**Mind**: cells are small.\n") == []

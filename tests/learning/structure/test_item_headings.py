"""Items of a list as sections."""

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Section, iter_sections

PROSE = "Cells are the smallest units of life, and each of them comes from another cell."
LONG = "\n".join(f"    * **Part {n}:** {PROSE}" for n in range(4))


def sections(text: str) -> list[Section]:
    return [*iter_sections(read_structure(text))][1:]


def outline(text: str) -> list[tuple[int, str]]:
    return [(each.level, each.title) for each in sections(text)]


def test_long_items_with_titles_of_their_own_are_sections() -> None:
    text = (
        f"# Law\n\n1. **Theory:** What is it?\n{LONG}\n\n2. **Power:** Who has it?\n{LONG}\n\n3. **Control:**\n{LONG}\n"
    )
    assert outline(text) == [(1, "Law"), (2, "Theory"), (2, "Power"), (2, "Control")]
    theory = sections(text)[1]
    assert text_of(theory.blocks[0]).startswith("What is it?")
    assert text[theory.start :].startswith("1. **Theory:**")


def test_a_list_that_a_paragraph_cut_in_two_goes_on() -> None:
    items = "\n\n".join(f"{n}) {title}\n    - {PROSE}\n    - {PROSE}\n    - {PROSE}" for n, title in enumerate("AB", 1))
    more = f"3) Krebs cycle\n    - {PROSE}\n    - {PROSE}\n    - {PROSE}"
    last = more.replace("3) Krebs cycle", "4) Balance")
    text = f"# Respiration\n\n{items}\n\n{more}\n\nThree of four steps are done.\n\n{last}"
    assert [title for _, title in outline(text)] == ["Respiration", "A", "B", "Krebs cycle", "Balance"]


def test_short_items_and_items_without_a_title_stay_a_list() -> None:
    assert outline("# Law\n\n1. **Theory:** short\n2. **Power:** short\n3. **Control:** short\n") == [(1, "Law")]
    untitled = "\n".join(f"{n}. {PROSE} {PROSE} {PROSE} {PROSE}" for n in range(1, 4))
    assert outline(f"# Law\n\n{untitled}\n") == [(1, "Law")]
    in_text = "\n".join(f"{n}. **Cells** are small. {PROSE} {PROSE} {PROSE}" for n in range(1, 4))
    assert outline(f"# Law\n\n{in_text}\n") == [(1, "Law")]


def test_a_list_of_contents_stays_a_list() -> None:
    entries = "\n".join(
        f"- [{name} layer](#{name})\n"
        + "\n".join(f"    - [Part {part}](#{name}-{'x' * 60}-{part})" for part in range(6))
        for name in ("Upper", "Middle", "Lower")
    )
    assert outline(f"{entries}\n\n# Upper layer\n\nIt is the youngest one.") == [(1, "Upper layer")]

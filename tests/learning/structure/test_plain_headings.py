"""Headings of plain text."""

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import iter_sections

PROSE = "Cells are the smallest units of life, and each of them comes from another cell."


def outline(*parts: str) -> list[tuple[int, str]]:
    root = read_structure("\n\n".join(each for part in parts for each in (part, PROSE)))
    return [(each.level, each.title) for each in iter_sections(root)][1:]


def test_numbered_lines_nest_by_their_numbers() -> None:
    assert outline("1 Life", "1.1 Cells", "1.2 Tissue", "2 Death") == [
        (1, "1 Life"),
        (2, "1.1 Cells"),
        (2, "1.2 Tissue"),
        (1, "2 Death"),
    ]


def test_a_numbered_line_alone_is_a_heading_not_a_list_of_one() -> None:
    assert outline("1. Life", "2. Death") == [(1, "1. Life"), (1, "2. Death")]


def test_a_bold_line_with_a_number_is_a_heading_though_it_is_long_and_ends_with_a_full_stop() -> None:
    long = "**2.The tissues of plants and animals, their kinds, what they do and how they are told apart.**"
    assert outline("**1. Cells. Their parts.**", long, "**2.1. Bark.**") == [
        (1, "1. Cells. Their parts"),
        (1, "2.The tissues of plants and animals, their kinds, what they do and how they are told apart"),
        (2, "2.1. Bark"),
    ]


def test_a_bold_name_with_the_next_number_is_a_heading_before_its_own_paragraph() -> None:
    parts = ["**1) Cells**", PROSE, f"**2) Tissue:** {PROSE}", f"**4) Bark:** {PROSE}", "**5) Wood**", PROSE]
    found = list(iter_sections(read_structure("\n\n".join(parts))))[1:]
    assert [(each.title, text_of(each.blocks[0])) for each in found] == [
        ("1) Cells", PROSE),
        ("2) Tissue", PROSE),
        ("5) Wood", PROSE),
    ]


def test_chapters_stand_above_capitals_and_bold_lines() -> None:
    assert outline("Chapter 1: Life", "**Cells**", "Chapter 2: Death") == [
        (1, "Chapter 1: Life"),
        (2, "Cells"),
        (1, "Chapter 2: Death"),
    ]
    assert outline("KAPITEL II", "ZELLEN UND GEWEBE") == [(1, "KAPITEL II"), (2, "ZELLEN UND GEWEBE")]


def test_a_number_alone_takes_its_title_from_the_line_below() -> None:
    root = read_structure(f"I\n\nThe Storm\n\n{PROSE}\n\nII\nThe Calm\n\n{PROSE}")
    assert [each.title for each in root.subsections] == ["I. The Storm", "II The Calm"]


def test_headings_of_plain_text_go_below_a_lone_title() -> None:
    assert outline("# Biology", "**Cells**", "**Tissue**") == [(1, "Biology"), (2, "Cells"), (2, "Tissue")]


def test_where_headings_are_marked_bold_lines_are_emphasis() -> None:
    assert outline("# Biology", "## Cells", "**Mind this**") == [(1, "Biology"), (2, "Cells")]


def test_short_lines_over_text_are_headings_where_nothing_else_is() -> None:
    assert outline("Cells", "Tissue") == [(1, "Cells"), (1, "Tissue")]
    assert outline("Chapter 1", "Cells", "Chapter 2") == [(1, "Chapter 1"), (1, "Chapter 2")]


def test_sentences_and_entries_of_a_directory_are_no_headings() -> None:
    root = read_structure("Smith 555-0199\n\nJones 555-0123\n\nShe left.\n\n“Well?” he said.\n\nPart I of")
    assert root.subsections == ()


def test_part_i_played_is_no_chapter() -> None:
    assert outline("Part I played was small", "Part II played was large") != [(1, "Part I played was small")] * 2
    assert all(title.startswith("Part I") for _, title in outline("Part I", "Part II"))


def test_an_equation_is_no_heading() -> None:
    text = (
        "Cost of a unit\n\nIt is what one piece costs us to make and to sell.\n\n"
        "Margin = 24 - 18\n\nThe rest is profit for the firm.\n"
    )
    titles = [each.title for each in iter_sections(read_structure(text)) if each.title]
    assert titles == ["Cost of a unit"]


def test_a_numbered_line_may_end_with_a_colon_and_what_leads_a_list_in_may_not() -> None:
    assert outline("1. Life is a wave:", "2) Matter:") == [(1, "1. Life is a wave:"), (1, "2) Matter:")]
    assert outline("The parts of it:", "The others:") == []


def test_a_line_in_bold_may_end_with_a_colon_over_text_and_not_over_a_list() -> None:
    assert outline("**Its parts:**", "**The others**") == [(1, "Its parts"), (1, "The others")]
    listed = read_structure(f"**Its parts:**\n\n- a wall\n- a core\n\n**The others**\n\n{PROSE}\n")
    assert [one.title for one in iter_sections(listed) if one.title] == ["The others"]


def test_years_make_no_equation_of_a_heading() -> None:
    assert outline("**The wars (264 – 146)**", "**The peace, 1871-1914**") == [
        (1, "The wars (264 – 146)"),
        (1, "The peace, 1871-1914"),
    ]


def test_in_a_long_section_lines_in_bold_are_headings_whether_or_not_they_have_numbers() -> None:
    text = f"{PROSE} " * 12
    marked = f"# Mills\n\n{PROSE}\n\n# Wheels\n\n**1. Wood**\n\n{text}\n\n**2. Iron**\n\n{text}\n\n**Use:**\n\n{text}\n"
    titles = [one.title for one in iter_sections(read_structure(marked)) if one.title]
    assert titles == ["Mills", "Wheels", "1. Wood", "2. Iron", "Use"]


def test_short_lines_right_over_paragraphs_are_headings_where_most_have_one() -> None:
    text = "\n\n".join(f"{title}\n{PROSE} {PROSE}" for title in ("Birth", "Growth", "Death"))
    (birth, *_), root = read_structure(text).subsections, read_structure(text)
    assert [each.title for each in root.subsections] == ["Birth", "Growth", "Death"]
    (said,) = birth.blocks
    assert text[said.start : said.end] == f"{PROSE} {PROSE}"


def test_the_first_lines_of_poems_and_of_wrapped_prose_are_no_headings() -> None:
    poem = "\n\n".join("The cell is small\nand so am I\nwe grow and split\nand never die" for _ in range(4))
    prose = "\n\n".join(f"{PROSE}\n{PROSE} {PROSE}" for _ in range(4))
    assert [read_structure(text).subsections for text in (poem, prose)] == [(), ()]


def test_lines_in_capitals_right_over_others_are_headings() -> None:
    text = "\n\n".join(
        f"{title}\nseen on {day} May\n\n- {PROSE}" for day, title in enumerate(("CELLS", "GENES", "DEATH"))
    )
    assert [each.title for each in read_structure(text).subsections] == ["CELLS", "GENES", "DEATH"]


def test_a_heading_on_two_lines_is_one() -> None:
    text = f"CELLS\n\n{PROSE}\n\nGENES AND\n\nTHEIR DEATH\n\n{PROSE}\n"
    assert [each.title for each in read_structure(text).subsections] == ["CELLS", "GENES AND THEIR DEATH"]


def test_lines_with_a_colon_head_a_text_that_consists_of_the_lists_under_them() -> None:
    names = ("Parts of a cell", "Kinds of tissue", "Ways to grow", "Ways to die")
    text = "\n\n".join(f"{name}:\n\n- {PROSE}\n- {PROSE}" for name in names)
    assert [each.title for each in read_structure(text).subsections] == [*names]
    assert read_structure("\n\n".join(text.split("\n\n")[:4])).subsections == (), "two of them lead lists in"


def test_an_indented_sign_of_a_heading_marks_an_item() -> None:
    notes = f"Cells\n\n{PROSE}\n\n  # they grow\n  # they split\n  # they die\n\n{PROSE}\n\nTissue\n\n{PROSE}"
    assert [each.title for each in read_structure(notes).subsections] == ["Cells", "Tissue"]


def test_many_short_lines_over_text_are_headings_beside_a_few_in_capitals() -> None:
    titles = ("Birth", "DNA AND RNA", "Growth", "GENES", *(f"Cell {letter}" for letter in "BCDEFGHIJK"))
    assert outline(*titles) == [(1, title) for title in titles]


def test_a_sentence_over_a_ruled_line_is_no_heading() -> None:
    ruled = "It is often said that cells come from cells.\n=============================================\n\n"
    assert read_structure(f"{ruled}{PROSE}").subsections == ()
    assert [each.title for each in read_structure(f"Cells\n=====\n\n{PROSE}").subsections] == ["Cells"]
    assert read_structure(f"# =====\n\n{PROSE}").subsections == (), "marks are no name"


def test_a_title_in_capitals_below_a_number_may_be_long_and_have_two_lines() -> None:
    title = "THE SYSTEMS OF TWO MONKS AND THE FIRST STEPS\nOF SINGING IN SEVERAL VOICES"
    root = read_structure("".join(f"{number}\n\n{title} {number}\n\n{PROSE}\n\n" for number in ("I", "II")))
    assert [each.title for each in root.subsections] == [f"{at}. {' '.join(title.split())} {at}" for at in ("I", "II")]


def test_lines_behind_a_picture_are_headings_if_there_are_several() -> None:
    assert outline("📌 Cells", "🔬 Tissue", "🔵 Organs") == [(1, "Cells"), (1, "Tissue"), (1, "Organs")]
    assert outline("👉 Mind this", "Cells") == [(1, "Cells")]


def test_a_chapter_behind_a_picture_is_a_chapter() -> None:
    assert outline("📌 Chapter 1 – Life", "🔬 Chapter 2 – Death", "🔵 Cells", "🟠 Organs", "🔴 Skin")[:3] == [
        (1, "Chapter 1 – Life"),
        (1, "Chapter 2 – Death"),
        (2, "Cells"),
    ]


def test_some_lines_may_stand_before_a_lone_title() -> None:
    assert outline("Anna, third year", "# Biology", "**Cells**", "**Tissue**") == [
        (1, "Biology"),
        (2, "Cells"),
        (2, "Tissue"),
    ]


def test_bold_lines_head_the_parts_of_a_long_section_though_headings_are_marked() -> None:
    long = "\n\n".join([PROSE] * 10)
    marked = (
        f"# Kant\n\n## Notes\n\n**preface**\n\n{long}\n\n**duty**\n\n{long}\n\n**reason**\n\n{PROSE}\n\n## Quotes\n\n"
    )
    titles = [(each.level, each.title) for each in iter_sections(read_structure(marked + PROSE))][1:]
    assert titles == [(1, "Kant"), (2, "Notes"), (3, "preface"), (3, "duty"), (3, "reason"), (2, "Quotes")]


def test_lines_over_lists_head_the_parts_of_a_long_section_though_headings_are_marked() -> None:
    names = ("The sea:", "The lake:", "The river:", "The brook:")
    lists = "\n\n".join(f"{name}\n\n- {PROSE}\n- {PROSE}" for name in (*names, "The well"))
    text = f"# Water\n\n## Where it is\n\n{PROSE * 12}\n\n{lists}\n\n## How it moves\n\n{PROSE}\n"
    titles = [each.title for each in iter_sections(read_structure(text)) if each.level == 3]
    assert titles == ["The sea", "The lake", "The river", "The brook", "The well"]


def test_the_labels_of_a_drawing_head_nothing() -> None:
    labels = ("Sensory memory", "Short-term memory", "Long-term memory", "attention", "Rehearsal")
    assert outline("Cells", "\n\n".join(labels), "Tissue") == [(1, "Cells"), (1, "Tissue")]


def test_lines_over_lists_are_headings_from_three_on_where_the_text_begins_with_one() -> None:
    lists = [f"{name}:\n\n- {PROSE}\n- {PROSE}" for name in ("The sea", "The lake", "The river")]
    assert outline(*lists) == [(1, "The sea"), (1, "The lake"), (1, "The river")]
    assert outline(f"- {PROSE}\n- {PROSE}", *lists) == []


def test_lines_in_capitals_head_the_parts_of_a_long_section_though_headings_are_marked() -> None:
    names = ("THE SEA", "THE LAKE", "THE RIVER")
    text = "# Water\n\n## Where it is\n\n" + "".join(f"{name}\n\n{PROSE * 8}\n\n" for name in names)
    titles = [each.title for each in iter_sections(read_structure(f"{text}## How it moves\n\n{PROSE}\n"))]
    assert titles[2:] == ["Where it is", *names, "How it moves"]


def test_lines_of_a_text_that_is_broken_anywhere_head_nothing() -> None:
    said = (
        "Then he asked what a duty is and",
        "said that nobody had told him of one, which was true of the rest as well",
    )
    broken = read_structure("\n\n".join(said * 4))
    assert [each.title for each in iter_sections(broken)] == [""]
    line = "The duty of care"
    below = read_structure(f"{line}\n\n{PROSE}\n\nThe duty to act and\n\nto say so is an old one: {PROSE}\n\n{PROSE}")
    assert [each.title for each in iter_sections(below)] == ["", line]


def test_text_without_an_end_has_pieces() -> None:
    lines = [f"{number} so we come to the rock that was under the water" for number in range(300)]
    text = "\n".join(lines)
    blocks = read_structure(text).blocks
    assert len(blocks) > 10
    assert "".join(text[block.start : block.end] for block in blocks) == text
    assert " ".join(map(text_of, blocks)).split() == text.split()


def test_a_first_line_as_long_as_a_chapter_is_read_too() -> None:
    root = read_structure("\n".join(["x" * 6_001, "| a | b |", "0", "0", "0"]))
    assert "x" * 6_001 in text_of(root)

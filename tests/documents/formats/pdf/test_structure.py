"""What a person sees on a printed page, as Markdown."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.documents.typeset_pdf_files import (
    BOLD,
    CODE,
    ITALIC,
    PLAIN,
    Drawn,
    Rectangle,
    Run,
    column,
    inline,
    typeset,
)
from sprout.documents.formats.pdf.fonts import font_named
from sprout.documents.formats.pdf.reader import read_pdf
from sprout.documents.formats.pdf.words import Font, Word, in_reading_order, join_accents, plain_letters
from sprout.documents.limits import ReadingLimits

TEXT = [
    "Heat is energy that moves from a warm body to a cold one until both of them",
    "are equally warm, and it never moves the other way by itself, as everybody",
    "knows who has waited for a cup of tea to cool on the table of the kitchen.",
]
LEFT = [f"left line {word} of the first column here" for word in "one two three four five six seven eight".split()]
RIGHT = [f"right line {word} of the other column" for word in "one two three four five six seven eight".split()]


def read(*pages: Sequence[Drawn]) -> str:
    return read_pdf(typeset(pages), ReadingLimits()).text


def test_headings_get_their_levels_from_size_and_numbering() -> None:
    page = [
        Run(72, 60, "Thermodynamics", BOLD, 20),
        Run(72, 100, "1 Heat", BOLD, 14),
        *column(72, 125, TEXT),
        Run(72, 185, "1.1 Heat and work", BOLD, 14),
        *column(72, 210, TEXT),
        Run(72, 270, "Remarks", BOLD, 11),
        *column(72, 290, TEXT),
    ]
    headings = [line for line in read(page).splitlines() if line.startswith("#")]
    assert headings == ["# Thermodynamics", "## 1 Heat", "### 1.1 Heat and work", "### Remarks"]


def test_a_line_with_a_colon_leads_in_a_list_where_other_headings_have_none() -> None:
    lines = ["1 Heat", "2 Work", "3 Energy consists of:", "4 Power"]
    page = [
        run
        for at, line in enumerate(lines)
        for run in (Run(72, 100 + 80 * at, line, BOLD, 11), *column(72, 125 + 80 * at, TEXT))
    ]
    headings = [line for line in read(page).splitlines() if line.startswith("#")]
    assert headings == ["# 1 Heat", "# 2 Work", "# 4 Power"]


@pytest.mark.parametrize(
    "line",
    [
        Run(72, 125, "Figure 3. A cup of tea that cools on a table", BOLD, 11),
        Run(72, 125, "def heat(body): return body.energy", CODE, 16),
        Run(72, 125, "This is said in bold letters at the end of it all.", BOLD, 11),
        Run(72, 125, "1 Heat and work . . . . . . . . . . . . . . . . 12", BOLD, 11),
        Run(72, 125, "(Warm body) (Cold body)", BOLD, 16),
        Run(72, 125, "Heat moves from one body to another. Work is defined as the amount of all energy that", BOLD, 13),
    ],
)
def test_a_caption_code_a_bold_sentence_labels_and_an_entry_of_the_contents_are_no_headings(line: Run) -> None:
    assert "#" not in read([*column(72, 60, TEXT), line, *column(72, 160, TEXT)])


def test_headings_that_a_first_page_only_lists_are_those_of_the_pages_after_it() -> None:
    names = ["1.1 Heat", "1.2 Work", "1.3 Power"]
    first = [
        Run(72, 60, "Energy", BOLD, 20),
        *(Run(72, 100 + 30 * at, name, BOLD, 14) for at, name in enumerate(names)),
    ]
    later = [[Run(72, 60, name.upper(), BOLD, 14), *column(72, 90, TEXT)] for name in names]
    headings = [line for line in read([*first, *column(72, 200, TEXT)], *later).splitlines() if line.startswith("#")]
    assert headings == ["# Energy", "## 1.1 HEAT", "## 1.2 WORK", "## 1.3 POWER"]


def test_a_numbered_line_in_bold_and_larger_is_a_heading_however_close_the_text_stands() -> None:
    page = [
        *column(72, 60, TEXT, size=10),
        Run(72, 99, "II - Heat and work", BOLD, 11),
        *column(72, 113, TEXT, size=10),
    ]
    assert "\n# II - Heat and work\n" in read(page)


def test_a_heading_over_two_lines_of_a_text_with_wide_lines_is_one() -> None:
    title = [Run(72, 60, "Heat and the way that it takes", BOLD, 12), Run(72, 85, "from body to body", BOLD, 12)]
    wide = [Run(72, 110 + 25 * at, line, PLAIN, 12) for at, line in enumerate(TEXT * 3)]
    assert read([*title, *wide]).startswith("# Heat and the way that it takes from body to body\n")


@pytest.mark.parametrize("rule", ["-" * 80, "- " * 40, "_" * 60, "= = = = = = = = = = = = = ="])
def test_a_rule_of_typed_dashes_parts_what_stands_above_and_below_it(rule: str) -> None:
    page = [Run(72, 60, "First of all.", PLAIN, 11), Run(72, 74, rule, PLAIN, 11), Run(72, 88, "(1A) HEAT", PLAIN, 11)]
    assert read([*page, *column(72, 130, TEXT)]).startswith("First of all.\n\n(1A) HEAT\n\nHeat is energy")


@pytest.mark.parametrize("formula", ["E = m x c2", "AB (F) F AB", "a + b"])
def test_a_formula_in_large_type_is_no_heading(formula: str) -> None:
    assert "#" not in read([*column(72, 60, TEXT), Run(120, 125, formula, BOLD, 16), *column(72, 160, TEXT)])


def test_text_in_the_frames_of_printed_slides_is_no_box() -> None:
    slides = [Rectangle(60, 50, 420, 130), *column(72, 80, TEXT), Rectangle(60, 300, 420, 130), *column(72, 330, TEXT)]
    assert ">" not in read(slides)


def test_two_columns_are_read_one_after_the_other_below_the_title_across_both() -> None:
    page = [
        Run(120, 60, "A title that stands across both of the columns", BOLD, 16),
        *column(60, 100, LEFT),
        *column(320, 107, RIGHT),
    ]
    text = read(page)
    assert text.startswith("# A title that stands across both of the columns\n\n")
    places = [text.index(line) for line in (*LEFT, *RIGHT)]
    assert places == sorted(places)


def test_three_columns_are_read_one_after_the_other() -> None:
    texts = [[f"{name} {number} with words enough" for number in range(9)] for name in ("ape", "bee", "cat")]
    page = [run for at, lines in enumerate(texts) for run in column(50 + 180 * at, 80 + 3 * at, lines)]
    text = read(page)
    places = [text.index(line) for lines in texts for line in lines]
    assert places == sorted(places)


def test_a_footnote_comes_after_the_sentence_that_the_page_breaks() -> None:
    first = [*column(72, 60, [*TEXT[:2], "and this sentence goes on and on over the end of the page to the other"]),
             *column(72, 700, ["1 A note in small type at the foot."], size=8)]  # fmt: skip
    text = read(first, column(72, 60, ["page, where it ends.", "", *TEXT]))
    assert "to the other page, where it ends." in text
    assert "\n\n1 A note in small type at the foot.\n\n" in text


def test_a_caption_in_the_middle_of_a_sentence_stands_after_it() -> None:
    page = [
        *column(72, 60, [*TEXT[:2], "and here the sentence is broken by a figure that is put before the word"]),
        *column(72, 300, ["Figure 1. Tea."]),
        *column(72, 340, ["kitchen and its end.", *TEXT]),
    ]
    text = read(page)
    assert "before the word kitchen and its end." in text
    assert "\n\nFigure 1. Tea." in text


def test_numbered_pages_lose_their_running_heads_though_these_change_with_the_chapter() -> None:
    pages = [
        [
            Run(72, 30, f"CHAPTER {n // 3 + 1}. {'HEAT' if n < 3 else 'WORK'}", size=9),
            Run(520, 30, str(n + 11), size=9),
            *column(72, 80, [f"Page {'abcdef'[n]} says this. {TEXT[0]}", *TEXT[1:]]),
        ]
        for n in range(6)
    ]
    text = read(*pages)
    assert "CHAPTER" not in text
    assert "16" not in text
    assert text.count("says this") == 6


def test_lists_keep_their_items_and_how_deep_they_are() -> None:
    page = [
        Run(72, 60, "Three things:"),
        Run(80, 78, "\x95"), Run(95, 78, "tea that is hot enough to be worth waiting for, and waiting"),
        Run(95, 92, "again"),
        Run(95, 106, "-"), Run(110, 106, "green tea"),
        Run(80, 120, "\x95"), Run(95, 120, "water"),
        *column(72, 150, ["1. Boil it.", "2. Wait."]),
    ]  # fmt: skip
    page = [Run(run.x, run.y, run.text.replace("\x95", "•")) for run in page if isinstance(run, Run)]
    assert read(page) == (
        "Three things:\n\n"
        "- tea that is hot enough to be worth waiting for, and waiting again\n  - green tea\n- water\n\n"
        "1. Boil it.\n2. Wait."
    )


def test_code_keeps_its_lines_and_its_indentation() -> None:
    code = ["def heat(body):", "    if body.warm:", "        return body * 2", "", "    return None"]
    page = [*column(72, 60, TEXT), *column(72, 120, code, font=CODE, size=10), *column(72, 210, TEXT)]
    assert f"```\n{chr(10).join(code)}\n```" in read(page)


def test_the_triangles_of_slides_are_marks_of_items() -> None:
    assert font_named("ABCDEF+MSAM10", flags=0, weight=400, angle=0).symbols
    assert not font_named("ABCDEF+MSBM10", flags=0, weight=400, angle=0).symbols


def test_the_addresses_of_authors_are_no_code() -> None:
    page = [
        *column(72, 60, ["ada@example.org"], font=CODE, size=10),
        *column(72, 100, TEXT),
        inline(72, 160, (PLAIN, "Write to "), (CODE, "grace@example.org"), (PLAIN, " about the cup of tea.")),
    ]
    assert "ada@example.org" in read(page)
    assert "`" not in read(page)


def test_terms_are_marked_and_markup_of_the_print_is_not_meant() -> None:
    page = [
        inline(72, 60, (PLAIN, "The "), (BOLD, "latent heat"), (PLAIN, ", also "), (ITALIC, "hidden heat"),
               (PLAIN, ", is 2*3*4 by "), (CODE, "heat()"), (PLAIN, ".")),
        *column(72, 74, TEXT),
    ]  # fmt: skip
    assert read(page).startswith("The **latent heat**, also *hidden heat*, is 2\\*3\\*4 by `heat()`.")


def test_a_paragraph_that_is_all_bold_has_no_marks() -> None:
    assert "**" not in read(column(72, 60, [*TEXT, *TEXT], font=BOLD))


def test_a_table_with_rules_is_a_table_and_its_head_no_heading() -> None:
    rules: list[Drawn] = [Rectangle(72, y, 300, 0.5, 0) for y in (88, 106, 166)]
    cells = [("Body", "Heat"), ("Tea", "80"), ("Milk", "6"), ("Air", "21")]
    rows = [
        run
        for at, (one, other) in enumerate(cells)
        for run in (Run(76, 100 + 18 * at, one, BOLD if not at else PLAIN), Run(220, 100 + 18 * at, other))
    ]
    text = read([*column(72, 60, TEXT[:2]), *rules, *rows, *column(72, 200, TEXT)])
    assert "| Body | Heat |\n| --- | --- |\n| Tea | 80 |\n| Milk | 6 |\n| Air | 21 |" in text


@pytest.mark.parametrize(("font", "head"), [(BOLD, ""), (PLAIN, "|  |  |  |\n| --- | --- | --- |\n")])
def test_a_table_without_rules_needs_clear_columns_and_its_head_bold_letters(font: str, head: str) -> None:
    cells = [("Country", "Capital", "People"), ("France", "Paris", "68"), ("Peru", "Lima", "34"),
             ("Kenya", "Nairobi", "55"), ("Japan", "Tokyo", "124")]  # fmt: skip
    runs = [Run(72 + 130 * at, 150 + 16 * row, text, PLAIN if row else font)
            for row, line in enumerate(cells) for at, text in enumerate(line)]  # fmt: skip
    text = read([*column(72, 60, TEXT), *runs, *column(72, 300, TEXT)]).replace("**", "")
    rule = "" if head else "| --- | --- | --- |\n"
    assert f"{head}| Country | Capital | People |\n{rule}| France | Paris | 68 |" in text


def test_a_box_is_a_quotation() -> None:
    box = [Rectangle(72, 120, 420, 60), Run(80, 135, "Did you know?", BOLD),
           *column(80, 152, ["Tea was drunk in China long before anybody in Europe knew", "of it."])]  # fmt: skip
    text = read([*column(72, 60, TEXT), *box, *column(72, 210, TEXT)])
    assert "\n\n> Did you know?" in text.replace("**", "")
    assert "> Tea was drunk in China long before anybody in Europe knew of it.\n\n" in text


def test_letters_that_are_spaced_out_are_words_and_what_is_drawn_twice_is_read_once() -> None:
    places = [72, 83, 93.3, 103.6, 119.3, 129.6, 141.2, 151.5, 157.6]  # 3 points between letters, 9 between words
    spaced = [Run(x, 60, letter) for x, letter in zip(places, "HEATAGAIN", strict=True)]
    twice = [Run(72, 100, "Drawn twice"), Run(72.4, 100, "Drawn twice")]
    text = read([*spaced, *twice, *column(72, 150, TEXT)])
    assert "HEAT AGAIN" in text
    assert text.count("Drawn twice") == 1


def test_raised_and_lowered_digits_are_superscripts_and_subscripts() -> None:
    page = [Run(72, 60, "H"), Run(80, 63, "2", size=7), Run(84, 60, "O boils at 10"), Run(146, 55, "2", size=7),
            Run(153, 60, "degrees."), *column(72, 100, TEXT)]  # fmt: skip
    assert read(page).startswith("H₂O boils at 10² degrees.")


def test_a_page_that_is_turned_is_read_upright() -> None:
    lines: list[Drawn] = [Run(100 + 14 * at, 700, line, turned=True) for at, line in enumerate(TEXT)]
    assert read_pdf(typeset([lines], rotate=90), ReadingLimits()).text == " ".join(TEXT)


def test_a_line_from_right_to_left_is_in_the_order_of_reading() -> None:
    words = [Word(text, x, x + 20, 0, 10, 8, 10, Font(), spaced=True) for text, x in
             [(")א(", 0), ("Linux", 30), ("2.0", 60), ("השאלות", 90), ("קראו", 120), (".1", 150)]]  # fmt: skip
    assert [word.text for word in in_reading_order(words)] == ["1.", "קראו", "השאלות", "Linux", "2.0", "(א)"]


def test_arabic_in_the_shapes_of_its_letters_is_ordinary_text() -> None:
    assert plain_letters("ﻟﻐﺔ ﬁne") == "لغة fine"


def test_ligatures_of_fonts_without_a_table_of_letters_are_letters() -> None:
    old, new = "o\x0ece, \x0crst, \x0dow, e\x0bort, ba\x0fe", "o\x1ece, \x1crst, \x1dow, e\x1bort, ba\x1fe"
    text = read_pdf(typeset([[Run(100, 700, old), Run(100, 720, new)]]), ReadingLimits()).text
    assert text.split() == "office, first, flow, effort, baffle".split() * 2


def test_accents_drawn_over_a_letter_belong_to_it() -> None:
    assert plain_letters("na¨ıve") == "naïve"
    assert plain_letters("`a") == "à"
    assert plain_letters("d´eclaration") == "déclaration"
    assert plain_letters("c’est-`a-dire") == "c’est-à-dire"
    assert plain_letters("d’`a c^ot´e") == "d’à c^oté"


def test_an_accent_that_is_drawn_after_its_word_stands_on_the_letter_below_it() -> None:
    def line(text: str, share: float) -> list[str]:
        """The words of a line, with a diaeresis drawn at a share of the width of the text."""
        word = Word(text, 0, 100, 0, 10, 8, 10, Font(), spaced=True)
        accent = replace(word, text="¨", x0=100 * share - 1, x1=100 * share + 1, spaced=False)
        return [one.text for one in join_accents([word, accent])]

    assert line("naturlich", 0.4) == ["natürlich"]
    assert line("zuruck", 0.6) == ["zurück"]
    assert line("hptg", 0.5) == ["hptg¨"]


def test_the_titles_of_slides_are_of_one_level_whatever_their_sizes_but_that_of_one_which_opens_a_part() -> None:
    def slide(title: str, size: float, *others: Run) -> list[Run]:
        text = (Run(72, 300 + 14 * at, line, PLAIN, 11) for at, line in enumerate(TEXT))
        return [Run(72, 60, title, BOLD, size), *others, *text]

    pages = [
        [Run(72, 60, "The heat of bodies", BOLD, 30)],
        slide("A warm body", 24),
        slide("A body that is cold", 20, Run(72, 200, "The touch of two", BOLD, 26)),
        slide("Both of them", 24),
    ]
    levels = {
        line.lstrip("# "): line.count("#")
        for line in _headings(read_pdf(typeset(pages, width=1_000), ReadingLimits()).text)
    }
    assert levels == {
        "The heat of bodies": 1,
        "A warm body": 3,
        "A body that is cold": 3,
        "The touch of two": 4,
        "Both of them": 3,
    }
    on_pages = {line.lstrip("# "): line.count("#") for line in _headings(read(*pages))}
    assert on_pages["The touch of two"] < on_pages["A warm body"] < on_pages["A body that is cold"]


def test_the_title_of_a_figure_is_no_heading_above_the_numbered_ones_after_it() -> None:
    def section(top: float, title: str) -> list[Drawn]:
        return [Run(72, top, title, BOLD, 14), *column(72, top + 25, TEXT)]

    page = [
        *section(60, "1 Heat"),
        *section(140, "2 Atoms"),
        Run(72, 230, "All the particles there are", PLAIN, 22),
        *section(260, "3 Light"),
    ]
    assert _headings(read(page)) == ["# 1 Heat", "# 2 Atoms", "# 3 Light"]


def _said_of(title: str) -> str:
    return f"Of the {title.lower()} all that is heavy falls, and all that is light goes up into the air of the room."


def _handout(columns: int, rows: int, slides: Sequence[str], *, by_column: bool = False) -> list[list[Drawn]]:
    """Pages of 612 by 792 points with the slides on them, each with its number at its foot."""
    pages: list[list[Drawn]] = []
    for at, title in enumerate(slides):
        on_page = at % (columns * rows)
        pages += [] if on_page else [[]]
        column_of, row = divmod(on_page, rows) if by_column else divmod(on_page, columns)[::-1]
        left, top = 612 / columns * column_of + 20, 792 / rows * row + 30
        pages[-1] += [Run(left, top, title, BOLD, 16), Run(left, top + 30, _said_of(title), PLAIN, 6)]
        pages[-1] += [Run(left + 200, top + 200, str(at + 1), PLAIN, 6)]
    return pages


@pytest.mark.parametrize(("columns", "rows", "by_column"), [(1, 2, False), (2, 2, False), (2, 2, True), (2, 3, False)])
def test_a_page_with_several_slides_is_read_slide_by_slide(columns: int, rows: int, by_column: bool) -> None:
    titles = [f"{kind} bodies" for kind in "Warm Cold Large Small Old New Round Flat Dark Light Red Blue".split()]
    pages = _handout(columns, rows, titles, by_column=by_column)
    draft = read_pdf(typeset(pages), ReadingLimits())
    assert draft.text == "\n\n".join(f"# {title}\n\n{_said_of(title)}" for title in titles)
    assert len(draft.page_starts) == len(pages)
    assert [draft.text[start:].split("\n")[0] for start in draft.page_starts] == [
        f"# {titles[at]}" for at in range(0, len(titles), columns * rows)
    ]


def test_pages_with_numbers_are_no_handouts() -> None:
    pages: list[list[Drawn]] = [
        [*column(72, 80, TEXT), Run(72, 300, str(page)), *column(72, 500, TEXT), Run(300, 740, str(page + 1))]
        for page in range(8)
    ]
    assert read_pdf(typeset(pages), ReadingLimits()).text.count("Heat is energy") == 16


def test_of_a_slide_that_is_built_up_step_by_step_only_the_last_page_is_read() -> None:
    steps = [[Run(72, 60, "Heat", BOLD, 20), *column(72, 100, TEXT[:lines])] for lines in (1, 2, 3)]
    draft = read_pdf(typeset([*steps, [Run(72, 60, "Cold", BOLD, 20), *column(72, 100, TEXT)]]), ReadingLimits())
    assert draft.text == f"# Heat\n\n{' '.join(TEXT)}\n\n# Cold\n\n{' '.join(TEXT)}"
    assert len(draft.page_starts) == 4


def test_a_symbol_in_large_type_is_no_heading() -> None:
    text = [Run(72, 100 + 14 * at, line, PLAIN, 11) for at, line in enumerate(TEXT)]
    signs = [Run(72, 200 + 40 * at, sign, BOLD, 26) for at, sign in enumerate(("IP", "r m rm", "Va", "Eis"))]
    assert _headings(read([*text, *signs])) == ["# IP", "# Eis"]


def _headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


def test_where_the_running_text_is_bold_bold_lines_are_no_headings() -> None:
    page = [
        Run(72, 60, "Thermodynamics", BOLD, 20),
        *[Run(72, 100 + 14 * at, line, BOLD, 11) for at, line in enumerate(TEXT)],
        Run(72, 180, "7 The heat of a body became less when it was given to", BOLD, 11),
        *[Run(72, 194 + 14 * at, line, BOLD, 11) for at, line in enumerate(TEXT)],
    ]
    assert [line for line in read(page).splitlines() if line.startswith("#")] == ["# Thermodynamics"]


def test_a_head_that_counts_the_pages_goes_also_where_there_are_two() -> None:
    pages = [[Run(72, 40, f"The News Pagina {at} di 2", PLAIN, 9), *column(72, 70, TEXT)] for at in (1, 2)]
    assert "Pagina" not in read(*pages)
    assert "Pagina 1 di 2" in read(pages[0])

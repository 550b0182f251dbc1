"""Honest titles."""

import pytest

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.titles import clean_title, heading_key, with_clean_titles, word_forms
from sprout.learning.structure.tree import iter_sections


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("2.3.1 Cells", "Cells"),
        ("1. Cells", "Cells"),
        ("Ease of use,", "Ease of use"),
        ("3) Cells", "Cells"),
        ("(1A) Cells", "Cells"),
        ("(2Bii) Cells", "Cells"),
        ("Module 2 contd.... Cells", "Cells"),
        ("§ 7 Haftung", "Haftung"),
        ("[18] 고려의 토지 제도", "고려의 토지 제도"),
        ("가. 유교", "유교"),
        ("4.Абсолютна похибка", "Абсолютна похибка"),
        ("Cells (2)", "Cells"),
        ("Cells (1:12 PM)", "Cells"),
        ("Chapter 4: The Cell", "The Cell"),
        ("CHAPTER IV. The Cell", "The Cell"),
        ("Lecture 3 – Trees", "Trees"),
        ("Kapitel 2.1 Zellen", "Zellen"),
        ("Глава 3. Клетка", "Клетка"),
        ("IV. The Storm", "The Storm"),
        ("Kapitel 2", "Kapitel 2"),
        ("2. Woche: Zellen", "Zellen"),
        ("1. loeng (Rakud (ja koed))", "Rakud (ja koed)"),
        ("Chapter 4 (Cells) of b (c)", "(Cells) of b (c)"),
        ("3.1：细胞", "细胞"),
        ("**The Cell** {#cell}", "The Cell"),
        ("**1. The Cell **", "The Cell"),
        ("The Cell ¶", "The Cell"),
        ("1️⃣ The Cell", "The Cell"),
        ("The Cell[edit]", "The Cell"),
        ("The Cell ##", "The Cell"),
        ("The Cell!!!", "The Cell"),
        ("What is a cell???", "What is a cell?"),
        ("What is a cell? #anki", "What is a cell?"),
        ("d) The Cell", "The Cell"),
        ("ІІ. Клітина", "Клітина"),
        ("[**The Cell**]", "The Cell"),
        ("[The Cell](#cell) [#](#cell)", "The Cell"),
        ("The `for` loop:", "The for loop"),
        ("3.1.2The Cell", "The Cell"),
        ("B.2. The Cell", "The Cell"),
        ("📚 Contents of the cell", "Contents of the cell"),
        ("🕵️ ¿Quién soy?", "¿Quién soy?"),
        ("Table 3-1: The cell cycle", "The cell cycle"),
        ("Fig: The cell cycle", "The cell cycle"),
        ("Slide 3: The cell cycle", "The cell cycle"),
        ("The cell (continued)", "The cell"),
        ("The cell (cont’d)", "The cell"),
        ("The cell … Continued", "The cell"),
        ("\uf101 The cell", "The cell"),
        ("The cell contd…", "The cell"),
        ("Die Zelle – Fortsetzung", "Die Zelle"),
        ("• The cell", "The cell"),
        ("└─ 📝 The cell", "The cell"),
        ("02 · The cell", "The cell"),
        ("1/ The cell", "The cell"),
        ("4. A. The cell:", "The cell"),
        ("1.2.-La célula", "La célula"),
        ("3.- La célula", "La célula"),
        ("The cell (2 of 3)", "The cell"),
        ("(b) The cell", "The cell"),
        ("(2) The cell", "The cell"),
        ("1.The cell", "The cell"),
        ("ii) The cell", "The cell"),
        ("[BIO2] The cell", "The cell"),
        ("二、细胞", "细胞"),
        ("3、细胞：", "细胞"),
        ("（一）细胞", "细胞"),
        ("The cell: its parts.", "The cell: its parts"),
    ],
)
def test_numbering_and_markup_go(title: str, expected: str) -> None:
    assert clean_title(title) == expected


@pytest.mark.parametrize(
    "title",
    [
        "3D printing",
        "1984",
        "10 rules for life",
        "C. elegans",
        "V. cholerae",
        "Part I played",
        "C#",
        "snake_case_names",
        "Table manners",
        "The table of elements",
        "The story continued",
        "La suite de Fibonacci",
        "12. Stunde",
    ],
)
def test_numbers_and_letters_that_are_the_title_stay(title: str) -> None:
    assert clean_title(title) == title


@pytest.mark.parametrize("title", ["¶" * 100_000, "Chapter 1 " * 10_000, "#" * 100_000])
def test_endless_titles_are_left_alone(title: str) -> None:
    assert clean_title(title) == title.strip()


def test_bare_numbers_go_where_the_next_heading_has_the_next_number() -> None:
    assert clean_title("2 Cells", siblings=["1 Life", "3 Death"]) == "Cells"
    assert clean_title("B. Cells", siblings=["A. Life"]) == "Cells"
    assert clean_title("b. Cells", siblings=["a. Life"]) == "Cells"
    assert clean_title("3 2. Cells", siblings=["2 1. Life"]) == "Cells"
    assert clean_title("7 Summits", siblings=["Mountains"]) == "7 Summits"
    assert clean_title("4 kinds of cells", siblings=["3 laws of cells"]) == "4 kinds of cells"
    assert clean_title("5 May, 1789", siblings=["4 August 1789"]) == "5 May, 1789"


def test_a_heading_that_only_says_that_it_goes_on_is_called_as_the_one_before() -> None:
    slides = "".join(f"## {title}\n\nOne.\n\n" for title in ("Walls", "Cont.", "Contd...", "Continue…"))
    root = with_clean_titles(read_structure(f"# Cells\n\n{slides}"))
    assert [each.title for each in iter_sections(root) if each.title] == ["Cells", *["Walls"] * 4]


def test_a_slide_that_has_only_its_number_is_called_as_the_one_before() -> None:
    slides = "".join(f"# {title}\n\ntext {n}\n\n" for n, title in enumerate(("Sets", "9", "10", "Union", "1945")))
    assert [each.title for each in with_clean_titles(read_structure(slides)).subsections] == [
        "Sets",
        "Sets",
        "Sets",
        "Union",
        "1945",
    ]
    chapters = "".join(f"# {n}\n\ntext {n}\n\n" for n in range(1, 4))
    assert [each.title for each in with_clean_titles(read_structure(chapters)).subsections] == ["1", "2", "3"]


def test_capitals_become_the_forms_that_the_text_uses() -> None:
    english = word_forms("The replication of DNA in cells began.")
    assert clean_title("DNA REPLICATION IN CELLS", forms=english) == "DNA replication in cells"
    german = word_forms("Eine Zelle hat einen Kern und ihr Kern hat eine Hülle.")
    assert clean_title("ZELLE UND KERN", forms=german) == "Zelle und Kern"
    assert clean_title("NATO", forms=word_forms("A treaty.")) == "NATO"
    assert clean_title("YTC", forms=word_forms("A bond has a YTC of $r_{ytc}$, which is not $i_{ytc}$.")) == "YTC"


def test_a_document_gets_clean_titles_throughout() -> None:
    root = with_clean_titles(read_structure("# 1 Life\n\nlife\n\n## 1.1 CELL WALLS\n\nthe cell walls\n\n# 2 Death\n"))
    assert [each.title for each in iter_sections(root)] == ["", "Life", "Cell walls", "Death"]


def test_turkish_has_two_capital_letters_i() -> None:
    assert clean_title("BELLEĞİN YAPISI", forms={}) == "Belleğin Yapısı"


def test_a_chemical_formula_keeps_its_capitals() -> None:
    assert clean_title("CH₃COOH", forms=word_forms("ch cooh")) == "CH₃COOH"


def test_a_word_that_the_text_has_mostly_in_capitals_keeps_them() -> None:
    assert (
        clean_title("YTC", forms=word_forms("The YTC is a rate. The YTC of a bond: r = ytc. Each YTC counts.")) == "YTC"
    )
    assert clean_title("CELL", forms=word_forms("A cell lives. The cell grows. THE CELL: a cell.")) == "Cell"


@pytest.mark.parametrize(
    ("heading", "named"),
    [
        ("TARİHİ IŞIK", "Tarihi ışık"),
        ("Exhibit 2–7 The Wheel", "The wheel"),
        ("The Wheel (cont’d)", "The wheel"),
        (f"7. {'The wheel of the mill and ' * 5}"[:120], "The wheel of the mill and " * 5),
    ],
)
def test_a_heading_is_found_by_its_title(heading: str, named: str) -> None:
    assert heading_key(heading) == heading_key(named)


def test_a_letter_that_its_neighbours_show_to_be_a_number_makes_no_other_heading() -> None:
    assert heading_key("A. Producers") == heading_key("Producers")


def test_the_days_of_a_month_are_not_one_heading() -> None:
    assert heading_key("11/9/17") != heading_key("13/9/17")

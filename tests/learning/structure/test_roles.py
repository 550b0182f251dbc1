"""Roles of the parts of a document."""

import pytest

from sprout.learning.structure.heading_roles import Role, named_role
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.roles import ClassifiedSection, classify, iter_classified

PROSE = "Cells are the smallest units of life, and each of them comes from another cell."


def classified(text: str) -> ClassifiedSection:
    return classify(read_structure(text), text)


def roles(text: str) -> dict[str, tuple[str, str]]:
    """The role and the reason of each section, by its title."""
    return {each.section.title: (each.role.value, each.reason) for each in iter_classified(classified(text))}


def block_roles(text: str) -> list[tuple[str, str]]:
    return [(each.role.value, each.reason) for section in iter_classified(classified(text)) for each in section.blocks]


@pytest.mark.parametrize(
    ("title", "role", "reason"),
    [
        ("2.4 Exercises", Role.EXERCISES, "exercises"),
        ("Exercise 3: Limits", Role.EXERCISES, "exercises"),
        ("ACTIVITY – 1 (Sketching)", Role.EXERCISES, "exercises"),
        ("Hands-on activity", Role.EXERCISES, "exercises"),
        ("Introduction to new material", Role.FURNITURE, "organisation"),
        ("Voorwoord", Role.FURNITURE, "organisation"),
        ("Problemler ve Çözümleri", Role.EXERCISES, "exercises"),
        ("Online zelftest", Role.QUIZ, "quiz"),
        ("Entrainements", Role.EXERCISES, "exercises"),
        ("Zdroje", Role.FURNITURE, "references"),
        ("Quick recap voor het examen", Role.SUMMARY, "summary"),
        ("B. Exercises", Role.EXERCISES, "exercises"),
        ("My questions", Role.EXERCISES, "exercises"),
        ("A. Objectifs de cette notion au cycle 4", Role.OBJECTIVES, "objectives"),
        ("Final thoughts", Role.SUMMARY, "summary"),
        ("Acknowledgement", Role.FURNITURE, "acknowledgements"),
        ("The End of Chapter 6", Role.FURNITURE, "organisation"),
        ("Kaynakça", Role.FURNITURE, "references"),
        ("Дополнительные материалы", Role.FURNITURE, "references"),
        ("Підсумок: логічний ланцюжок", Role.SUMMARY, "summary"),
        ("Objetivos y resultados esperados", Role.OBJECTIVES, "objectives"),
        ("Exercise Set 4", Role.EXERCISES, "exercises"),
        ("What we’ll do today", Role.FURNITURE, "organisation"),
        ("La semaine prochaine", Role.FURNITURE, "organisation"),
        ("Aims and objectives", Role.OBJECTIVES, "objectives"),
        ("Required readings", Role.FURNITURE, "references"),
        ("Sample question (HLC 1988)", Role.QUIZ, "quiz"),
        ("ЗМІСТ", Role.FURNITURE, "table of contents"),
        ("5 Exam Questions", Role.QUIZ, "quiz"),
        ("Nyckelord", Role.GLOSSARY, "glossary"),
        ("Összefoglalás", Role.SUMMARY, "summary"),
        ("Întrebări", Role.EXERCISES, "exercises"),
        ("Pokok Pembahasan", Role.FURNITURE, "table of contents"),
        ("Image credit", Role.FURNITURE, "references"),
        ("For Mon Oct 21", Role.FURNITURE, "organisation"),
        ("Teaching/Course Evaluation", Role.FURNITURE, "organisation"),
        ("Assignment Question 1", Role.EXERCISES, "exercises"),
        ("Otázky k procvičení", Role.EXERCISES, "exercises"),
        ("Multiple-Choice Question", Role.QUIZ, "quiz"),
        ("<question> Which style is wrong?", Role.QUIZ, "quiz"),
        ("Tom's summary", Role.SUMMARY, "summary"),
        ("Thank you all for looking at my slides", Role.FURNITURE, "organisation"),
        ("Quellenangabe", Role.FURNITURE, "references"),
        ("Bibliography,", Role.FURNITURE, "references"),
        ("Bibliografía orientadora", Role.FURNITURE, "references"),
        ("Pemeriksa Konsep — Minggu 8", Role.QUIZ, "quiz"),
        ("Abbreviations", Role.FURNITURE, "references"),
        ("Exercises for Chapter 3", Role.EXERCISES, "exercises"),
        ("Exercice 4)", Role.EXERCISES, "exercises"),
        ("Exercice n° 4 (facultatif)", Role.EXERCISES, "exercises"),
        ("Exercices 1 à 5", Role.EXERCISES, "exercises"),
        ("Übung 3:", Role.EXERCISES, "exercises"),
        ("Übungen 3-5", Role.EXERCISES, "exercises"),
        ("Aufgabe 3a)", Role.EXERCISES, "exercises"),
        ("Esercizio 2. I vettori", Role.EXERCISES, "exercises"),
        ("Ejercicio 5", Role.EXERCISES, "exercises"),
        ("Ejercicio N.º 5 - Vectores", Role.EXERCISES, "exercises"),
        ("Exercício 1", Role.EXERCISES, "exercises"),
        ("Ejercicios sobre el tema", Role.EXERCISES, "exercises"),
        ("Über mich", Role.FURNITURE, "acknowledgements"),
        ("Navigate", Role.FURNITURE, "navigation"),
        ("Упражнение 4", Role.EXERCISES, "exercises"),
        ("Solution to Exercise 3", Role.ANSWERS, "answers"),
        ("Corrigé de l'exercice 4", Role.ANSWERS, "answers"),
        ("Übungen zu Kapitel 2", Role.EXERCISES, "exercises"),
        ("Literaturverzeichnis", Role.FURNITURE, "references"),
        ("REFERENCES AND FURTHER READING", Role.FURNITURE, "references"),
        ("Table des matières", Role.FURNITURE, "table of contents"),
        ("Agradecimientos", Role.FURNITURE, "acknowledgements"),
        ("Course syllabus", Role.FURNITURE, "organisation"),
        ("Bienvenidos", Role.FURNITURE, "organisation"),
        ("Tópicos a serem abordados na próxima aula", Role.FURNITURE, "organisation"),
        ("License", Role.FURNITURE, "licence"),
        ("**Key Terms** {#terms}", Role.GLOSSARY, "glossary"),
        ("Glossaire :", Role.GLOSSARY, "glossary"),
        ("Obiettivi di apprendimento", Role.OBJECTIVES, "objectives"),
        ("Samenvatting", Role.SUMMARY, "summary"),
        ("Gabarito", Role.ANSWERS, "answers"),
        ("Verständnisfragen", Role.EXERCISES, "exercises"),
        ("¿Sabías que...?", Role.BOX, "box beside the text"),
        ("תרגילים", Role.EXERCISES, "exercises"),
        ("المراجع", Role.FURNITURE, "references"),
        ("练习", Role.EXERCISES, "exercises"),
        ("Oplossingen meerkeuzevragen les 3", Role.ANSWERS, "answers"),
        ("Solution exam questions", Role.ANSWERS, "answers"),
        ("Questionário de imunologia", Role.QUIZ, "quiz"),
        ("問題演習", Role.EXERCISES, "exercises"),
        ("További linkek", Role.FURNITURE, "references"),
        ("라이선스 License", Role.FURNITURE, "licence"),
        ("References and resources", Role.FURNITURE, "references"),
        ("Tujuan Pembelajaran", Role.OBJECTIVES, "objectives"),
    ],
)
def test_headings_name_roles(title: str, role: Role, reason: str) -> None:
    named = named_role(title)
    assert named is not None
    assert (named.role, named.reason) == (role, reason)


@pytest.mark.parametrize(
    "title",
    [
        "Cells",
        "Bibliography of Borges",
        "Exercise and the heart",
        "Exercise 30 minutes a day",
        "Vitamin B12",
        "Session 3: Muscles",
        "Task assignment",
        "Problem solving",
        "Summary statistics",
        "The index of refraction",
        "Reference frames",
        "",
        "…",
    ],
)
def test_headings_of_content_name_none(title: str) -> None:
    assert named_role(title) is None


def test_words_with_other_meanings_count_only_where_the_form_agrees() -> None:
    chemistry = f"# Solutions\n\n{PROSE}\n\n# Practice\n\n{PROSE}\n\n# Definitions\n\n{PROSE}\n\n# Sources\n\n{PROSE}\n"
    assert {role for role, _ in roles(chemistry).values()} == {"content"}
    exam = "# Practice\n\n1. Explain why.\n2. What follows?\n\n# Solutions\n\n1. Because.\n2. Nothing.\n"
    assert roles(exam)["Practice"] == ("exercises", "exercises")
    assert roles(exam)["Solutions"] == ("answers", "answers")


def test_code_that_makes_a_list_in_the_program_it_was_written_in_is_no_content() -> None:
    assert block_roles(f"# Cells\n\n```dataviewjs\nawait dv.view()\n```\n\n{PROSE}\n")[0][0] == "furniture"


def test_a_list_with_references_after_its_lecturer_is_no_content() -> None:
    listed = "- Lecture 6\n- Dr. Anna Berg\n- References: B. Hunt, A guide to cells, 1995\n- M. Trauth, Recipes, 2006\n"
    assert block_roles(f"# Cells\n\n{listed}")[0] == ("furniture", "references")


def test_code_of_a_drawing_is_a_figure() -> None:
    drawn = "```tikz\n\\begin{tikzpicture}\n\\end{tikzpicture}\n```\n"
    assert block_roles(f"# Cells\n\n{drawn}\n{PROSE}\n")[0] == ("caption", "figure")


def test_what_is_below_a_section_has_its_role() -> None:
    found = roles("# Exercises\n\n## Part one\n\nShow it.\n\n## Solutions\n\nShown.\n\n# Cells\n\nSmall.\n")
    assert found["Part one"] == ("exercises", "exercises")
    assert found["Solutions"] == ("answers", "answers")
    assert found["Cells"] == ("content", "")


def test_a_section_that_is_mostly_questions_is_exercises() -> None:
    text = "# Cells\n\nSmall.\n\n# Now you\n\n1. What is a cell?\n2. Why is it small?\n3. A cell has a ____.\n"
    assert roles(text)["Now you"] == ("exercises", "mostly questions")


def test_a_list_that_only_asks_for_something_is_exercises() -> None:
    tasks = "- **Define** the cell.\n- **Classify** its parts.\n- **Compare** two of them.\n"
    assert block_roles(f"# Cells\n\n{tasks}\nCells live.\n")[0] == ("exercises", "mostly questions")
    assert block_roles("# Cells\n\n- Define the cell.\n- It lives.\n- It grows.\n\nCells live.\n")[0][0] == "content"


def test_lists_of_links_and_of_references_are_furniture() -> None:
    links = "# Cells\n\n- [Home](/)\n- [Cells](/c)\n- [Tissue](/t)\n"
    assert roles(links)["Cells"] == ("furniture", "list of links")
    table = "# Cells\n\n| video | page |\n|---|---|\n| cells | [a](/a) |\n| tissue | [b](/b) |\n"
    assert roles(table)["Cells"] == ("furniture", "list of links")
    facts = "# Cells\n\n| cell | size | more |\n|---|---|---|\n| egg | 1 mm | [a](/a) |\n| nerve | 1 m | [b](/b) |\n"
    assert roles(facts)["Cells"] == ("content", "")
    books = "\n".join(f"- Smith, A. ({year}). Cells, pp. 1-9. Press." for year in (1999, 2004, 2011))
    assert block_roles(f"# Cells\n\n{PROSE}\n\n{books}\n")[1] == ("furniture", "references")
    few = "Bibliographie :\n\n- Schott, *Chimie*\n- *Gold book*\n"
    assert block_roles(f"# Cells\n\n{PROSE}\n\n{few}")[-1] == ("furniture", "references")


def test_options_go_with_their_question_and_the_answer_after_them() -> None:
    text = "# Cells\n\nCells have a ________.\n\n1. wall\n2. crown\n\nA\n\nThe end of the chapter.\n"
    assert block_roles(text) == [
        ("quiz", "question with options"),
        ("quiz", "question with options"),
        ("answers", "answer"),
        ("content", ""),
    ]


def test_a_line_drawn_for_a_number_asks_nothing() -> None:
    text = f"# FEC v. Cruz\n\n596 U.S. ___ (2022)\n\n- The senator broke the rule.\n- He had standing.\n\n{PROSE}\n"
    assert {role for role, _ in block_roles(text)} == {"content"}


def test_lettered_cases_and_lists_of_reasons_are_content() -> None:
    cases = "There are two cases:\n\na) it is real\nb) it is not"
    text = f"# Roots\n\n{cases}\n\nWhat does a cell do?\n\n- It eats.\n- It grows.\n"
    assert {role for role, _ in block_roles(text)} == {"content"}


def test_checkboxes_are_options_only_under_a_question() -> None:
    quiz = "## Which planet is red?\n\n- [ ] Venus\n- [x] Mars\n"
    assert roles(quiz)["Which planet is red?"] == ("quiz", "question with options")
    assert block_roles("## Plan\n\n- [x] read\n- [ ] write\n") == [("content", "")]


def test_tables_of_contents_have_page_numbers_that_ascend() -> None:
    assert block_roles("Cells ........ 3\nTissue ....... 17\nOrgans ....... 40\n") == [
        ("furniture", "table of contents")
    ]
    tabbed = "Title\tPage\nCells\t3\nTissue\t17\nOrgans\t40\nBodies\t71\n"
    assert block_roles(tabbed) == [("furniture", "table of contents")]
    for entry in ("1.1 Cells . . . . . . . 10", "Cells and tissue . . . . .", "Cells .......... 3"):
        assert block_roles(f"{entry}\n") == [("furniture", "table of contents")]
    assert block_roles("The mill stood still . . . . And nobody came to the village.\n") == [("content", "")]
    directory = "Berlin\t3645\nHamburg\t1841\nAachen\t249\n"
    assert block_roles(directory) == [("content", "")]


def test_notices_page_numbers_and_running_heads_are_furniture() -> None:
    heads = "\n\n".join(f"Biology for All\n\n{PROSE} {number}\n\n- {number} -" for number in range(4))
    found = block_roles(f"# Cells\n\n{heads}\n\n© 2020 Jane Doe. All rights reserved.\n")
    assert found[0] == ("furniture", "running head")
    assert found[-1] == ("furniture", "licence")


def test_all_after_the_end_of_an_electronic_book_is_its_licence() -> None:
    text = (
        f"# I\n\n{PROSE}\n\n# *** END OF THIS PROJECT GUTENBERG EBOOK X ***\n\nTerms.\n\n# Section 2\n\nMore terms.\n"
    )
    assert roles(text)["Section 2"] == ("furniture", "licence")
    assert roles(text)["I"] == ("content", "")


def test_the_text_of_a_chapter_may_follow_its_objectives_under_their_heading() -> None:
    goals = "By the end of this section, you will be able to:\n\n- name a cell\n- draw a cell\n\n"
    text = f"# Cells\n\n## Learning Objectives\n\n{goals}"
    assert roles(f"{text}{PROSE}\n")["Learning Objectives"] == ("objectives", "objectives")
    long = "\n\n".join(["A cell is small, and it has a wall that holds it together. " * 8] * 5)
    assert roles(f"{text}{long}\n")["Learning Objectives"] == ("content", "")
    assert block_roles(f"## Learning Objectives\n\n{goals}{long}\n")[:2] == [
        ("objectives", "objectives"),
        ("content", ""),
    ]


def test_a_list_of_objectives_is_known_by_what_announces_it() -> None:
    english = "By the end of this section, you will be able to:\n\n- name a cell\n- draw it\n"
    german = "Nach diesem Kapitel können Sie:\n\n- eine Zelle nennen\n- sie zeichnen\n"
    assert block_roles(f"# Cells\n\n{english}\n# Zellen\n\n{german}") == [("objectives", "objectives")] * 2


def test_a_note_is_a_box_and_a_chapter_of_notes_is_not() -> None:
    assert roles(f"# Cells\n\n## Note\n\n{PROSE}\n")["Note"] == ("box", "box beside the text")
    assert roles(f"# Notes\n\n## Cells\n\n{PROSE}\n")["Notes"] == ("content", "")


def test_figures_boxes_and_footnotes_have_roles_of_their_own() -> None:
    text = f"# Cells\n\n{PROSE}[^1]\n\n![A cell](c.png)\n\n> Small is beautiful.\n\n[^1]: By volume.\n"
    assert [role for role, _ in block_roles(text)] == ["content", "caption", "box", "furniture"]


def test_boxes_that_html_sets_apart_are_boxes_to_their_end() -> None:
    text = (
        f"# Cells\n\n{PROSE}\n\n"
        '<div data-type="note" class="career" markdown="1">\n<div data-type="title">\nCareer Connection\n</div>\n'
        "**Virologist**\n\nA virologist works in a clinic.\n\n</div>\n\nMore on cells.\n\n"
        '<div class="column">\n\nThe text of a column.\n\n</div>\n\n<div class="note">\n\nIt never ends.\n'
    )
    assert [role for role, _ in block_roles(text)] == ["content", "box", "content", "content", "content"]


def test_a_frame_around_sections_is_no_box() -> None:
    text = f'<div class="note">\n\n# Cells\n\n{PROSE}\n\n</div>\n'
    assert roles(text)["Cells"] == ("content", "")


def test_drawings_within_html_show_no_text() -> None:
    text = f"# Cells\n\n{PROSE}\n\n<svg width='2'>\n<text>0.73</text>\n</svg>\n\nMore on cells.\n"
    assert len(block_roles(text)) == 2


def test_a_document_may_be_called_as_a_box_is() -> None:
    assert roles(f"# Attention\n\n{PROSE}\n")["Attention"] == ("content", "")
    assert roles(f"# Cells\n\n{PROSE}\n\n## Attention\n\nHandle with care.\n")["Attention"][0] == "box"


@pytest.mark.parametrize("asked", ["Erkläre den Unterschied zwischen Variable und Wert.", "What does a cell need?"])
def test_a_section_that_only_asks_is_exercises_however_short(asked: str) -> None:
    assert roles(f"# Cells\n\n{PROSE}\n\n# Transfer\n\n{asked}\n")["Transfer"] == ("exercises", "mostly questions")


def test_a_section_that_tells_something_is_content_also_where_it_asks() -> None:
    text = f"# Cells\n\n{PROSE}\n\n# Lists\n\nList comprehensions are short.\n\n# Water\n\nWhat is water? {PROSE}\n"
    assert {role for role, _ in roles(text).values()} == {"content"}


def test_what_a_line_calls_exercises_is_none_of_the_text() -> None:
    text = (
        f"# Cells\n\n{PROSE}\n\nExercises: p. 12 n. 5\n\n"
        "**Exercises:**\n\n1. Draw a cell.\n2. Name it.\n\nMore on cells.\n"
    )
    assert [role for role, _ in block_roles(text)] == ["content", "exercises", "exercises", "content"]


@pytest.mark.parametrize("summary", ["Answers", "💡 Soluciones", "Lösung"])
def test_what_hides_its_answers_is_exercises(summary: str) -> None:
    hidden = f"<details>\n<summary>{summary}</summary>\n\n1. **IPv4**\n2. **IPv6**\n\n</details>\n"
    text = f"# Addresses\n\n{PROSE}\n\n# Who am I?\n\n1. I have 32 bits.\n2. I have 128 bits.\n\n{hidden}"
    assert roles(text)["Who am I?"] == ("exercises", "mostly questions")
    assert roles(f"# Addresses\n\n{PROSE}\n\n{hidden}")["Addresses"] == ("content", "")


def test_what_hides_more_of_the_text_is_content() -> None:
    text = f"# Cells\n\n{PROSE}\n\n<details>\n<summary>The proof</summary>\n\nMore on cells.\n\n</details>\n"
    assert "box" not in {role for role, _ in block_roles(text)}


def test_a_list_of_the_headings_themselves_is_a_table_of_contents() -> None:
    parts = "".join(f"## {title}\n\n{PROSE}\n\n" for title in ("Cells (short)", "Tissue", "Organs"))
    text = f"# Biology\n\n1. Cells (membranes, nuclei)\n2. Tissue\n3. Organs\n\n{parts}"
    assert block_roles(text)[0] == ("furniture", "table of contents")


def test_a_line_on_every_page_is_a_running_head_whatever_number_follows() -> None:
    text = "".join(f"# Part {number}\n\n{PROSE}\n\nA. Author lesson four {number}\n\n" for number in range(1, 6))
    assert [role for role, _ in block_roles(text)] == ["content", "furniture"] * 5


def test_sources_at_the_end_are_references_by_their_addresses() -> None:
    sources = "- The office: https://example.org\n- The ministry of schools, plan of grade eight\n- Own drawings.\n"
    text = f"# Cells\n\n{PROSE}\n\n# Sources\n\n{sources}"
    assert roles(text)["Sources"] == ("furniture", "references")


def test_a_section_that_is_told_in_boxes_alone_is_content_but_for_what_a_title_says_else() -> None:
    boxes = "```{important} A cell\nA cell is the smallest unit of life.\n```\n\n```{note} Exercise 2\nDraw one.\n```\n"
    assert [role for role, _ in block_roles(f"# Cells\n\n{boxes}")] == ["content", "box"]
    assert [role for role, _ in block_roles(f"# Cells\n\n{PROSE}\n\n{boxes}")] == ["content", "box", "box"]


@pytest.mark.parametrize("label", ["Exercice 4) ", "**Exercice 4)** ", "Übung 3: ", "Esercizio 2. ", "Ejercicio 5. "])
def test_a_paragraph_that_opens_as_an_exercise_is_one_alone(label: str) -> None:
    found = block_roles(f"# Cells\n\n{PROSE}\n\n{label}A cell is as large as a house. Draw it.\n\n{PROSE}\n")
    assert found == [("content", ""), ("exercises", "exercises"), ("content", "")]


def test_after_a_line_with_an_exercises_name_all_is_of_it_to_the_next_such_line() -> None:
    exercise = "Exercício 1\n\nA cell is as large as a house.\n\na) Draw it.\n\n"
    found = block_roles(f"# Cells\n\n{PROSE}\n\n{exercise}Plant cells\n\n{PROSE}\n")
    assert [role for role, _ in found] == ["content", *["exercises"] * 3, "content", "content"]


def test_a_list_of_what_comes_is_furniture_however_its_items_end() -> None:
    slides = "# Capital\n\n- Kinds of capital;\n- Its cycle,\n- Its costs.\n\n" + "".join(
        f"# {title}\n\nIt is told here at some length.\n\n" for title in ("Kinds of capital", "Its cycle", "Its costs")
    )
    assert block_roles(slides)[0] == ("furniture", "table of contents")


def test_items_that_end_in_a_semicolon_are_questions_in_greek_alone() -> None:
    assert roles("# Brain\n\n- It moves;\n- It thinks;\n- It feels;\n")["Brain"][0] == "content"
    assert roles("# Ζωή\n\n- Τι είναι αυτό;\n- Πού είναι;\n- Πώς ζει;\n")["Ζωή"][0] == "exercises"


def test_what_a_page_of_questions_tells_besides_is_content_and_its_questions_are_not() -> None:
    asked = "".join(f"- What is number {number}?\n" for number in range(30))
    told = "".join(
        f"Number {number} is the one that comes before the next, and after the last one.\n\n" for number in range(20)
    )
    assert roles(f"# Numbers\n\n{asked}\n{told}")["Numbers"][0] == "content"
    assert block_roles(f"# Numbers\n\n{asked}\n{told}")[0] == ("exercises", "mostly questions")
    assert roles(f"# Numbers\n\n{asked}\nThey are asked in class.")["Numbers"][0] == "exercises"


def test_recall_and_connections_are_subjects_unless_they_only_ask_or_link() -> None:
    told = "It is what one finds again in memory. It fades with time."
    assert {roles(f"# {title}\n\n{told}\n")[title][0] for title in ("Recall", "Connections")} == {"content"}
    assert roles("# Recall\n\n- What is it?\n- When does it fade?\n")["Recall"][0] in {"quiz", "exercises"}


def test_a_long_section_with_headings_in_it_is_no_table_of_contents_whatever_it_is_called() -> None:
    told = "\n\n".join(f"### Part {letter}\n\n{'The cell takes in water and gives it back. ' * 40}" for letter in "ABC")
    found = [classified(f"## Contents\n\n{text}\n\n## Cells\n\nCells live.") for text in (told, "Cells")]
    assert [each.subsections[0].role for each in found] == [Role.CONTENT, Role.FURNITURE]


def test_a_paragraph_that_opens_with_an_author_and_a_year_is_a_reference() -> None:
    cited = "Mayr, E. (1942). Systematics and the origin of species."
    told = "Mayr (1942) held that a species is what breeds together, as most people do today."
    assert [role for _, role in block_roles(f"## Species\n\n{told}\n\n{cited}\n\n{told}")] == ["", "references", ""]


def test_what_stands_in_boxes_is_the_text_where_it_is_more_than_what_stands_beside_them() -> None:
    quote = f"> {PROSE}\n>\n> {PROSE}\n"
    assert [role for role, _ in block_roles(f"# Cells\n\n- small\n\n{quote}")] == ["content"] * 3
    assert [role for role, _ in block_roles(f"# Cells\n\n{PROSE} {PROSE} {PROSE}\n\n{quote}")] == ["content", "box"]


def test_a_paragraph_behind_a_raised_number_is_a_footnote() -> None:
    assert block_roles(f"# Cells\n\n{PROSE}\n\n¹² See the essay of R. Hooke, London 1665.\n")[1] == (
        "furniture",
        "footnote",
    )

"""Notes of unusual kinds: a path that is true to them, or a sentence that says why there is none."""

import pytest

from sprout.documents.file_types import FileType
from sprout.documents.formats.readers import read_document, reader_for
from sprout.documents.limits import ReadingLimits
from sprout.offline.notes.language import language
from sprout.offline.notes.path import key_words_alone, path_from_notes
from tests.offline.notes.reading import learn

WATER = (
    "Water rises into the air when the sun warms the sea. The cold air high above turns it into drops. A cloud is a "
    "mass of small drops that hang in the air. Rain falls when the drops become too heavy."
)
ICE = (
    "A glacier is a body of dense ice that moves under its own weight. Snow that never melts is pressed into ice. "
    "Where a glacier ends, the melt water feeds a river."
)


def test_a_table_that_only_sets_out_a_page_is_no_table() -> None:
    page = (
        '<table><tr><td><a href="/">Home</a><br><a href="/about">About</a></td>'
        f"<td><h1>Weather</h1><h2>Water</h2><p>{WATER}</p><h2>Ice</h2><p>{ICE}</p></td></tr></table>"
    )
    text = read_document(reader_for(FileType.HTML), page.encode(), ReadingLimits()).text
    notes = learn("page.html", text)
    assert notes.titles == ["Weather"]
    assert [node.title for node in notes.lessons["Weather"].nodes] == ["Water", "Ice"]
    assert not any("table" in question["prompt"] for question in notes.questions)


def test_slides_of_five_words_each_say_why_they_give_no_path() -> None:
    names = ("Cells", "Water", "Ice", "Air", "Sea", "Sun", "Earth", "Moon", "Wind")
    slides = "\n\n".join(f"# {name}\n\n- five short words about {name.lower()}" for name in names)
    assert path_from_notes([slides], least=6, most=10) is None
    assert key_words_alone([slides]) == language("en").phrases.key_words


def test_languages_that_are_mixed_keep_their_own_sections() -> None:
    german = "Ein Gletscher ist eine Masse aus dichtem Eis, die sich unter ihrem eigenen Gewicht bewegt."
    german += " Schnee, der nie schmilzt, wird zu Eis gepresst. Wo er endet, speist sein Schmelzwasser einen Fluss."
    notes = learn("mixed.md", f"# Water and ice\n\n## Water\n\n{WATER}\n\n## Gletscher\n\n{german}\n")
    (concept,) = notes.lessons.values()
    assert [node.title for node in concept.nodes] == ["Water", "Gletscher"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("المياه", "الماء سائل شفاف يغطي معظم سطح الأرض. السحابة هي كتلة من قطرات صغيرة معلقة في الهواء."),
        ("מים", "מים הם נוזל שקוף שמכסה את רוב פני כדור הארץ. ענן הוא גוש של טיפות קטנות שתלויות באוויר."),
    ],
)  # fmt: skip
def test_notes_from_right_to_left_are_read_though_nothing_is_asked_about_them(title: str, text: str) -> None:
    notes = learn("notes.md", f"# {title}\n\n{text}\n")
    assert notes.titles == [title]
    assert not [*notes.questions]


@pytest.mark.parametrize("mark", ["### Solution\n\n", "Solution: "])
def test_an_exam_with_its_solutions_teaches_nothing(mark: str) -> None:
    tasks = {"What is a glacier?": ICE, "Why does rain fall?": "Rain falls because the drops become too heavy."}
    exam = "# Exam\n\nAnswer all questions. You have 90 minutes.\n\n" + "".join(
        f"## Question {number}\n\n{task}\n\n{mark}{answer}\n\n"
        for number, (task, answer) in enumerate(tasks.items(), 1)
    )
    assert path_from_notes([exam], least=6, most=10) is None


def test_a_novel_is_read_by_its_chapters_and_nothing_is_asked_about_it() -> None:
    told = (
        "The carriage stood before the house, and the horses were tired from the road. Mr. Darcy walked slowly to the "
        "door.\n\n“I do not know him,” said Elizabeth, and she looked out of the window.\n\n"
    )
    notes = learn("novel.txt", f"CHAPTER I. The carriage\n\n{told * 4}CHAPTER II. The letter\n\n{told * 4}")
    assert notes.titles[0].startswith("The carriage")
    assert notes.titles[-1] == "The letter"
    assert not [*notes.questions]


def test_a_phone_book_gives_no_path() -> None:
    rows = "\n".join(f"Miller, Ann, {number} Mill Street ........ 555-{2000 + 7 * number}" for number in range(1, 200))
    assert path_from_notes([rows], least=6, most=10) is None

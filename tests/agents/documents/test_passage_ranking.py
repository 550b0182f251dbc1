"""Ranking of passages for a concept."""

from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.paths.passages import Passage

NOTES = """# The water cycle

Everything below happens at the same time, all over the earth.

## Evaporation

The sun warms seas and lakes. Liquid water turns into vapour and rises. Wind and dry air make it faster.

## Condensation

High up the vapour cools. It condenses on specks of dust and becomes the droplets that clouds are made of.

## Precipitation

Droplets join until they are too heavy for the air to carry. They fall as rain, snow or hail.

## Groundwater

Some of what falls seeps through soil and gravel. It collects above clay and feeds springs and wells for years.
"""


def the_notes() -> PassageIndex:
    return PassageIndex(split_into_passages("notes.md", NOTES))


def headings(passages: list[Passage]) -> list[str]:
    return [(passage.heading or "").rsplit(" › ", maxsplit=1)[-1] for passage in passages]


def test_the_passage_about_a_concept_comes_first() -> None:
    notes = the_notes()
    assert headings(notes.relevant("How evaporation lifts water", "The sun warms the sea."))[0] == "Evaporation"
    assert headings(notes.relevant("Condensing into clouds", "Vapour cools high up."))[0] == "Condensation"


def test_endings_of_words_do_not_count() -> None:
    assert headings(the_notes().relevant("Evaporating lake", ""))[0] == "Evaporation"


def test_a_concept_that_the_notes_do_not_cover_has_no_passage() -> None:
    assert the_notes().relevant("Photosynthesis in leaves", "Chlorophyll catches light.") == []


def test_passages_are_given_whole_within_the_limit_and_in_the_order_of_the_text() -> None:
    notes = the_notes()
    some = notes.select("Vapour, droplets and rain", "Vapour cools, droplets fall.", characters=330)
    assert 0 < sum(len(passage.text) for passage in some) <= 330
    assert some == sorted(some, key=lambda passage: passage.start)
    assert all(passage in notes.all for passage in some)
    assert notes.select("Vapour", "", characters=10) == []


def test_scripts_without_spaces_fit_too() -> None:
    text = "# 光合作用\n\n植物利用光能把二氧化碳和水变成葡萄糖。\n\n# 呼吸作用\n\n细胞分解葡萄糖释放能量。"
    found = PassageIndex(split_into_passages("笔记.md", text)).relevant("光合作用的过程", "")
    assert found[0].heading == "光合作用"


def test_passages_that_only_mention_the_concept_are_left_out_where_there_is_enough() -> None:
    about = [Passage("n.md", None, f"Voltage {n}. " + "Voltage pushes charge. " * 40, n, n + 1) for n in range(3)]
    aside = [Passage("n.md", None, "A thin wire melts. " * 60 + "See voltage.", n, n + 1) for n in range(2)]
    other = [Passage("n.md", None, "Consuls ruled for a year. " * 40, n, n + 1) for n in range(9)]
    many, few = PassageIndex([*other, *aside, *about]), PassageIndex([*other, *aside, about[0]])
    assert many.relevant("Voltage", "") == many.select("Voltage", "", characters=12_000) == about
    assert few.relevant("Voltage", "") == [about[0]]
    assert few.select("Voltage", "", characters=12_000) == [aside[0], about[0]]


def test_no_notes_fit_nothing() -> None:
    assert PassageIndex([]).select("Anything", "at all", characters=100) == []


def test_every_section_fits_its_own_heading_best() -> None:
    notes = the_notes()
    for passage in notes.all:
        assert notes.relevant(headings([passage])[0], passage.text)[0] == passage


SAME_WORDS = "The wheel turns in the river all day and lifts water into the tank on the hill above the old mill."


def test_the_passages_under_a_named_heading_come_before_those_that_share_more_words() -> None:
    text = f"# Mills\n\n## Wheels\n\n{SAME_WORDS}\n\n## Tanks\n\nIt is {SAME_WORDS}\n\n### Repairs\n\nPaint it.\n"
    notes = PassageIndex(split_into_passages("mills.md", text))
    assert headings(notes.relevant("Wheels and tanks", "In your notes: Tanks")) == ["Tanks", "Repairs"]
    assert headings(notes.relevant("Wheels and tanks", "In your notes: Mills › Tanks …")) == ["Tanks"]


def test_of_more_than_has_room_something_of_each_section_is_given_before_more_of_one() -> None:
    sections = [f"## {name}\n\n{f'{name}. {SAME_WORDS} ' * 9}\n\n{SAME_WORDS * 8}\n" for name in "ABCDEFGH"]
    notes = PassageIndex(split_into_passages("mills.md", "# Mills\n\n" + "\n".join(sections)))
    given = notes.select("Mills", "In your notes: Mills", characters=sum(len(one.text) for one in notes.all) // 2 + 500)
    assert headings(given) == [*"ABCDEFGH"]


def test_headings_of_plain_text_are_found_by_the_form_of_their_lines() -> None:
    parts = {"1 Wheels": SAME_WORDS * 5, "2 Tanks": SAME_WORDS * 5, "3 Repairs": SAME_WORDS * 5}
    notes = PassageIndex(
        split_into_passages("a.txt", "\n\n".join(f"{title}\n\n{text}" for title, text in parts.items()))
    )
    found = notes.relevant("Tanks", "In your notes: Tanks")
    assert found
    assert all("2 Tanks" in passage.text or passage.start > notes.all[0].end for passage in found)
    assert not any("3 Repairs" in passage.text for passage in found[:1])


def test_the_text_before_the_first_heading_is_named_by_the_document_s_title() -> None:
    sections = f"## Wheels\n\n{SAME_WORDS}\n\n## Mills\n\n{SAME_WORDS}\n"
    text = f"---\ntitle: Mills and wheels\n---\n\nA mill grinds.\n\n{sections}"
    notes = PassageIndex(split_into_passages("mills.md", text))
    found = notes.relevant("Mills and wheels", "In your notes: Mills and wheels …")
    assert [passage.heading for passage in found] == [None]
    assert "A mill grinds." in found[0].text

"""Paths from notes: the document's own outline, merged to a sensible size, with honest edges and rationale."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.offline.graph_plan import Plan, reachable, transitive_reduction
from sprout.offline.notes.document import Part, read_document
from sprout.offline.notes.lesson_plan import lesson_plan_from_notes
from sprout.offline.notes.outline import Stretch
from sprout.offline.notes.path import code_of, path_from_notes
from sprout.offline.notes.scope import own_parts
from sprout.offline.notes.titles import titles_of
from tests.offline.notes.reading import FILES, learned

SENTENCE = "The pump of stage {n} moves water to the tank, and the tank of stage {n} keeps it for a day. "


def path_of(text: str, *, most: int = 10) -> Plan:
    plan = path_from_notes([text], least=6, most=most)
    assert plan is not None
    return plan


TOOLS = ("lathe", "crane", "winch")


def titles(plan: Plan) -> list[str]:
    return [node.title for node in plan.nodes]


def section(title: str, words: int, *, level: int = 2) -> str:
    sentences = "".join(SENTENCE.format(n=n) for n in range(-(-words // 20)))
    return f"{'#' * level} {title}\n\n{sentences}\n\n"


@pytest.mark.parametrize("name", FILES)
def test_titles_are_unique_and_edges_hold_all_together_without_shortcuts(name: str) -> None:
    for plan in (learned(name).path, *learned(name).lessons.values()):
        names = titles(plan)
        assert len({title.casefold() for title in names}) == len(names)
        assert all(names.index(edge.source) < names.index(edge.target) for edge in plan.edges)
        assert all(edge.source not in reachable(edge.target, plan.edges) for edge in plan.edges)
        assert transitive_reduction(plan.edges) == list(plan.edges)
        assert {edge.target for edge in plan.edges} == set(names[1:])


def test_concepts_are_the_headings_in_their_order() -> None:
    assert learned("water-cycle.md").titles == [
        "Where the water is",
        "Evaporation",
        "Humidity and saturation",
        "Condensation and clouds · Precipitation",
        "What happens to the rain on the ground",
        "Rivers and the drainage basin · The water balance",
        "How people change the cycle",
    ]


def test_three_pages_with_seven_headings_give_three_to_five_concepts() -> None:
    text = "# Pumps\n\n" + "".join(section(f"Part of the plant {letter}", 185) for letter in "ABCDEFG")
    assert 3 <= len(path_of(text).nodes) <= 5


def test_a_large_section_is_opened_and_a_small_path_stays_small() -> None:
    chapters = section("Heat", 900) + section("Heat in metals", 400, level=3) + section("Heat in gases", 400, level=3)
    plan = path_of(f"{chapters}{section('Light', 300)}")
    assert titles(plan) == ["Heat", "Heat in metals", "Heat in gases", "Light"]
    short = path_of(f"{chapters}{section('Light', 300)}", most=2)
    assert titles(short) == ["Heat", "Heat in metals"]
    assert "2 more parts of your notes" in short.closing


def test_a_short_text_that_is_one_concept_has_its_title() -> None:
    headings = ("What it is", "Light reactions", "Dark reactions (Calvin cycle)", "What limits it")
    text = "# Photosynthesis, biology on Friday\n\n" + "".join(section(one, 14) for one in headings)
    assert titles(path_of(text)) == ["Photosynthesis, biology on Friday"]


def test_exercises_references_and_boxes_are_no_concepts_and_the_rationale_says_why() -> None:
    text = (
        "# Rust\n\n"
        + section("How iron rusts", 200)
        + "## Exercises\n\n1. Why does iron rust in damp air?\n2. What keeps the air away?\n\n"
        + section("What keeps rust away", 200)
        + "## Further reading\n\n- [A book on rust](https://example.org/rust)\n"
    )
    plan = path_of(text)
    assert titles(plan) == ["How iron rusts", "What keeps rust away"]
    assert "Left out: Exercises (exercises), Further reading (references)." in plan.closing


def test_a_page_of_prose_without_headings_is_one_concept_that_is_called_by_what_it_opens_with() -> None:
    assert learned("bread.txt").titles == ["Bread"]
    assert titles(learned("bread.txt").lessons["Bread"]) == ["Gluten", "Yeast", "Sourdough"]


def test_long_prose_without_headings_is_cut_at_its_turns_and_each_piece_is_a_part_with_its_most_central_terms() -> None:
    barns = "The barn holds straw. A barn is built of wood, and the barn of a village is high and lined with boards. "
    mills = "The mill grinds grain. A mill has two stones, and the mill of a village stands beside the river bank. "
    forges = "The forge makes nails. A forge needs coal, and the forge of a village has a roof and large bellows. "
    text = "\n\n".join([barns * 12, mills * 12, forges * 12])
    plan = path_of(text)
    assert [title.partition(",")[0] for title in titles(plan)] == ["Part 1: barn", "Part 2: mill", "Part 3: forge"]


def test_pieces_of_prose_about_one_thing_name_it() -> None:
    said = "A village needs a {0}. The {0} is what the village shares, and no village keeps its {0} for one family. "
    plan = path_of("\n\n".join(said.format(name) * 12 for name in ("barn", "mill", "forge")))
    assert titles(plan) == ["Village (part 1): barn", "Village (part 2): mill", "Village (part 3): forge"]


def test_a_piece_without_a_term_goes_with_the_one_beside_it() -> None:
    barns = "The barn holds straw. A barn is built of wood, and the barn of a village is high and lined with boards. "
    vague = "So it went on. And then it went on once more, as it had gone on before, and so on and on and on again. "
    plan = path_of("\n\n".join([barns * 14, vague * 12, barns.replace("barn", "mill") * 14]))
    assert [title.partition(",")[0] for title in titles(plan)] == ["Part 1: barn", "Part 2: mill"]


def test_a_short_heading_stands_behind_the_one_above_it_where_others_stand_under_another() -> None:
    grown = "".join(section(name, 400, level=3) for name in ("Physical", "Moral", "Social"))
    plan = path_of(f"# Psychology\n\n{section('Memory and what it keeps', 300)}## Development\n\n{grown}")
    assert titles(plan) == [
        "Memory and what it keeps",
        *(f"Development: {one}" for one in ("Physical", "Moral", "Social")),
    ]


def test_a_word_before_the_first_heading_goes_with_what_follows() -> None:
    greeting = "Dear candidates, here are all of my notes. " * 24
    plan = path_of(f"{greeting}\n\n{section('Scarcity', 400)}{section('Demand', 400)}{section('Supply', 400)}")
    assert titles(plan) == ["Scarcity", "Demand", "Supply"]


def test_of_two_long_headings_the_first_part_of_each_stands_in_the_title() -> None:
    names = (
        "Winds of the sea – how the air is moved over the water",
        "Streams that bring the heat of the south to the north (the conveyor belt)",
    )
    others = "".join(section(name, 200) for name in ("Ice", "Sun"))
    plan = path_of("".join(section(name, 20) for name in names) + others)
    assert titles(plan)[0] == "Winds of the sea · Streams that bring the heat of the south to the north"


def test_headings_that_name_no_subject_stand_with_what_is_spoken_of() -> None:
    standing = "The standing of a plaintiff is what a court asks for first. A plaintiff has the burden of the proof. "
    plan = path_of(f"## Review of last class\n\n{standing * 12}\n\n{section('Spokeo, Inc. v. Robins', 300)}")
    assert titles(plan) == ["Review of last class: standing, plaintiff, burden", "Spokeo, Inc. v. Robins"]


@pytest.mark.parametrize("kind", ["Week", "Module 1 Lecture"])
def test_headings_that_are_but_numbers_stand_with_the_sections_below_them(kind: str) -> None:
    names = [[f"{name} of part {at}" for name in ("Blues", "Funk", "Disco")] for at in range(1, 4)]
    parts = ["".join(section(name, 100, level=3) for name in each) for each in names]
    plan = path_of("".join(f"## {kind} {at}\n\n{part}" for at, part in enumerate(parts, start=1)), most=3)
    assert titles(plan) == [f"{kind} {at}: {' · '.join(each)}" for at, each in enumerate(names, start=1)]


def test_the_pieces_of_text_before_the_first_heading_are_learned_from_that_text_alone() -> None:
    barns = "The barn holds straw. A barn is built of wood, and the barn of a village is high and lined with boards. "
    text = f"{barns * 20}\n\n## Mills and forges\n\n{'The barn of the mill is small. ' * 120}"
    first = path_of(text).nodes[0]
    parts = own_parts([read_document(text)], title=first.title, desc=first.desc, code="en")
    assert [part.words for part in parts] == [len(barns.split()) * 20]


def test_notes_in_another_language_have_english_words_around_them() -> None:
    dutch = "De kans is een getal dat zegt hoe vaak iets wordt verwacht en niet hoe het met de uitkomst zal zijn. "
    assert path_of(dutch * 12).nodes[0].desc.startswith("In your notes:")
    ukrainian = "Метод дає наближений розв'язок задачі, para як приклад. Похибка методу мала, а крок методу великий. "
    assert path_of(ukrainian * 12).nodes[0].desc.startswith("In your notes:")


def test_a_long_text_without_headings_has_few_pieces_for_their_names_are_but_words() -> None:
    said = "The {0} is old. A man minds the {0} by day and by night, and people come to the {0} from the village. "
    text = "\n\n".join(
        said.format(name) * 20 for name in ("mill", "forge", "barn", "well", "inn", "ford", "gate", "wharf")
    )
    assert len(titles(path_of(text))) == 5


def test_what_a_text_begins_with_is_its_name_only_if_it_is_a_noun() -> None:
    text = "Faire du pain demande du temps. La farine du village est blanche, et une farine grise est pour le soir. "
    assert titles(path_of(text * 4)) == ["Farine"]


def test_a_noun_is_called_with_the_word_that_belongs_to_it() -> None:
    text = "Black holes form from large stars. Nothing leaves a black hole. Gas that falls into a black hole gets hot. "
    assert titles(path_of(text * 3)) == ["Black hole"]


def test_a_list_of_lines_has_the_title_in_its_first_line() -> None:
    text = (
        "the industrial revolution\nbegan in england around 1760 with the spinning machines\n"
        "people left the land and went to the towns for work\n"
        "workers: the class that owns nothing but its work and the hands that do it\n"
    )
    assert titles(path_of(text)) == ["the industrial revolution"]


def test_the_heads_of_pages_are_no_concepts() -> None:
    said = "The honey bee lives in colonies of many thousand animals, and each of them has one queen alone.\n\n"
    text = f"CHAPTER III. THE HONEY BEE      41\n\n{said}42      THE HONEY BEE\n\n{said}Page 43\n\n{said}"
    assert titles(path_of(text)) == ["The honey bee"]


def test_a_title_of_more_headings_than_have_room_names_the_largest_sections_and_says_that_there_are_more() -> None:
    ways = ("How water gets into the ground", "How water gets out of the ground", "How wells are dug by hand")
    names = (*ways, "How a pump lifts water", "Pumps")
    text = "".join(section(name, 20) for name in names).replace(SENTENCE.format(n=0), "It runs in a pipe of clay. ", 2)
    text = text.replace("It runs in a pipe of clay. ", SENTENCE.format(n=0), 1)
    assert titles(path_of(text, most=1)) == [f"{names[0]} · {names[2]} · {names[3]} · {names[4]} and more"]


def test_headings_that_are_but_numbers_are_told_by_the_first_and_the_last_and_one_alone_by_what_it_is_about() -> None:
    law = titles(path_of("".join(section(f"Art {number}", 120) for number in range(1, 13)), most=4))
    ranges = [title.partition(": ")[0] for title in law]
    assert [ranges[0].split(" – ")[0], ranges[-1].split(" – ")[1]] == ["Art 1", "Art 12"]
    assert all(re.fullmatch(r"Art \d+ – Art \d+: \w.*", title) for title in law)
    weeks = [f"# Week {at}\n\n{f'The {tool} turns. A man minds the {tool}. ' * 30}" for at, tool in enumerate(TOOLS, 1)]
    assert titles(path_of("\n\n".join(weeks))) == [f"Week {at}: {tool}" for at, tool in enumerate(TOOLS, 1)]


@pytest.mark.parametrize("heading", ["Chapter 8", "Topic 1.4", "TD3", "Term 1-2"])
def test_one_heading_that_only_counts_its_chapter_is_told_by_what_it_is_about(heading: str) -> None:
    said = "The turbine turns. A man minds the turbine. " * 30
    plan = path_of(f"{section('Mills', 300)}{section('Pumps', 300)}## {heading}\n\n{said}")
    assert titles(plan)[-1] == f"{heading}: turbine"


def test_a_summary_that_is_nearly_all_of_the_text_is_the_text() -> None:
    course = f"## Summary\n\n{section('Mills', 300, level=3)}{section('Pumps', 300, level=3)}"
    assert titles(path_of(f"{section('Rivers', 60)}{course}")) == ["Rivers", "Mills", "Pumps"]
    assert titles(path_of(f"{section('Rivers', 300)}{section('Lakes', 300)}{course}")) == ["Rivers", "Lakes"]
    opened = titles(path_of(f"{section('Rivers', 240)}{course}"))
    assert opened == ["Rivers", "Mills", "Pumps"], "two thirds of a text are more than its summary"


def test_beside_others_a_heading_that_says_nothing_gives_way_to_those_below_it() -> None:
    below = f"{section('Counting', 80, level=3)}"
    plan = path_of(f"## Notes for May\n\n{below}{section('Samples', 90)}{section('Mills', 300)}{section('Pumps', 300)}")
    assert titles(plan)[0] == "Counting · Samples"


def test_a_date_alone_is_told_with_what_it_is_about_and_the_number_of_a_slide_is_no_name() -> None:
    days = [
        f"# May {at}th, 2026\n\n{f'The {tool} turns. A man minds the {tool}. ' * 30}"
        for at, tool in enumerate(TOOLS, 4)
    ]
    assert titles(path_of("\n\n".join(days))) == [f"May {at}th, 2026: {tool}" for at, tool in enumerate(TOOLS, 4)]
    slides = [f"# {at}\n\n{f'The {tool} turns. A man minds the {tool}. ' * 30}" for at, tool in enumerate(TOOLS, 4)]
    assert not [title for title in titles(path_of("\n\n".join(slides))) if title[0].isdigit()]


def test_a_name_with_a_number_is_no_number_of_a_series() -> None:
    assert titles(path_of(f"# History\n\n{section('World War I', 300)}{section('World War II', 300)}")) == [
        "World War I",
        "World War II",
    ]


def test_the_slide_with_the_authors_is_no_part() -> None:
    slides = "".join(section(name, 80) for name in ("Pumps", "Turbines", "Mills", "Wheels"))
    assert titles(path_of(f"## ENG-204 Lecture 3\n\nAnna Roe, 5 May\n\n{slides}"))[0].startswith("Pumps")
    told = "## Water\n\nWater turns the wheel of a mill.\n\n"
    assert titles(path_of(told + slides))[0].startswith("Water")


def test_an_edge_says_which_term_earns_it_or_that_only_the_order_of_the_text_does() -> None:
    text = (
        section("Valves", 100).replace("The pump", "A **bypass valve** is a valve beside the main one. The pump", 1)
        + section("Tanks", 100)
        + section("Repairs", 100).replace("The pump", "Close the bypass valve. Open the bypass valve. The pump", 1)
    )
    assert [edge.why for edge in path_of(text).edges] == [
        "“Tanks” comes next in your notes, after “Valves”.",
        "“Repairs” uses “bypass valve”, and it is in “Valves” that your notes introduce it.",
    ]


def test_a_term_belongs_to_the_section_that_is_named_after_it() -> None:
    text = (
        section("Overview of the plant", 100).replace(
            "The pump", "- **Turbine**: a wheel that water turns\n\nThe pump", 1
        )
        + section("Turbine", 100)
        + section("Turbine repairs", 100).replace("The pump", "Stop the turbine. Lift the turbine. The pump", 1)
    )
    assert not any(
        "“Turbine repairs” uses “Turbine”, and it is in “Overview" in edge.why for edge in path_of(text).edges
    )


def test_headings_that_say_nothing_stand_after_the_one_above_and_equal_ones_are_told_apart() -> None:
    both = [f"# {name}\n\n{section('Overview', 300)}{section(f'{name} in use', 300)}" for name in ("Pumps", "Turbines")]
    plan = path_of("".join(both))
    assert titles(plan) == ["Pumps: Overview", "Pumps in use", "Turbines: Overview", "Turbines in use"]
    assert plan.nodes[0].desc == "In your notes: Pumps › Overview"


def test_a_section_with_one_subsection_is_not_called_by_the_subsection() -> None:
    water = section("Water", 300) + section("Ice", 20, level=3)
    assert titles(path_of(f"# Nature\n\n{water}{section('Fire', 300)}{section('Earth', 300)}")) == [
        "Water",
        "Fire",
        "Earth",
    ]


def test_two_documents_with_the_same_headings_have_titles_that_tell_them_apart() -> None:
    texts = [
        f"# {name}\n\n" + section("How it begins", 300) + section("How it ends", 300) for name in ("Rust", "Frost")
    ]
    plan = path_from_notes(texts, least=6, most=10)
    assert plan is not None
    assert titles(plan) == [f"{name}: How it {does}" for name in ("Rust", "Frost") for does in ("begins", "ends")]


def test_a_long_heading_is_cut_before_brackets_only_where_these_end_it() -> None:
    asked = ["Why do plates that move apart (in the sea) melt?", "How do hot spots (below the crust) form islands?"]
    plan = path_of("".join(section(one, 20) for one in asked) + section("The age of rocks", 400))
    assert titles(plan)[0] == " · ".join(asked)


def test_a_title_names_what_most_of_its_text_stands_under() -> None:
    sections = [("Definition", 60), ("Particular features", 20), ("The partners", 300), ("The shares", 300)]
    plan = path_of("".join(section(*one) for one in sections))
    assert titles(plan) == ["Definition · Particular features", "The partners", "The shares"]


@pytest.mark.parametrize(("who", "is_first"), [("Prof. Anna Berg", False), ("Hand pumps of iron", True)])
def test_a_slide_that_lists_who_speaks_is_no_concept(who: str, is_first: bool) -> None:
    cover = f"# Pumps of the world\n\n- Pumps and tanks, week 3\n- {who}\n- Lifts of old mines\n- Wells of towns\n\n"
    plan = path_of(cover + "".join(section(one, 60, level=1) for one in ("Lifts", "Wells", "Tanks", "Wheels")))
    assert ("Pumps of the world" in " ".join(titles(plan))) == is_first


def test_symbols_with_small_digits_are_no_name() -> None:
    plan = path_of(
        "".join(section(one, 60) for one in ("C 2ρν₁ ₁", "Waves in glass", "Waves in water", "Waves in air"))
    )
    assert not any("ρ" in title for title in titles(plan))


def test_a_number_beside_a_name_is_no_part_of_a_title() -> None:
    plan = path_of(section("Day 7", 20) + section("What an argument is", 60) + section("The rules of logic", 400))
    assert titles(plan) == ["What an argument is", "The rules of logic"]


def test_a_title_of_some_of_many_sections_begins_with_the_first() -> None:
    names = [f"The {name} and all that belongs to it" for name in ("heart", "lung", "liver", "spleen", "bladder")]
    text = "".join(section(one, 20 + 20 * at) for at, one in enumerate(names))
    (title,) = titles_of([Stretch(read_document(text).content.parts)], "en")
    assert title == " · ".join([names[0], *names[-2:]]) + " and more"


def test_days_that_are_counted_with_a_colon_are_numbers_and_no_names() -> None:
    plan = path_of("".join(section(f"Dia: {day}", 150) for day in range(2, 6)))
    assert all(title.startswith("Dia: ") and title.count(": ") > 1 for title in titles(plan))


def test_sections_of_two_documents_that_nothing_tells_apart_are_one() -> None:
    pages = [section("Rust", words) + section(name, 300) for name, words in (("Frost", 300), ("Fire", 200))]
    plan = path_from_notes(pages, least=6, most=10)
    assert plan is not None
    assert titles(plan) == ["Rust", "Frost", "Fire"]
    documents = [read_document(page) for page in pages]
    parts = own_parts(documents, title="Rust", desc=plan.nodes[0].desc, code="en")
    assert [part.words for part in parts] == [one.content.parts[0].words for one in documents]


@pytest.mark.parametrize(
    ("name", "words"), [("photosynthese.md", "Ich bin das Offline-Demomodell"), ("revolution.md", "Je suis le modèle")]
)
def test_notes_are_answered_in_their_own_language(name: str, words: str) -> None:
    assert words in learned(name).path.closing
    assert len(learned(name).path.closing.split()) <= 150


def test_spanish_notes_are_answered_in_spanish() -> None:
    plan = path_of("## El agua\n\nEl agua es un líquido que cae de las nubes y que las plantas toman del suelo.\n")
    assert plan.closing.startswith("Soy el modelo de demostración sin conexión.")
    assert plan.nodes[0].desc == "En tus apuntes: El agua"


def test_a_chapter_that_is_nearly_all_of_the_notes_is_opened() -> None:
    below = "".join(section(f"The old {name}", 120, level=3) for name in ("lathe", "crane", "winch", "gear"))
    notes = f"# Machines\n\n{section('Why machines', 60)}## All machines\n\n{below}{section('Why it matters', 60)}"
    machines = ["The old lathe", "The old crane", "The old winch", "The old gear"]
    assert titles(path_of(notes)) == ["Why machines", *machines, "Why it matters"]
    alone = f"# Lecture 2\n\nBy Anna.\n\n# Machines\n\n## All of them\n\n{below}"
    assert titles(path_of(alone)) == machines


def test_slides_of_few_words_make_a_concept_of_five() -> None:
    slides = "".join(
        f"# Machine {letter}\n\nIt moves {n} tons of water and as much sand and stone over the hill in a day.\n\n"
        for n, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXY")
    )
    assert len(path_of(slides).nodes) == 5


def test_a_short_conclusion_stands_with_what_it_concludes() -> None:
    notes = "".join(section(f"The {name}", 200) for name in ("lathe", "crane", "winch")) + section("Conclusion", 100)
    assert titles(path_of(notes)) == ["The lathe", "The crane", "The winch"]


def test_what_all_titles_of_a_concept_begin_with_stands_there_once() -> None:
    blocks = read_document(SENTENCE).content.blocks
    made, other = (
        Stretch(tuple(Part(("Machines", title), blocks) for title in titles))
        for titles in (("Overview", "Examples"), ("Lathe",))
    )
    assert titles_of([made, other], "en") == ["Machines: Overview · Examples", "Lathe"]


def test_one_sentence_makes_one_concept_and_says_that_it_is_little() -> None:
    plan = path_of("Copper conducts electricity because its outer electrons are free.")
    assert len(plan.nodes) == 1
    assert "Your notes are short" in plan.closing


def test_long_notes_that_make_one_concept_are_not_called_short() -> None:
    assert "Your notes are short" in path_of(section("Pumps", 300)).closing
    assert "Your notes are short" not in path_of(section("Pumps", 1_200)).closing


@pytest.mark.parametrize("text", ["", "   \n", "# Title\n", "https://example.org", "1\n\n2\n", "-"])
def test_notes_that_say_nothing_give_no_path(text: str) -> None:
    assert path_from_notes([text], least=6, most=10) is None


def test_a_document_that_is_only_a_glossary_is_learned_from() -> None:
    entries = "\n".join(
        f"- **Term {letter}**: a wheel of the kind {letter} that water turns\n" for letter in "abcdefgh"
    )
    assert titles(path_of(f"## Glossary\n\n{entries}")) == ["Glossary"]


@settings(max_examples=60)
@given(st.lists(st.text(max_size=200), max_size=8))
def test_no_text_breaks_the_reader(parts: list[str]) -> None:
    plan = path_from_notes(["\n\n".join(parts)], least=1, most=4)
    if plan is not None:
        assert 1 <= len(plan.nodes) <= 4
        lesson_plan_from_notes([("a", "", part) for part in parts], most=4, most_items=3)


def test_a_section_with_many_short_ones_below_it_is_not_opened_to_be_joined_again() -> None:
    duties = "".join(section(f"Duty of {name}", 60, level=3) for name in ("care", "proof", "speech", "trust", "help"))
    others = "".join(section(f"The {name}", 280) for name in ("court", "judge", "appeal"))
    assert titles(path_of(f"# Law\n\n## The duties\n\n{duties}{others}")) == [
        "The duties",
        "The court",
        "The judge",
        "The appeal",
    ]


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("Inheritance", "Inheritance in Java", "Inheritance"),
        ("Yield to Call (YTC)", "YTC", "Yield to Call (YTC)"),
        ("Dams", "Locks", "Dams · Locks"),
    ],
)
def test_sections_that_are_joined_are_not_named_twice(first: str, second: str, title: str) -> None:
    notes = section(first, 35) + section(second, 35) + section("The sea", 280) + section("The wind", 280)
    assert titles(path_of(f"# Notes\n\n{notes}"))[0] == title


def test_a_heading_that_needs_the_one_above_has_it_before_it() -> None:
    model = section("The model", 280, level=3) + section("Assumptions of the model", 280, level=3)
    notes = section("Pressure", 280) + "## Kinetic model of gases\n\n" + model + section("Temperature", 280)
    named = [f"Kinetic model of gases: {name}" for name in ("The model", "Assumptions of the model")]
    assert titles(path_of(f"# Physics\n\n{notes}")) == ["Pressure", *named, "Temperature"]


def test_headings_that_stand_elsewhere_too_have_the_one_above_before_them() -> None:
    names = {"Purpose of the wheel": 30, "Building of the wheel": 300, "Care of the boards": 300}
    below = "".join(section(name, words, level=3) for name, words in names.items())
    notes = f"## The mill\n\n{below}## The pump\n\n{below}"
    assert titles(path_of(notes))[0] == "The mill: Purpose of the wheel · Building of the wheel"


def test_running_text_in_a_language_without_known_articles_has_key_words_for_names() -> None:
    oil = "Нефтяная промышленность росла быстро. Добыча нефтяных компаний кормила города. "
    war = "Потом началась война на границе. Солдаты воевали на границах восемь долгих лет. "
    plan = path_of("\n\n".join([oil * 30, war * 30]))
    assert all(re.fullmatch(r"Part \d: \w.*", title) for title in titles(plan))


def test_each_piece_of_prose_is_its_own_stretch_of_the_text() -> None:
    said = "A village needs a {0}. The {0} is what the village shares, and no village keeps its {0} for one family. "
    told = [said.format(name) * 6 for name in ("barn", "mill", "forge")]
    last = said.format("barn") * 2 + said.format("mill") * 2 + said.format("forge") * 5
    opened = [
        "In the first place",
        "Then",
        "Not only that",
        "Also",
        "Beside them",
        "After all",
        "At last",
        "In the end",
    ]
    texts = [one for each in (*told, last) for one in (each, each)]
    text = "\n\n".join(f"{first}: {one}{first.lower()}." for first, one in zip(opened, texts, strict=True))
    plan, document = path_of(text), read_document(text)
    parts = [own_parts([document], title=node.title, desc=node.desc, code="en") for node in plan.nodes]
    assert [block for each in parts for part in each for block in part.all_blocks] == [*document.content.all_blocks]


def test_a_proof_and_a_sentence_for_a_heading_belong_to_what_stands_before_them() -> None:
    names = ("Limits", "Proof", "Series", "Here the sum of all of the terms is taken.", "Integrals")
    text = "".join(section(name, 300) for name in names)
    assert titles(path_of(text)) == ["Limits", "Series", "Integrals"]


def test_an_experiment_belongs_to_what_stands_before_it() -> None:
    said = "The bees of the garden fly to the flowers that they have seen before, and back again. " * 4
    short = "They flew to it in nine of ten cases, and to the other one in one. " * 4
    text = f"# Bees and shapes\n\n{said}\n\n# Experiment\n\n{short}\n\n# Bees and faces\n\n{said}\n\n# Wasps\n\n{said}"
    assert titles(path_of(text)) == ["Bees and shapes", "Bees and faces", "Wasps"]


def test_a_few_long_clauses_weigh_more_than_many_short_words() -> None:
    said = "四元数是一种超复数，它有四个部分，并且满足很多条件，y la e de o a y a un。"  # as formulas have them
    assert code_of([read_document(f"# 四元数\n\n{said * 9}")]) == "en"
    terms = "的治療：Hydrocortison und Fludrocortison（糖皮質素不足的患者），必須立即處理，請注意低血糖和低血鈉。"
    assert code_of([read_document(f"# 愛迪生氏病\n\n{terms * 9}")]) == "en"


def test_a_part_that_has_but_a_number_stands_with_what_it_is_about() -> None:
    said = "The robot of the island works for the factory, and the island belongs to the robot. " * 9
    found = titles(path_of(f"# The play\n\n## I. část\n\n{said}\n\n## II. část\n\n{said}"))
    assert all(title.partition(": ")[0] in ("I. část", "II. část") and ": " in title for title in found)


def test_a_year_behind_a_full_stop_makes_no_sentence_of_a_heading() -> None:
    text = "".join(section(name, 300) for name in ("La guerre des Anglais. 1915", "La paix"))
    assert titles(path_of(text)) == ["La guerre des Anglais. 1915", "La paix"]


def test_weeks_however_written_stand_with_what_is_below_them() -> None:
    weeks = {"Week 1": ("Chords", "Scales"), "Week2": ("Rhythm", "Form"), "Week 3": ("Meter", "Ties")}
    text = "".join(f"# {week}\n\n{''.join(section(name, 100) for name in names)}" for week, names in weeks.items())
    assert titles(path_of(text)) == [f"{week}: {' · '.join(names)}" for week, names in weeks.items()]


def test_an_introduction_stands_with_the_nouns_that_it_uses_most() -> None:
    said = "The sample is a part of the population. A population is large, and a sample of the population is small. "
    text = f"## Introduction\n\n{said * 8}\n\n{section('Random choice', 200)}{section('Choice by hand', 200)}"
    assert titles(path_of(text))[0] == "Introduction: sample, population"


@pytest.mark.parametrize(
    "cover",
    [
        "# Methods of research, unit 4\n\nCollege of the North\n\n# Sampling\n\nCollege of the North\n\n",
        "# Ann Example\n\nCollege of the North\n\nCourse of philosophy\n\nBob Example\n\nEssay on two thinkers\n\n",
    ],
)
def test_title_pages_are_no_concepts(cover: str) -> None:
    names = ("What a sample is", "Random choice", "Choice by hand")
    text = cover + "".join(section(name, 200, level=1) for name in names)
    assert titles(path_of(text)) == [*names]


def test_a_section_of_code_with_what_it_does_is_a_concept() -> None:
    lines = "\n".join(f"    d[{at}] = 'value number {at} of the shop'" for at in range(20))
    code = "- {0}:\n\n  ```python\n" + lines.replace("    ", "  ") + "\n  ```\n"
    text = "".join(f"## {name}\n\n{code.format(name)}\n" for name in ("Reading", "Writing", "Deleting"))
    assert titles(path_of(text)) == ["Reading", "Writing", "Deleting"]


def test_a_name_that_is_a_whole_path_means_no_section_deeper_down() -> None:
    below = section("Findings", 60, level=3)
    text = f"{section('Findings', 200)}{section('Causes', 200)}{section('Dangers', 200)}{below}"
    found = own_parts([read_document(text)], title="Findings", desc="In your notes: Findings", code="en")
    assert [part.path for part in found] == [("Findings",)]


def test_a_title_names_no_section_that_is_next_to_nothing_of_what_it_stands_over() -> None:
    text = f"## My sheet!\n\nBring a pen.\n\n{section('Chords', 300)}{section('Scales', 300)}{section('Rhythm', 300)}"
    assert titles(path_of(text)) == ["Chords", "Scales", "Rhythm"]


def test_text_that_follows_objectives_under_their_heading_is_a_concept_of_the_chapter() -> None:
    goals = "By the end of this section, you will be able to:\n\n- name a mill\n- build a mill\n\n"
    chapter = f"## Mills\n\n### Learning Objectives\n\n{goals}{section('', 400).strip('# ')}"
    assert titles(path_of(f"# Machines\n\n{chapter}{section('Pumps', 300)}")) == ["Mills", "Pumps"]


def test_a_heading_of_two_sentences_is_called_by_the_first() -> None:
    notes = section("Structure of the mill. Its wheel.", 300) + section("Care of the pump. Its valves.", 300)
    assert titles(path_of(f"# Machines\n\n{notes}")) == ["Structure of the mill", "Care of the pump"]


def test_dates_stand_with_what_is_below_them_once() -> None:
    days = {
        "January 17, 2019": ("Laws", "Courts"),
        "January 22, 2019": ("Treaties", "Choice"),
        "May 5, 2019": ("Air", "Sea"),
    }
    text = "".join(
        f"# {day}\n\n{''.join(section(name, 100) for name in ('Lecture', *names))}" for day, names in days.items()
    )
    assert titles(path_of(text)) == [f"{day}: {' · '.join(names)}" for day, names in days.items()]


def test_a_title_says_that_more_follows_where_most_has_no_name() -> None:
    long = "The state of the welfare of all of the people of the land after the great crisis of the world of trade"
    text = f"{section('The liberal state', 50)}{section(long, 150)}{section('The law', 300)}{section('The land', 300)}"
    assert titles(path_of(text))[0] == "The liberal state and more"


def test_of_a_flat_outline_sections_that_share_a_word_stand_together() -> None:
    names = ("Assumptions of ANOVA", "Checking variances", "Salt and water", "Water in the cell", "Sugar", "Fat")
    found = titles(path_of("".join(section(name, 60) for name in names), most=5))
    assert "Salt and water · Water in the cell" in found


def test_a_section_that_is_far_too_large_is_opened_however_many_stand_below_it() -> None:
    small = "".join(section(f"The {name} of the mill", 300, level=1) for name in ("wheel", "stone", "gate", "roof"))
    tools = ("lathe", "crane", "winch", "press", "pump", "saw", "drill", "forge", "mould")
    large = "# Tools\n\n" + "".join(section(f"A {name} and its use", 200) for name in tools)
    found = titles(path_of(small + large, most=6))
    assert len(found) == 6
    assert "Tools" not in found


def test_what_ends_in_dots_is_no_name() -> None:
    text = "".join(
        section(name, 120) for name in ("Risk of death", "The risk that you take…", "Age", "From the office...")
    )
    assert titles(path_of(text)) == ["Risk of death", "Age"]


def test_a_numbered_step_keeps_what_it_is() -> None:
    steps = ("Normal forms", "Step 1 – fill the empty cells of all rows", "Step 2 – take the larger table apart")
    (title,) = titles(path_of("".join(section(name, 20) for name in steps)))
    assert title.endswith(f"{steps[1]} · {steps[2]}")


def test_a_section_of_short_lines_under_a_name_is_a_concept_of_its_own() -> None:
    lines = "".join(f"- the {tool} and its {part}\n" for tool in TOOLS for part in ("arm", "base", "belt", "hook"))
    text = "".join(f"## {name}\n\n{lines}\n" for name in ("Machines", "Engines", "Vehicles"))
    text += "A vehicle carries what people would have to carry themselves.\n"
    assert titles(path_of(text)) == ["Machines", "Engines", "Vehicles"]


def test_headings_that_differ_in_capitals_alone_are_one() -> None:
    text = section("The STRUCTURE of it", 200) + section("The end", 200) + section("The structure of it", 200)
    assert titles(path_of(text)) == ["The STRUCTURE of it", "The end"]

"""Subconcepts and questions of concepts from notes, made of what the server would hand over."""

import re
from typing import Any

import pytest

from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.learning.structure.plain_view import text_of
from sprout.learning.text.normalization import folded
from sprout.offline.graph_plan import Plan
from sprout.offline.notes.document import documents_of_passages, read_document
from sprout.offline.notes.lesson_plan import answers_in_notes, lesson_plan_from_notes
from sprout.offline.notes.material import Material, Topic
from sprout.offline.notes.path import path_from_notes
from sprout.offline.notes.questions import typed_term_questions
from sprout.offline.notes.scope import own_parts
from sprout.offline.notes.words import singles_out
from tests.offline.notes.reading import FILES, learn, learned, passages_for, plain_words
from tests.offline.sdk_client import NOTES

LANGUAGES = {"water-cycle.md": "en", "bread.txt": "en", "photosynthese.md": "de", "revolution.md": "fr"}

TABLE = (
    "| Planet | Day |\n|---|---|\n| Earth | 24 hours |\n| Mars | 25 hours |\n| Jupiter | 10 hours |\n"
    "| Venus | 243 days |\n"
)


def plan_of(text: str, *, title: str = "", most: int = 12) -> Plan:
    plan = lesson_plan_from_notes([("a.md", "", text)], most=most, most_items=10, title=title)
    assert plan is not None
    return plan


def prompts(plan: Plan) -> list[str]:
    return [str(item.input["prompt"]) for item in plan.questions]


def draft_of(question: dict[str, Any]) -> QuestionDraft:
    return QuestionDraft(
        prompt=question["prompt"],
        format=question["format"],
        correct_answer=question["correct_answer"],
        difficulty=question["difficulty"],
        tests=tuple(question["tests"]),
        options=tuple(question.get("options", ())),
        criteria=tuple(Criterion(**row) for row in question.get("criteria", ())),
        tolerance=question.get("tolerance"),
        unit=question.get("unit"),
        accepted=tuple(question.get("accepted", ())),
    )


@pytest.mark.parametrize(
    ("name", "label"), [("photosynthese.md", "der richtige Begriff"), ("revolution.md", "le bon terme")]
)
def test_what_a_term_is_marked_by_is_named_in_the_language_of_the_notes(name: str, label: str) -> None:
    terms = [question for question in learned(name).questions if "accepted" in question]
    assert terms
    assert all([point["label"] for point in question["criteria"]] == [label] for question in terms)


@pytest.mark.parametrize("name", FILES)
def test_a_concept_has_at_most_six_subconcepts_and_a_question_tests_one_of_them(name: str) -> None:
    for lesson in learned(name).lessons.values():
        titles = {node.title for node in lesson.nodes}
        assert 1 <= len(titles) <= 6
        assert all(set(item.tests) <= titles for item in lesson.questions)


def test_subconcepts_are_named_by_subheadings_and_by_the_terms_that_the_text_marks() -> None:
    lessons = learned("water-cycle.md").lessons
    assert [node.title for node in lessons["Evaporation"].nodes] == ["Evaporation", "Latent heat", "Transpiration"]
    assert [node.title for node in lessons["Where the water is"].nodes] == [
        "The water cycle",
        "Reservoir",
        "Residence time",
    ]


def test_text_that_marks_no_term_is_one_subconcept_that_is_called_as_its_concept() -> None:
    prose = "The miller opened the gate and the wheel began to turn in the stream. " * 40
    plan = lesson_plan_from_notes([("a.md", "The mill", prose)], most=12, most_items=10, title="The mill")
    assert plan is not None
    assert [node.title for node in plan.nodes] == ["The mill"]


def test_terms_are_told_from_others_of_the_same_list_and_never_from_a_kind_of_themselves() -> None:
    keys = {
        "super key": "any set of columns that names a row",
        "candidate key": "a super key without a needless column",
        "primary key": "a candidate key that was chosen for the table",
        "foreign key": "a column that refers to a row of another table",
        "view": "a query that is kept under a name of its own",
        "index": "a sorted copy of a column that makes a search fast",
        "trigger": "a rule that runs when a row is changed",
    }
    plan = plan_of("## Tables\n\n" + "".join(f"- {term}: {meaning}\n" for term, meaning in keys.items()))
    asked = [item.input for item in plan.questions if item.input["format"] == "mcq"]
    assert any(keys["foreign key"] in str(question) for question in asked)
    kinds = {keys["super key"], keys["candidate key"], keys["primary key"], "super key", "candidate key", "primary key"}
    assert all(len(kinds & set(one["options"])) == 1 for one in asked if one["correct_answer"] in kinds)
    assert {option for question in asked for option in question["options"]} <= {*keys, *keys.values()}


@pytest.mark.parametrize("name", FILES)
def test_no_title_but_a_heading_is_the_beginning_of_a_sentence(name: str) -> None:
    headings = {line.strip("# ") for line in (NOTES / name).read_text().splitlines() if line.startswith("#")}
    sentences = re.split(r"(?<=[.!?])\s+", plain_words(name))
    for lesson in learned(name).lessons.values():
        for node in lesson.nodes:
            longer = len(node.title.split()) > 2 and node.title not in headings
            assert not any(longer and folded(one).startswith(folded(node.title)) for one in sentences), node.title


@pytest.mark.parametrize("name", FILES)
def test_every_question_is_one_that_the_server_accepts(name: str) -> None:
    for question in learned(name).questions:
        validate_draft(draft_of(question))


@pytest.mark.parametrize("name", FILES)
def test_right_answers_stand_in_the_notes_and_no_sentence_is_asked_about_twice(name: str) -> None:
    said = folded(plain_words(name))
    for question in learned(name).questions:
        statements = [row["statement"] for row in question.get("criteria", ()) if row["weight"] > 0.2]
        for answer in statements or [question["correct_answer"]]:
            bare = folded(answer.removeprefix("… ")).rstrip(".")
            parts = [part for sentence in re.split(r"(?<=[.!?]) ", bare) for part in sentence.split("____")]
            assert all(part in said or part.replace(".", ",") in said for part in parts), answer


def test_options_are_no_beliefs_and_what_is_gone_stays_gone() -> None:
    for name in FILES:
        for question in learned(name).questions:
            assert "misconceptions" not in question
            assert not re.search(r"together\?|zusammen\?|ensemble \?|Name \w+ things", question["prompt"])


def test_terms_are_asked_for_by_their_meaning_and_by_the_sentence_that_lacks_them() -> None:
    names = {"dynamo": "turns", "boiler": "heats", "damper": "closes", "rectifier": "flattens", "winch": "lifts"}
    names |= {"hopper": "holds", "chiller": "cools", "grinder": "breaks", "mixer": "stirs"}
    text = "\n\n".join(
        f"A **{name}** is a machine that {verb} what it is given by hand." for name, verb in names.items()
    )
    plan = plan_of(f"## Machines\n\n{text}\n")
    assert "Which term do your notes explain with these words? “a machine that" in " ".join(prompts(plan))
    typed = next(item.input for item in plan.questions if "Write the term alone" in item.input["prompt"])
    assert typed["correct_answer"] in names
    assert typed["correct_answer"] in typed["accepted"]
    assert "____" in typed["prompt"]


def test_a_table_is_read() -> None:
    plan = plan_of(f"## Days\n\nPlanets turn at their own pace.\n\n{TABLE}")
    cell = next(item.input for item in plan.questions if "“Mars” under “Day”" in item.input["prompt"])
    assert cell["correct_answer"] == "25 hours"


def test_a_table_of_codes_or_of_rows_that_only_a_number_names_is_not_asked_about() -> None:
    numbers = "".join(
        f"| {n} | {name} |\n" for n, name in enumerate(("Link", "Network", "Transport", "Session"), start=1)
    )
    codes = "".join(f"| {name} | {n} |\n" for n, name in enumerate(("NOTRIG", "RISING", "FALLING", "LEVEL")))
    for head, rows in (("| Layer | Name |", numbers), ("| Name | Code |", codes)):
        plan = plan_of(
            f"## Layers\n\nEach layer has its own name in the model.\n\n{head}\n|---|---|\n{rows}", title="Layers"
        )
        assert not any("the table" in prompt for prompt in prompts(plan))


def table_of(*rows: str) -> str:
    head, *others = (f"| {row} |\n" for row in rows)
    return f"{head}|---|---|\n{''.join(others)}"


@pytest.mark.parametrize(
    "table",
    [
        table_of("Card | Band", "101 | Thunder", "102 | Echo", "103 | Skyline", "104 | Northern Lights"),
        table_of("Group | Net", "Sales | 10.0.1.0", "Staff | 10.0.1.8", "Guests | 10.0.2.0", "Shop | 10.0.3.0"),
        table_of("Feature | Pump", "Kind | Engine", "Size | Small", "Place | In the yard", "Use | At night"),
        table_of("Good | Bad", "Calm, green | No bus", "Large houses, gardens | No work", "Air | Way", "Sun | Rain"),
        table_of("Town | Land", "A bus every three minutes | A walk", "Noise | Rest", "Smoke | Air", "Shops | Trees"),
        table_of("Calm | Black", "• Rest | • Power", "• Peace | • Grief", "• Sleep | • Style", "• Sea | • Law"),
    ],
    ids=[
        "numbered rows",
        "numbers as cells",
        "properties",
        "rows of two",
        "rows that say something",
        "lists side by side",
    ],
)
def test_a_table_of_an_example_of_remarks_or_of_lists_is_not_asked_about(table: str) -> None:
    assert not [prompt for prompt in prompts(plan_of(f"## Days\n\n{WHOLE}\n\n{table}")) if "the table" in prompt]


def test_a_cell_that_begins_as_its_row_does_is_not_asked_for() -> None:
    rows = (
        "BEGIN | The beginning of the code",
        "DECLARE | Names of things",
        "CATCH | What went wrong",
        "END | Nothing",
    )
    asked = prompts(plan_of(f"## Code\n\n{WHOLE}\n\n{table_of('Word | Use', *rows)}"))
    assert any("“DECLARE”" in prompt for prompt in asked)
    assert not any("“BEGIN”" in prompt for prompt in asked)


REMARKS = {
    "Rain": "a fall of drops that grew too heavy",
    "Hail": "a fall of ice that grew in a storm",
    "Snow": "a fall of small stars of frozen vapour",
    "Mist": "a cloud that lies on the ground",
}


def test_only_a_list_that_says_what_things_are_is_asked_about() -> None:
    kinds = "".join(f"- **{term}**: {said}\n" for term, said in REMARKS.items())
    labels = "## Tools\n\n- **Purpose**: to measure the wind\n- **Price**: low\n- **Size**: as a hand\n- **Age**: old\n"
    asked = [item.input for item in plan_of(f"## Weather\n\n{kinds}\n{labels}", title="Weather").questions]
    assert asked
    assert {question["correct_answer"] for question in asked} <= {*REMARKS}
    assert all({*question["options"]} <= {*REMARKS} for question in asked)


def test_two_lists_side_by_side_are_no_table_to_ask_about() -> None:
    lists = TABLE.replace("| Planet | Day |", "| For slow planets | For fast planets |")
    assert not [prompt for prompt in prompts(plan_of(f"## Days\n\n{WHOLE}\n\n{lists}")) if "the table" in prompt]


def test_a_cell_that_two_tables_have_is_not_asked_for_in_either() -> None:
    other = TABLE.replace("24 hours", "one day").replace("Venus", "Saturn")
    plan = plan_of(f"## Days\n\n{WHOLE}\n\n{TABLE}\n\nAs others say:\n\n{other}")
    asked = [prompt for prompt in prompts(plan) if "the table" in prompt]
    assert asked
    assert all("“Venus”" in prompt or "“Saturn”" in prompt for prompt in asked)


@pytest.mark.parametrize("head", ["|  |  |", "| 1 | 2 |"])
def test_a_table_whose_columns_have_no_names_is_not_asked_about(head: str) -> None:
    _, rule, *rows = TABLE.splitlines()
    table = "\n".join([head, rule, *rows])
    assert not any("the table" in prompt for prompt in prompts(plan_of(f"## Days\n\n{WHOLE}\n\n{table}")))


def test_a_term_whose_words_stand_in_the_question_in_another_form_is_not_asked_for() -> None:
    terms = {"priority": "si servono i processi in base alla priorità", "fifo": "si serve il primo che arriva"}
    terms |= {"casuale": "si serve un processo a sorte", "circolare": "si servono tutti a turno per poco tempo"}
    text = "".join(f"- **{term}**: {what}.\n" for term, what in terms.items())
    found = plan_of(f"## Code\n\nIl sistema operativo sceglie il processo che deve andare avanti.\n\n{text}")
    assert not any("priorità" in prompt for prompt in prompts(found))


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("A **water tank** is a vessel that keeps what the pump moves.", {"water tank", "A water tank"}),
        ("A **GOsa²** is a program that keeps the people of a school.", {"GOsa²", "A GOsa²", "GOsa"}),
        (
            "A **water tank (upper)** is a vessel that keeps what the pump moves.",
            {"water tank (upper)", "A water tank (upper)", "water tank"},
        ),
        (
            "A **water tank (WT)** is a vessel that keeps what the pump moves.",
            {"water tank (WT)", "A water tank (WT)", "water tank", "WT"},
        ),
        (
            "A **водобак (water tank)** is a vessel that keeps what the pump moves.",
            {"водобак (water tank)", "A водобак (water tank)", "водобак", "water tank"},
        ),
    ],
)
def test_a_term_is_accepted_with_its_article_by_its_short_name_and_without_raised_signs(
    text: str, accepted: set[str]
) -> None:
    (typed,) = (one.input for one in plan_of(f"## Plant\n\n{text}").questions if "____" in one.input["prompt"])
    assert set(typed["accepted"]) == accepted


WHOLE = "The pump moves the water to the tank at night. The tank keeps it for a day and gives it back in the morning. "
LABELS = "\n\n".join(f"Box {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@pytest.mark.parametrize("name", FILES)
def test_a_diagnostic_asks_only_what_code_marks_and_may_be_empty(name: str) -> None:
    for question in learned(name).questions:
        assert question["format"] == "mcq" or question["accepted"], question["prompt"]
    bare = plan_of(f"## Water\n\n{WHOLE * 3}", title="Water")
    assert (bare.questions, [node.title for node in bare.nodes]) == ([], ["Water"])


def test_a_part_that_says_nothing_goes_with_the_one_beside_it() -> None:
    text = f"# Plant\n\n## Water\n\n{WHOLE * 5}\n\n## Picture\n\n{LABELS}\n\n## Steam\n\n{WHOLE * 6}\n"
    assert [node.title for node in plan_of(text, title="Plant").nodes] == ["Water · Picture", "Steam"]


def test_a_definition_is_asked_for_as_such_and_its_key_is_its_whole_sentence() -> None:
    said = "A **reservoir** is a place where water stays for some time."
    plan = plan_of(f"## Water\n\n{said} {WHOLE}", title="Water")
    (typed,) = [one.input for one in plan.questions if "____" in one.input["prompt"]]
    assert (typed["correct_answer"], typed["solution"]) == ("reservoir", [f"“{said.replace('**', '')}”"])


def test_a_term_is_not_asked_for_where_the_notes_give_it_another_name() -> None:
    said = "A **reservoir** is a place where water stays for some time. It is also known as a basin."
    assert not any("____" in prompt for prompt in prompts(plan_of(f"## Water\n\n{said} {WHOLE}", title="Water")))


def test_a_term_is_missing_only_within_a_sentence_never_before_a_colon() -> None:
    terms = {"copper": "a red metal", "iron": "a soft metal", "zinc": "a grey metal", "lead": "a heavy metal"}
    plan = plan_of("## Metals\n\n" + "".join(f"- **{term}**: {what} that is cast.\n" for term, what in terms.items()))
    assert not any("____" in prompt for prompt in prompts(plan))
    assert any("Which term do your notes explain" in prompt for prompt in prompts(plan))


def test_the_wrong_options_of_a_quiz_are_never_taught() -> None:
    text = (
        "## Light reactions\n\nThe light reactions make ATP and NADPH. They need water and light in the leaf.\n\n"
        "## Review Questions\n\nWhich of the following is a product?\n\na) RuBP and oxygen\nb) ATP and NADPH\n"
        "c) GA3P and water\n"
    )
    plan = plan_of(text)
    said = " ".join([str(item.input) for item in plan.questions] + [node.title + node.desc for node in plan.nodes])
    assert "RuBP" not in said
    assert "GA3P" not in said


def test_a_statement_about_a_part_is_not_taken_for_one_about_the_whole() -> None:
    text = (NOTES / "water-cycle.md").read_text()
    asked = [question for question in learned("water-cycle.md").questions if question["format"] == "mcq"]
    assert "No water is added" in text
    assert not any(option.startswith("… is added to it") for question in asked for option in question["options"])


@pytest.mark.parametrize("name", FILES)
def test_the_key_check_finds_the_same_answers_in_the_same_passages(name: str) -> None:
    text = (NOTES / name).read_text()
    for node in learned(name).path.nodes:
        answers = answers_in_notes(tuple(passages_for(name, text, node)), title=node.title, desc=node.desc)
        for item in learned(name).lessons[node.title].questions:
            assert answers[item.input["prompt"]] == item.input["correct_answer"]


def test_a_concept_finds_its_own_sections_again_by_their_headings() -> None:
    body = "The pump moves water to the tank. The tank keeps it for a day and gives it back at night. " * 12
    text = "".join(f"# {name}\n\n## Overview\n\nThe {name} has a wheel. {body}\n\n" for name in ("Mill", "Press"))
    both = learn("machines.md", text)
    assert both.titles == ["Mill", "Press"]
    for title, other in (("Mill", "Press"), ("Press", "Mill")):
        assert not any(f"The {other} has" in str(item.input) for item in both.lessons[title].questions)


def test_the_same_notes_give_the_same_lesson_and_nothing_gives_none() -> None:
    assert plan_of("## Rust\n\nIron rusts in damp air.") == plan_of("## Rust\n\nIron rusts in damp air.")
    assert lesson_plan_from_notes([("a", "", "# Title\n")], most=3, most_items=3) is None


OPENING_TEXT = "A leaf keeps light in bonds. A bond is a place for energy. A plant uses it on a day without sun. "
UNDER_A_HEADING = "Light-dependent reactions split water. A photosystem is a group of pigments. It catches one photon. "


def test_the_opening_of_a_document_is_what_its_title_names() -> None:
    """Also where a section has the same words in its heading."""
    text = (
        f"---\ntitle: Light-dependent reactions\n---\n\n{OPENING_TEXT * 4}\n\n"
        f"## How light-dependent reactions work\n\n{UNDER_A_HEADING * 4}\n\n## Pigments\n\n{UNDER_A_HEADING * 4}\n"
    )
    path = path_from_notes([text], least=1, most=12)
    assert path is not None
    opening = path.nodes[0]
    assert opening.title == "Light-dependent reactions"
    documents = [read_document(text)]
    parts = own_parts(documents, title=opening.title, desc=opening.desc, code="en")
    assert [text_of(block).strip() for part in parts for block in part.all_blocks] == [(OPENING_TEXT * 4).strip()]


def test_headings_that_each_chapter_repeats_at_its_own_level_have_a_passage_each() -> None:
    said = {
        "Water": "A **polymictic lake** is a lake that mixes many times a year because it is shallow.",
        "Plants": "A **hornwort** is a plant without roots that takes its food from the water.",
        "Animals": "A **pike** is a fish that waits among plants and catches other fish.",
    }
    more = "The wind stirs it down to the mud, and it warms up again within a few days of calm and sunny weather. " * 3
    chapters = (f"## {name}\n\n{name} of a lake. {more}\n\n## Examples\n\n{text} {more}" for name, text in said.items())
    text = "# The lake\n\n" + "\n\n".join(chapters)
    lessons = learn("lake.md", text).lessons
    assert [*lessons] == [*said]
    for name, lesson in lessons.items():
        examples = next(node for node in lesson.nodes if "Examples" in node.title)
        documents = documents_of_passages(passages_for("lake.md", text, examples), desc=examples.desc)
        parts = own_parts(documents, title=examples.title, desc=examples.desc, code="en")
        assert [part.path[-2:] for part in parts] == [(name, "Examples")]
        assert text_of(parts[0].blocks[0]).startswith(said[name].replace("**", ""))


@pytest.mark.parametrize(
    ("asked", "right", "wrong", "singled_out"),
    [
        ("when the mouse moves", "onmousemove", ["onclick", "onload"], True),
        ("on a click of the mouse", "onmousemove", ["onmouseup", "onload"], False),
        ("Logical reasoning", "answering by logic and resolution", ["recognising patterns", "planning"], True),
        ("it reads the ACK field", "ACK received", ["call from above", "timeout"], True),
        ("the history of what was kept", "log of history", ["blame", "stash"], True),
        ("shows the log of changes", "git log", ["git add", "git stash"], True),
        ("fatte di elastina", "Fibre elàstiche", ["Fibre di reticolo", "Fibre di collagene"], True),
        ("the one that is the first", "thesis", ["pump", "valve"], False),
        ("a spinning disk", "dynamo", ["pump", "valve"], False),
    ],
)
def test_a_word_that_only_the_right_option_shares_with_the_question_singles_it_out(
    asked: str, right: str, wrong: list[str], singled_out: bool
) -> None:
    assert singles_out(asked, right, wrong, code="en") is singled_out


@pytest.mark.parametrize("name", FILES)
def test_no_choice_shares_a_word_with_its_right_option_alone(name: str) -> None:
    for question in learned(name).questions:
        if question["format"] == "mcq" and "“" in question["prompt"]:
            asked = question["prompt"].partition("“")[2]
            wrong = [option for option in question["options"] if option != question["correct_answer"]]
            assert not singles_out(asked, question["correct_answer"], wrong, code=LANGUAGES[name]), question["prompt"]


CARRIERS = {
    "Dopamine": "moves the muscles and rewards what was done",
    "Serotonin": "keeps the sleep and the mood in balance",
    "Adrenaline": "wakes the body up when there is danger",
    "Endorphin": "takes away the pain of a long run",
}


def _listed(said: dict[str, str]) -> str:
    return "".join(f"- {term}: {meaning}\n" for term, meaning in said.items())


def test_what_a_list_says_of_one_thing_after_the_other_is_asked_among_them() -> None:
    plan = plan_of(f"## Carriers\n\n{_listed(CARRIERS)}")
    asked = {str(item.input["prompt"]): item.input for item in plan.questions}
    assert {question["correct_answer"] for question in asked.values()} <= {*CARRIERS}
    question = asked["Of what do your notes say this? “moves the muscles and rewards what was done”"]
    assert (question["correct_answer"], {*question["options"]}) == ("Dopamine", {*CARRIERS})


@pytest.mark.parametrize(
    "text",
    [
        _listed({**CARRIERS, "Example": "a long run on a cold day in winter", "Use": "it is given to people"}),
        f"{_listed(CARRIERS)}\n{WHOLE}\n\n{_listed({name: f'{said} too' for name, said in CARRIERS.items()})}",
        _listed(dict([*CARRIERS.items()][:3])),
    ],
    ids=["remarks among them", "aspects that come again", "too few"],
)
def test_a_list_of_remarks_or_of_aspects_is_not_asked_about(text: str) -> None:
    plan = plan_of(f"## Carriers\n\n{WHOLE}\n\n{text}")
    assert not [prompt for prompt in prompts(plan) if prompt.startswith("Of what do")]


@pytest.mark.parametrize(("term", "asked"), [("rate of flow", True), ("weir or dam", False)])
def test_of_two_names_neither_is_the_missing_term(term: str, asked: bool) -> None:
    told = f"A **{term}** is a thing that tells the miller how much water comes in an hour. The mill is old."
    block = Topic("Water", (), tuple(read_document(told).content.all_blocks))
    found = [one.fields["correct_answer"] for one in typed_term_questions(Material([block], (), "en"))]
    assert found == ([term] if asked else [])


def test_a_label_in_capitals_among_terms_that_are_none_is_no_term() -> None:
    def asked(*terms: str) -> list[str]:
        said = ("a ring of iron that holds the spokes", "a bar on which the wheel turns", "a box that keeps oil in")
        text = "".join(f"**{term}**\n: {one}.\n\n" for term, one in zip(terms, said, strict=True))
        block = Topic("Wheels", (), read_document(f"# Wheels\n\n{text}").content.all_blocks)
        return [one.term for _, one in Material([block], (), "en").meanings]

    assert asked("Tyre", "Axle", "COMPLICATIONS") == ["Tyre", "Axle"]
    assert asked("TYRE", "AXLE PIN", "OIL SEAL") == ["TYRE", "AXLE PIN", "OIL SEAL"]
    assert asked("Tyre", "Axle", "ABS") == ["Tyre", "Axle", "ABS"]
    assert len(asked("PNEUMATIC TYRE", "STEERING AXLE", "Seal")) == 3


def test_a_term_is_written_small_where_the_text_does_and_not_where_another_word_begins_so() -> None:
    told = "Besitz ist die Herrschaft über eine Sache. Wer mietet, der besitzt die Wohnung, und die miete ist fällig."
    material = Material([Topic("Recht", (), tuple(read_document(told).content.all_blocks))], (), "de")
    assert material.shown("Besitz") == "Besitz"
    assert material.shown("Miete") == "miete"

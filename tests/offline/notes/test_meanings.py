"""Meanings that notes state, in six languages, and what only looks like one."""

import pytest

from sprout.offline.notes.document import read_document
from sprout.offline.notes.meanings import labelled_in, marked_terms, meanings_in
from sprout.offline.notes.words import key_of


def found(text: str, code: str) -> list[tuple[str, str]]:
    return [(one.term, one.meaning) for one in meanings_in(read_document(text).content.all_blocks, code)]


@pytest.mark.parametrize(
    ("code", "sentence", "term", "meaning"),
    [
        (
            "en",
            "A reservoir is a place where water stays for some time.",
            "reservoir",
            "a place where water stays for some time",
        ),
        (
            "en",
            "The temperature at which air becomes saturated is called the dew point.",
            "dew point",
            "The temperature at which air becomes saturated",
        ),
        ("de", "Ein Farbstoff ist ein Stoff, der Licht aufnimmt.", "Farbstoff", "ein Stoff, der Licht aufnimmt"),
        ("de", "Die Stapel von Membranen nennt man Thylakoide.", "Thylakoide", "Die Stapel von Membranen"),
        (
            "fr",
            "Une **membrane** est une enveloppe qui entoure la cellule.",
            "membrane",
            "une enveloppe qui entoure la cellule",
        ),
        (
            "es",
            "Un árbol es una estructura que guarda nodos en niveles.",
            "árbol",
            "una estructura que guarda nodos en niveles",
        ),
        (
            "de",
            "Im Blatt liegen Stapel von Membranen, die Thylakoide heißen.",
            "Thylakoide",
            "Im Blatt liegen Stapel von Membranen",
        ),
        (
            "en",
            "The complex of proteins and acids is called chromatin.",
            "chromatin",
            "The complex of proteins and acids",
        ),
        (
            "it",
            "La **densità** è la misura di quanta massa c'è in un volume.",
            "densità",
            "la misura di quanta massa c'è in un volume",
        ),
        ("it", "Il rapporto tra massa e volume si chiama la densità.", "densità", "Il rapporto tra massa e volume"),
        ("pt", "Uma **célula** é a menor unidade de um ser vivo.", "célula", "a menor unidade de um ser vivo"),
    ],
)
def test_definitions_are_found(code: str, sentence: str, term: str, meaning: str) -> None:
    assert found(f"## Words\n\n{sentence}\n", code) == [(term, meaning)]


@pytest.mark.parametrize(
    "sentence",
    [
        "A friend of mine went home and had tea.",
        "It is a place where water stays for some time.",
        "The ocean is the largest reservoir of all the water there is.",
        "Another option is the use of a pump in the tank.",
        "Is a reservoir a place where water stays?",
        "In the **old town**, the houses are of stone.",
        "**Step 2**: a long wait in the cold room",
        "- **Wind**: when it blows from the sea it brings rain to the coast",
        "A **tongue** is present, which is used in catching the prey.",
        "The **blood** is composed of plasma and of cells.",
        "A **pond** is a body of water in which all the above mentioned parts are seen.",
        "**Def**: a set of symbols that has an end",
        "The problem of it all here is called **preemption**.",
        "The **pointer** is an index to this array of words.",
        "A **pump** is a machine that lifts , at a price of p i , some water.",
        "The function of the pump is called repeatedly.",
        "The **switch** is the heart of the local network.",
        "**Laws**: The power is held by those who make them for all.",
        "Paris is a city in the north of France.",
        "The first and the last bit of a word are called start and stop.",
        "A **thermostat** is a simple example.",
        "A **tank** is a vessel when it holds some water.",
        "**Data** is the blood of each firm, but it has to be read by someone.",
        "The process we have used is called **induction**.",
        "**Double pumps** are a classic example of a system that may fail.",
        "A **handler** is a new abstraction that takes a state.",
        "The **factor** is the following function of the speed.",
        "*A **macro** is a name that stands for some text.",
        "**HA** is a weak acid that gives off few protons.",
        "**NO₂** is a brown gas that smells of engines.",
        "The **smooth reticulum** is a net that is shortened to SR in most books.",
        "The **SR** is a smooth reticulum in the cells of a muscle.",
        "A part of the mill is a house that has a wheel of wood.",
        "live in one place, such plants are called **water plants**.",
        "The **demand** is the number of things that people buy Supply -what is sold.",
        "A famous example is the gap in the wall of the tank that nobody had seen.",
    ],
)
def test_what_only_looks_like_a_definition_is_none(sentence: str) -> None:
    assert found(f"## Words\n\n{sentence}\n", "en") == []


REMARKS = {
    "copper": "a red metal",
    "tin": "a soft white metal",
    "bronze": "an alloy of both",
    "zinc": "a metal that keeps the rain off",
}


def listed(count: int, *others: str) -> str:
    items = [f"{term}: {said}" for term, said in REMARKS.items()][:count]
    return "## Words\n\n" + "".join(f"- {item}\n" for item in (*items, *others))


def test_items_of_a_list_are_terms_where_most_of_them_say_what_something_is() -> None:
    assert [term for term, _ in found(listed(4), "en")] == [*REMARKS]
    assert found(listed(4, "they met at noon", "nobody came that day", "it was late"), "en") == []


def test_labels_of_what_a_list_says_of_one_thing_are_no_terms() -> None:
    assert (
        found(
            "## Clara\n\n- **Age**: young, in her twenties\n- **Looks**: blond hair\n- **Father**: a goldsmith\n", "en"
        )
        == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "- **Density**: $n = 8 \\cdot 10^{28}$\n- **Speed**: $v = s / t$",
        "- Function $\\mathbb{E}: P \\to C$ makes one of two\n- Key space $K$ is large and whole",
        "- **Density**: you have eight of them and need:\n- **Speed**: what is left of it is:",
        "The set is called the **group of** permutations by all who know it.",
    ],
)
def test_a_formula_alone_means_nothing_and_no_term_ends_within_one_or_with_a_little_word(text: str) -> None:
    terms = {one.term for one in meanings_in(read_document(text).content.all_blocks, "en")}
    assert not terms & {"Density", "Speed", "Function $\\mathbb{E}", "group of"}


@pytest.mark.parametrize(
    ("code", "sentence", "subject"),
    [
        ("fr", "L’un d’entre eux est une transmission qui peut être reçue par un programme.", "entre eux"),
        ("de", "Eines von ihnen ist ein Stoff, der Licht aufnimmt.", "Eines von ihnen"),
        ("en", "One of them is a place where water stays for some time.", "One of them"),
    ],
)
def test_no_pronoun_is_a_term_although_the_text_has_it_often(code: str, sentence: str, subject: str) -> None:
    known = frozenset({key_of(subject, code), key_of(subject.split(maxsplit=1)[1], code)})
    assert meanings_in(read_document(sentence).content.all_blocks, code, known=known) == []


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("en", "It lies on both sides and is called the **upper** and lower epidermis, respectively."),
        ("en", "The resulting compound is called **chloroform**."),
        ("de", "Eine **weitere Strategie** ist ein Verfahren, das Züge zufällig auswählt."),
        ("es", "El **modelo más realista** es una esfera que rueda sobre el plano."),
        ("it", "Il **virus** è una delle tipologie più note di programmi dannosi."),
        ("it", "L'**obbiettivo principale** è quello di danneggiare le parti del sistema."),
        ("fr", "Le **virus** est une des formes connues de programmes nuisibles."),
    ],
)
def test_what_is_said_beside_or_after_something_else_defines_nothing(code: str, sentence: str) -> None:
    blocks = read_document(f"# Part\n\n{sentence}\n").content.all_blocks
    assert meanings_in(blocks, code) == []


def test_things_in_bold_are_said_something_of_wherever_in_a_list_they_stand() -> None:
    names = ("Sowing", "Sprouting", "Flowering", "Ripening")
    bold = "".join(f"  - **{name}:** the stage that farmers fear most\n" for name in names)
    text = f"- Growth has been watched for long\n- It comes in stages\n{bold}- Cold slows all of them down\n"
    (items,) = labelled_in(read_document(text).content.all_blocks, "en")
    assert [one.term for one in items] == [*names]
    assert labelled_in(read_document(text.replace("**", "")).content.all_blocks, "en") == []


def test_what_computes_means_nothing() -> None:
    said = "".join(
        f"- {name} = the force + the weight of it and all the rest\n" for name in ("Lift", "Drag", "Pull", "Tow")
    )
    assert labelled_in(read_document(f"## Forces\n\n{said}").content.all_blocks, "en") == []
    told = read_document(f"## Forces\n\n{said.replace('+', 'and')}").content.all_blocks
    assert len(labelled_in(told, "en")) == 1


def test_a_term_has_no_dash_that_leads_to_its_meaning() -> None:
    said = "**Communication-** is the process of passing on what one person knows to another."
    assert [term for term, _ in found(f"## Words\n\n{said}\n", "en")] == ["Communication"]


def test_a_reference_to_another_place_is_no_meaning() -> None:
    listed = "- mill: a house in which grain is ground\n- pump: {}\n- dam: a wall that holds a river back\n"
    terms = [
        {term for term, _ in found(listed.format(said), "en")} for said in ("a thing for water", "see Machines, 1c")
    ]
    assert terms == [{"mill", "pump", "dam"}, {"mill", "dam"}]


def test_terms_that_are_set_in_bold_else_in_italics_say_what_a_text_is_about() -> None:
    said = "The **main number (n**) and the **orbital number (l**) tell where *it* is, *spin* and **order** how. "
    assert marked(said) == ("main number", "orbital number", "order")
    assert marked(said.replace("**", "*")) == ("main number", "orbital number", "spin", "order")
    assert marked(said.replace("**order**", "order")) == ()


def marked(text: str) -> tuple[str, ...]:
    return marked_terms(read_document(text).content.all_blocks, "en")

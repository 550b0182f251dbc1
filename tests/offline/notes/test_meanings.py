"""Meanings that notes state, in six languages, and what only looks like one."""

import pytest

from sprout.offline.notes.document import read_document
from sprout.offline.notes.facts import sentences_in
from sprout.offline.notes.meanings import marked_terms, meanings_in
from sprout.offline.notes.terms import Terms
from sprout.offline.notes.words import key_of


def found(text: str, code: str) -> list[tuple[str, str]]:
    return [
        (one.term, one.meaning) for one in meanings_in(read_document(text).content.all_blocks, code) if not one.loose
    ]


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
            "the temperature at which air becomes saturated",
        ),
        ("en", "- **Copper**: a red metal that conducts well", "Copper", "a red metal that conducts well"),
        ("en", "Where $v$ is the speed of the wave.", "$v$", "the speed of the wave"),
        ("de", "Ein Farbstoff ist ein Stoff, der Licht aufnimmt.", "Farbstoff", "ein Stoff, der Licht aufnimmt"),
        ("de", "Die Stapel von Membranen nennt man Thylakoide.", "Thylakoide", "die Stapel von Membranen"),
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
            "Unter einem Zeiger versteht man eine Variable mit einer Adresse.",
            "Zeiger",
            "eine Variable mit einer Adresse",
        ),
        (
            "de",
            "Im Blatt liegen Stapel von Membranen, die Thylakoide heißen.",
            "Thylakoide",
            "im Blatt liegen Stapel von Membranen",
        ),
        ("de", "Unter Gütern versteht man alles, was gekauft wird.", "Gütern", "alles, was gekauft wird"),
        (
            "en",
            "Lactose is a disaccharide that consists of two sugars.",
            "Lactose",
            "a disaccharide that consists of two sugars",
        ),
        (
            "en",
            "The complex of proteins and acids is called chromatin.",
            "chromatin",
            "the complex of proteins and acids",
        ),
        (
            "fr",
            "On appelle nombre premier un entier qui a deux diviseurs.",
            "nombre premier",
            "un entier qui a deux diviseurs",
        ),
        (
            "fr",
            "Le plus grand entier qui divise a et b s'appelle le **plus grand diviseur** de a et b.",
            "plus grand diviseur",
            "le plus grand entier qui divise a et b",
        ),
        ("es", "Se llama ósmosis al paso de agua por la membrana.", "ósmosis", "al paso de agua por la membrana"),
        (
            "it",
            "La **densità** è la misura di quanta massa c'è in un volume.",
            "densità",
            "la misura di quanta massa c'è in un volume",
        ),
        ("it", "Il rapporto tra massa e volume si chiama la densità.", "densità", "il rapporto tra massa e volume"),
        ("it", "Per mercato si intende il luogo degli scambi.", "mercato", "il luogo degli scambi"),
        ("pt", "Uma **célula** é a menor unidade de um ser vivo.", "célula", "a menor unidade de um ser vivo"),
        ("pt", "Chama-se fotossíntese o processo que produz açúcar.", "fotossíntese", "o processo que produz açúcar"),
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
    ],
)
def test_what_only_looks_like_a_definition_is_none(sentence: str) -> None:
    assert found(f"## Words\n\n{sentence}\n", "en") == []


def test_items_of_a_plain_list_are_terms_where_most_of_them_are() -> None:
    text = "## Words\n\n- copper: a red metal\n- tin: a soft white metal\n- bronze: an alloy of both\n"
    assert [term for term, _ in found(text, "en")] == ["copper", "tin", "bronze"]
    assert found("## Words\n\n- copper: a red metal\n- they met at noon\n- nobody came that day\n", "en") == []


def test_what_leads_several_remarks_is_a_label_and_no_term() -> None:
    text = "## Words\n\n**Strength**: it lasts for years.\n\nMore.\n\n**Strength**: it is cheap to make.\n"
    assert meanings_in(read_document(text).content.all_blocks, "en") == []


def test_few_remarks_that_a_word_leads_are_notes_and_no_terms() -> None:
    remarks = {
        "Hub": "one for all ports",
        "Switch": "one for each port",
        "Router": "parts the nets",
        "Bridge": "joins two nets",
    }
    for count, terms in ((4, [*remarks]), (3, [])):
        text = "".join(f"- {term}: {said}\n" for term, said in [*remarks.items()][:count])
        blocks = read_document(f"## Words\n\n{text}").content.all_blocks
        assert [one.term for one in meanings_in(blocks, "en")] == terms


def test_capitals_alone_name_nothing_that_a_sentence_does_not_define() -> None:
    text = (
        "The **dew point** falls with the **RH** of the air. Look at the **RH** and at the **dew point** of the air.\n"
    )
    blocks = read_document(f"## Air\n\n{text}").content.all_blocks
    sentences = sentences_in(blocks, "en")
    assert marked_terms(blocks, Terms.of(sentences, "en")) == ["dew point"]


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


DYNAMO = "A **dynamo** is a machine that turns motion into current."


@pytest.mark.parametrize(
    "text",
    [
        f"Example 2 (A mill).\n\nTake a mill.\n\n{DYNAMO}",
        f"*Proof*. {DYNAMO}",
        f"**Solution:** {DYNAMO}",
        f"Exemple 4.\n\n- {DYNAMO}",
    ],
)
def test_a_worked_example_a_solution_or_a_proof_defines_nothing(text: str) -> None:
    assert found(text, "en") == []


@pytest.mark.parametrize(
    "text", [f"Example 2.\n\nTake a mill.\n\nRemark.\n\n{DYNAMO}", f"Proof: take a mill.\n\n{DYNAMO}"]
)
def test_what_stands_after_a_worked_part_is_defined_again(text: str) -> None:
    assert found(text, "en") == [("dynamo", "a machine that turns motion into current")]


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

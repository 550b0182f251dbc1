"""A lesson from notes speaks the language of the notes, whatever the learner does in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from sprout.agents.fences import fenced
from sprout.learning.lessons.turn_notes import TurnNote
from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.templates import templates_for
from tests.offline.demo.tutor.classroom import Classroom, first_message

LEAST_TELLING = 10  # characters of an English sentence by which it is recognised
MANNERS = ("right", "wrong", "wrong_once", "help", "show", "change", "met", "partly")


@dataclass(frozen=True)
class Notes:
    """A text in one language, what asks about it and about something else, and what hardly answers."""

    text: str
    about: str
    beside: str
    unsure: str


NOTES = {
    "fr": Notes(
        "# La monnaie\n\n## Les banques\n\nUne **banque** est une entreprise qui garde l'argent de ses clients. Le "
        "**crédit** est une somme que la banque prête contre un intérêt. L'**intérêt** est le prix que l'on paie "
        "pour une somme prêtée. Le **dépôt** est une somme que le client confie à la banque.\n\n## Les marchés\n\n"
        "Le blé arrive au port le matin. Les marchands le pèsent, puis ils le vendent aux boulangers de la ville. "
        "Quand la récolte est mauvaise, les prix du marché montent, et les marchands achètent le blé ailleurs. Le "
        "soir, les marchés ferment et les navires repartent avec le reste du blé.\n",
        about="Où les clients gardent-ils leur argent ?",
        beside="Qu'est-ce qu'un volcan ?",
        unsure="je ne sais pas",
    ),
    "es": Notes(
        "# El dinero\n\n## Los bancos\n\nUn **banco** es una empresa que guarda el dinero de sus clientes. El "
        "**crédito** es una suma que el banco presta a cambio de un interés. El **interés** es el precio que se "
        "paga por una suma prestada. El **depósito** es una suma que el cliente confía al banco.\n\n## Los "
        "mercados\n\nEl trigo llega al puerto por la mañana. Los comerciantes lo pesan y luego lo venden a los "
        "panaderos de la ciudad. Cuando la cosecha es mala, los precios de los mercados suben, y los comerciantes "
        "compran el trigo en otra parte. Por la tarde los mercados cierran y los barcos se van con el resto.\n",
        about="¿Dónde guardan los clientes su dinero?",
        beside="¿Qué es un volcán?",
        unsure="no lo sé",
    ),
    "it": Notes(
        "# Il denaro\n\n## Le banche\n\nUna **banca** è un'impresa che custodisce il denaro dei clienti. Il "
        "**credito** è una somma che la banca presta in cambio di un interesse. L'**interesse** è il prezzo che si "
        "paga per una somma prestata. Il **deposito** è una somma che il cliente affida alla banca.\n\n## I "
        "mercati\n\nIl grano arriva al porto di mattina. I mercanti lo pesano e poi lo vendono ai fornai della "
        "città. Quando il raccolto è scarso, i prezzi dei mercati salgono, e i mercanti comprano il grano altrove. "
        "La sera i mercati chiudono e le navi ripartono con il resto del grano.\n",
        about="Dove custodiscono il denaro i clienti?",
        beside="Che cos'è un vulcano?",
        unsure="non lo so",
    ),
    "pt": Notes(
        "# O dinheiro\n\n## Os bancos\n\nUm **banco** é uma empresa que guarda o dinheiro dos seus clientes. O "
        "**crédito** é uma soma que o banco empresta em troca de um juro. O **juro** é o preço que se paga por uma "
        "soma emprestada. O **depósito** é uma soma que o cliente confia ao banco.\n\n## Os mercados\n\nO trigo "
        "chega ao porto de manhã. Os comerciantes pesam-no e depois vendem-no aos padeiros da cidade. Quando a "
        "colheita é má, os preços dos mercados sobem, e os comerciantes compram o trigo noutro lado. À noite os "
        "mercados fecham e os navios partem com o resto do trigo.\n",
        about="Onde guardam os clientes o seu dinheiro?",
        beside="O que é um vulcão?",
        unsure="não sei",
    ),
}


def room_in(code: str, section: int) -> Classroom:
    """The lesson on one section: the first has terms to ask for, the second is prose to be told."""
    title, *sections = NOTES[code].text.split("\n\n## ")
    name, text = title.removeprefix("# "), sections[section]
    heading = text.partition("\n")[0]
    passage = fenced("passage", f"## {text}", limit=9_000, id="p1", doc="a.md", heading=f"{name} › {heading}")
    return Classroom(make_tutor(), first_message(name, heading, "", passage, after="…"))


def replies_in(code: str) -> Iterator[str]:
    """What the tutor says in a lesson that is taken in every way that the page offers."""
    notes = NOTES[code]
    about, beside, unsure = notes.about, notes.beside, notes.unsure
    for section, manner in product((0, 1), MANNERS):
        room = room_in(code, section)
        yield room.open()
        for turn in range(40):
            if room.completed:
                break
            if room.pending is None or room.ladder.ended:
                yield room.ask("→")
                continue
            marked = not room.pending.get("criteria") or bool(room.pending.get("accepted"))
            if turn == 0:
                yield room.ask(about, kind="clarification")
                yield room.ask(beside, kind="clarification")
                yield room.ask(about)
                yield room.ask("ok")
                yield room.name_no_option("…")
                yield room.name_no_option("…", note=TurnNote.HARDLY_AN_ANSWER)
                yield room.answer_unmarked(unsure)
                yield room.answer_unmarked(unsure, "ungraded")
            if not marked and manner in ("met", "partly", "right"):
                yield room.compare("partly" if manner == "partly" else "met")
            elif manner in ("show", "change"):
                yield room.push(manner)
            elif manner == "help":
                yield room.ask_for_help(unsure)
            elif manner == "wrong" or (manner == "wrong_once" and not room.ladder.attempts):
                yield room.answer(f"{unsure} {turn}", right=False, sure=turn == 1)
            else:
                yield room.answer(room.pending["answer"], right=True)
        yield room.ask(about, kind="clarification")
        yield room.ask(beside, kind="clarification")


@pytest.mark.parametrize("code", sorted(NOTES))
def test_no_english_sentence_comes_in_a_lesson_from_notes_in_another_language(code: str) -> None:
    english = templates_for("en")
    parts = {name: english.constant_part(name).strip(" “”.:,;") for name in english.texts}
    said = [*replies_in(code)]
    found = {name for name, part in parts.items() if len(part) >= LEAST_TELLING and any(part in one for one in said)}
    assert not found
    assert len(said) > 60

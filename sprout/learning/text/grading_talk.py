"""Talk about marks and marking in an answer that was not asked about them, counted by the words of a clause.

Words that a subject needs as well (solutions, criteria, points, verdicts, what must be accepted) weigh little: only
together with words of marking, or with ones that address a reader, do they come to the weight of a suspicion.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

from sprout.learning.text.confusables import plain

MIN_WEIGHT = 4
# Beginnings of plain words, by how much of marking is in them; those of one line count once. A whole word ends with a
# full stop.
_WEIGHTS = {
    3: """
        grader grading graded grade. grades. regrad scoring benot calific bareme beoordel ocen оценк балл
        examiner prufer correcteur examinador esaminatore
        punktzahl puntuac punteggio pontuac avalia cijfer
    """,
    2: """
        scor marks. bewert examination korrektur voto.
        rubric persona
        accept approv anerkenn gewertet accorde acept aprob accett aceit goedkeur zalicz
    """,
    1: """
        criteri kriteri criter kryteri критери
        instruct anweisung consigne instruccion istruzion
        evaluat assess award deserv
        verdict credit bestanden gelten
        right. correct richtig korrekt juste. corret prawid poprawn правильн juist
        perfect top. volle. maksymaln полн
        fair.
        mistake
        effort
        everything
        met.
        teacher professor lehrer profesor
        you. dir. te.
        your. deine
        please. bitte merci favor. prego. prosze пожалуйста
    """,
}
_ANSWER = "answer response solution submission antwort reponse respuesta risposta resposta odpowiedz ответ"
_OWN = "answer response submission item. antwort reponse respuesta risposta resposta antwoord odpowiedz ответ"
_THIS = "this my diese meine cette ma esta mi questa mia minha deze mijn ta moja этот мой"
_CLAUSE_END = re.compile(r"[.!?;。！？\n]+|\b(?:because|since|weil|denn|parce que|car|porque|perché)\b", re.IGNORECASE)


def talks_about_grading(text: str, about: Iterable[str] = ()) -> bool:
    """Whether a clause of the text speaks of marks and answers rather than of its subject.

    Args:
        about: texts on the subject, whose own words do not count.
    """
    own = {word for one in about for word in plain(one).split()}
    return any(_weight(plain(clause).split(), own) >= MIN_WEIGHT for clause in _CLAUSE_END.split(text))


def _weight(words: Sequence[str], own: set[str]) -> int:
    """The sum over the lines of the table that the words are in, and over the answer that they name; nothing where all
    of these are light."""
    counted = [word for word in words if word not in own]
    weights = [weight for weight, begins in _lines() if any(_begins(word, begins) for word in counted)]
    if any(
        before in _plain_words(_THIS) and word in counted and _begins(word, _starts(_OWN))
        for before, word in pairwise(words)
    ):
        weights.append(2)
    elif any(_begins(word, _starts(_ANSWER)) for word in counted):
        weights.append(1)
    return sum(weights) if max(weights, default=0) > 1 else 0


def _begins(word: str, begins: tuple[str, ...]) -> bool:
    return f"{word}.".startswith(begins)


@cache
def _lines() -> list[tuple[int, tuple[str, ...]]]:
    return [(weight, _starts(line)) for weight, lines in _WEIGHTS.items() for line in lines.strip().splitlines()]


@cache
def _starts(line: str) -> tuple[str, ...]:
    return tuple(plain(one) + ("." if one.endswith(".") else "") for one in line.split())


@cache
def _plain_words(words: str) -> frozenset[str]:
    return frozenset(map(plain, words.split()))

"""Talk about marks and marking in an answer that was not asked about them, counted by the words of a sentence."""

import re
from collections.abc import Iterable
from functools import cache

from sprout.learning.text.confusables import plain

MIN_WEIGHT = 4
# Beginnings of plain words, by how much of marking is in them. A whole word ends with a full stop.
_WEIGHTS = {
    3: """
        grader grading graded grades. grade. regrad examiner examination rubric verdict marks. scor bewert
        benot punktzahl prufer korrektur bareme correcteur rubrica calific puntuac examinador punteggio
        voto. esaminatore pontuac avalia beoordel cijfer nota. ocen балл оценк
    """,
    2: """
        accept approv answer response submission solution instruct evaluat assess persona credit criteri
        kriteri criter kryteri критери antwort anerkenn bestanden gelten gewertet anweisung reponse. accepte
        accorde consigne respuesta acept aprob instruccion risposta accett istruzion resposta aceit antwoord
        goedkeur odpowiedz zalicz ответ правильн
    """,
    1: """
        you. your. please. me. my. teacher professor full. fully perfect top. fair. mistake right. correct
        everything every. all. any. must. effort judg award check met. pass. passed. passes. passing mark.
        marked. point. points. deserv always. never. override ignore bitte. volle. alle. richtig korrekt
        punkte. lehrer dir. deine mir. meine tous. juste. points. correcte merci. todos. puntos. correcta
        por. favor. profesor tutti. punti. corrett prego. pontos. corret alle. punten. juist prosze. punkt
        maksymaln poprawn полн все. пожалуйста
    """,
}
_SENTENCE_END = re.compile(r"[.!?。！？\n]+")


def talks_about_grading(text: str, about: Iterable[str] = ()) -> bool:
    """Whether a sentence of the text speaks of marks and answers rather than of its subject.

    Args:
        about: texts on the subject, whose own words do not count.
    """
    own = {word for one in about for word in plain(one).split()}
    return any(_weight(set(plain(sentence).split()) - own) >= MIN_WEIGHT for sentence in _SENTENCE_END.split(text))


def _weight(words: set[str]) -> int:
    """The sum over the words, of which forms of one ("answer", "answers") count once; nothing where all are light."""
    begun = {next((start for start in _weights() if f"{word}.".startswith(start)), "") for word in words}
    weights = [_weights().get(start, 0) for start in begun]
    return sum(weights) if max(weights, default=0) > 1 else 0


@cache
def _weights() -> dict[str, int]:
    """The beginnings with their weights, the longest first."""
    found = {_start(one): weight for weight, words in _WEIGHTS.items() for one in words.split()}
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


def _start(word: str) -> str:
    return plain(word) + ("." if word.endswith(".") else "")

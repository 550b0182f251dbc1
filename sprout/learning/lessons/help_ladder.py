"""Help ladder of a question: the next step, and when the answer may be shown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

from sprout.learning.questions.questions import prompt_key
from sprout.learning.text.confusables import plain
from sprout.learning.text.normalization import folded, tidy


class HelpLevel(IntEnum):
    """Level of help that has been given; the numbers are those of `help_level` in an attempt."""

    NONE = 0
    READ_AGAIN = 1
    LOOK_HERE = 2
    PARALLEL = 3
    WORKED_STEP = 4


class NextStep(StrEnum):
    """The tutor's next step, decided by code. The last four end the question."""

    WAIT = "wait"
    GIVE_HELP = "give_help"
    COMPARE = "compare"  # the learner puts the model answer beside their own
    SOLVED = "solved"
    COMPARED = "compared"
    WORK_THROUGH = "work_through"
    CHANGED = "changed"  # put away for another question


_ENDS = frozenset({NextStep.SOLVED, NextStep.COMPARED, NextStep.WORK_THROUGH, NextStep.CHANGED})
MAX_UNMARKED = 2  # attempts in a row


@dataclass(frozen=True, slots=True)
class HelpLadder:
    """Ladder of help for one question, kept by the server. Each operation returns a new ladder.

    Every turn moves: a wrong attempt, not knowing and a request each bring the next level, and after the last one the
    worked solution. A changed form of the question begins with a ladder of its own. A ladder that has ended stays as it
    is, and while the learner compares, only the comparison, `show` and `change` move it.

    Args:
        level: the help given so far, which is also the `help_level` of an attempt that is made now.
        attempts: number of genuine ones.
        unmarked: number of attempts in a row that could not be marked.
        step: what follows from the last operation.
    """

    level: HelpLevel = HelpLevel.NONE
    attempts: int = 0
    unmarked: int = 0
    step: NextStep = NextStep.WAIT

    @property
    def ended(self) -> bool:
        return self.step in _ENDS

    @property
    def comparing(self) -> bool:
        return self.step is NextStep.COMPARE

    @property
    def may_show_answer(self) -> bool:
        """Whether the solution was shown, so that a changed form of the question follows."""
        return self.step in {NextStep.WORK_THROUGH, NextStep.COMPARED}

    def after_attempt(self, *, right: bool | None) -> "HelpLadder":
        """A genuine attempt was graded; None is one that could not be marked, the second of which is compared."""
        if self._is_settled:
            return self
        tried = replace(self, attempts=self.attempts + 1, unmarked=0)
        if right is not None:
            return replace(tried, step=NextStep.SOLVED) if right else tried.after_help()
        unmarked = self.unmarked + 1
        return replace(tried, unmarked=unmarked, step=NextStep.COMPARE if unmarked >= MAX_UNMARKED else NextStep.WAIT)

    def after_help(self) -> "HelpLadder":
        """Help was asked for or is due: the next level, and after the last one the worked solution."""
        if self._is_settled:
            return self
        if self.level is HelpLevel.WORKED_STEP:
            return self.show()
        return replace(self, level=HelpLevel(self.level + 1), step=NextStep.GIVE_HELP)

    def compare(self) -> "HelpLadder":
        """The answer is left to the learner to compare."""
        return self if self.ended else replace(self, step=NextStep.COMPARE)

    def after_comparison(self) -> "HelpLadder":
        """The learner has said what their answer shows."""
        return replace(self, step=NextStep.COMPARED) if self.comparing else self

    def show(self) -> "HelpLadder":
        """The solution is worked through at once; nothing counts."""
        return self if self.ended else replace(self, step=NextStep.WORK_THROUGH)

    def change(self) -> "HelpLadder":
        """The question is put away."""
        return self if self.ended else replace(self, step=NextStep.CHANGED)

    def wait(self) -> "HelpLadder":
        """Words beside the question."""
        return self if self._is_settled else replace(self, step=NextStep.WAIT)

    @property
    def _is_settled(self) -> bool:
        return self.ended or self.comparing


MAX_SHARE_OF_PROMPT = 0.6
_APOSTROPHE = re.compile("['’`´]")
# Asking, not knowing, giving up; without apostrophes and accents.
_REQUEST_PHRASES = frozenset(
    tuple(plain(phrase).split())
    for phrase in """
    idk|i dont know|i do not know|dont know|dunno|no idea|no clue|not sure|i have no idea|i have no clue|i give up
    i cant|i forgot|pass|skip|hint|a hint|help|help me|clue|tell me|just tell me|tell me the answer|give me the answer
    show me|show me the answer|what is the answer|whats the answer|the answer|next|please|pls|i am stuck|im stuck|stuck
    give me a hint|another hint|more help|just do it|solve it|do it for me|say it|i want the answer|i need the answer
    weiss nicht|weiss ich nicht|ich weiss nicht|ich weiss es nicht|weiss es nicht|keine ahnung|ka|kp|kein plan|hilfe
    hilf mir|sag|sag mir|gib mir|zeig mir|tipp|hinweis|ein tipp|ein hinweis|gib mir einen tipp|sag es mir|sags mir
    sag mir die antwort|losung|die antwort|die losung|was ist die antwort|was ist die losung|zeig mir die losung|bitte
    ich gebe auf|weiter
    je ne sais pas|je sais pas|jsp|aucune idee|aide|aide moi|indice|un indice|dis moi|dis moi la reponse|la reponse
    donne moi la reponse|sil te plait|no se|no lo se|ni idea|ayuda|ayudame|pista|una pista|dime|dime la respuesta
    la respuesta|por favor|me rindo|nao sei|nao faco ideia|ajuda|dica|diga me|me diga|me diga a resposta|a resposta
    non lo so|non so|boh|nessuna idea|aiuto|aiutami|suggerimento|dimmi|dimmi la risposta|la risposta|per favore
    weet ik niet|ik weet het niet|geen idee|help mij|zeg het|zeg het antwoord|het antwoord|alsjeblieft
    nie wiem|nie mam pojecia|pomoc|podpowiedz|powiedz mi|odpowiedz|prosze|bilmiyorum|ipucu|yardim|cevap|soyle
    не знаю|понятия не имею|подсказка|подскажи|помоги|скажи ответ|ответ|пожалуйста|не знам|не знаю ответа
    不知道|我不知道|提示|告诉我|答案|わからない|分からない|ヒント|教えて|答え|모르겠어요|몰라|힌트|لا أعرف|لا اعرف
    مساعدة
    """.replace("\n", "|").split("|")
    if phrase.strip()
)
_MAX_PHRASE_WORDS = max(map(len, _REQUEST_PHRASES))
_FILLERS = frozenset(
    """
    a an the and or but so just now ok okay well hm hmm um uh er sorry still really it me you to do can could would want
    i this that have get some any more und oder aber doch mal halt also jetzt ja nun einfach nur mir es das die der den
    ich
    le la les el los un una et y e alors juste solo
    """.split()
)


def is_genuine_attempt(
    text: str, *, prompt: str, last_attempt: str = "", answers: Sequence[str] = (), code: bool = False
) -> bool:
    """Whether the text is a try at the question, right or wrong.

    Empty text, a request, not knowing, a copy of the prompt and the last attempt once more are none.

    Args:
        last_attempt: the attempt before this one.
        answers: what would be right: a learner who is asked for the English of "Hinweis" may well say "hint".
        code: whether it is a program, in which how far a line stands in makes another one of it.
    """
    key = prompt_key(text)
    if not any(character.isalnum() for character in key):
        return False
    if any(folded(answer) == folded(text) for answer in answers):
        return True
    if last_attempt and (tidy(text) == tidy(last_attempt) if code else key == prompt_key(last_attempt)):
        return False
    return not _copies(text, prompt) and _says_more_than_a_request(text)


def _copies(text: str, prompt: str) -> bool:
    """Whether the text is most of the prompt, word for word."""
    mine, asked = "".join(folded(text).split()), "".join(folded(prompt).split())
    return len(mine) > len(asked) * MAX_SHARE_OF_PROMPT and mine in asked


def _says_more_than_a_request(text: str) -> bool:
    words = _words(text)
    left = list(_without_requests(words))
    return len(left) == len(words) or any(word not in _FILLERS for word in left)


def _words(text: str) -> list[str]:
    return plain(_APOSTROPHE.sub("", text)).split()


def _without_requests(words: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(words):
        lengths = range(min(_MAX_PHRASE_WORDS, len(words) - at), 0, -1)
        length = next((many for many in lengths if tuple(words[at : at + many]) in _REQUEST_PHRASES), 0)
        if not length:
            yield words[at]
        at += length or 1

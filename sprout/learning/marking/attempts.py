"""Attempts: whether a learner's words try to answer a question, or ask, give up or complain."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from sprout.learning.questions.questions import prompt_key
from sprout.learning.text.confusables import plain
from sprout.learning.text.normalization import folded, tidy
from sprout.learning.text.stems import content_words, shared_stems, stems

MAX_SHARE_COPIED = 0.6
_LONGEST_TERM, _SHORT_QUESTION, _LONGEST_DOUBT, _LONGEST_UNMARKED = 6, 7, 12, 12  # words
MAX_ASKING = 200  # characters: a longer text that ends with a question may well have answered before
_WORD_LISTS = ("assigned", "faults", "glue", "fillers", "reasons", "acknowledgements")
_CLOSING_SIGNS = ".!?…"
_APOSTROPHE = re.compile("['’`´]")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")  # "sooo"
_FIRST_SENTENCE = re.compile(r"[^.!?…。！？]*[?？]+(?=\s|\Z)")
_LEAD_IN = re.compile(
    r"\A(?:(?:wait|ok(?:ay)?|so|but|hm+|um+|uh|er|sorry|hey|and|also|aber|und|äh|moment)\b[ ,.…]*)+", re.IGNORECASE
)
_QUESTION_WORD = re.compile(
    r"(?:what|which|whose|who|whom|where|why|how|wer|wo|warum|wie|welche[rsnm]?|qui|où|pourquoi|quien|donde)"
    r"(?! about\b| if\b)\b(?!,)[^\d,]*[?？]",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|can|wer|wo|wann|warum|wie|welche[rsnm]?|ist"
    r"|sind|kann|qui|quoi|où|quand|pourquoi|comment|qué|quién|cuándo|dónde|cómo|por qué)\b",
    re.IGNORECASE,
)
_ASKS_ABOUT_ANSWER = re.compile(
    r"(?:(?:why|how come|warum|wieso|weshalb)"
    r" (?:is|was|are|isnt|wasnt|arent|cant|couldnt|wouldnt|doesnt|ist|war|kann|stimmt)"
    r"|what(?:s| is| was) (?:wrong|the matter|the problem) with|what (?:did|have) i (?:do|done|get) wrong"
    r"|where(?:s| is) (?:my|the) mistake|where did i go wrong|was (?:ist|war) (?:falsch|verkehrt) an"
    r"|was (?:habe|hab) ich falsch gemacht|wo (?:ist|liegt) mein fehler)\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|should|has|have|ist|sind|war|waren|kann|hat|haben|est-ce que)\b"
    r"(?!['’])[^.!?…]*[?？]\W*",
    re.IGNORECASE,
)
_AUXILIARIES = frozenset(
    "is isnt are arent was wasnt were werent do dont does doesnt did didnt can cant could couldnt would wouldnt should"
    " has have had ist sind war waren hat haben kann soll".split()
)
_PART = re.compile(r"[,;:.!?…–—。！？\n]+")


def is_genuine_attempt(
    text: str, *, prompt: str, last_attempt: str = "", answers: Sequence[str] = (), code: bool = False
) -> bool:
    """Whether the text is a try at the question, right or wrong.

    Empty text, a request, not knowing, mere frustration, a copy of the prompt and the last attempt once more are none.

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
    return not (copies(text, prompt) or complains(text) or _gives_up(text) or wants_to_stop(text))


def _gives_up(text: str) -> bool:
    """Whether the text only says that its writer does not know, or asks for help, and at most asks something beside."""
    known = _phrases("requests") | _frustration()
    if _says_only(text, known) or _does_not_know(text):
        return True
    parts = [part for part in _PART.split(text) if part.strip()]
    left = [part for part in parts if not _says_only(part, known)]
    return len(left) < len(parts) and all(_begins_with(part, "asking", "interrogatives") for part in left)


def begins_by_giving_up(text: str) -> bool:
    """Whether the first clause gives up: "no clue, we haven't done this". A try may follow it."""
    first = next((part for part in _PART.split(text) if part.strip()), "")
    return _says_only(first, _phrases("requests") | _frustration())


def ends_by_giving_up(text: str) -> bool:
    """Whether the last clause gives up: "3 % times 0.3 … I don't get it"."""
    last = next((part for part in reversed(_PART.split(text)) if part.strip()), "")
    return _says_only(last, _phrases("requests") | _frustration())


def _does_not_know(text: str) -> bool:
    """Whether the text says what its writer does not know, and nothing after it: "dont know what none is"."""
    words = _words(text)
    return len(words) <= _LONGEST_DOUBT and _begins_with(text, "doubts") and not _gives_reason(text)


def complains(text: str) -> bool:
    """Whether the text says nothing but anger, boredom, shame, or what is wrong with the question."""
    words = _words(text)
    left = [*_without(words, _frustration())]
    said, is_upset = {(word,) for word in left} - _phrases("fillers"), len(left) < len(words)
    if not said:
        return is_upset
    assigned, faults = _phrases("assigned"), _phrases("faults")
    return bool(said & assigned) and (is_upset or bool(said & faults)) and said <= assigned | faults | _phrases("glue")


def is_upset(text: str) -> bool:
    """Whether the text only complains, and says nothing of what its writer does not understand: no wish for help."""
    words = _words(text)
    return complains(text) and len([*_without(words, _phrases("puzzled"))]) == len(words)


def asks_in_anger(text: str) -> bool:
    """Whether the text asks something, and beside that only complains: "why does it stop there, that's silly"."""
    parts = [part for part in _PART.split(text) if part.strip()]
    left = [part for part in parts if not _says_only(part, _frustration())]
    return 0 < len(left) < len(parts) and all(_begins_with(part, "asking", "interrogatives") for part in left)


def wants_change(text: str) -> bool:
    """Whether the text only asks for another question."""
    return _says_only(text, _phrases("change"))


def wants_solution(text: str) -> bool:
    """Whether the text only asks to be shown the solution, and to go on."""
    return _says_only(text, _phrases("show"))


def wants_to_stop(text: str) -> bool:
    """Whether the text says nothing but that its writer wants to stop, upset or not."""
    stopping = _phrases("stopping")
    return _says_only(text, stopping | _frustration()) and not complains(text)


def asks_something(text: str, *, answers: Sequence[str] = ()) -> bool:
    """Whether the text is a question of the learner's own: "What does posterior mean?".

    "Isn't it because warm air rises?" is an answer, and so are a question that goes on with a reason or a number, and
    any question where one is asked for. "Why isn't it 6" is none, whatever number it names. Without its mark a question
    is one, too, where it has no word of what would be right: "what is an exclamation mark in python lol".

    Args:
        answers: what would be right.
    """
    said = _LEAD_IN.sub("", tidy(text))
    if len(said) > MAX_ASKING or any("?" in answer for answer in answers):
        return False
    if _ASKS_ABOUT_ANSWER.match(_APOSTROPHE.sub("", said)) and not _gives_reason(said):
        return True
    words = _words(said)
    is_one = not any(map(str.isdigit, said)) and "?" not in said.rstrip("?？!. ")
    if _begins_with(said, "asking") or (is_one and len(words) <= _LONGEST_TERM and _begins_with(said, "meaning")):
        return True
    found = _FIRST_SENTENCE.match(said)
    if found is None:
        return _asks_without_mark(said, answers)
    after = said[found.end() :]
    if _gives_reason(after):
        return False
    is_short = len(words) <= _SHORT_QUESTION and _QUESTION_WORD.match(said) is not None
    is_asked = (is_short or _begins_with(said, "interrogatives")) and not any(map(str.isdigit, after))
    return is_asked or _begins_with(said, "reasons_asked")


def _asks_without_mark(text: str, answers: Sequence[str]) -> bool:
    """Whether the text begins as a question or as a wish for an explanation, and shares no word with the answers, of
    which there is one at least."""
    words = _words(text)
    is_reason = _begins_with(text, "reasons_asked") and {*words[1:2]}.isdisjoint(_AUXILIARIES)  # "why people joined in"
    begins = _begins_with(text, "interrogatives", "explaining") and len(words) <= _LONGEST_UNMARKED and not is_reason
    is_claim = any(map(str.isdigit, text)) or _gives_reason(text) or shared_stems(stems([text]), stems(answers)) > 0
    return bool(answers) and begins and not is_claim


def matter_of(text: str) -> list[str]:
    """The words of content of the text, without what only vents feelings or fills: "kill" of "idc kill him lol"."""
    left = _without(_words(text), _frustration())
    return [word for word in left if (word,) not in _phrases("fillers") and content_words(word)]


def asks_yes_or_no(text: str) -> bool:
    """Whether the text is one question that a yes or no answers: "Is it because of the prisoners?", but not "Isn't it
    because of them?", which claims it."""
    return _YES_OR_NO.fullmatch(_LEAD_IN.sub("", tidy(text))) is not None


def begins_as_question(text: str) -> bool:
    """Whether the text begins as a question does, with its mark or without: "how much is a livre"."""
    said = _LEAD_IN.sub("", tidy(text))
    return _ASKS.match(said) is not None or _begins_with(said, "asking", "interrogatives")


def only_acknowledges(text: str) -> bool:
    """Whether the text says nothing but "ok", "thanks" or "hello"."""
    words = _words(text)
    return bool(words) and {(word,) for word in words} <= _phrases("acknowledgements")


def _gives_reason(text: str) -> bool:
    return not _phrases("reasons").isdisjoint({(word,) for word in _words(text)})


def _begins_with(text: str, *names: str) -> bool:
    """Whether the text begins with one of the phrases under one of the names."""
    words = tuple(_words(text))
    return any(words[: len(first)] == first for name in names for first in _phrases(name))


def copies(text: str, other: str) -> bool:
    """Whether the text is most of the other one, word for word."""
    mine, whole = "".join(folded(text).split()).rstrip(_CLOSING_SIGNS), "".join(folded(other).split())
    return len(mine) > len(whole) * MAX_SHARE_COPIED and mine in whole


def _says_only(text: str, known: frozenset[tuple[str, ...]]) -> bool:
    """Whether the text is made of these phrases, of which there is one at least, and of fillers."""
    words = _words(text)
    left = list(_without(words, known))
    return len(left) < len(words) and all((word,) in _phrases("fillers") for word in left)


def _words(text: str) -> list[str]:
    return plain(_DRAWN_OUT.sub(r"\1", _APOSTROPHE.sub("", text))).split()


def _without(words: Sequence[str], known: frozenset[tuple[str, ...]]) -> Iterator[str]:
    longest = max(map(len, known))
    at = 0
    while at < len(words):
        lengths = range(min(longest, len(words) - at), 0, -1)
        length = next((many for many in lengths if tuple(words[at : at + many]) in known), 0)
        if not length:
            yield words[at]
        at += length or 1


def _frustration() -> frozenset[tuple[str, ...]]:
    return _phrases("upset") | _phrases("puzzled")


@cache
def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    """The phrases under a name of the table, each as its words."""
    table = tomllib.loads(files("sprout.learning.marking").joinpath("non_attempts.toml").read_text(encoding="utf-8"))
    listed = table[name].split() if name in _WORD_LISTS else table[name].replace("\n", "|").split("|")
    return frozenset(tuple(plain(phrase).split()) for phrase in listed if phrase.strip())

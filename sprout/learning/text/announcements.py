"""Announcements: text that presents something as the answer ("so it is 4", "choose B"), in English, German and more."""

import re
from enum import IntEnum

_FILL = (
    r"\W{0,4}(?:(?:the|a|an|of|course|about|exactly|just|simply|clearly|only|called|word|number|option|approximately|"
    r"roughly|equal|to|then|now|therefore|verb|form|letter|etwa|genau|rund|also|dann|nat[uü]rlich|das|die|der|wort|zahl|"
    r"ungef[aä]hr|einfach)\W{1,4}){0,3}"
)
_ANSWER = (
    r"(?<!your )(?<!deine )(?<!wrong )(?:\b(?:answers?|solution|results?|antwort|l[oö]sung|ergebnis|respuesta|"
    r"soluci[oó]n|resultado|r[eé]ponse|r[eé]sultat|risposta|resposta|missing \w{1,12}|"
    r"(?:right|correct) (?:word|option|choice|one|form)|key|blank|gap|"
    r"l[uü]cke|(?:richtige|gesuchte|fehlende) \w{1,15}))"
)
_COPULA = r"(?:is|was|be|equals|are|ist|w[aä]re|lautet|hei(?:ß|ss)t|sind|es|est|é|è|s)"
_ANSWER_IS = re.compile(
    rf"{_ANSWER}(?:(?:\W{{1,3}}\w{{1,20}}){{0,4}}?\W{{1,3}}{_COPULA}\b{_FILL}|\W{{0,3}}[:=→–-]{_FILL}|\W{{1,3}}[\"'`*“„»«(]+)\Z"
)
_TELLS = re.compile(
    r"\b(?:choose|pick|select|write|enter|type|put|use|say|take|insert|fill in|go (?:with|for)|tick|w[aä]hle?|nimm|"
    rf"schreibe?|setze?|trage?|tippe?|sage?|kreuze?)\b{_FILL}\Z"
)
_POINTS_TO = re.compile(
    r"\b(?:could it be|might it be|isn['’]t it|is it not|would it be|wouldn['’]t it be|"
    r"it(?:['’]s| is| must be| has to be)|that(?:['’]s| is)|es ist|das ist|k[oö]nnte es|ist es nicht|"
    r"exactly|correct|right|richtig|genau)\b"
    rf"(?:[:,]\s?)?{_FILL}\Z"
)
_RESULTS = re.compile(
    r"(?:[=≈≃→⇒]|\\(?:approx|to|rightarrow|implies)|\b(?:is|are|be|equals?|gives?|makes?|gets?|got|yields?|leaves|"
    r"becomes?|(?:comes?|works?) out (?:to|at|as|to be)|comes? to|left with|ends? up with|"
    r"lands? (?:on|at)|arrives? at|landest bei|ist|sind|ergibt|ergeben|macht|gibt|"
    r"betr[aä]gt|lautet|gleich|bekommst du|erh[aä]ltst du|kommt|kommst du auf|est|font|[eé]gale?|son|es|da)\b)"
    rf"{_FILL}[€£$]?\s?\Z"
)
_IS_RIGHT = re.compile(
    r"[^\w✓✔✅]{0,4}(?:[^\W\d]{1,6}(?:/[^\W\d]{1,4})?\W{1,3})?(?:[✓✔✅]|(?:is|was|ist|w[aä]re|are|sind|es|est|would be)"
    r"\W{1,3}(?:(?:the|exactly|indeed|die|der|das|genau|la|le)\W{1,3}){0,2}(?:right|correct|answer|solution|result|"
    r"richtige?|korrekt|antwort|l[oö]sung|ergebnis|correcto|respuesta|juste|bonne)\b)"
)
_OPENS = re.compile(r"(?:\A|[.!?\n]\s|\w:)[\s*_\"'„“(]{0,4}\Z")
_ENDS = re.compile(r"[*_\"'“”)]{0,3}(?:\s?[^\W\d]{1,12}){0,2}(?:!|\.?\s{0,3}(?:\n|\Z))")
_CLOSES = re.compile(r"\s?[\"'`*»”“’)\].,;:!?]|\s*\Z")
REACH_CHARACTERS = 80


class Announcement(IntEnum):
    """Degree to which something is presented as the answer."""

    NOT = 0
    AS_RESULT = 1
    AS_CHOICE = 2
    AS_ANSWER = 3


def announcement(text: str, start: int, end: int) -> Announcement:
    """Degree to which `text`, in lower case, presents the text between `start` and `end` as the answer."""
    before, after = text[max(0, start - REACH_CHARACTERS) : start], text[end : end + REACH_CHARACTERS]
    if _ANSWER_IS.search(before):
        return Announcement.AS_ANSWER
    if _TELLS.search(before) or _IS_RIGHT.match(after) or _POINTS_TO.search(before):
        return Announcement.AS_CHOICE
    alone = _OPENS.search(before) and _ENDS.match(after)
    return Announcement.AS_RESULT if alone or _RESULTS.search(before) else Announcement.NOT


def is_mentioned(text: str, end: int) -> bool:
    """Whether what ends there stands for itself: at the end of a clause or quotation, or called right. A small word
    ("is") that is in use stands in the middle of its clause."""
    return (_CLOSES.match(text, end) or _IS_RIGHT.match(text, end)) is not None

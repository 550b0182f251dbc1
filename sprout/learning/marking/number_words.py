"""Number words: a text with its numbers in digits, in the languages that we read."""

import re
from functools import lru_cache

from text_to_num import alpha2digit

from sprout.learning.marking.additive_number_words import additive_in_digits
from sprout.learning.text.language import DEFAULT_LANGUAGE, detect_language

_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
_PERCENT = re.compile(
    r"パーセント|퍼센트|\bпроцент\w*"
    r"|\b(?:per ?cent|percent|prozent|pro[cs]ent|pour ?cent|por ?ciento|per ?cento|por ?cento)\b",
    re.IGNORECASE,
)
_PER_THOUSAND = re.compile(
    r"(?<=\bper )thousand\b|(?<=\bpro )tausend\b|(?<=\bpour )mille\b|(?<=\bpor )mil\b", re.IGNORECASE
)
_PERCENT_BEFORE = re.compile(r"\byüzde (\d[\d.,]*)", re.IGNORECASE)  # Turkish says per cent first
_SCALES = {
    "hundred": 2, "hundreds": 2, "hundert": 2, "hunderte": 2, "thousand": 3, "thousands": 3,
    "tausend": 3, "mille": 3, "mil": 3, "mila": 3, "duizend": 3,
    "тысяч": 3, "тысячи": 3, "tysiące": 3, "tysięcy": 3, "million": 6, "millions": 6, "mio": 6,
    "millionen": 6, "millones": 6, "millón": 6, "milhões": 6, "milioni": 6, "milione": 6, "miljoen": 6, "milionów": 6,
    "миллионов": 6, "миллиона": 6, "milyon": 6,
    "billion": 9, "billions": 9, "bn": 9, "milliarde": 9, "milliarden": 9, "milliard": 9,
    "milliards": 9, "mrd": 9,
}  # fmt: skip
_SCALED = re.compile(rf"(?<=\d)( ?)({'|'.join(sorted(_SCALES, key=len, reverse=True))})\b\.?", re.IGNORECASE)
_HALF = (
    r"half|halb(?:e[rs]?)?|hälfte|moitié|demi|mitad|medio|metà|mezzo|metade|meio|helft|połowa|połowę|половин[ау]|yarısı"
)
_QUARTER = r"quarters?|viertel|quarts?|kwart|ćwierć|четверть|çeyrek"
_PARTS = {
    2: rf"{_HALF}|halves",
    3: r"thirds?|drittel|tiers|tercios?|terzi?|terços?|derde",
    4: rf"{_QUARTER}|fourths?|cuartos?|quarti?|quartos?",
    5: r"fifths?|fünftel|cinquièmes?|quint[oi]s?|vijfde",
    6: r"sixths?|sechstel|sixièmes?|sextos?|sest[oi]|zesde",
    7: r"sevenths?|siebtel|septièmes?",
    8: r"eighths?|achtel|huitièmes?|octavos?|ottav[oi]|oitavos?|achtste",
    9: r"ninths?|neuntel|neuvièmes?",
    10: r"tenths?|zehntel|dixièmes?|décimos?|decim[oi]|tiende",
    12: r"twelfths?|zwölftel|douzièmes?",
    15: r"fifteenths?|fünfzehntel|quinzièmes?",
    16: r"sixteenths?|sechzehntel|seizièmes?",
    20: r"twentieths?|zwanzigstel|vingtièmes?",
    100: r"hundredths?|hundertstel|centièmes?",
}
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "ein": 1, "eine": 1, "einem": 1, "un": 1, "une": 1, "una": 1, "uno": 1, "um": 1,
    "uma": 1, "een": 1, "two": 2, "zwei": 2, "deux": 2, "dos": 2, "due": 2, "dois": 2, "twee": 2, "three": 3, "drei": 3,
    "trois": 3, "tres": 3, "tre": 3, "três": 3, "drie": 3, "four": 4, "vier": 4, "five": 5, "fünf": 5,
    "quatre": 4, "cuatro": 4, "quattro": 4, "quatro": 4, "cinq": 5, "cinco": 5, "cinque": 5, "vijf": 5,
    "six": 6, "sechs": 6, "seis": 6, "seven": 7, "sieben": 7, "sept": 7, "siete": 7, "sette": 7, "sete": 7,
    "eight": 8, "acht": 8, "huit": 8, "ocho": 8, "otto": 8, "oito": 8, "nine": 9, "neun": 9, "neuf": 9, "nueve": 9,
    "nove": 9, "ten": 10, "zehn": 10, "dix": 10, "diez": 10, "dieci": 10, "dez": 10, "eleven": 11, "elf": 11,
    "onze": 11, "twelve": 12, "zwölf": 12, "douze": 12,
}  # fmt: skip
_NAMES = "|".join(f"(?P<p{under}>{names})" for under, names in _PARTS.items())
_PART = re.compile(
    rf"(?<![\w.,])(?:(?P<many>\d{{1,3}}|{'|'.join(_COUNTS)})[ -]?(?:{_NAMES})"
    rf"|(?:(?:the|die|das|la|le) )?(?:(?P<half>{_HALF})|(?P<quarter>{_QUARTER})))\b(?: (?:of )?an?\b(?= ))?",
    re.IGNORECASE,
)
_AND_A_PART = re.compile(r" (?:and|und|et|y|e|en) 0(?=\.(?:5|25|75)\b)")
_DOZEN = re.compile(
    r"(?P<half>\b(?:half an? |halbes |demi-|media |mezza |meia |half )?)\b(?:an? |ein |une |una |uma |een )?"
    r"(?:dozen|dutzend|douzaine|docena|dozzina|dúzia|dozijn)\b",
    re.IGNORECASE,
)
_GERMAN = {"zweite": 2, "dritte": 3, "vierte": 4, "fünfte": 5, "sechste": 6, "achte": 8, "zehnte": 10, "zwanzigste": 20}
_EVERY = re.compile(
    rf"\b(?:every|each) (?:(?P<second>second|other|2nd)|{_NAMES})\b(?! time)"
    rf"|\bjede[rsn]? (?P<german>{'|'.join(_GERMAN)})[nrs]?\b(?! mal)",
    re.IGNORECASE,
)
_SLIPS = {"eigth": "eight", "ninty": "ninety", "fivteen": "fifteen", "fivty": "fifty", "thriteen": "thirteen"}
_SLIP = re.compile(rf"\b(?:{'|'.join(_SLIPS)})\b", re.IGNORECASE)
_TIMES = re.compile(
    r"\b(zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|fünfzig|hundert)(?=mal\b)", re.IGNORECASE
)
_ONE_AND_A_HALF = re.compile(r"\b(?:one and (?:a )?half|anderthalb|eineinhalb|un et demi)\b", re.IGNORECASE)
_ONE_IN = re.compile(r"\b(?:one|eins?|une?|una|uno|um)(?= (?:in|out of|zu|von|sur|su|de cada|em) )", re.IGNORECASE)
_OVER = re.compile(r"(?<=\d) (?:over|durch) (?=\d)")
_YEAR = re.compile(r"\b(1\d|20) (\d\d)\b")  # fourteen ninety-two
_LAST_WORD = re.compile(
    r"(?<= )(?:two|three|four|five|zwei|drei|deux|trois|dos|tres|due|tre|dois|três|twee|drie)(?=\W*$)", re.IGNORECASE
)
_FALSE_FRIENDS = {"pt": "non", "es": "once", "it": "sei"}
_DIGIT = re.compile(r"\d")
_ONE = r"(?:one|eins|eine?[nrs]?|une?|una|uno|uma?|een|één|jeden|jedna|jedno|bir|один|одна|одно)"
ONLY = (
    r"(?:just|only|exactly|nur|bloß|genau|seulement|juste|uniquement|s[oó]lo|solamente|soltanto|só|apenas|maar|slechts"
    r"|alleen|tylko|sadece|только)"
)
_ONE_ALONE = re.compile(rf"\W*{_ONE}\W*", re.IGNORECASE)
_ONE_FIRST = re.compile(
    rf"\A\W*(?:{ONLY} )?{_ONE}(?=[,.:;(–—-]| (?:because|bc|cos|cuz|since|as|weil|denn|da|parce|car|porque|perché)\b)",
    re.IGNORECASE,
)
_MINUS_ONE = re.compile(rf"\b(minus|negative|moins|menos|meno|min) {_ONE}\b", re.IGNORECASE)
_AFTER_SO = re.compile(
    r"(?:(?<=\bso )(?:two|three)\b|(?<=\balso )(?:zwei|drei)\b|(?<=\bdonc )(?:deux|trois)\b)"
    rf"(?! (?:cents?|{'|'.join(_SCALES)})\b)",
    re.IGNORECASE,
)
_ONLY_ONE = re.compile(rf"\b{ONLY} (?:the )?{_ONE}\b", re.IGNORECASE)


@lru_cache(maxsize=1_024)  # the same options stand beside each answer
def with_digits(text: str) -> str:
    """The text with the numbers that it says in words as digits: "forty-two" and "quarante-deux" are 42, "three
    quarters" 3/4, "8 million" 8e6, "6 per cent" 6 %.

    Two and three stay words where there is any other number, unless one of them is the last word, since they are seldom
    meant as numbers then; one does where there is any other word but "just" or "only".
    """
    if _ONE_ALONE.fullmatch(text):
        return "1"
    text = _MINUS_ONE.sub(r"\1 1", _ONE_FIRST.sub("1", text))
    text = _AFTER_SO.sub(lambda found: str(_COUNTS[found[0].lower()]), text)
    text = _TIMES.sub(r"\1 ", _SLIP.sub(lambda found: _SLIPS[found[0].lower()], text))
    added = _PERCENT_BEFORE.sub(r"\1%", additive_in_digits(text))
    added = _PER_THOUSAND.sub("1000", added)
    plain = _EVERY.sub(_one_of, _ONE_IN.sub("1", _ONE_AND_A_HALF.sub("1.5", added)))
    plain = _DOZEN.sub(lambda found: "6" if found["half"] else "12", plain)
    plain = _SCALED.sub(lambda found: f"e{_SCALES[found[2].lower()]}", _PART.sub(_fraction, _PERCENT.sub("%", plain)))
    mixed = _AND_A_PART.search(plain)
    if mixed and (whole := _in_digits(plain[: mixed.start()]))[-1:].isdecimal():
        return whole + plain[mixed.end() :]
    read = _OVER.sub("/", _in_digits(plain))
    read = _LAST_WORD.sub(lambda found: str(_COUNTS[found[0].lower()]), read)
    return read if _DIGIT.search(read) else _ONLY_ONE.sub("1", read)


def _in_digits(text: str) -> str:
    """The text with its number words as digits, in the language in which least of it remains; only in its own and in
    English if there are digits already."""
    own = detect_language(text)
    others = () if _DIGIT.search(text) else tuple(one for one in _LANGUAGES if not _has_false_friend(text, one))
    for threshold in (4, 2):
        spelled_out = [alpha2digit(text, one, threshold) for one in dict.fromkeys((own, DEFAULT_LANGUAGE, *others))]
        if found := [text for text in spelled_out if _DIGIT.search(text)]:
            best = min(found, key=lambda text: sum(map(str.isalpha, text)))
            return best if _DIGIT.search(text) else _YEAR.sub(r"\1\2", best)
    return text


def _has_false_friend(text: str, language: str) -> bool:
    """Whether a word of the text is a number in this language, and far more often a common word of another one."""
    words = text.lower().split()
    return len(words) > 1 and any(word.strip(",.!?;:") == _FALSE_FRIENDS.get(language) for word in words)


def scale_of(unit: str) -> tuple[float, str]:
    """The scale that a unit begins with, and the rest of it: "million livres" is 1e6 and "livres"."""
    first, _, rest = unit.partition(" ")
    power = _SCALES.get(first.lower())
    return (1.0, unit) if power is None else (float(f"1e{power}"), rest)


def count_of(word: str) -> int | None:
    """The small count that a word or digits say: 2 for "two" and "2"; None for other words."""
    return int(word) if word.isdecimal() else _COUNTS.get(word.lower())


def _one_of(found: re.Match[str]) -> str:
    german = found["german"]
    return "1/2" if found["second"] else f"1/{_GERMAN[german.lower()] if german else _under(found)}"


def _under(found: re.Match[str]) -> int:
    """The number that the name of a part stands for: 5 of "fifth"."""
    return next(int(name[1:]) for name, value in found.groupdict().items() if name[1:].isdecimal() and value)


def _fraction(found: re.Match[str]) -> str:
    if found["many"] is None:
        return "0.5" if found["half"] else "0.25"
    under = _under(found)
    many = found["many"].lower()
    over = int(many) if many.isdecimal() else _COUNTS[many]
    return f"{over / under:g}" if under in (2, 4, 5, 8, 10, 100) else f"{over}/{under}"

"""Meaning questions: how pupils type that they want to know what a word means, and the word that each asks for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from sprout.learning.text.normalization import folded

LONGEST = 300  # characters that are read, from the end
MOST_CLAUSES = 10

_PARTS = {
    "what": r"(?:wh?at|waht|wht|wot|wut|who|was)",
    "is": r"(?:is|are|was|were|r|ist|sind)",
    "do": r"(?:do|does|did|dose|dos)",
    "mean": r"(?:(?:supposed to )?mean|means|meant|meen|maen|stands? for)",
    "lost": r"(?:dont|do not|didnt|cant|never) (?:really |quite )?(?:get|know|understand|remember)|forg[eo]t|idk|dunno",
}
_PARTS["whats"] = rf"(?:{_PARTS['what']}(?:s|re)|{_PARTS['what']} {_PARTS['is']})"
_FRAMES = (  # X is the word; whether the frame says that its meaning is asked for
    ("{what} {do} X {mean}", True),
    ("(?:{what} |{whats} )X {mean}", True),
    ("(?:(?:mean|meant) (?:by|with)|wdym(?: by)?|(?<!to )define:?|(?:meaning|definition) of) X", True),
    ("{whats} X (?:used |good |short )?for", False),
    ("{whats} X", False),
    ("{what} X (?:{is}|{do})", False),
    ("{what} {do} X do", False),
    ("how {do} X work", False),
    ("(?:explain(?: to)?(?: me)?(?: again)?|describe|(?:tell|remind) me (?:about|of)|{lost}) X", False),
)
_ALONE = (("X (?:means?|meaning)(?: what)?", True), ("(?:and|what about|how about|und) X", False), ("X", False))
_PAIRS = (
    "(?:{whats}|{what} {do}|explain|define|meaning of) X(?: {mean})?",
    "dif\\w*(?: between| btw| of| from)? X",
    "X {whats} the dif\\w*",
    "how {is} X",
    "when {do} (?:i|we|you|u) use X",
    "(?:is|are) X(?: (?:the )?same(?: thing)?)?",
    "(?=.* (?:vs|versus) )X",  # not any two words: "list or text" answers something
)
_LIKENED = re.compile(
    r"(?:(?:so|but|and|wait|ok|then|oh)[ ,]+)*(?:(?:is|are|isnt|arent|was|were) )?(?P<x>.+?) (?:(?:is|are|was) )?"
    r"(?:(?:just|sort of|really) )?(?:like|an? (?:kind|sort) of|kind of|basically|(?:the )?same (?:thing )?(?:as|like)|"
    r"similar to|the ones? with) (?P<y>.+)"
)
_BETWEEN = re.compile(
    r",? (?:and|or|vs|versus|&|(?:any )?different (?:from|to|than)|(?:the )?same (?:thing )?as|from|to)(?: when)?(?= )"
)
_KNOWN = re.compile(r"\b(?:know|knew|see|understand|understood|get|remember)\s*\Z")  # "I know what a list is"
_NOT_KNOWN = re.compile(r"\b(?:dont|do not|didnt|doesnt|cant|cannot|not|never|want to|wanna|need to|supposed to)\b")
_FILLED = re.compile(
    r"\b(wh?at|is|are|was|were|does|do)(?: (?:even|exactly|actually|really|literally|the (?:hell|heck)))+(?= )"
)
_FILLER = re.compile(
    r"[ ,]+(?:again|here|there|now|even|exactly|actually|really|literally|pl(?:ea)?[sz]e?|thanks|thx|tho|though|then|"
    r"once more|to me|in python|in (?:simple|easy|plain) (?:words|english)|"
    r"in (?:this|the) (?:lesson|course|text|question)|in p ?\([^)]*\))"
    r"(?= (?:mean|means|is|are|was|do|does)\Z|\Z)"
)
_SIGN_EVEN = re.compile(r"(?<!\w)[^\w\s]+ even\b")  # "what does % even mean" asks for no "even"
_LEAD = re.compile(
    r"(?:(?:an?|the|your|our|some|all|so-called|words?|terms?|sign|symbol|function|"
    r"(?:this|that|these|those)(?! for\Z)) )*"
)
_PRONOUN = re.compile(r"(?:this|that|these|those|it|they|he|she|you|the|an?)\Z")
_GENERIC = re.compile(
    r"(?: (?:words?|terms?|signs?|symbols?|functions?|commands?|keywords?|operators?|methods?|statements?|things?|"
    r"stuff|errors?|messages?|objects?|values?|parts?|guys?|people))+\Z"
)
_QUOTES = str.maketrans(dict.fromkeys("’‘`", "'") | dict.fromkeys("“”„«»", '"'))
_CLAUSE_END = re.compile(r"(?:[?.,;]|(?<=[\w\"')\]])!)+(?: |\Z)")


@dataclass(frozen=True, slots=True)
class MeaningQuestion:
    """A question for the meaning of one word, or for the difference of two.

    Args:
        words: of each word asked for, the forms in which it may be known, best first.
        says_mean: it speaks of meaning in so many words, which "what is" does not.
    """

    words: tuple[tuple[str, ...], ...]
    says_mean: bool = False


def meaning_questions(question: str) -> Iterator[MeaningQuestion]:
    """Each way in which the question can be read as one for the meaning of a word, the likelier first."""
    text = _plain(question)
    clauses = [part for clause in _CLAUSE_END.split(text) if (part := _trimmed(clause))][:MOST_CLAUSES]
    frames = _COMPILED + (_COMPILED_ALONE if len(clauses) == 1 else ())
    for clause, (frame, says_mean) in product(clauses, frames):
        readings = (clause, _trimmed(_without_fillers(clause)))
        for form in dict.fromkeys(reversed(readings) if _SIGN_EVEN.search(clause) else readings):
            found = frame.fullmatch(form)
            if found and not _is_known(found["before"] or ""):
                yield MeaningQuestion((_forms(found["x"]),), says_mean)
    yield from _pairs(_trimmed(_without_fillers(_trimmed(text))))


def likened_words(question: str) -> tuple[tuple[str, ...], ...]:
    """The two things that a question likens to each other: "is a list like a box?", "so it is basically an if?";
    of each the forms in which it may be known, best first.
    """
    found = _LIKENED.fullmatch(_trimmed(_without_fillers(_trimmed(_plain(question)))))
    return tuple(filter(None, map(_forms, (found["y"], found["x"])))) if found else ()


def _pairs(text: str) -> Iterator[MeaningQuestion]:
    """Words whose difference, or each of which, is asked for: parted wherever that may be meant, then at one place."""
    for found in filter(None, (frame.fullmatch(text) for frame in _COMPILED_PAIRS)):
        asked = found["x"]
        between = list(_BETWEEN.finditer(asked))[:MOST_CLAUSES]
        if len(between) > 1:
            yield MeaningQuestion(tuple(map(_forms, _BETWEEN.split(asked, maxsplit=MOST_CLAUSES))))
        for place in between:
            yield MeaningQuestion((_forms(asked[: place.start()]), _forms(asked[place.end() :])))


def _plain(question: str) -> str:
    """The end of the question, folded, without apostrophes."""
    lines = " ; ".join(folded(line) for line in question[-LONGEST:].splitlines())
    return re.sub(r"(?<=\w)'(?=\w)", "", lines.translate(_QUOTES))


def _forms(asked: str) -> tuple[str, ...]:
    """The asked word without article, without what kind of word it is, as it is, and of a message what kind it is;
    empty for a pronoun.
    """
    whole = _trimmed(asked)
    if _PRONOUN.match(whole):
        return ()
    led = _LEAD.sub("", whole, count=1)
    forms = led, _GENERIC.sub("", led), whole, whole.partition(": ")[0]
    return tuple(dict.fromkeys(form for form in forms if form))


def _trimmed(text: str) -> str:
    return text.lstrip(" ;,.").rstrip(" ;,.?!")  # at the start "!" may begin "!="


def _without_fillers(clause: str) -> str:
    return _FILLER.sub("", _FILLED.sub(r"\1", clause))


def _is_known(before: str) -> bool:
    """Return True if the words before a question say that its answer is known."""
    return _KNOWN.search(before) is not None and _NOT_KNOWN.search(before) is None


def _compiled(frame: str, before: str) -> re.Pattern[str]:
    return re.compile(before + frame.format_map(_PARTS).replace("X", "(?P<x>.+?)"))


_COMPILED = tuple((_compiled(frame, "(?P<before>.*[ ;])?"), says_mean) for frame, says_mean in _FRAMES)
_COMPILED_ALONE = tuple((_compiled(frame, "(?P<before>)"), says_mean) for frame, says_mean in _ALONE)
_COMPILED_PAIRS = tuple(_compiled(frame, "(?:.*?[ ;])??") for frame in _PAIRS)

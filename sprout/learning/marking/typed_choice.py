"""Typed choices: the option that a learner's words name, by its letter, its place, its text or its numbers.

Own words are not guessed at: which option they mean is for a person or a model to say (A11), unless all of them stand
in one option and in no other ("open books"). A letter before them is one, whatever they say: "B they had no bread".
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from importlib.resources import files
from itertools import pairwise

from rapidfuzz import fuzz

from sprout.learning.marking.choices import Option, chosen_option
from sprout.learning.marking.number_words import count_of, with_digits
from sprout.learning.marking.ordinals import ordinals, place_of
from sprout.learning.marking.stated_results import stated_results
from sprout.learning.text.confusables import plain
from sprout.learning.text.normalization import folded, occurs_in
from sprout.learning.text.stems import same_stem, stem, stems

OPTION_LABELS = "ABCDEFGH"
MAX_ANSWER_LENGTH = 600
_ALIKE = 90  # of 100, as rapidfuzz counts: one slip of the pen in a dozen letters
_SLIP = 60  # of 100, for a word alone: "teh"
_NEARLY_ALIKE = 85  # of 100, for a stem: "neighbor" is "neighbour"
_TWO = 2
_SHORTEST_WITH_SLIPS = 5  # characters
_CLEAR_BEGINNING, _SHORT_BEGINNING = 4, 3  # words
_SHORT = 12  # words, of a text with a letter in it that is meant wherever it stands

_LABELLED = re.compile(r"\s*\(?([A-Ha-h])[).:]\s")
_SUBJECT = re.compile(
    r"\s*([A-H]) (?:has|is|was|says|fits|gives|shows|names|seems|sounds|looks|works|would|must|makes|hat|ist|passt)\b"
)
_BEFORE_WORDS = re.compile(r"\s*([A-H]|[a-h](?! [=<>+*/]))\s+(?=[\w\"'“‘`])(.+)", re.DOTALL)
_RULED_OUT = re.compile(
    r"\W*(?:(?:is|seems|looks|sounds|would be|must be|ist|est) )?"
    r"(?:not|wrong|false|incorrect|out|nicht|falsch|pas|faux|can['’]?t|cannot|isn['’]?t|doesn['’]?t|wouldn['’]?t|won['’]?t)\b",
    re.IGNORECASE,
)
_BARE_PLACE = re.compile(r"\A\W*(?:nr|no|num|number|nummer|n°)?[.# ]*(\d)[.)]?\W*\Z", re.IGNORECASE)
_CORRECTION = re.compile(
    r"\b(?:no wait|wait no|i mean|i meant|actually|oops|scratch that|make that|or rather|but now|ich meine|nein)\b"
    r"|[,.;!?–—-]\s*no\b",
    re.IGNORECASE,
)
_INNER_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")
_NUMBERED = re.compile(
    r"\b(?:option|answer|choice|number|antwort|nummer|réponse|opción|opzione|opção) (\d|[^\W\d_]{2,6})\b", re.IGNORECASE
)
_CONCLUDED = re.compile(r"[=→]>?\s*([A-H])\W*\Z")
_PROBABILITY = re.compile(r"\b[Pp]\s*\(")
_APOSTROPHE = re.compile("['’`´]")
_CLAUSE_END = re.compile(r"[—–;:,.!?\n]+|-\s")
_NUMBER = re.compile(r"\d+")
_ARTICLES = frozenset("a an the der die das den ein eine le la les un une el los las il lo i gli o os as".split())
_BARE_NUMBER = re.compile(r"\d+(?:[.,]\d+)?(?: ?[^\W\d]{1,12}| ?%)?\.?")
_TAKEN_BACK = re.compile(
    r"(?:\b[A-H]\s+(?:(?:is|seems|ist|est) )?)?"
    r"\b(?:not(?! sure)|nicht(?! sicher)|isn['’]?t|never|no longer|pas|kein\w*)\b"
    r".*?(?=\b(?:but|sondern|mais|sino|ma)\b|[.,;!?]|$)",
    re.IGNORECASE | re.DOTALL,
)


def typed_option(options: Sequence[Option], text: str, prompt: str = "") -> Option | None:
    """The one option that the words name; None where they name none, or more than one.

    Args:
        options: in the order in which the learner sees them, lettered A, B, C …
        prompt: the question, whose words may stand behind a place: "the first picture".
    """
    named = named_options(options, text, prompt)
    return named[0] if len(named) == 1 else None


def named_options(options: Sequence[Option], text: str, prompt: str = "") -> list[Option]:
    """The options that the words name: none, one, or several of which the learner must say which one counts."""
    if (exact := chosen_option(options, text)) is not None:
        return [exact]
    if len(text) > MAX_ANSWER_LENGTH or not options:
        return []
    *_, last = _CORRECTION.split(text)
    if last != text and len(corrected := named_options(options, last, prompt)) == 1:
        return corrected
    found = _LABELLED.match(text) or _SUBJECT.match(text)
    if found and not _RULED_OUT.match(text[found.end(1) :]):
        at = OPTION_LABELS.index(found[1].upper())
        return [*options[at : at + 1]]
    if (said := _by_own_ordinal(options, text)) or (said := _by_bare_place(options, text, prompt)):
        return said
    meant = _with_letters(options, without_taken_back(text))
    found_in = (
        (_by_text, meant),
        (_by_slip, text),
        (_by_numbers, meant),
        (_by_beginning, text),
        (_by_letter_or_place, meant),
        (_by_value, meant),
        (_by_notation, text),
        (_by_own_words, text),
        (_by_part, text),
    )
    if (concluded := _CONCLUDED.search(text)) is not None:
        return [*options[(at := OPTION_LABELS.index(concluded[1])) : at + 1]]
    named = next((named for find, words in found_in if (named := find(options, words))), [])
    lettered = [one for one in _by_letter_before_words(options, text) if one not in named]
    return [*lettered, *named]


def without_taken_back(text: str) -> str:
    """The text without what it rules out: "not A but D" is "but D"."""
    return _TAKEN_BACK.sub(" ", text)


def _with_letters(options: Sequence[Option], text: str) -> str:
    """The text with "option four" as "D", unless the number may be meant as one of another option, or the options are
    counts."""

    def letter(found: re.Match[str]) -> str:
        place = count_of(found[1].lower())
        is_one = place is not None and 1 <= place <= len(options) and _is_clear_place(options, place)
        return OPTION_LABELS[place - 1] if place is not None and is_one else found[0]

    return _NUMBERED.sub(letter, _BARE_PLACE.sub(letter, text))


def _is_clear_place(options: Sequence[Option], place: int) -> bool:
    """Whether a place, from 1, is no number of another option, and the options are no counts."""
    numbers = [_numbers_of(option) for option in options]
    are_counts = sum(bool(one) and one[0] is not None for one in numbers) > 1
    return not are_counts and all(place not in one for at, one in enumerate(numbers, start=1) if at != place)


def _numbers_of(option: Option) -> list[int | None]:
    """The number that each word of the option is, None for other words."""
    words = _words_alone(option.text).split()
    return [int(word) if word.isdecimal() else count_of(word) if len(word) > 1 else None for word in words]


def _by_own_ordinal(options: Sequence[Option], text: str) -> list[Option]:
    """The option that begins with the place which the first clause is but for fillers and words of that option, where
    options begin with places: "3" and "the 3rd one" mean "the third" wherever it stands, and "second" means "second
    order"."""
    own = [_meant_words(_words_alone(option.text).split())[:1] for option in options]
    if sum(bool(first) and first[0] in ordinals() for first in own) < _TWO:
        return []
    words = _meant_words(next(clauses_of(without_taken_back(text)), []))
    said = {place for word in words if (place := place_of(word)) is not None}
    saying = [option for option, first in zip(options, own, strict=True) if said == {*map(ordinals().get, first)}]
    rest = {word for word in words if place_of(word) is None}
    return [one for one in saying if len(saying) == 1 and rest <= {*_words_alone(one.text).split()}]


def _by_bare_place(options: Sequence[Option], text: str, prompt: str) -> list[Option]:
    """The option of the place that the first clause is, but for fillers and a word behind it that the question has and
    no option: "not 3, I'd say 4", "the 1st argument because …"."""
    clauses = [words for clause in clauses_of(without_taken_back(text)) if (words := _meant_words(clause))]
    in_options = {word for option in options for word in _words_alone(option.text).split()}
    beside = set(_words_alone(prompt).split()) - in_options
    if not clauses or (len(clauses) > 1 and not _has_reason(text)):
        return []
    word, *behind = clauses[0]
    says_place = word.isdecimal() or (bool(behind) and word in ordinals() and ordinals().keys().isdisjoint(in_options))
    place = place_of(word) if says_place and len(behind) <= 1 and beside.issuperset(behind) else None
    if place is None or not 0 <= place < len(options) or (word.isdecimal() and not _is_clear_place(options, place + 1)):
        return []
    return [options[place]]


def _meant_words(clause: Sequence[str]) -> list[str]:
    return [word for word in clause if word not in words_of("fillers")]


def _by_part(options: Sequence[Option], text: str) -> list[Option]:
    """The option that alone has the words of the text, articles and the like aside, side by side, and denies as much:
    "no lord holds court" for "No lord holds a court over his peasants"."""
    kept = {word for option in options for word in _words_alone(option.text).split()} | words_of("negations")
    beside = (words_of("fillers") - kept) | _ARTICLES
    said, *others = (
        [word for word in _words_alone(one).split() if word not in beside]
        for one in (text, *(option.text for option in options))
    )
    if (
        "?" in text
        or len([*clauses_of(text)]) != 1
        or all(len(word) <= _TWO or place_of(word) is not None for word in said)
    ):
        return []
    holding = [at for at, words in enumerate(others) if _stands_in_order(said, words)]
    denied = words_of("negations")
    is_one = len(holding) == 1 and denied.intersection(said) == denied.intersection(others[holding[0]])
    return [options[holding[0]]] if is_one else []


def _stands_in_order(said: Sequence[str], words: Sequence[str]) -> bool:
    return any([*words[at : at + len(said)]] == [*said] for at in range(len(words) - len(said) + 1))


def _by_text(options: Sequence[Option], text: str) -> list[Option]:
    """The options that stand in the text; of several the one that is all of it before a reason: "its blue, bc green is
    only shown when it is called"."""
    found = _standing_in(options, text)
    if len(found) <= 1 or any(_has_reason(option.text) for option in options):
        return found
    head = next(clauses_of(text), [])
    for option in found:
        own = _words_alone(option.text).split()
        rest = [word for word in head if word not in own]
        is_reasoned = _has_reason(text) and words_of("fillers").issuperset(rest)
        if is_reasoned and _standing_in(options, " ".join(head)) == [option]:
            return [option]
    return found


def _has_reason(text: str) -> bool:
    return not words_of("reasons").isdisjoint(_words_alone(text).split())


def _standing_in(options: Sequence[Option], text: str) -> list[Option]:
    """The options that stand in the text, but for those that are part of a longer one there."""
    said = f"{_bare(text)} | {_bare(with_digits(text))}"
    found = [option for option in options if any(occurs_in(_bare(form), said) for form in _spellings(option.text))]
    return [
        one
        for one in found
        if not any(one != other and occurs_in(_bare(one.text), _bare(other.text)) for other in found)
    ]


def _spellings(option: str) -> tuple[str, ...]:
    """The text of an option, and with its parts parted: "TypeError" may be written "type error". A letter has none: it
    stands for the option that it stands before."""
    if _bare(option).upper() in OPTION_LABELS:
        return ()
    return (option, _INNER_CAPITAL.sub(" ", option))


def _by_slip(options: Sequence[Option], text: str) -> list[Option]:
    """The options that the text is but for slips of the pen, and for fillers before and behind."""
    return [
        option
        for option in options
        if any(_alike(form(text), form(option.text)) for form in (_words_alone, _without_fillers))
    ]


def _alike(said: str, option: str) -> bool:
    """Whether the words are the same but for slips: "up" is none of "down", and "not" is never one."""
    if min(len(said), len(option)) < _SHORTEST_WITH_SLIPS or fuzz.ratio(said, option) < _ALIKE:
        return False
    mine, theirs = set(said.split()) - set(option.split()), set(option.split()) - set(said.split())
    return not (mine | theirs) & words_of("negations") and all(
        any(fuzz.ratio(one, other) >= _SLIP for other in theirs) for one in mine
    )


def _without_fillers(text: str) -> str:
    words = _words_alone(text).split()
    meant = [at for at, word in enumerate(words) if word not in words_of("fillers") and len(word) > 1]
    return " ".join(words[meant[0] : meant[-1] + 1]) if meant else ""


def _by_beginning(options: Sequence[Option], text: str) -> list[Option]:
    """The options that begin with the text or its first clause, fillers aside, which is long enough to be no chance; or
    the one that begins with the text, if that stands in no other."""
    said = [
        *_without_leading_fillers(_words_alone(text).split()),
        *_without_leading_fillers(next(clauses_of(text), [])),
    ]
    clear = [words for words in said if len(words) >= _CLEAR_BEGINNING]
    if clear:
        return [option for option in options if any(_begins(option, words) for words in clear)]
    whole = _words_alone(text)
    holding = [option for option in options if occurs_in(whole, _words_alone(option.text))]
    is_one = len(whole.split()) == _SHORT_BEGINNING and len(holding) == 1
    return holding if is_one and _begins(holding[0], whole.split()) else []


def _begins(option: Option, said: Sequence[str]) -> bool:
    return any(words[: len(said)] == said for words in _without_leading_fillers(_words_alone(option.text).split()))


def _without_leading_fillers(words: list[str]) -> Iterator[list[str]]:
    """The words, and what is left of them without its first filler, without the first two, and so on."""
    yield words
    for at, word in enumerate(words):
        if word not in words_of("fillers") and len(word) > 1:
            return
        yield words[at + 1 :]


def _by_numbers(options: Sequence[Option], text: str) -> list[Option]:
    """The options whose numbers, two or more, are those of the text's first clause with as many: "2 3 4 and 5"."""
    clauses = [_NUMBER.findall(clause) for clause in re.split(r"[—–;:.!?]|-\s", text)]
    said = next((numbers for numbers in clauses if len(numbers) > 1), None)
    return [option for option in options if _NUMBER.findall(option.text) == said]


def _by_value(options: Sequence[Option], text: str) -> list[Option]:
    """The option with the text's one number, where every option is a number and at most its unit: "so it is 54"."""
    if not all(_BARE_NUMBER.fullmatch(option.text.strip()) for option in options):
        return []
    said = stated_results(text)
    values = {one.value for one in said.results}
    return [one for one in options if {found.value for found in stated_results(one.text).results} == values]


def _by_notation(options: Sequence[Option], text: str) -> list[Option]:
    """The options that the text reads out, but for inflection: "winning given friday" for P(win | Friday)."""
    said = _read_out(text)
    return [option for option in options if len(said) > 1 and _alike_in_order(said, _read_out(option.text))]


def _read_out(text: str) -> list[str]:
    kept = words_of("negations")
    words = _words_alone(_PROBABILITY.sub("(", text).replace("|", " given ")).split()
    return [stem(word) for word in words if word in kept or word not in words_of("fillers")]


def _alike_in_order(said: Sequence[str], option: Sequence[str]) -> bool:
    """Whether the stems are the same, each but for an ending: "winn" is "win"."""
    pairs = zip(said, option, strict=False)
    return len(said) == len(option) and all(
        one == other or (min(len(one), len(other)) > _TWO and (one.startswith(other) or other.startswith(one)))
        for one, other in pairs
    )


def _by_own_words(options: Sequence[Option], text: str) -> list[Option]:
    """The options that have all the content words of the text, which is one clause: one, where no word of it is of
    another option as well, or two, which both fit. A place or a number may stand for an option instead, and words that
    deny anything may mean the contrary."""
    clauses = [clause for clause in clauses_of(text) if not words_of("fillers").issuperset(clause)]
    words = clauses[0] if len(clauses) == 1 else []
    if any(word in ordinals() or count_of(word) or len(word) == 1 for word in words):
        return []
    in_options = {word for option in options for word in _words_alone(option.text).split()}
    beside = words_of("fillers") - in_options
    said = stems([" ".join(word for word in words if word not in beside)])
    if not said or len(words) > _SHORT or "?" in text or not words_of("negations").isdisjoint(words):
        return []
    marks = [stems([_INNER_CAPITAL.sub(" ", option.text)]) for option in options]
    shares = [sum(any(_same_word(one, other) for other in own) for one in said) for own in marks]
    fitting = [option for option, share in zip(options, shares, strict=True) if share == len(said)]
    is_apart = sum(share > 0 for share in shares) == len(fitting)
    return fitting if is_apart and len(fitting) <= _TWO else []


def _same_word(one: str, other: str) -> bool:
    is_long = min(len(one), len(other)) >= _SHORTEST_WITH_SLIPS
    return same_stem(one, other) or (is_long and fuzz.ratio(one, other) >= _NEARLY_ALIKE)


def _by_letter_or_place(options: Sequence[Option], text: str) -> list[Option]:
    """The options of the letters and places that a clause consists of ("I'd say C", "the last one, because …"): the
    first clause that is more than fillers, and in a short text any. Words of all options tell none from another."""
    beside = words_of("fillers").union(
        frozenset.intersection(*(frozenset(_words_alone(option.text).split()) for option in options))
    )
    clauses = [clause for clause in clauses_of(text) if not words_of("fillers").issuperset(clause)]
    is_short = sum(map(len, clauses)) <= _SHORT
    letters = {label.lower(): at for at, label in enumerate(OPTION_LABELS)}
    known = dict(letters)
    if not any(word in ordinals() for option in options for word in plain(option.text).split()):
        known |= ordinals()
    in_clauses = [
        places
        for clause in clauses[: None if is_short else 1]
        if clauses == [clause] or len(clause) > 1 or len(clause[0]) == 1  # not "First, the list is sorted"
        if (places := _places_in(clause, letters if clause is not clauses[0] else known, beside))
    ]
    named = set[int]().union(*in_clauses)
    if in_clauses and len(in_clauses[0]) > 1 and len(in_clauses[-1]) == 1:  # "d or c, c I think"
        named = in_clauses[-1]
    return [option for at, option in enumerate(options) if at in named or at - len(options) in named]


def _by_letter_before_words(options: Sequence[Option], text: str) -> list[Option]:
    """The option whose letter stands before words of the learner's own: "C they do the work".

    An "a" is an article except before a word that takes none, and a small letter may be a name of the options.
    """
    found = _BEFORE_WORDS.match(text)
    if found is None or _RULED_OUT.match(found[2]):
        return []
    letter, first = found[1], plain(_APOSTROPHE.sub("", found[2])).split()[0]
    is_article = letter in "Aa" and first not in words_of("without_article")
    if first in words_of("joints") or is_article:
        return []
    if letter in "bcdefgh" and any(letter in plain(option.text).split() for option in options):
        return []
    return [*options[(at := OPTION_LABELS.index(letter.upper())) : at + 1]]


def _places_in(clause: Sequence[str], known: Mapping[str, int], beside: Set[str]) -> set[int]:
    """The places that a clause names; none where it says anything else.

    Args:
        beside: words that may stand there too.
    """
    named: set[int] = set()
    for word, after in pairwise([*clause, ""]):
        if word == "a" and (after in ordinals() or after in words_of("nouns")):  # "a guess", Portuguese "a primeira"
            continue
        if word in known:
            named.add(known[word])
        elif word not in beside:
            return set()
    return named


def clauses_of(text: str) -> Iterator[list[str]]:
    for part in _CLAUSE_END.split(text):
        clause: list[str] = []
        for word in _words_alone(part).split():
            if word in words_of("clause_ends") | words_of("reasons"):
                yield from [clause] if clause else []
                clause = []
            else:
                clause.append(word)
        yield from [clause] if clause else []


@cache
def words_of(name: str) -> frozenset[str]:
    table = tomllib.loads(files("sprout.learning.marking").joinpath("choice_words.toml").read_text(encoding="utf-8"))
    return frozenset(plain(table[name]).split())


def _words_alone(text: str) -> str:
    return plain(_APOSTROPHE.sub("", text))


def _bare(text: str) -> str:
    """The text folded, without the marks of code and the point at its end."""
    return folded(text).replace("`", "").strip(" .!")

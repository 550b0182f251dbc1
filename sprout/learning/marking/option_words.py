"""Words of options: which option a text names by the option's own text, numbers or words.

Own words are not guessed at: which option they mean is for a person or a model to say (A11), unless all of them stand
in one option and in no other ("open books").
"""

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from sprout.learning.marking.choice_clauses import clauses_of, has_reason, words_alone, words_of
from sprout.learning.marking.choices import OPTION_LABELS, Option
from sprout.learning.marking.number_words import with_digits
from sprout.learning.marking.ordinals import place_of
from sprout.learning.text.normalization import folded, occurs_in
from sprout.learning.text.stems import stem

_ALIKE = 90  # of 100, as rapidfuzz counts: one slip of the pen in a dozen letters
_SLIP = 60  # of 100, for a word alone: "teh"
_NEARLY_ALIKE = 85  # of 100, for a stem: "neighbor" is "neighbour"
_TWO = 2
_SHORTEST_WITH_SLIPS = 5  # characters
_SHORTEST_ABBREVIATION = 3  # letters: "neg" for "negative"
_CLEAR_BEGINNING, _SHORT_BEGINNING = 4, 3  # words
_SHORT = 12  # words, of a text with a letter in it that is meant wherever it stands
_INNER_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")
_PROBABILITY = re.compile(r"\b[Pp]\s*\(")
_ARTICLES = frozenset("a an the der die das den ein eine le la les un une el los las il lo i gli o os as".split())


def by_part(options: Sequence[Option], text: str) -> list[Option]:
    """The option that alone has the words of the text, articles and the like aside, side by side, and denies as much:
    "no lord holds court" for "No lord holds a court over his peasants"."""
    kept = {word for option in options for word in words_alone(option.text).split()} | words_of("negations")
    beside = (words_of("fillers") - kept) | _ARTICLES
    said, *others = (
        [word for word in words_alone(one).split() if word not in beside]
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


def by_text(options: Sequence[Option], text: str) -> list[Option]:
    """The options that stand in the text; of several the one that is all of it before a reason: "its blue, bc green is
    only shown when it is called"."""
    found = _standing_in(options, text)
    if len(found) <= 1 or any(has_reason(option.text) for option in options):
        return found
    head = next(clauses_of(text), [])
    for option in found:
        own = words_alone(option.text).split()
        rest = [word for word in head if word not in own]
        is_reasoned = has_reason(text) and words_of("fillers").issuperset(rest)
        if is_reasoned and _standing_in(options, " ".join(head)) == [option]:
            return [option]
    return found


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


def by_slip(options: Sequence[Option], text: str) -> list[Option]:
    """The options that the text is but for slips of the pen, and for fillers before and behind, unless another option
    has all that is left then: "negative" is no "true negative"."""
    said, meant = words_alone(text), _without_fillers(text)
    wholes = [words_alone(option.text) for option in options]
    return [
        option
        for option, whole in zip(options, wholes, strict=True)
        if _alike(said, whole)
        or (
            any(_alike(meant, _without_fillers(form)) for form in _spellings(option.text))
            and sum(occurs_in(_without_fillers(option.text), one) for one in wholes) == 1
        )
    ]


def by_abbreviation(options: Sequence[Option], text: str) -> list[Option]:
    """The options that the text is, word by word and articles aside, but for endings that it leaves out: "true neg"."""
    said = _without_articles(text)
    return [option for option in options if len(said) > 1 and _abbreviates(said, _without_articles(option.text))]


def _without_articles(text: str) -> list[str]:
    return [word for word in words_alone(text).split() if word not in _ARTICLES]


def _abbreviates(said: Sequence[str], option: Sequence[str]) -> bool:
    return len(said) == len(option) and all(
        one == other or (len(one) >= _SHORTEST_ABBREVIATION and other.startswith(one))
        for one, other in zip(said, option, strict=False)
    )


def _alike(said: str, option: str) -> bool:
    """Whether the words are the same but for slips: "up" is none of "down", and "not" is never one."""
    if min(len(said), len(option)) < _SHORTEST_WITH_SLIPS or fuzz.ratio(said, option) < _ALIKE:
        return False
    mine, theirs = set(said.split()) - set(option.split()), set(option.split()) - set(said.split())
    return not (mine | theirs) & words_of("negations") and all(
        any(fuzz.ratio(one, other) >= _SLIP for other in theirs) for one in mine
    )


def _without_fillers(text: str) -> str:
    words = words_alone(text).split()
    meant = [at for at, word in enumerate(words) if word not in words_of("fillers") and len(word) > 1]
    return " ".join(words[meant[0] : meant[-1] + 1]) if meant else ""


def by_beginning(options: Sequence[Option], text: str) -> list[Option]:
    """The options that begin with the text or its first clause, fillers aside, which is long enough to be no chance; or
    the one that begins with the text, if that stands in no other."""
    said = [
        *_without_leading_fillers(words_alone(text).split()),
        *_without_leading_fillers(next(clauses_of(text), [])),
    ]
    clear = [words for words in said if len(words) >= _CLEAR_BEGINNING]
    if clear:
        return [option for option in options if any(_begins(option, words) for words in clear)]
    whole = words_alone(text)
    holding = [option for option in options if occurs_in(whole, words_alone(option.text))]
    is_one = len(whole.split()) == _SHORT_BEGINNING and len(holding) == 1
    return holding if is_one and _begins(holding[0], whole.split()) else []


def _begins(option: Option, said: Sequence[str]) -> bool:
    return any(words[: len(said)] == said for words in _without_leading_fillers(words_alone(option.text).split()))


def _without_leading_fillers(words: list[str]) -> Iterator[list[str]]:
    """The words, and what is left of them without its first filler, without the first two, and so on."""
    yield words
    for at, word in enumerate(words):
        if word not in words_of("fillers") and len(word) > 1:
            return
        yield words[at + 1 :]


def by_notation(options: Sequence[Option], text: str) -> list[Option]:
    """The options that the text reads out, but for inflection: "winning given friday" for P(win | Friday)."""
    said = _read_out(text)
    return [option for option in options if len(said) > 1 and _alike_in_order(said, _read_out(option.text))]


def _read_out(text: str) -> list[str]:
    kept = words_of("negations")
    words = words_alone(_PROBABILITY.sub("(", text).replace("|", " given ")).split()
    return [stem(word) for word in words if word in kept or word not in words_of("fillers")]


def _alike_in_order(said: Sequence[str], option: Sequence[str]) -> bool:
    """Whether the stems are the same, each but for an ending: "winn" is "win"."""
    pairs = zip(said, option, strict=False)
    return len(said) == len(option) and all(
        one == other or (min(len(one), len(other)) > _TWO and (one.startswith(other) or other.startswith(one)))
        for one, other in pairs
    )


def _bare(text: str) -> str:
    """The text folded, without the marks of code and the point at its end."""
    return folded(text).replace("`", "").strip(" .!")

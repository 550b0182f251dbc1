"""What must not be said while a question is open, in the shapes in which a text is looked through (rule H2)."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sprout.learning.questions.questions import QuestionDraft, as_number
from sprout.learning.text.numerals import bare, numerals, spelled
from sprout.learning.text.plain import plain, squeezed
from sprout.learning.text.stems import content_words, stems
from sprout.learning.text.words import occurs_in

SHORT_ANSWER_WORDS = 4
SHORTEST_OPEN = 5  # letters; anything shorter stands in a text by chance
SHORTEST_HIDDEN = 4
SHORTEST_KEY = 6
LONG_KEY = 7
FEWEST_NEW = 3  # stems; fewer of a clause or a step stand in a hint by chance
MOST_KEYS = 12
SHORTEST_FORMULA = 4
SIGNIFICANT = 3  # digits from which on a number does not stand in a text by chance
_SIGNS = re.compile(r"[=()\[\]<>+*/^{}]")
_EQUATION = re.compile(
    r"[\w().]{1,12}(?:\s?[-+*/×·−^]\s?[\w().]{1,12}){0,9}\s?=\s?[\w().]{1,12}(?:\s?[-+*/×·−^]\s?[\w()]{1,12}){0,9}"
)
_BEHIND_NUMBER = re.compile(r"(?<=\d)\s?[^\s\d]{1,16}$")
_COUNTED = re.compile(r"\b(?:how many|wie viele?) ([^\W\d_]{3,30})", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE = re.compile(r"[,;:]\s")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_GERMAN_ORDINALS = ("erste", "zweite", "dritte", "vierte", "fünfte", "sechste")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SecretNumber:
    """A number that is the answer.

    Args:
        slack: how far another way to write it may be off, by rounding; `tolerance` how far off still counts as right.
        rare: it does not stand in a text by chance, so it leaks wherever it stands.
        heard: the learner has said it, so it leaks only where it is called the answer.
        unit: as `bare` text has it; with it behind it, the number leaks wherever it stands. Empty for an option, which
            the learner sees.
    """

    value: float
    slack: float
    tolerance: float
    rare: bool
    heard: bool
    unit: str


@dataclass(frozen=True, slots=True)
class Idea:
    """What a sentence says, as stems: those that the learner has not met yet, and all of them."""

    new: frozenset[str]
    all: frozenset[str]


@dataclass(frozen=True, slots=True)
class Secret:
    """A prepared answer, less what the learner has seen or said.

    Args:
        numbers: the answer and its equivalents, where they are numbers.
        known_numbers: those of the prompt and of the learner.
        rare: plain phrases that leak wherever they stand.
        common: plain phrases that leak only where they are presented as the answer: short ones, options, labels.
        heard: those of `common` that the learner has said.
        formulas: squeezed lines of code and formulas.
        hidden: plain phrases and words that are looked for in disguise.
        whole: what the answer as a whole says; `points` what its parts, criteria and steps say.
        short: what an answer of a few words says, whose words may stand apart.
        steps: squeezed formulas of the solution's steps.
        right, wrong: the options of a choice, plain.
    """

    numbers: tuple[SecretNumber, ...] = ()
    known_numbers: tuple[float, ...] = ()
    rare: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    heard: frozenset[str] = frozenset()
    formulas: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    whole: tuple[Idea, ...] = ()
    points: tuple[Idea, ...] = ()
    short: tuple[Idea, ...] = ()
    steps: tuple[str, ...] = ()
    right: str = ""
    wrong: tuple[str, ...] = ()


def secret_of(
    question: QuestionDraft,
    *,
    also_right: Sequence[str] = (),
    anchors: Sequence[str] = (),
    steps: Sequence[str] = (),
    said: Sequence[str] = (),
    label: str | None = None,
) -> Secret:
    """The secret of a question that is open.

    Args:
        also_right: other forms of the answer: in other units, in another language, accepted wordings.
        anchors: full answers in a learner's words.
        steps: the prepared solution, step by step.
        said: what the learner has written since the question was posed.
        label: the letter before the right option as this learner sees it.
    """
    seen = " ".join([question.prompt, *said])
    answers = [question.correct_answer, *also_right]
    choice = question.format == "mcq"
    is_number = {text: _number(text, question.unit) for text in answers}
    texts = [text for text, number in is_number.items() if number is None]
    words = list(dict.fromkeys(plain(text) for text in texts))
    heard = plain("\n".join(said))
    rare = [] if choice else [*_rare(words, plain(seen))]
    prose = [*([] if choice else texts), *anchors]
    return Secret(
        numbers=tuple(_numbers(question, is_number, said)),
        known_numbers=tuple(_values(seen)),
        rare=tuple(rare),
        common=tuple(_common(words, rare, is_number, label)),
        heard=frozenset(word for word in words if word and occurs_in(word, heard)),
        formulas=tuple(_formulas([*([] if choice else texts), *anchors], seen)),
        hidden=tuple(_hidden(words, is_number, question, seen)),
        whole=tuple(_ideas(prose, seen)),
        points=(
            *_ideas((criterion.statement for criterion in question.criteria), seen),
            *_ideas([*_clauses(prose), *steps], seen, fewest=FEWEST_NEW),
        ),
        short=tuple(idea for idea in _ideas(rare, seen) if len(idea.all) <= SHORT_ANSWER_WORDS),
        steps=tuple(_formulas(steps, seen)),
        right=plain(question.correct_answer) if choice else "",
        wrong=tuple(plain(option) for option in question.options if option != question.correct_answer),
    )


def _number(text: str, unit: str | None) -> float | None:
    """The number that an answer is, whatever unit of one word stands behind it: options have theirs in the text."""
    behind = _BEHIND_NUMBER.search(text)
    value = as_number(text, unit=unit)
    return as_number(text, unit=behind[0].strip()) if value is None and behind else value


def _unit(text: str, question: QuestionDraft) -> str:
    """What is counted or measured: the unit, or the word that "how many" asks for. A share of what, a per cent sign
    does not say."""
    behind = _BEHIND_NUMBER.search(text)
    counted = _COUNTED.search(question.prompt)
    return bare(behind[0] if behind else question.unit or (counted[1] if counted else "")).strip(" %")


def _values(text: str) -> Iterator[float]:
    for numeral in numerals(bare(text)):
        yield from numeral.values


def _numbers(
    question: QuestionDraft, is_number: dict[str, float | None], said: Sequence[str]
) -> Iterator[SecretNumber]:
    heard = set(_values("\n".join(said)))
    for text, value in is_number.items():
        if value is None:
            continue
        decimals = re.search(r"[.,](\d+)", text)
        digits = len(re.sub(r"\D", "", f"{value:.9g}").strip("0"))
        is_whole = value == round(value)
        slack = 0.5 * 10.0 ** -len(decimals[1]) if decimals else 0.0 if is_whole else 0.002 * abs(value)
        rare = question.format != "mcq" and (digits >= SIGNIFICANT or (not is_whole and digits > 1))
        for scaled in (value, value / 100) if "%" in text + (question.unit or "") else (value,):
            share = scaled / value if value else 1.0
            yield SecretNumber(
                scaled,
                max(slack * share, 1e-9 * abs(scaled)),
                (question.tolerance or 0.0) * share,
                rare,
                any(math.isclose(scaled, one, rel_tol=1e-9) for one in heard),
                "" if question.format == "mcq" else _unit(text, question),
            )


def _rare(words: Iterable[str], seen: str) -> Iterator[str]:
    """Phrases that do not stand in a text by chance; of a short one, also the word that tells most: the only one
    that is new, or the longest."""
    for phrase in words:
        if len(phrase) < SHORTEST_OPEN or not content_words(phrase) or occurs_in(phrase, seen):
            continue
        yield phrase
        new = [word for word in content_words(phrase) if not occurs_in(word, seen)]
        key = max(new, key=len, default="")
        if len(phrase.split()) <= SHORT_ANSWER_WORDS and len(key) >= (SHORTEST_OPEN if len(new) == 1 else LONG_KEY):
            yield key


def _common(
    words: Iterable[str], rare: Sequence[str], is_number: dict[str, float | None], label: str | None
) -> Iterator[str]:
    yield from (phrase for phrase in words if phrase and phrase not in rare)
    for value in is_number.values():
        if value and value == round(value) and 1 < value < 4000 and len(roman(int(value))) > 1:
            yield roman(int(value))
    if label:
        yield label.lower()
        at = ord(label.upper()) - ord("A") if len(label) == 1 else len(_ORDINALS)
        if 0 <= at < len(_ORDINALS):
            yield from (f"{_ORDINALS[at]} option", f"{_ORDINALS[at]} one", plain(f"{_GERMAN_ORDINALS[at]} option"))


def roman(value: int) -> str:
    """A whole number from 1 to 3999 in Roman numerals, in small letters."""
    said = ""
    for size, letters in _ROMAN:
        said += letters * (value // size)
        value %= size
    return said


def _formulas(texts: Iterable[str], seen: str) -> Iterator[str]:
    known = squeezed(seen)
    for text in texts:
        for line in [*text.splitlines(), *_EQUATION.findall(text)]:
            formula = squeezed(line)
            if _SIGNS.search(formula) and len(formula) >= SHORTEST_FORMULA and formula not in known:
                yield formula


def _hidden(
    words: Iterable[str], is_number: dict[str, float | None], question: QuestionDraft, seen: str
) -> Iterator[str]:
    known = plain(seen)
    others = plain(" ".join(option for option in question.options if option != question.correct_answer))
    phrases = [*words, *(plain(word) for value in is_number.values() if value for word in spelled(value))]
    for phrase in dict.fromkeys(phrases):
        if len(phrase) >= SHORTEST_HIDDEN and content_words(phrase) and not occurs_in(phrase, known):
            yield phrase
    keys = (word for phrase in words for word in content_words(phrase) if len(word) >= SHORTEST_KEY)
    fresh = (word for word in dict.fromkeys(keys) if not occurs_in(word, known) and not occurs_in(word, others))
    yield from list(fresh)[:MOST_KEYS]


def _clauses(texts: Iterable[str]) -> Iterator[str]:
    """Each sentence, and each part of it between commas."""
    for text in texts:
        for sentence in _SENTENCE.split(text):
            yield from dict.fromkeys([sentence, *_CLAUSE.split(sentence)])


def _ideas(texts: Iterable[str], seen: str, *, fewest: int = 2) -> Iterator[Idea]:
    """What the texts say that is new; no idea where next to nothing is."""
    known = stems([seen])
    for text in texts:
        every = stems([text])
        new = every - known
        if len(new) >= fewest and len(new) * 3 >= len(every):
            yield Idea(new, every)

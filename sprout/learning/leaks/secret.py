"""Secret of an open question, in the forms that leak detection searches for."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sprout.learning.questions.questions import QuestionDraft, parse_number
from sprout.learning.text.confusables import plain, without_spacing
from sprout.learning.text.normalization import occurs_in
from sprout.learning.text.numerals import normalize_numerals, number_words, numerals
from sprout.learning.text.stems import content_words, stems

SHORT_ANSWER_WORDS = 4
MIN_STATED = 5  # letters; anything shorter stands in a text by chance
MIN_HIDDEN = 4
MIN_KEY = 6
LONG_KEY = 7
MIN_NEW_STEMS = 3  # stems; fewer of a clause or a step stand in a hint by chance
MAX_KEYS = 12
MIN_FORMULA = 4
SIGNIFICANT_DIGITS = 3  # digits from which on a number does not stand in a text by chance
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
        distinctive: it does not stand in a text by chance, so it leaks wherever it stands.
        said_by_learner: the learner has said it, so it leaks only where it is called the answer.
        unit: as `bare` text has it; with it behind it, the number leaks wherever it stands. Empty for an option, which
            the learner sees.
    """

    value: float
    slack: float
    tolerance: float
    distinctive: bool
    said_by_learner: bool
    unit: str


@dataclass(frozen=True, slots=True)
class Idea:
    """Idea of a sentence, as stems: those that the learner has not met yet, and all of them."""

    new: frozenset[str]
    all: frozenset[str]


@dataclass(frozen=True, slots=True)
class Secret:
    """A prepared answer, less what the learner has seen or said.

    Args:
        numbers: the answer and its equivalents, where they are numbers.
        known_numbers: those of the prompt and of the learner.
        distinctive_phrases: plain phrases that leak wherever they stand.
        common_phrases: plain phrases that leak only where they stand as the answer: short ones, options, labels.
        learner_phrases: those of `common_phrases` that the learner has said.
        formulas: squeezed lines of code and formulas.
        hidden: plain phrases and words that are looked for in disguise.
        answer_ideas: what the answer as a whole says.
        criterion_ideas: what its parts, criteria and steps say.
        short_ideas: what an answer of a few words says, whose words may stand apart.
        steps: squeezed formulas of the solution's steps.
        right_option, wrong_options: the options of a choice, plain.
    """

    numbers: tuple[SecretNumber, ...] = ()
    known_numbers: tuple[float, ...] = ()
    distinctive_phrases: tuple[str, ...] = ()
    common_phrases: tuple[str, ...] = ()
    learner_phrases: frozenset[str] = frozenset()
    formulas: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    answer_ideas: tuple[Idea, ...] = ()
    criterion_ideas: tuple[Idea, ...] = ()
    short_ideas: tuple[Idea, ...] = ()
    steps: tuple[str, ...] = ()
    right_option: str = ""
    wrong_options: tuple[str, ...] = ()


def build_secret(
    question: QuestionDraft,
    *,
    anchors: Sequence[str] = (),
    steps: Sequence[str] = (),
    learner_texts: Sequence[str] = (),
    label: str | None = None,
) -> Secret:
    """The secret of a question that is open.

    Args:
        anchors: full answers in a learner's words.
        steps: the prepared solution, step by step.
        learner_texts: what the learner has written since the question was asked.
        label: the letter before the right option as this learner sees it.
    """
    seen = " ".join([question.prompt, *learner_texts])
    answers = [question.correct_answer]
    choice = question.format == "mcq"
    is_number = {text: _number(text, question.unit) for text in answers}
    texts = [text for text, number in is_number.items() if number is None]
    words = list(dict.fromkeys(plain(text) for text in texts))
    heard = plain("\n".join(learner_texts))
    rare = [] if choice else [*_distinctive_phrases(words, plain(seen))]
    prose = [*([] if choice else texts), *anchors]
    return Secret(
        numbers=tuple(_numbers(question, is_number, learner_texts)),
        known_numbers=tuple(_values(seen)),
        distinctive_phrases=tuple(rare),
        common_phrases=tuple(_common_phrases(words, rare, is_number, label)),
        learner_phrases=frozenset(word for word in words if word and occurs_in(word, heard)),
        formulas=tuple(_formulas([*([] if choice else texts), *anchors], seen)),
        hidden=tuple(_hidden(words, is_number, question, seen)),
        answer_ideas=tuple(_new_ideas(prose, seen)),
        criterion_ideas=(
            *_new_ideas((criterion.statement for criterion in question.criteria), seen),
            *_new_ideas([*_clauses(prose), *steps], seen, fewest=MIN_NEW_STEMS),
        ),
        short_ideas=tuple(idea for idea in _new_ideas(rare, seen) if len(idea.all) <= SHORT_ANSWER_WORDS),
        steps=tuple(_formulas(steps, seen)),
        right_option=plain(question.correct_answer) if choice else "",
        wrong_options=tuple(plain(option) for option in question.options if option != question.correct_answer),
    )


def _number(text: str, unit: str | None) -> float | None:
    """The number that an answer is, whatever unit of one word stands behind it: options have theirs in the text."""
    behind = _BEHIND_NUMBER.search(text)
    value = parse_number(text, unit=unit)
    return parse_number(text, unit=behind[0].strip()) if value is None and behind else value


def _unit(text: str, question: QuestionDraft) -> str:
    """Unit behind the number in the text, else the question's, else the word that "how many" asks for.

    A per cent sign is removed: it does not say what the share is of.
    """
    behind = _BEHIND_NUMBER.search(text)
    counted = _COUNTED.search(question.prompt)
    return normalize_numerals(behind[0] if behind else question.unit or (counted[1] if counted else "")).strip(" %")


def _values(text: str) -> Iterator[float]:
    for numeral in numerals(normalize_numerals(text)):
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
        rare = question.format != "mcq" and (digits >= SIGNIFICANT_DIGITS or (not is_whole and digits > 1))
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


def _distinctive_phrases(words: Iterable[str], seen: str) -> Iterator[str]:
    """Phrases that do not stand in a text by chance; of a short one, also the word that tells most: the only one
    that is new, or the longest."""
    for phrase in words:
        if len(phrase) < MIN_STATED or not content_words(phrase) or occurs_in(phrase, seen):
            continue
        yield phrase
        new = [word for word in content_words(phrase) if not occurs_in(word, seen)]
        key = max(new, key=len, default="")
        if len(phrase.split()) <= SHORT_ANSWER_WORDS and len(key) >= (MIN_STATED if len(new) == 1 else LONG_KEY):
            yield key


def _common_phrases(
    words: Iterable[str], rare: Sequence[str], is_number: dict[str, float | None], label: str | None
) -> Iterator[str]:
    yield from (phrase for phrase in words if phrase and phrase not in rare)
    for value in is_number.values():
        if value and value == round(value) and 1 < value < 4000 and len(roman_numeral(int(value))) > 1:
            yield roman_numeral(int(value))
    if label:
        yield label.lower()
        at = ord(label.upper()) - ord("A") if len(label) == 1 else len(_ORDINALS)
        if 0 <= at < len(_ORDINALS):
            yield from (f"{_ORDINALS[at]} option", f"{_ORDINALS[at]} one", plain(f"{_GERMAN_ORDINALS[at]} option"))


def roman_numeral(value: int) -> str:
    """A whole number from 1 to 3999 in Roman numerals, in small letters."""
    said = ""
    for size, letters in _ROMAN:
        said += letters * (value // size)
        value %= size
    return said


def _formulas(texts: Iterable[str], seen: str) -> Iterator[str]:
    known = without_spacing(seen)
    for text in texts:
        for line in [*text.splitlines(), *_EQUATION.findall(text)]:
            formula = without_spacing(line)
            if _SIGNS.search(formula) and len(formula) >= MIN_FORMULA and formula not in known:
                yield formula


def _hidden(
    words: Iterable[str], is_number: dict[str, float | None], question: QuestionDraft, seen: str
) -> Iterator[str]:
    known = plain(seen)
    others = plain(" ".join(option for option in question.options if option != question.correct_answer))
    phrases = [*words, *(plain(word) for value in is_number.values() if value for word in number_words(value))]
    for phrase in dict.fromkeys(phrases):
        if len(phrase) >= MIN_HIDDEN and content_words(phrase) and not occurs_in(phrase, known):
            yield phrase
    keys = (word for phrase in words for word in content_words(phrase) if len(word) >= MIN_KEY)
    fresh = (word for word in dict.fromkeys(keys) if not occurs_in(word, known) and not occurs_in(word, others))
    yield from list(fresh)[:MAX_KEYS]


def _clauses(texts: Iterable[str]) -> Iterator[str]:
    """Each sentence, and each part of it between commas."""
    for text in texts:
        for sentence in _SENTENCE.split(text):
            yield from dict.fromkeys([sentence, *_CLAUSE.split(sentence)])


def _new_ideas(texts: Iterable[str], seen: str, *, fewest: int = 2) -> Iterator[Idea]:
    """Ideas of the texts that are new: at least `fewest` of a text's stems, and a third of them, are not in `seen`."""
    known = stems([seen])
    for text in texts:
        every = stems([text])
        new = every - known
        if len(new) >= fewest and len(new) * 3 >= len(every):
            yield Idea(new, every)

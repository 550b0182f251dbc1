"""Leak detection: whether a text gives a prepared answer away, and in which form."""

import math
import re
from collections.abc import Iterator

from sprout.learning.leaks.leak import Leak, LeakForm
from sprout.learning.leaks.numbers import disguised_numbers, stated_numbers
from sprout.learning.leaks.secret import Idea, Secret
from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.learning.text.announcements import Announcement, announcement, is_mentioned
from sprout.learning.text.confusables import occurrences, plain, skeleton, unaccented, without_spacing
from sprout.learning.text.disguises import Disguise, hidden_letters, hidden_words, reversed_forms, shifted
from sprout.learning.text.normalization import occurs_in
from sprout.learning.text.stems import SHORTEST_STEM, content_words, stem, stems

NEARBY_CHARACTERS = 400  # characters of what was said before in which a sentence is read
REMEMBERED_CHARACTERS = 4_000  # characters over which what is scattered or hidden is looked for
SHARE_OF_IDEA = 0.7
SHARE_OF_SENTENCE = 0.6
SHARE_OF_SCATTERED = 0.9
MIN_SCATTERED = 5
MAX_SPLIT = 4
MAX_SENTENCE = 2_000  # characters; longer than any sentence of a lesson; what is not checked is not shown


def find_leak(secret: Secret, sentence: str, *, before: str = "", level: HelpLevel = HelpLevel.NONE) -> Leak | None:
    """The first leak of a sentence, read together with what was said before it; None where it tells nothing.

    A sentence of more than `MAX_SENTENCE` is not read, and counts as a leak.

    Args:
        before: what the tutor has said since the question was asked, free of leaks.
        level: at the last level, one step of the solution or one point of the answer may stand in all that is said.
    """
    if len(sentence) > MAX_SENTENCE:
        return Leak(LeakForm.TOO_LONG, "")
    near, whole = f"{before[-NEARBY_CHARACTERS:]}{sentence}", f"{before[-REMEMBERED_CHARACTERS:]}{sentence}"
    return next(
        (
            leak
            for leaks in (
                _stated(secret, near),
                stated_numbers(secret, near),
                _announced(secret, near),
                _eliminated(secret, near, whole, sentence),
                _formulas(secret, near),
                _split(secret, near, whole),
                _paraphrased(secret, near, whole, level),
                _disguised(secret, near, whole),
            )
            for leak in leaks
        ),
        None,
    )


def _stated(secret: Secret, near: str) -> Iterator[Leak]:
    said, respelled = plain(near), skeleton(near)
    words = said.split()
    for phrase in secret.distinctive_phrases:
        if occurs_in(phrase, said):
            yield Leak(LeakForm.EXACT if phrase in near.lower() else LeakForm.NORMALISED, phrase)
        root = stem(phrase)
        if " " not in phrase and len(root) > SHORTEST_STEM + 1 and any(word.startswith(root) for word in words):
            yield Leak(LeakForm.NORMALISED, phrase)
    for phrase in secret.hidden:
        bones = skeleton(phrase)
        if len(occurrences(bones, respelled)) > len(occurrences(phrase, said)):
            yield Leak(LeakForm.RESPELLED, phrase)


def _announced(secret: Secret, near: str) -> Iterator[Leak]:
    text = unaccented(near)
    for phrase in secret.common_phrases:
        enough = Announcement.AS_ANSWER if phrase in secret.learner_phrases else Announcement.AS_CHOICE
        small = not content_words(phrase)
        for start, end in occurrences(phrase, text):
            how = announcement(text, start, end)
            if _asserts_option(secret, phrase, how, text, end):
                yield Leak(LeakForm.ANNOUNCED, phrase)
            if how < enough or (small and not is_mentioned(text, end)):
                continue
            if enough is Announcement.AS_CHOICE and _names_other_option(secret, text, start, end):
                continue
            yield Leak(LeakForm.ANNOUNCED, phrase)


def _asserts_option(secret: Secret, phrase: str, how: Announcement, text: str, end: int) -> bool:
    """Whether the sentence ends by saying the right option of something, no other being near: "that is false"."""
    return (
        phrase == secret.right_option
        and how is Announcement.AS_RESULT
        and phrase not in secret.learner_phrases
        and re.match(r"[\W_]{0,3}(?:[.!\n]|\Z)", text[end:]) is not None
        and not any(occurrences(rival, text) for rival in secret.wrong_options)
    )


def _names_other_option(secret: Secret, text: str, start: int, end: int) -> bool:
    """Whether another option stands in the same way in the same sentence: "choose A if …, choose B if …"."""
    if announcement(text, start, end) is Announcement.AS_ANSWER:
        return False
    return any(
        announcement(text, *place) >= Announcement.AS_CHOICE
        for rival in secret.wrong_options
        for place in occurrences(rival, text)
    )


_NEGATION = re.compile(
    r"\b(?:not|isn.?t|can.?t|cannot|wrong|false|incorrect|rule out|eliminate|cross out|neither|nor|nicht|falsch|"
    r"kein\w?|streiche?|scheide[nt]? aus|schlie(?:ss|ß)e? .{1,40} aus|no es|faux)\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")


def _eliminated(secret: Secret, near: str, whole: str, sentence: str) -> Iterator[Leak]:
    """The right option alone among all options, or all others struck out."""
    if not secret.right_option:
        return
    if secret.right_option not in secret.learner_phrases and not sentence.rstrip(" *_\"'”)").endswith("?"):
        named = [option for option in (secret.right_option, *secret.wrong_options) if _names(secret, option, near)]
        if named == [secret.right_option] and _names(secret, secret.right_option, sentence):
            yield Leak(LeakForm.SINGLED_OUT, secret.right_option)
    struck: set[str] = set()
    for part in _SENTENCE_END.split(whole):
        said = plain(part)
        if _NEGATION.search(unaccented(part)) and not occurs_in(secret.right_option, said):
            struck |= {option for option in secret.wrong_options if occurs_in(option, said)}
    if struck and struck == set(secret.wrong_options):
        yield Leak(LeakForm.ELIMINATED, secret.right_option)


def _names(secret: Secret, option: str, text: str) -> bool:
    """Whether the text names the option, by all the content words that set it apart; one word is too few to tell."""
    others = stems(one for one in (secret.right_option, *secret.wrong_options) if one != option)
    own = stems([option]) - others
    return (len(own) > 1 and own <= stems([text])) or (len(option.split()) > 1 and occurs_in(option, plain(text)))


def _formulas(secret: Secret, near: str) -> Iterator[Leak]:
    said = without_spacing(near)
    yield from (Leak(LeakForm.FORMULA, formula) for formula in secret.formulas if formula in said)


def _split(secret: Secret, near: str, whole: str) -> Iterator[Leak]:
    """A short answer whose words, or the pieces of one word, stand apart."""
    said = stems([whole])
    yield from (Leak(LeakForm.SPLIT, " ".join(sorted(idea.all))) for idea in secret.short_ideas if idea.all <= said)
    pieces = {word for word in plain(near).split() if len(word) > 2}
    for phrase in secret.hidden:
        if " " not in phrase and _made_of(phrase, pieces - {phrase}, MAX_SPLIT):
            yield Leak(LeakForm.SPLIT, phrase)


def _made_of(word: str, pieces: set[str], most: int) -> bool:
    if not word:
        return True
    return most > 0 and any(
        word.startswith(piece) and _made_of(word[len(piece) :], pieces, most - 1) for piece in pieces
    )


def _paraphrased(secret: Secret, near: str, whole: str, level: HelpLevel) -> Iterator[Leak]:
    close, all_said = stems([near]), stems([whole])
    for idea in secret.answer_ideas:
        met = idea.new & all_said
        if len(idea.new) >= MIN_SCATTERED and len(met) >= math.ceil(SHARE_OF_SCATTERED * len(idea.new)):
            yield Leak(LeakForm.SPLIT, " ".join(sorted(met)))
    if level is HelpLevel.WORKED_STEP:
        close_by = _stem_windows(whole)
        told = _distinct(
            [idea for idea in secret.criterion_ideas if any(_expresses(close, idea) for close in close_by)]
        )[1:]
    else:
        told = [idea for idea in secret.criterion_ideas if _expresses(close, idea)]
    yield from (Leak(LeakForm.PARAPHRASE, " ".join(sorted(idea.new))) for idea in told)
    yield from _solution_steps(secret, without_spacing(whole), level)


def _solution_steps(secret: Secret, said: str, level: HelpLevel) -> Iterator[Leak]:
    """Steps of the solution that were written down: at the last level half of them may be, the last one never."""
    worked = [step for step in secret.steps if step in said]
    if level is HelpLevel.WORKED_STEP and worked[-1:] != list(secret.steps[-1:]):
        worked = worked[max(1, len(secret.steps) // 2) :]
    yield from (Leak(LeakForm.STEPS, step) for step in worked)


def _stem_windows(whole: str) -> list[frozenset[str]]:
    """The stems of every three sentences in a row."""
    parts = [stems([part]) for part in _SENTENCE_END.split(whole) if part.strip()]
    return [frozenset().union(*parts[at : at + 3]) for at in range(len(parts))]


def _distinct(ideas: list[Idea]) -> list[Idea]:
    """The ideas less those that mostly repeat the ones before: a criterion and the sentence that meets it are one."""
    kept: list[Idea] = []
    met: set[str] = set()
    for idea in ideas:
        if len(idea.new - met) * 2 > len(idea.new):
            kept.append(idea)
        met |= idea.new
    return kept


def _expresses(close: frozenset[str], idea: Idea) -> bool:
    new, every = len(idea.new & close), len(idea.all & close)
    return new >= math.ceil(SHARE_OF_IDEA * len(idea.new)) and every >= SHARE_OF_SENTENCE * len(idea.all)


def _disguised(secret: Secret, near: str, whole: str) -> Iterator[Leak]:
    readings = [(how, reading, plain(reading)) for how, reading in hidden_words(whole)]
    runs = list(hidden_letters(whole))
    said, all_said = plain(near), plain(whole)
    for phrase in secret.hidden:
        openly = len(occurrences(phrase, all_said))
        for how, _, reading in readings:
            if len(occurrences(phrase, reading)) > (openly if how is Disguise.SYLLABLES else 0):
                yield Leak(how, phrase)
        letters = phrase.replace(" ", "")
        for how, run, shortest in runs:
            if len(letters) >= shortest and letters in run:
                yield Leak(how, phrase)
        if any(occurs_in(form, said) for form in reversed_forms(phrase) if form != phrase):
            yield Leak(Disguise.REVERSED, phrase)
        if any(occurs_in(form, said) for form in shifted(phrase)):
            yield Leak(Disguise.SHIFTED, phrase)
    yield from _disguised_formulas(secret, readings, near)
    yield from disguised_numbers(secret, ((how, reading) for how, reading, _ in readings))


def _disguised_formulas(secret: Secret, readings: list[tuple[Disguise, str, str]], near: str) -> Iterator[Leak]:
    decoded = [(how, without_spacing(reading)) for how, reading, _ in readings if how is not Disguise.SYLLABLES]
    backwards = without_spacing(near)[::-1]
    for formula in (*secret.formulas, *secret.steps):
        yield from (Leak(how, formula) for how, reading in decoded if formula in reading)
        if formula in backwards and formula != formula[::-1]:
            yield Leak(Disguise.REVERSED, formula)

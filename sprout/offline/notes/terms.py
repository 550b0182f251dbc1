"""Key terms of a text: noun phrases found by the function words around them, weighted by how often they stand there."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from sprout.offline.notes.language import language
from sprout.offline.notes.words import WORD, stem, without_elision, words_of

MAX_TERM_WORDS = 3
LEAST_LETTERS = 4
LONGER_TERM = 1.6
LEAST_USES, WORDS_A_USE = 2, 300
USED_OFTEN = 2  # sentences
_NO_NOUN = {
    "en": ("ly", "ing"),
    "fr": ("er",),
    "es": ("ar", "er", "ir", "mente", "ndo", "ado", "ada"),
    "it": ("are", "ere", "ire", "mente", "ando", "endo", "ato", "ata"),
    "pt": ("ar", "er", "ir", "mente", "ndo", "ado", "ada"),
}
_MARKS = re.compile(r"[,;:.!?()\[\]“”„«»\"/–—|=$\\{}<>]+")


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of some sentences.

    Args:
        counts: key of a term → in how many sentences it stands.
        forms: key of a term → the form in which the text writes it most often.
    """

    code: str
    counts: Counter[str]
    forms: dict[str, str]

    @classmethod
    def of(cls, sentences: Sequence[str], code: str) -> Self:
        """The terms of sentences in the language `code`."""
        forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for phrase in noun_phrases(sentence, code):
                forms[_key(phrase, code)][phrase] += 1
        generic = {stem(word, code) for word in language(code).words.generic}
        said = {word for sentence in sentences for word in words_of(sentence)}
        small = {word for sentence in sentences for word in WORD.findall(sentence) if word.islower()}
        proper = {word for sentence in sentences for word in WORD.findall(sentence)[1:] if word[0].isupper()}
        shown = {
            key: _usual_form(seen, proper, code)
            for key, seen in forms.items()
            if key not in generic
            and max(map(len, key.split())) >= LEAST_LETTERS
            and not (code == "en" and key.endswith("er") and key.removesuffix("er") in said)  # a comparative
            and not (code == "de" and any(phrase.lower() in small for phrase in seen))  # no noun: at a sentence's start
        }
        uses = Counter(key for sentence in sentences for key in keys_in(sentence, code) if key in shown)
        return cls(code, uses, shown)

    def has(self, term: str) -> bool:
        """Whether the text uses a term as a noun."""
        return _key(term, self.code) in self.forms

    def ranked(self, text: str, *, besides: Sequence[str] = ()) -> list[str]:
        """Forms of the terms that a text uses often, those that are most its own first, none sharing a word."""
        every = Counter(key for key in _all_keys(text, self.code) if key in self.forms)
        least = LEAST_USES + len(text.split()) // WORDS_A_USE
        counts = {key: count for key, count in every.items() if count >= least}
        taken = {word for phrase in besides for word in _key(phrase, self.code).split()}

        def weight(key: str) -> float:
            longer = LONGER_TERM if " " in key else 1.0
            return longer * counts[key] * counts[key] / max(self.counts[key], counts[key], 1)

        found: list[str] = []
        for key in sorted(counts, key=lambda key: (-weight(key), key)):
            if not taken & set(key.split()):
                found.append(self.forms[key])
                taken |= set(key.split())
        return found


def known_terms(headings: Sequence[str], sentences: Sequence[str], code: str) -> frozenset[str]:
    """Keys of the terms that headings name, as a whole or by a word, or that several sentences use."""
    named = {key for heading in headings for key in keys_in(heading, code)}
    stopwords = {stem(word, code) for word in language(code).stopwords}
    used = Terms.of(sentences, code).counts
    return frozenset(named - stopwords) | {key for key, count in used.items() if count >= USED_OFTEN}


@lru_cache(maxsize=8_192)
def keys_in(text: str, code: str) -> frozenset[str]:
    """The keys of all runs of up to three words of a text."""
    return frozenset(_all_keys(text, code))


def noun_phrases(sentence: str, code: str) -> list[str]:
    """Runs of one to three words between a determiner or preposition and the next little word or mark."""
    given = language(code)
    found = []
    for clause_at, clause in enumerate(_MARKS.split(sentence)):
        run: list[str] = []
        introduced = False
        for at, word in enumerate([*WORD.findall(clause), ""]):
            bare = without_elision(word).casefold()
            if bare and bare not in given.stopwords and not bare[0].isdigit():
                # A German noun shows itself by its capital, except where the sentence begins with one.
                elided = without_elision(word) != word
                introduced = introduced or (not run and elided) or (code == "de" and clause_at + at > 0)
                run.append(without_elision(word))
                continue
            found += _content_run(run, introduced, code)
            run, introduced = [], bare in given.words.determiners
    return found


def _content_run(run: Sequence[str], introduced: bool, code: str) -> list[str]:
    if not run or not introduced:
        return []
    if code == "de":
        return [word for word in run if word[0].isupper() and len(word) > 2]
    last = run[-1]
    if (
        len(run) > MAX_TERM_WORDS
        or len(last) < 3
        or last.endswith(("’s", "'s"))
        or last.casefold().endswith(_NO_NOUN.get(code, ()))
    ):
        return []
    return [" ".join(run)]


def _all_keys(text: str, code: str) -> list[str]:
    stems = [stem(word, code) for word in words_of(text)]
    sizes = range(1, MAX_TERM_WORDS + 1)
    return [" ".join(stems[at : at + size]) for size in sizes for at in range(len(stems) - size + 1)]


def _key(phrase: str, code: str) -> str:
    return " ".join(stem(word, code) for word in words_of(phrase))


def _usual_form(forms: Counter[str], proper: set[str], code: str) -> str:
    """The most frequent way of writing it, in small letters unless it is a name or an abbreviation."""
    usual = forms.most_common(1)[0][0]
    named = code == "de" or usual[1:] != usual[1:].lower() or any(word in proper for word in usual.split())
    return usual if named else usual.lower()

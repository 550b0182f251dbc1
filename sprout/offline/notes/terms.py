"""Key terms of a text: noun phrases found by the function words around them, weighted by their position."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.parser import WORD, words_of

MAX_TERM_WORDS = 3
DEFINED_USES = 2
_NO_NOUN = {"en": ("ly", "ing"), "fr": ("er",)}
_MARKS = re.compile(r"[,;:.!?()\[\]“”„«»\"/–—]+")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The terms of a whole text.

    Args:
        display_forms: key of a term → the form in which the text writes it most often.
        weight: key of a term → how much it matters, > 0.
        marked: keys of terms in bold.
        named: keys of terms that the text marks, puts in a heading, or defines and uses again.
        articles: key of a term → the articles that it was seen with; "" where it stood bare.
        proper: words that are written with a capital in the middle of a sentence.
    """

    language: str
    display_forms: Mapping[str, str]
    weight: Mapping[str, float]
    marked: frozenset[str]
    named: frozenset[str]
    articles: Mapping[str, frozenset[str]]
    proper: frozenset[str]

    def in_text(self, text: str) -> list[str]:
        """Keys of the terms that stand in a text, weightiest first."""
        here = stems_of(text, self.language)
        found = {key for key in here if key in self.weight}
        for size in range(2, MAX_TERM_WORDS + 1):
            found |= {
                key for at in range(len(here) - size + 1) if (key := " ".join(here[at : at + size])) in self.weight
            }
        return sorted(found, key=lambda key: (-self.weight[key], key))

    def key_of(self, phrase: str) -> str:
        """The key of the term that a phrase is, its determiners taken off; empty if it is none."""
        words = words_of(phrase)
        while words and words[0] in words_in(self.language).words.determiners:
            words = words[1:]
        key = " ".join(stem(word, self.language) for word in words)
        return key if key in self.weight else ""


def build_lexicon(
    sentences: Sequence[str], language: str, *, marked: Iterable[str] = (), headings: Iterable[str] = ()
) -> Lexicon:
    """The terms of these sentences. `marked` are terms in bold, `headings` the titles above them."""
    marked = list(marked)
    seen: Counter[str] = Counter()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for phrase in noun_phrases(sentence, language):
            key = _key(phrase, language)
            seen[key] += 1
            forms[key][phrase] += 1
    generic = {stem(word, language) for word in words_in(language).words.generic}
    weight = {
        key: _weight(key, count) for key, count in seen.items() if (count >= 2 or " " not in key) and key not in generic
    }
    named: set[str] = set()
    for phrases_, bonus in ((marked, 4.0), (_defined(sentences, language), 3.0), (_parts(headings, language), 2.5)):
        for phrase in phrases_:
            key = _key(phrase, language)
            if key and len(key.split()) <= MAX_TERM_WORDS and not _is_all_stopwords(phrase, language):
                weight[key] = weight.get(key, 0.0) + bonus
                forms[key][phrase] += 1
                named.add(key)
    proper = frozenset(word for sentence in sentences for word in WORD.findall(sentence)[1:] if word[0].isupper())
    return Lexicon(
        language,
        {key: _usual_form(forms[key], proper, language) for key in weight},
        weight,
        frozenset(key for phrase in marked if (key := _key(phrase, language)) in weight),
        frozenset(named),
        _articles(sentences, weight, language),
        proper,
    )


def noun_phrases(sentence: str, language: str) -> list[str]:
    """Runs of one to three words between a determiner or preposition and the next little word or mark."""
    found = []
    for clause_at, clause in enumerate(_MARKS.split(sentence)):
        run: list[str] = []
        introduced = False
        for at, word in enumerate([*WORD.findall(clause), ""]):
            bare = words_of(word)[0] if word else ""
            if bare and bare not in words_in(language).stopwords and not bare[0].isdigit():
                # A German noun shows itself by its capital, except where the sentence begins with one.
                introduced = introduced or (not run and _elided(word)) or (language == "de" and clause_at + at > 0)
                run.append(_without_elision(word))
                continue
            found += _content_run(run, introduced, language)
            run, introduced = [], bare in words_in(language).words.determiners
    return found


@lru_cache(maxsize=8_192)
def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Words without the endings that plurals and cases add."""
    return tuple(stem(word, language) for word in words_of(text))


def stem(word: str, language: str) -> str:
    """A light stem: enough to join singular and plural, never meant to be shown.

    Not one of snowballstemmer: its stems cross word classes, and would make one term of two concepts, such as relation
    and relativity, or product and production.
    """
    if language == "de":
        for ending in ("ern", "en", "er", "es", "e", "n", "s"):
            if word.endswith(ending) and len(word) - len(ending) >= 4:
                return word[: -len(ending)]
        return word
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _content_run(run: Sequence[str], introduced: bool, language: str) -> list[str]:
    if not run or not introduced:
        return []
    if language == "de":
        return [word for word in run if word[0].isupper() and len(word) > 2]
    last = run[-1]
    if len(run) > MAX_TERM_WORDS or len(last) < 3 or last.casefold().endswith(_NO_NOUN.get(language, ())):
        return []
    phrase = " ".join(run)
    return [phrase]


def _uses(phrase: str, sentences: Sequence[str], language: str) -> int:
    key = _key(phrase, language)
    return sum(f" {key} " in f" {' '.join(stems_of(sentence, language))} " for sentence in sentences)


def _key(phrase: str, language: str) -> str:
    return " ".join(stems_of(phrase, language))


def _weight(key: str, count: int) -> float:
    return count * (1.0 if " " not in key else 1.6) * (1.0 if len(key) > 3 else 0.5)


def _defined(sentences: Sequence[str], language: str) -> list[str]:
    """Terms that the sentences define, without determiners: “a …”, a thing that is used again, or “called the …”."""
    given = words_in(language)
    found = []
    for sentence in sentences:
        called = given.patterns.called.match(sentence.strip(" ."))
        if match := called or given.patterns.definition.match(sentence.strip(" .")):
            begins = (words_of(match["subject"]) or [""])[0]
            phrase = " ".join(w for w in WORD.findall(match["subject"]) if words_of(w)[0] not in given.stopwords)
            sure = begins in (given.words.articles if called else given.words.indefinite)
            used_again = not called and _uses(phrase, sentences, language) >= DEFINED_USES
            if 1 <= len(phrase.split()) <= MAX_TERM_WORDS and (sure or used_again):
                found.append(phrase)
    return found


def _articles(sentences: Sequence[str], weight: Mapping[str, float], language: str) -> dict[str, frozenset[str]]:
    """For each term the articles right before it; "" where it opens a sentence or follows another little word."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    known, little = words_in(language).words.articles, words_in(language).stopwords
    for sentence in sentences:
        bare = ["", *words_of(sentence)]
        stems = [stem(word, language) for word in bare]
        for at in range(1, len(bare)):
            for size in range(1, MAX_TERM_WORDS + 1):
                key, before = " ".join(stems[at : at + size]), bare[at - 1]
                if key in weight and (before in known or not before or before in little):
                    found[key].add(before if before in known else "")
    return {key: frozenset(seen) for key, seen in found.items()}


def _parts(headings: Iterable[str], language: str) -> list[str]:
    """The runs of content words in headings: "From cloud to rain" gives "cloud" and "rain"."""
    found = []
    for heading in headings:
        run: list[str] = []
        for word in [*WORD.findall(heading), ""]:
            if word and words_of(word)[0] not in words_in(language).stopwords and not word[0].isdigit():
                run.append(_without_elision(word))
                continue
            found += [" ".join(run)] if 1 <= len(run) <= MAX_TERM_WORDS else []
            run = []
    return found


def _is_all_stopwords(phrase: str, language: str) -> bool:
    return all(word in words_in(language).stopwords or word[0].isdigit() for word in words_of(phrase))


def _usual_form(forms: Counter[str], proper: frozenset[str], language: str) -> str:
    """The most frequent way of writing it, in small letters unless it is a name or an abbreviation."""
    usual = forms.most_common(1)[0][0]
    named = language == "de" or usual[1:] != usual[1:].lower() or any(word in proper for word in usual.split())
    return usual if named else usual.lower()


def _elided(word: str) -> bool:
    return _without_elision(word) != word


def _without_elision(word: str) -> str:
    return word[len(word) - len(words_of(word)[0]) :]

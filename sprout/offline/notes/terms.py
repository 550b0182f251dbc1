"""Terms of a text: the nouns that it uses often, and the terms that it speaks of elsewhere too."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sprout.learning.structure.words import phrases, role_words
from sprout.learning.text.language import frequent_words
from sprout.offline.notes.language import language
from sprout.offline.notes.words import WORD, stem, without_elision, words_of

MOST_TERM_WORDS = 3
LEAST_LETTERS = 4
LEAST_USES, WORDS_A_USE = 2, 300
TELLING = 0.5  # of all uses of a term, from which on it names the text that it stands in
USED_OFTEN = 2  # sentences
OPENING = 20  # times that the word counts which a text opens with
LONG_WORD = 5  # letters
FEW_DETERMINERS = 0.02  # of all words, below which a text is in another language
PHRASE_SHARE = 0.6  # of a noun's uses, from which on another word belongs to it
_JOINING = frozenset(("of", "de", "del", "du", "di", "da", "do"))
_NAME = re.compile(r"(?<=[^\W\d_A-ZÀ-Ž] )([A-ZÀ-ŽА-ЯЁІЇЄҐЎ][^\W\d_]{4,})")  # a capital within a sentence
_MARKS = re.compile(r"[,;:.!?()\[\]“”„«»\"/–—|=$\\{}<>\n]+")


def key_terms(texts: Sequence[str], code: str, *, telling: Sequence[str]) -> list[tuple[str, ...]]:
    """Of each text the nouns that it uses often, more than all the others do, the ones that are most its own first.

    Args:
        telling: of each text its first sentence, and the terms that it defines; these count more, and most of all what
            the sentence opens with.
    """
    if not is_in_language("\n".join(texts), code):
        return _frequent_words(texts)
    counts = [Counter(stem(word, code) for word in words_of(text)) for text in texts]
    total = sum(counts, Counter[str]())
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for noun in _nouns(text, code):
            forms[stem(noun.casefold(), code)][noun] += 1
    found = []
    for text, count, said in zip(texts, counts, telling, strict=True):
        told, opening = {stem(word, code) for word in words_of(said)}, _opening_word(said, code)
        if code != "en" and stem(opening.casefold(), code) not in forms:
            opening = ""  # nouns have articles there, and what has none is a verb or "first"
        if opening:
            forms[stem(opening.casefold(), code)][opening] += 1
        weights = {key: OPENING if key == stem(opening.casefold(), code) else 1 + (key in told) for key in forms}
        least = LEAST_USES + count.total() // WORDS_A_USE
        often = [key for key in forms if count[key] >= least and count[key] > TELLING * total[key]]
        often.sort(key=lambda key: (-count[key] * count[key] / total[key] * weights[key], key))
        nouns = [forms[key].most_common(1)[0][0] for key in often] or [opening] * bool(opening)
        found.append(tuple(_phrase(noun, text, code) for noun in nouns))
    return found


def is_in_language(text: str, code: str) -> bool:
    """Whether a text has the little words of the language; else the forms of its nouns are unknown."""
    words = words_of(text)
    return sum(word in language(code).words.determiners for word in words) >= FEW_DETERMINERS * len(words)


def _frequent_words(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The same for texts in a language whose determiners are unknown: of each the long words that it uses often, more
    than all the others do, names before others, in the shortest form, which inflection most often leaves alone."""
    frequent = frequent_words()
    words = [
        [word for word in WORD.findall(text) if len(word) >= LONG_WORD and word.casefold() not in frequent]
        for text in texts
    ]
    names = {_root(name) for text in texts for name in _NAME.findall(text)}
    counts = [Counter(map(_root, each)) for each in words]
    total = sum(counts, Counter[str]())
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for word in WORD.findall("\n".join(texts)):
        forms[_root(word)].add(word)
    found = []
    for count in counts:
        often = [key for key, uses in count.items() if uses > LEAST_USES and uses > TELLING * total[key]]
        often.sort(key=lambda key: (key not in names, -count[key] * count[key] / total[key], key))
        found.append(tuple(min(forms[key], key=lambda form: (len(form), form)) for key in often))
    return found


def _root(word: str) -> str:
    """Beginning of a word that inflection leaves alone, roughly: two thirds of it."""
    return word.casefold()[: max(LONG_WORD - 1, 2 * len(word) // 3)]


def known_terms(headings: Sequence[str], sentences: Sequence[str], code: str) -> frozenset[str]:
    """Keys of the terms that headings name, as a whole or by a word, or that several sentences use within them."""
    named = {key for heading in headings for key in keys_in(heading, code)}
    uses = Counter(key for sentence in sentences for key in keys_in(sentence.partition(" ")[2], code))
    stopwords = {stem(word, code) for word in language(code).stopwords}
    return frozenset(named | {key for key, count in uses.items() if count >= USED_OFTEN}) - stopwords


@lru_cache(maxsize=8_192)
def keys_in(text: str, code: str) -> frozenset[str]:
    """The keys of all runs of up to three words of a text."""
    stems = [stem(word, code) for word in words_of(text)]
    sizes = range(1, MOST_TERM_WORDS + 1)
    return frozenset(" ".join(stems[at : at + size]) for size in sizes for at in range(len(stems) - size + 1))


def _opening_word(sentence: str, code: str) -> str:
    """The word that a sentence is about by its place: the first that is no determiner; empty for a little word."""
    given = language(code)
    first = next(
        (
            word
            for word in map(without_elision, WORD.findall(sentence))
            if word.casefold() not in given.words.determiners
        ),
        "",
    )
    taken = given.stopwords | given.words.generic | phrases(role_words()["lines"]["demands"])
    return first if _is_long(first) and first[0].isalpha() and first.casefold() not in taken else ""


def _phrase(noun: str, text: str, code: str) -> str:
    """The noun with the word beside it that it mostly stands with: "black hole", "ciclo di Calvin"."""
    key, uses, phrases = stem(noun.casefold(), code), 0, Counter[str]()
    for clause in _MARKS.split(text):
        words = [without_elision(word) for word in WORD.findall(clause)]
        plain = [False, *(word.casefold() not in language(code).stopwords for word in words), False, False]
        for at in (at for at, word in enumerate(words) if stem(word.casefold(), code) == key):
            joined = plain[at + 3] and words[at + 1].casefold() in _JOINING
            before, after = plain[at] and code == "en", 2 * joined or plain[at + 2] * (code != "de")
            uses += 1
            phrases.update(" ".join(words[start:end]) for start, end in {(at - before, at + 1), (at, at + 1 + after)})
    often = [phrase for phrase, count in phrases.items() if " " in phrase and count >= max(2, PHRASE_SHARE * uses)]
    return max(often, key=len, default=noun)


def _nouns(text: str, code: str) -> Iterator[str]:
    """The words between a determiner and a little word or a mark; in German those with a capital within a clause."""
    given = language(code)
    for clause in _MARKS.split(text):
        words = [without_elision(word) for word in WORD.findall(clause)]
        for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
            if code == "de":
                is_noun = before and word[0].isupper()
            else:
                ends = not after or after.casefold() in given.stopwords
                is_noun = before.casefold() in given.words.determiners and ends and word[0].isalpha()
            if is_noun and _is_long(word) and word.casefold() not in given.stopwords | given.words.generic:
                yield word


def _is_long(word: str) -> bool:
    return sum(map(str.isalpha, word)) >= LEAST_LETTERS

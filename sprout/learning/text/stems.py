"""Content words of a sentence, cut to stems that inflection leaves alone (English and German).

Not snowballstemmer, which was measured. It has one stemmer for each language, and the language of a text is not known
here. Its English stemmer followed by its German one lets a leak pass that is found now (a criterion of which one word
alone is new), sets German verb forms apart that are joined now (kondensiert, kondensieren), joins others that mark
different answers (experiment, experience), and takes about ten times as long a word, in a filter on the stream.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from sprout.learning.text.confusables import plain

_STOP_WORDS = frozenset(
    """
    a an the this that these those there here it its he she they them their his her i you we me us my your our who whom
    which what when where why how is are was were be been being am do does did done has have had having will would can
    could shall should may might must not no nor and or but if then else so because since as at by for from in into of
    off on onto out over per to up with without about above after again all also any back before below between both
    down during each few more most much many other own same some such than through too under until very while just
    only even ever never always often still yet however one ones thing things something way ways make makes made get
    gets got go goes let lets say says said mean means name names names state states explain explains give gives show
    shows use uses used like word answer question
    der die das den dem des ein eine einen einem einer eines und oder aber wenn dann weil da als wie so es er sie ihr
    ihm ihn wir ich du man mein dein sein seine seinen unser euer ist sind war waren wird werden wurde wurden hat haben
    hatte kann konnen muss mussen soll sollen darf nicht kein keine keinen auch nur noch schon sehr mehr im am an auf
    aus bei bis durch fur gegen in ins mit nach ohne seit um unter uber von vor zu zum zur zwischen was wer wo warum
    welche welcher welches dieser diese dieses jeder jede jedes etwas alle alles hier dort nennt sagt erklart
    """.split()
)
_ENDINGS = ("ungen", "ingly", "ation", "ings", "ness", "ment", "ung", "ing", "ies", "ied", "est", "ten", "ern", "ers")
_SHORT_ENDINGS = ("ed", "es", "er", "en", "em", "ly", "te", "s", "e", "t", "n", "y")
_UMLAUT = re.compile("([aou])e")  # umlauts written as two letters; plain text has no other ones
SHORTEST_STEM = 4
LONGEST_STEM = 9
SHORTEST_ALIKE, MOST_LEFT_OVER = 5, 3  # letters


@lru_cache(maxsize=4096)  # the words of one lesson come again with each sentence of it
def stem(word: str) -> str:
    """The part of a plain word that inflection leaves alone, roughly: one stem for "absorb", "absorbs", "absorbed"."""
    word = _UMLAUT.sub(r"\1", word)
    for endings in (_ENDINGS, _SHORT_ENDINGS):
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
                word = word.removesuffix(ending)
                break
    return word[:LONGEST_STEM]


def same_stem(one: str, other: str) -> bool:
    """Whether two stems are of one word, of which inflection may have left more in one: "retur", "return"."""
    short, long = sorted((one, other), key=len)
    is_begun = len(short) >= SHORTEST_ALIKE and len(long) - len(short) <= MOST_LEFT_OVER and long.startswith(short)
    return one == other or is_begun


def shared_stems(asked: Iterable[str], place: Iterable[str]) -> int:
    """Number of the stems that the place has, too; inflection leaves more or less of one: "retur", "return"."""
    there = frozenset(place)
    return sum(any(same_stem(one, other) for other in there) for one in asked)


def content_words(text: str) -> list[str]:
    """The words of the text that carry meaning, in order, plain; numbers are not among them."""
    return [word for word in plain(text).split() if len(word) > 2 and word not in _STOP_WORDS and word.isalpha()]


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The stems of all content words of the texts."""
    return frozenset[str]().union(*map(_stems_of, texts))


@lru_cache(maxsize=512)
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))

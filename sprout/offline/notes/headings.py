"""Headings as names: which of them name a subject, and which say nothing by themselves."""

import re
from functools import lru_cache

from sprout.learning.structure.words import chapter_pattern
from sprout.offline.notes.language import CODES, empty_titles, language

MOST_WORDS, LONGEST = 14, 140  # words and characters
_SPOKEN = re.compile(r"[^\W\d_₀-₉⁰-⁹]{3}|[A-Z]{2}|[\u3040-\u9fff]{2}")  # else a formula or a number
_FORMULA = re.compile(r"\$[^$\n]{1,200}\$")
_BEGINS = re.compile(r"[\w\"'“„«‘(\[¿¡$.§]")
_SENTENCE = re.compile(
    r"^(?!(?:the|an?|d[aeimnrs]{1,2}|la|les?|el|l[oa]s|il|gli|os?|as?) )[a-zà-ÿ](?:\S* ){5}|"
    r"^(?i:there (?:is|are|was|were)|this is|these are) |"
    r"^I (?:am|was|have|had|can|do|may|will|go|like) |[₀-₉].*[+→⇌=]|[+→⇌=].*[₀-₉]|"
    r"[^\W\d_]{5}[.!?] +[^\W\d_]|\w[?!]\w|^[a-zà-ÿ].*[.?!;,]$|(?:\S+ ){4}.*[^\W\d_]{3}[.;,]$|[{}]|://|www\.|"
    r"[^\W\d_],(?=[^\W\d_]).*[^\W\d_],[^\W\d_]|\.\.\.\w|\w(?:\.\.\.|…)$|\.{4}|"
    r"(?:\b[A-Z]{2,} \w*\d\w* ){2}|\d{6}|\d{2}[^\W\d_]{3,}\d{2}|[←∼]|\w=\w+\(|"  # what a machine reads
    r"\w\.(?:html?|md|txt|rst|tex|pdf|docx?|pptx?|png|jpe?g)$|"
    r"^(?!(?i:what|where|who|how|why|when|which)\b).* "
    r"(?:(?:are|is|were|was|includes?)(?: \w+ed)?|we (?:get|have|obtain|find|see))$|"
    r": ?[-–−]?\d+[.,]\d+$|=\s?[\d ]+$|\b(?i:this|that|these|those)\?$|"
    r"[。；;]\s*$|[。；].*[\u4e00-\u9fff]|[\u4e00-\u9fff]{6}，.*[\u4e00-\u9fff]{6}|"
    r"[\u4e00-\u9fff]为$|^(?:[是因]|已知|试[证求说]|设有|求证|联立|如图|所以|由.{1,12}[得见知]|当.*时)"
)
NUMBERED = re.compile(
    r"(?P<kind>(?:[^\W\d_]+[.:]? ){1,3}(?=\d)|(?:[^\W\d_]{4,}|[A-Z]{2,3})(?=\d)|(?:[^\W\d_]+\.? ){0,2}(?=[IVXLC]))"
    r"(?P<number>\d{1,4}(?:\.\d{1,2}){0,2}(?:\s?[&–-]\s?\d{1,3})?[a-z]?(?:,? [^\W\d_]+\.? \d{1,3})?|"
    r"[IVXLC]{1,8})[.:)]?|"
    r"(?P<date>\d{1,2}[/.]\d{1,2}[/.]\d{2}(?!\d)|"
    r"(?=.*\d{1,2}(?:st|nd|rd|th)?[.,/-]? ?(?:\w+ )?(?:19|20)\d\d\b|(?:19|20)\d\d-\d)(?:\S+ ){0,4}\S+)"
)
_CASES = (
    r"(?:example|exercise|solution|proof|beispiel|aufgabe|übung|lösung|beweis|exemple|exercice|démonstration|preuve|"
    r"ejemplo|ejercicio|solución|demostración|esempio|esercizio|soluzione|dimostrazione|exemplo|exercício|solução|"
    r"demonstração)"
)
_SINGLE_CASE = re.compile(rf"(?i){_CASES}s?\s*(?:\d|[:：])")
_CASE_ALONE = re.compile(rf"(?i){_CASES}s?(?: problems?)?\W*")
_OF_A_CASE = re.compile(
    r"(?i)(?:an? |un |una |une |um |ein )?(?:examples?|exemples?|beispiele?|ejemplos?|esempio|esempi|exemplos?) (?!\d)|"
    r"[^:]* examples?(?: \d+)?$|(?:\w+ )?notes (?:from|for) .*|"
    r"(?:q\W+)?(?:very )?(?:short|long)[ -]answer(?: type)? questions?"
)
_ALSO_NOUNS = frozenset(("son", "ton"))  # "du son" is no "son …"
_NEXT_SENTENCE = re.compile(r"(?<=[^\W\d_]{4})\. +(?=[^\W\d_a-zà-ÿа-я])")
_LETTERS = re.compile(r"[^\W\d_]+")
_OF_AN_ALPHABET = re.compile(r"[A-ZÀ-Ž]\s?[-–—]\s?[A-ZÀ-Ž][a-zà-ž]{0,2}")  # "A–D", in Hungarian "L–Ny"


def names_subject(heading: str) -> bool:
    """Whether a heading has the form of a name: no formula, no sentence, no single case such as "Example 3"."""
    heading = _FORMULA.sub("$", heading)
    short = len(heading.split()) <= MOST_WORDS and len(heading) <= LONGEST
    named = bool(_BEGINS.match(heading) and _SPOKEN.search(heading) and not _SENTENCE.search(heading))
    before, last = ["", "", *heading.casefold().split()][-2:]
    cut = last in _introducing_words() and not (last in _ALSO_NOUNS and before in _introducing_words())
    cut = cut or heading.count("(") > heading.count(")")
    return short and named and not (cut or _SINGLE_CASE.match(heading))


def name_in(heading: str) -> str:
    """The heading as a name, or its first sentence where that is one: "Structure of the bone. Its cells."; else
    empty."""
    first = _NEXT_SENTENCE.split(heading, maxsplit=1)[0]
    if names_subject(heading):
        return heading
    return first if " " in first and names_subject(first) else ""


def belongs_above(heading: str) -> bool:
    """Test for a heading whose text continues the section before it: a proof alone, a sentence, a formula."""
    return bool(_CASE_ALONE.fullmatch(heading)) or not (name_in(heading) or NUMBERED.fullmatch(heading))


@lru_cache
def _introducing_words() -> frozenset[str]:
    """Words of any language that something has to follow; of two letters at least, as in "Vitamin A"."""
    words = {word for code in CODES for word in language(code).words.determiners if len(word) > 1}
    return frozenset(
        words | {*"then and or of to that assuming including using dass dann und oder von alors et ou entonces".split()}
    )


@lru_cache(maxsize=4_096)
def says_nothing(title: str) -> bool:
    """Whether a title names no subject by itself, in any language: "Overview", "What is it?", "Example of a case"."""
    if _OF_A_CASE.match(title) or _OF_AN_ALPHABET.fullmatch(title):
        return True
    words = {*_LETTERS.findall(title.casefold())} - empty_titles()
    return title.casefold().rstrip(":") in empty_titles() or any(words <= _little_words(code) for code in CODES)


def tells(title: str) -> bool:
    """Whether a title says something by itself: neither "Overview" nor a chapter's number alone."""
    return not says_nothing(title) and not chapter_pattern().fullmatch(title)


@lru_cache
def _little_words(code: str) -> frozenset[str]:
    return language(code).stopwords | language(code).words.vague_starts

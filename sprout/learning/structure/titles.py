"""Honest titles: headings without numbering, markup, permalinks and needless capitals."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Section, iter_sections
from sprout.learning.structure.words import caption_pattern, chapter_pattern
from sprout.learning.text.normalization import folded

LONGEST_TITLE = 300  # characters; a longer line is no title, and is left as it is
LONGEST_KEY = 80  # characters: passages keep but the first 120 of a heading, with its number

_TAIL = re.compile(
    r"\s*(?:\{[#.:][^{}]{0,200}\}|[¶🔗]|\[[#¶]?\]\([^)\s]{0,200}\)|\[(?:edit|bearbeiten|modifier|editar|modifica)[^\[\]]{0,40}\]|(?<=\s)#+|(?<=\s)#[^\W\d_][\w/-]{0,60}|!{2,}|(?<=\?)\?+)\s*$"
)
_MARKUP = (
    (re.compile(r"^[\[(](\**[^\[\]()]{1,300})[\])]$"), r"\1"),
    (re.compile(r"(?<!\w)(\*{1,3}|_{1,3})(?=\S)([^*\n]{1,300}?)\s*\1(?!\w)"), r"\2"),
    (re.compile(r"`([^`\n]{1,300})`"), r"\1"),
    (re.compile(r"!?\[([^\]\n]{1,300})\]\([^)\s]{0,500}\)"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>]{0,300}>"), ""),
)
_NUMBER = re.compile(
    r"\s*(?:§+\s*)?(?:(?:[A-H]|\d{1,3})(?:\.\d{1,3}){1,5}[.):]?|\d{1,3}[.):/](?:\s+[A-Ha-h][.)])?|\d{1,2}\s[·•|]|"
    r"§+\s*\d{1,4}[a-z]?[.):]?)\s+(?=\S)|"
    r"\d{1,3}(?:\.\d{1,3}){0,5}(?:\.-|：)\s*(?=[^\W\d_])|"
    r"(?:\((?:[a-h]|\d{1,2}(?:[A-Ha-h][IVXivx]{0,4})?|[ivx]{1,4})\)\s*|(?:[a-h]|[ivx]{1,4})\)\s+)(?=[^\W\d_])|"
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})[、．]\s*(?=\S)|[（(][一二三四五六七八九十]{1,3}[)）]\s*(?=\S)|"
    r"\[[A-Z]{2,5}[ -]?\d{1,4}[A-Z]?\]\s+(?=[^\W\d_])|"  # the code of a course
    r"\.\s+(?=\S)|\[\d{1,3}\]\s+(?=[^\W\d_])|[가나다라마바사아자차카타파하]\.\s+(?=\S)|"
    r"\d{1,2}\.(?=[^\W\d_a-zà-ÿ][a-zà-ÿа-яёіїєґ])|"  # "1.Cells"
    r"\d{1,3}(?:\.\d{1,3}){1,5}(?=[^\W\d_a-zà-ÿ][^\W\d_])"  # web pages set it apart by style alone: "3.1The Cell"
)
_PICTURES = re.compile(
    r"^(?:\d\ufe0f?\u20e3)?[\ue000-\uf8ff\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u2bff\U0001f000-\U0001faff\ufe0f\u200d\u20e3\s]+(?=\w|[¿¡«“\"(])"
)
_SIGNPOST = re.compile(r"[\u2600-\u26ff\U0001f300-\U0001faff]")  # no arrow, bullet or tick
_ROMAN = re.compile(r"\s*[IVXІХ]{1,6}(?:[.):]\s+|\s+[-–—]\s+)(?=[^\W\d_a-zà-ÿ]|\d)")
_BARE = re.compile(r"\s*(?:(\d{1,3})|([A-Ha-h])[.)])\s+(?=[^\sa-zà-ÿ])")  # "4 kinds of cells" is no fourth section
_CONTINUED = re.compile(
    r"(?i)(?:\s*\(\d{1,2}(?:(?:/| (?:of|von|sur|de|di|van) )\d{1,2})?\)|"
    r"(?:^|\s+)(?:contd|cont['’]d|cont(?=\.))|(?:^|\s*(?:[(\[–—…-]|\.{3})\s*)(?:continued?|cont['’]?d?|continuation|fortsetzung|"
    r"forts|suite|continuación|continuação|continua|seguito|segue|продолжение))[.…]{0,3}[)\]]?$"
)
_UNNUMBERED = re.compile(
    r"(?i)(?:fig(?:ure)?|table|abb(?:ildung)?|tabelle|tableau|tabla|tabella|tabela)\.?\s*:\s+(?=\S)"
)
_BARE_NUMBER = re.compile(r"^(?:[\d.) §]+(?=[^\W\d_]|\s|$)|[a-h][.)]\s+(?=\S))")  # no day: "11/9"
_GOES_ON = re.compile(r"(?i)^(?:contd|cont['’]d|continued)[.…]*\s+")  # "Module 2 contd.... Cells"
_CLOCK = re.compile(r"\s*\(\d{1,2}[:.]\d\d(?:\s?[ap]m)?\)$", re.IGNORECASE)  # when it was written down
_DRAWN = "#•▪◦‣∙└├│─ "  # marks before a title
MOST_DIGITS = 3  # of a slide's number; a year has four
_FEW_WORDS = 8  # of a title with a full stop behind it
_DATE = re.compile(r"\s*\d{1,2} [^\W\d_]{3,12}\.?,? (?:1\d|20)\d\d(?!\d)")
_AFTER_NUMBER = " \t:.,–—-|)·"
_IN_PARENTHESES = re.compile(r"^\(([^()]*(?:\([^()]*\)[^()]*)*)\)$")  # "Lecture 2 (Planets (of the Sun))"
_FORMULA = re.compile(r"\$[^$\n]{1,500}\$")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SMALL_DIGIT = re.compile(r"[₀-₉⁰-⁹]")  # of a chemical formula, whose capitals mean something
_TURKISH = re.compile("[İŞĞ]")  # where "I" is the capital of "ı"
_MINOR_CAPITALS = 5  # letters up to which a word in capitals alone may be an acronym: DNA, NATO


def clean_title(title: str, *, siblings: Sequence[str] = (), forms: Mapping[str, str] | None = None) -> str:
    """The title without what only orders or marks it: a number, "continued", "Table 3:"; as it is if nothing would be
    left.

    Args:
        siblings: the headings beside it; a bare "2 " or "B. " is numbering only if one of them has the next or the
            last number.
        forms: folded word → its usual form in the text below, from `word_forms`; without it capitals stay.
    """
    if len(title) > LONGEST_TITLE:
        return " ".join(title.split())
    bare = _without_markup(title)
    named = _CONTINUED.sub("", _CLOCK.sub("", _without_numbering(bare, siblings)))
    kept = _without_label(named).strip(" \t:：,–—-") or bare
    kept = kept.rstrip(".") if len(kept.split()) <= _FEW_WORDS and kept.count(".") == 1 else kept
    return _without_capitals(kept, forms) if forms is not None else kept


def without_numbering(title: str) -> str:
    """The title without markup and without the numbering that is plain from itself; empty for "Chapter 4"."""
    if len(title) > LONGEST_TITLE:
        return title
    return _without_numbering(_without_markup(title), ()).strip(" \t:：–—-")


def without_signpost(title: str) -> str:
    """A line without the picture that it begins with, as headings of web pages do: "📌 Cells"; any other as it is."""
    return _PICTURES.sub("", title) if _SIGNPOST.match(title) else title


def heading_key(title: str) -> str:
    """Key by which a heading is found again: what `clean_title` takes off, capitals, also of Turkish, and spaces make
    no difference."""
    bare = folded(clean_title(title)).replace("ı", "i").replace("i\u0307", "i")
    return (_BARE_NUMBER.sub("", bare).strip(" :.") or bare)[:LONGEST_KEY]


def only_continues(title: str) -> bool:
    """Whether a heading says nothing but that the section before it goes on: "Cont."."""
    return _CONTINUED.fullmatch(title) is not None


def word_forms(text: str) -> Mapping[str, str]:
    """Folded word → its most frequent form outside formulas, of those not in capitals alone unless it is mostly so."""
    counts: dict[str, Counter[str]] = {}
    for word, count in Counter(_LETTERS.findall(_FORMULA.sub(" ", text))).items():
        counts.setdefault(word.casefold(), Counter())[word] += count
    forms = {}
    for bare, seen in counts.items():
        mixed = {word: count for word, count in seen.items() if not word.isupper() or len(word) == 1}
        mixed = mixed if 2 * sum(mixed.values()) >= sum(seen.values()) else {}
        forms[bare] = max(mixed or seen, key=lambda word: (seen[word], word))
    return forms


def with_clean_titles(root: Section) -> Section:
    """The document with the honest title of each section."""
    body = "\n".join(text_of(block) for section in iter_sections(root) for block in section.blocks)
    return _cleaned(root, (), word_forms(body))


def _cleaned(section: Section, siblings: Sequence[str], forms: Mapping[str, str]) -> Section:
    below = [each.title for each in section.subsections]
    numbered = 2 * sum(map(_is_bare_number, below)) > len(below)
    subsections: list[Section] = []
    for each in section.subsections:
        its = _cleaned(each, below, forms)
        no_title = _is_bare_number(its.title) and not numbered  # of a slide
        goes_on = subsections and (no_title or only_continues(its.title))
        subsections.append(replace(its, title=subsections[-1].title) if goes_on else its)
    return replace(
        section,
        title=clean_title(section.title, siblings=siblings, forms=forms),
        subsections=tuple(subsections),
    )


def _is_bare_number(title: str) -> bool:
    return title.isdigit() and len(title) <= MOST_DIGITS


def _without_label(title: str) -> str:
    """A caption that was made a heading, without its label: "The cell" of "Table 3-1: The cell"."""
    label = caption_pattern("table").match(title) or caption_pattern("figure").match(title) or _UNNUMBERED.match(title)
    return title[label.end() :].strip() if label else title


def _without_markup(title: str) -> str:
    bare = " ".join(title.split())
    while (tail := _TAIL.search(bare)) and tail.start():
        bare = bare[: tail.start()]
    for pattern, replacement in _MARKUP:
        bare = pattern.sub(replacement, bare)
    return _PICTURES.sub("", bare.lstrip(_DRAWN).strip())


def _without_numbering(title: str, siblings: Sequence[str]) -> str:
    chapter = chapter_pattern().match(title)
    if chapter and (chapter.end() == len(title) or title[chapter.end()] in _AFTER_NUMBER):
        named = _GOES_ON.sub("", title[chapter.end() :].lstrip(_AFTER_NUMBER))
        return _without_numbering(_IN_PARENTHESES.sub(r"\1", named), ())
    for pattern in (_NUMBER, _ROMAN):
        if found := pattern.match(title):
            return title[found.end() :]
    bare = None if _DATE.match(title) else _BARE.match(title)
    if bare and _number_of(title) is not None and any(_are_neighbours(title, each) for each in siblings):
        return _without_numbering(title[bare.end() :], ())  # "3 2. Cells" has a number by hand and by a program
    return title


def _are_neighbours(title: str, other: str) -> bool:
    one, two = _number_of(title), _number_of(_without_markup(other))
    return one is not None and two is not None and abs(one - two) == 1


def _number_of(title: str) -> int | None:
    """The number that opens a title; letters count from 1001, apart from numbers."""
    found = _BARE.match(title)
    if found is None:
        return None
    return int(found[1]) if found[1] else 1001 + ord(found[2].upper()) - ord("A")


def _without_capitals(title: str, forms: Mapping[str, str]) -> str:
    words = _LETTERS.findall(title)
    cased = [word for word in words if word.upper() != word.lower()]
    if not cased or not all(word.isupper() for word in cased) or _SMALL_DIGIT.search(title):
        return title
    if len(cased) == 1 and len(cased[0]) <= _MINOR_CAPITALS and forms.get(cased[0].casefold(), cased[0]).isupper():
        return title
    turkish = bool(_TURKISH.search(title))
    usual = _LETTERS.sub(lambda word: _usual_form(word[0], forms, turkish=turkish), title)
    return usual[:1].upper() + usual[1:]


def _usual_form(word: str, forms: Mapping[str, str], *, turkish: bool) -> str:
    """The word as the text has it; one that the text lacks keeps a capital, as names and German nouns need it."""
    if turkish:
        small = word.replace("I", "ı").replace("İ", "i").lower()
        return forms.get(small.casefold(), word[:1] + small[1:])
    return forms.get(word.casefold(), word if _is_roman(word) else word.capitalize())


@cache
def _is_roman(word: str) -> bool:
    return len(word) <= 5 and not set(word) - set("IVX")

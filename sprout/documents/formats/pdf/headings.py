"""Headings of a document without enough bookmarks: by size, weight and numbering, against its running text."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sprout.documents.formats.pdf.columns import Column
from sprout.documents.formats.pdf.lines import Line
from sprout.documents.formats.pdf.lists import without_dingbat

LARGER, NEARLY_LARGER = 1.1, 1.04
MAX_CHARACTERS, LONG_TITLE = 160, 80
LEAST_CONTENTS = 3  # headings of a page that all come again on later pages
LEAST_WITHOUT_COLON = 3  # headings of a style, from which on one with a colon leads in a list
LINES_BESIDE = 2  # on a slide that opens a part of a talk
MAX_LARGE_LINES, MAX_BOLD_LINES = 4, 2
MAX_SHARE = 0.12
BOLD = 0.9
MAX_LEVEL = 6
GAP_ABOVE = 1.12
SAME_LEADING = 1.45
NUMBERING = re.compile(
    r"(?:(?:[A-Z]|\d{1,2})(?:\.\d{1,3})*\.?|[IVX]{1,5}(?:\.|\s[-–—](?=\s))|§\s?\d+[a-z]?|"
    r"(?:chapter|section|part|lecture|lesson|unit|appendix|kapitel|abschnitt|teil|anhang|chapitre|section|partie|"
    r"annexe|capítulo|sección|parte|unidad|capitolo|sezione|hoofdstuk|deel|розділ|глава)\s+[\dIVXA-Z]+)[.:]?\s",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"://|www\.")
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,3})*\.?\s")
_DEPTH = re.compile(r"(?:[A-Z]|\d{1,2})((?:\.\d{1,3})*)\.?\s")
_ENDS_OTHERWISE = re.compile(r"(?:[,;:]|[^.]\.)$")
_NEXT_SENTENCE = re.compile(r"[^\W\d_]{3}[.!?] [^\W\d_a-zà-ÿ]")
_PARENTHESES = re.compile(r"\([^()]*\)")
_LEADER = re.compile(r"(?:[.·]\s?){4,}")
_OPERATOR = re.compile(r"[=×÷·→↦∑∫√≤≥∈]|[\w₀-₉)] [+−<>] [\w(]|\([^\W\d_]\)")
_NAME = re.compile(r"[^\W\d_]{4}")
_NAMING = re.compile(r"[^\W\d_]{3}|[A-Z]{2}|[\u3040-\u9fff]{2}")  # else a symbol
_PAGE_NUMBER = re.compile(r"\d{1,4}|[ivxlc]+")
NUMBER_GAP = 1.2
MIN_NAMES = 2  # words of four letters in a heading with a formula
CAPTION = re.compile(
    r"(?:figure|fig\.|table|tab\.|listing|algorithm|exhibit|plate|abbildung|abb\.|tabelle|figura|tabla|tabela|tableau|"
    r"tabella|quadro|gráfico|grafik|рис\.|рисунок|таблица|afbeelding)\s*[\dA-Z]+(?:[.\-–][\dA-Z]+)*\s*[.:|–—)]",
    re.IGNORECASE,
)

Style = tuple[float, bool]


@dataclass(frozen=True, slots=True)
class HeadingCandidate:
    """Lines that look like one heading."""

    lines: tuple[Line, ...]
    style: Style

    @property
    def text(self) -> str:
        first, *others = self.lines
        return " ".join(line.text for line in (without_dingbat(first), *others))

    @property
    def depth(self) -> int:
        """The number of dots in its numbering: 1 in 2.3; 0 without one."""
        found = _DEPTH.match(self.text)
        return found[1].count(".") if found else 0


@dataclass(frozen=True, slots=True)
class HeadingLevels:
    """The level of each style of headings, and the least depth of numbering in it."""

    levels: Mapping[Style, int] = field(default_factory=dict)
    least_depth: Mapping[Style, int] = field(default_factory=dict)

    def level_of(self, candidate: HeadingCandidate) -> int:
        """The level from 1 to 6; 0 for what is none."""
        level = self.levels.get(candidate.style, 0)
        if not level:
            return 0
        return min(level + max(candidate.depth - self.least_depth.get(candidate.style, 0), 0), MAX_LEVEL)


def style_of(line: Line) -> Style:
    """The size, to half a point, and whether it is bold."""
    return round(2 * line.size) / 2, line.fonts.bold >= BOLD


def find_candidates(column: Column, body: Style, leading: float) -> list[HeadingCandidate]:
    """Candidates for headings in a column: lines in larger or bold type that stand apart from the running text.

    Args:
        body: the style of the running text; where that is bold, bold type is no mark.
    """
    found: list[HeadingCandidate] = []
    lines, at = column.lines, 0
    while at < len(lines):
        end = at + 1
        if _may_be_heading(lines[at], body):
            while end < len(lines) and _goes_on(lines[end - 1], lines[end], leading):
                end += 1
            if _stands_apart(lines, at, end, body[0], leading):
                found.append(HeadingCandidate(tuple(lines[at:end]), style_of(lines[at])))
        at = end
    return found


def _may_be_heading(line: Line, body: Style) -> bool:
    body_size, is_bold = body
    if line.content is not None or line.fonts.mono > 0.5 or line.fonts.math > 0.5:
        return False
    named = _PARENTHESES.sub("", line.text)  # what stands in them alone labels a picture
    if not _NAMING.search(named) or CAPTION.match(line.text) or _is_formula(line.text) or _ADDRESS.search(line.text):
        return False
    return line.size >= LARGER * body_size + 0.3 or (
        not is_bold and line.fonts.bold >= BOLD and line.size >= 0.93 * body_size
    )


def _is_formula(text: str) -> bool:
    """Whether a line computes something, and names next to nothing; many are set large or bold."""
    return _OPERATOR.search(text) is not None and len(_NAME.findall(text)) < MIN_NAMES


def _goes_on(before: Line, line: Line, leading: float) -> bool:
    close = 0 <= line.base - before.base <= max(SAME_LEADING * before.size, GAP_ABOVE * leading)
    return line.content is None and close and style_of(line) == style_of(before) and not NUMBERING.match(line.text)


def _stands_apart(lines: Sequence[Line], at: int, end: int, body_size: float, leading: float) -> bool:
    text = " ".join(line.text for line in lines[at:end])
    large = lines[at].size >= LARGER * body_size + 0.3
    if len(text) > MAX_CHARACTERS or end - at > (MAX_LARGE_LINES if large else MAX_BOLD_LINES):
        return False
    if _LEADER.search(text) or any(_is_entry_of_contents(line) for line in lines[at:end]):
        return False
    if len(text) > LONG_TITLE and _NEXT_SENTENCE.search(text):
        return False
    if large:
        return not text.endswith((",", ";")) and not (_ENDS_OTHERWISE.search(text) and len(text) > LONG_TITLE)
    numbered = NUMBERING.match(text) is not None
    apart = at == 0 or lines[at].base - lines[at - 1].base > GAP_ABOVE * leading or lines[at - 1].content is not None
    return (apart or lines[at].size > NEARLY_LARGER * body_size) and (numbered or not _ENDS_OTHERWISE.search(text))


def _is_entry_of_contents(line: Line) -> bool:
    """Whether a page number stands apart at its end."""
    if len(line.words) < 2 or not _PAGE_NUMBER.fullmatch(line.words[-1].text):
        return False
    return line.words[-1].x0 - line.words[-2].x1 > NUMBER_GAP * line.size


def without_title_page(candidates: Sequence[HeadingCandidate], pages: int) -> list[HeadingCandidate]:
    """The candidates without authors and places: what is large but not bold, smaller than the title, and only on the
    first of several pages."""
    later = {candidate.style for candidate in candidates if candidate.lines[0].page > 0}
    largest = max((candidate.style for candidate in candidates), default=None)
    return [
        candidate
        for candidate in candidates
        if pages == 1 or candidate.style in later or candidate.style[1] or candidate.style == largest
    ]


def without_contents(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The candidates without those that list a chapter's headings on its first page."""
    last_page = {_key(candidate): candidate.lines[0].page for candidate in candidates}
    returns = [last_page[_key(candidate)] > candidate.lines[0].page for candidate in candidates]
    listed = Counter(one.lines[0].page for one, again in zip(candidates, returns, strict=True) if again)
    return [
        one
        for one, again in zip(candidates, returns, strict=True)
        if not again or listed[one.lines[0].page] < LEAST_CONTENTS
    ]


def without_lead_ins(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The candidates without "3. A synapse consists of:", where others of their style have no colon."""
    without = Counter(one.style for one in candidates if not one.text.endswith(":"))
    return [one for one in candidates if not one.text.endswith(":") or without[one.style] < LEAST_WITHOUT_COLON]


def without_titles_of_figures(
    candidates: Sequence[HeadingCandidate], marked: Collection[Style]
) -> list[HeadingCandidate]:
    """The candidates without the only one of its size, in larger type than others that have a bookmark or a number."""
    uses = Counter(one.style for one in candidates)
    told = {*marked, *(one.style for one in candidates if _NUMBER.match(one.text))}
    least = min(told, default=(math.inf, True))
    return [
        one
        for at, one in enumerate(candidates)
        if not at or uses[one.style] > 1 or one.style in told or one.style[0] <= least[0]
    ]


def _key(candidate: HeadingCandidate) -> str:
    """Equal for a heading and its entry in a list of contents: its letters alone."""
    return "".join(filter(str.isalpha, candidate.text.casefold()))


def rank_styles(
    candidates: Iterable[HeadingCandidate], marked: Mapping[Style, Counter[int]], characters: int
) -> HeadingLevels:
    """The level of each style: by the bookmarks where they lead to it, else by its rank among the sizes.

    Args:
        marked: how often bookmarks of each level lead to lines of a style.
        characters: of the whole document; a style of more than an eighth of them is running text.
    """
    uses: defaultdict[Style, list[HeadingCandidate]] = defaultdict(list)
    for candidate in candidates:
        uses[candidate.style].append(candidate)
    styles = [
        style
        for style, these in uses.items()
        if style in marked or sum(len(one.text) for one in these) <= MAX_SHARE * max(characters, 400)
    ]
    levels: dict[Style, int] = {}
    above = 0
    previous: Style | None = None
    for style in sorted({*styles, *marked}, reverse=True):
        if style in marked:
            level = marked[style].most_common(1)[0][0]
        elif previous is not None and previous not in marked and _nearly(previous, style):
            level = above
        else:
            level = above + 1
        levels[style] = min(level, MAX_LEVEL)
        above, previous = (max(above, level) if marked else level), style
    least = {style: min(one.depth for one in these) for style, these in uses.items()}
    return HeadingLevels(levels, least)


def levels_of_slides(
    levels: Sequence[tuple[HeadingCandidate, int]], lines: Mapping[int, int]
) -> list[tuple[HeadingCandidate, int]]:
    """Levels of the headings of slides, whose sizes follow the room: the topmost of each page is its title. A larger
    title stands above the others only where it is nearly alone on its page.

    Args:
        lines: page → their number on it.
    """
    in_order = sorted((candidate for candidate, _ in levels), key=lambda one: -one.lines[0].top)
    top = {candidate.lines[0].page: candidate for candidate in in_order}
    titles = Counter(level for candidate, level in levels if top[candidate.lines[0].page] is candidate)
    usual = titles.most_common(1)[0][0] if titles else 1
    found = []
    for candidate, level in levels:
        page = candidate.lines[0].page
        if top[page] is not candidate:
            level = max(level, min(usual + 1, MAX_LEVEL))
        elif level > usual or lines[page] > len(candidate.lines) + LINES_BESIDE:
            level = usual
        found.append((candidate, level))
    return found


def _nearly(one: Style, other: Style) -> bool:
    return one[1] == other[1] and abs(one[0] - other[0]) <= 0.05 * one[0]

"""Notes in Markdown or plain text → sections of clean paragraphs of sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sprout.offline.notes.language import meta_sentence_pattern, numbered_heading_pattern, skipped_section_titles

WORD = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_ELISION = re.compile(r"^(?:[ldjnscmt]|qu)['’]", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(```|~~~)")
_ATX = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-{2,})\s*$")
_NUMBERED = re.compile(r"^(\d+(?:\.\d+)*)\.?\s+(\S.*)$")
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\d{1,3}[.)])\s+(.*)$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_INLINE = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[\^?[\w-]{1,12}\](?!\()"), ""),
    (re.compile(r"<?\bhttps?://\S+|\bwww\.\S+"), ""),
    (re.compile(r"</?[a-zA-Z][^<>]*>"), ""),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)([*_])(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"`([^`]+)`"), r"\1"),
    (re.compile(r"\s*\((?:see|cf\.?|siehe|vgl\.?|voir)\b[^()]*\)", re.IGNORECASE), ""),
    (re.compile(r"\s+"), " "),
)
_BOLD = re.compile(r"(?:\*\*|__)(?=\S)(.+?)(?<=\S)(?:\*\*|__)")
_BOILERPLATE = re.compile(
    r"all rights reserved|©|\(c\) \d{4}|^page \d+|^seite \d+|^\W*\d+\W*$|cookie|click here|last updated", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’»“)\]]*\s+|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|e\.g|i\.e|z\. ?b|d\. ?h|u\. ?a|bzw|ca|etc|vs|dr|mr|mrs|ms|prof|st|nr|no|fig|abb|cf|vgl|"
    r"usw|env|jh|v\. ?chr|n\. ?chr|av|apr|p|pp|vol|approx|mme|mlle)\.$",
    re.IGNORECASE,
)
LONGEST_HEADING_WORDS = 10
LEAST_WORDS = 3
LONG_PARAGRAPH = 4
BLOCK_SENTENCES = 4


@dataclass(slots=True)
class Section:
    """A heading and its text up to the next heading. Level 0 is text before any heading."""

    title: str
    level: int
    paragraphs: list[list[str]] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)

    @property
    def sentences(self) -> list[str]:
        return [sentence for paragraph in self.paragraphs for sentence in paragraph]


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, in lower case, without French elisions."""
    return [_ELISION.sub("", word.casefold()) for word in WORD.findall(text)]


def parse_sections(text: str) -> list[Section]:
    """The sections of a document that have something to learn in them, in its order."""
    sections = [Section("", 0)]
    for kind, level, content in _lines_joined(_without_code(text.replace("\r\n", "\n").split("\n"))):
        if kind == "heading":
            sections.append(Section(numbered_heading_pattern().sub("", _clean(content)), level))
            continue
        sections[-1].bold += [_clean(term) for term in _BOLD.findall(content)]
        if paragraph := [each for each in sentences_of(_clean(content)) if _worth_reading(each)]:
            sections[-1].paragraphs += _blocks(paragraph)
    return _without_boilerplate(sections)


def skipped_headings(text: str) -> list[str]:
    """Headings under which the document has nothing that is learned from it: references, code alone, nothing at all."""
    titles = {section.title for section in parse_sections(text) if section.paragraphs}
    lines = [*_lines_joined(_without_code(text.replace("\r\n", "\n").split("\n")))]
    left: list[str] = []
    for at, (kind, level, content) in enumerate(lines):
        title = numbered_heading_pattern().sub("", _clean(content))
        above_another = any(each[0] == "heading" and each[1] > level for each in lines[at + 1 : at + 2])
        if kind == "heading" and title and title not in titles and not above_another:
            left.append(title)
    return list(dict.fromkeys(left))


def sentences_of(text: str) -> list[str]:
    """The sentences of a paragraph; abbreviations and initials do not end one."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        part = part.strip()
        if found and (_ABBREVIATION.search(found[-1]) or part[:1].islower()):
            found[-1] = f"{found[-1]} {part}"
        elif part:
            found.append(part)
    return found


def _blocks(paragraph: list[str]) -> Iterator[list[str]]:
    """A paragraph, or its equal parts where it is too long to be learned at one go."""
    count = 1 if len(paragraph) <= LONG_PARAGRAPH else -(-len(paragraph) // BLOCK_SENTENCES)
    ends = [round(len(paragraph) * part / count) for part in range(count + 1)]
    yield from (paragraph[start:end] for start, end in pairwise(ends))


def _without_code(lines: Sequence[str]) -> Iterator[str]:
    """The lines outside front matter, fenced code and comments."""
    bare = [line.strip() for line in lines]
    start = bare.index("---", 1) + 1 if bare[0] == "---" and "---" in bare[1:40] else 0
    fence = ""
    comment = False
    for line in lines[start:]:
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        elif comment or "<!--" in line:
            comment = "-->" not in line
        elif not fence:
            yield line


def _lines_joined(source: Iterator[str]) -> Iterator[tuple[str, int, str]]:
    """("heading", level, text) and ("text", 0, paragraph), with lists and tables taken apart."""
    lines = [*source, ""]
    waiting: list[str] = []
    header: list[str] = []
    for at, line in enumerate(lines):
        bare, following = line.strip(), lines[at + 1].strip() if at + 1 < len(lines) else ""
        heading = _heading(line, lines[at - 1].strip() if at else "", following, waiting)
        if heading or not bare or _BULLET.match(line) or bare.startswith(("|", ">")):
            if waiting and not (heading and heading[0] < 0):
                yield "text", 0, " ".join(waiting)
            waiting = []
        if heading:
            yield "heading", abs(heading[0]), heading[1]
        elif bullet := _BULLET.match(line):
            waiting = [_with_full_stop(bullet[1]) if not following or _BULLET.match(lines[at + 1]) else bullet[1]]
        elif bare.startswith("|"):
            header, row = _table_row(bare, following, header)
            if row:
                yield "text", 0, row
        elif bare and not _SETEXT.match(line):
            waiting.append(bare.lstrip("> "))
    if waiting:
        yield "text", 0, " ".join(waiting)


def _heading(line: str, before: str, following: str, waiting: Sequence[str]) -> tuple[int, str] | None:
    """Level and title; a negative level where the title is the line before (underlined)."""
    bare = line.strip()
    if atx := _ATX.match(line):
        return len(atx[1]), atx[2]
    if (
        (under := _SETEXT.match(line))
        and len(waiting) == 1
        and before
        and len(words_of(before)) <= LONGEST_HEADING_WORDS
    ):
        return (-1 if under[1].startswith("=") else -2), before
    if not bare or before or following or bare.startswith(("|", ">", "-", "*", "+", "•")) or waiting:
        return None
    alone = bare.strip("*_: ")
    if bare[-1] in ".!?…,;" or not 1 <= len(words_of(alone)) <= 8 or not any(letter.isalpha() for letter in alone):
        return None
    if numbered := _NUMBERED.match(alone):
        return 1 + numbered[1].count("."), numbered[2]
    return (2, alone) if alone[0].isupper() else None


def _table_row(bare: str, following: str, header: list[str]) -> tuple[list[str], str]:
    """The header that holds for the next rows, and this row as a sentence (empty for headers and rules)."""
    if _TABLE_RULE.match(bare):
        return header, ""
    cells = [cell.strip() for cell in bare.strip("|").split("|")]
    if _TABLE_RULE.match(following):
        return cells, ""
    if len(cells) < 2 or not cells[0]:
        return header, ""
    if len(cells) == 2 or len(header) != len(cells):
        return header, _with_full_stop(f"{cells[0]}: {', '.join(cell for cell in cells[1:] if cell)}")
    values = "; ".join(f"{name}: {cell}" for name, cell in zip(header[1:], cells[1:], strict=True) if cell)
    return header, _with_full_stop(f"{cells[0]} – {values}")


def _with_full_stop(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?:…;" else f"{text}."


def _clean(text: str) -> str:
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return text.strip(" *_#\t")


def _worth_reading(sentence: str) -> bool:
    letters = sum(letter.isalpha() or letter.isspace() for letter in sentence)
    unspaced = any("\u3040" <= letter <= "\u9fff" for letter in sentence)
    long_enough = unspaced or len(words_of(sentence)) >= LEAST_WORDS
    wordy = letters > len(sentence) * 0.6
    return (
        long_enough
        and wordy
        and not sentence.endswith(":")
        and not _BOILERPLATE.search(sentence)
        and not meta_sentence_pattern().search(sentence)
    )


def _without_boilerplate(sections: Sequence[Section]) -> list[Section]:
    """Without sections such as references, with everything below them."""
    with_text: list[Section] = []
    skipped_level: int | None = None
    for section in sections:
        if skipped_level is not None and section.level > skipped_level:
            continue
        skipped_level = section.level if section.title.casefold().strip(": ") in skipped_section_titles() else None
        if skipped_level is None and (section.title or section.paragraphs):
            with_text.append(section)
    return with_text

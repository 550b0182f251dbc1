"""Parser's copy of a stored text: other notations rewritten as CommonMark, character for character.

Offsets in the copy are offsets in the text. What has no place in the tree (front matter, attributes in braces, pandoc's
divisions) is overwritten, marks of lists that CommonMark does not know ("•", "a)") become marks that it knows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

FILLER = "\u2060"  # stored texts are free of it, so it can be taken out of the spans again
MAX_FRONT_MATTER_LINES = 60
MAX_LINES_OF_OPTION = 12

_FENCE = re.compile(r"[ \t>]{0,20}(?:[-*+] {1,3})?(`{3,}|~{3,})")
_BULLET = re.compile(r"([ \t]*)[•◦▪▫‣∙·●○■□♦➢➤✓⁃](?=[ \t]+\S)")
_INDENTED_ITEM = re.compile(r"(\t| {4})([ \t]*)([-*+])[ \t]+\S")
_DASH = re.compile(r"([ \t]*)–(?=[ \t]+\S)")
_LETTERED = re.compile(r"([ \t]*)(\(?)([a-hA-H])([.)])(?=[ \t]+\S)")
_DIVISION = re.compile(
    r"[ \t]{0,12}:{3,}[^`\n]{0,200}|[ \t]*:[a-z_]{2,20}:(?:`[^`\n]{0,200}`)?[ \t]*|[ \t]*\{:[^{}\n]{0,200}\}[ \t]*"
)
_ATTRIBUTES = re.compile(
    r"(?<=[\w*_`)\]])\{:[^{}\n]{0,200}\}|"
    r"(?<=[*`)\]])\{(?:[#.]|\w{1,20}=(?:[\"']|\d+(?:%|[a-z]{2})?[ }]))[^{}\n]{0,200}\}?|"
    r"[ \t]\{[#.][^{}\n]{0,200}\}(?=[ \t#]*$)|(?<=\s)\{:[^{}\n]{0,200}\}(?=\s)"
)
_ROLE = r":(?:numref|eqref|ref|cite[a-z]?|doc|label|eqlabel):`[^`\n]{1,200}`"
_CROSS_REFERENCE = re.compile(rf"\({_ROLE}\)|(?<![\w:]){_ROLE}")
_STEP_MARK = re.compile(r"(?:--)?\{\{[\d!|>-][^{}\n]{0,30}\}\}(?:--)?")  # of LiaScript: when a text is shown or spoken
_WIKI_LINK = re.compile(
    r"(?<!!)\[\[(?=\S)(?:[^\[\]|\n]{1,200}\|)?([^\[\]|\n]{1,200})\]\]"
)  # [[page]], [[page|what is read]]
_HTML_HEADING = re.compile(r"[ \t]{0,16}<h([1-6])(?:\s[^<>\n]{0,100})?>([^\n]{1,300}?)</h\1>[ \t]*")
_TAG = re.compile(r"</?[a-z][^<>\n]{0,100}>")
_WORK = re.compile(r"\W{0,5}(START|END) OF TH(?:E|IS) PROJECT GUTENBERG EBOOK\b.*", re.IGNORECASE)
_TEXT_LINE = re.compile(r" {0,3}(?![-*+•#>|=`~!?.:]|\d{1,3}[.)]\s)\S")
_KEY = re.compile(r"[\w .-]{1,60}:(?:\s|$)|[ \t]|#|-|$|\S+$")
_TITLE = re.compile(r"title:\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """The copy, as long as the text, and the title that its front matter gives."""

    text: str
    title: str = ""


def rewrite_source(text: str) -> Source:
    """The parser's copy of a text."""
    lines = text.replace("\r\n", " \n").replace("\r", "\n").replace("\f", " ").split("\n")
    head = _front_matter_length(lines)
    title = next((match[1].strip("\"' \t") for line in lines[:head] if (match := _TITLE.match(line))), "")
    lines[:head] = [" " * len(line) for line in lines[:head]]
    _blank_frame(lines)
    prose = list(prose_lines(lines))
    numbers = _option_numbers(lines, prose)
    dashed = {at for at in prose if _DASH.match(lines[at])}
    for at in prose:
        if at in dashed and (at - 1 in dashed or at + 1 in dashed):  # a dash alone opens a line of dialogue
            lines[at] = _DASH.sub(r"\1-", lines[at], count=1)
        lines[at] = _rewrite_line(lines[at], numbers.get(at))
    _outdent_items(lines, prose)
    return Source("\n".join(lines), title)


def _front_matter_length(lines: list[str]) -> int:
    """Number of lines of a YAML header between two `---` at the very start; 0 without one."""
    if lines[0].rstrip() != "---":
        return 0
    for at, line in enumerate(lines[1:MAX_FRONT_MATTER_LINES], start=2):
        if line.rstrip() in ("---", "..."):
            return at
        if not _KEY.match(line):
            return 0
    return 0


def _blank_frame(lines: list[str]) -> None:
    """Overwrite what Project Gutenberg puts around a work, with the listing that a web page shows it as."""
    marks = [(at, found[1].upper()) for at, line in enumerate(lines) if (found := _WORK.match(line))]
    fences = [at for at, line in enumerate(lines) if marks and _FENCE.match(line)]
    for at, mark in marks:
        before, after = [fence for fence in fences if fence < at], [fence for fence in fences if fence > at]
        listed = len(before) % 2 == 1
        begin, end = (0, at + 1) if mark == "START" else (at, len(lines))
        if listed and mark == "START" and after:
            end = after[0] + 1
        elif listed:
            begin = before[-1]
        lines[begin:end] = [" " * len(line) for line in lines[begin:end]]


def prose_lines(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of the lines outside fenced code."""
    fence = ""
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip("`~ \t"):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield at


def _option_numbers(lines: list[str], prose: list[int]) -> Mapping[int, int]:
    """Line → number, for lines that a), b), c) … mark as a list: in order from a, near each other."""
    numbers: dict[int, int] = {}
    run: list[int] = []
    style = ""
    for at in prose:
        mark = _LETTERED.match(lines[at])
        if mark is None:
            continue
        number, this = ord(mark[3].lower()) - ord("a") + 1, mark[2] + mark[4] + str(mark[3].isupper())
        if run and this == style and number == len(run) + 1 and at - run[-1] <= MAX_LINES_OF_OPTION:
            run.append(at)
            if number == 2:
                numbers[run[0]] = 1
            numbers[at] = number
        else:
            run, style = ([at], this) if number == 1 else ([], "")
    return numbers


def _outdent_items(lines: list[str], prose: list[int]) -> None:
    """Move items right below a line of text to where CommonMark knows them: so deep it joins them to that line."""
    within = False
    for before, at in pairwise(prose):
        above, item = lines[before], _INDENTED_ITEM.match(lines[at])
        opens = item and not item[2] and at == before + 1 and _TEXT_LINE.match(above)
        within = bool(opens) or (within and bool(lines[at].strip()) and lines[at][:1] in " \t")
        if within and item:
            rest = lines[at][item.end(1) :]
            lines[at] = f" {rest}" if item[1] == "\t" else f"   {item[2]}{item[3]} {rest[item.end(3) - item.end(1) :]}"


def _rewrite_line(line: str, number: int | None) -> str:
    if number is not None:
        return _LETTERED.sub(lambda mark: f"{mark[1]}{' ' * len(mark[2])}{number}{mark[4]}", line, count=1)
    if _DIVISION.fullmatch(line):
        return " " * len(line)
    if mark := _BULLET.match(line):
        line = f"{mark[1]}-{line[mark.end() :]}"
    if ":`" in line:
        line = _CROSS_REFERENCE.sub(lambda found: FILLER * len(found[0]), line)
    if "[[" in line:
        line = _WIKI_LINK.sub(_name_alone, line)
    if "<h" in line and (heading := _HTML_HEADING.fullmatch(line)):
        line = f"{'#' * int(heading[1])} {_TAG.sub('', heading[2])}".ljust(len(line))
    if "{{" in line:
        line = _STEP_MARK.sub(lambda found: FILLER * len(found[0]), line)
    if "{" in line:
        line = _ATTRIBUTES.sub(lambda found: FILLER * len(found[0]), line)
    return line


def _name_alone(link: re.Match[str]) -> str:
    """Readable text of a link within a wiki; fillers keep the rest of the line in its place."""
    before, after = link.start(1) - link.start(), link.end() - link.end(1)
    return f"{FILLER * before}{link[1]}{FILLER * after}"

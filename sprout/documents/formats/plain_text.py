"""Reader of Markdown and plain text: decoded, with plain newlines, links as words, and no invisible characters."""

import html
import re
from collections.abc import Sequence

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import bom_encoding, decode_western, is_binary
from sprout.documents.formats.markdown_writer import DocumentText
from sprout.documents.limits import ReadingLimits
from sprout.learning.structure.plain_entries import with_entries_apart
from sprout.learning.structure.source import prose_lines
from sprout.learning.text.normalization import tidy

FOLDERS = 2  # from which on slashes are of a path: "TCP/IP" is a name

_DATA = re.compile(r"[\s'\"$-]|[\d\s.,+]*$|\S{1,20},")
_WIKI_LINK = re.compile(r"(?<![\w)\]])(!?)\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\](?![(\[])")
_TIGHT_HEADING = re.compile(  # one "#" alone is a tag
    r"^( {0,3}|[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)(?:(#{2,6})(?=[^\W\d_][^#]{0,100}$)|"
    r"(#{1,6})([^\W\d_][^#]{0,100}[^\s#])\3[ \t]*$)"  # "#Tides#"
)
_ENTITY = re.compile(r"`[^`\n]*`|&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_TAG_NAME = re.compile(r"[A-Za-z/!?]")
_MARKS = frozenset("\\`*_[]#|~$")
_TIGHT_BULLET = re.compile(r"^([ \t]*)\u3000*[・•](?=[^\s・•])")
_WIKI_HEADING = re.compile(r"(={2,6})[ \t]+([^=\s][^=]{0,200}?)(?:[ \t]+\1)?[ \t]*$")  # "==Cells==" is but marked
_TEMPLATE = re.compile(
    r"^ {0,3}\{%[^{}`]{1,200}%\}\s*$|\{\{\s*(?:site|page)\.[\w.]{1,60}\s*\}\}"
)  # of a site's generator


def read_plain_text(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text as it is, but for lists of terms, whose lines are paragraphs, and outside fenced code for links between
    notes, which are their words, headings and items that lack the space after their marks, headings that are written
    as in a wiki, characters that are written as entities, and what a generator of sites fills in.

    Raises UnreadableDocument.
    """
    lines = tidy(decode_text(content)).split("\n")
    prose = [*prose_lines(lines)]
    _mark_wiki_headings(lines, prose)
    for at in prose:
        line = _ENTITY.sub(_character, _TEMPLATE.sub("", lines[at]))
        line = _TIGHT_BULLET.sub(r"\1- ", line)
        line = _WIKI_LINK.sub(_link_words, line)
        lines[at] = _TIGHT_HEADING.sub(r"\1\2\3 \4", line)
    text = with_entries_apart("\n".join(lines)).strip()
    if not text:
        raise unreadable(UnreadableReason.EMPTY)
    if len(text) > limits.characters:
        raise unreadable(UnreadableReason.TOO_MUCH_TEXT)
    return DocumentText(text)


def decode_text(content: bytes) -> str:
    """The characters of a text file, whatever its encoding. Raises UnreadableDocument."""
    encoding = bom_encoding(content)
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding is not None:
            raise unreadable(UnreadableReason.BINARY) from None
        text = decode_western(content)
    if is_binary(text):
        raise unreadable(UnreadableReason.BINARY)
    return text


def _mark_wiki_headings(lines: list[str], prose: Sequence[int]) -> None:
    """Write the headings of wikis, AsciiDoc and Typst as those of Markdown. In some wikis more marks are a deeper
    heading, in others a higher one, which then comes first."""
    found = {at: heading for at in prose if (heading := _WIKI_HEADING.match(lines[at]))}
    marks = [len(heading[1]) for heading in found.values()]
    if len({*marks}) > 1 and marks[0] == max(marks):
        marks = [marks[0] + 1 - each for each in marks]
    for (at, heading), level in zip(found.items(), marks, strict=True):
        lines[at] = f"{'#' * level} {heading[2]}"


def _character(entity: re.Match[str]) -> str:
    """The character that "&rarr;" or "&#8594;" stands for, a space for a hard one; code and unknown names stay."""
    decoded = html.unescape(entity[0])
    if entity[0].startswith("`") or decoded == entity[0]:
        return entity[0]
    said = " ".join(tidy(decoded).split()) or " "
    opens_tag = said == "<" and _TAG_NAME.match(entity.string, entity.end())
    opens_quote = said == ">" and not entity.string[: entity.start()].strip()
    return f"\\{said}" if opens_tag or opens_quote or said in _MARKS else said


def _link_words(link: re.Match[str]) -> str:
    """The words of "[[note#heading|words]]", its note's name, without folders, where there are none; nothing of an
    embedded file. A list of lists, as in a program, stays."""
    embedded, target, words = link.groups()
    if embedded:
        return ""
    if words or _DATA.match(target):
        return words or link[0]
    name = target.partition("#")[0] or target.lstrip("#^")
    return name.rpartition("/")[2] if name.count("/") >= FOLDERS else name

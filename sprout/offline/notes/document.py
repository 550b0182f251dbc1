"""Notes as documents: their content by section, what is left out of it and why, and their glossaries."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile

from sprout.learning.paths.heading_names import HeadingName, heading_names
from sprout.learning.paths.passages import HEADING_SEPARATOR
from sprout.learning.structure.glossary import GlossaryEntry, glossary_entries
from sprout.learning.structure.heading_roles import Role
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.roles import ClassifiedSection, classify
from sprout.learning.structure.titles import heading_key, with_clean_titles
from sprout.learning.structure.tree import Block, Definition, Paragraph, Section
from sprout.offline.notes.headings import names_subject, says_nothing
from sprout.offline.notes.words import word_count

NOTHING = "nothing to learn"
INSTRUCTION_WORDS = 150  # before the first problem of an exam
FEWEST_WORDS = 40  # of content, below which summaries and glossaries are what there is to learn

_TAUGHT = frozenset({Role.CONTENT})
_READ = frozenset({Role.CONTENT, Role.SUMMARY, Role.GLOSSARY})

_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_TEXT = re.compile(r" {0,3}[^\s`~:]")  # and no fence
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Part:
    """Section of a document with its content: what is left to learn of it.

    Args:
        path: the titles of the document's sections down to this one; empty before its first heading.
        blocks: of its own, without those of the parts below.
        opening: the text of a section before its first subsection, under that section's title.
        label: the document's title, for the text before its first heading.
        siblings: the number of content sections under the same heading, this one included.
    """

    path: tuple[str, ...]
    blocks: tuple[Block, ...]
    parts: tuple["Part", ...] = ()
    opening: bool = False
    siblings: int = 1
    label: str = ""
    words: int = field(init=False)

    def __post_init__(self) -> None:
        own = sum(word_count(text_of(block)) for block in self.blocks)
        object.__setattr__(self, "words", own + sum(part.words for part in self.parts))

    @property
    def title(self) -> str:
        """Its heading, after the one above where it says nothing by itself; empty where neither is a name."""
        names = [heading for heading in self.path[-2:] if names_subject(heading)]
        if not self.path:
            return self.label
        if not names or names[-1] != self.path[-1]:
            return ""
        return ": ".join(names) if says_nothing(names[-1]) else names[-1]

    @property
    def all_blocks(self) -> tuple[Block, ...]:
        """The blocks of this part and of all below, in the order of the text."""
        return (*self.blocks, *(block for part in self.parts for block in part.all_blocks))

    def opened(self) -> list["Part"]:
        """The parts below, after the text before the first of them."""
        own = [replace(self, parts=(), opening=True, siblings=1)] if self.blocks else []
        return [*own, *self.parts]

    def iter_parts(self) -> Iterator["Part"]:
        """This part and all below."""
        yield self
        for part in self.parts:
            yield from part.iter_parts()


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a learner.

    Args:
        left_out: titles of sections that are no content, each with the reason.
    """

    text: str
    content: Part
    left_out: tuple[tuple[str, str], ...]
    glossary: tuple[GlossaryEntry, ...]


def read_document(text: str, *, desc: str = "", finds_headings: bool = True) -> Document:
    """The document of a text. Nothing raises, whatever the text.

    Args:
        desc: of a concept; a section that it names is content, whatever else it would be.
        finds_headings: whether headings that nothing marks are looked for: not in passages, which name theirs.
    """
    root = read_structure(text, finds_headings=finds_headings)
    clean = with_clean_titles(root)
    classified = _with_named(classify(root, text), clean, (), heading_names(desc))
    left_out: list[tuple[str, str]] = []
    content = _part(classified, clean, (), left_out, _TAUGHT)
    tested = sum(each.role in (Role.EXERCISES, Role.QUIZ) for each in classified.subsections)
    if not content.parts and tested > 1 and content.words < INSTRUCTION_WORDS:
        content = Part((), ())
    elif content.words < FEWEST_WORDS:
        left_out.clear()
        content = _part(classified, clean, (), left_out, _READ)
    return Document(text, content, tuple(dict.fromkeys(left_out)), tuple(glossary_entries(classified)))


def documents_of_passages(passages: Iterable[tuple[str, str, str]], *, desc: str = "") -> list[Document]:
    """The documents that passages are of, each read as one text under the headings that the passages name.

    Args:
        passages: document, path of headings and text of each, in the order of the text.
        desc: of the concept that they are for, as for `read_document`.
    """
    found = []
    for _, group in groupby(passages, lambda passage: passage[0]):
        above: list[str] = []
        texts: list[str] = []
        for _, heading, text in group:
            path = heading.split(HEADING_SEPARATOR) if heading else []
            if path and path != above:
                common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, above, strict=False)))
                first = min(common, len(path) - 1)
                texts += [f"{'#' * min(at + 1, 6)} {path[at]}" for at in range(first, len(path))]
            texts.append(_without_headings(text) if path else text)
            above = path
        found.append(read_document("\n\n".join(texts), desc=desc, finds_headings=not above))
    return found


def _joined(parts: Iterable[Part]) -> list[Part]:
    """The parts, those with the same title as one: slides that go on, and what no heading tells apart."""
    found: list[Part] = []
    for part in parts:
        at = next((at for at, one in enumerate(found) if part.path and one.path == part.path), None)
        if at is None:
            found.append(part)
        else:
            found[at] = Part(part.path, (*found[at].blocks, *part.blocks), (*found[at].parts, *part.parts))
    return found


def has_letters(blocks: Iterable[Block]) -> bool:
    """Whether there is something to learn in the blocks, and not only marks and numbers."""
    return any(_LETTER.search(text_of(block)) for block in blocks)


def _with_named(
    classified: ClassifiedSection, clean: Section, above: tuple[str, ...], names: Sequence[HeadingName]
) -> ClassifiedSection:
    """The section, with what a name says is left out by its role as content: a learner has brought it in."""
    path = (*above, clean.title) if clean.title and clean.level else above
    keys = tuple(map(heading_key, path))
    if path and classified.role not in _TAUGHT and any(name.names(keys) for name in names):
        return _as_content(classified)
    below = zip(classified.subsections, clean.subsections, strict=True)
    return replace(classified, subsections=tuple(_with_named(one, its, path, names) for one, its in below))


def _as_content(classified: ClassifiedSection) -> ClassifiedSection:
    return replace(
        classified,
        role=Role.CONTENT,
        reason="",
        blocks=tuple(replace(each, role=Role.CONTENT, reason="") for each in classified.blocks),
        subsections=tuple(map(_as_content, classified.subsections)),
    )


def _part(
    classified: ClassifiedSection,
    clean: Section,
    above: tuple[str, ...],
    left_out: list[tuple[str, str]],
    roles: frozenset[Role],
) -> Part:
    path = (*above, clean.title) if clean.title and clean.level else above
    kept = tuple(
        each.block
        for each in classified.blocks
        if (each.role in roles or (isinstance(each.block, Definition) and classified.role in roles))
        and (not isinstance(each.block, Paragraph) or has_letters([each.block]))
    )
    parts: list[Part] = []
    for below, its_clean in zip(classified.subsections, clean.subsections, strict=True):
        part = _part(below, its_clean, path, left_out, roles)
        if below.role not in roles:
            left_out += [(its_clean.title, below.reason)] if classified.role in roles and its_clean.title else []
            part = Part(part.path, (), part.parts)
        elif not has_letters(part.all_blocks) and its_clean.title and not below.subsections:
            left_out.append((its_clean.title, NOTHING))
        if has_letters(part.all_blocks):
            parts.append(part)
    parts = _joined(parts)
    below_it = tuple(replace(part, siblings=len(parts)) for part in parts)
    own = kept if classified.role in roles else ()
    return Part(path, own, below_it, label="" if clean.level else clean.title)


def _without_headings(text: str) -> str:
    """A passage's text without the headings that it begins with."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].strip() or _ATX.match(lines[at]):
            at += 1
        elif _TEXT.match(lines[at]) and any(_UNDERLINE.match(line) for line in lines[at + 1 : at + 2]):
            at += 2
        else:
            break
    return "\n".join(lines[at:])

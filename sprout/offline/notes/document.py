"""Notes as documents: their content by section, and what is left out of it and why."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile

from sprout.learning.paths.heading_names import HeadingName, heading_names
from sprout.learning.paths.passages import HEADING_SEPARATOR
from sprout.learning.structure.heading_roles import Role, named_role
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.roles import ClassifiedSection, classify, iter_classified
from sprout.learning.structure.titles import heading_key, with_clean_titles
from sprout.learning.structure.tree import Block, Definition, ListBlock, Paragraph, Section
from sprout.offline.notes.glossary import is_glossary, with_definitions
from sprout.offline.notes.headings import name_in, names_subject, says_nothing
from sprout.offline.notes.words import word_count

NOTHING = "nothing to learn"
INSTRUCTION_WORDS = 150  # before the first problem of an exam without a title
FEWEST_WORDS = 40  # of content, below which summaries and lists of key words are what there is to learn
LEAST_BESIDE_SUMMARY = 1 / 3  # of all words, below which a summary is the text itself: "Summary of the course"
LONG_LIST = 160  # words of a list with lists in it, from which on it is an outline
KEY_WORDS = 100  # of a glossary without meanings, up to which it is a list of key words

_TAUGHT = frozenset({Role.CONTENT, Role.GLOSSARY})
_READ = _TAUGHT | {Role.SUMMARY}
_ALL = frozenset(Role)

_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_TEXT = re.compile(r" {0,3}[^\s`~:]")  # and no fence
_ITEM = re.compile(r" {0,3}[-*+•]\s")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Part:
    """Section of a document with its content: what is left to learn of it.

    Args:
        path: the titles of the document's sections down to this one; empty before its first heading.
        blocks: of its own, without those of the parts below.
        opening: the text of a section before its first subsection, under that section's title.
        label: the document's title, for the text before its first heading.
    """

    path: tuple[str, ...]
    blocks: tuple[Block, ...]
    parts: tuple["Part", ...] = ()
    opening: bool = False
    label: str = ""
    words: int = field(init=False)

    def __post_init__(self) -> None:
        own = sum(word_count(text_of(block)) for block in self.blocks)
        object.__setattr__(self, "words", own + sum(part.words for part in self.parts))

    @property
    def title(self) -> str:
        """Its heading, where it says nothing by itself after the nearest one above that does; empty where it is no
        name."""
        if not self.path:
            return self.label
        *above, own = self.path
        if not (own := name_in(own)):
            return ""
        telling = [one for one in above if names_subject(one) and not says_nothing(one)]
        return ": ".join([*telling[-1:], own]) if says_nothing(own) else own

    @property
    def all_blocks(self) -> tuple[Block, ...]:
        """The blocks of this part and of all below, in the order of the text."""
        return (*self.blocks, *(block for part in self.parts for block in part.all_blocks))

    def opened(self) -> list["Part"]:
        """The parts below, after the text before the first of them; where there is but one, those below it."""
        own = [replace(self, parts=(), opening=True)] if self.blocks else []
        found = [*own, *self.parts]
        return found[0].opened() if len(found) == 1 and found[0].parts else found

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
        ends: where each passage ends that it is put together from.
    """

    text: str
    content: Part
    left_out: tuple[tuple[str, str], ...]
    ends: tuple[int, ...] = ()


def read_document(text: str, *, desc: str = "", finds_headings: bool = True) -> Document:
    """The document of a text. Nothing raises, whatever the text.

    Args:
        desc: of a concept; a section that it names is content, whatever else it would be.
        finds_headings: whether headings that nothing marks are looked for: not in passages, which name theirs.
    """
    root = read_structure(text, finds_headings=finds_headings)
    clean = with_clean_titles(root)
    classified, names = classify(root, text), heading_names(desc)
    left_out: list[tuple[str, str]] = []
    content = _part(classified, (), clean, left_out, _TAUGHT, names)
    tested = sum(each.role in (Role.EXERCISES, Role.QUIZ) for each in iter_classified(classified))
    told = sum(bool(part.blocks) for part in content.iter_parts())
    if tested > 1 and told == 1 and content.words < (FEWEST_WORDS if content.parts else INSTRUCTION_WORDS):
        content = Part((), ())
    elif content.words < FEWEST_WORDS or any(map(_is_summed_up, iter_classified(classified))):
        left_out_then: list[tuple[str, str]] = []
        read = _part(classified, (), clean, left_out_then, _READ, names)
        if content.words < max(FEWEST_WORDS, LEAST_BESIDE_SUMMARY * read.words):
            content, left_out = read, left_out_then
    taught = {part.path[-1] for part in content.iter_parts() if part.path and part.words}
    return Document(text, content, tuple(one for one in dict.fromkeys(left_out) if one[0] not in taught))


def documents_of_passages(passages: Iterable[tuple[str, str, str]], *, desc: str = "") -> list[Document]:
    """The documents that passages are of, each read as one text under the headings that the passages name.

    Args:
        passages: document, path of headings and text of each, in the order of the text.
        desc: of the concept that they are for, as for `read_document`.
    """
    found = []
    for _, group in groupby(passages, lambda passage: passage[0]):
        above: list[str] = []
        text, ends = "", []
        for _, heading, said in group:
            path = heading.split(HEADING_SEPARATOR) if heading else []
            if path and path != above:
                common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, above, strict=False)))
                first = min(common, len(path) - 1)
                text += "".join(f"{'#' * min(at + 1, 6)} {path[at]}\n\n" for at in range(first, len(path)))
            text += _without_headings(said, path[-1]) if path else said
            ends.append(len(text))
            text += "\n\n"
            above = path
        read = read_document(text.removesuffix("\n\n"), desc=desc, finds_headings=not above)
        found.append(replace(read, ends=tuple(ends)))
    return found


def join_equal(parts: Iterable[Part]) -> list[Part]:
    """The parts, those with the same headings above as one: slides that go on, and what no heading tells apart."""
    found: list[Part] = []
    for part in parts:
        at = next((at for at, one in enumerate(found) if part.path and _key(one.path) == _key(part.path)), None)
        if at is None:
            found.append(part)
        else:
            below = tuple(join_equal((*found[at].parts, *part.parts)))
            found[at] = replace(found[at], blocks=(*found[at].blocks, *part.blocks), parts=below)
    return found


def _key(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(str.casefold, path))


def _is_summed_up(section: ClassifiedSection) -> bool:
    return section.role is Role.SUMMARY or any(each.role is Role.SUMMARY for each in section.blocks)


def has_letters(blocks: Iterable[Block]) -> bool:
    """Whether there is something to learn in the blocks, and not only marks and numbers."""
    return any(_LETTER.search(text_of(block)) for block in blocks)


def _part(
    classified: ClassifiedSection,
    path: tuple[str, ...],
    clean: Section,
    left_out: list[tuple[str, str]],
    roles: frozenset[Role],
    names: Sequence[HeadingName],
    *,
    in_glossary: bool = False,
) -> Part:
    """Taught part of a section: its content, and all below what a name says, as a learner has brought it in.

    A short glossary that gives no meanings is a list of key words, and is left out.
    """
    term = clean.title if in_glossary and not clean.subsections else ""
    in_glossary = in_glossary or classified.role is Role.GLOSSARY or is_glossary(clean.title)
    kept = tuple(
        block
        for each in classified.blocks
        if (each.role in roles or (isinstance(each.block, Definition) and classified.role in roles))
        and (not isinstance(each.block, Paragraph) or has_letters([each.block]))
        for block in _opened_list(each.block)
    )
    parts: list[Part] = []
    for below, its_clean in zip(classified.subsections, clean.subsections, strict=True):
        is_text = _is_text_under_objectives(below)
        its_path = (*path, its_clean.title) if its_clean.title and its_clean.level and not is_text else path
        keys = tuple(map(heading_key, its_path))
        brought = its_path and below.role not in roles and any(name.names(keys) for name in names)
        its_roles = _ALL if brought else roles
        part = _part(below, its_path, its_clean, left_out, its_roles, names, in_glossary=in_glossary)
        begins = below.role is Role.GLOSSARY is not classified.role and Role.SUMMARY not in its_roles
        key_words = (
            begins and part.words < KEY_WORDS and not any(isinstance(one, Definition) for one in part.all_blocks)
        )
        if key_words or below.role not in its_roles:
            left_out += [(its_clean.title, below.reason)] if classified.role in roles and its_clean.title else []
        elif below.blocks and not has_letters(part.all_blocks) and its_clean.title and not below.subsections:
            left_out.append((its_clean.title, NOTHING))
        if is_text:
            kept, parts = (*kept, *part.blocks), [*parts, *part.parts]
        elif has_letters(part.all_blocks) and not key_words:
            parts.append(part)
    own = tuple(with_definitions(kept, in_glossary=in_glossary, heading=term)) if classified.role in roles else ()
    return Part(path, own, tuple(join_equal(parts)), label="" if clean.level else clean.title)


def _opened_list(block: Block) -> Sequence[Block]:
    """A block; of an outline that is written as one list, the items."""
    if not (isinstance(block, ListBlock) and _has_lists(block) and word_count(text_of(block)) > LONG_LIST):
        return [block]
    items = [ListBlock(item.start, item.end, block.ordered, (item,)) for item in block.items]
    return [block.lead_in, *items] if block.lead_in is not None else items


def _has_lists(block: ListBlock) -> bool:
    return any(isinstance(inner, ListBlock) for item in block.items for inner in item.blocks)


def _is_text_under_objectives(section: ClassifiedSection) -> bool:
    """Whether objectives are followed by the text itself, which has no heading of its own."""
    named = named_role(section.section.title)
    return section.role is Role.CONTENT and named is not None and named.role is Role.OBJECTIVES


def _without_headings(text: str, title: str) -> str:
    """A passage's text without the headings that it begins with, of which the last may be a plain line: `title`."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].strip() or _ATX.match(lines[at]):
            at += 1
        elif _TEXT.match(lines[at]) and any(_UNDERLINE.match(line) for line in lines[at + 1 : at + 2]):
            at += 2
        else:
            break
    key = heading_key(title)
    listed = _ITEM.match(lines[at]) if at < len(lines) else None  # a slide that says its title again
    own = 0 if listed else next((size for size in (1, 2) if heading_key(" ".join(lines[at : at + size])) == key), 0)
    return "\n".join(lines[at + own :])

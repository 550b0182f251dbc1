"""Roles of the parts of a document: content to learn, or exercises, glossary, furniture …, each with its reason."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sprout.learning.structure import forms
from sprout.learning.structure.heading_roles import NamedRole, Role, label_of, named_role
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.titles import heading_key
from sprout.learning.structure.tree import (
    Block,
    Box,
    Code,
    Definition,
    Figure,
    Footnote,
    ListBlock,
    Paragraph,
    Section,
    Table,
    iter_sections,
)
from sprout.learning.text.normalization import folded

LONGEST_BOX = 2_500  # characters under a heading such as "Note" that are still a box, no chapter of notes
LONGEST_OBJECTIVES = 1_500  # characters of prose; the text of a chapter may follow with no heading of its own
LONGEST_CONTENTS = 4_000  # characters of a list of contents with headings in it; a longer one is the content itself
LONGEST_RUNNING_HEAD = 80
LEAST_REPEATS = 4
LEAST_CONTENTS = 4  # rows of a table whose last column ascends like page numbers
LEAST_HEADINGS, LONGEST_ENTRY, LISTED = 3, 120, 0.4  # of a list of contents, whose words may differ from the headings
LONGEST_LABEL = 40
HEAD_OF_LIST = 3  # items, before which but lecturer and date stand on a title slide
LEAST_ASKED = 3  # items of a list that only asks
LEAST_TOLD = 250  # words of statements, with which a text that asks more is not exercises alone
MOST, SOME = 0.6, 0.2

_TESTING = frozenset({Role.EXERCISES, Role.QUIZ})
_DRAWINGS = frozenset(("tikz", "mermaid", "dot", "graphviz", "plantuml"))
_DIRECTIVES = frozenset(("toc", "toctree", "tableofcontents", "contents", "dataview", "dataviewjs"))
_NOTE = re.compile(r"[¹²³⁰⁴-⁹]{1,3}\s+\S")  # a note at the foot of a page
_NAME_AND_NUMBER = re.compile(r"[^\d:]+\d[\d.]*\s?[a-z]?[).]?")
_CONTENT = NamedRole(Role.CONTENT, "")


@dataclass(frozen=True, slots=True)
class ClassifiedBlock:
    """A block with its role; `reason` is empty for content, else in words for a learner: "list of links"."""

    block: Block
    role: Role
    reason: str


@dataclass(frozen=True, slots=True)
class ClassifiedSection:
    """A section with the roles of itself and of all within; `reason` as for a block."""

    section: Section
    role: Role
    reason: str
    blocks: tuple[ClassifiedBlock, ...]
    subsections: tuple["ClassifiedSection", ...]


def classify(root: Section, text: str) -> ClassifiedSection:
    """The roles of a document's sections and blocks.

    A heading's words decide first, then the form of what is under it. What is below a section has its role, unless it
    has one of its own.

    Args:
        text: the stored text that the tree was read from.
    """
    return _Classifier(text, root).section(root, _CONTENT)


def iter_classified(classified: ClassifiedSection) -> Iterator[ClassifiedSection]:
    """The section and all below it, in the order of the document."""
    yield classified
    for below in classified.subsections:
        yield from iter_classified(below)


def _running_heads(sections: Iterable[Section]) -> frozenset[str]:
    """Short lines that stand in a document again and again."""
    lines = Counter(
        _without_page(said)
        for section in sections
        for block in section.blocks
        if isinstance(block, Paragraph) and len(said := text_of(block)) <= LONGEST_RUNNING_HEAD
    )
    return frozenset(
        line
        for line, count in lines.items()
        if line and count >= LEAST_REPEATS and not line.endswith((".", "!", "?", ":", "$"))
    )


def _entry_key(title: str) -> str:
    """The heading for comparison with an entry of a list of contents: details in parentheses make no difference."""
    return heading_key(title.partition(" (")[0])


def _without_page(said: str) -> str:
    """The line for comparison: the number of its page makes no difference."""
    return folded(said).rstrip("0123456789 ")


class _Classifier:
    """Reader of one document in its order: whether it has asked anything yet, whether the work itself has ended."""

    def __init__(self, text: str, root: Section) -> None:
        sections = list(iter_sections(root))
        self._text = text
        self._running_heads = _running_heads(sections)
        self._headings = frozenset(_entry_key(section.title) for section in sections)
        self._last = sections[-1]
        self._asked = False
        self._ended = False

    def section(self, section: Section, above: NamedRole) -> ClassifiedSection:
        named = self._named(section, above)
        formed = None if named else self._by_form(section)  # by its own text: what is below it may be of another kind
        own = named or formed or above
        self._asked = self._asked or own.role in _TESTING
        blocks = _opened_boxes(section, self._blocks(section, own))
        if named is formed is None and above.role is Role.CONTENT and not section.subsections:
            own = _uniform_role(blocks) or own
        inherited = above if formed or own.role is Role.BOX else own
        below = tuple(self.section(each, inherited) for each in section.subsections)
        return ClassifiedSection(section, own.role, own.reason, blocks, below)

    def _named(self, section: Section, above: NamedRole) -> NamedRole | None:
        """The role by the heading's words, where they leave no doubt or the form agrees."""
        self._ended = self._ended or forms.ends_work(section.title)
        if self._ended or forms.is_notice(section.title):
            return NamedRole(Role.FURNITURE, "licence")
        named = named_role(section.title)
        if named is None or (above.role is Role.FURNITURE and named.role is not Role.GLOSSARY):
            return None
        whole = section.level == 1 or bool(section.subsections) or section.end - section.start > LONGEST_BOX
        if named.role is Role.BOX and whole:
            return None
        if named.role is Role.OBJECTIVES and _prose(section) > LONGEST_OBJECTIVES:
            return None
        if (
            named.reason == "table of contents"
            and section.subsections
            and section.end - section.start > LONGEST_CONTENTS
        ):
            return None
        return named if not named.weak or self._form_agrees(section, named, above) else None

    def _form_agrees(self, section: Section, named: NamedRole, above: NamedRole) -> bool:
        units = forms.units_of(section)
        match named.role:
            case Role.EXERCISES | Role.QUIZ:
                return forms.share(units, forms.asks_something) >= 0.5
            case Role.ANSWERS:
                return self._asked or above.role in _TESTING
            case Role.GLOSSARY:
                return forms.share(units, forms.is_definition) >= MOST
            case Role.FURNITURE:
                least = SOME if section is self._last else 0.5
                linked = max(forms.share(units, forms.is_link), forms.share(units, forms.is_reference)) >= least
                raw = self._own_text(section)
                return linked or forms.has_page_numbers(raw) or forms.has_index_entries(raw)
            case _:
                return bool(units) and all(isinstance(block, ListBlock) for block in section.blocks)

    def _by_form(self, section: Section) -> NamedRole | None:
        """The role of a section by what most of it is."""
        units = forms.units_of(section)
        if len(units) >= 3 and forms.share(units, forms.is_definition) >= MOST and not section.subsections:
            return NamedRole(Role.GLOSSARY, "glossary")
        if len(units) >= 3 and forms.share(units, forms.is_question) >= MOST and not _tells_much(units):
            return NamedRole(Role.EXERCISES, "mostly questions")
        if units and not section.subsections and (forms.share(units, forms.only_asks) == 1 or _is_solved(section)):
            return NamedRole(Role.EXERCISES, "mostly questions")
        if section.blocks and not section.subsections and forms.has_page_numbers(self._own_text(section)):
            return NamedRole(Role.FURNITURE, "table of contents")
        return None

    def _own_text(self, section: Section) -> str:
        """The characters of the section's own blocks; tables have their own form."""
        listed = [
            self._text[block.start : block.end] for block in section.blocks if isinstance(block, Paragraph | ListBlock)
        ]
        return "\n".join(listed) if len(listed) == len(section.blocks) else ""

    def _blocks(self, section: Section, own: NamedRole) -> tuple[ClassifiedBlock, ...]:
        """The section's blocks; a question goes with its options, a letter alone after them is their answer."""
        found: list[ClassifiedBlock] = []
        in_quiz = own.role in _TESTING
        within: NamedRole | None = None
        for at, block in enumerate(section.blocks):
            within = _goes_on(block, within)
            question = ""
            if isinstance(block, ListBlock):
                question = forms.question_of(block, section.blocks[:at][-3:]) or ("" if at else section.title)
            if isinstance(block, ListBlock) and forms.is_options(block, question, in_quiz=in_quiz):
                for asker in range(len(found) - 1, max(len(found) - 4, -1), -1):
                    if block.lead_in is None and text_of(found[asker].block) == question:
                        found[asker] = ClassifiedBlock(found[asker].block, Role.QUIZ, "question with options")
                found.append(ClassifiedBlock(block, Role.QUIZ, "question with options"))
            elif forms.holds_options(block, in_quiz=in_quiz):
                found.append(ClassifiedBlock(block, Role.QUIZ, "question with options"))
            elif labelled := _labelled(block, section.blocks[at - 1] if at else None) or within:
                found.append(ClassifiedBlock(block, labelled.role, labelled.reason))
            else:
                after_quiz = bool(found) and found[-1].role is Role.QUIZ
                named = self._block_role(block, own, after_quiz=after_quiz)
                found.append(ClassifiedBlock(block, named.role, named.reason))
            self._asked = self._asked or found[-1].role is Role.QUIZ
        return tuple(found)

    def _block_role(self, block: Block, own: NamedRole, *, after_quiz: bool) -> NamedRole:
        if forms.is_answer(block) or (after_quiz and forms.is_answer_letters(text_of(block))):
            return NamedRole(Role.ANSWERS, "answer")
        by_form = self._furniture(block) if isinstance(block, Paragraph) else self._by_block_form(block)
        if by_form or own.role is not Role.CONTENT:
            return by_form or own
        return _by_kind(block)

    def _by_block_form(self, block: Block) -> NamedRole | None:
        """The role of a list or a table that shows what it is, whatever section it stands in."""
        if isinstance(block, Table) and len(block.rows) >= LEAST_CONTENTS and self._has_page_numbers(block):
            return NamedRole(Role.FURNITURE, "table of contents")
        if isinstance(block, ListBlock) and self._lists_headings(block):
            return NamedRole(Role.FURNITURE, "table of contents")
        asked = block.items if isinstance(block, ListBlock) else ()
        if len(asked) >= LEAST_ASKED and forms.share(asked, forms.asks_something) == 1:
            return NamedRole(Role.EXERCISES, "mostly questions")
        if forms.is_list_of_links(block):
            return NamedRole(Role.FURNITURE, "list of links")
        if forms.is_list_of_objectives(block):
            return NamedRole(Role.OBJECTIVES, "objectives")
        if forms.is_list_of_references(block):
            return NamedRole(Role.FURNITURE, "references")
        return None

    def _lists_headings(self, block: ListBlock) -> bool:
        """Whether many of its short items, three at least, are headings of the document."""
        entries = [text_of(item).rstrip(" ;,") for item in block.items]
        entries[-1:] = [entry.rstrip(".") for entry in entries[-1:]]
        named = sum(_entry_key(entry) in self._headings for entry in entries)
        short = all(len(entry) <= LONGEST_ENTRY and not entry.endswith(".") for entry in entries)
        return short and len(entries) >= LEAST_HEADINGS and named >= max(2, LISTED * len(entries))

    def _has_page_numbers(self, block: Block) -> bool:
        return forms.has_page_numbers(self._text[block.start : block.end])

    def _furniture(self, block: Paragraph) -> NamedRole | None:
        said = text_of(block)
        if forms.is_page_number(said):
            return NamedRole(Role.FURNITURE, "page number")
        if forms.is_notice(said):
            return NamedRole(Role.FURNITURE, "licence")
        if forms.is_navigation(said):
            return NamedRole(Role.FURNITURE, "navigation")
        if forms.is_link(block):
            return NamedRole(Role.FURNITURE, "link")
        if forms.opens_as_reference(said):
            return NamedRole(Role.FURNITURE, "references")
        if len(said) <= LONGEST_RUNNING_HEAD and _without_page(said) in self._running_heads and not named_role(said):
            return NamedRole(Role.FURNITURE, "running head")
        if self._has_page_numbers(block) or forms.has_leader(said):
            return NamedRole(Role.FURNITURE, "table of contents")
        return None


def _prose(section: Section) -> int:
    return sum(len(text_of(block)) for block in section.blocks if isinstance(block, Paragraph))


def _labelled(block: Block, before: Block | None) -> NamedRole | None:
    """The role of exercises that a line of the text names, "Exercise 4) Compute …", and of the list after "Exercises."
    or "References:", or with that at its head."""
    if isinstance(block, ListBlock):
        label = text_of(block.lead_in) if block.lead_in else text_of(before) if isinstance(before, Paragraph) else ""
        heads = [label_of(text_of(each)) for item in block.items[:HEAD_OF_LIST] for each in item.blocks[:1]]
        label = next((head for head in heads if (one := named_role(head)) and one.reason == "references"), label)
    else:
        label = label_of(text_of(block)) if isinstance(block, Paragraph) else ""
    named = named_role(label) if len(label) <= LONGEST_LABEL else None
    if named is None or named.weak:
        return None
    is_listed = isinstance(block, ListBlock) and named.reason == "references"
    return named if named.role in _TESTING or is_listed else None


def _goes_on(block: Block, within: NamedRole | None) -> NamedRole | None:
    """The role of an exercise that a line with its name and number begins: it lasts to the next line of a few words."""
    said = text_of(block) if isinstance(block, Paragraph) else ""
    if not said or len(said) > LONGEST_LABEL or said.endswith((".", "?", "!", "…", ":")):
        return within
    named = named_role(said) if _NAME_AND_NUMBER.fullmatch(said) else None
    return named if named and named.role in _TESTING and not named.weak else None


def _tells_much(units: Sequence[Block]) -> bool:
    """Whether beside its questions a text has statements as long as a page, such as their answers further below."""
    return sum(len(text_of(unit).split()) for unit in units if not forms.asks_something(unit)) >= LEAST_TOLD


def _is_solved(section: Section) -> bool:
    """Whether a section ends with a box of answers to its list, code or questions, and tells nothing besides."""
    *asked, last = section.blocks
    answered = isinstance(last, Box) and (named := named_role(last.title)) is not None and named.role is Role.ANSWERS
    return answered and not any(isinstance(block, Paragraph) and not forms.only_asks(block) for block in asked)


def _opened_boxes(section: Section, blocks: tuple[ClassifiedBlock, ...]) -> tuple[ClassifiedBlock, ...]:
    """Blocks of a section, its boxes opened where they say more than the text beside them, as the speaker's notes of a
    slide do; boxes whose titles name another role stay closed."""
    boxed = sum(len(text_of(each.block)) for each in blocks if each.role is Role.BOX)
    told = sum(len(text_of(each.block)) for each in blocks if each.role is Role.CONTENT)
    if section.subsections or boxed <= told:
        return blocks
    return tuple(
        opened
        for each in blocks
        for opened in (
            [ClassifiedBlock(inner, _CONTENT.role, _CONTENT.reason) for inner in each.block.blocks]
            if isinstance(each.block, Box) and named_role(each.block.title) is None
            else [each]
        )
    )


def _by_kind(block: Block) -> NamedRole:
    """The role of a block in a section of content."""
    match block:
        case Figure():
            return NamedRole(Role.CAPTION, "figure")
        case Code() if block.language in _DRAWINGS:
            return NamedRole(Role.CAPTION, "figure")
        case Code() if block.language in _DIRECTIVES:
            return NamedRole(Role.FURNITURE, "table of contents")
        case Box():
            return NamedRole(Role.BOX, "box beside the text")
        case Footnote():
            return NamedRole(Role.FURNITURE, "footnote")
        case Paragraph() if _NOTE.match(text_of(block)):
            return NamedRole(Role.FURNITURE, "footnote")
        case Definition():
            return NamedRole(Role.GLOSSARY, "definition")
        case _:
            return _CONTENT


def _uniform_role(blocks: Sequence[ClassifiedBlock]) -> NamedRole | None:
    """The role that most of a section's text has, if it is none to learn from."""
    lengths: Counter[NamedRole] = Counter()
    for each in blocks:
        lengths[NamedRole(each.role, each.reason)] += each.block.end - each.block.start
    for named, length in lengths.most_common(1):
        if length >= 0.8 * lengths.total() and named.role in {Role.FURNITURE, Role.QUIZ, Role.ANSWERS}:
            return named
    return None

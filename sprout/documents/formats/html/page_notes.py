"""Footnotes of a web page: the links that refer to them, and the elements that hold their text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sprout.documents.formats.html.page_content import all_text

_REFERENCE_ROLES = frozenset({"doc-noteref"})
_REFERENCE_CLASSES = frozenset({"footnote-ref", "footnote-reference", "footnoteref", "fnref", "fn-ref", "noteref"})
_NOTE_ID = re.compile(
    r"#(?:fn|_?ftn|_edn|footnote|endnote|sdfootnote|sdendnote|cite_note|note)[-_:.]?\w*", re.IGNORECASE
)
_BACK_ID = re.compile(r"#(?:fnref|_?ftnref|_ednref|footnote-?ref|cite_ref|.*(?:ref|anc)[-_:]?\d*$)", re.IGNORECASE)
_ANCHORS = frozenset({"a", "span", "sup", "b"})
_HOLDERS = frozenset({"li", "p", "div", "dd", "aside"})
_BLOCKS_AROUND = frozenset({"body", "main", "article", "section", "table", "html", "h1", "h2", "h3", "h4", "h5", "h6"})
_MAX_LABEL = 8
_MAX_LINK_PARTS = 3
_MAX_LINK_TEXT = 12
_MAX_NOTE_ELEMENTS = 500
_IDS_ABOVE = 3


@dataclass(frozen=True, slots=True)
class PageNotes:
    """Footnotes of a page.

    Args:
        references: the label of each link to a note.
        holders: the label of each element that holds a note, in the order of the references.
        back_links: addresses of the links back to where a note is referred to.
    """

    references: Mapping[Any, str]
    holders: Mapping[Any, str]
    back_links: frozenset[str]


def find_notes(root: Any) -> PageNotes:
    """The notes that links refer to, labelled as the page shows them, where no two have the same label."""
    links = [link for link in root.iter("a") if _is_reference(link)]
    targets = _elements_by_id(root) if links else {}
    known: dict[str, Any] = {}
    references: dict[Any, str] = {}
    holders: dict[Any, str] = {}
    back_links: set[str] = set()
    used: set[str] = set()
    for link in links:
        name = link.get("href")[1:]
        if name not in known:
            known[name] = _holder(targets.get(name))
        holder = known[name]
        if holder is None or holder in link.iterancestors():
            continue
        if holder not in holders:
            holders[holder] = _free_label(link, used)
            used.add(holders[holder])
        references[link] = holders[holder]
        back_links.update(_addresses(link))
    return PageNotes(references, holders, frozenset(back_links))


def is_back_link(link: Any, notes: PageNotes) -> bool:
    """Whether a link within a note leads back to its reference."""
    href = link.get("href") or ""
    names = (link.get("class") or "").split()
    return href in notes.back_links or link.get("role") == "doc-backlink" or "footnote-back" in names


def _is_reference(link: Any) -> bool:
    href = link.get("href") or ""
    if not href.startswith("#") or len(href) < 2 or _BACK_ID.match(href) or link.get("role") == "doc-backlink":
        return False
    if link.get("role") in _REFERENCE_ROLES or link.get("epub:type") == "noteref":
        return True
    if not _REFERENCE_CLASSES.isdisjoint((link.get("class") or "").split()):
        return True
    raised = link.getparent().tag == "sup" or any(child.tag == "sup" for child in link)
    if len(link) > _MAX_LINK_PARTS or not (raised or _NOTE_ID.fullmatch(href)):
        return False
    text = "".join(link.itertext()).strip()
    return 0 < len(text) <= _MAX_LINK_TEXT and (raised or text.strip("[]()* ").isdigit())


def _elements_by_id(root: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for attribute, elements in (("id", root.xpath("descendant::*[@id]")), ("name", root.xpath("descendant::a[@name]"))):
        for element in elements:
            found.setdefault(element.get(attribute), element)
    return found


def _holder(target: Any) -> Any:
    """The block of the note; None where a link leads to something else."""
    holder = target
    while holder is not None and holder.tag in _ANCHORS:
        holder = holder.getparent()
    if holder is None or holder.tag not in _HOLDERS:
        return None
    for count, inside in enumerate(holder.iter()):
        if count > _MAX_NOTE_ELEMENTS or inside.tag in _BLOCKS_AROUND:
            return None
    return holder if all_text(holder).strip() else None


def _free_label(link: Any, used: set[str]) -> str:
    shown = "".join(link.itertext()).strip().strip("[]().").strip()
    if shown.isalnum() and len(shown) <= _MAX_LABEL and shown not in used:
        return shown
    number = len(used) + 1
    while str(number) in used:
        number += 1
    return str(number)


def _addresses(link: Any) -> list[str]:
    """The addresses under which a reference is found: its own id, or one just above it."""
    around = [link, *(above for above, _ in zip(link.iterancestors(), range(_IDS_ABOVE), strict=False))]
    around = [element for element in around if element.tag in ("a", "sup", "span")]
    return [f"#{name}" for element in around if (name := element.get("id") or element.get("name"))]

"""Content of a web page: its main part, without what is hidden and without the furniture around it.

Furniture is navigation, banners, breadcrumbs, links for editing, and headers and footers of links. Where an element
could be either, it is content.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from lxml import etree

SKIPPED_TAGS = frozenset(
    "audio base button canvas datalist embed frame frameset head iframe input link map meta nav noembed noframes "
    "noscript object option param rp script select source style svg template textarea title track video".split()
)
_SKIPPED_ROLES = frozenset("navigation banner contentinfo search menu menubar toolbar dialog alertdialog".split())
_FURNITURE = frozenset(
    "headerlink header-link anchor-link anchorjs-link heading-anchor heading-link hash-link direct-link permalink "
    "zola-anchor sl-anchor-link mw-editsection mw-jump mw-jump-link jump-to-nav mw-cite-backlink mw-indicators "
    "noprint navbox catlinks printfooter navbar breadcrumb breadcrumbs wy-breadcrumbs rst-breadcrumbs-buttons "
    "skip-link skiplink skip-links skip-nav skip-to-content skip-navigation edit-link edit-page edit-page-link "
    "edit-this-page edit-on-github theme-edit-this-page cookie-banner cookie-consent cookie-notice cookie-bar "
    "cookie-popup cookie-message cookieconsent cookiebanner gdpr-banner copybtn copy-button clipboard-copy "
    "share-buttons social-share sphinxsidebar prev-next-area prev-next-footer pagination pagination-nav "
    "vector-page-toolbar sidebar-toc lineno linenos linenodiv line-numbers-rows line-number linenumber gutter "
    "blob-num page-nav md-source-file".split()
)
_LINK_LISTS = frozenset(
    "toc table-of-contents tableofcontents contents-nav docnav sidebar side-bar sidenav side-nav menu nav navigation "
    "site-header site-footer page-header page-footer footer header topbar related related-links tags".split()
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"})
_AFTER_TERM = tuple(":–—-")
_KEPT_TAGS = frozenset({"html", "body", "main", "article", "code", "pre", "table"})
_FURNITURE_LINK = re.compile(
    r"(?:\W*)(?:(?:edit|improve|suggest edits?)(?: this| the)?(?: page| article| document)?(?: on \w+| in \w+)?|"
    r"(?:edit|view|open|show) (?:page |this page )?(?:source|on (?:github|gitlab|bitbucket))|"
    r"skip to (?:main |the )?(?:content|navigation|search)|back to (?:the )?top|jump to (?:navigation|search|content)|"
    r"(?:zum|direkt zum) (?:haupt)?inhalt(?: springen| wechseln)?|(?:diese )?seite bearbeiten|"
    r"aller au contenu(?: principal)?|(?:ir|saltar) al contenido(?: principal)?|vai al contenuto|[¶#§🔗])\W*",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(
    r"©|\(c\)|copyright|all rights reserved|alle rechte|tous droits|derechos reservados", re.IGNORECASE
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAX_FURNITURE_LINK = 40
_MAX_FOOTER = 600
_SCANNED_ELEMENTS = 3_000
_ALL_TEXT = etree.XPath("string()")
_MIN_MAIN = 200
_MAX_MAINS = 4
_MAIN_SHARE = 0.6
MOSTLY_LINKS = 0.7


def main_content(root: Any) -> Any:
    """The page's one main element, or its one article with most of the text, or all of it."""
    mains = root.xpath("descendant::*[self::main or @role='main']")[: _MAX_MAINS + 1]
    outer = [found for found in mains[:_MAX_MAINS] if not any(above in mains for above in found.iterancestors())]
    if len(outer) == 1 and len(mains) <= _MAX_MAINS and _is_most(outer[0], root, least=0):
        return outer[0]
    articles = list(root.iter("article"))
    if len(articles) == 1 and _is_most(articles[0], root, least=_MIN_MAIN):
        return articles[0]
    return root


def _is_most(element: Any, root: Any, *, least: int) -> bool:
    """Whether the element has most of the page's text; a main element is believed to, if it is not almost empty."""
    if not least and _has_text(element, _MIN_MAIN):
        return True
    length = _length(element)
    return length >= max(least, 1) and length >= _MAIN_SHARE * _body_length(root)


def _has_text(element: Any, length: int) -> bool:
    """Whether the element has at least so many characters."""
    for text in element.itertext():
        length -= len(text.strip())
        if length <= 0:
            return True
    return False


def all_text(element: Any) -> str:
    """All text inside, hidden or not."""
    return str(_ALL_TEXT(element))


def _length(element: Any) -> int:
    """Number of characters but white space, scripts and styles included."""
    return len("".join(all_text(element).split()))


def _body_length(root: Any) -> int:
    """Number of characters of what may be content."""
    body = root.find("body")
    whole = _length(body if body is not None else root)
    left_out = root.iter("script", "style", "nav", "noscript")
    return whole - sum(map(_length, left_out))


def tokens(element: Any) -> list[str]:
    """The element's classes and its id, in lower case."""
    return f"{element.get('class') or ''} {element.get('id') or ''}".lower().split()


def is_hidden(element: Any) -> bool:
    """Whether the browser does not show the element."""
    style = element.get("style")
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or (bool(style) and _HIDDEN_STYLE.search(style) is not None)
    )


def is_left_out(element: Any) -> bool:
    """Whether the element is hidden, or furniture of the page."""
    tag = element.tag
    if not isinstance(tag, str) or (tag in SKIPPED_TAGS and not (_is_slide(element) or _is_heading(element))):
        return True
    if not element.attrib and tag not in ("header", "footer"):
        return False
    if is_hidden(element):
        return True
    if tag in _KEPT_TAGS:
        return False
    if element.get("role") in _SKIPPED_ROLES:
        return True
    if tag == "a":
        return _is_furniture_link(element)
    if tag in ("header", "footer"):
        return _is_page_edge(element, tag)
    furniture, links = _named(element.get("class") or "", element.get("id") or "")
    return furniture or (links and link_share(element) >= MOSTLY_LINKS)


def _is_slide(element: Any) -> bool:
    """Whether it is a drawing that frames a piece of the page, as slides made from Markdown do."""
    return element.tag == "svg" and next(element.iter("foreignobject"), None) is not None


def _is_heading(element: Any) -> bool:
    """Whether it is a button that shows and hides what it is the heading or the term of."""
    above = element.getparent() if element.tag == "button" else None
    if above is None or not any(map(str.isalpha, _ALL_TEXT(element))):
        return False
    begins = above[0] is element and not (above.text or "").strip()
    after = _ALL_TEXT(above).strip()[len(_ALL_TEXT(element).strip()) :].lstrip()
    return begins and ((above.tag in _HEADINGS and not after) or (above.tag == "li" and after[:1] in _AFTER_TERM))


@lru_cache(maxsize=2_048)
def _named(classes: str, name: str) -> tuple[bool, bool]:
    """Whether an element is called furniture, and whether it is called something that may be a list of links."""
    names = f"{classes} {name}".lower().split()
    return not _FURNITURE.isdisjoint(names), not _LINK_LISTS.isdisjoint(names)


def _is_furniture_link(element: Any) -> bool:
    if _named(element.get("class") or "", element.get("id") or "")[0]:
        return True
    text = "".join(element.itertext()).strip() if len(element) < 4 else ""
    return 0 < len(text) <= _MAX_FURNITURE_LINK and _FURNITURE_LINK.fullmatch(text) is not None


def _is_page_edge(element: Any, tag: str) -> bool:
    """Whether a header or footer is the page's and has little but links."""
    if any(above.tag in ("article", "main", "section", "blockquote", "figure") for above in element.iterancestors()):
        return False
    if tag == "header" and next(element.iter("h1"), None) is not None:
        return False
    text = " ".join(_texts(element))
    owned = tag == "footer" and len(text) < _MAX_FOOTER and _COPYRIGHT.search(text) is not None
    return owned or link_share(element) >= MOSTLY_LINKS


def link_share(element: Any) -> float:
    """The share of the element's text that is in links, 0..1; 0 for an element too large to be furniture."""
    linked = whole = 0
    for count, found in enumerate(element.iter()):
        if count > _SCANNED_ELEMENTS:
            return 0.0
        if isinstance(found.tag, str) and found.tag not in SKIPPED_TAGS:
            own = len((found.text or "").strip()) + sum(len((child.tail or "").strip()) for child in found)
            whole += own
            linked += own if found.tag == "a" or any(above.tag == "a" for above in _near(found)) else 0
    return linked / whole if whole else 1.0


def _near(element: Any) -> Iterator[Any]:
    for count, above in enumerate(element.iterancestors()):
        if count > 2:
            return
        yield above


def _texts(element: Any) -> Iterator[str]:
    """The element's visible texts, as many as a small element has."""
    for count, found in enumerate(element.iter()):
        if count > _SCANNED_ELEMENTS:
            return
        if isinstance(found.tag, str) and found.tag not in SKIPPED_TAGS:
            yield found.text or ""
        yield found.tail or "" if found is not element else ""

"""Code of a web page: its text, and its language as highlighters mark it."""

import re
from typing import Any

from lxml import etree

from sprout.documents.formats.html.page_content import all_text
from sprout.documents.formats.html.page_inline import visible_text

_LANGUAGE_CLASS = re.compile(
    r"(?:language|lang|highlight-source|highlight-text|highlight|source|brush)[-:]([A-Za-z][\w+#.-]*);?"
)
_HIGHLIGHTERS = frozenset({"sourcecode", "hljs", "prettyprint", "src", "prism", "shiki", "chroma", "codehilite"})
_NOT_LANGUAGES = frozenset(
    "default none notranslate nohighlight text plain plaintext txt numberlines numbersource linenums line-numbers "
    "literal-block wrap output highlight highlighted language sourcecode sourcecodewithlines".split()
)
_NAMES = {"python3": "python", "ipython3": "python", "ipython": "python", "py": "python", "js": "javascript"}
_ATTRIBUTES = ("data-lang", "data-language", "data-code-language", "lang-name")
_HAS_MORE_THAN_CODE = etree.XPath(  # line numbers, buttons, what is hidden: most code has none, and there is much of it
    "boolean(.//*[not(self::span or self::code or self::a or self::b or self::i or self::em or self::div)"
    " or ((@aria-hidden or @hidden or @style or @role) and string())"
    " or contains(@class, 'line') or contains(@class, 'num') or contains(@class, 'gutter') or contains(@class, 'copy')"
    " or contains(@class, 'link') or contains(@class, 'anchor')])"
)
_LOOKED_AT_ABOVE = 3
_LINE_TAGS = ("div", "p", "li", "tr")


def code_text(element: Any) -> str:
    """The code with a line for each element that is one."""
    for line in element.iter(*_LINE_TAGS):
        last = line.getchildren()[-1] if len(line) else None
        ending = (last.tail or "".join(last.itertext())) if last is not None else line.text or ""
        if not ending.endswith("\n") and not (line.tail or "").startswith("\n"):
            line.tail = f"\n{line.tail or ''}"
    return visible_text(element) if _HAS_MORE_THAN_CODE(element) else all_text(element)


def code_language(element: Any) -> str:
    """The language that the element, its code or a box around it names; empty if none does."""
    inner = element.find("code")
    around = [above for above, _ in zip(element.iterancestors(), range(_LOOKED_AT_ABOVE), strict=False)]
    for candidate in [inner, element, *around]:
        if candidate is not None and (language := _named_language(candidate)):
            return _NAMES.get(language, language)
    return ""


def _named_language(element: Any) -> str:
    for attribute in _ATTRIBUTES:
        if (value := (element.get(attribute) or "").strip().lower()) and value not in _NOT_LANGUAGES:
            return value
    names = (element.get("class") or "").lower().replace("brush: ", "brush:").split()
    for name in names:
        found = _LANGUAGE_CLASS.fullmatch(name)
        if found and found[1].rstrip(";") not in _NOT_LANGUAGES:
            return found[1].rstrip(";")
    if element.tag in ("pre", "code") and not _HIGHLIGHTERS.isdisjoint(names):
        others = [name for name in names if name not in _HIGHLIGHTERS and name not in _NOT_LANGUAGES]
        return others[0].removeprefix("src-") if others else ""
    return ""

"""Presentation MathML as LaTeX; the TeX that a formula brings along in an annotation is preferred.

The converters published so far are single small releases, without limits on depth, so the tables are ours.
"""

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.formulas.latex import (
    ACCENTS,
    LARGE_OPERATORS,
    LIMIT_FUNCTIONS,
    MATRIX_FENCES,
    accent_latex,
    clean_latex,
    fence_latex,
    group,
    rows_latex,
    script_base,
    symbols_latex,
    text_latex,
    word_latex,
)

_TEX_ENCODINGS = frozenset({"application/x-tex", "application/x-latex", "tex", "latex", "text/latex", "text/x-latex"})
_IGNORED = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "none", "mprescripts"})
_VARIANTS = MappingProxyType(
    {
        "bold": "mathbf",
        "bold-italic": "boldsymbol",
        "double-struck": "mathbb",
        "script": "mathcal",
        "bold-script": "mathcal",
        "fraktur": "mathfrak",
        "bold-fraktur": "mathfrak",
        "sans-serif": "mathsf",
        "monospace": "mathtt",
    }
)
_OPENING, _CLOSING = "([{⟨⌊⌈|‖", ")]}⟩⌋⌉|‖"
_MAX_DEPTH = 60


def mathml_latex(math: Any) -> str:
    """LaTeX of a `math` element, on one line; empty for an empty formula. Raises UnreadableDocument if too deep."""
    for found in math.iter():
        is_tex = _name(found) == "annotation" and (found.get("encoding") or "").strip().casefold() in _TEX_ENCODINGS
        if is_tex and (latex := clean_latex("".join(found.itertext()))):
            return latex
    alternative = math.get("alttext") or ""
    if "\\" in alternative or "ltx_" in (math.get("class") or ""):
        return clean_latex(alternative)
    return clean_latex(_children(math, 0))


def _name(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def _latex(element: Any, depth: int) -> str:
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    name = _name(element)
    if not name or name in _IGNORED:
        return ""
    convert = _ELEMENTS.get(name)
    return convert(element, depth + 1) if convert is not None else _children(element, depth + 1)


def _children(element: Any, depth: int) -> str:
    """The parts one after another; a matrix between fences is one part."""
    children = [child for child in element if isinstance(child.tag, str)]
    if not children and element.text and element.text.strip():
        return symbols_latex(element.text.strip())
    parts: list[str] = []
    at = 0
    while at < len(children):
        latex, length = _fenced_table(children[at : at + 3], depth) or (_latex(children[at], depth), 1)
        parts.append(latex)
        at += length
    return "".join(parts)


def _fenced_table(around: list[Any], depth: int) -> tuple[str, int] | None:
    """A table between two delimiters, and of how many elements it consists."""
    if len(around) < 2 or _name(around[0]) != "mo" or (table := _table_in(around[1])) is None:
        return None
    opening, closing = _text(around[0]), _text(around[2]) if len(around) == 3 and _name(around[2]) == "mo" else ""
    length = 3 if len(around) == 3 and _name(around[2]) == "mo" else 2
    if opening == "{" and not closing:
        return _rows(table, "cases", depth), length
    environment = MATRIX_FENCES.get((opening, closing))
    return (_rows(table, environment, depth), length) if environment else None


def _table_in(element: Any) -> Any:
    """The table that the element is, or has for its only part."""
    while _name(element) in ("mrow", "mstyle") and len(element) == 1:
        element = element[0]
    return element if _name(element) == "mtable" else None


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()


def _args(element: Any, depth: int, count: int) -> list[str]:
    """The parts of a construct, as many as it has by its definition."""
    parts = [_latex(child, depth).strip() for child in element if isinstance(child.tag, str)]
    return [*parts, *[""] * count][: max(count, len(parts))]


def _identifier(element: Any, depth: int) -> str:
    text = _text(element)
    variant = _VARIANTS.get(element.get("mathvariant") or "")
    if variant and text:
        return f"\\{variant}{{{symbols_latex(text).strip()}}}"
    return word_latex(text)


def _operator(element: Any, depth: int) -> str:
    text = _text(element)
    return word_latex(text) if text.isalpha() and len(text) > 1 else symbols_latex(text)


def _fraction(element: Any, depth: int) -> str:
    above, below = _args(element, depth, 2)[:2]
    line = (element.get("linethickness") or "").strip()
    if line in ("0", "0pt", "0px", "0em"):
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
    return f"\\frac{{{above}}}{{{below}}}"


def _root(element: Any, depth: int) -> str:
    base, degree = _args(element, depth, 2)[:2]
    return f"\\sqrt[{degree}]{{{base}}}" if degree else f"\\sqrt{{{base}}}"


def _scripts(*signs: str) -> Callable[[Any, int], str]:
    def convert(element: Any, depth: int) -> str:
        base, *scripts = _args(element, depth, len(signs) + 1)
        pairs = zip(signs, scripts, strict=False)
        return script_base(base) + "".join(f"{sign}{group(script)}" for sign, script in pairs if script)

    return convert


def _limits(*signs: str) -> Callable[[Any, int], str]:
    """Parts under and over a base: limits of an operator, an accent, or a remark."""

    def convert(element: Any, depth: int) -> str:
        found = [child for child in element if isinstance(child.tag, str)]
        base = _latex(found[0], depth).strip() if found else ""
        for sign, script in zip(signs, found[1:], strict=False):
            base = _with_limit(base, sign, script, depth)
        return base

    return convert


def _with_limit(base: str, sign: str, script: Any, depth: int) -> str:
    latex = _latex(script, depth).strip()
    accent = ACCENTS.get(_text(script))
    head = re.split(r"[_^]", base, maxsplit=1)[0].strip()
    if not latex:
        return base
    if head in LARGE_OPERATORS.values() or head.removeprefix("\\") in LIMIT_FUNCTIONS or head.endswith("brace"):
        return f"{base}{sign}{group(latex)}"
    if accent is not None and (sign == "^" or accent.startswith("under")):
        return accent_latex(accent, base)
    if accent == "bar":
        return f"\\underline{{{base}}}"
    if base.startswith(("\\overbrace", "\\underbrace")):
        return f"{base}{sign}{group(latex)}"
    return f"\\{'underset' if sign == '_' else 'overset'}{{{latex}}}{{{base}}}"


def _multiscripts(element: Any, depth: int) -> str:
    """A base with scripts on both sides."""
    children = [child for child in element if isinstance(child.tag, str)]
    names = [_name(child) for child in children]
    middle = names.index("mprescripts") if "mprescripts" in names else len(children)
    base = _latex(children[0], depth) if children else ""
    return (
        _script_pairs(children[middle + 1 :], "{}", depth)
        + script_base(base)
        + _script_pairs(children[1:middle], "", depth)
    )


def _script_pairs(children: list[Any], base: str, depth: int) -> str:
    found = [_latex(child, depth).strip() for child in children]
    signs = "".join(f"{'_' if at % 2 == 0 else '^'}{group(latex)}" for at, latex in enumerate(found) if latex)
    return f"{base}{signs}" if signs else ""


def _rows(table: Any, environment: str, depth: int) -> str:
    rows = []
    for row in table:
        if _name(row) in ("mtr", "mlabeledtr"):
            cells = [child for child in row if _name(child) == "mtd"]
            rows.append(" & ".join(_children(cell, depth + 1).strip() for cell in cells))
    return rows_latex(environment, rows) if rows else ""


def _table(element: Any, depth: int) -> str:
    return _rows(element, "aligned" if "right" in (element.get("columnalign") or "") else "matrix", depth)


def _fenced(element: Any, depth: int) -> str:
    opening, closing = element.get("open", "("), element.get("close", ")")
    separator = (element.get("separators", ",").strip() or " ")[0]
    parts = [_latex(child, depth).strip() for child in element if isinstance(child.tag, str)]
    inner = separator.join(part for part in parts if part)
    return f"\\left{fence_latex(opening)} {inner} \\right{fence_latex(closing)}"


def _enclosed(element: Any, depth: int) -> str:
    inner = _children(element, depth).strip()
    notation = (element.get("notation") or "longdiv").split()
    if "radical" in notation:
        return f"\\sqrt{{{inner}}}"
    if "box" in notation or "roundedbox" in notation:
        return f"\\boxed{{{inner}}}"
    return f"\\cancel{{{inner}}}" if any("strike" in one for one in notation) else inner


def _semantics(element: Any, depth: int) -> str:
    first = next((child for child in element if isinstance(child.tag, str)), None)
    return _latex(first, depth) if first is not None else ""


_ELEMENTS: MappingProxyType[str, Callable[[Any, int], str]] = MappingProxyType(
    {
        "mi": _identifier,
        "mn": lambda element, depth: symbols_latex(_text(element)),
        "mo": _operator,
        "mtext": lambda element, depth: text_latex(" ".join("".join(element.itertext()).split("\n"))),
        "ms": lambda element, depth: text_latex(f'"{_text(element)}"'),
        "mspace": lambda element, depth: " ",
        "mfrac": _fraction,
        "msqrt": lambda element, depth: f"\\sqrt{{{_children(element, depth).strip()}}}",
        "mroot": _root,
        "msub": _scripts("_"),
        "msup": _scripts("^"),
        "msubsup": _scripts("_", "^"),
        "munder": _limits("_"),
        "mover": _limits("^"),
        "munderover": _limits("_", "^"),
        "mmultiscripts": _multiscripts,
        "mtable": _table,
        "mfenced": _fenced,
        "menclose": _enclosed,
        "semantics": _semantics,
    }
)

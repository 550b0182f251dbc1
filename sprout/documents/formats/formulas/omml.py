"""Office Math (OMML), the formulas of Word and PowerPoint, as LaTeX.

The converters published so far are single small releases, without limits on depth, so the tables are ours.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.formulas.latex import (
    ACCENTS,
    FUNCTIONS,
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
)

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULA = f"{M}oMath"
FORMULA_PARAGRAPH = f"{M}oMathPara"
_ALPHABETS = MappingProxyType(
    {
        "double-struck": "mathbb",
        "script": "mathcal",
        "fraktur": "mathfrak",
        "sans-serif": "mathsf",
        "monospace": "mathtt",
    }
)
_MAX_DEPTH = 60


def omml_latex(formula: Any) -> str:
    """LaTeX of an `oMath` or `oMathPara` element, on one line. Raises UnreadableDocument if too deep."""
    return clean_latex(_latex(formula, 0))


def _latex(element: Any, depth: int) -> str:
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    tag = element.tag
    if not isinstance(tag, str) or tag.endswith(("Pr", "}del", "}moveFrom", "}instrText", "}delText")):
        return ""
    convert = _ELEMENTS.get(tag.removeprefix(M))
    return convert(element, depth + 1) if convert is not None else _children(element, depth + 1)


def _children(element: Any, depth: int) -> str:
    return "".join(_latex(child, depth) for child in element)


def _part(element: Any, name: str, depth: int) -> str:
    """A named part, empty where it is missing."""
    found = element.find(f"{M}{name}")
    return _children(found, depth).strip() if found is not None else ""


def _setting(element: Any, path: str, default: str = "") -> str:
    """The value of a property; the default where it is not set."""
    found = element.find("/".join(f"{M}{name}" for name in path.split("/")))
    if found is None:
        return default
    return str(found.get(f"{M}val", ""))


def _is_on(element: Any, path: str) -> bool:
    """Whether a property is switched on; without a value it is."""
    found = element.find("/".join(f"{M}{name}" for name in path.split("/")))
    return found is not None and found.get(f"{M}val", "1") in ("1", "on", "true")


def _run(element: Any, depth: int) -> str:
    text = "".join(part.text or "" for part in element.iter() if isinstance(part.tag, str) and part.tag.endswith("}t"))
    if _is_on(element, "rPr/nor"):
        return text_latex(text)
    stripped = text.strip()
    if stripped in FUNCTIONS:
        return f"\\{stripped} "
    style = _setting(element, "rPr/sty", "i")
    command = _ALPHABETS.get(_setting(element, "rPr/scr"))
    if command is None and style in ("b", "bi") and any(letter.isalnum() for letter in stripped):
        command = "mathbf" if style == "b" else "boldsymbol"
    if command is None and style == "p" and len(stripped) > 1 and stripped.isalpha():
        return f"\\mathrm{{{stripped}}}" if stripped.isascii() else text_latex(text)
    latex = symbols_latex(text)
    return f"\\{command}{{{latex.strip()}}}" if command and stripped else latex


def _fraction(element: Any, depth: int) -> str:
    above, below = _part(element, "num", depth), _part(element, "den", depth)
    kind = _setting(element, "fPr/type", "bar")
    if kind == "noBar":
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
    if kind in ("lin", "skw"):
        return f"{{{above}}}/{{{below}}}"
    return f"\\frac{{{above}}}{{{below}}}"


def _scripts(element: Any, depth: int) -> str:
    """A base with a script below, above, or both."""
    base = script_base(_part(element, "e", depth))
    below, above = _part(element, "sub", depth), _part(element, "sup", depth)
    return f"{base}{f'_{group(below)}' if below else ''}{f'^{group(above)}' if above else ''}"


def _prescripts(element: Any, depth: int) -> str:
    return "{}" + _scripts_only(element, depth) + script_base(_part(element, "e", depth))


def _scripts_only(element: Any, depth: int) -> str:
    below, above = _part(element, "sub", depth), _part(element, "sup", depth)
    return f"{f'_{group(below)}' if below else ''}{f'^{group(above)}' if above else ''}"


def _radical(element: Any, depth: int) -> str:
    degree = "" if _is_on(element, "radPr/degHide") else _part(element, "deg", depth)
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e', depth)}}}"


def _large_operator(element: Any, depth: int) -> str:
    sign = _setting(element, "naryPr/chr", "∫") or "∫"
    operator = LARGE_OPERATORS.get(sign) or symbols_latex(sign).strip()
    return f"{operator}{_scripts_only(element, depth)} {_part(element, 'e', depth)} "


def _delimiters(element: Any, depth: int) -> str:
    opening, closing = _setting(element, "dPr/begChr", "("), _setting(element, "dPr/endChr", ")")
    between = _setting(element, "dPr/sepChr", "|") or " "
    parts = [_children(part, depth).strip() for part in element.findall(f"{M}e")]
    if len(parts) == 1 and (rows := _only_matrix(parts[0])) is not None:
        if environment := MATRIX_FENCES.get((opening, closing)):
            return rows_latex(environment, rows)
        if opening == "{" and not closing:
            return rows_latex("cases", rows)
    inner = f" {symbols_latex(between).strip()} ".join(parts)
    return f"\\left{fence_latex(opening)} {inner} \\right{fence_latex(closing)}"


def _only_matrix(latex: str) -> list[str] | None:
    """The rows, where the whole part is one matrix or one column of equations."""
    for environment in ("matrix", "aligned"):
        start, end = f"\\begin{{{environment}}}", f"\\end{{{environment}}}"
        if latex.startswith(start) and latex.find(end) == len(latex) - len(end):
            rows = latex[len(start) : -len(end)]
            return [rows] if "\\begin{" not in rows else None
    return None


def _matrix(element: Any, depth: int) -> str:
    rows = (
        " & ".join(_children(cell, depth).strip() for cell in row.findall(f"{M}e")) for row in element.findall(f"{M}mr")
    )
    return rows_latex("matrix", rows)


def _equations(element: Any, depth: int) -> str:
    rows = (_children(row, depth).strip().replace("\\&", "&") for row in element.findall(f"{M}e"))
    return rows_latex("aligned", rows)


def _accent(element: Any, depth: int) -> str:
    accent = ACCENTS.get(_setting(element, "accPr/chr", "\u0302"), "hat")
    base = _part(element, "e", depth)
    return accent_latex(accent, base)


def _bar(element: Any, depth: int) -> str:
    command = "overline" if _setting(element, "barPr/pos", "bot") == "top" else "underline"
    return f"\\{command}{{{_part(element, 'e', depth)}}}"


def _group_sign(element: Any, depth: int) -> str:
    sign = _setting(element, "groupChrPr/chr", "⏟")
    above = _setting(element, "groupChrPr/pos", "bot") == "top"
    base = _part(element, "e", depth)
    if sign in "⏞⏟︷︸":
        return f"\\{'overbrace' if above else 'underbrace'}{{{base}}}"
    return f"\\{'overset' if above else 'underset'}{{{symbols_latex(sign).strip()}}}{{{base}}}"


def _limit(sign: str) -> Callable[[Any, int], str]:
    def convert(element: Any, depth: int) -> str:
        base, limit = _part(element, "e", depth), _part(element, "lim", depth)
        if base.removeprefix("\\") in LIMIT_FUNCTIONS or base in LARGE_OPERATORS.values() or "brace{" in base[:12]:
            return f"{base}{sign}{group(limit)} "
        return f"\\{'underset' if sign == '_' else 'overset'}{{{limit}}}{{{base}}}"

    return convert


def _function(element: Any, depth: int) -> str:
    name, argument = _part(element, "fName", depth), _part(element, "e", depth)
    if name.isalpha():
        name = f"\\{name}" if name in FUNCTIONS else f"\\operatorname{{{name}}}"
    elif name.startswith("\\mathrm{") and name[8:-1].isalpha():
        name = f"\\operatorname{{{name[8:-1]}}}"
    return f"{name} {argument} "


def _boxed(element: Any, depth: int) -> str:
    return f"\\boxed{{{_part(element, 'e', depth)}}}"


def _paragraph(element: Any, depth: int) -> str:
    """Formulas of one paragraph: each on a line of its own."""
    found = [latex for child in element.findall(f"{M}oMath") if (latex := _children(child, depth).strip())]
    return found[0] if len(found) == 1 else rows_latex("gathered", found) if found else ""


_ELEMENTS: MappingProxyType[str, Callable[[Any, int], str]] = MappingProxyType(
    {
        "r": _run,
        "f": _fraction,
        "sSup": _scripts,
        "sSub": _scripts,
        "sSubSup": _scripts,
        "sPre": _prescripts,
        "rad": _radical,
        "nary": _large_operator,
        "d": _delimiters,
        "m": _matrix,
        "eqArr": _equations,
        "acc": _accent,
        "bar": _bar,
        "groupChr": _group_sign,
        "limLow": _limit("_"),
        "limUpp": _limit("^"),
        "func": _function,
        "borderBox": _boxed,
        "phant": lambda element, depth: "" if not _is_on(element, "phantPr/show") else _part(element, "e", depth),
        "oMathPara": _paragraph,
    }
)

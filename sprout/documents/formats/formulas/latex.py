"""LaTeX of single characters, words and accents: the tables that both converters of formulas share."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sprout.learning.text.normalization import one_line


def _table(listing: str) -> dict[str, str]:
    """Characters and their commands, from a list of `character command` pairs."""
    words = listing.split()
    return dict(zip(words[::2], (f"\\{command}" for command in words[1::2]), strict=True))


_GREEK = _table(
    "α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda "
    "μ mu µ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi "
    "ω omega Γ Gamma Δ Delta ∆ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega Ω Omega"
)
_SIGNS = _table(
    "± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∙ bullet ∗ ast ⋆ star ∘ circ ∕ slash ⊕ oplus ⊖ ominus ⊗ otimes ⊙ odot "
    "∧ wedge ∨ vee ∩ cap ∪ cup ∖ setminus ⊎ uplus ⊓ sqcap ⊔ sqcup ≤ leq ⩽ leq ≥ geq ⩾ geq ≠ neq ≈ approx ≃ simeq "
    "≅ cong ≡ equiv ∼ sim ∝ propto ≪ ll ≫ gg ≺ prec ≻ succ ⪯ preceq ⪰ succeq ≜ triangleq ≔ coloneqq ∈ in ∉ notin "
    "∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊄ nsubseteq ∣ mid ∤ nmid ∥ parallel ⊥ perp ⊢ vdash ⊨ models "
    "∀ forall ∃ exists ∄ nexists ¬ neg ∅ emptyset ∞ infty ∂ partial ∇ nabla √ surd ∠ angle △ triangle □ square "
    "ℏ hbar ℓ ell ℜ Re ℑ Im ℘ wp ℵ aleph ′ prime ″ prime\\prime ‴ prime\\prime\\prime ° circ … ldots ⋯ cdots ⋮ vdots "
    "⋱ ddots → to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ⟶ longrightarrow "
    "⟵ longleftarrow ⟹ Longrightarrow ⟸ Longleftarrow ⟺ iff ↦ mapsto ⟼ longmapsto ↑ uparrow ↓ downarrow ↗ nearrow "
    "↘ searrow ⇌ rightleftharpoons ⇀ rightharpoonup ↪ hookrightarrow ∴ therefore ∵ because † dagger ‡ ddagger "
    "⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ‖ | { { } } # # % % & & $ $ _ _ "
    "\\ backslash ~ sim"
)
LARGE_OPERATORS = MappingProxyType(
    _table(
        "∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint ⋃ bigcup ⋂ bigcap ⋁ bigvee ⋀ bigwedge "
        "⨁ bigoplus ⨂ bigotimes ⨀ bigodot ⨆ bigsqcup"
    )
)
ACCENTS = MappingProxyType(
    {
        **dict.fromkeys("^ˆ\u0302", "hat"),
        **dict.fromkeys("~˜\u0303∼", "tilde"),
        **dict.fromkeys("¯‾\u0304\u0305―-", "bar"),
        **dict.fromkeys("˙\u0307.", "dot"),
        **dict.fromkeys("¨\u0308", "ddot"),
        **dict.fromkeys("\u20db⃛", "dddot"),
        **dict.fromkeys("→\u20d7⇀\u20d1", "vec"),
        **dict.fromkeys("`\u0300", "grave"),
        **dict.fromkeys("´\u0301", "acute"),
        **dict.fromkeys("˘\u0306", "breve"),
        **dict.fromkeys("ˇ\u030c", "check"),
        **dict.fromkeys("⏞︷", "overbrace"),
        "_": "underline",
        "\u0332": "underline",
        "\u0333": "underline",
        **dict.fromkeys("⏟︸", "underbrace"),
        "\u20d6": "overleftarrow",
        "←": "overleftarrow",
        "\u20e1": "overleftrightarrow",
        "↔": "overleftrightarrow",
    }
)
_WIDE_ACCENTS = MappingProxyType({"hat": "widehat", "tilde": "widetilde", "bar": "overline", "vec": "overrightarrow"})
FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max "
    "min Pr sec sin sinh sup tan tanh".split()
)
LIMIT_FUNCTIONS = frozenset("det gcd inf lim liminf limsup max min Pr sup".split())
MATRIX_FENCES = MappingProxyType(
    {("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("{", "}"): "Bmatrix", ("|", "|"): "vmatrix", ("‖", "‖"): "Vmatrix"}
)
_COMMANDS: Mapping[str, str] = _GREEK | _SIGNS | LARGE_OPERATORS
_PLAIN = MappingProxyType({"−": "-", "–": "-", "‐": "-", "∶": ":", "ı": "\\imath ", "ȷ": "\\jmath ", "^": "\\hat{}"})
_NOTHING = frozenset("\u2061\u2062\u2063\u2064\u200b\u2060\ufeff")
_SPACES = MappingProxyType({"\u2003": "\\quad ", "\u2009": "\\,", "\u200a": "\\,", "\u2005": "\\:", "\u2004": "\\;"})
_ALPHABETS = (  # how Unicode names its mathematical letters, and the command that sets such a letter
    ("DOUBLE-STRUCK ", "mathbb"),
    ("MATHEMATICAL BOLD SCRIPT ", "mathcal"),
    ("MATHEMATICAL SCRIPT ", "mathcal"),
    ("SCRIPT ", "mathcal"),
    ("MATHEMATICAL BOLD FRAKTUR ", "mathfrak"),
    ("MATHEMATICAL FRAKTUR ", "mathfrak"),
    ("BLACK-LETTER ", "mathfrak"),
    ("MATHEMATICAL SANS-SERIF ", "mathsf"),
    ("MATHEMATICAL MONOSPACE ", "mathtt"),
    ("MATHEMATICAL BOLD ", "mathbf"),
    ("MATHEMATICAL ITALIC ", ""),
)
_WORD_COMMAND = re.compile(r"\\[A-Za-z]+$")
_SCRIPTS = re.compile("(?P<above>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ]+)|[₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ]+")
_TEXT_SPECIALS = re.compile(r"[\\{}#$%&_^~]")
_TEXT_COMMANDS = {"\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}"}
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?")
_STYLE_WRAPPER = re.compile(r"\{\\(?:displaystyle|textstyle)\b\s*(.*)\}", re.DOTALL)
_BRACES = re.compile(r"\\.|[{}]")
_DOLLAR = re.compile(r"(?<!\\)\$+")


def character_latex(character: str) -> str:
    """LaTeX of one character in a formula; a command is followed by a space."""
    if character in _NOTHING:
        return ""
    if command := _COMMANDS.get(character):
        return f"{command} " if command[-1].isalpha() else command
    if (plain := _PLAIN.get(character) or _SPACES.get(character)) is not None:
        return plain
    if character.isascii() or not unicodedata.decomposition(character).startswith("<font>"):
        return character
    return _styled_letter(character)


def _styled_letter(character: str) -> str:
    """A letter of one of Unicode's mathematical alphabets."""
    letter = character_latex(unicodedata.normalize("NFKC", character)).strip()
    name = unicodedata.name(character, "")
    command = next((command for prefix, command in _ALPHABETS if prefix in name), "")
    return f"\\{command}{{{letter}}}" if command else letter


def symbols_latex(text: str) -> str:
    """LaTeX of letters, digits and signs that stand beside each other; raised and lowered ones are scripts."""
    return _SCRIPTS.sub(_script_latex, "".join(map(character_latex, text)))


def _script_latex(found: re.Match[str]) -> str:
    return f"{'^' if found['above'] else '_'}{{{unicodedata.normalize('NFKC', found[0]).replace('−', '-')}}}"


def word_latex(name: str) -> str:
    """LaTeX of an identifier: a function, an upright word of several letters, or one symbol."""
    if name in FUNCTIONS:
        return f"\\{name} "
    if len(name) > 1 and name.isalpha() and name.isascii():
        return f"\\mathrm{{{name}}}"
    if len(name) > 1 and any(character.isspace() for character in name):
        return text_latex(name)
    return symbols_latex(name)


def text_latex(text: str) -> str:
    """Words within a formula, their spaces kept; nothing for no text."""
    if not text.strip():
        return "\\ " if text else ""
    escaped = _TEXT_SPECIALS.sub(lambda found: _TEXT_COMMANDS.get(found[0], f"\\{found[0]}"), text)
    return f"\\text{{{escaped}}}"


def fence_latex(character: str) -> str:
    """A delimiter that grows with what it encloses; a full stop for none."""
    return symbols_latex(character).strip() or "."


def rows_latex(environment: str, rows: Iterable[str]) -> str:
    """The rows of a matrix, of cases or of equations."""
    return f"\\begin{{{environment}}}" + " \\\\ ".join(rows) + f"\\end{{{environment}}}"


def accent_latex(accent: str, base: str) -> str:
    """The base below an accent, which is a wide one over several symbols."""
    wide = len(base) > 1 and not base.startswith("\\")
    return f"\\{_WIDE_ACCENTS.get(accent, accent) if wide else accent}{{{base}}}"


def group(latex: str) -> str:
    """The part as the argument of a command."""
    return f"{{{latex.strip()}}}"


def script_base(latex: str) -> str:
    """The part as the base of a script: in braces if it is more than one symbol; `{}` for none."""
    base = latex.strip()
    single = len(base) == 1 or _WORD_COMMAND.fullmatch(base) or re.fullmatch(r"\\math[a-z]+\{\w+\}|\d+|\\.", base)
    return base if base and single else f"{{{base}}}"


def _is_balanced(latex: str) -> bool:
    """Whether each brace that closes was opened before."""
    depth = 0
    for brace in _BRACES.findall(latex):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            return False
    return depth == 0


def clean_latex(latex: str) -> str:
    """LaTeX from a file on one line: without comments, the wrapper of a style, and dollars that would end a formula."""
    line = one_line(_COMMENT.sub("", latex))
    if (wrapped := _STYLE_WRAPPER.fullmatch(line)) and _is_balanced(wrapped[1]):
        line = wrapped[1].strip()
    dollars = 0

    def replaced(_: re.Match[str]) -> str:
        nonlocal dollars
        dollars += 1
        return "\\(" if dollars % 2 else "\\)"

    line = _DOLLAR.sub(replaced, line).strip()
    return f"{line} " if line.endswith("\\") and not line.endswith("\\\\") else line

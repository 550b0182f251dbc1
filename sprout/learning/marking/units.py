"""Units as people write them behind a number: read name by name, known and converted by pint.

Only single names and small whole exponents reach pint, never a learner's text: its own parser computes what it reads,
and a tower of exponents keeps it busy for ever.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from sprout.learning.text.normalization import one_line

if TYPE_CHECKING:
    from pint import UnitRegistry

MAX_UNIT = 40
SHORTEST_NAME = 4  # of a unit behind its prefix

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_LIFTED = re.compile("[⁰¹²³⁴-⁹⁺⁻]+")
_SIGNS = str.maketrans({"º": "°", "˚": "°", "\u2212": "-", "–": "-", "⋅": "·", "∙": "·", "٫": ".", "⁄": "/"})
_TOKEN = re.compile(r"(?P<name>° ?[CFKR]|[°%‰]|[^\W\d_]{1,24})(?:\^?(?P<power>[-+]?\d)(?!\d))?|(?P<operator>[*·/()])| ")
_PER = re.compile(r" (?:pro|je|par|por|all['’]|al\b|à l['’]|op|na) ?(?=\w)", re.IGNORECASE)  # "chilometri all'ora"
_LONG_WORD = re.compile(r"[^\W\d_]{4}")
_MONEY = {
    "£": ("pound", "pounds", "gbp"),
    "$": ("dollar", "dollars", "usd"),
    "€": ("euro", "euros", "eur"),
    "¥": ("yen", "jpy"),
}  # pint knows no money, and takes pounds for a mass
_ALIASES = {
    **dict.fromkeys(("u", "uur", "std", "stunde", "stunden", "heure", "heures", "hora", "horas", "ora", "ore"), "hour"),
    **dict.fromkeys(("sek", "sekunde", "sekunden", "seconde", "secondes", "segundo", "segundos", "secondi"), "second"),
    **dict.fromkeys(("minuten", "minuto", "minutos", "minuti"), "minute"),
    **dict.fromkeys(("gr", "gramm", "gramme", "grammes", "gramos", "grammi"), "gram"),
    **dict.fromkeys(("metro", "metros", "metri", "mètre", "mètres"), "meter"),
    **dict.fromkeys(("litro", "litros", "litri"), "liter"),
}  # as they are written elsewhere
_PREFIXES = {
    "milli": "milli", "mili": "milli", "mikro": "micro", "micro": "micro", "zenti": "centi", "centi": "centi",
    "dezi": "deci", "deci": "deci", "kilo": "kilo", "chilo": "kilo",
}  # fmt: skip
_HUNDREDTHS = {
    "€": ("cent", "cents", "eurocent", "eurocents", "ct", "centime", "centimes", "céntimos", "centesimi", "cêntimos"),
    "$": ("cent", "cents", "ct", "¢"),
    "£": ("penny", "pence", "p"),
}
_SCALES = frozenset({"degree_Celsius", "degree_Fahrenheit", "degree_Reaumur"})  # whose zero is not nothing
_SIGN_OF = {name: sign for sign, names in _MONEY.items() for name in names}


@dataclass(frozen=True, slots=True)
class Unit:
    """Pint's name of each unit and its exponent, sorted; empty for a pure number.

    `is_short` says that it was written as one letter, which may have meant something else: 100 F is seldom farads.
    """

    powers: tuple[tuple[str, int], ...] = ()
    is_short: bool = False


DIMENSIONLESS = Unit()


def normalize_spelling(text: str) -> str:
    """The text on one line with exponents written as ^2, fractions with a slash and one form of each sign."""
    lifted = _LIFTED.sub(lambda found: "^" + found[0].translate(_SUPERSCRIPTS), text)
    parted = "".join(f" {character}" if unicodedata.category(character) == "No" else character for character in lifted)
    return one_line(unicodedata.normalize("NFKC", parted.translate(_SIGNS)).translate(_SIGNS)).replace("**", "^")


def load_units() -> None:
    """Load the table of units, which takes a third of a second once in a process."""
    _registry()


def same_unit(one: str, other: str) -> bool:
    """Whether two texts spell one unit: spaces never count, capitals and a plural s only in words (not in mW, MW)."""
    return _key(one) == _key(other)


def is_hundredth(one: str, of: str) -> bool:
    """Whether a unit of money is a hundredth of another one: cents of €."""
    sign = _SIGN_OF.get(_key(of), of.strip())
    return one.strip().casefold() in _HUNDREDTHS.get(sign, ())


@lru_cache(maxsize=512)
def parse_unit(text: str) -> Unit | None:
    """The unit that the text names, such as "m/s²", "km/h", "J/(kg K)" or "%"; None where there is a word in it that is
    no unit, or more than a product of small powers."""
    powers: Counter[str] = Counter()
    below = grouped = False
    names = []
    for token in _tokens(_PER.sub("/", re.sub("^1 ?/", "/", normalize_spelling(text)))):
        name, operator = token["name"], token["operator"]
        if operator in ("(", ")"):
            grouped, below = operator == "(", below and operator == "("
        elif operator == "/" or (name or "").casefold() == "per":
            below = True
        elif name:
            powers[_pint_name(name.replace(" ", "")) or ""] += int(token["power"] or 1) * (-1 if below else 1)
            names.append(token[0])
            below = below and grouped
    if not names or "" in powers:
        return None
    return Unit(tuple(sorted(powers.items())), is_short=len(names) == 1 and len(names[0]) == 1)


def convert(value: float, source: Unit, target: Unit) -> float | None:
    """The value in the other unit, degrees as temperatures on their scales; None where the two are of different kinds.

    A pure number and an angle or a percentage are of one kind.
    """
    from pint import PintError

    registry = _registry()
    try:
        quantity = registry.Quantity(value, registry.UnitsContainer(_pint_powers(source)))
        return float(quantity.to(registry.UnitsContainer(_pint_powers(target))).magnitude)
    except (PintError, ArithmeticError, ValueError):
        return None


def _tokens(plain: str) -> list[re.Match[str]]:
    """The names, powers and signs that the text consists of; none where it is too long or holds anything else."""
    if len(plain) > MAX_UNIT or plain[-1:] in ("*", "·", "/", "("):
        return []
    tokens = list(_TOKEN.finditer(plain))
    return tokens if sum(token.end() - token.start() for token in tokens) == len(plain) else []


def _key(text: str) -> str:
    plain = normalize_spelling(text).replace(" ", "")
    if not _LONG_WORD.search(plain):
        return _SIGN_OF.get(plain.casefold(), plain)
    word = plain.casefold()
    return _SIGN_OF.get(word, word.removesuffix("s"))


def _pint_name(name: str) -> str | None:
    """Pint's name of the unit; words in small letters too, where they are none as they stand (Newton, KG)."""
    if name == "°":
        return "degree"
    name = _english(name)
    parse = _registry().parse_unit_name
    for spelling in (name, name.casefold()) if len(name) > 1 else (name,):
        for prefix, unit, _plural in parse(spelling):
            # Pint converts a prefixed name only where that name can be parted in one way.
            return prefix + unit if not prefix or len(parse(prefix + unit)) == 1 else None
    return None


def _english(name: str) -> str:
    """The English name of a unit of another language, with its prefix: "Millisekunden"."""
    word = name.casefold()
    prefix = next((one for one in _PREFIXES if word.startswith(one) and word != one), "")
    unit = word.removeprefix(prefix)
    if word in _ALIASES or not prefix:
        return _ALIASES.get(word, name)
    return _PREFIXES[prefix] + _ALIASES.get(unit, unit) if len(unit) >= SHORTEST_NAME else name


def _pint_powers(unit: Unit) -> dict[str, int]:
    """The powers for pint: within a product a degree is a difference of temperatures, as in J/(kg °C)."""
    if len(unit.powers) == 1 and unit.powers[0][1] == 1:
        return dict(unit.powers)
    return {f"delta_{name}" if name in _SCALES else name: power for name, power in unit.powers}


@cache
def _registry() -> "UnitRegistry[Any]":
    """Made at first use: the import takes a tenth of a second, and so do the tables."""
    from pint import UnitRegistry

    return UnitRegistry(cache_folder=None)

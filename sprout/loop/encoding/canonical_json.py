"""Canonical JSON of tool inputs: equal for inputs that mean the same."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class _Literal:
    text: str


def canonical_json(value: object) -> str:
    """JSON that is the same for inputs that mean the same.

    Keys are sorted, 1.0 is 1, white space within texts is folded to single spaces. It does not recurse, so that an
    input may be nested as deeply as JSON can be read.
    """
    written: list[str] = []
    ahead: list[object] = [value]
    while ahead:
        item = ahead.pop()
        match item:
            case _Literal(text):
                written.append(text)
            case Mapping():
                pairs = [[_Literal(f"{json.dumps(key)}:"), item[key]] for key in sorted(item)]
                ahead += _backwards("{", pairs, "}")
            case list() | tuple():
                ahead += _backwards("[", [[element] for element in item], "]")
            case _:
                written.append(json.dumps(_plain(item), ensure_ascii=False))
    return "".join(written)


def _backwards(opening: str, groups: Sequence[Sequence[object]], closing: str) -> list[object]:
    parts: list[object] = []
    for group in groups:
        parts += [_Literal("," if parts else opening), *group]
    return [_Literal(closing), *reversed(parts or [_Literal(opening)])]


def _plain(leaf: object) -> object:
    if isinstance(leaf, str):
        return " ".join(leaf.split())
    if isinstance(leaf, float) and leaf.is_integer():
        return int(leaf)
    return leaf


def canonical_hash(*values: object) -> str:
    """A hash that is equal for values whose canonical forms are equal."""
    return sha256(canonical_json(values).encode(errors="surrogatepass")).hexdigest()

"""Mending of a tool's input: what a person would understand is brought into the form of the schema.

Only an input that does not fit is mended, and only its shape: null and empty optional fields are left out, text that
holds a list or a number is read as one, values of a fixed set are matched to it, and what is too much is cut. What it
means is the tool's to judge. A field may help with keys of its JSON schema that the model is not shown:

- `synonyms`: other words for its values, in small letters.
- `text_is`: of an object, the field that is meant where only a text is given.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MAX_NOTES = 8
MAX_SHOWN = 60
PERCENT = 100
WRAPPERS = frozenset({"input", "arguments", "args", "parameters", "params", "properties"})
HIDDEN_KEYS = ("synonyms", "text_is")
NAMED = ("properties", "$defs")

Schema = Mapping[str, Any]

_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?(?:\d{1,2}|[A-Za-z])[.):])\s+")
_INLINE_LABEL = re.compile(r"(?:^|[\s,;])\(?([A-Ha-h]|\d)[.)]\s+")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_FRACTION = re.compile(r"([-+]?\d+)\s*/\s*(\d+)")
_BEFORE_NUMBER = re.compile(r"^(?:about|approximately|approx\.?|ca\.?|level|[≈~=±])\s*", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def mend_input(schema: Schema, given: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The input in the form of the schema as far as it can be brought there, and what was mended, in a sentence each.

    Args:
        schema: of an object, with the `$defs` that it refers to.
    """
    mending = _Mending(schema.get("$defs") or {})
    mended = mending.mend_object(_unwrapped(schema, given), schema, "")
    return mended, tuple(dict.fromkeys(mending.notes))[:MAX_NOTES]


def shown_schema(schema: Any) -> Any:
    """The schema without the keys that are for mending alone."""
    if isinstance(schema, Mapping):
        return {
            key: {name: shown_schema(one) for name, one in value.items()} if key in NAMED else shown_schema(value)
            for key, value in schema.items()
            if key not in HIDDEN_KEYS
        }
    return [shown_schema(one) for one in schema] if isinstance(schema, list) else schema


@dataclass(slots=True)
class _Mending:
    definitions: Mapping[str, Any]
    notes: list[str] = field(default_factory=list)

    def mend(self, value: Any, schema: Schema, place: str) -> Any:
        schema = self._resolved(schema)
        if value is None:
            return None
        if "enum" in schema or "const" in schema:
            return self._member(value, schema, place)
        match schema.get("type"):
            case "object":
                return self.mend_object(value, schema, place)
            case "array":
                return self._mend_list(value, schema, place)
            case "string":
                return self._mend_text(value, schema, place)
            case "number" | "integer":
                return self._mend_number(value, schema, place)
            case _:
                return value

    def mend_object(self, value: Any, schema: Schema, place: str) -> Any:
        schema = self._resolved(schema)
        properties: Mapping[str, Any] = schema.get("properties") or {}
        value = _parsed(_only_item(value), dict)
        if isinstance(value, str) and (name := schema.get("text_is")) and value.strip():
            value = {name: value}
        if not isinstance(value, Mapping) or not properties:
            return value
        kept = self._named_fields(value, properties, place)
        required = schema.get("required") or ()
        mended = {}
        for name, one in kept.items():
            inner = f"{place}.{name}" if place else name
            changed = self.mend(one, properties[name], inner)
            if name not in required and _is_empty(changed) and not self._accepts(changed, properties[name]):
                continue
            mended[name] = changed
        return mended

    def _mend_list(self, value: Any, schema: Schema, place: str) -> Any:
        item = self._resolved(schema.get("items") or {})
        found = [one for one in self._as_list(value, item, place) if not _is_empty(one)]
        mended = [self.mend(one, item, f"{place} {position}") for position, one in enumerate(found, start=1)]
        most = schema.get("maxItems")
        if most is not None and len(mended) > most:
            self.notes.append(f"{place}: the first {most} are enough, the others were left out")
            mended = mended[:most]
        return mended

    def _as_list(self, value: Any, item: Schema, place: str) -> list[Any]:
        value = _parsed(value, list)
        if isinstance(value, list):
            inner = _parsed(_only_item(value), list)
            return inner if isinstance(inner, list) else value
        self.notes.append(f"{place}: read as a list")
        if isinstance(value, str):
            return [value] if item.get("type") == "object" and "text_is" not in item else _split(value)
        if not isinstance(value, Mapping):
            return [value]
        properties = item.get("properties") or {}
        if any(_key(name) in map(_key, properties) for name in value):
            return [value]
        pair = [name for name in properties if name in (item.get("required") or ())]
        if len(pair) == 2 and all(isinstance(one, str) for one in value.values()):
            return [{pair[0]: key, pair[1]: one} for key, one in value.items()]
        return list(value.values())

    def _mend_text(self, value: Any, schema: Schema, place: str) -> Any:
        if isinstance(value, Mapping) and len(value) == 1:
            value = next(iter(value.values()))
        if isinstance(value, list) and all(isinstance(one, (str, int, float)) or _is_empty(one) for one in value):
            value = "\n".join(str(one) for one in value if not _is_empty(one))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            value = f"{value:.12g}"
        if not isinstance(value, str):
            return value
        most = schema.get("maxLength")
        if most is not None and len(value) > most:
            self.notes.append(f"{place}: cut to {most} characters")
            return value[: most - 2].rsplit(" ", 1)[0] + " …"
        return value

    def _mend_number(self, value: Any, schema: Schema, place: str) -> Any:
        value = _only_item(value)
        if schema.get("synonyms") and isinstance(value, str):
            value = schema["synonyms"].get(_words(value), value)
        most = schema.get("maximum")
        number = _read_number(value, is_share=most == 1)
        if number is None:
            return value
        if most == 1 and 1 < number <= PERCENT:
            number /= PERCENT
        if schema.get("type") == "integer" and number != int(number):
            number = round(number)
        least = schema.get("minimum")
        bounded = min(max(number, least if least is not None else number), most if most is not None else number)
        if bounded != number:
            self.notes.append(f"{place}: {number:g} is beyond what there is, {bounded:g} was taken")
        return int(bounded) if schema.get("type") == "integer" else bounded

    def _member(self, value: Any, schema: Schema, place: str) -> Any:
        members: Sequence[Any] = [schema["const"]] if "const" in schema else schema["enum"]
        value = _only_item(value)
        if value in members or not isinstance(value, str):
            return value
        wanted = _words(value)
        by_words = {_words(str(one)): one for one in members} | dict(schema.get("synonyms") or {})
        if wanted not in by_words:
            return value
        self.notes.append(f"{place}: {value[:MAX_SHOWN]!r} was taken as {by_words[wanted]!r}")
        return by_words[wanted]

    def _named_fields(self, value: Mapping[str, Any], properties: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The fields by the names of the schema; those of other spelling are taken as theirs, the rest is left out."""
        by_key = {_key(name): name for name in properties}
        kept = {name: one for name, one in value.items() if name in properties}
        for name, one in value.items():
            if name in properties:
                continue
            meant = by_key.get(_key(name))
            if meant is not None and meant not in kept:
                kept[meant] = one
            elif not _is_empty(one):
                self.notes.append(f"{f'{place}: ' if place else ''}there is no field {name[:MAX_SHOWN]!r}: left out")
        return kept

    def _resolved(self, schema: Schema) -> Schema:
        """The schema behind a reference and beside null; its own keys come before those that it refers to."""
        while True:
            others = [one for one in schema.get("anyOf") or () if one.get("type") != "null"]
            if "$ref" in schema:
                target = self.definitions.get(str(schema["$ref"]).rsplit("/", 1)[-1]) or {}
                schema = {**target, **{key: one for key, one in schema.items() if key != "$ref"}}
            elif len(others) == 1:
                schema = {**others[0], **{key: one for key, one in schema.items() if key != "anyOf"}}
            else:
                return schema

    def _accepts(self, empty: Any, schema: Schema) -> bool:
        """Whether the field takes this empty value as it stands."""
        if empty is None:
            return any(one.get("type") == "null" for one in schema.get("anyOf") or ())
        schema = self._resolved(schema)
        kind, least = ("string", "minLength") if isinstance(empty, str) else ("array", "minItems")
        return "enum" not in schema and schema.get("type") == kind and not schema.get(least)


def _unwrapped(schema: Schema, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of an input that was written inside another object."""
    properties = schema.get("properties") or {}
    for name, value in given.items():
        inner = _parsed(value, dict)
        if name not in properties and name.lower() in WRAPPERS and isinstance(inner, Mapping):
            return {**inner, **{other: one for other, one in given.items() if other in properties}}
    return given


def _parsed(value: Any, kind: type) -> Any:
    """The JSON that a text holds, if it is of this kind; else the value as it is."""
    if not isinstance(value, str) or value.strip()[:1] not in "[{" or not value.strip():
        return value
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, kind) else value


def _only_item(value: Any) -> Any:
    """The one item of a list whose others are empty; else the value as it is."""
    items = [one for one in value if not _is_empty(one)] if isinstance(value, list) else []
    return items[0] if len(items) == 1 else value


def _split(text: str) -> list[str]:
    """The items of a list that was written as text: by lines, by labels in a row, by semicolons, or words by commas."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        return [_BULLET.sub("", line).strip() for line in lines]
    labels = list(_INLINE_LABEL.finditer(text))
    if len(labels) > 1 and _in_a_row([label[1] for label in labels]) and not text[: labels[0].start()].strip():
        ends = [label.start() for label in labels[1:]] + [len(text)]
        return [text[label.end() : end].strip(" ,;") for label, end in zip(labels, ends, strict=True)]
    if ";" in text:
        return [part.strip() for part in text.split(";")]
    parts = [part.strip() for part in text.split(",")]
    return parts if not any(" " in part for part in parts) else [text.strip()]


def _in_a_row(labels: Sequence[str]) -> bool:
    first = ord(labels[0].lower())
    return [ord(label.lower()) - first for label in labels] == list(range(len(labels)))


def _read_number(value: Any, *, is_share: bool) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    if not isinstance(value, str):
        return None
    text = _BEFORE_NUMBER.sub("", value.replace("\u2212", "-").strip()).strip()
    if is_share and text.endswith("%"):
        text, is_percent = text[:-1].strip(), True
    else:
        is_percent = False
    if fraction := _FRACTION.fullmatch(text):
        whole = int(fraction[2])
        number = int(fraction[1]) / whole if whole else None
        return number if number is None or number <= 1 or not is_share else None
    if re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", text) or not _NUMBER.fullmatch(text):
        return None  # 1,500 is one and a half in one country and more in another
    number = float(text.replace(",", "."))
    return number / PERCENT if is_percent else number


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


def _words(text: str) -> str:
    return " ".join(re.sub(r"[_\-]+", " ", text.strip().strip("\"'`“”.").casefold()).split())


def _key(name: str) -> str:
    """A field's name without what models vary: capitals, hyphens, blanks, the plural."""
    return re.sub(r"[^a-z0-9]", "", _CAMEL.sub("_", name).lower()).rstrip("s")

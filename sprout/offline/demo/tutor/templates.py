"""The sentences that the offline tutor puts around what was prepared, in the language of the lesson."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sprout.learning.text.language import detect_language
from sprout.yaml_loader import load_yaml

CODES = ("en", "de")
MAX_WORDINGS = 4
_WORDING = re.compile(r"_\d$")
_INNER = str.maketrans("“”„", "‘’‚")


@dataclass(frozen=True, slots=True)
class Templates:
    """The sentences of one language."""

    code: str
    texts: Mapping[str, str]

    def render(self, name: str, **values: str) -> str:
        """The sentence of that name with its braces filled. Raises KeyError for a name or a value that is missing."""
        text = self.texts[name]
        for key, value in values.items():
            text = text.replace(f"{{{key}}}", inner_quotes(value) if key == "title" else value)
        return text

    def wordings(self, name: str) -> list[str]:
        """Names of all wordings of a sentence: `name`, `name_2` and so on."""
        return [name, *(f"{name}_{at}" for at in range(2, MAX_WORDINGS + 1) if f"{name}_{at}" in self.texts)]

    def fresh(self, name: str, said: str, **values: str) -> str:
        """The wording of that name that was said least often, the first of several."""
        least = min(self.wordings(name), key=lambda one: said.count(self.constant_part(one)))
        return self.render(least, **values)

    def constant_part(self, name: str) -> str:
        """The longest part of the sentence that stands in it whatever its braces are filled with."""
        return max(re.split(r"\{\w+\}", self.texts[name]), key=len)


def inner_quotes(title: str) -> str:
    """The title as it stands in quotation marks: its own are single ones."""
    return title.translate(_INNER)


@cache
def templates_for(code: str) -> Templates:
    """The sentences of a language; English where there are none of it."""
    known = code if code in CODES else "en"
    return Templates(known, _texts()[known])


@cache
def notes_templates(code: str) -> Templates:
    """The sentences of a lesson from notes, in the language that the notes are in.

    Those that no lesson from notes says are English in most languages. What a language says has no other wordings than
    its own.
    """
    own = _texts().get(code, {})
    others = {name: text for name, text in _texts()["en"].items() if _WORDING.sub("", name) not in own}
    return Templates(code, others | own)


@cache
def _texts() -> dict[str, dict[str, str]]:
    source = files("sprout.offline.demo.tutor").joinpath("templates.yaml")
    texts: dict[str, dict[str, str]] = load_yaml(source.read_text(encoding="utf-8"))
    return texts


def spoken_language(texts: Iterable[str], default: str = "en") -> str:
    """The language of the first of these texts that shows one; one of `CODES`."""
    shown = (detect_language(text, among=CODES, default="") for text in texts)
    return next(filter(None, shown), default if default in CODES else "en")

"""The sentences that the offline tutor puts around what was prepared, in the language of the lesson."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.words import words_of
from sprout.yaml_loader import load_yaml

CODES = ("en", "de")
MAX_WORDINGS = 4
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
    """The sentences of a lesson from notes, in the language that the notes are in."""
    return Templates(code, _texts()["en"] | _texts().get(code, {}))


@cache
def _texts() -> dict[str, dict[str, str]]:
    source = files("sprout.offline.demo.tutor").joinpath("templates.yaml")
    texts: dict[str, dict[str, str]] = load_yaml(source.read_text(encoding="utf-8"))
    return texts


def detect_language(texts: Iterable[str], default: str = "en") -> str:
    """The language of the first of these texts that shows one; one of `CODES`."""
    for text in texts:
        words = words_of(text)
        shares = {code: sum(_is_distinctive(word, code) for word in words) for code in CODES}
        best = max(shares, key=lambda code: shares[code])
        if shares[best] > max((share for code, share in shares.items() if code != best), default=0):
            return best
    return default if default in CODES else "en"


def _is_distinctive(word: str, code: str) -> bool:
    return word in _distinctive_words(code) or bool(_LETTERS[code] & set(word))


@cache
def _distinctive_words(code: str) -> frozenset[str]:
    """Words that only this language has, of those that tell."""
    own = words_in(code).stopwords | frozenset(_EXTRA_WORDS[code].split())
    others = (words_in(other).stopwords | frozenset(_EXTRA_WORDS[other].split()) for other in CODES if other != code)
    return own - frozenset().union(*others)


# What learners say that little words do not show.
_EXTRA_WORDS = {
    "en": "answer hint help please idk dunno what's i'm don't i know right wrong sure tell why hello yes no clue easy",
    "de": "antwort lösung tipp hinweis hilfe bitte keine ahnung weiß falsch richtig sicher sag warum hallo ja nein"
    " einfach langweilig mir mich dir ich doch mal stimmt dein deine deinen bestanden anweisungen",
}
_LETTERS = {"en": frozenset[str](), "de": frozenset("äöüß")}

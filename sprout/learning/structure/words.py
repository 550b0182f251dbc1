"""Words by which documents name their parts, from `roles.toml`."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sprout.learning.text.normalization import folded


@cache
def role_words() -> Mapping[str, Any]:
    """The tables of `roles.toml`."""
    return tomllib.loads(files("sprout.learning.structure").joinpath("roles.toml").read_text(encoding="utf-8"))


def phrases(lines: str | Iterable[str]) -> frozenset[str]:
    """The folded phrases of one line, or of several."""
    joined = lines if isinstance(lines, str) else "|".join(lines)
    return frozenset(phrase for part in joined.split("|") if (phrase := folded(part)))


def alternatives(lines: str | Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest first, within a group that captures nothing."""
    ordered = sorted(phrases(lines), key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in ordered) + ")"


@cache
def chapter_pattern() -> re.Pattern[str]:
    """A chapter's word with its number at the start of a heading: "Chapter 4", "Kapitel 2.1", "2. Woche"."""
    words = alternatives(role_words()["numbering"]["chapters"])
    number = r"(?:\d{1,3}(?:\.\d{1,3})*[a-z]?(?:\s?[&–-]\s?\d{1,3})?|[ivxlc]{1,7}|[a-h](?=\W))"
    after = r"(?!\w)(?!\s+(?-i:(?!cont['’]?d)[a-zà-ÿ]))"  # "Part I played" is no chapter
    counted = rf"(?:\d{{1,3}}|[ivx]{{1,5}})\.\s?{words}(?=\s*(?:[:(–—-]|$))"
    return re.compile(rf"\s*(?:{words}:?\s+(?:№\s?)?{number}{after}|{counted})", re.IGNORECASE)


@cache
def caption_pattern(kind: str) -> re.Pattern[str]:
    """The start of a caption of a "figure" or a "table": "Figure 3.1:", "Abb. 2 Eine Zelle"."""
    words = alternatives(role_words()["captions"][kind])
    number = r"\d{1,3}(?:[.\-–]\d{1,3}){0,3}[a-z]?"
    after = r"(?:\s*[:.|–—-](?=\s|$)|\s*$|\s+(?=\(|[A-ZÀ-ÞΑ-ΩА-Я]))"
    return re.compile(rf"\W{{0,3}}(?i:{words})\s*{number}\W{{0,3}}?{after}")


@cache
def answer_pattern() -> re.Pattern[str]:
    """The start of an answer: "Answer: …", "Lösung 3: …", or the word alone."""
    words = alternatives(role_words()["lines"]["answers"])
    return re.compile(rf"\W{{0,4}}{words}(?:\s+[\w.]{{1,6}})?\s*(?:[:：]|$)", re.IGNORECASE)

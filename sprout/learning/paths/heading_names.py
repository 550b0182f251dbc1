"""Names of headings in the description of a concept: "In your notes: Cells · Cells › Membranes"."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sprout.learning.paths.passages import HEADING_SEPARATOR, OPENING, named_in
from sprout.learning.structure.titles import heading_key
from sprout.learning.text.language import DEFAULT_LANGUAGE


@dataclass(frozen=True, slots=True)
class HeadingName:
    """The end of a path of headings, as keys; `opening`: only the text before the section's first subsection."""

    keys: tuple[str, ...]
    opening: bool

    def names(self, keys: Sequence[str]) -> bool:
        """Whether the section with this path of keys is the one that is named."""
        return tuple(keys[-len(self.keys) :]) == self.keys


def heading_names(desc: str) -> list[HeadingName]:
    """The headings that a description names after its colon; what follows a colon in other words names none."""
    return [
        HeadingName(
            tuple(map(heading_key, name.removesuffix(OPENING).split(HEADING_SEPARATOR))), name.endswith(OPENING)
        )
        for name in named_in(desc)
    ]


def names_headings(desc: str) -> bool:
    """Whether a description is one of a part of a learner's notes, which its lesson reads."""
    return any(desc.startswith(cover.format(headings="")) for cover in _covers().values())


def description_of(headings: str, *, language: str) -> str:
    """The description of a concept that teaches what stands under these headings."""
    return _covers().get(language, _covers()[DEFAULT_LANGUAGE]).format(headings=headings)


@cache
def _covers() -> dict[str, str]:
    source = files("sprout.learning.paths").joinpath("heading_names.toml")
    table: dict[str, str] = tomllib.loads(source.read_text(encoding="utf-8"))["covers"]
    return table

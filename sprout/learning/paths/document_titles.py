"""Titles of paths from files: the title that a document gives itself, in place of the file's name."""

import re

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.titles import LONGEST_TITLE, clean_title, word_forms

READ_CHARACTERS = 20_000  # a title stands at the beginning
LONGEST = 120

_EXTENSION = re.compile(r"\.[^.]+$")
_JOINTS = re.compile(r"[-_]+")


def file_title(filename: str) -> str:
    """The title that the page gives a path of files alone: the first file's name, its words parted."""
    return " ".join(_JOINTS.sub(" ", _EXTENSION.sub("", filename)).split())


def document_title(text: str) -> str:
    """The title of a document: of its front matter, or its first heading where that stands over all others.

    Empty where it has none, or one that is too long to name a path.
    """
    beginning = text[:READ_CHARACTERS]
    root = read_structure(beginning)
    over_all = len(root.subsections) == 1 and not root.blocks
    title = root.title or (root.subsections[0].title if over_all else "")
    if not title or len(title) > LONGEST_TITLE:
        return ""
    clean = clean_title(title, forms=word_forms(beginning))
    return clean if len(clean) <= LONGEST else ""

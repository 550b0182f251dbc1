"""Names to sign in with: how they are written, and when two are the same."""

import re
import unicodedata

from sprout.errors import BadInput

MAX_NAME = 64
_NAME = re.compile(r"[\w.@+-]+")


def sign_in_name(text: str) -> str:
    """The name as it is kept: letters, digits and `. _ - @ +`. Raises BadInput."""
    name = unicodedata.normalize("NFKC", text).strip()
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise BadInput(
            "name: write 1 to {most} letters, digits and . _ - @ + without spaces.",
            field="name",
            code="name_unfit",
            most=MAX_NAME,
        )
    return name


def name_of_nickname(nickname: str, suffix: str) -> str:
    """A name for an account that was made with a nickname, which many may have; the suffix makes it one of a kind."""
    letters = re.sub(r"[^\w]", "", unicodedata.normalize("NFKC", nickname).casefold())
    return f"{letters[: MAX_NAME - len(suffix) - 1]}-{suffix}"


def name_key(text: str) -> str:
    """The same for all ways to write one name, so that no two accounts differ by case or by form alone."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).strip().casefold())

"""Passwords: which are good enough, and their hashes (argon2id, RFC 9106).

The cost is the one that the OWASP Password Storage Cheat Sheet names: 19 MiB, two passes, one lane.
"""

import re
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sprout.accounts.names import name_key
from sprout.errors import BadInput

MIN_LENGTH, MAX_LENGTH = 10, 200
MIN_CHARACTERS = 5  # different ones
_RUNS = ("abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm")
_LETTERS_FOR = str.maketrans("013457@$!", "oieastasi")
# What guessing begins with: these words, alone or with digits and signs around them.
_COMMON = frozenset(
    "abc admin baby changeme charlie computer default dragon football fussball geheim hallo hello ich "
    "ichliebedich iloveyou lehrer letmein liebe login master michael monkey mustang passwd password passwort "
    "princess qwerty qwertz schalke schatz school schueler schule secret shadow soccer sommer sonne "
    "sonnenschein sprout star starwars student summer sunshine superman teacher test trustno user welcome "
    "willkommen winter".split()
)
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def check_password(password: str, name: str) -> None:
    """Raises BadInput for a password of this name that is too short, too long, or among the first to be guessed."""
    text = _normalized(password)
    if len(text) < MIN_LENGTH:
        message = "password: use at least {least} characters."
        raise BadInput(message, field="password", code="password_short", least=MIN_LENGTH)
    if len(text) > MAX_LENGTH:
        message = "password: use at most {most} characters."
        raise BadInput(message, field="password", code="password_long", most=MAX_LENGTH)
    if _is_common(text.casefold(), name_key(name)):
        message = "password: this one is easy to guess. A few words that don't belong together are good."
        raise BadInput(message, field="password", code="password_common")


def hash_password(password: str) -> str:
    """A hash to keep. Takes tens of milliseconds: to be called in a thread."""
    return _HASHER.hash(_normalized(password))


def verify_password(kept: str, password: str) -> bool:
    """Whether it is the password of the hash; as slow as hashing."""
    try:
        return _HASHER.verify(kept, _normalized(password))
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(kept: str) -> bool:
    """Whether the hash was made at another cost than that of now."""
    return _HASHER.check_needs_rehash(kept)


def _normalized(password: str) -> str:
    """One form for all ways to type the same characters; unpaired surrogates, which no hash takes, as `?`."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "replace").decode()


def _is_common(text: str, name: str) -> bool:
    inner = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", text)
    bases = {inner, inner.translate(_LETTERS_FOR), text.translate(_LETTERS_FOR)}
    return (
        len(set(text)) < MIN_CHARACTERS
        or bool(bases & _COMMON)
        or (len(name) > 2 and name in text and len(text) - len(name) < MIN_LENGTH)
        or re.fullmatch(r"(.{1,7}?)\1+.{0,3}", text) is not None
        or any(_is_run(text, run) or _is_run(text[::-1], run) for run in _RUNS)
    )


def _is_run(text: str, run: str) -> bool:
    """Whether the text begins with eight neighbours of a keyboard or an alphabet."""
    return text[:8] in run

"""Class codes: eight characters with which learners join a class, without vowels and without look-alikes.

They are kept in the clear: a teacher must be able to show one again, and all that it gives is membership, which the
teacher sees and can end.
"""

import secrets
import unicodedata

LENGTH = 8
ALPHABET = "BCDFGHJKLMNPQRSTVWXYZ3479"
_LOOK_ALIKES = str.maketrans("125680IOU", "LZSGBQLQV")


def new_class_code() -> str:
    """A new code; about 37 random bits, which the throttle of sign-ins protects."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def class_code(text: str) -> str:
    """The code as it is kept, however it was typed: case, spaces, hyphens and look-alikes make no difference."""
    typed = unicodedata.normalize("NFKC", text).upper()
    return "".join(filter(str.isalnum, typed)).translate(_LOOK_ALIKES)

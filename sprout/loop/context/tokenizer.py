"""Tokenizer: offline token counts with cl100k_base, which is close to but not Claude's own."""

import gzip
import zlib
from base64 import b64decode
from functools import cache
from hashlib import sha256
from importlib import resources

import tiktoken

from sprout.errors import SetupError

RANKS = "cl100k_base.tiktoken.gz"
RANKS_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# The word pattern that these ranks were learned with; another one gives other counts.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)


def count_tokens(text: str) -> int:
    """The number of cl100k_base tokens; special tokens written in the text count as the characters they are.

    The first call loads the ranks, about a tenth of a second. Raises SetupError where they are damaged.
    """
    return len(_encoding().encode_ordinary(text))


@cache
def _encoding() -> tiktoken.Encoding:
    try:
        ranks = gzip.decompress(resources.files("sprout.loop.context").joinpath(RANKS).read_bytes())
    except (OSError, EOFError, zlib.error):
        ranks = b""
    if sha256(ranks).hexdigest() != RANKS_SHA256:
        raise SetupError(f"{RANKS} is missing or damaged: install Sprout again")
    pairs = (line.split() for line in ranks.splitlines())
    return tiktoken.Encoding(
        "cl100k_base",
        pat_str=_PATTERN,
        mergeable_ranks={b64decode(token): int(rank) for token, rank in pairs},
        special_tokens={},
    )

"""Search for markers in encoded bytes (faults.md I-8, X6)."""

import base64
import gzip
import io
import json
import zipfile

import pytest

from faults.leaks.decodings import decodings
from faults.leaks.secret_markers import MarkedText, SecretMarkers

SECRET = MarkedText(("Which is it?",), "answer")
CANARIES = SecretMarkers()
WORD = CANARIES.new_marker(SECRET)


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("answers.json", content)
    return file.getvalue()


DISGUISES = {
    "plain": WORD.encode(),
    "capitals": WORD.upper().encode(),
    "escaped": "".join(f"\\u{ord(sign):04x}" for sign in WORD).encode(),
    "escaped twice": json.dumps("".join(f"\\u{ord(sign):04X}" for sign in WORD)).encode(),
    "percent": "".join(f"%{ord(sign):02x}" for sign in WORD).encode(),
    "entities": "".join(f"&#{ord(sign)};" for sign in WORD).encode(),
    "hex": WORD.encode().hex().encode(),
    "hex at an odd place": b"a" + WORD.encode().hex().upper().encode(),
    "parted by a chunk": WORD[:4].encode() + b"\r\n1f4\r\n" + WORD[4:].encode(),
    "gzip": gzip.compress(b"it is " + WORD.encode()),
    "in an archive": zipped(b"it is " + WORD.encode()),
    "in base64 in an archive": zipped(base64.b64encode(b"it is " + WORD.encode())),
}


@pytest.mark.parametrize("name", DISGUISES)
def test_I8_a_word_is_found_however_it_is_disguised(name: str) -> None:
    assert CANARIES.find_in(b'{"a": "' + DISGUISES[name] + b'"}') == [SECRET]


@pytest.mark.parametrize("before", range(7))
def test_I8_a_word_in_base64_is_found_at_every_place(before: int) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        assert CANARIES.find_in(b'"' + encode(b"?" * before + WORD.encode() + b">>") + b'"') == [SECRET]


def test_what_has_no_word_has_none() -> None:
    harmless = json.dumps({"prompt": "Which is it?", "options": ["one", "two"]}).encode()
    assert CANARIES.find_in(harmless) == []
    assert next(decodings(harmless)) == harmless

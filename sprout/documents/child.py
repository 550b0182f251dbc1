"""The process that reads one file: its bytes come in, one JSON object goes out, and nothing else."""

import json
import os
import sys
from dataclasses import asdict
from typing import Any

from sprout.documents.confinement import confine
from sprout.documents.drafts import Reader, draft_of, reader_of
from sprout.documents.kinds import Kind
from sprout.documents.limits import ReadingLimits
from sprout.documents.pieces import pieces_of
from sprout.documents.reasons import Reason
from sprout.errors import Unreadable

ENTRY = "import sys; sys.path.insert(0, sys.argv[1]); from sprout.documents.child import main; main(*sys.argv[2:])"


def command(root: str, kind: Kind, limits: ReadingLimits) -> list[str]:
    """How the process is started; `root` is the folder that this package lies in.

    Isolated: no setting of Python's, no folder of the user's and no working folder has a say in what is imported.
    """
    said = json.dumps(asdict(limits))
    return [sys.executable, "-I", "-B", "-c", ENTRY, root, kind.value, said, str(os.getpid())]


def main(kind: str, limits_said: str, parent_pid: str) -> None:
    """Import the reader, give everything up, and only then look at the file."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what libraries print
        os.dup2(nowhere, stream)
    limits = ReadingLimits(**json.loads(limits_said))
    reader = reader_of(Kind(kind))
    refused = confine(limits, int(parent_pid))
    content = sys.stdin.buffer.read()
    answer = answered(reader, content, limits) | {"unconfined": refused}
    with os.fdopen(answers, "wb") as outgoing:
        outgoing.write(json.dumps(answer, ensure_ascii=False).encode())
    os._exit(0)  # nothing is left to do, and taking down a large heap takes long


def answered(reader: Reader, content: bytes, limits: ReadingLimits) -> dict[str, Any]:
    """What the file says, or why it does not say anything, as JSON."""
    try:
        draft = draft_of(reader, content, limits)
        del content
        pieces = [
            (piece.heading, piece.start, piece.end, piece.page) for piece in pieces_of(draft.text, draft.page_starts)
        ]
    except Unreadable as failure:
        return {"failed": failure.reason, "detail": failure.detail}
    except MemoryError:
        return {"failed": Reason.TOO_MUCH_MEMORY, "detail": "pieces"}
    if len(pieces) > limits.passages:
        return {"failed": Reason.TOO_MUCH_TEXT, "detail": "passages"}
    return {
        "text": draft.text,
        "pieces": pieces,
        "pages": len(draft.page_starts) or None,
        "unread": draft.unread,
    }

"""Export of a path as a file: YAML, JSON, or cards for Anki."""

import asyncio
import sys
from pathlib import Path
from typing import Literal, get_args

from sprout.app import open_app
from sprout.config import Settings
from sprout.documents.anki.package_writer import write_anki_package
from sprout.errors import SetupError
from sprout.learning.mastery.flashcards import FlashcardFilter
from sprout.learning.paths.path_file import dump_path
from sprout.learning.paths.repository import DEFAULT_USER_ID

Form = Literal["yaml", "json", "apkg"]


def export(settings: Settings, branch_id: str, output: Path | None, form: Form | None) -> None:
    """Write the path, with its questions and answers, to a file or to standard output. Raises NotFound, SetupError."""
    form = form or _form_of(output)
    if output is None and form == "apkg":
        raise SetupError("Cards for Anki need a file: -o FILE.apkg")
    content = asyncio.run(_content(settings, branch_id, form))
    if output is None:
        sys.stdout.write(content.decode())
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise SetupError(f"{output} cannot be written: {error.strerror}") from None


async def _content(settings: Settings, branch_id: str, form: Form) -> bytes:
    async with open_app(settings) as app:
        if form == "apkg":
            wanted = FlashcardFilter(branch_id, unsettled=True)
            return write_anki_package(await app.stores.flashcards.flashcards(DEFAULT_USER_ID, wanted))
        path = await app.stores.exchange.export_path(branch_id, user_id=DEFAULT_USER_ID)
        return dump_path(path, form).encode()


def _form_of(output: Path | None) -> Form:
    named: Form | None = next((form for form in get_args(Form) if output and output.suffix == f".{form}"), None)
    return named or "yaml"

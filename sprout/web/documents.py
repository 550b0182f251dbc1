"""Files in: read from a multipart form within limits, and kept all or not at all."""

import asyncio
import re
import unicodedata
from collections.abc import Sequence

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from sprout.errors import BadInput, TooLarge
from sprout.learning.paths.library import NewDocument
from sprout.web.endpoint import Call, nothing_left, row, rows
from sprout.web.parts import Limits, WebParts
from sprout.web.requests import UTF_8, limited, media_type, refuse_declared_length, sane_id
from sprout.web.shown import Uploaded, UploadedDocument

FORM_FIELD = "files"
FORM_OVERHEAD_BYTES = 64 * 1024
FORM_MAX_PARTS = 100
FILENAME_MAX_CHARACTERS = 200
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})


async def uploaded(call: Call) -> Response:
    """201 with the rows of all files; where one is refused, none is kept."""
    await call.parts.library.node(call.id, user_id=call.user_id)
    documents = await read_form(call.request, call.parts)
    kept = await call.parts.library.add_documents(call.id, documents, user_id=call.user_id)
    answers = [
        UploadedDocument(**document.model_dump(by_alias=True), extracted_text_length=len(new.text))
        for document, new in zip(kept, documents, strict=True)
    ]
    return row(Uploaded(uploaded=answers), 201)


async def read_form(request: Request, parts: WebParts) -> list[NewDocument]:
    """The files of a multipart form, read into documents. Raises BadInput, TooLarge, UnsupportedType."""
    media, charset = media_type(request.headers.get("content-type", ""))
    if media != "multipart/form-data" or charset not in UTF_8:
        raise BadInput(f"Send the files as multipart/form-data, in the field {FORM_FIELD!r}.")
    limits = parts.limits
    max_bytes = limits.upload_max_bytes * limits.upload_max_files + FORM_OVERHEAD_BYTES
    refuse_declared_length(request, max_bytes=max_bytes)
    counted = Request(request.scope, limited(request.receive, max_bytes=max_bytes, idle_s=limits.body_idle_s))
    form = counted.form(max_files=FORM_MAX_PARTS, max_fields=FORM_MAX_PARTS, max_part_size=FORM_OVERHEAD_BYTES)
    async with form as fields:
        files = [item for item in fields.getlist(FORM_FIELD) if isinstance(item, UploadFile)]
        check_files(files, limits)
        return [await read_file(file, parts) for file in files]


def check_files(files: Sequence[UploadFile], limits: Limits) -> None:
    """Raises BadInput where there is no file, TooLarge where there are too many or one is too large."""
    if not files:
        raise BadInput(f"{FORM_FIELD}: choose at least one file", field=FORM_FIELD)
    if len(files) > limits.upload_max_files:
        raise TooLarge(f"{FORM_FIELD}: at most {limits.upload_max_files} files at once", field=FORM_FIELD)
    for file in files:
        if (file.size or 0) > limits.upload_max_bytes:
            mebibytes = limits.upload_max_bytes / 1024**2
            raise TooLarge(f"{clean_filename(file.filename)}: a file may have at most {mebibytes:g} MiB")


async def read_file(file: UploadFile, parts: WebParts) -> NewDocument:
    """One file as a document. Raises what `read_document` raises."""
    content = await file.read()
    mime_type = file.content_type or ""
    mime_type = mime_type if re.fullmatch(r"[\x20-\x7e]{0,200}", mime_type) else ""
    return await asyncio.to_thread(parts.read_document, clean_filename(file.filename), mime_type, content)


def clean_filename(name: str | None) -> str:
    """The last part of a path, without invisible characters, short enough, its extension kept; never empty."""
    last = re.split(r"[/\\]", name or "")[-1]
    visible = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c) not in _INVISIBLE)
    visible = visible.lstrip().rstrip(" .")
    stem, dot, extension = visible.rpartition(".")
    if not dot or len(extension) > 20:
        return visible[:FILENAME_MAX_CHARACTERS] or "document"
    return f"{stem[: FILENAME_MAX_CHARACTERS - len(extension) - 1]}.{extension}"


async def listed(call: Call) -> Response:
    """The documents of a topic."""
    return rows(await call.parts.library.documents(call.id, user_id=call.user_id))


async def deleted(call: Call) -> Response:
    """204 once the document is gone."""
    document_id = sane_id(call.ids["document_id"], what="document")
    await call.parts.library.delete_document(call.id, document_id, user_id=call.user_id)
    return nothing_left()

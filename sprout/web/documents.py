"""Files in: read from a multipart form within limits, and kept all or not at all."""

import asyncio
import re
from collections.abc import Sequence
from urllib.parse import quote

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
UNSAFE_IN_A_HEADER = re.compile(r"[^A-Za-z0-9._ -]")
SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'"


async def uploaded(call: Call) -> Response:
    """201 with the rows of all files, which wait to be read; where one is refused, none is kept."""
    await call.parts.library.node(call.id, user_id=call.user_id)
    documents = await read_form(call.request, call.parts)
    kept = await call.parts.library.add_documents(call.id, documents, user_id=call.user_id)
    answers = [UploadedDocument(**document.model_dump(by_alias=True), extracted_text_length=0) for document in kept]
    return row(Uploaded(uploaded=answers), 201)


async def read_form(request: Request, parts: WebParts) -> list[NewDocument]:
    """The files of a multipart form, of kinds that can be read. Raises BadInput, TooLarge, UnsupportedType."""
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
            raise TooLarge(f"{FORM_FIELD}: a file may have at most {mebibytes:g} MiB", field=FORM_FIELD)


async def read_file(file: UploadFile, parts: WebParts) -> NewDocument:
    """One file as a document. Raises what `parts.recognised` raises."""
    content = await file.read()
    mime_type = file.content_type or ""
    mime_type = mime_type if re.fullmatch(r"[\x20-\x7e]{0,200}", mime_type) else ""
    name, kind = await asyncio.to_thread(parts.recognised, file.filename or "", mime_type, content)
    return NewDocument(name, kind, content)


async def listed(call: Call) -> Response:
    """The documents of a topic."""
    return rows(await call.parts.library.documents(call.id, user_id=call.user_id))


async def retried(call: Call) -> Response:
    """202 with the row of a document that failed and now waits to be read again; 200 with that of any other."""
    document_id = sane_id(call.ids["document_id"], what="document")
    document, again = await call.parts.library.retry_document(call.id, document_id, user_id=call.user_id)
    return row(document, 202 if again else 200)


async def original(call: Call) -> Response:
    """The bytes as they were uploaded, as a file that a browser saves and never shows."""
    document, content = await call.parts.library.original(call.id, user_id=call.user_id)
    return Response(content, headers=_as_attachment(document.original_filename), media_type="application/octet-stream")


def _as_attachment(name: str) -> dict[str, str]:
    plain = UNSAFE_IN_A_HEADER.sub("_", name)
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": SANDBOX,
        "Cache-Control": "private, no-store",
    }


async def deleted(call: Call) -> Response:
    """204 once the document is gone."""
    document_id = sane_id(call.ids["document_id"], what="document")
    await call.parts.library.delete_document(call.id, document_id, user_id=call.user_id)
    return nothing_left()

"""Uploads: the files of a multipart form, within the limits of number and size; and the headers of downloads."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.requests import Request

from sprout.errors import BadInput, TooLarge
from sprout.web.http.limits import WebLimits
from sprout.web.http.parsing import UTF_8_CHARSETS, check_content_length, limit_body, parse_content_type

FORM_FIELD = "files"
FORM_OVERHEAD_BYTES = 64 * 1024
FORM_MAX_PARTS = 100
UNSAFE_IN_A_HEADER = re.compile(r"[^A-Za-z0-9._ -]")
DOWNLOAD_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a form, with the name and the media type that the browser gave it."""

    filename: str
    mime_type: str
    content: bytes


async def read_uploads(request: Request, limits: WebLimits) -> list[Upload]:
    """The files of a multipart form, at least one. Raises BadInput, TooLarge."""
    media, charset = parse_content_type(request.headers.get("content-type", ""))
    if media != "multipart/form-data" or charset not in UTF_8_CHARSETS:
        raise BadInput(f"Send the files as multipart/form-data, in the field {FORM_FIELD!r}.")
    max_bytes = limits.upload_max_bytes * limits.upload_max_files + FORM_OVERHEAD_BYTES
    check_content_length(request, max_bytes=max_bytes)
    counted = Request(request.scope, limit_body(request.receive, max_bytes=max_bytes, idle_s=limits.body_idle_s))
    form = counted.form(max_files=FORM_MAX_PARTS, max_fields=FORM_MAX_PARTS, max_part_size=FORM_OVERHEAD_BYTES)
    async with form as fields:
        files = [item for item in fields.getlist(FORM_FIELD) if isinstance(item, UploadFile)]
        check_files(files, limits)
        return [await _read(file) for file in files]


def check_files(files: Sequence[UploadFile], limits: WebLimits) -> None:
    """Raises BadInput without files, TooLarge for too many or one that is too large."""
    if not files:
        raise BadInput(f"{FORM_FIELD}: choose at least one file", field=FORM_FIELD, code="no_file")
    if len(files) > limits.upload_max_files:
        raise TooLarge(
            "files: up to {most} files at once", field=FORM_FIELD, code="too_many_files", most=limits.upload_max_files
        )
    for file in files:
        if (file.size or 0) > limits.upload_max_bytes:
            mebibytes = limits.upload_max_bytes / 1024**2
            raise TooLarge(
                "files: files can be up to {most:g} MiB", field=FORM_FIELD, code="files_too_large", most=mebibytes
            )


async def _read(file: UploadFile) -> Upload:
    mime_type = file.content_type or ""
    mime_type = mime_type if re.fullmatch(r"[\x20-\x7e]{0,200}", mime_type) else ""
    return Upload(file.filename or "", mime_type, await file.read())


def attachment_headers(name: str) -> dict[str, str]:
    """Headers of a download that a browser never shows."""
    plain = UNSAFE_IN_A_HEADER.sub("_", name)
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": DOWNLOAD_POLICY,
        "Cache-Control": "private, no-store",
    }

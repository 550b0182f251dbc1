"""Documents: upload as a multipart form, list, retry, download, delete."""

import asyncio
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from sprout.learning.paths.repository import NewDocument, PathRepository
from sprout.web.http.dependencies import DetectMediaType
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.http.limits import WebLimits
from sprout.web.http.parsing import validate_id
from sprout.web.http.uploads import Upload, attachment_headers, read_uploads
from sprout.web.schemas.responses import UploadedDocument, UploadResult


@dataclass(frozen=True, slots=True)
class DocumentDependencies:
    """The documents of paths, and the detection of a file's media type."""

    paths: PathRepository
    detect_media_type: DetectMediaType


async def upload_documents(call: Call[DocumentDependencies]) -> Response:
    """201 with the rows of all files, which are queued for reading; if one is refused, none is stored."""
    await call.dependencies.paths.node(call.id, user_id=call.user_id)
    documents = await read_form(call.request, call.policy.limits, call.dependencies.detect_media_type)
    stored = await call.dependencies.paths.add_documents(call.id, documents, user_id=call.user_id)
    rows = [UploadedDocument(**document.model_dump(by_alias=True), extracted_text_length=0) for document in stored]
    return json_response(UploadResult(uploaded=rows), 201)


async def read_form(request: Request, limits: WebLimits, detect_media_type: DetectMediaType) -> list[NewDocument]:
    """The files of a multipart form. Raises BadInput, TooLarge, UnsupportedType."""
    uploads = await read_uploads(request, limits)
    return [await detect_document(upload, detect_media_type) for upload in uploads]


async def detect_document(upload: Upload, detect_media_type: DetectMediaType) -> NewDocument:
    """One file as a document. Raises what `detect_media_type` raises."""
    found = await asyncio.to_thread(detect_media_type, upload.filename, upload.mime_type, upload.content)
    return NewDocument(*found, upload.content)


async def list_documents(call: Call[DocumentDependencies]) -> Response:
    """The documents of a topic."""
    return json_list_response(await call.dependencies.paths.documents(call.id, user_id=call.user_id))


async def retry_document(call: Call[DocumentDependencies]) -> Response:
    """202 with the row of a failed document, which is queued again; 200 with that of any other."""
    document_id = validate_id(call.ids["document_id"], what="document")
    document, again = await call.dependencies.paths.retry_document(call.id, document_id, user_id=call.user_id)
    return json_response(document, 202 if again else 200)


async def download_original(call: Call[DocumentDependencies]) -> Response:
    """The file as it was uploaded, as a download that a browser never shows."""
    document, content = await call.dependencies.paths.document_content(call.id, user_id=call.user_id)
    return Response(
        content, headers=attachment_headers(document.original_filename), media_type="application/octet-stream"
    )


async def delete_document(call: Call[DocumentDependencies]) -> Response:
    """204 once the document is deleted."""
    document_id = validate_id(call.ids["document_id"], what="document")
    await call.dependencies.paths.delete_document(call.id, document_id, user_id=call.user_id)
    return no_content()

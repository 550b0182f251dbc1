"""The Messages API as a Starlette app, in front of any model that can answer a request."""

import asyncio
import hashlib
import json
import time
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sprout.offline.api.encoding import EncodedMessage, Frame, as_frames, as_json, encode_message, truncated
from sprout.offline.api.errors import ApiError, error_response, invalid_request
from sprout.offline.api.message_validation import check_last_message
from sprout.offline.api.model_limits import OFFLINE_MODEL, listed_models, model_info, model_limits
from sprout.offline.api.paced_response import PacedResponse, plan_response
from sprout.offline.api.prompt import Prompt, digest_after, parse_prompt
from sprout.offline.api.prompt_cache import PromptCache
from sprout.offline.api.request_validation import check_count_request, check_request
from sprout.offline.api.signatures import check_signatures
from sprout.offline.faults.foreign_errors import FOREIGN_ERRORS
from sprout.offline.faults.reply_faults import apply_fault
from sprout.offline.faults.scenarios import Fault, FaultPlan, Scenario
from sprout.offline.pace import Pace
from sprout.offline.reply import Body, Reply, TextOut

MAX_BODY_BYTES = 32 * 1024 * 1024
LARGE_BODY_BYTES = 64 * 1024
MAX_PAUSED = 1_000
RECORDED_REQUESTS = 1_000
BAD_GATEWAY = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502 Bad Gateway</h1></body>\r\n</html>"
)


class OfflineModel(Protocol):
    """Anything that can answer a validated body of POST /v1/messages."""

    def answer(self, body: Body) -> Reply | Fault: ...


@dataclass(slots=True)
class RecordedRequest:
    """One POST /v1/messages: what was sent, when (monotonic seconds), and whether the client stayed to the end."""

    number: int
    headers: dict[str, str]
    body: dict[str, Any] = field(default_factory=dict)
    at_s: float = field(default_factory=time.monotonic)
    fault: Scenario | None = None
    status: int = 200
    closed_early: bool = False


class MessagesApi:
    """The state behind the routes: the model, its plan of faults, the cache, and what was asked so far."""

    def __init__(
        self, model: OfflineModel, *, pace: Pace, faults: FaultPlan, cache: PromptCache, keep_requests: int
    ) -> None:
        self._model = model
        self._pace = pace
        self._faults = faults
        self._cache = cache
        self._paused: OrderedDict[bytes, None] = OrderedDict()
        self._count = 0
        self.requests: deque[RecordedRequest] = deque(maxlen=keep_requests)

    def routes(self) -> list[Route]:
        return [
            Route("/v1/messages", self._create_message, methods=["POST"]),
            Route("/v1/messages/count_tokens", self._count_tokens, methods=["POST"]),
            Route("/v1/models", self._list_models, methods=["GET"]),
            Route("/v1/models/{model}", self._retrieve_model, methods=["GET"]),
        ]

    async def _create_message(self, request: Request) -> Response:
        self._count += 1
        record = RecordedRequest(self._count, dict(request.headers))
        self.requests.append(record)
        request_id = _request_id("message", record.number)
        try:
            _check_headers(request.headers)
            raw = await _read_body(request)
            record.body = _parse_body(raw)
            return await self._build_answer(record, len(raw), request_id)
        except ApiError as error:
            record.status = error.status
            return error_response(error, request_id)

    async def _build_answer(self, record: RecordedRequest, size: int, request_id: str) -> Response:
        body = record.body
        check_request(body)
        prompt = parse_prompt(body)
        check_signatures(prompt)
        check_last_message(body["messages"], paused=prompt.digest in self._paused)
        _check_window(prompt)
        reply, fault = await self._generate_reply(record, size)
        if response := _error_reply(fault, record, prompt, request_id):
            return response
        message = self._build_message(truncated(reply, body["max_tokens"]), prompt, record)
        pace = fault.pace if fault and fault.scenario is Scenario.SLOW else self._pace
        if fault and fault.scenario is Scenario.HELD_BACK:
            await asyncio.sleep(fault.pace.first_token_s)
        return self._build_response(message, pace, fault, record, request_id)

    async def _generate_reply(self, record: RecordedRequest, size: int) -> tuple[Reply, Fault | None]:
        """Generate the reply and its fault: the plan's fault first, otherwise one that the model requests."""
        fault = await self._faults.fault_for(record.number)
        outcome: Reply | Fault | None = None
        if fault is None or fault.asks_model:
            large = size > LARGE_BODY_BYTES
            outcome = (
                await asyncio.to_thread(self._model.answer, record.body) if large else self._model.answer(record.body)
            )
        if isinstance(outcome, Fault):
            fault, outcome = fault or outcome, outcome.reply
        reply = (fault.reply if fault else None) or outcome or Reply([TextOut("This is what would have been said.")])
        if fault is not None:
            record.fault = Scenario(fault.scenario)
            reply = apply_fault(reply, fault, record.body, record.number)
        return reply, fault

    def _build_message(self, reply: Reply, prompt: Prompt, record: RecordedRequest) -> EncodedMessage:
        asked = (record.body.get("thinking") or {}).get("display")
        shown = asked == "summarized" if asked else model_limits(prompt.model).thinking_shown
        charged = self._cache.charge(prompt)
        message = encode_message(reply, prompt, charged, salt=str(record.number), thinking_shown=shown)
        if reply.reason == "pause_turn":
            self._paused[digest_after(prompt, message.content)] = None
            if len(self._paused) > MAX_PAUSED:
                self._paused.popitem(last=False)
        return message

    def _build_response(
        self, message: EncodedMessage, pace: Pace, fault: Fault | None, record: RecordedRequest, request_id: str
    ) -> Response:
        streamed = record.body.get("stream", False)
        frames = as_frames(message)
        if not streamed:
            frames = _json_frames(message, frames[-1].tokens, fault)
            fault = replace(fault, pings=False) if fault else None

        def closed_early() -> None:
            record.closed_early = True

        return PacedResponse(
            plan_response(frames, fault, request_id),
            pace,
            "text/event-stream; charset=utf-8" if streamed else "application/json",
            {"request-id": request_id, "cache-control": "no-cache"},
            closed_early,
        )

    async def _count_tokens(self, request: Request) -> Response:
        request_id = _request_id("count", 0)
        try:
            _check_headers(request.headers)
            body = _parse_body(await _read_body(request))
            check_count_request(body)
            return JSONResponse({"input_tokens": parse_prompt(body).tokens}, headers={"request-id": request_id})
        except ApiError as error:
            return error_response(error, request_id)

    async def _list_models(self, request: Request) -> Response:
        models = listed_models()
        page = {"data": models, "has_more": False, "first_id": models[0]["id"], "last_id": models[-1]["id"]}
        return JSONResponse(page, headers={"request-id": _request_id("models", 0)})

    async def _retrieve_model(self, request: Request) -> Response:
        headers = {"request-id": _request_id("model", 0)}
        return JSONResponse(model_info(request.path_params["model"] or OFFLINE_MODEL), headers=headers)


def messages_api(
    model: OfflineModel,
    *,
    pace: Pace | None = None,
    faults: FaultPlan | None = None,
    cache: PromptCache | None = None,
    keep_requests: int = RECORDED_REQUESTS,
) -> MessagesApi:
    """The API in front of `model`, with defaults: full speed, no faults, a fresh cache."""
    return MessagesApi(
        model,
        pace=pace or Pace(),
        faults=faults or FaultPlan(),
        cache=cache or PromptCache(),
        keep_requests=keep_requests,
    )


def offline_app(model: OfflineModel | MessagesApi) -> Starlette:
    """The app of a model, or of an API that was put together with other defaults."""
    api = model if isinstance(model, MessagesApi) else messages_api(model)
    return Starlette(routes=api.routes(), exception_handlers={404: _not_found, 405: _not_allowed})


def _error_reply(fault: Fault | None, record: RecordedRequest, prompt: Prompt, request_id: str) -> Response | None:
    """The answer of a scenario that is an error and nothing else."""
    if fault is None:
        return None
    if fault.scenario is Scenario.BAD_GATEWAY_HTML:
        record.status = 502
        return Response(BAD_GATEWAY, 502, media_type="text/html")
    if foreign := FOREIGN_ERRORS.get(Scenario(fault.scenario)):
        record.status, body = foreign
        return JSONResponse(body, record.status)
    if fault.scenario is Scenario.ERROR_EVENT and not record.body.get("stream"):
        fault = replace(fault, scenario=Scenario.OVERLOADED)
    if error := _error_of(fault, prompt):
        raise error
    return None


def _error_of(fault: Fault, prompt: Prompt) -> ApiError | None:
    facts = model_limits(prompt.model)
    headers = {} if fault.retry_after_s is None else {"retry-after": f"{fault.retry_after_s:g}"}
    match fault.scenario:
        case Scenario.RATE_LIMITED:
            return ApiError(429, "This request would exceed your organization's rate limit.", headers=headers)
        case Scenario.OVERLOADED:
            return ApiError(529, "Overloaded", headers=headers)
        case Scenario.SERVER_ERROR:
            return ApiError(500, "Internal server error", headers=headers)
        case Scenario.WINDOW_EXCEEDED if not fault.as_stop_reason:
            tokens = max(prompt.tokens, facts.max_input + 1)
            return invalid_request(f"prompt is too long: {tokens} tokens > {facts.max_input} maximum")
        case Scenario.REQUEST_TOO_LARGE:
            return ApiError(413, "Request exceeds the maximum size")
        case Scenario.BAD_KEY:
            return ApiError(401, "invalid x-api-key")
        case Scenario.NO_CREDIT:
            return ApiError(402, "Your credit balance is too low to access the Anthropic API.")
        case Scenario.UNKNOWN_MODEL:
            return ApiError(404, f"model: {prompt.model}")
    return None


def _json_frames(message: EncodedMessage, tokens: float, fault: Fault | None) -> list[Frame]:
    """The JSON body as one frame, or as two halves where a fault wants to break it in the middle."""
    data = json.dumps(as_json(message), ensure_ascii=False).encode()
    if fault is None or fault.after_bytes is not None:
        return [Frame(data, tokens)]
    return [Frame(data[: len(data) // 2], tokens), Frame(data[len(data) // 2 :], tokens)]


def _check_window(prompt: Prompt) -> None:
    limit = model_limits(prompt.model).max_input
    if prompt.tokens > limit:
        raise invalid_request(f"prompt is too long: {prompt.tokens} tokens > {limit} maximum")


def _check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("x-api-key") and not headers.get("authorization", "").removeprefix("Bearer "):
        raise ApiError(401, "x-api-key header is required")
    if "anthropic-version" not in headers:
        raise invalid_request("anthropic-version: header is required")


async def _read_body(request: Request) -> bytes:
    chunks, size = [], 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MAX_BODY_BYTES:
                raise ApiError(413, "Request exceeds the maximum size")
            chunks.append(chunk)
    except ClientDisconnect as error:
        raise invalid_request("The request body ended early") from error
    return b"".join(chunks)


def _parse_body(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
        if b"\\ud" in raw.lower():
            json.dumps(body, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise invalid_request(f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise invalid_request("Input should be an object")
    return body


def _request_id(kind: str, number: int) -> str:
    return f"req_01{hashlib.blake2b(f'{kind}{number}{time.time_ns()}'.encode(), digest_size=11).hexdigest()}"


async def _not_found(request: Request, _: Exception) -> Response:
    return error_response(ApiError(404, "Not found"), _request_id("missing", 0))


async def _not_allowed(request: Request, _: Exception) -> Response:
    return error_response(ApiError(405, "Method Not Allowed"), _request_id("method", 0))

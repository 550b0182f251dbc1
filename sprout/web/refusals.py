"""When an endpoint refuses: what its statuses mean, in general and for this one."""

ERRORS = {
    400: "The request cannot be understood, or something required is missing.",
    403: "A page of another site may not do this.",
    404: "There is no such thing, or it is somebody else's.",
    408: "The rest of the request did not arrive in time.",
    409: "The state of things forbids this; the text says why.",
    413: "Too much at once.",
    415: "A file of a type that is not read.",
    422: "A field is there but is not what it must be.",
    429: "Too often, or too much at once; Retry-After says when to try again.",
    500: "A bug.",
    503: "Not possible right now: the model, the database or the server itself is not ready.",
}

_LANE = (
    "With `onBusy=reject`: a run is going there already, and `activeRunId` names it. Else: two requests met in the "
    "same place, so try again."
)
_KEY = "A field is not what it must be, or the `Idempotency-Key` was used for another request."
_MODEL = "The model cannot be reached, the budget of the day is spent, or the server is about to stop."
_WAITED = "The run was stopped before its end."
_MET = "Two changes met in the same place: try again."

OWN: dict[tuple[str, str], dict[int, str]] = {
    ("GET", "/api/health"): {503: "The database does not answer."},
    ("POST", "/api/branches"): {409: _MET},
    ("PATCH", "/api/branches/{id}"): {409: _MET},
    ("DELETE", "/api/branches/{id}"): {409: "A run is going in it: stop that first."},
    ("POST", "/api/changes/{id}/undo"): {
        409: "A later change builds on it (`undoFirst` names that one), or the path is no longer as it left it."
    },
    ("POST", "/api/nodes"): {
        409: "A sibling has this title, the branch has its topic already, or nothing goes below such a parent."
    },
    ("PATCH", "/api/nodes/{id}"): {409: "A sibling has this title."},
    ("DELETE", "/api/nodes/{id}"): {409: "There are nodes under it, or a run of it is going."},
    ("POST", "/api/nodes/{id}/generate-concepts"): {409: _WAITED, 503: _MODEL},
    ("POST", "/api/nodes/{id}/generate-subconcepts"): {409: _WAITED, 503: _MODEL},
    ("POST", "/api/nodes/{id}/documents"): {
        409: _MET,
        413: "Too many files, or one that is too large; `GET /api/status` has the limits.",
        415: "A file of a type that is not read; the text names those that are.",
    },
    ("DELETE", "/api/nodes/{id}/documents/{document_id}"): {409: _MET},
    ("POST", "/api/graphs"): {
        400: "Something in the path is wrong; the text names every item, such as `concepts.2.title`.",
        409: _MET,
    },
    ("POST", "/api/assessments/{id}/questions"): {409: "The assessment has this question already."},
    ("POST", "/api/questions/{id}/contest"): {409: _WAITED, 503: _MODEL},
    ("POST", "/api/chat/sessions/{id}/tutor"): {409: _MET, 422: _KEY, 503: _MODEL},
    ("DELETE", "/api/learner"): {
        400: "`confirm` is missing or says something else.",
        409: "Something that was going is still being stopped: nothing is deleted yet, so try again.",
        503: "The database is busy, and traces may be left: try again.",
    },
    ("POST", "/api/agents/topics/{id}/run"): {409: _LANE, 422: _KEY, 503: "The server is about to stop."},
    ("POST", "/api/agents/concepts/{id}/run"): {409: _LANE, 422: _KEY, 503: "The server is about to stop."},
    ("POST", "/api/agents/nodes/{id}/review"): {409: _WAITED, 503: _MODEL},
    ("POST", "/api/runs/{id}/answer"): {409: "The run waits for no answer, or was answered already."},
    ("POST", "/api/runs/{id}/resume"): {409: "The run is not cut off."},
    ("POST", "/api/runs/{id}/retry"): {
        409: "The run has not ended, or is part of another.",
        503: "The server is about to stop.",
    },
    ("POST", "/api/runs/{id}/discard"): {409: "The run is going: stop it first."},
}


def refusal(method: str, path: str, status: int) -> str:
    """When the endpoint answers with this status, in a sentence."""
    return OWN.get((method, path), {}).get(status, ERRORS[status])

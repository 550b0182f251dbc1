"""Descriptions of error statuses, in general and by endpoint."""

ERROR_TEXTS = {
    400: "The request is malformed, or a required field is missing.",
    401: "Not signed in, or no longer.",
    403: "The account or token isn't allowed to do this, or the page of another site asks.",
    404: "Not found, or it belongs to another user.",
    408: "The rest of the request did not arrive in time.",
    409: "Not possible in the current state; the text says why.",
    410: "The code was used, has expired, or was replaced by a newer one.",
    413: "The request is too large.",
    415: "An unsupported type of file.",
    422: "A field has an invalid value.",
    429: "Too many requests, or a budget is spent (`freeAt` says until when); `Retry-After` says when to try again.",
    500: "A bug.",
    503: "Not possible right now: the model, the database or the server is not ready.",
}

_LANE_BUSY = (
    "With `onBusy=reject`: a run is active there already, and `activeRunId` names it. Else a conflicting change: "
    "try again."
)
_KEY_REUSED = "A field has an invalid value, or the `Idempotency-Key` was used for another request."
_MODEL_UNAVAILABLE = "The model can't be reached, a budget was spent on the way, or the server is shutting down."
_RUN_STOPPED = "The run was stopped before its end."
_ITEM_CLOSED = (
    "The question was answered or skipped already, its turn has not come, its part was removed, or it was withdrawn."
)
_PLACEMENT_CLOSED = (
    "The question was answered or skipped already, its part was removed, it was withdrawn, or the placement is over."
)
_NO_PASSWORDS = "Nobody signs in with a password here: `SPROUT_AUTH` does not say so."
_KEY_ELSEWHERE = "The environment sets the key, or several processes share the work: then it has to."
_KEY_NOT_WRITTEN = "The file of the key can't be written."
_NO_MAIL = "This server sends no mail: `SPROUT_SMTP__HOST` is not set."
_MAIL_QUEUE_FULL = "Too many mails wait to be sent."
_LAST_OWNER = "They are the only owner."
_NAME_TAKEN = "Another account has this name."
_CLASS_CODE_INVALID = "The code expired, was revoked or used up, or never was."
_CLASS_FULL = "The class is full."
_NO_SIGN_IN = "Nobody signs in here: `SPROUT_AUTH` is not set."
_CONFLICTING_CHANGE = "Conflicting change: try again."

ENDPOINT_ERROR_TEXTS: dict[tuple[str, str], dict[int, str]] = {
    ("POST", "/mcp"): {
        400: "The message is malformed; where it is the protocol that is broken, the body is an error of JSON-RPC.",
        404: "There is no such method: the body is an error of JSON-RPC.",
    },
    ("GET", "/api/health"): {503: "The database does not answer."},
    ("POST", "/api/models/probe"): {
        409: "The models are being probed already, or the model is the built-in one.",
        503: "A model can't be reached, or refuses the key; the text says what to do.",
    },
    ("PUT", "/api/model-key"): {409: _KEY_ELSEWHERE, 503: _KEY_NOT_WRITTEN},
    ("DELETE", "/api/model-key"): {409: _KEY_ELSEWHERE, 503: _KEY_NOT_WRITTEN},
    ("POST", "/api/sign-in"): {401: "The name or the password isn't right.", 404: _NO_PASSWORDS},
    ("POST", "/api/sign-in/set-up"): {404: _NO_PASSWORDS, 409: _NAME_TAKEN},
    ("POST", "/api/sign-in/password"): {404: _NO_PASSWORDS},
    ("POST", "/api/sign-in/forgotten"): {404: _NO_MAIL, 503: _MAIL_QUEUE_FULL},
    ("POST", "/api/sign-in/email"): {404: _NO_MAIL},
    ("GET", "/api/account/email"): {404: _NO_MAIL},
    ("PUT", "/api/account/email"): {404: _NO_MAIL, 503: _MAIL_QUEUE_FULL},
    ("DELETE", "/api/account/email"): {404: f"{_NO_MAIL[:-1]}, or the account has no address."},
    ("POST", "/api/account/tokens"): {409: "There are 50 tokens already: revoke one first."},
    ("POST", "/api/people"): {409: _NAME_TAKEN},
    ("POST", "/api/classes"): {413: "The caller has as many classes as a teacher may have."},
    ("POST", "/api/classes/{id}/code"): {409: "The class is archived."},
    ("POST", "/api/classes/{id}/learners/{learner_id}/card"): {
        409: "The learner joined with an account of their own, or has a password by now."
    },
    ("POST", "/api/classes/{id}/paths"): {
        400: "The path can't be copied as it is; the text names every faulty item.",
        409: "The class is archived.",
    },
    ("POST", "/api/branches/{id}/update"): {
        409: "The teacher has changed the path since, or there is nothing to take over.",
        413: "The path would have too many nodes.",
    },
    ("POST", "/api/class-code"): {404: _NO_SIGN_IN, 410: _CLASS_CODE_INVALID},
    ("POST", "/api/sign-in/class"): {404: _NO_SIGN_IN, 410: _CLASS_CODE_INVALID, 413: _CLASS_FULL},
    ("POST", "/api/sign-in/card"): {401: "No account has this card, or no longer.", 404: _NO_SIGN_IN},
    ("POST", "/api/account/classes"): {
        409: "The caller is in the class already.",
        410: _CLASS_CODE_INVALID,
        413: _CLASS_FULL,
    },
    ("PATCH", "/api/people/{id}"): {409: _LAST_OWNER},
    ("POST", "/api/topics/check"): {
        422: "The model knows nothing about the topic: `code` is `unknown_topic`, `ways` says what the learner can do, "
        "and `courses` lists what can be chosen, the nearest first. With another `code`, a field has an invalid value."
    },
    ("POST", "/api/branches"): {409: _CONFLICTING_CHANGE},
    ("PATCH", "/api/branches/{id}"): {409: _CONFLICTING_CHANGE},
    ("DELETE", "/api/branches/{id}"): {409: "A run is active in it: stop it first."},
    ("POST", "/api/changes/{id}/undo"): {
        409: "A later change builds on it (`undoFirst` names it), or the path has changed since."
    },
    ("POST", "/api/nodes"): {
        409: "A sibling has this title, the branch has a topic already, or the parent can't have children."
    },
    ("PATCH", "/api/nodes/{id}"): {409: "A sibling has this title."},
    ("DELETE", "/api/nodes/{id}"): {409: "It has children, or a run on it is active."},
    ("POST", "/api/nodes/{id}/generate-concepts"): {409: _RUN_STOPPED, 503: _MODEL_UNAVAILABLE},
    ("POST", "/api/nodes/{id}/generate-subconcepts"): {409: _RUN_STOPPED, 503: _MODEL_UNAVAILABLE},
    ("POST", "/api/nodes/{id}/documents"): {
        409: _CONFLICTING_CHANGE,
        413: "Too many files, or one is too large; `GET /api/status` has the limits.",
        415: "An unsupported type of file; the text names the supported ones.",
    },
    ("DELETE", "/api/nodes/{id}/documents/{document_id}"): {409: _CONFLICTING_CHANGE},
    ("POST", "/api/graphs"): {
        400: "The path is invalid; the text names every faulty item, such as `concepts.2.title`.",
        409: _CONFLICTING_CHANGE,
    },
    ("POST", "/api/assessments/{id}/questions"): {409: "The assessment has this question already."},
    ("POST", "/api/questions/{id}/contest"): {409: _RUN_STOPPED, 503: _MODEL_UNAVAILABLE},
    ("POST", "/api/chat/sessions/{id}/tutor"): {409: _CONFLICTING_CHANGE, 422: _KEY_REUSED, 503: _MODEL_UNAVAILABLE},
    ("POST", "/api/placements"): {
        400: "Neither a path nor a node is named, or both, or the node is no concept and no part of one.",
        409: "There is no question yet that can be marked right away; the text says what to do instead.",
    },
    ("POST", "/api/placements/{id}/answers"): {409: _PLACEMENT_CLOSED},
    ("POST", "/api/placements/{id}/skip"): {409: _PLACEMENT_CLOSED},
    ("POST", "/api/placements/{id}/overrules"): {409: "The placement is not over."},
    ("POST", "/api/reviews/sessions"): {409: "Nothing is due, or today's reviews are done."},
    ("POST", "/api/reviews/sessions/{id}/answers"): {409: _ITEM_CLOSED},
    ("POST", "/api/reviews/sessions/{id}/marks"): {409: _ITEM_CLOSED},
    ("POST", "/api/reviews/sessions/{id}/grades"): {409: _ITEM_CLOSED},
    ("POST", "/api/reviews/sessions/{id}/skip"): {409: _ITEM_CLOSED},
    ("DELETE", "/api/learner"): {
        400: "`confirm` is missing or wrong.",
        409: "Active runs are still being stopped; nothing is deleted yet: try again.",
        503: "The database stayed busy, and deleted data may remain: try again.",
    },
    ("POST", "/api/agents/topics/{id}/run"): {409: _LANE_BUSY, 422: _KEY_REUSED, 503: "The server is shutting down."},
    ("POST", "/api/agents/concepts/{id}/run"): {409: _LANE_BUSY, 422: _KEY_REUSED, 503: "The server is shutting down."},
    ("POST", "/api/agents/nodes/{id}/review"): {409: _RUN_STOPPED, 503: _MODEL_UNAVAILABLE},
    ("POST", "/api/runs/{id}/answer"): {409: "The run isn't waiting for an answer, or was answered already."},
    ("POST", "/api/runs/{id}/resume"): {409: "The run wasn't interrupted."},
    ("POST", "/api/runs/{id}/retry"): {
        409: "The run has not ended, or is part of another.",
        503: "The server is shutting down.",
    },
    ("POST", "/api/runs/{id}/discard"): {409: "The run is active: stop it first."},
}


def error_text(method: str, path: str, status: int) -> str:
    """The description of this status of the endpoint."""
    return ENDPOINT_ERROR_TEXTS.get((method, path), {}).get(status, ERROR_TEXTS[status])

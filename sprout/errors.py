"""Every expected failure, as one tree.

SproutError
├── BadInput               what was sent cannot be accepted; nothing was written
│   ├── TooLarge           over a limit of size or count
│   └── UnsupportedType    a file of a type that is not read
├── NotSignedIn            the request does not say who sends it, or no longer validly
├── MissingRight           its sender may not do this
├── NotFound               no such object, or not yours
├── Conflict               the object is in a state that forbids this
│   └── NoChangeNeeded     there is enough, or it is there already: all is kept as it is; for an agent no error
├── InvalidGraphEdit           an edit that would break a rule of the graph
├── InvalidQuestion        a question that cannot be asked as it is
├── UnreadableDocument             a document that cannot be read; `again` says whether trying again may help
├── ModelFailure           the model did not answer; `kind` says why and so what may help
├── ToolFailure            a tool could not do its work; `transient` says whether trying again may help
├── TooManyRequests                too often, or too much at once; trying again after `retry_after_s` helps
├── DatabaseBusy           others hold the database: nothing was written; trying again after `retry_after_s` helps
├── DatabaseUnavailable    the database does not answer; trying again after `retry_after_s` helps
├── CorruptRow             what is stored of one object makes no sense; the others are not touched by it
├── StorageFull            no room on the disk: nothing was written, reading goes on
├── StorageUnavailable            where documents are kept does not answer; trying again after `retry_after_s` helps
└── SetupError             the installation must be mended by a person: settings, database, ports
    └── ServiceNotReady    a service that a process needs is not there yet: it may come by itself
"""

from enum import StrEnum


class SproutError(Exception):
    """The root of all expected failures.

    Args:
        message: for a person, in English; with `{name}` where it has a value.
        code: names the sentence, for programs and for pages in other languages, and is that of a run which ends with
            the error; that of the class where none is given.
        params: the values in the message, by name.
    """

    code = "refused"

    def __init__(self, message: str, *, code: str | None = None, **params: str | float) -> None:
        super().__init__(message.format(**params) if params else message)
        self.code = code or self.code
        self.params: dict[str, str | float] = params


class BadInput(SproutError):
    code = "bad_input"

    def __init__(
        self, message: str, *, field: str | None = None, code: str | None = None, **params: str | float
    ) -> None:
        super().__init__(message, code=code, **params)
        self.field = field


class TooLarge(BadInput):
    code = "too_large"


class UnsupportedType(BadInput):
    code = "unsupported_type"


class NotSignedIn(SproutError):
    code = "not_signed_in"

    def __init__(self, message: str = "Sign in first.", *, code: str | None = None) -> None:
        super().__init__(message, code=code)


class MissingRight(SproutError):
    code = "missing_right"

    def __init__(self, message: str = "Your account or token isn't allowed to do this.") -> None:
        super().__init__(message)


class NotFound(SproutError):
    code = "not_found"

    def __init__(self, what: str, id_: str) -> None:
        super().__init__(f"no {what} {id_[:80]!r}")
        self.what = what
        self.id = id_


class Conflict(SproutError):
    code = "conflict"


class NoChangeNeeded(Conflict):
    pass


class InvalidGraphEdit(SproutError):
    code = "invalid_graph_edit"


class InvalidQuestion(SproutError):
    code = "invalid_question"


class SetupError(SproutError):
    code = "not_configured"


class ServiceNotReady(SetupError):
    """A start for which a service is missing that may come by itself.

    Args:
        service: its name, such as "PostgreSQL".
    """

    def __init__(self, message: str, *, service: str) -> None:
        super().__init__(message)
        self.service = service


class TooManyRequests(SproutError):
    code = "too_many_requests"

    def __init__(self, message: str, *, retry_after_s: float, code: str | None = None, **params: str | float) -> None:
        super().__init__(message, code=code, **params)
        self.retry_after_s = retry_after_s


class DatabaseBusy(SproutError):
    code = "database_busy"
    retry_after_s = 2.0


class DatabaseUnavailable(SproutError):
    code = "database_unavailable"
    retry_after_s = 5.0

    def __init__(self, message: str = "The database does not answer. Try again in a moment.") -> None:
        super().__init__(message)


class CorruptRow(SproutError):
    code = "corrupt_row"

    def __init__(self, what: str, id_: str) -> None:
        super().__init__(f"What is stored of the {what} {id_[:80]!r} cannot be read; the server's log says why.")
        self.what = what
        self.id = id_


class UnreadableDocument(SproutError):
    """A learner's file that could not be read.

    Args:
        message: one sentence for the learner: what is wrong with the file, and what to do.
        retryable: whether the same file may be read again: its reader was killed, or the machine was busy.
        detail: for the log only; nothing of the file's content.
    """

    code = "damaged"

    def __init__(self, message: str, *, code: str | None = None, retryable: bool = False, detail: str = "") -> None:
        super().__init__(message, code=code)
        self.retryable = retryable
        self.detail = detail


class StorageFull(SproutError):
    code = "storage_full"


class StorageUnavailable(SproutError):
    code = "storage_unavailable"
    retry_after_s = 5.0


class ModelFailureKind(StrEnum):
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    UNREACHABLE = "unreachable"
    READING = "reading"
    CUT = "cut"
    STALLED = "stalled"
    PROMPT_TOO_LONG = "prompt_too_long"
    REQUEST_TOO_LARGE = "request_too_large"
    BAD_REQUEST = "bad_request"
    BAD_KEY = "bad_key"
    NO_PERMISSION = "no_permission"
    NO_CREDIT = "no_credit"
    UNKNOWN_MODEL = "unknown_model"
    NO_PROGRESS = "no_progress"
    NO_TOOL_CALLS = "no_tool_calls"
    REPEATING = "repeating"
    BUDGET_SPENT = "budget_spent"


class ModelFailure(SproutError):
    """A model call that brought no whole reply; its code is the kind where none is given.

    Args:
        message: for a person: what happened and what to do; never the provider's raw text.
        retry_after_s: what the provider asked to wait, in seconds, where it did.
        window: of the model in tokens, where the provider has said that a prompt is longer.
        detail: for the log only.
    """

    def __init__(
        self,
        kind: ModelFailureKind,
        message: str,
        *,
        retry_after_s: float | None = None,
        window: int | None = None,
        detail: str = "",
        code: str | None = None,
        **params: str | float,
    ) -> None:
        super().__init__(message, code=code or kind.value, **params)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.window = window
        self.detail = detail


class ToolFailure(SproutError):
    code = "tool_failure"

    def __init__(self, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        self.transient = transient

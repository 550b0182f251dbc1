"""Dependencies of the HTTP handlers, handed in once by `app.py`."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from sprout.accounts.accounts import Accounts, Passwords
from sprout.accounts.cards import Cards
from sprout.accounts.class_budgets import ClassBudgets
from sprout.accounts.class_page.contrasts import Contrasts
from sprout.accounts.class_page.progress import ClassProgressReports
from sprout.accounts.class_sign_in import ClassSignIn
from sprout.accounts.classes import Classes, Memberships
from sprout.accounts.concerns import Concerns
from sprout.accounts.desk import Desk
from sprout.accounts.email_recovery import EmailRecovery
from sprout.accounts.given_paths import GivenPaths, PathGiver
from sprout.accounts.identities import LinkedIdentities
from sprout.accounts.identity_sign_in import IdentitySignIn
from sprout.accounts.lrs.record_stores import RecordStoreClient, RecordStores
from sprout.accounts.passkey_sign_in import PasskeySignIn
from sprout.accounts.passkeys import Passkeys
from sprout.accounts.path_updates import PathUpdates
from sprout.accounts.security_log import SecurityLog
from sprout.accounts.sessions import Sessions
from sprout.accounts.shared_lessons import SharedLessons
from sprout.accounts.sign_in import PasswordSignIn
from sprout.accounts.tokens import Tokens
from sprout.accounts.ways import Method
from sprout.events import NodeRow
from sprout.learning.lessons.conversations import Conversations
from sprout.learning.lessons.memories import Memories
from sprout.learning.lessons.repository import LessonRepository
from sprout.learning.marking.answer_keys import AnswerKeys
from sprout.learning.mastery.flashcards import Flashcards, WriteFlashcards
from sprout.learning.mastery.reports import Reports
from sprout.learning.misconceptions.repository import Misconceptions
from sprout.learning.paths.account import Account
from sprout.learning.paths.contents import Contents
from sprout.learning.paths.left_out import LeftOut
from sprout.learning.paths.path_file import PathExchange
from sprout.learning.paths.progress import ProgressRepository
from sprout.learning.paths.repository import PathRepository
from sprout.learning.paths.topic_coverage import EveryTopic, TopicCoverage
from sprout.learning.placement.repository import Placements
from sprout.learning.questions.assessments import Assessments
from sprout.learning.questions.question_files import QuestionFile, QuestionImports
from sprout.learning.questions.question_sets import QuestionSets
from sprout.learning.reviews.repository import Reviews
from sprout.learning.sources import Sources
from sprout.learning.xapi.facts import LearningFacts
from sprout.learning.xapi.statements import StatementWriter
from sprout.runs.handoff_report import Handoff
from sprout.runs.model_probes import ProbedModel
from sprout.runs.run_store import Admission, OnBusy, RequestKey
from sprout.runs.state import Run, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.runs.streaming.multiplex import TaggedEvent
from sprout.web.http.authentication import Authenticate
from sprout.web.http.limits import WebLimits
from sprout.web.http.open_streams import OpenStreams
from sprout.web.http.rate_limits import RateLimiters, TakeToken
from sprout.web.http.secret_cookie import SecretCookie

DetectMediaType = Callable[[str, str, bytes], tuple[str, str]]
"""File name, declared media type and bytes in; displayed name and detected media type out. Raises BadInput."""

ReadQuestionFile = Callable[[str, bytes], Awaitable[QuestionFile]]
"""File name and bytes in; its checked questions out. Raises UnsupportedType, UnreadableDocument."""


class Runs(Protocol):
    """Runs, as the handlers use them; `LiveRuns` is the implementation."""

    async def start(
        self,
        agent: str,
        *,
        node: NodeRow,
        user_id: str,
        small: bool = False,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: RequestKey | None = None,
        lane: str | None = None,
        task: str | None = None,
        needs_model: bool = True,
    ) -> Admission:
        """Admit a run of this agent on this node, or find the one that serves in its place.

        Args:
            needs_model: whether it is of no use without a model, and so is refused where no call could be made.

        Raises BudgetSpent, ClassModelRefused.
        """
        ...

    def follow(self, root_id: str, *, after: int = 0) -> AsyncIterator[list[BusMessage]]:
        """All messages after a number, in batches: replay, then live; ends after `run_done`."""
        ...

    def follow_to_end(self, root_id: str) -> AsyncIterator[list[BusMessage]]:
        """All messages for an answer that waits for the run's end; a shutdown ends it later than a stream."""
        ...

    def follow_learner(
        self, user_id: str, cursors: Mapping[str, int] | None, *, live: bool = True
    ) -> AsyncIterator[list[TaggedEvent]]:
        """The learner's root runs as one stream, after the cursors; None for unreadable cursors."""
        ...

    async def cancel(self, run_id: str, *, user_id: str) -> Run: ...

    async def run(self, run_id: str, *, user_id: str) -> Run: ...

    async def run_of_key(self, key: str, *, user_id: str) -> Run | None:
        """The run that the first of the user's idempotency keys that begin like this belongs to."""
        ...

    async def latest(self, *, user_id: str) -> list[Run]:
        """The newest root run and the active ones of each branch, newest first."""
        ...

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        include_conversations: bool = True,
        states: Sequence[RunState] = (),
        before: str | None = None,
        limit: int = 50,
    ) -> list[Run]:
        """Root runs, newest first, with or without turns of conversations."""
        ...

    async def handoff(self, run_id: str, *, user_id: str) -> Handoff:
        """The run with its journal and last events, for a person who takes over."""
        ...

    async def cancel_all(self, *, user_id: str, branch_id: str | None = None) -> None:
        """Cancel every run of a learner, or of one branch, and wait until they have ended."""
        ...

    async def answer(self, run_id: str, words: str, *, user_id: str, result: str | None = None) -> Run: ...

    async def resume(self, run_id: str, *, user_id: str) -> Run: ...

    async def retry(self, run_id: str, *, user_id: str) -> Admission: ...

    async def discard(self, run_id: str, *, user_id: str) -> Run: ...


async def no_models() -> Sequence[ProbedModel]:
    """The probe of a server without models."""
    return ()


async def always_ready() -> str | None:
    """The probe of a server without dependencies that start later."""
    return None


@dataclass(frozen=True, slots=True)
class PathRepositories:
    """Paths: their nodes, contents, sources and progress, and whole paths as files."""

    paths: PathRepository
    contents: Contents
    exchange: PathExchange
    sources: Sources
    left_out: LeftOut
    progress: ProgressRepository
    question_sets: QuestionSets


@dataclass(frozen=True, slots=True)
class TeachingRepositories:
    """Questions, lessons, placements, reviews, reports and flashcards."""

    assessments: Assessments
    answer_keys: AnswerKeys
    conversations: Conversations
    lessons: LessonRepository
    memories: Memories
    reports: Reports
    misconceptions: Misconceptions
    reviews: Reviews
    placements: Placements
    flashcards: Flashcards
    question_imports: QuestionImports


@dataclass(frozen=True, slots=True)
class DeskRepositories:
    """What waits for a teacher, whom there is concern about, and what learners have shared."""

    desk: Desk
    concerns: Concerns
    shared_lessons: SharedLessons


@dataclass(frozen=True, slots=True)
class RecordRepositories:
    """What learners did, as statements, and the record stores that get them."""

    facts: LearningFacts
    writer: StatementWriter
    stores: RecordStores
    client: RecordStoreClient


@dataclass(frozen=True, slots=True)
class AccountRepositories:
    """Accounts, the ways to sign in, and classes.

    Args:
        passkey_sign_in, identity_sign_in: None where the server has no such way to sign in.
        email_recovery: None where the server has no mail server.
        provider_name: what people call the OpenID provider.
        methods: the names of these ways; none on a server for one learner.
    """

    accounts: Accounts
    passwords: Passwords
    sessions: Sessions
    tokens: Tokens
    security_log: SecurityLog
    password_sign_in: PasswordSignIn
    passkeys: Passkeys
    passkey_sign_in: PasskeySignIn | None
    identities: LinkedIdentities
    identity_sign_in: IdentitySignIn | None
    classes: Classes
    class_budgets: ClassBudgets
    memberships: Memberships
    cards: Cards
    class_sign_in: ClassSignIn
    given_paths: GivenPaths
    path_giver: PathGiver
    path_updates: PathUpdates
    class_progress: ClassProgressReports
    desks: DeskRepositories
    records: RecordRepositories
    contrasts: Contrasts
    cookie: SecretCookie
    attempt_cookie: SecretCookie
    email_recovery: EmailRecovery | None = None
    provider_name: str = ""
    methods: tuple[Method, ...] = ()


@dataclass(frozen=True, slots=True)
class PathsAndRuns:
    """Paths, and the runs that work on them."""

    paths: PathRepository
    runs: Runs


@dataclass(frozen=True, slots=True)
class LearningDependencies:
    """Paths, the runs that work on them, the lessons that were begun, reviews, placements and mix-ups."""

    paths: PathRepository
    runs: Runs
    conversations: Conversations
    reviews: Reviews
    placements: Placements
    misconceptions: Misconceptions

    @classmethod
    def of(cls, web: "WebDependencies") -> "LearningDependencies":
        teaching = web.teaching_repositories
        return cls(
            paths=web.paths,
            runs=web.runs,
            conversations=teaching.conversations,
            reviews=teaching.reviews,
            placements=teaching.placements,
            misconceptions=teaching.misconceptions,
        )


@dataclass(frozen=True, slots=True)
class DiagnosticsAndRuns:
    """Diagnostics, and the runs that make their questions."""

    assessments: Assessments
    paths: PathRepository
    runs: Runs


@dataclass(frozen=True, slots=True)
class ServerProbes:
    """Health and metrics of the server.

    Args:
        status: the answer to GET /api/status for a learner, as JSON values.
        database_ok: whether the database answers.
        metrics: all figures in the format that an Accept header asks for, and its content type.
        unready_reason: why no requests should be sent here now, with what to do; None while they may be.
        probe_models: probes every model in use, which takes up to a minute.
    """

    status: Callable[[str], Awaitable[Mapping[str, JsonValue]]]
    database_ok: Callable[[], Awaitable[bool]]
    metrics: Callable[[str], Awaitable[tuple[bytes, str]]]
    unready_reason: Callable[[], Awaitable[str | None]] = always_ready
    probe_models: Callable[[], Awaitable[Sequence[ProbedModel]]] = no_models


@runtime_checkable
class ModelKeyStore(Protocol):
    """The model key of an installation that names none in its environment; it is used from the next start on."""

    async def keep(self, key: str) -> None:
        """Keep it, in place of an earlier one. Raises BadInput, Conflict, StorageUnavailable."""
        ...

    async def forget(self) -> bool:
        """Remove it; whether there was one. Raises Conflict, StorageUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class LoggedModelKey:
    """The model key, and the log that says who has changed it."""

    store: ModelKeyStore
    security_log: SecurityLog


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The page's static files, and the version of Sprout."""

    folder: Path
    version: str


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Who sends a request, the limits and rates of all, and the event streams that are open.

    Args:
        take_token: takes a token of a learner's bucket, where processes share them.
    """

    authenticate: Authenticate
    limits: WebLimits = field(default_factory=WebLimits)
    open_streams: OpenStreams = field(default_factory=OpenStreams)
    take_token: TakeToken | None = None
    rate_limiters: RateLimiters = field(init=False)

    def __post_init__(self) -> None:
        limits = self.limits
        object.__setattr__(
            self,
            "rate_limiters",
            RateLimiters(
                requests=limits.request_rate,
                runs=limits.run_rate,
                uploads=limits.upload_rate,
                take=self.take_token,
            ),
        )


@dataclass(frozen=True, slots=True)
class WebDependencies:
    """Everything that the web needs, by who needs it; each group of endpoints takes its part.

    Args:
        detect_media_type: called in a thread.
        read_question_file: reads it in a process of its own.
        extra_agents: names of the agents that were added to Sprout's own.
        write_flashcards: makes the file of an export for Anki; called in a thread.
        coverage: what the model can teach without notes.
    """

    path_repositories: PathRepositories
    teaching_repositories: TeachingRepositories
    account: Account
    account_repositories: AccountRepositories
    runs: Runs
    server_probes: ServerProbes
    model_key: ModelKeyStore
    page_files: PageFiles
    detect_media_type: DetectMediaType
    write_flashcards: WriteFlashcards
    read_question_file: ReadQuestionFile
    policy: RequestPolicy
    extra_agents: tuple[str, ...] = ()
    coverage: TopicCoverage = field(default_factory=EveryTopic)

    @property
    def paths(self) -> PathRepository:
        return self.path_repositories.paths

    @property
    def logged_model_key(self) -> LoggedModelKey:
        return LoggedModelKey(self.model_key, self.account_repositories.security_log)

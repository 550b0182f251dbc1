"""Settings: read once from the environment, checked, then handed out as values."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from sprout.accounts.ways import Method
from sprout.engines.smtp_mailer import SmtpServer
from sprout.errors import SetupError
from sprout.llm.model_key import KeySource, read_kept_key
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.policy import LoopPolicy
from sprout.public_address import has_address_as_host, is_near, is_safe_url, public_origin

MIB = 1024 * 1024
AGENT_NAMES = ("topic", "subconcept", "refinement", "review", "tutor", "grading", "key_check", "variants")
DEFAULT_MODELS = {
    "topic": "claude-opus-5-5",
    "refinement": "claude-opus-5-5",
    "subconcept": "claude-sonnet-5-5",
    "tutor": "claude-sonnet-5-5",
    "grading": "claude-sonnet-5-5",
    "review": "claude-sonnet-5-5",
    "key_check": "claude-haiku-5-5",
    "variants": "claude-sonnet-5-5",
}
OFFLINE_MODEL = "sprout-offline"
EXTRA_AGENT_MODEL = DEFAULT_MODELS["tutor"]
DEFAULT_SMALL_MODEL = "claude-haiku-5-5"
FALLBACK_MODELS = {"claude-opus-5-5": "claude-sonnet-5-5", "claude-sonnet-5-5": "claude-haiku-5-5"}
LOCAL_ORIGINS = ("http://localhost:*", "http://127.0.0.1:*")


class RunSettings(BaseModel):
    """`SPROUT_RUNS__*`. Seconds and counts; `model_calls` is how many go on at once in the whole deployment.

    What happened in a run can be played again for `keep_events_days` after its end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    lease_s: float = Field(30, gt=0)
    heartbeat_s: float = Field(10, gt=0)
    sweep_s: float = Field(30, gt=0)
    children: int = Field(10, ge=1)
    model_calls: int = Field(32, ge=1)
    auto_resume: bool = True
    keep_events_days: float = Field(30, gt=0)


PERIODS = ("day", "month")


class BudgetSettings(BaseModel):
    """`SPROUT_BUDGETS__*`. Dollars by the catalogue's prices, and tokens of all models but the built-in one, that one
    learner, one class and the whole deployment may use on a day and in a month (UTC); what is not set is without limit.
    A class has less where its teacher sets less.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner_usd_per_day: float | None = Field(None, ge=0, allow_inf_nan=False)
    learner_tokens_per_day: int | None = Field(None, ge=0)
    learner_usd_per_month: float | None = Field(None, ge=0, allow_inf_nan=False)
    learner_tokens_per_month: int | None = Field(None, ge=0)
    class_usd_per_day: float | None = Field(None, ge=0, allow_inf_nan=False)
    class_tokens_per_day: int | None = Field(None, ge=0)
    class_usd_per_month: float | None = Field(None, ge=0, allow_inf_nan=False)
    class_tokens_per_month: int | None = Field(None, ge=0)
    deployment_usd_per_day: float | None = Field(None, ge=0, allow_inf_nan=False)
    deployment_tokens_per_day: int | None = Field(None, ge=0)
    deployment_usd_per_month: float | None = Field(None, ge=0, allow_inf_nan=False)
    deployment_tokens_per_month: int | None = Field(None, ge=0)

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @property
    def usd_only(self) -> bool:
        """True for a payer with a budget in dollars and none in tokens, which would hold where no price is known."""
        limits = self.model_dump()
        return any(
            any(limits[f"{payer}_usd_per_{period}"] is not None for period in PERIODS)
            and all(limits[f"{payer}_tokens_per_{period}"] is None for period in PERIODS)
            for payer in ("learner", "class", "deployment")
        )


class S3Settings(BaseModel):
    """`SPROUT_S3__*`: the server that has the bucket of `SPROUT_DOCUMENTS_URL`, and who comes to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoint: str | None = None
    region: str | None = None
    access_key_id: str | None = Field(None, repr=False)
    secret_access_key: str | None = Field(None, repr=False)


class OidcSettings(BaseModel):
    """`SPROUT_OIDC__*`: the OpenID provider where people sign in, and how this server is registered there.

    `name` is what the button of the page calls it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: str | None = None
    client_id: str | None = None
    client_secret: str | None = Field(None, repr=False, pattern=r"^[\x20-\x7e]+$")
    name: str = Field("", max_length=60)

    @field_validator("issuer", "client_id", "client_secret", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("issuer")
    @classmethod
    def _check_issuer(cls, value: str | None) -> str | None:
        if value is not None and not is_safe_url(value):
            raise ValueError("give the https address of the provider, as it calls itself")
        return value


class LimitSettings(BaseModel):
    """`SPROUT_LIMITS__*`: what one request may bring, how often and how much at once an address or a learner may ask,
    and how much a learner may keep. What may be None is without limit when it is set to nothing.

    Args:
        requests_per_s: of one account, or of one address of people who have not signed in; that many more at once as
            `requests_burst` says, and so for runs and uploads.
        runs_per_min: that one learner begins; a turn of a lesson is a run.
        runs_at_once: of one learner, those that wait for their turn too.
        classes: of one teacher.
        connections: to the server, in all; no more than the process may have files open, less some for itself.
        header_timeout_s: how long a connection may take to bring the head of a request.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    json_max_bytes: int = Field(1_000_000, ge=1_000)
    turn_max_bytes: int = Field(16 * MIB, ge=1_000)
    graph_max_bytes: int = Field(4_000_000, ge=1_000)
    json_max_depth: int = Field(50, ge=5, le=200)
    requests_per_s: float | None = Field(300, gt=0, allow_inf_nan=False)
    requests_burst: int = Field(3_000, ge=1)
    runs_per_min: float | None = Field(600, gt=0, allow_inf_nan=False)
    runs_burst: int = Field(1_000, ge=1)
    runs_at_once: int | None = Field(1_000, ge=1)
    uploads_per_day: int | None = Field(500, ge=1)
    streams_per_learner: int = Field(200, ge=1)
    streams_per_address: int = Field(400, ge=1)
    connections: int = Field(4_000, ge=10)
    connections_per_address: int = Field(2_000, ge=1)
    header_timeout_s: float = Field(10, gt=0)
    paths: int | None = Field(1_000, ge=1)
    nodes_per_path: int | None = Field(2_000, ge=2)
    documents_per_topic: int | None = Field(10, ge=1)
    stored_bytes: int | None = Field(2 * 1024 * MIB, ge=1)
    classes: int | None = Field(50, ge=1)
    members_per_class: int | None = Field(200, ge=1)

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value


class Settings(BaseSettings):
    """Everything that can be set, as `SPROUT_<NAME>`, nested names with `__`.

    `loop` overrides numbers of the loop for all agents (`SPROUT_LOOP__MAX_ITERATIONS=20`), `agents` for one, and its
    model and mechanisms (`SPROUT_AGENTS__TUTOR__MODEL=…`, `SPROUT_AGENTS__TOPIC__JOURNAL=false`).
    `courses_dir` is a folder of course files, which the built-in model offers beside its own.
    `extra_agents` and `tutor_tools` name what is added, as `module:name`.
    `trusted_proxies` are addresses and networks (`10.0.0.0/8`) of reverse proxies, whose `X-Forwarded-For` is believed.
    `auth` names the ways to sign in; without one Sprout is for one learner, on this machine alone. `public_url` is the
    address that browsers come to, https unless it is this machine; passkeys are bound to its host.
    `local_model` and `local_base_url` are a further model, on a server of one's own, which teachers may
    choose for a class.
    `smtp` is the mail server that links for a new password go out by; without one there are none.
    `security_log_days` is how long events of the security log are kept.
    `lrs_hosts` are hosts in private networks, or of this machine, to whose record stores classes may send.
    `published_on_loopback` is for containers: it asserts that the port is reached from 127.0.0.1 of the host
    alone, so that the server may listen on every address of its container.
    """

    model_config = SettingsConfigDict(
        env_prefix="SPROUT_",
        env_nested_delimiter="__",
        env_file=".env",
        frozen=True,
        extra="ignore",
        populate_by_name=True,
    )

    data_dir: Path = Path("data")
    database_url: str | None = Field(None, validation_alias=AliasChoices("DATABASE_URL", "SPROUT_DATABASE_URL"))
    redis_url: str | None = Field(None, validation_alias=AliasChoices("REDIS_URL", "SPROUT_REDIS_URL"), repr=False)
    worker_runs: int = Field(20, ge=2)
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65_535)
    auth: Annotated[tuple[Method, ...], NoDecode] = ()
    public_url: str | None = Field(None, validate_default=True)
    published_on_loopback: bool = False
    security_log_days: float = Field(365, gt=0, le=36_500)
    lrs_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"
    tracing: bool = False
    otlp_endpoint: str | None = Field(
        None, validation_alias=AliasChoices("OTEL_EXPORTER_OTLP_ENDPOINT", "SPROUT_OTLP_ENDPOINT")
    )

    api_key: str | None = Field(None, validation_alias=AliasChoices("ANTHROPIC_API_KEY", "SPROUT_API_KEY"), repr=False)
    _key_is_kept: bool = PrivateAttr(default=False)
    base_url: str | None = Field(None, validation_alias=AliasChoices("ANTHROPIC_BASE_URL", "SPROUT_BASE_URL"))
    model: str | None = None
    small_model: str | None = None
    fallback_model: str | None = None
    local_model: str | None = None
    local_base_url: str | None = Field(None, validate_default=True)
    offline_tokens_per_s: float | None = Field(400.0, gt=0)
    courses_dir: Path | None = None

    cors_origins: Annotated[tuple[str, ...], NoDecode] = LOCAL_ORIGINS
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    upload_max_bytes: int = Field(20 * MIB, ge=1)
    upload_max_files: int = Field(10, ge=1)
    documents_url: str | None = None
    s3: S3Settings = Field(default_factory=lambda: S3Settings.model_validate({}))
    aws_endpoint_url: str | None = Field(None, validation_alias="AWS_ENDPOINT_URL")
    aws_region: str | None = Field(None, validation_alias=AliasChoices("AWS_REGION", "AWS_DEFAULT_REGION"))
    aws_access_key_id: str | None = Field(None, validation_alias="AWS_ACCESS_KEY_ID", repr=False)
    aws_secret_access_key: str | None = Field(None, validation_alias="AWS_SECRET_ACCESS_KEY", repr=False)

    expose_answers: bool = False
    care_text: str = ""
    verify_keys: bool = True

    extra_agents: Annotated[tuple[str, ...], NoDecode] = ()
    tutor_tools: Annotated[tuple[str, ...], NoDecode] = ()
    loop: dict[str, Any] = Field(default_factory=dict)
    agents: dict[str, dict[str, Any]] = Field(default_factory=dict)
    runs: RunSettings = Field(default_factory=lambda: RunSettings.model_validate({}))
    limits: LimitSettings = Field(default_factory=lambda: LimitSettings.model_validate({}))
    budgets: BudgetSettings = Field(default_factory=lambda: BudgetSettings.model_validate({}))
    oidc: OidcSettings = Field(default_factory=lambda: OidcSettings.model_validate({}), validate_default=True)
    smtp: SmtpServer | None = None

    @field_validator(
        "auth", "cors_origins", "lrs_hosts", "trusted_proxies", "extra_agents", "tutor_tools", mode="before"
    )
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator(
        "api_key",
        "base_url",
        "public_url",
        "courses_dir",
        "model",
        "small_model",
        "fallback_model",
        "local_model",
        "local_base_url",
        "database_url",
        "redis_url",
        "otlp_endpoint",
        "documents_url",
        "aws_endpoint_url",
        "aws_region",
        "aws_access_key_id",
        "aws_secret_access_key",
        mode="before",
    )
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("trusted_proxies")
    @classmethod
    def _check_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            ipaddress.ip_network(each)  # raises ValueError, which names the address
        return value

    @field_validator("auth")
    @classmethod
    def _without_repetition(cls, value: tuple[Method, ...]) -> tuple[Method, ...]:
        return tuple(dict.fromkeys(value))

    @field_validator("public_url")
    @classmethod
    def _check_public_url(cls, value: str | None, info: ValidationInfo) -> str | None:
        elsewhere = [one for one in info.data.get("auth", ()) if one != "password"]
        if value is None and elsewhere:
            raise ValueError(f"with {elsewhere[0]} the address that browsers come to must be known")
        origin = None if value is None else public_origin(value)
        if origin is not None and "passkey" in elsewhere and has_address_as_host(origin):
            raise ValueError("passkeys need a name: give http://localhost:8000 instead of http://127.0.0.1:8000")
        return origin

    @field_validator("local_base_url")
    @classmethod
    def _check_local_base_url(cls, value: str | None, info: ValidationInfo) -> str | None:
        if (value is None) != (info.data.get("local_model") is None):
            raise ValueError("the local model needs SPROUT_LOCAL_MODEL and SPROUT_LOCAL_BASE_URL, or neither")
        if value is not None and not (is_safe_url(value) or _is_in_own_network(value)):
            raise ValueError("give an address such as http://localhost:11434; https outside the own network")
        return value

    @field_validator("oidc")
    @classmethod
    def _check_oidc(cls, value: OidcSettings, info: ValidationInfo) -> OidcSettings:
        if "oidc" in info.data.get("auth", ()) and None in (value.issuer, value.client_id, value.client_secret):
            raise ValueError("oidc needs SPROUT_OIDC__ISSUER, SPROUT_OIDC__CLIENT_ID and SPROUT_OIDC__CLIENT_SECRET")
        return value

    @field_validator("smtp", mode="before")
    @classmethod
    def _nothing_is_no_server(cls, value: object) -> object:
        blank = isinstance(value, dict) and not any(str(one).strip() for one in value.values())
        return None if blank else value

    @field_validator("smtp")
    @classmethod
    def _check_smtp(cls, value: SmtpServer | None, info: ValidationInfo) -> SmtpServer | None:
        if value is not None and "password" not in info.data.get("auth", ()):
            raise ValueError("mails are for forgotten passwords: they need SPROUT_AUTH with password")
        if value is not None and info.data.get("public_url") is None:
            raise ValueError("mails have links: they need SPROUT_PUBLIC_URL, the address that browsers come to")
        return value

    @field_validator("agents")
    @classmethod
    def _check_agent_names(cls, value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        """With further agents, whose names are known once they are loaded, `load_agents` looks again."""
        unknown = sorted(value.keys() - set(AGENT_NAMES))
        if unknown and not info.data.get("extra_agents"):
            raise ValueError(f"there is no agent {unknown[0]!r}; there are: {', '.join(AGENT_NAMES)}")
        return value

    @property
    def offline(self) -> bool:
        """True if the built-in model is used: no key and no other server is configured."""
        return self.api_key is None and self.base_url is None

    @property
    def key_source(self) -> KeySource | None:
        """The place that the key comes from; None without one."""
        if self.api_key is None:
            return None
        return "data_folder" if self._key_is_kept else "environment"

    def with_kept_key(self) -> "Settings":
        """These settings with the key that the data folder keeps, where they name none. Raises SetupError.

        Processes that share the work do not share the folder.
        """
        key = None if self.api_key is not None or self.redis_url is not None else read_kept_key(self.data_dir)
        if key is None:
            return self
        settings = self.model_copy(update={"api_key": key})
        settings._key_is_kept = True
        return settings

    @property
    def has_network_sign_in(self) -> bool:
        """True if people sign in, over TLS: then the server may listen on a network."""
        return bool(self.auth) and (self.public_url or "").startswith("https:")

    @property
    def tracing_enabled(self) -> bool:
        """True if spans are exported: a collector is configured, or tracing is switched on."""
        return self.tracing or self.otlp_endpoint is not None

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{(self.data_dir / 'sprout.sqlite3').absolute()}"

    def policy(self, agent: str, defaults: LoopPolicy) -> LoopPolicy:
        """The numbers in force for an agent. Raises SetupError, naming the setting, when one is nonsense."""
        elsewhere = {"model", *LoopMechanisms.model_fields}
        own = {name: value for name, value in self.agents.get(agent, {}).items() if name not in elsewhere}
        with _naming_loop_settings(agent):
            return LoopPolicy.model_validate({**defaults.model_dump(), **self.loop, **own})

    def mechanisms(self, agent: str, defaults: LoopMechanisms) -> LoopMechanisms:
        """The mechanisms in force for an agent. Raises SetupError, naming the setting, when one is nonsense."""
        mechanisms = LoopMechanisms.model_fields
        own = {name: value for name, value in self.agents.get(agent, {}).items() if name in mechanisms}
        with _naming_loop_settings(agent):
            return LoopMechanisms.model_validate({**{name: getattr(defaults, name) for name in mechanisms}, **own})

    def model_of(self, agent: str, *, small: bool) -> str:
        """The provider's id of the model that an agent uses."""
        if self.offline:
            return OFFLINE_MODEL
        own = self.agents.get(agent, {}).get("model")
        if small:
            return str(own or self.small_model or self.model or DEFAULT_SMALL_MODEL)
        return str(own or self.model or DEFAULT_MODELS.get(agent, EXTRA_AGENT_MODEL))

    def fallback_of(self, model: str) -> str | None:
        """The model that takes over while `model` is overloaded, if there is one."""
        if self.offline:
            return None
        fallback = self.fallback_model or FALLBACK_MODELS.get(model)
        return fallback if fallback != model else None


def load_settings(**overrides: Any) -> Settings:
    """The settings in force. Raises SetupError with one line per setting that cannot be used."""
    try:
        settings = Settings(**overrides)
    except ValidationError as error:
        raise SetupError(f"These settings cannot be used. {_describe_errors(error)}") from None
    return settings.with_kept_key()


def _is_in_own_network(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "http" and bool(parts.hostname) and is_near(parts.hostname or "")


@contextmanager
def _naming_loop_settings(agent: str) -> Iterator[None]:
    """Raise values that the loop does not take as a SetupError."""
    try:
        yield
    except ValidationError as error:
        raise SetupError(f"The settings of the loop for {agent!r} cannot be used. {_describe_errors(error)}") from None


def _describe_errors(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(str(step) for step in fault['loc'])}: {fault['msg']}" for fault in error.errors())

"""Mails over SMTP, to one server that the settings name, over TLS with a certificate that is checked."""

import asyncio
import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid, parseaddr
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sprout.accounts.email_addresses import email_address
from sprout.accounts.mail import Mail, MailNotSent
from sprout.errors import BadInput
from sprout.public_address import is_near, is_this_machine

TIMEOUT_S = 20.0
Security = Literal["starttls", "tls", "none"]
PORTS: dict[Security, int] = {"starttls": 587, "tls": 465, "none": 25}
_CHARACTERS = r"^[\x21-\x7e][\x20-\x7e]*$"


class SmtpServer(BaseModel):
    """`SPROUT_SMTP__*`: the mail server, and the sender of what goes out.

    Args:
        security: `starttls` begins in plain text and goes on over TLS or not at all; `tls` is TLS from the first byte;
            `none` is for a server on this machine or in its own network.
        port: by default the usual one: 587, 465, 25.
        sender: an address, or `Name <address>`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(pattern=r"^[\w.:-]+$")
    port: int = Field(0, ge=0, le=65_535)
    security: Security = "starttls"
    user: str | None = Field(None, pattern=_CHARACTERS)
    password: str | None = Field(None, repr=False, pattern=_CHARACTERS)
    sender: str

    @field_validator("user", "password", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("sender")
    @classmethod
    def _check_sender(cls, value: str) -> str:
        try:
            email_address(parseaddr(value)[1])
        except BadInput:
            raise ValueError(
                "give an address such as sprout@school.example, or Sprout <sprout@school.example>"
            ) from None
        if not value.isprintable():
            raise ValueError("the sender has characters that cannot be shown")
        return value

    @model_validator(mode="after")
    def _check_safety(self) -> Self:
        if (self.user is None) != (self.password is None):
            raise ValueError("give SPROUT_SMTP__USER and SPROUT_SMTP__PASSWORD, or neither")
        if self.security == "none" and not is_near(self.host):
            raise ValueError(
                "links would go over the network in plain text: set SPROUT_SMTP__SECURITY to starttls or tls"
            )
        if self.security == "none" and self.password is not None and not is_this_machine(self.host):
            raise ValueError("the password would go over the network in plain text: use starttls or tls")
        return self

    @property
    def used_port(self) -> int:
        return self.port or PORTS[self.security]


class SmtpMailer:
    """A Mailer.

    Args:
        site: the public address of this server, as whose host it greets the other.
        tls: by default with the authorities of this machine, or those of `SSL_CERT_FILE`.
        timeout_s: the longest that one answer of the server may take.
    """

    def __init__(
        self, server: SmtpServer, *, site: str, tls: ssl.SSLContext | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._server, self._timeout_s = server, timeout_s
        self._hello = urlsplit(site).hostname or "localhost"
        self._tls = tls or ssl.create_default_context()

    async def send(self, mail: Mail) -> None:
        await asyncio.to_thread(self._send, mail)

    async def check(self) -> None:
        """Connect and sign in, and send nothing. Raises MailNotSent."""
        await asyncio.to_thread(self._check)

    def _send(self, mail: Mail) -> None:
        with self._session() as session:
            session.send_message(self._message(mail))

    def _check(self) -> None:
        with self._session() as session:
            session.noop()

    def _message(self, mail: Mail) -> EmailMessage:
        """The message; its policy refuses a header with a line break in it."""
        message = EmailMessage(SMTP)
        message["From"] = self._server.sender
        message["To"] = mail.to
        message["Subject"] = mail.subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=parseaddr(self._server.sender)[1].rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no answer by a program, such as one on holiday
        message.set_content(mail.text, cte="quoted-printable")
        return message

    @contextmanager
    def _session(self) -> Iterator[smtplib.SMTP]:
        """A connection on which mails can be sent. Raises MailNotSent for whatever goes wrong on it."""
        server = self._server
        try:
            with self._connect() as session:
                session.ehlo()
                if server.security == "starttls":
                    self._start_tls(session)
                if server.user is not None and server.password is not None:
                    session.login(server.user, server.password)
                yield session
        except OSError as error:  # that of smtplib and ssl too
            raise MailNotSent(f"The mail server {server.host}:{server.used_port} {_fault(error)}") from error

    def _connect(self) -> smtplib.SMTP:
        at = (self._server.host, self._server.used_port, self._hello)
        if self._server.security == "tls":
            return smtplib.SMTP_SSL(*at, timeout=self._timeout_s, context=self._tls)
        return smtplib.SMTP(*at, timeout=self._timeout_s)

    def _start_tls(self, session: smtplib.SMTP) -> None:
        if not session.has_extn("starttls"):
            raise _NoStartTls
        session.starttls(context=self._tls)
        session.ehlo()


class _NoStartTls(OSError):
    """Missing STARTTLS: the server has none, or the offer was removed on the way."""


def _fault(error: OSError) -> str:
    """Fault and remedy in words of our own: those of the server may name a person."""
    match error:
        case _NoStartTls():
            return "offers no STARTTLS: set SPROUT_SMTP__SECURITY to tls, or another SPROUT_SMTP__PORT."
        case ssl.SSLCertVerificationError():
            return (
                "has a certificate that isn't trusted for its name: check SPROUT_SMTP__HOST; SSL_CERT_FILE names "
                "an authority of your own."
            )
        case ssl.SSLError():
            return "doesn't speak TLS here: check SPROUT_SMTP__SECURITY and SPROUT_SMTP__PORT."
        case smtplib.SMTPAuthenticationError(smtp_code=code):
            return f"refuses to sign in ({code}): check SPROUT_SMTP__USER and SPROUT_SMTP__PASSWORD."
        case smtplib.SMTPNotSupportedError():
            return "takes no user and password here: remove SPROUT_SMTP__USER, or set SPROUT_SMTP__SECURITY."
        case smtplib.SMTPSenderRefused(smtp_code=code):
            return f"refuses the sender ({code}): check SPROUT_SMTP__SENDER, and who may send as it."
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            codes = sorted({code for code, _ in refused.values()})
            return f"refuses a recipient ({', '.join(map(str, codes))}): its own log says why."
        case smtplib.SMTPResponseException(smtp_code=code):
            return f"refuses a mail ({code}): its own log says why."
        case smtplib.SMTPServerDisconnected() if not isinstance(error.__context__, TimeoutError):
            return "hung up: check SPROUT_SMTP__SECURITY and SPROUT_SMTP__PORT."
        case socket.gaierror():
            return "isn't known: check SPROUT_SMTP__HOST."
        case TimeoutError() | smtplib.SMTPServerDisconnected():
            return "doesn't answer within the time: check SPROUT_SMTP__HOST and SPROUT_SMTP__PORT."
        case _:
            return f"can't be reached ({error.strerror or type(error).__name__}): check SPROUT_SMTP__HOST and __PORT."

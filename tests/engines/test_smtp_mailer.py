"""Mails over real SMTP connections: TLS, signing in, and a sentence for each thing that can be wrong with a server."""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import ValidationError

from harness.servers.smtp import PASSWORD, USER, Faults, SmtpServer, serving_smtp, smtp_settings
from sprout.accounts.mail import Mail, MailNotSent
from sprout.accounts.mail_queue import MAX_WAITING, MailQueue, MailQueueFull, open_mail_queue
from sprout.engines.smtp_mailer import SmtpMailer
from sprout.engines.smtp_mailer import SmtpServer as Access

MAIL = Mail("anna@school.example", "Schöne Grüße", "Grüße aus der Schule.\n.\nEnde\n" + "x" * 1_200 + "\n")
SIGNED_IN: dict[str, Any] = {"user": USER, "password": PASSWORD}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this machine, signed by itself."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail.test")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    file = tmp_path_factory.mktemp("tls") / "mail.pem"
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(secret + made.public_bytes(pem))
    return file


def shown(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


def mailer_for(smtp: SmtpServer, *, trusted: Path | None = None, **settings: object) -> SmtpMailer:
    tls = None if trusted is None else ssl.create_default_context(cafile=str(trusted))
    return SmtpMailer(Access.model_validate(smtp_settings(smtp, **settings)), site="https://school.example", tls=tls)


@asynccontextmanager
async def tls_server(certificate: Path, *, security: str) -> AsyncIterator[SmtpServer]:
    at_once = security == "tls"
    async with serving_smtp(tls=shown(certificate), tls_at_once=at_once, takes_password=True) as smtp:
        yield smtp


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_mail_goes_over_tls_with_a_password_and_arrives_as_it_was(certificate: Path, security: str) -> None:
    async with tls_server(certificate, security=security) as smtp:
        await mailer_for(smtp, trusted=certificate, security=security, **SIGNED_IN).send(MAIL)
        got = smtp.mails.get_nowait()
        assert (got["To"], got["Subject"]) == (MAIL.to, MAIL.subject)
        assert str(got.get_content()).replace("\r\n", "\n") == MAIL.text
        assert got["Message-ID"].endswith("@school.example>")
        assert max(map(len, smtp.raw[0].splitlines())) <= 998  # RFC 5322 section 2.1.1
        assert all(byte < 128 for byte in smtp.raw[0])
        if security == "starttls":
            assert smtp.commands.index("STARTTLS") < smtp.commands.index("AUTH")


async def test_an_authority_of_ones_own_is_trusted_by_the_environment(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with tls_server(certificate, security="tls") as smtp:
        await mailer_for(smtp, security="tls", **SIGNED_IN).check()
        assert "NOOP" in smtp.commands
        assert smtp.mails.empty()


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_that_is_not_trusted_gets_no_password(certificate: Path, security: str) -> None:
    async with tls_server(certificate, security=security) as smtp:
        with pytest.raises(MailNotSent, match="certificate that isn't trusted"):
            await mailer_for(smtp, security=security, **SIGNED_IN).send(MAIL)
        assert "AUTH" not in smtp.commands


async def test_nothing_goes_in_plain_text_where_the_offer_of_tls_is_missing(certificate: Path) -> None:
    async with tls_server(certificate, security="starttls") as smtp:
        smtp.faults = Faults(starttls=False)
        with pytest.raises(MailNotSent, match="offers no STARTTLS: set SPROUT_SMTP__SECURITY"):
            await mailer_for(smtp, trusted=certificate, security="starttls", **SIGNED_IN).send(MAIL)
        assert not {"AUTH", "MAIL", "DATA"} & set(smtp.commands)


@pytest.mark.parametrize(
    ("faults", "settings", "words"),
    [
        ({}, {"security": "tls"}, "doesn't speak TLS here: check SPROUT_SMTP__SECURITY"),
        ({}, {"user": USER, "password": "wrong"}, r"refuses to sign in \(535\): check SPROUT_SMTP__USER"),
        ({}, {}, r"refuses the sender \(530\)"),
        ({"MAIL": "550 you are not anna@school.example"}, SIGNED_IN, r"refuses the sender \(550\): check SPROUT"),
        ({"RCPT": "550 no anna@school.example here"}, SIGNED_IN, r"refuses a recipient \(550\)"),
        ({"DATA": "451 later"}, SIGNED_IN, r"refuses a mail \(451\)"),
        ({"EHLO": "", "HELO": ""}, {}, "hung up"),
        ({"MAIL": ""}, SIGNED_IN, "hung up"),
    ],
)  # fmt: skip
async def test_what_is_wrong_with_a_mail_server_is_said_with_what_to_mend(
    faults: dict[str, str], settings: dict[str, Any], words: str
) -> None:
    async with serving_smtp(takes_password=True) as smtp:
        smtp.faults = Faults(replies=faults)
        with pytest.raises(MailNotSent, match=words) as refused:
            await mailer_for(smtp, **settings).send(MAIL)
        assert smtp.mails.empty()
        assert "anna" not in str(refused.value), "a log names nobody"
        assert len(str(refused.value)) <= 200  # of a log's field


async def test_a_password_is_not_given_to_a_server_that_takes_none() -> None:
    async with serving_smtp() as smtp:
        with pytest.raises(MailNotSent, match="takes no user and password here"):
            await mailer_for(smtp, **SIGNED_IN).send(MAIL)


async def test_a_server_that_is_down_or_silent_or_unknown_is_said_to_be() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        access = Access.model_validate(smtp_settings(SmtpServer(port=port)))
        with pytest.raises(MailNotSent, match="doesn't answer within"):
            await SmtpMailer(access, site="https://school.example", timeout_s=0.2).send(MAIL)
    with pytest.raises(MailNotSent, match="can't be reached"):
        await mailer_for(SmtpServer(port=port)).send(MAIL)
    with pytest.raises(MailNotSent, match="isn't known: check SPROUT_SMTP__HOST"):
        await mailer_for(SmtpServer(port=port), host="no-such-host.invalid", security="tls").send(MAIL)


@pytest.mark.parametrize("field", ["to", "subject"])
async def test_no_line_break_gets_into_a_header(field: str) -> None:
    hostile = Mail(**{"to": MAIL.to, "subject": "News", "text": "", field: "a@b.example\r\nBcc: all@school.example"})
    async with serving_smtp() as smtp:
        with pytest.raises(ValueError, match="Header values"):
            await mailer_for(smtp).send(hostile)
        assert smtp.mails.empty()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"host": "mail.school.example"}, "plain text"),
        ({"host": "mail.internal", **SIGNED_IN}, "the password would go over the network in plain text"),
        ({"user": USER}, "SPROUT_SMTP__PASSWORD"),
        ({"sender": "Sprout"}, "give an address"),
        ({"sender": "a@b.example\r\nBcc: c@d.example"}, "sender"),
        ({"host": "a b"}, "host"),
        ({"password": "ä", "user": USER}, "password"),
    ],
)
def test_settings_that_are_unsafe_or_incomplete_are_refused(settings: dict[str, str], words: str) -> None:
    with pytest.raises(ValidationError, match=words) as refused:
        Access.model_validate(smtp_settings(SmtpServer(port=25), **settings))
    assert PASSWORD not in repr(Access.model_validate(smtp_settings(SmtpServer(port=25), **SIGNED_IN)))
    assert refused.value.error_count() >= 1


async def test_a_mail_that_fails_is_logged_and_those_after_it_are_sent(caplog: pytest.LogCaptureFixture) -> None:
    async with serving_smtp() as smtp:
        smtp.faults = Faults(replies={"RCPT": "550 no"})

        async def two() -> list[Mail]:
            return [MAIL]

        async def faulty() -> list[Mail]:
            smtp.faults = Faults()
            raise KeyError("a bug")

        async with open_mail_queue(mailer_for(smtp)) as queue:
            for write in (two, faulty, two):
                queue.add(write)
        assert smtp.mails.qsize() == 1, "what waits at the end of the process is still sent"
    logged = [(one.message, getattr(one, "reason", "")) for one in caplog.records if one.name.endswith("mail_queue")]
    assert [message for message, _ in logged] == ["mail.not_sent", "mail.failed"]
    assert "refuses a recipient (550)" in logged[0][1]


async def test_a_queue_that_is_full_says_so() -> None:
    class Nowhere:
        async def send(self, mail: Mail) -> None:
            raise AssertionError

    async def nothing() -> list[Mail]:
        return []

    queue = MailQueue(Nowhere())
    for _ in range(MAX_WAITING):
        queue.add(nothing)
    with pytest.raises(MailQueueFull):
        queue.add(nothing)
    sending = asyncio.create_task(queue.send_all())
    await queue.drain()
    queue.add(nothing)
    sending.cancel()

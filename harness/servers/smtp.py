"""An SMTP server for tests, over real TCP: it keeps what it is sent, and its behaviour is set on `faults`."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default

USER, PASSWORD = "sprout", "postman-password"


@dataclass
class Faults:
    """Faults of the server.

    Args:
        replies: to commands, instead of the right ones, by their first word; an empty one hangs up.
        starttls: whether STARTTLS is offered.
    """

    replies: dict[str, str] = field(default_factory=dict)
    starttls: bool = True


@dataclass
class SmtpServer:
    """A running server, and the mails that it has taken.

    Args:
        tls: the certificate that it shows, if it speaks TLS.
        tls_at_once: whether it does from the first byte.
        takes_password: whether one must sign in.
    """

    port: int = 0
    tls: ssl.SSLContext | None = None
    tls_at_once: bool = False
    takes_password: bool = False
    faults: Faults = field(default_factory=Faults)
    mails: asyncio.Queue[EmailMessage] = field(default_factory=asyncio.Queue)
    commands: list[str] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        session = _Session(self, reader, writer)
        try:
            await session.run()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass  # the client has gone, or does not like the certificate
        finally:
            writer.close()


@dataclass
class _Session:
    server: SmtpServer
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    is_tls: bool = False
    is_signed_in: bool = False

    async def run(self) -> None:
        self.is_tls = self.server.tls_at_once
        await self._reply("220 mail.test ready")
        while line := await self.reader.readline():
            command = line.decode().strip()
            self.server.commands.append(command.partition(" ")[0].upper())
            if not await self._obey(command):
                return

    async def _obey(self, command: str) -> bool:
        """Whether the connection goes on."""
        word, _, rest = command.partition(" ")
        word = word.upper()
        faulty = self.server.faults.replies.get(word)
        if faulty is not None:
            if faulty:
                await self._reply(faulty)
            return bool(faulty)
        match word:
            case "EHLO" | "HELO":
                await self._reply(*self._greeting())
            case "STARTTLS" if self.server.tls is not None:
                await self._reply("220 go on")
                await self.writer.start_tls(self.server.tls)
                self.is_tls = True
            case "AUTH":
                self.is_signed_in = rest == f"PLAIN {_plain()}"
                await self._reply("235 welcome" if self.is_signed_in else "535 wrong user or password")
            case "MAIL" if self.server.takes_password and not self.is_signed_in:
                await self._reply("530 sign in first")
            case "DATA":
                await self._reply("354 go on")
                self._keep(await self.reader.readuntil(b"\r\n.\r\n"))
                await self._reply("250 taken")
            case "QUIT":
                await self._reply("221 bye")
                return False
            case _:
                await self._reply("250 fine")
        return True

    def _greeting(self) -> list[str]:
        offered = ["250-mail.test"]
        if self.server.tls is not None and self.server.faults.starttls and not self.is_tls:
            offered.append("250-STARTTLS")
        if self.server.takes_password and (self.is_tls or self.server.tls is None):
            offered.append("250-AUTH PLAIN")
        return [*offered, "250 SIZE 1000000"]

    def _keep(self, data: bytes) -> None:
        content = data.removesuffix(b".\r\n").replace(b"\r\n..", b"\r\n.")
        self.server.raw.append(content)
        message = BytesParser(policy=default).parsebytes(content)
        assert isinstance(message, EmailMessage)
        self.server.mails.put_nowait(message)

    async def _reply(self, *lines: str) -> None:
        self.writer.write("".join(f"{line}\r\n" for line in lines).encode())
        await self.writer.drain()


@asynccontextmanager
async def serving_smtp(
    *, tls: ssl.SSLContext | None = None, tls_at_once: bool = False, takes_password: bool = False
) -> AsyncIterator[SmtpServer]:
    """A server on a free port of this machine."""
    smtp = SmtpServer(tls=tls, tls_at_once=tls_at_once, takes_password=takes_password)
    server = await asyncio.start_server(smtp.talk, "127.0.0.1", 0, ssl=tls if tls_at_once else None)
    async with server:
        smtp.port = server.sockets[0].getsockname()[1]
        yield smtp


def smtp_settings(smtp: SmtpServer, **more: object) -> dict[str, object]:
    """The settings of a Sprout that sends its mails there, in plain text on this machine where nothing else is said."""
    return {
        "host": "127.0.0.1",
        "port": smtp.port,
        "security": "none",
        "sender": "Sprout <sprout@school.example>",
        **more,
    }


def _plain() -> str:
    return base64.b64encode(f"\0{USER}\0{PASSWORD}".encode()).decode()

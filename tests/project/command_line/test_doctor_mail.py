"""The mail server as `sprout doctor` meets it, and settings with which no mail could be sent."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from rich.console import Console

from harness.servers.chosen_settings import ChosenSettings
from harness.servers.smtp import PASSWORD, USER, SmtpServer, serving_smtp, smtp_settings
from sprout.commands.doctor import examine
from sprout.loop.policy import LoopPolicy

SIGN_IN = {"auth": "password", "public_url": "https://sprout.example"}


async def doctor_on(folder: Path, smtp: SmtpServer, **more: object) -> tuple[int, str]:
    """The exit code, and what is said of the mail server."""
    console = Console(record=True, width=400)
    settings = ChosenSettings.model_validate({"data_dir": folder, **SIGN_IN, "smtp": smtp_settings(smtp, **more)})
    code = await examine(settings, {"any": LoopPolicy()}, console, probing="none")
    (line,) = [line for line in console.export_text().splitlines() if line.startswith("mail")]
    return code, line.removeprefix("mail").strip()


async def test_a_mail_server_is_connected_to_and_sent_nothing(tmp_path: Path) -> None:
    async with serving_smtp(takes_password=True) as smtp:
        code, line = await doctor_on(tmp_path, smtp, user=USER, password=PASSWORD)
        assert (code, line.startswith("ok"), smtp.mails.empty()) == (0, True, True)
        assert f"127.0.0.1:{smtp.port}, as Sprout <sprout@school.example>" in line
        assert "DATA" not in smtp.commands
        code, line = await doctor_on(tmp_path, smtp, user=USER, password="wrong")
        assert (code, line.startswith("BROKEN")) == (1, True)
        assert "check SPROUT_SMTP__USER and SPROUT_SMTP__PASSWORD" in line


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"auth": "password"}, "SPROUT_PUBLIC_URL"),
        ({"public_url": "https://sprout.example"}, "SPROUT_AUTH with password"),
        ({"auth": "passkey", "public_url": "https://sprout.example"}, "SPROUT_AUTH with password"),
    ],
    ids=str,
)
def test_a_mail_server_that_nothing_could_be_sent_by_is_refused(settings: dict[str, str], words: str) -> None:
    smtp = smtp_settings(SmtpServer(port=25))
    with pytest.raises(ValidationError, match=words):
        ChosenSettings.model_validate({**settings, "smtp": smtp})
    assert ChosenSettings.model_validate({**SIGN_IN, "smtp": smtp}).smtp is not None
    assert ChosenSettings.model_validate({**SIGN_IN, "smtp": {"host": "", "port": ""}}).smtp is None

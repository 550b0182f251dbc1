"""Recovery by e-mail over HTTP and SMTP: only a confirmed address gets a link, and no answer tells who has one."""

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from zipfile import ZipFile

import httpx2
import pytest
from sqlmodel import col, update

from harness.database.empty_sqlite import create_empty_database
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in, unlimited
from harness.servers.smtp import Faults, SmtpServer, serving_smtp, smtp_settings
from harness.sign_in.soft_authenticator import SoftAuthenticator
from sprout.accounts.accounts import CodeInvalid
from sprout.accounts.email_addresses import MAX_ADDRESS
from sprout.accounts.principal import FRESH_FOR, AccountRole
from sprout.accounts.secret_values import digest_of
from sprout.clock import utc_now
from sprout.store.schema.account_tables import AccountSession, OneTimeCode

ADDRESS = "anna@school.example"
NEW_PASSWORD = "another horse battery"


@pytest.fixture
async def smtp() -> AsyncIterator[SmtpServer]:
    async with serving_smtp() as smtp:
        yield smtp


@pytest.fixture
async def server(tmp_path: Path, smtp: SmtpServer) -> AsyncIterator[SignInServer]:
    create_empty_database(tmp_path)
    async with serving_sign_in(tmp_path, smtp=smtp_settings(smtp)) as server:
        for name in ("anna", "bert"):
            await server.add_person(name)
        await server.add_person("olga", AccountRole.OWNER)
        yield server


async def code_of(smtp: SmtpServer, page: str) -> str:
    """The code of the link to this page in the mail that comes next."""
    text = text_of(await asyncio.wait_for(smtp.mails.get(), 20))
    found = re.search(rf"^http://localhost:\d+/{page}#([\w-]{{43}})$", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


def text_of(mail: EmailMessage) -> str:
    return str(mail.get_content()).replace("\r\n", "\n")


async def with_address(server: SignInServer, smtp: SmtpServer, name: str, address: str) -> httpx2.AsyncClient:
    """A browser of a person whose address is confirmed."""
    browser = await server.sign_in(name)
    assert (await browser.put("/api/account/email", json={"email": address})).status_code == 202
    confirmed = await browser.post("/api/sign-in/email", json={"code": await code_of(smtp, "email")})
    assert confirmed.status_code == 204
    return browser


async def forget(server: SignInServer, name: str, **more: str) -> httpx2.Response:
    return await (await server.browser()).post("/api/sign-in/forgotten", json={"name": name, **more})


async def kinds_of_events(server: SignInServer, *, about: str | None) -> list[str]:
    """The kinds of the events about a person, or about a name that nobody has, newest first."""
    found = await server.accounts.security_log.events(limit=200)
    return [one.kind for one in found if one.name == about]


async def test_a_server_without_a_mail_server_has_no_recovery(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with serving_sign_in(tmp_path) as server:
        await server.add_person("anna")
        anna = await server.sign_in("anna")
        assert (await anna.get("/api/sign-in")).json()["recovery"] is False
        assert (await forget(server, "anna")).status_code == 404
        assert (await anna.get("/api/account/email")).status_code == 404
        assert (await anna.put("/api/account/email", json={"email": ADDRESS})).status_code == 404


async def test_a_forgotten_password_is_set_anew_by_the_link_in_a_mail_once(
    server: SignInServer, smtp: SmtpServer
) -> None:
    anna = await with_address(server, smtp, "anna", "Anna@School.Example")
    own = await anna.get("/api/account/email")
    assert own.json() == {"email": ADDRESS, "waiting": None, "waitingUntil": None}
    assert (await forget(server, "ANNA")).status_code == 204
    mail = await asyncio.wait_for(smtp.mails.get(), 20)
    assert (mail["To"], mail["From"], mail["Subject"]) == (
        ADDRESS,
        "Sprout <sprout@school.example>",
        "A new password for Sprout",
    )
    assert mail["Auto-Submitted"] == "auto-generated"
    code = re.search(r"/recover#([\w-]{43})", text_of(mail))
    assert code is not None
    browser = await server.browser()
    given = {"code": code[1], "password": NEW_PASSWORD}
    answer = await browser.post("/api/sign-in/password", json=given)
    assert (answer.status_code, answer.json()["name"]) == (200, "anna")
    assert (await browser.get("/api/account")).status_code == 200
    assert (await anna.get("/api/account")).status_code == 401, "all earlier sessions have ended"
    again = await browser.post("/api/sign-in/password", json={**given, "password": "yet another battery"})
    assert (again.status_code, again.json()["code"]) == (410, "code_invalid")
    refused = await browser.post("/api/sign-in", json={"name": "anna", "password": PASSWORD})
    assert refused.status_code == 401
    assert (await kinds_of_events(server, about="anna"))[1:5] == [
        "signed_in",
        "password_set",
        "recovery_requested",
        "email_confirmed",
    ]


async def test_a_mail_is_written_in_the_language_of_the_page(server: SignInServer, smtp: SmtpServer) -> None:
    anna = await server.sign_in("anna")
    await anna.put("/api/account/email", json={"email": ADDRESS, "language": "de"})
    mail = await asyncio.wait_for(smtp.mails.get(), 20)
    assert mail["Subject"] == "Bestätige deine E-Mail-Adresse für Sprout"
    assert "Du weißt nichts davon?" in text_of(mail)
    assert "anna\n" not in text_of(mail).lower(), "whoever gets it by mistake learns no name"
    assert all(max(line) < 128 for line in smtp.raw[-1].splitlines() if line)


async def test_an_address_counts_only_once_it_is_confirmed_and_an_earlier_one_until_then(
    server: SignInServer, smtp: SmtpServer
) -> None:
    anna = await with_address(server, smtp, "anna", ADDRESS)
    row = (await anna.put("/api/account/email", json={"email": "other@school.example"})).json()
    assert (row["email"], row["waiting"]) == (ADDRESS, "other@school.example")
    replaced = await code_of(smtp, "email")
    await anna.put("/api/account/email", json={"email": "third@school.example"})
    code = await code_of(smtp, "email")
    browser = await server.browser()
    assert (await browser.post("/api/sign-in/email", json={"code": replaced})).status_code == 410
    await forget(server, "anna")
    mail = await asyncio.wait_for(smtp.mails.get(), 20)
    assert mail["To"] == ADDRESS
    sent = re.search(r"/recover#([\w-]{43})", text_of(mail))
    assert sent is not None
    confirmed = [await browser.post("/api/sign-in/email", json={"code": code}) for _ in range(2)]
    assert [one.status_code for one in confirmed] == [204, 410]
    old = await browser.post("/api/sign-in/password", json={"code": sent[1], "password": NEW_PASSWORD})
    assert old.status_code == 410, "what was sent to the address before is void"
    await forget(server, "third@School.example")
    assert (await asyncio.wait_for(smtp.mails.get(), 20))["To"] == "third@school.example"


async def test_a_removed_address_and_its_links_are_void(server: SignInServer, smtp: SmtpServer) -> None:
    anna = await with_address(server, smtp, "anna", ADDRESS)
    await forget(server, "anna")
    code = await code_of(smtp, "recover")
    assert (await anna.delete("/api/account/email")).status_code == 204
    assert (await anna.delete("/api/account/email")).status_code == 404
    used = await anna.post("/api/sign-in/password", json={"code": code, "password": NEW_PASSWORD})
    assert used.status_code == 410
    assert (await anna.get("/api/account/email")).json()["email"] is None


async def test_Z7_nothing_in_the_answer_tells_who_has_an_account_or_an_address(
    server: SignInServer, smtp: SmtpServer
) -> None:
    await with_address(server, smtp, "anna", ADDRESS)
    users = {one.name: one.user_id for one in await server.accounts.accounts.accounts()}
    asked = ("anna", ADDRESS, "bert", "nobody", "nobody@school.example", "x" * 300, "\u202e <>%00")
    answers = [await forget(server, one) for one in asked]
    assert {(one.status_code, one.text, tuple(sorted(set(one.headers) - {"date"}))) for one in answers} == {
        (204, "", tuple(sorted(set(answers[0].headers) - {"date"})))
    }
    for _ in range(2):
        assert (await asyncio.wait_for(smtp.mails.get(), 20))["To"] == ADDRESS
    olga = await server.sign_in("olga")
    disabled = await olga.patch(f"/api/people/{users['anna']}", json={"disabled": True})
    assert disabled.status_code == 200
    assert (await forget(server, "anna")).status_code == 204
    await olga.patch(f"/api/people/{users['anna']}", json={"disabled": False})
    await forget(server, "bert")
    await with_address(server, smtp, "bert", "bert@school.example")  # its mail comes after all of the others
    assert smtp.mails.empty(), "neither a disabled account nor one without an address got one"
    assert (await kinds_of_events(server, about=None)).count("recovery_requested") >= 3


async def test_Z7_an_answer_waits_for_no_mail_server(server: SignInServer, smtp: SmtpServer) -> None:
    await with_address(server, smtp, "anna", ADDRESS)
    smtp.faults = Faults(replies={"MAIL": ""})
    assert (await forget(server, "anna")).status_code == 204
    smtp.faults = Faults()
    await forget(server, "anna")
    await code_of(smtp, "recover")


async def test_asking_is_slowed_down_for_a_name_and_an_address_alike(server: SignInServer, smtp: SmtpServer) -> None:
    for name in ("anna", "nobody"):
        tried = [await forget(server, name) for _ in range(12)]
        assert [one.status_code for one in tried] == [204] * 10 + [429] * 2
        assert tried[-1].json()["code"] == "too_many_sign_ins"
    assert (await (await server.sign_in("anna")).get("/api/account")).status_code == 200, "signing in goes on"


async def test_nobody_is_flooded_with_mails(server: SignInServer, smtp: SmtpServer) -> None:
    anna = await with_address(server, smtp, "anna", ADDRESS)  # the first of the five mails
    for _ in range(8):
        assert (await forget(server, "anna")).status_code == 204
    received = [(await asyncio.wait_for(smtp.mails.get(), 20))["To"] for _ in range(4)]
    put = [await anna.put("/api/account/email", json={"email": ADDRESS}) for _ in range(2)]
    assert {one.status_code for one in put} == {429}
    assert put[0].json()["code"] == "too_many_mails"
    bert = await server.sign_in("bert")
    others = [await bert.put("/api/account/email", json={"email": "victim@school.example"}) for _ in range(6)]
    assert [one.status_code for one in others] == [202] * 5 + [429]
    received += [(await asyncio.wait_for(smtp.mails.get(), 20))["To"] for _ in range(5)]
    assert received == [ADDRESS] * 4 + ["victim@school.example"] * 5
    assert smtp.mails.empty()


async def test_a_family_with_one_address_gets_a_link_for_each_account(server: SignInServer, smtp: SmtpServer) -> None:
    for name in ("anna", "bert"):
        await with_address(server, smtp, name, "home@family.example")
    await forget(server, "home@family.example")
    texts = [text_of(await asyncio.wait_for(smtp.mails.get(), 20)) for _ in range(2)]
    assert [text.splitlines()[0] for text in texts] == ["Hello anna,", "Hello bert,"]


async def test_an_address_is_set_and_removed_only_by_one_who_has_just_signed_in(
    server: SignInServer, smtp: SmtpServer
) -> None:
    anna = await with_address(server, smtp, "anna", ADDRESS)
    long_ago = update(AccountSession).values(created_at=utc_now() - FRESH_FOR - timedelta(minutes=1))
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(long_ago).close())
    refused = [
        await anna.put("/api/account/email", json={"email": "thief@evil.example"}),
        await anna.delete("/api/account/email"),
    ]
    assert [(one.status_code, one.json()["code"]) for one in refused] == [(403, "sign_in_again")] * 2
    assert (await anna.get("/api/account/email")).json()["email"] == ADDRESS


@pytest.mark.parametrize(
    "hostile",
    [
        "anna",
        "anna@",
        "@school.example",
        "anna@school.example\r\nBcc: all@school.example",
        "anna@school.example\nSubject: prize",
        "anna@school.example, bert@school.example",
        "anna@school.example>\r\nDATA",
        "Anna <anna@school.example>",
        '"anna"@school.example',
        "anna@-school.example",
        "anna@school..example",
        "anna@schule.exämple",
        "ann\u0430@school.example",
        "a" * 65 + "@school.example",
        "a@" + ".".join(["b" * 60] * 5),
        "a" * MAX_ADDRESS + "@b.example",
    ],
)
async def test_what_is_no_address_is_refused_and_never_reaches_a_header(server: SignInServer, hostile: str) -> None:
    anna = await server.sign_in("anna")
    refused = await anna.put("/api/account/email", json={"email": hostile})
    assert refused.status_code in {400, 422}, refused.text
    assert (await anna.get("/api/account/email")).json()["waiting"] is None


async def test_a_link_by_mail_sets_the_password_alone(server: SignInServer, smtp: SmtpServer) -> None:
    await with_address(server, smtp, "anna", ADDRESS)
    await forget(server, "anna")
    code = await code_of(smtp, "recover")
    assert (await (await server.browser()).post("/api/sign-in/email", json={"code": code})).status_code == 410
    owner = {"code": code, "name": "eve", "password": NEW_PASSWORD}
    assert (await (await server.browser()).post("/api/sign-in/set-up", json=owner)).status_code == 410
    with pytest.raises(CodeInvalid):
        await server.accounts.passwords.holder_of(digest_of(code))


async def test_a_code_of_an_address_sets_no_password(server: SignInServer, smtp: SmtpServer) -> None:
    anna = await server.sign_in("anna")
    await anna.put("/api/account/email", json={"email": ADDRESS})
    code = await code_of(smtp, "email")
    used = await anna.post("/api/sign-in/password", json={"code": code, "password": NEW_PASSWORD})
    assert used.status_code == 410


async def test_asking_for_a_link_voids_no_link_of_an_owner(server: SignInServer, smtp: SmtpServer) -> None:
    anna = await with_address(server, smtp, "anna", ADDRESS)
    user_id = (await anna.get("/api/account")).json()["userId"]
    olga = await server.sign_in("olga")
    link = (await olga.post(f"/api/people/{user_id}/link")).json()["path"].partition("#")[2]
    for _ in range(2):
        await forget(server, "anna")
        await code_of(smtp, "recover")
    set_anew = await anna.post("/api/sign-in/password", json={"code": link, "password": NEW_PASSWORD})
    assert set_anew.status_code == 200


async def test_a_link_by_mail_lasts_half_an_hour(server: SignInServer, smtp: SmtpServer) -> None:
    await with_address(server, smtp, "anna", ADDRESS)
    await forget(server, "anna")
    code = await code_of(smtp, "recover")
    half_an_hour_later = update(OneTimeCode).values(expires_at=col(OneTimeCode.created_at))
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(half_an_hour_later).close())
    used = await (await server.browser()).post("/api/sign-in/password", json={"code": code, "password": NEW_PASSWORD})
    assert used.status_code == 410


async def test_only_its_person_sees_an_address(server: SignInServer, smtp: SmtpServer) -> None:
    anna, olga = await with_address(server, smtp, "anna", ADDRESS), await server.sign_in("olga")
    seen = [await olga.get(path) for path in ("/api/people", "/api/security-log", "/api/security-log.csv")]
    assert all(one.status_code == 200 and "school.example" not in one.text for one in seen)
    assert (await olga.get("/api/account/email")).json()["email"] is None
    archive = ZipFile(io.BytesIO((await anna.get("/api/learner/archive")).content))
    assert json.loads(archive.read("data/accounts.json"))[0]["email"] == ADDRESS


async def test_I15_an_address_is_nowhere_once_its_account_is_deleted(
    server: SignInServer, smtp: SmtpServer, tmp_path: Path
) -> None:
    anna = await with_address(server, smtp, "anna", "canary-one@school.example")
    await anna.put("/api/account/email", json={"email": "canary-two@school.example"})

    def everything() -> bytes:
        return b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())

    assert b"canary-one@" in everything()
    assert b"canary-two@" in everything()
    archive = ZipFile(io.BytesIO((await anna.get("/api/learner/archive")).content))
    waiting = json.loads(archive.read("data/one_time_codes.json"))
    assert [(one["purpose"], one["email"], "secret_digest" in one) for one in waiting] == [
        ("email", "canary-two@school.example", False)
    ]
    gone = await anna.delete("/api/learner", params={"confirm": "delete everything"})
    assert gone.status_code == 204
    assert b"canary-" not in everything()


async def test_Z8_a_link_by_mail_does_not_go_around_the_passkey_after_the_password(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with (
        serving_smtp() as smtp,
        serving_sign_in(tmp_path, methods="password,passkey", smtp=smtp_settings(smtp), take_token=unlimited) as server,
    ):
        await server.add_person("anna")
        anna = await with_address(server, smtp, "anna", ADDRESS)
        key = SoftAuthenticator(server.origin)
        asked = (await anna.post("/api/account/passkey-options")).json()["publicKey"]
        assert (await anna.post("/api/account/passkeys", json=key.create(asked))).status_code == 201
        assert (await anna.put("/api/account/second-factor", json={"afterPassword": True})).status_code == 200
        await forget(server, "anna")
        code = await code_of(smtp, "recover")
        browser = await server.browser()
        for path, body in (
            ("passkey/options", {"code": code}),
            ("passkey", {**key.create(asked), "code": code}),
        ):
            assert (await browser.post(f"/api/sign-in/link/{path}", json=body)).status_code == 410
        answer = await browser.post("/api/sign-in/password", json={"code": code, "password": NEW_PASSWORD})
        assert answer.status_code == 202
        assert (await browser.get("/api/account")).status_code == 401, "the password alone begins no session"
        proof = key.prove(answer.json()["publicKey"])
        assert (await browser.post("/api/sign-in/passkey", json=proof)).status_code == 200
        assert (await browser.get("/api/account")).status_code == 200

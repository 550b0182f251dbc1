"""People that an owner invites, and the tokens with which programs call for them."""

from datetime import timedelta

import pytest
from sqlmodel import update

from harness.servers.signed_in import PASSWORD, SignInServer
from sprout.accounts.principal import FRESH_FOR
from sprout.accounts.secret_values import digest_of
from sprout.clock import utc_now
from sprout.store.schema.account_tables import AccountSession
from sprout.store.schema.columns import TableModel


async def token_of(server: SignInServer, name: str, *scopes: str, days: int = 1) -> str:
    client = await server.sign_in(name)
    made = await client.post("/api/account/tokens", json={"name": "curl", "scopes": scopes, "days": days})
    made.raise_for_status()
    return str(made.json()["token"])


async def test_an_invited_person_sets_a_password_once(server: SignInServer) -> None:
    olga = await server.sign_in("olga")
    invited = (await olga.post("/api/people", json={"name": "Carla", "role": "teacher"})).json()
    assert (invited["account"]["role"], invited["account"]["hasPassword"]) == ("teacher", False)
    code = invited["link"]["path"].removeprefix("/password#")
    carla = await server.browser()
    body = {"code": code, "password": PASSWORD}
    for weak, refusal in (("carla", "password_short"), ("Carla-2026-xyz", "password_common")):
        refused = await carla.post("/api/sign-in/password", json={**body, "password": weak})
        assert (refused.status_code, refused.json()["code"]) == (400, refusal)
    assert (await carla.post("/api/sign-in/password", json=body)).json()["hasPassword"] is True
    assert (await carla.get("/api/account")).json()["account"]["name"] == "Carla"
    again = await carla.post("/api/sign-in/password", json=body)
    assert (again.status_code, again.json()["code"]) == (410, "code_invalid")


async def test_a_new_link_voids_the_one_before_and_ends_the_sessions_when_it_is_used(server: SignInServer) -> None:
    olga, anna = await server.sign_in("olga"), await server.sign_in("anna")
    user_id = (await anna.get("/api/account")).json()["userId"]
    first, second = [(await olga.post(f"/api/people/{user_id}/link")).json()["path"][10:] for _ in range(2)]
    browser = await server.browser()
    answers = [
        await browser.post("/api/sign-in/password", json={"code": code, "password": "new horse battery"})
        for code in (first, second)
    ]
    assert [one.status_code for one in answers] == [410, 200]
    assert (await anna.get("/api/account")).status_code == 401
    assert (await olga.post("/api/people/unknown/link")).status_code == 404


async def test_names_are_taken_however_they_are_written_and_the_last_owner_stays(server: SignInServer) -> None:
    olga = await server.sign_in("olga")
    taken = await olga.post("/api/people", json={"name": "ANNA"})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    unfit = await olga.post("/api/people", json={"name": "two words"})
    assert (unfit.status_code, unfit.json()["code"]) == (400, "name_unfit")
    user_id = (await olga.get("/api/account")).json()["userId"]
    last = await olga.patch(f"/api/people/{user_id}", json={"role": "learner"})
    assert (last.status_code, last.json()["code"]) == (409, "last_owner")
    erased = await olga.delete("/api/learner?confirm=delete everything")
    assert (erased.status_code, erased.json()["code"]) == (409, "last_owner")


async def test_one_who_deletes_everything_is_gone_with_their_account(server: SignInServer) -> None:
    anna, olga = await server.sign_in("anna"), await server.sign_in("olga")
    assert (await anna.delete("/api/learner?confirm=delete everything")).status_code == 204
    assert (await anna.get("/api/account")).status_code == 401
    assert [one["name"] for one in (await olga.get("/api/people")).json()] == ["bert", "olga"]


async def test_a_token_is_shown_once_and_calls_within_its_scopes(server: SignInServer) -> None:
    secret = await token_of(server, "anna", "read")
    program, anna = await server.with_token(secret), await server.sign_in("anna")
    (listed,) = (await anna.get("/api/account/tokens")).json()
    assert (listed["name"], listed["scopes"], "token" in listed) == ("curl", ["read"], False)
    assert (await program.get("/api/branches")).status_code == 200
    refused = await program.post("/api/branches", json={"title": "Light"})
    assert (refused.status_code, refused.json()["code"]) == (403, "missing_right")
    learning = await server.with_token(await token_of(server, "anna", "learn"))
    assert (await learning.post("/api/branches", json={"title": "Light"})).status_code == 201
    for in_person in ("/api/account/tokens", "/api/account/sessions", "/api/learner/archive"):
        assert (await learning.get(in_person)).status_code == 403
    await anna.delete(f"/api/account/tokens/{listed['id']}")
    gone = await program.get("/api/branches")
    assert (gone.status_code, gone.headers["www-authenticate"]) == (401, "Bearer")
    assert gone.json()["code"] == "token_invalid"


async def test_a_token_outlives_its_session_and_so_is_made_after_a_fresh_sign_in_alone(server: SignInServer) -> None:
    anna = await server.sign_in("anna")
    listed = (await anna.get("/api/account/tokens")).json()
    back = update(AccountSession).values(created_at=utc_now() - FRESH_FOR - timedelta(seconds=1))
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(back).close())
    refused = await anna.post("/api/account/tokens", json={"name": "curl", "scopes": ["read"]})
    assert (refused.status_code, refused.json()["code"]) == (403, "sign_in_again")
    assert (await anna.get("/api/account/tokens")).json() == listed, "all else goes on"
    await token_of(server, "anna", "read")


async def test_a_token_never_has_more_than_its_account(server: SignInServer) -> None:
    anna = await server.sign_in("anna")
    refused = await anna.post("/api/account/tokens", json={"name": "curl", "scopes": ["read", "admin"]})
    assert (refused.status_code, refused.json()["code"]) == (403, "missing_right")
    unfit: list[dict[str, object]] = [
        {"scopes": []},
        {"scopes": ["all"]},
        {"scopes": ["read"], "days": 0},
        {"scopes": ["read"], "days": 367},
    ]
    for wrong in unfit:
        assert (await anna.post("/api/account/tokens", json={"name": "curl", **wrong})).status_code in {400, 422}


@pytest.mark.parametrize("authorization", ["Bearer wrong", "Bearer", "Basic YTpi", "wrong", ""])
async def test_what_authorization_says_wins_over_the_cookie(server: SignInServer, authorization: str) -> None:
    anna = await server.sign_in("anna")
    answer = await anna.get("/api/branches", headers={"Authorization": authorization})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


async def test_a_token_of_another_is_used_beside_a_cookie(server: SignInServer) -> None:
    secret, bert = await token_of(server, "anna", "read"), await server.sign_in("bert")
    asked = await bert.get("/api/account", headers={"Authorization": f"Bearer {secret}"})
    assert asked.json()["account"]["name"] == "anna"


async def test_a_metrics_reader_has_a_token_of_an_owner(server: SignInServer) -> None:
    admin = await server.with_token(await token_of(server, "olga", "admin"))
    assert (await admin.get("/metrics")).status_code == 200
    reader = await server.with_token(await token_of(server, "olga", "read"))
    assert (await reader.get("/metrics")).status_code == 403
    assert (await (await server.browser()).get("/metrics")).status_code == 401


async def test_learners_of_a_deployment_get_no_answers_with_their_paths(server: SignInServer) -> None:
    anna, olga = await server.sign_in("anna"), await server.sign_in("olga")
    for client, status in ((anna, 403), (olga, 200)):
        branch = (await client.post("/api/branches", json={"title": "Light"})).json()["id"]
        body = {"type": "root", "title": "Light", "branchId": branch}
        (await client.post("/api/nodes", json=body)).raise_for_status()
        assert (await client.get(f"/api/graphs/{branch}")).status_code == 200
        assert (await client.get(f"/api/graphs/{branch}?answers=true")).status_code == status
    cards = [(await client.get("/api/learner/cards.apkg?answers=true")).status_code for client in (anna, olga)]
    assert cards == [403, 409], "409: there are none"


async def test_Z10_no_field_of_a_body_gives_rights_or_another_identity(server: SignInServer) -> None:
    anna = await server.sign_in("anna")
    before = await server.list_people()
    poison = {"role": "owner", "scopes": ["admin"], "disabledAt": None, "passwordHash": "x", "nameKey": "olga",
              "name": "olga", "secretDigest": "x", "actorId": "x", "createdAt": "x", "isOwner": True}  # fmt: skip
    change = await anna.patch("/api/account", json={**poison, "displayName": "anna"})
    assert (change.status_code, change.json()["role"], change.json()["name"]) == (200, "learner", "anna")
    assert (await anna.post("/api/account/tokens", json={**poison, "scopes": ["read"]})).json()["scopes"] == ["read"]
    signed_in = await anna.post("/api/sign-in", json={**poison, "name": "anna", "password": PASSWORD})
    assert signed_in.json()["role"] == "learner"
    assert await server.list_people() == before


async def test_Z8_a_stolen_database_signs_nobody_in(server: SignInServer) -> None:
    secret = await token_of(server, "anna", "read")
    anna, olga = await server.sign_in("anna"), await server.sign_in("olga")
    link = (await olga.post(f"/api/people/{(await anna.get('/api/account')).json()['userId']}/link")).json()["path"]
    stored = await server.sprout.database.read_tx(
        lambda connection: {
            str(value)
            for table in TableModel.metadata.sorted_tables
            for row in connection.execute(table.select())
            for value in row
        }
    )
    assert not {secret, link.partition("#")[2], *anna.cookies.values()} & stored
    assert digest_of(secret) in stored
    thief = await server.browser()
    for value in stored:
        if not value.isascii() or not value.isprintable() or len(value) > 150:
            continue
        assert (await thief.get("/api/account", headers={"Authorization": f"Bearer {value}"})).status_code == 401
        assert (await thief.get("/api/account", headers={"Cookie": f"sprout={value}"})).status_code == 401
    for value in sorted(one for one in stored if len(one) == len(digest_of(""))):
        body = {"code": value, "password": "new horse battery"}
        assert (await thief.post("/api/sign-in/password", json=body)).status_code == 410


async def test_a_calendar_program_reads_by_its_address_with_a_token_for_nothing_else(
    server: SignInServer,
) -> None:
    feed = "/api/reviews/calendar.ics"
    secret, reading = await token_of(server, "anna", "calendar"), await token_of(server, "anna", "read")
    program = await server.browser()
    assert (await program.get(feed)).status_code == 401
    calendar = await program.get(feed, params={"accessToken": secret, "language": "de"})
    assert (calendar.status_code, calendar.text[:15]) == (200, "BEGIN:VCALENDAR")
    for address, token in ((feed, reading), (feed, "unknown"), ("/api/branches", reading)):
        refused = await program.get(address, params={"accessToken": token})
        assert (refused.status_code, refused.json()["code"]) == (401, "token_invalid")
    assert (await program.get("/api/branches", params={"accessToken": secret})).status_code == 403
    anna = await server.sign_in("anna")
    for listed in (await anna.get("/api/account/tokens")).json():
        await anna.delete(f"/api/account/tokens/{listed['id']}")
    assert (await program.get(feed, params={"accessToken": secret})).status_code == 401

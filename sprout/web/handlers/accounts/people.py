"""People: the accounts of a deployment and its security log, for its owners."""

from starlette.responses import Response

from sprout.accounts.accounts import NewAccount
from sprout.accounts.names import sign_in_name
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import SecurityEventRow
from sprout.learning.text.csv_table import csv_table
from sprout.web.handlers.accounts.sign_in import new_link, origin_of
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, next_link, page_size
from sprout.web.schemas.account_requests import NewPerson, PersonChange, SecurityLogQuery
from sprout.web.schemas.account_responses import InvitedPerson
from sprout.web.schemas.requests import NoFields

CSV = "text/csv"
EXPORTED_EVENTS = 10_000


async def list_people(call: Call[AccountRepositories]) -> Response:
    """All accounts, in the order of creation."""
    return json_list_response(await call.dependencies.accounts.accounts())


async def invite_person(call: Call[AccountRepositories, NoFields, NewPerson]) -> Response:
    """201 with the new account, and the link with which its person sets a password, shown this once."""
    name = sign_in_name(call.body.name)
    new = NewAccount(name, call.body.display_name or name, AccountRole(call.body.role))
    account = await call.dependencies.accounts.create(new, origin=origin_of(call))
    return json_response(
        InvitedPerson(account=account, link=await new_link(call, account.user_id, origin_of(call))), 201
    )


async def change_person(call: Call[AccountRepositories, NoFields, PersonChange]) -> Response:
    """The account, changed; whoever gets other rights has to sign in again."""
    asked = call.body
    changed = await call.dependencies.accounts.change(
        call.id,
        display_name=asked.display_name,
        role=None if asked.role is None else AccountRole(asked.role),
        disabled=asked.disabled,
        origin=origin_of(call),
    )
    return json_response(changed)


async def create_link(call: Call[AccountRepositories]) -> Response:
    """201 with a new link that sets the password; an earlier one is void."""
    return json_response(await new_link(call, call.id, origin_of(call)), 201)


async def list_class_spending(call: Call[AccountRepositories]) -> Response:
    """All classes with what they cost, in the order of creation; nothing of what anybody learns."""
    return json_list_response(await call.dependencies.class_budgets.spending(owner_id=call.user_id))


async def list_events(call: Call[AccountRepositories, SecurityLogQuery]) -> Response:
    """What happened to accounts, newest first; a `Link` header leads to the next page."""
    limit = page_size(call.query.limit)
    found = await call.dependencies.security_log.events(before=call.query.before, limit=limit + 1)
    headers = next_link(call, found[limit - 1].id) if len(found) > limit else None
    return json_list_response(found[:limit], headers)


async def download_events(call: Call[AccountRepositories]) -> Response:
    """The newest 10,000 events as a table."""
    events = await call.dependencies.security_log.events(limit=EXPORTED_EVENTS)
    headers = {"Content-Disposition": 'attachment; filename="security-log.csv"'}
    return Response(_as_csv(events), media_type=CSV, headers=headers)


def _as_csv(events: list[SecurityEventRow]) -> str:
    columns = [*SecurityEventRow.model_fields]
    return csv_table(columns, ([getattr(event, column) or "" for column in columns] for event in events))

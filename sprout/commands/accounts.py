"""The commands about accounts: the first owner, and what the one local learner had."""

from collections.abc import Mapping

from sprout.accounts.accounts import CODE_LIFETIME, AccountRow, NewAccount
from sprout.accounts.names import sign_in_name
from sprout.accounts.passwords import check_password, hash_password
from sprout.accounts.principal import AccountRole
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import TERMINAL
from sprout.clock import utc_now
from sprout.errors import SetupError
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.adoption import adopt
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.engine.database import Database


async def make_owner(database: Database, name: str, password: str | None) -> str | None:
    """Make an owner with a password, also of an account that is there; without one, the path of a link that sets it.

    Raises BadInput: the name or the password is no good.
    """
    name = sign_in_name(name)
    if password is not None:
        check_password(password, name)
    accounts, passwords = SqlAccounts(database), SqlPasswords(database)
    found = await accounts.find(name)
    if found is None:
        user_id = (await accounts.create(NewAccount(name, name, AccountRole.OWNER), origin=TERMINAL)).user_id
    else:
        user_id = found.user_id
        await accounts.change(user_id, role=AccountRole.OWNER, disabled=False, origin=TERMINAL)
    if password is not None:
        await passwords.set_password(user_id, hash_password(password), origin=TERMINAL)
        return None
    code = new_secret()
    await passwords.issue_code(digest_of(code), user_id=user_id, expires_at=utc_now() + CODE_LIFETIME, origin=TERMINAL)
    return f"/password#{code}"


async def adopt_local_data(database: Database, name: str, *, back: bool) -> tuple[AccountRow, Mapping[str, int]]:
    """Give what the one local learner has to an account, or back; the account, and the numbers of rows by table.

    Raises SetupError: no account has the name; Conflict: a run is active.
    """
    accounts = SqlAccounts(database)
    found = await accounts.find(name)
    if found is None:
        raise SetupError(f"There is no account {name!r}. Create it first: `sprout owner {name}`, or on the page.")
    giver, taker = (found.user_id, DEFAULT_USER_ID) if back else (DEFAULT_USER_ID, found.user_id)
    return await accounts.account(found.user_id), await adopt(database, giver=giver, taker=taker)

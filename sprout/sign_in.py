"""Composition of accounts: their repositories, the ways to sign in, and who sends a request."""

from sprout.accounts.accounts import CODE_LIFETIME
from sprout.accounts.class_sign_in import ClassSignIn
from sprout.accounts.given_paths import PathGiver
from sprout.accounts.principal import LOCAL_LEARNER
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import TERMINAL
from sprout.accounts.sign_in import PasswordSignIn
from sprout.clock import utc_now
from sprout.config import Settings
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.cards import SqlCards
from sprout.store.accounts.class_page.repository import SqlClassProgress
from sprout.store.accounts.classes import SqlClasses
from sprout.store.accounts.given_paths import SqlGivenPaths
from sprout.store.accounts.memberships import SqlMemberships
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.accounts.path_updates import SqlPathUpdates
from sprout.store.accounts.security_log import SqlSecurityLog
from sprout.store.accounts.sessions import SqlSessions
from sprout.store.accounts.tokens import SqlTokens
from sprout.store.engine.database import Database
from sprout.web.http.authentication import AccountAuthentication, Authenticate, always
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.rate_limits import SignInThrottle, TakeToken
from sprout.web.http.session_cookie import SessionCookie


def account_repositories(settings: Settings, database: Database, take_token: TakeToken | None) -> AccountRepositories:
    """Accounts and classes on SQL, and the ways to sign in that the settings name.

    Args:
        take_token: of buckets that all processes share.
    """
    accounts, passwords, sessions = SqlAccounts(database), SqlPasswords(database), SqlSessions(database)
    security_log, throttle = SqlSecurityLog(database), SignInThrottle(take_token)
    memberships, cards, given_paths = SqlMemberships(database), SqlCards(database), SqlGivenPaths(database)
    class_progress = SqlClassProgress(database)
    return AccountRepositories(
        accounts=accounts,
        passwords=passwords,
        sessions=sessions,
        tokens=SqlTokens(database),
        security_log=security_log,
        password_sign_in=PasswordSignIn(accounts, passwords, sessions, security_log, throttle),
        classes=SqlClasses(database),
        memberships=memberships,
        cards=cards,
        class_sign_in=ClassSignIn(memberships, cards, sessions, security_log, throttle),
        given_paths=given_paths,
        path_giver=PathGiver(given_paths),
        path_updates=SqlPathUpdates(database),
        class_progress=class_progress,
        contrasts=class_progress,
        cookie=SessionCookie(secure=(settings.public_url or "").startswith("https:")),
        methods=settings.auth,
    )


def authentication(settings: Settings, repositories: AccountRepositories) -> Authenticate:
    """Who sends a request: whoever it proves, or the one learner where nobody can sign in."""
    if not settings.auth:
        return always(LOCAL_LEARNER)
    return AccountAuthentication(repositories.sessions, repositories.tokens, repositories.cookie, settings.public_url)


async def set_up_path(repositories: AccountRepositories) -> str | None:
    """The path of the page on which the first owner is made, with a new one-time code; None where there is one."""
    if not repositories.methods or await repositories.accounts.has_owner():
        return None
    code = new_secret()
    await repositories.passwords.issue_code(
        digest_of(code), user_id=None, expires_at=utc_now() + CODE_LIFETIME, origin=TERMINAL
    )
    return f"/set-up#{code}"

"""Composition of accounts: their repositories, the ways to sign in, and who sends a request."""

from sprout.accounts.accounts import CODE_LIFETIME
from sprout.accounts.class_budgets import BudgetNumbers
from sprout.accounts.class_sign_in import ClassSignIn
from sprout.accounts.email_recovery import EmailRecovery
from sprout.accounts.given_paths import PathGiver
from sprout.accounts.identities import IdentityProvider
from sprout.accounts.identity_sign_in import IdentitySignIn
from sprout.accounts.mail_queue import MailQueue
from sprout.accounts.passkey_sign_in import PasskeySignIn
from sprout.accounts.principal import LOCAL_LEARNER
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import TERMINAL
from sprout.accounts.sign_in import PasswordSignIn
from sprout.accounts.ways import Ways
from sprout.clock import utc_now
from sprout.config import Settings
from sprout.engines.record_store_client import HttpRecordStoreClient
from sprout.learning.xapi.statements import StatementWriter
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.attempts import SqlAttempts
from sprout.store.accounts.cards import SqlCards
from sprout.store.accounts.class_budgets import SqlClassBudgets
from sprout.store.accounts.class_page.repository import SqlClassProgress
from sprout.store.accounts.classes import SqlClasses
from sprout.store.accounts.email_addresses import SqlEmailAddresses
from sprout.store.accounts.given_paths import SqlGivenPaths
from sprout.store.accounts.identities import SqlLinkedIdentities
from sprout.store.accounts.memberships import SqlMemberships
from sprout.store.accounts.passkeys import SqlPasskeys
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.accounts.path_updates import SqlPathUpdates
from sprout.store.accounts.security_log import SqlSecurityLog
from sprout.store.accounts.sessions import SqlSessions
from sprout.store.accounts.tokens import SqlTokens
from sprout.store.desk.concerns import SqlConcerns
from sprout.store.desk.desk import SqlDesk
from sprout.store.desk.shared_lessons import SqlSharedLessons
from sprout.store.engine.database import Database
from sprout.store.xapi.facts import SqlLearningFacts
from sprout.store.xapi.record_stores import SqlRecordStores
from sprout.web.handlers.accounts.identities import CALLBACK_PATH
from sprout.web.http.authentication import AccountAuthentication, Authenticate, always
from sprout.web.http.dependencies import AccountRepositories, DeskRepositories, RecordRepositories
from sprout.web.http.rate_limits import SignInThrottle, TakeToken, mail_limiter
from sprout.web.http.secret_cookie import attempt_cookie, session_cookie


def account_repositories(
    settings: Settings, database: Database, take_token: TakeToken | None, mails: MailQueue | None = None
) -> AccountRepositories:
    """Accounts and classes on SQL, and the ways to sign in that the settings name.

    Args:
        take_token: of buckets that all processes share.
        mails: of a server that has SMTP.
    """
    accounts, passwords, sessions = SqlAccounts(database), SqlPasswords(database), SqlSessions(database)
    security_log, throttle, attempts = SqlSecurityLog(database), SignInThrottle(take_token), SqlAttempts(database)
    ways = Ways(settings.auth, settings.oidc.issuer if "oidc" in settings.auth else None)
    passkeys, identities = SqlPasskeys(database, ways), SqlLinkedIdentities(database, ways)
    passkey_sign_in = identity_sign_in = None
    # Imported where they are needed: their libraries take memory and time at every start.
    if "passkey" in ways.methods:
        from sprout.accounts.relying_party import WebAuthnParty

        party = WebAuthnParty(settings.public_url or "")
        passkey_sign_in = PasskeySignIn(
            party, passkeys, attempts, accounts, passwords, sessions, security_log, throttle
        )
    if "oidc" in ways.methods:
        provider = _openid_provider(settings)
        identity_sign_in = IdentitySignIn(provider, identities, attempts, passwords, sessions, security_log, throttle)
    email_recovery = None
    if mails is not None:
        addresses, limit, site = SqlEmailAddresses(database), mail_limiter(take_token), settings.public_url or ""
        email_recovery = EmailRecovery(addresses, passwords, security_log, mails, throttle, limit, site)
    is_secure = (settings.public_url or "").startswith("https:")
    memberships, cards, given_paths = SqlMemberships(database), SqlCards(database), SqlGivenPaths(database)
    class_progress = SqlClassProgress(database)
    return AccountRepositories(
        accounts=accounts,
        passwords=passwords,
        sessions=sessions,
        tokens=SqlTokens(database),
        security_log=security_log,
        password_sign_in=PasswordSignIn(accounts, passwords, sessions, security_log, throttle, passkey_sign_in),
        passkeys=passkeys,
        passkey_sign_in=passkey_sign_in,
        identities=identities,
        identity_sign_in=identity_sign_in,
        provider_name=settings.oidc.name,
        email_recovery=email_recovery,
        classes=SqlClasses(database, has_local_model=settings.local_model is not None),
        class_budgets=SqlClassBudgets(database, _most_per_class(settings)),
        memberships=memberships,
        cards=cards,
        class_sign_in=ClassSignIn(memberships, cards, sessions, security_log, throttle),
        given_paths=given_paths,
        path_giver=PathGiver(given_paths),
        path_updates=SqlPathUpdates(database),
        class_progress=class_progress,
        contrasts=class_progress,
        desks=DeskRepositories(
            SqlDesk(database), SqlConcerns(database, settings.care_text), SqlSharedLessons(database)
        ),
        records=RecordRepositories(
            SqlLearningFacts(database),
            StatementWriter(settings.public_url),
            SqlRecordStores(database),
            HttpRecordStoreClient(settings.lrs_hosts),
        ),
        cookie=session_cookie(secure=is_secure),
        attempt_cookie=attempt_cookie(secure=is_secure),
        methods=settings.auth,
    )


def _most_per_class(settings: Settings) -> BudgetNumbers:
    budgets = settings.budgets
    return BudgetNumbers(
        usd_per_day=budgets.class_usd_per_day,
        usd_per_month=budgets.class_usd_per_month,
        tokens_per_day=budgets.class_tokens_per_day,
        tokens_per_month=budgets.class_tokens_per_month,
    )


def _openid_provider(settings: Settings) -> IdentityProvider:
    """The provider of the settings, which name all that it needs."""
    from sprout.openid.provider import OpenIdProvider, Registration

    oidc = settings.oidc
    redirect_uri = f"{settings.public_url}{CALLBACK_PATH}"
    return OpenIdProvider(Registration(oidc.issuer or "", oidc.client_id or "", oidc.client_secret or "", redirect_uri))


def authentication(settings: Settings, repositories: AccountRepositories) -> Authenticate:
    """Authentication of requests: by their proof, or as the one learner of a server without sign-in."""
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

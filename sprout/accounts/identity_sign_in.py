"""Sign-in at an OpenID provider, and the link of an identity there to an account here, which only people make."""

from dataclasses import dataclass

from sprout.accounts.accounts import Passwords
from sprout.accounts.attempts import Attempt, Attempts, Purpose, keep_attempt, take_attempt
from sprout.accounts.identities import (
    Identity,
    IdentityCancelled,
    IdentityNotLinked,
    IdentityProvider,
    IdentityRefused,
    LinkedIdentities,
)
from sprout.accounts.principal import Principal, require_fresh_sign_in
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import Origin, SecurityEventKind, SecurityLog
from sprout.accounts.sessions import Sessions
from sprout.accounts.sign_in import Browser, Throttle, begin_session
from sprout.clock import utc_now
from sprout.errors import NotSignedIn, SproutError

PURPOSES = (Purpose.IDENTITY, Purpose.IDENTITY_LINK, Purpose.IDENTITY_BY_CODE)


@dataclass(frozen=True, slots=True)
class ProviderVisit:
    """A visit of a browser to the provider: the address, and the secret to be kept in a cookie until it is back."""

    url: str
    attempt_secret: str


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """Parameters with which the provider sends a browser back. Without a code it has refused."""

    state: str
    code: str | None = None
    issuer: str | None = None


@dataclass(frozen=True, slots=True)
class VisitEnd:
    """The end of a visit: a new session, or a link for one who is signed in, or why there is neither."""

    was_linking: bool = False
    session_secret: str | None = None
    error: SproutError | None = None


@dataclass(frozen=True, slots=True)
class IdentitySignIn:
    """Every method counts as an attempt to sign in, and raises TooManyRequests after too many."""

    provider: IdentityProvider
    identities: LinkedIdentities
    attempts: Attempts
    passwords: Passwords
    sessions: Sessions
    log: SecurityLog
    throttle: Throttle

    async def visit(self, browser: Browser, code: str | None = None) -> ProviderVisit:
        """Send a browser to sign in; with the code of a link, to be linked to its account as well.

        Raises CodeInvalid, ProviderUnavailable.
        """
        await self.throttle.take("", browser.address)
        if code is None:
            return await self._begin(Attempt(Purpose.IDENTITY))
        user_id = await self.passwords.holder_of(digest_of(code))
        return await self._begin(Attempt(Purpose.IDENTITY_BY_CODE, user_id, digest_of(code)))

    async def visit_to_link(self, caller: Principal, browser: Browser) -> ProviderVisit:
        """Send one who has just signed in. Raises SignInAgain, ProviderUnavailable."""
        require_fresh_sign_in(caller, utc_now())
        await self.throttle.take(f"identity:{caller.user_id}", browser.address)
        return await self._begin(Attempt(Purpose.IDENTITY_LINK, caller.user_id))

    async def end_visit(self, answer: ProviderAnswer, browser: Browser) -> VisitEnd:
        """The outcome of a visit, errors among them."""
        was_linking = False
        try:
            await self.throttle.take("", browser.address)
            attempt = await take_attempt(self.attempts, answer.state, browser, *PURPOSES)
            was_linking = attempt.purpose is Purpose.IDENTITY_LINK
            identity = await self._identity(answer, browser, attempt)
            return VisitEnd(was_linking, await self._used(identity, attempt, browser))
        except SproutError as error:
            return VisitEnd(was_linking, error=error)

    async def _identity(self, answer: ProviderAnswer, browser: Browser, attempt: Attempt) -> Identity:
        if answer.code is None:
            raise IdentityCancelled
        verifier = browser.attempt_secret or ""
        try:
            if answer.issuer not in (None, self.provider.issuer):  # RFC 9207: the answer of another provider
                raise IdentityRefused
            return await self.provider.redeem(answer.code, nonce=_nonce(verifier), verifier=verifier)
        except IdentityRefused:
            await self._failed(attempt.user_id, browser, "refused")
            raise

    async def _used(self, identity: Identity, attempt: Attempt, browser: Browser) -> str | None:
        """The secret of a new session; None where one who is signed in has linked the identity."""
        if attempt.purpose is Purpose.IDENTITY_LINK:
            caller = await self._caller(browser, attempt)
            await self.identities.link(identity, user_id=caller, origin=Origin(browser.address, caller))
            return None
        if attempt.code_digest is not None and attempt.user_id is not None:
            origin, user_id = Origin(browser.address), attempt.user_id
            await self.identities.link_by_code(attempt.code_digest, identity, user_id=user_id, origin=origin)
            return await begin_session(self.sessions, user_id, browser)
        found = await self.identities.sign_in(identity)
        if found is None:
            await self._failed(None, browser, "not linked")
            raise IdentityNotLinked
        return await begin_session(self.sessions, found, browser)

    async def _caller(self, browser: Browser, attempt: Attempt) -> str:
        """The user who began to link, and is still signed in. Raises NotSignedIn."""
        secret = browser.session_secret
        principal = None if secret is None else await self.sessions.find(digest_of(secret))
        if principal is None or principal.user_id != attempt.user_id:
            raise NotSignedIn
        return principal.user_id

    async def _begin(self, attempt: Attempt) -> ProviderVisit:
        state, verifier = new_secret(), new_secret()
        url = await self.provider.authorization_url(state=state, nonce=_nonce(verifier), verifier=verifier)
        await keep_attempt(self.attempts, state, verifier, attempt)
        return ProviderVisit(url, verifier)

    async def _failed(self, user_id: str | None, browser: Browser, detail: str) -> None:
        origin = Origin(browser.address)
        await self.log.record(SecurityEventKind.SIGN_IN_FAILED, user_id, origin=origin, detail=detail)


def _nonce(verifier: str) -> str:
    """The nonce of a visit: it follows from the secret in the browser's cookie, and does not tell it."""
    return digest_of(f"nonce:{verifier}")

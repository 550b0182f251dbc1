"""Signing in by a class: joining with its code, and coming back with a card."""

from dataclasses import dataclass

from sprout.accounts.cards import Cards, WrongCard, card_digest, new_card
from sprout.accounts.class_codes import class_code
from sprout.accounts.classes import JoinedClass, Memberships, OpenClass
from sprout.accounts.principal import Principal
from sprout.accounts.security_log import Origin, SecurityEventKind, SecurityLog
from sprout.accounts.sessions import Sessions
from sprout.accounts.sign_in import Browser, Throttle, begin_session


@dataclass(frozen=True, slots=True)
class ClassSignIn:
    """Every method counts as an attempt to sign in, and raises TooManyRequests after too many."""

    memberships: Memberships
    cards: Cards
    sessions: Sessions
    log: SecurityLog
    throttle: Throttle

    async def find(self, code: str, browser: Browser) -> OpenClass:
        """The class of a code. Raises ClassCodeInvalid."""
        await self.throttle.take("", browser.address)
        return await self.memberships.find(class_code(code))

    async def join(self, code: str, caller: Principal, browser: Browser) -> JoinedClass:
        """The class, which the caller has joined. Raises ClassCodeInvalid, AlreadyInClass, TooLarge, NotFound."""
        await self.throttle.take(f"class:{caller.user_id}", browser.address)
        origin = Origin(browser.address, caller.user_id)
        return await self.memberships.join(class_code(code), user_id=caller.user_id, origin=origin)

    async def join_anew(self, code: str, nickname: str, browser: Browser) -> tuple[str, str]:
        """The secret of a new account's session, and the words of its card. Raises ClassCodeInvalid, TooLarge."""
        await self.throttle.take("", browser.address)
        card = new_card()
        origin = Origin(browser.address)
        user_id = await self.memberships.join_anew(class_code(code), nickname, card_digest(card), origin=origin)
        return await begin_session(self.sessions, user_id, browser), card

    async def sign_in(self, card: str, browser: Browser) -> str:
        """The secret of a new session. Raises WrongCard."""
        await self.throttle.take("", browser.address)
        user_id = await self.cards.find(card_digest(card))
        if user_id is None:
            await self.log.record(SecurityEventKind.SIGN_IN_FAILED, None, origin=Origin(browser.address))
            raise WrongCard
        return await begin_session(self.sessions, user_id, browser)

"""Recovery by e-mail: an address that its person has confirmed gets the link for a new password.

A request for a link is answered the same for any name: the account is looked up after the answer.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Protocol

from sprout.accounts.accounts import Passwords
from sprout.accounts.email_addresses import EmailAddresses, EmailRow, RecoverableAccount, email_address
from sprout.accounts.mail import Mail
from sprout.accounts.mail_queue import MailQueue
from sprout.accounts.mail_texts import confirmation_mail, recovery_mail
from sprout.accounts.names import name_key
from sprout.accounts.principal import Principal, require_fresh_sign_in
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import Origin, SecurityEventKind, SecurityLog
from sprout.accounts.sign_in import Browser, Throttle
from sprout.clock import utc_now
from sprout.errors import TooManyRequests
from sprout.learning.text.language import PageLanguage

RECOVERY_LIFETIME = timedelta(minutes=30)
CONFIRMATION_LIFETIME = timedelta(hours=24)

log = logging.getLogger(__name__)


class MailLimit(Protocol):
    async def take(self, recipient: str) -> None:
        """Count a mail. Raises TooManyRequests for a recipient who has been sent too many."""
        ...


@dataclass(frozen=True, slots=True)
class EmailRecovery:
    """Addresses of accounts, and the links that are sent to them.

    Args:
        throttle: of attempts, as for signing in.
        mail_limit: of the mails to one account or address, against floods.
        site: the origin that links lead to; it never comes from a request.
    """

    addresses: EmailAddresses
    passwords: Passwords
    log: SecurityLog
    queue: MailQueue
    throttle: Throttle
    mail_limit: MailLimit
    site: str

    async def request_link(self, name_or_email: str, language: PageLanguage, browser: Browser) -> None:
        """Have a link for a new password sent to the accounts of this name or address that have a confirmed one.

        Raises TooManyRequests, MailQueueFull.
        """
        await self.throttle.take(f"recovery:{name_key(name_or_email)}", browser.address)
        self.queue.add(partial(self._recovery_mails, name_or_email, language, Origin(browser.address)))

    async def set_address(self, text: str, language: PageLanguage, caller: Principal, browser: Browser) -> EmailRow:
        """Send one who has just signed in the link that confirms their address. What was confirmed before counts on
        until then. Raises SignInAgain, BadInput, TooManyRequests, MailQueueFull, NotFound: no account."""
        require_fresh_sign_in(caller, utc_now())
        email = email_address(text)
        await self.throttle.take(f"email:{caller.user_id}", browser.address)
        for recipient in (caller.user_id, digest_of(email)):
            await self.mail_limit.take(recipient)
        code, expires_at = new_secret(), utc_now() + CONFIRMATION_LIFETIME
        origin = Origin(browser.address, caller.user_id)
        await self.addresses.keep_waiting(
            digest_of(code), email, user_id=caller.user_id, expires_at=expires_at, origin=origin
        )
        link, hours = f"{self.site}/email#{code}", CONFIRMATION_LIFETIME // timedelta(hours=1)
        mail = confirmation_mail(email, language, site=self.site, link=link, hours=hours)
        self.queue.add(partial(_written, mail))
        return await self.addresses.of(caller.user_id)

    async def confirm_address(self, code: str, browser: Browser) -> None:
        """Let the address count that a link was sent to. Raises CodeInvalid, TooManyRequests."""
        await self.throttle.take("", browser.address)
        await self.addresses.confirm(digest_of(code), origin=Origin(browser.address))

    async def remove_address(self, caller: Principal, browser: Browser) -> None:
        """Raises SignInAgain, NotFound: no address."""
        require_fresh_sign_in(caller, utc_now())
        await self.addresses.remove(caller.user_id, origin=Origin(browser.address, caller.user_id))

    async def _recovery_mails(self, name_or_email: str, language: PageLanguage, origin: Origin) -> Sequence[Mail]:
        found = await self.addresses.recoverable(name_or_email)
        if not found:
            await self.log.record(SecurityEventKind.RECOVERY_REQUESTED, None, origin=origin)
        mails = [await self._recovery_mail(one, language, origin) for one in found]
        return [one for one in mails if one is not None]

    async def _recovery_mail(self, to: RecoverableAccount, language: PageLanguage, origin: Origin) -> Mail | None:
        """None for one who has been sent too many."""
        try:
            await self.mail_limit.take(to.user_id)
        except TooManyRequests:
            log.info("mail.too_many")
            return None
        code, expires_at = new_secret(), utc_now() + RECOVERY_LIFETIME
        await self.passwords.issue_recovery_code(
            digest_of(code), user_id=to.user_id, expires_at=expires_at, origin=origin
        )
        link, minutes = f"{self.site}/recover#{code}", RECOVERY_LIFETIME // timedelta(minutes=1)
        return recovery_mail(to.email, language, name=to.name, site=self.site, link=link, minutes=minutes)


async def _written(mail: Mail) -> Sequence[Mail]:
    return (mail,)

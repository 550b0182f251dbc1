"""Texts of mails, in the languages of the page: the link for a new password, and the one that confirms an address."""

from collections.abc import Mapping
from dataclasses import dataclass

from sprout.accounts.mail import Mail
from sprout.learning.text.language import PageLanguage


@dataclass(frozen=True, slots=True)
class _Text:
    """A mail, with `{site}`, `{link}` and what else it says of its account or of the link's end."""

    subject: str
    body: str


_RECOVERY: Mapping[PageLanguage, _Text] = {
    "en": _Text(
        "A new password for Sprout",
        """Hello {name},

someone, most likely you, asked for a new password at {site}. Choose it here:

{link}

The link works once, for {minutes} minutes. Afterwards you are signed out everywhere else.

You didn't ask for this? Then you need to do nothing. Without the link nobody gets in, and your password stays as it is.
""",
    ),
    "de": _Text(
        "Ein neues Passwort für Sprout",
        """Hallo {name},

jemand, wahrscheinlich du, hat auf {site} ein neues Passwort angefordert. Hier wählst du es:

{link}

Der Link gilt einmal und {minutes} Minuten lang. Danach bist du überall sonst abgemeldet.

Du wolltest das nicht? Dann musst du nichts tun. Ohne den Link kommt niemand hinein, und dein Passwort bleibt, \
wie es ist.
""",
    ),
}
_CONFIRMATION: Mapping[PageLanguage, _Text] = {
    "en": _Text(
        "Confirm your e-mail address for Sprout",
        """Hello,

this address was entered for an account at {site}, to get back in when the password is forgotten. Confirm it here:

{link}

The link works once, for {hours} hours.

You know nothing about it? Then you need to do nothing. Without your confirmation the address isn't used.
""",
    ),
    "de": _Text(
        "Bestätige deine E-Mail-Adresse für Sprout",
        """Hallo,

diese Adresse wurde für ein Konto auf {site} eingetragen, um bei einem vergessenen Passwort wieder hineinzukommen. \
Hier bestätigst du sie:

{link}

Der Link gilt einmal und {hours} Stunden lang.

Du weißt nichts davon? Dann musst du nichts tun. Ohne deine Bestätigung wird die Adresse nicht benutzt.
""",
    ),
}


def recovery_mail(to: str, language: PageLanguage, *, name: str, site: str, link: str, minutes: int) -> Mail:
    """The mail with which a person chooses a new password."""
    text = _RECOVERY[language]
    return Mail(to, text.subject, text.body.format(name=name, site=site, link=link, minutes=minutes))


def confirmation_mail(to: str, language: PageLanguage, *, site: str, link: str, hours: int) -> Mail:
    """The mail with which a person confirms their address. It names no account, since it may go to anybody."""
    text = _CONFIRMATION[language]
    return Mail(to, text.subject, text.body.format(site=site, link=link, hours=hours))

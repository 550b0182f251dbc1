"""Where a server listens, as it stands in an address and in a Host header."""

from sprout.web.parts import LOCAL_HOSTS

EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - what nobody may ask for by name


def known_names(host: str) -> tuple[str, ...]:
    """What the Host header may say: this machine's names, and the one that the server listens at, if it is one."""
    return LOCAL_HOSTS if host in EVERY_ADDRESS else (*LOCAL_HOSTS, bracketed(host))


def bracketed(host: str) -> str:
    """The host as it stands in an address."""
    return f"[{host}]" if ":" in host else host

"""Hosts in URLs and in Host headers."""

from sprout.web.http.limits import LOCAL_HOSTS

WILDCARD_ADDRESSES = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, never bound by default


def allowed_hosts(host: str) -> tuple[str, ...]:
    """The accepted Host headers: names of this machine, and the address that the server listens on."""
    return LOCAL_HOSTS if host in WILDCARD_ADDRESSES else (*LOCAL_HOSTS, url_host(host))


def url_host(host: str) -> str:
    """The host as part of a URL."""
    return f"[{host}]" if ":" in host else host

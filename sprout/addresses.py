"""Hosts in URLs and in Host headers."""

from urllib.parse import urlsplit

from sprout.web.http.limits import LOCAL_HOSTS

WILDCARD_ADDRESSES = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, never bound by default


def allowed_hosts(host: str, public_url: str | None = None) -> tuple[str, ...]:
    """The accepted Host headers: names of this machine, the address that the server listens on, and the one that
    people come to."""
    listening = () if host in WILDCARD_ADDRESSES else (url_host(host),)
    public = () if public_url is None else (url_host(urlsplit(public_url).hostname or ""),)
    return (*LOCAL_HOSTS, *listening, *public)


def url_host(host: str) -> str:
    """The host as part of a URL."""
    return f"[{host}]" if ":" in host else host

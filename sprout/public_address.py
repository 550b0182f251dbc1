"""Public address: where browsers come to, and which addresses are this machine's own."""

import ipaddress
from urllib.parse import urlsplit


def public_origin(url: str) -> str:
    """The origin of an address such as `https://sprout.example/`: scheme, host and port.

    Raises ValueError: it is no such address, has a path, or is plain http for another machine.
    """
    parts = urlsplit(url.strip())
    host = parts.hostname
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        raise ValueError("give an address such as https://sprout.example")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("give the address without a path: Sprout is at the root of its host")
    if parts.scheme == "http" and not is_this_machine(host):
        raise ValueError("give an https address: passwords and sessions would go over the network in plain text")
    port = parts.port  # raises ValueError, which says what is wrong
    name = f"[{host}]" if ":" in host else host
    is_usual = port is None or port == {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{name}" if is_usual else f"{parts.scheme}://{name}:{port}"


def is_safe_url(url: str) -> bool:
    """Whether traffic to this address is safe from readers and changes in between: https, or this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host)))


def has_address_as_host(origin: str) -> bool:
    """Whether the origin has a number instead of a name."""
    try:
        ipaddress.ip_address(urlsplit(origin).hostname or "")
    except ValueError:
        return False
    return True


def is_this_machine(host: str) -> bool:
    """Whether this is a name or an address of this machine alone."""
    return host == "localhost" or is_loopback(host)


def is_loopback(host: str) -> bool:
    """Whether this is a loopback address; a name is not, whatever it resolves to."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_near(host: str) -> bool:
    """Whether this is a name or an address of this machine or of its own network."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".lan"))

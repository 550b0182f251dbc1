"""Addresses that this server may call for a user: public ones, and hosts that its operator has allowed.

Names are resolved here, and the address that was looked at is the one that is called: a name whose owner points it
elsewhere in between leads nowhere.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Collection, Sequence

_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class HostNotAllowed(Exception):
    """A host in a private network, which the operator has not allowed."""


async def addresses_of(host: str, port: int, *, allowed: Collection[str]) -> Sequence[str]:
    """The addresses of a host. Raises HostNotAllowed, or OSError where it has none.

    Args:
        allowed: hosts that may be in a private network or on this machine, as they are written in addresses.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if host.lower() not in allowed and not all(map(is_public, addresses)):
        raise HostNotAllowed(host)
    return addresses


def is_public(address: str) -> bool:
    """Whether an address is one of the internet's, also where it holds another one in itself."""
    return all(
        one.is_global and not one.is_multicast for one in _inner(ipaddress.ip_address(address.partition("%")[0]))
    )


def _inner(address: _Address) -> Sequence[_Address]:
    """The address, and those to which relays of IPv6 would lead it."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    held = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _TRANSLATED:
        held.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    return [address, *(one for one in held if one is not None)]

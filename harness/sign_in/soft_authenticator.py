"""An authenticator in software: it keeps P-256 keys, and answers what a server asks a browser for.

Whatever a real one would never do is an argument: another origin, another relying party, a count that goes back.
"""

import base64
import json
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def base64url(content: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@dataclass
class SoftAuthenticator:
    """One key, once it has been created.

    Args:
        origin: of the page that it believes to be on.
        counts: whether it counts its uses; many do not.
    """

    origin: str
    counts: bool = True
    count: int = 0
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    user_handle: str | None = None

    def create(self, options: dict[str, Any], name: str = "Soft key", **lies: Any) -> dict[str, Any]:
        """The body that adds the key, for these options."""
        self.user_handle = options["user"]["id"]
        attestation = {"fmt": "none", "attStmt": {}, "authData": self._data(attested=True, **lies)}
        return {
            "name": name,
            "credentialId": base64url(self.id),
            "clientData": base64url(self._client_data("webauthn.create", options, **lies)),
            "attestation": base64url(cbor2.dumps({**attestation, **lies.get("attestation", {})})),
            "transports": ["internal", "telepathy"],
        }

    def prove(self, options: dict[str, Any], **lies: Any) -> dict[str, Any]:
        """The body that signs in, for these options."""
        data = self._data(attested=False, **lies)
        client_data = self._client_data("webauthn.get", options, **lies)
        signature = self.key.sign(data + sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        return {
            "credentialId": base64url(self.id),
            "clientData": base64url(client_data),
            "authenticatorData": base64url(data),
            "signature": base64url(lies.get("signature", signature)),
            "userHandle": lies.get("user_handle", self.user_handle),
        }

    def _client_data(self, type_: str, options: dict[str, Any], **lies: Any) -> bytes:
        said = {
            "type": lies.get("type", type_),
            "challenge": lies.get("challenge", options["challenge"]),
            "origin": lies.get("origin", self.origin),
            "crossOrigin": False,
        }
        return json.dumps(said).encode()

    def _data(self, *, attested: bool, **lies: Any) -> bytes:
        self.count += 1 if self.counts else 0
        rp_id: str = lies.get("rp_id", urlsplit(self.origin).hostname or "")
        flags: int = lies.get("flags", PRESENT | VERIFIED) | (ATTESTED if attested else 0)
        count: int = lies.get("count", self.count)
        data = sha256(rp_id.encode()).digest() + bytes([flags]) + count.to_bytes(4, "big")
        if not attested:
            return data
        return data + bytes(16) + len(self.id).to_bytes(2, "big") + self.id + self._public_key()

    def _public_key(self) -> bytes:
        point = self.key.public_key().public_numbers()
        return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")})

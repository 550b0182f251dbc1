"""Relying party (WebAuthn): what a browser is asked for, and whether its answers hold, by the webauthn library.

The authenticator must verify its user, by a finger, a face or a PIN; who made it is not asked.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import webauthn
from pydantic import JsonValue
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, parse_attestation_object, parse_client_data_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AttestationFormat,
    AuthenticationCredential,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    RegistrationCredential,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from sprout.accounts.passkeys import (
    NewPasskey,
    PasskeyCreation,
    PasskeyHandle,
    PasskeyProof,
    PasskeyRefused,
    WrongPasskey,
)

NAME = "Sprout"
TIMEOUT_MS = 5 * 60 * 1000
TRANSPORTS = frozenset(one.value for one in AuthenticatorTransport)
# The key by which a proof of an unknown passkey is checked, so that it takes as long: the base point of P-256 (COSE).
_NOBODYS_KEY = "pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
# What the library and those below it raise for bytes that are no credential.
_REFUSALS = (WebAuthnException, ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError)


@dataclass(frozen=True, slots=True)
class WebAuthnParty:
    """A RelyingParty: this server, as authenticators know it.

    Args:
        origin: of its page, such as `https://sprout.example`; its host is the id that passkeys are bound to.
    """

    origin: str

    @property
    def id(self) -> str:
        return urlsplit(self.origin).hostname or ""

    def creation_options(
        self, challenge: str, *, user_id: str, name: str, display_name: str, known: Sequence[PasskeyHandle]
    ) -> Mapping[str, JsonValue]:
        """Options of `navigator.credentials.create`, as JSON. The passkey is to be found without a name."""
        options = webauthn.generate_registration_options(
            rp_id=self.id,
            rp_name=NAME,
            user_id=user_id.encode(),
            user_name=name,
            user_display_name=display_name,
            challenge=challenge.encode(),
            timeout=TIMEOUT_MS,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
            ),
            exclude_credentials=[_descriptor(one) for one in known],
        )
        return cast(Mapping[str, JsonValue], json.loads(webauthn.options_to_json(options)))

    def request_options(self, challenge: str, allowed: Sequence[PasskeyHandle] = ()) -> Mapping[str, JsonValue]:
        """Options of `navigator.credentials.get`, as JSON; without `allowed` any passkey of this server will do."""
        options = webauthn.generate_authentication_options(
            rp_id=self.id,
            challenge=challenge.encode(),
            timeout=TIMEOUT_MS,
            allow_credentials=[_descriptor(one) for one in allowed],
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        return cast(Mapping[str, JsonValue], json.loads(webauthn.options_to_json(options)))

    def challenge_of(self, client_data: str) -> str | None:
        """The challenge that a browser's answer is to; None for bytes that are no answer."""
        try:
            return parse_client_data_json(_bytes(client_data)).challenge.decode()
        except _REFUSALS:
            return None

    def verify_creation(self, created: PasskeyCreation, challenge: str, name: str) -> NewPasskey:
        """The passkey that was created for this challenge. Raises PasskeyRefused."""
        response = AuthenticatorAttestationResponse(_bytes(created.client_data), _bytes(created.attestation))
        credential_id = _bytes(created.credential_id)
        try:
            _refuse_certificates(response.attestation_object)
            verified = webauthn.verify_registration_response(
                credential=RegistrationCredential(bytes_to_base64url(credential_id), credential_id, response),
                expected_challenge=challenge.encode(),
                expected_rp_id=self.id,
                expected_origin=self.origin,
                require_user_verification=True,
            )
        except _REFUSALS as error:
            raise PasskeyRefused from error
        return NewPasskey(
            bytes_to_base64url(verified.credential_id),
            bytes_to_base64url(verified.credential_public_key),
            verified.sign_count,
            tuple(one for one in created.transports if one in TRANSPORTS),
            name,
        )

    def verify_proof(self, proof: PasskeyProof, challenge: str, public_key: str | None) -> int:
        """The count of the authenticator that has proved to have the key. Raises WrongPasskey, without a key always,
        after the same work."""
        response = AuthenticatorAssertionResponse(
            _bytes(proof.client_data), _bytes(proof.authenticator_data), _bytes(proof.signature)
        )
        credential_id = _bytes(proof.credential_id)
        try:
            verified = webauthn.verify_authentication_response(
                credential=AuthenticationCredential(bytes_to_base64url(credential_id), credential_id, response),
                expected_challenge=challenge.encode(),
                expected_rp_id=self.id,
                expected_origin=self.origin,
                credential_public_key=_bytes(public_key or _NOBODYS_KEY),
                credential_current_sign_count=0,  # whether it goes back is decided where it is kept
                require_user_verification=True,
            )
        except _REFUSALS as error:
            raise WrongPasskey from error
        if public_key is None:
            raise WrongPasskey
        return verified.new_sign_count


def _refuse_certificates(attestation: bytes) -> None:
    """Raises PasskeyRefused for a statement about the maker, which no browser passes on unasked."""
    parsed = parse_attestation_object(attestation)
    if parsed.fmt not in (AttestationFormat.NONE, AttestationFormat.PACKED) or parsed.att_stmt.x5c:
        raise PasskeyRefused


def _descriptor(handle: PasskeyHandle) -> PublicKeyCredentialDescriptor:
    transports: list[Any] = [AuthenticatorTransport(one) for one in handle.transports if one in TRANSPORTS]
    return PublicKeyCredentialDescriptor(id=_bytes(handle.credential_id), transports=transports or None)


def _bytes(text: str) -> bytes:
    """Bytes of base64url, whose alphabet the sender's schema has checked."""
    return base64url_to_bytes(text)

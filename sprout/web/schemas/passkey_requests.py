"""Schemas of requests about passkeys and linked identities. Bytes are base64url without padding."""

from typing import Annotated

from pydantic import Field, StringConstraints

from sprout.accounts.passkeys import PasskeyCreation, PasskeyProof
from sprout.web.schemas.account_requests import Code, DisplayName, Name
from sprout.web.schemas.requests import RequestModel

BASE64URL = r"^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$"
CredentialId = Annotated[str, StringConstraints(min_length=16, max_length=1_400, pattern=BASE64URL)]
Bytes = Annotated[str, StringConstraints(min_length=2, max_length=12_000, pattern=BASE64URL)]


class PasskeySignInRequest(RequestModel):
    """What `navigator.credentials.get` has returned for the options of this server."""

    credential_id: CredentialId
    client_data: Bytes = Field(description="`response.clientDataJSON`")
    authenticator_data: Bytes = Field(description="`response.authenticatorData`")
    signature: Bytes = Field(description="`response.signature`")
    user_handle: Bytes | None = Field(default=None, description="`response.userHandle`, where there is one")

    def proof(self) -> PasskeyProof:
        """The proof in it."""
        return PasskeyProof(
            self.credential_id, self.client_data, self.authenticator_data, self.signature, self.user_handle
        )


class NewPasskeyRequest(RequestModel):
    """A name, and what `navigator.credentials.create` has returned for the options of this server."""

    name: DisplayName = Field(description="by which its person knows it again")
    credential_id: CredentialId
    client_data: Bytes = Field(description="`response.clientDataJSON`")
    attestation: Bytes = Field(description="`response.attestationObject`")
    transports: list[Annotated[str, StringConstraints(max_length=20)]] = Field(
        default_factory=list, max_length=10, description="`response.getTransports()`"
    )

    def creation(self) -> PasskeyCreation:
        """The new passkey in it."""
        return PasskeyCreation(self.credential_id, self.client_data, self.attestation, self.transports)


class LinkCode(RequestModel):
    """The code of a one-time link."""

    code: Code


class PasskeyFromLink(NewPasskeyRequest):
    """A new passkey, with the code of the link that allows it."""

    code: Code


class OwnerInvitation(RequestModel):
    """The first owner without a password yet, with the code that the server prints at its start."""

    code: Code
    name: Name = Field(description="to sign in with")
    display_name: DisplayName | None = Field(default=None, description="by default the name")


class SecondFactorChange(RequestModel):
    """Whether signing in with the password takes a passkey too."""

    after_password: bool


class ProviderVisitRequest(RequestModel):
    """A visit to the provider; with the code of a one-time link, to link somebody there to its account."""

    code: Code | None = None


class ProviderCallback(RequestModel):
    """What a provider adds to the address when it sends a browser back."""

    state: Annotated[str, StringConstraints(max_length=200)] = ""
    code: Annotated[str, StringConstraints(max_length=4_000)] | None = None
    error: Annotated[str, StringConstraints(max_length=200)] | None = None
    iss: Annotated[str, StringConstraints(max_length=500)] | None = None

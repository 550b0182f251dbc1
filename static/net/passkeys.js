// @ts-check
/** Passkeys of this browser: bytes go over the wire as base64url. */

/** @import { PasskeyOptions } from "../types.d.ts" */

/** Whether this browser has passkeys at all. */
export const hasPasskeys = () => "PublicKeyCredential" in globalThis;

/** Thrown where the person, or their device, did not want to. */
export class NoPasskey extends Error {}

/** @param {string} text */
function bytesOf(text) {
  const packed = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(packed, (one) => one.charCodeAt(0));
}

/** @param {ArrayBuffer} bytes */
function textOf(bytes) {
  const packed = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(packed).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {{ id: string }[]} [listed] */
const descriptors = (listed = []) => listed.map((one) => ({ ...one, id: bytesOf(one.id) }));

/** The answer to the options of signing in. @param {PasskeyOptions} asked */
export async function provePasskey({ publicKey }) {
  const credential = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        ...publicKey,
        challenge: bytesOf(publicKey.challenge),
        allowCredentials: descriptors(publicKey.allowCredentials),
      },
    }),
  );
  const response = /** @type {AuthenticatorAssertionResponse} */ (credential.response);
  return {
    credentialId: credential.id,
    clientData: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    userHandle: response.userHandle?.byteLength ? textOf(response.userHandle) : null,
  };
}

/** The answer to the options of a new passkey. @param {PasskeyOptions} asked */
export async function createPasskey({ publicKey }) {
  const credential = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        ...publicKey,
        challenge: bytesOf(publicKey.challenge),
        user: { ...publicKey.user, id: bytesOf(publicKey.user.id) },
        excludeCredentials: descriptors(publicKey.excludeCredentials),
      },
    }),
  );
  const response = /** @type {AuthenticatorAttestationResponse} */ (credential.response);
  return {
    credentialId: credential.id,
    clientData: textOf(response.clientDataJSON),
    attestation: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
}

/** @param {() => Promise<Credential | null>} ask @returns {Promise<PublicKeyCredential>} */
async function asked(ask) {
  try {
    const found = await ask();
    if (found) return /** @type {PublicKeyCredential} */ (found);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // else refused, cancelled, or one that is there already
  }
  throw new NoPasskey();
}

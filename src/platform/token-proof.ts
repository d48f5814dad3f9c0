// Proves that a sandbox knows its control token before a client sends it: an HMAC over a fresh challenge. The requested
// address and the run of the server are part of it, so that a proof is worthless at another address.
import { createHmac, scrypt } from "node:crypto";

interface Challenge {
  /** The origin that the client has connected to. */
  address: string;
  /** 32 random bytes, used once. */
  challenge: string;
}

/** The key is used for no other message; the parts contain no line break. */
const DOMAIN = "experience-sandbox: the server knows the control token, 1";

/** Derives a key slowly, so that guessing a token from a proof takes long. */
export const getProofKey = (token: string, instance: string): Promise<Buffer> =>
  new Promise((resolve, reject) => scrypt(token, instance, 32, (error, key) => (error ? reject(error) : resolve(key))));

export function proveToken(key: Buffer, { address, challenge }: Challenge, instance: string): string {
  return createHmac("sha256", key).update([DOMAIN, address, instance, challenge].join("\n")).digest("base64url");
}

// How a sandbox proves that it knows its control token before anybody sends it: an HMAC over a fresh challenge. The address that was asked
// and the run that answers are part of it, so that what one sandbox has answered is worth nothing at another address.
import { createHmac, scrypt } from "node:crypto";

interface Challenge {
  /** The origin that the client has connected to. */
  address: string;
  /** 32 random bytes, used once. */
  challenge: string;
}

/** No other message is made with such a key; the parts hold no line break. */
const DOMAIN = "experience-sandbox: the server knows the control token, 1";

/** A key that takes a while to make, so that guessing a token from a proof takes long. */
export const getProofKey = (token: string, instance: string): Promise<Buffer> =>
  new Promise((resolve, reject) => scrypt(token, instance, 32, (error, key) => (error ? reject(error) : resolve(key))));

export function proveToken(key: Buffer, { address, challenge }: Challenge, instance: string): string {
  return createHmac("sha256", key).update([DOMAIN, address, instance, challenge].join("\n")).digest("base64url");
}

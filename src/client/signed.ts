// Checks the signature of a delivery as a receiver would: base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`.
// Both spellings of the header and both readings of the secret are taken, so that the check holds under every assumption.
import { createHmac, timingSafeEqual } from "node:crypto";

export interface Delivered {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** True where one of the signatures is right: while a secret is rotated there are two. */
export function isSigned({ id, timestamp, signature, body }: Delivered, secret: string): boolean {
  const keys = [Buffer.from(secret.replace(/^whsec_/, ""), "base64"), Buffer.from(secret)];
  const right = keys.map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest());
  const signatures = signature.split(" ").map((each) => Buffer.from(each.replace(/^v1,/, ""), "base64"));
  // In constant time, for equal lengths only.
  return signatures.some((one) => right.some((other) => one.length === other.length && timingSafeEqual(one, other)));
}

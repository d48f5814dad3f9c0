// Verifies the signature of a delivery like a receiver: base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. Accepts both
// formats of the header and both encodings of the secret, so that it works under every assumption.
import { createHmac, timingSafeEqual } from "node:crypto";

interface SignedDelivery {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** Returns true if one of the signatures is valid. During the rotation of a secret there are two. */
export function isSigned({ id, timestamp, signature, body }: SignedDelivery, secret: string): boolean {
  const keys = [Buffer.from(secret.replace(/^whsec_/, ""), "base64"), Buffer.from(secret)];
  const right = keys.map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest());
  const signatures = signature.split(" ").map((each) => Buffer.from(each.replace(/^v1,/, ""), "base64"));
  // The comparison takes constant time. timingSafeEqual requires equal lengths.
  return signatures.some((one) => right.some((other) => one.length === other.length && timingSafeEqual(one, other)));
}

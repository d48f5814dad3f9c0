// The signature of a message: base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. Heading "Delivery headers";
// assumptions: signature-text (bare, or `v1,` as Standard Webhooks has it), signature-key (decoded, or the secret's text).
import { createHmac } from "node:crypto";
import type { Desk } from "../domain/desk.ts";
import type { Subscription } from "../domain/records.ts";

export interface Signed {
  id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: string;
}

/** With `v1` an old secret that is still valid signs too; the bare form has room for one signature, which is the new one's. */
export function signatureOf(desk: Desk, subscription: Subscription, signed: Signed): string {
  const key = desk.assumes("signature-key");
  const own = sign(signed, subscription.secret, key);
  if (desk.assumes("signature-text") !== "v1") return own;
  const { previous_secret: old } = subscription;
  const signatures = old && desk.now < old.valid_until ? [own, sign(signed, old.secret, key)] : [own];
  return signatures.map((signature) => `v1,${signature}`).join(" ");
}

function sign({ id, timestamp, body }: Signed, secret: string, key: string): string {
  const bytes = key === "text" ? Buffer.from(secret) : Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64");
}

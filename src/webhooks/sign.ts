// The signature of a message: base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. Heading "Delivery headers";
// assumptions: signature-text (bare, or `v1,` as Standard Webhooks has it), signature-key (decoded, or the secret's text).
import { createHmac } from "node:crypto";
import type { Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export interface Signed {
  id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: string;
}

/**
 * While an old secret is valid, `v1` has a signature by each. The bare form has room for one: the old secret's, the only one that a
 * receiver knows before it changes over.
 */
export function signatureOf(tx: Transaction, { secret, previous_secret: old }: Subscription, signed: Signed): string {
  const key = tx.assumes("signature-key");
  const valid = old && tx.now < old.valid_until ? [secret, old.secret] : [secret];
  const signatures = valid.map((each) => sign(signed, each, key));
  return bothSign(tx) ? signatures.map((each) => `v1,${each}`).join(" ") : (signatures.at(-1) ?? "");
}

export function bothSign(tx: Transaction): boolean {
  return tx.assumes("signature-text") === "v1";
}

function sign({ id, timestamp, body }: Signed, secret: string, key: string): string {
  const bytes = key === "text" ? Buffer.from(secret) : Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64");
}

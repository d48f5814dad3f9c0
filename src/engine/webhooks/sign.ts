// The signature of a message: base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. Heading "Delivery headers";
// assumptions: signature-text (bare, or `v1,` as Standard Webhooks has it), signature-key (decoded, or the secret's text),
// webhook-timestamp.
import { createHmac } from "node:crypto";
import { toMillis } from "../domain/kernel/instant.ts";
import type { Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export interface Signable {
  id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: string;
}

/**
 * Returns the header `webhook-signature`. While an old secret is valid, the `v1` form has a signature for each secret. The bare form
 * has one, made with the old secret, which the receiver still uses.
 */
export function signMessage(tx: Transaction, { secret, previous_secret: old }: Subscription, signed: Signable): string {
  const form = tx.assumes("signature-key") === "text" ? "text" : "decoded";
  const valid = old && tx.now < old.valid_until ? [secret, old.secret] : [secret];
  const signatures = valid.map((each) => sign(signed, toKeyBytes(each, form)));
  return hasBothSignatures(tx) ? signatures.map((each) => `v1,${each}`).join(" ") : (signatures.at(-1) ?? "");
}

/** Returns seconds since the epoch, in real time or on the world's clock (assumption: webhook-timestamp). */
export function computeTimestamp(tx: Transaction, wall: number): number {
  return Math.floor((tx.assumes("webhook-timestamp") === "world" ? toMillis(tx.now) : wall) / 1000);
}

export function hasBothSignatures(tx: Transaction): boolean {
  return tx.assumes("signature-text") === "v1";
}

/** How the key is derived from a secret. */
export type KeyForm = "decoded" | "text";

export function toKeyBytes(secret: string, form: KeyForm): Buffer {
  return form === "text" ? Buffer.from(secret) : Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

export function sign({ id, timestamp, body }: Signable, key: Buffer): string {
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
}

// The signature of a message: base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. Heading "Delivery headers";
// assumptions: signature-text (bare, or `v1,` as Standard Webhooks has it), signature-key (decoded, or the secret's text),
// webhook-timestamp.
import { createHmac } from "node:crypto";
import { toMillis } from "../domain/kernel/instant.ts";
import type { Subscription, Tamper } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

interface Signable {
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
  return computeHmac(key, `${id}.${timestamp}.${body}`);
}

export function computeHmac(key: Buffer | string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}

// Alters a resend intentionally, so that you can test whether the receiver detects it. Each alteration breaks one thing only.

/** One hour is much older than any timestamp that a receiver should accept. */
const OLD_SECONDS = 3600;

/** Adds a field that was not signed, for `body`. */
export function tamperBody(body: string, tamper: Tamper | undefined): string {
  return tamper === "body" ? body.replace(/\}$/, ',"tampered":true}') : body;
}

/** Returns a timestamp that is an hour old and is signed, as in a replayed request, for `timestamp`. */
export function setTimestamp(timestamp: number, tamper: Tamper | undefined): number {
  return tamper === "timestamp" ? timestamp - OLD_SECONDS : timestamp;
}

/** Changes the text that is signed with the correct key, for `signature`. */
export function tamperSignedContent(signed: Signable, tamper: Tamper | undefined): Signable {
  return tamper === "signature" ? { ...signed, body: `${signed.body} ` } : signed;
}

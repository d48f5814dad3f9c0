// Alters a resend intentionally, so that you can test whether the receiver detects it. Each alteration breaks one thing only.
import type { Tamper } from "../domain/kernel/records.ts";
import type { Signable } from "./sign.ts";

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

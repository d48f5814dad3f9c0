// A resend that is altered on purpose, to see whether the receiver notices. Each way breaks one thing and leaves the rest right.
import type { Tamper } from "../domain/kernel/records.ts";
import type { Signed } from "./sign.ts";

/** An hour: far beyond what a receiver should accept as fresh. */
const OLD_SECONDS = 3600;

/** `body`: one member more than was signed. */
export function tamperBody(body: string, tamper: Tamper | undefined): string {
  return tamper === "body" ? body.replace(/\}$/, ',"tampered":true}') : body;
}

/** `timestamp`: an hour old, and signed with it, as when a recorded request is replayed. */
export function setTimestamp(timestamp: number, tamper: Tamper | undefined): number {
  return tamper === "timestamp" ? timestamp - OLD_SECONDS : timestamp;
}

/** `signature`: the right key over another text. */
export function tamperSignedContent(signed: Signed, tamper: Tamper | undefined): Signed {
  return tamper === "signature" ? { ...signed, body: `${signed.body} ` } : signed;
}

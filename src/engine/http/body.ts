// Reads a body and checks its content type, encoding, syntax, nesting and keys, which Prism does not. Assumptions: body-size (1 MiB, nesting to
// 64), error-codes.

import { ContractError, HttpError } from "./errors.ts";
import { createViolation, type Exchange, readHeader } from "./exchange.ts";

export { STATE_LIMIT } from "../settings.ts";

/** Bytes. */
export const BODY_LIMIT = 1024 * 1024;
const MAX_DEPTH = 64;
const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** Returns the parsed body, or undefined if none was sent. `accepted`: the media type of the operation's body, if it has one. */
export function readBody(exchange: Exchange, accepted: string | undefined): unknown {
  const { raw, unreadable } = exchange;
  // The error is thrown only here, so that a missing token is reported first.
  if (unreadable !== undefined) throw unreadable;
  // An operation without a body ignores what was sent.
  if (accepted === undefined || !raw || raw.length === 0) return undefined;
  const sent = readHeader(exchange, "content-type") ?? "none";
  // Most programs send only the type.
  if (sent !== accepted && readMediaType(sent) !== accepted) {
    const excerpt = sent.slice(0, 100);
    const message = `The body must be ${accepted}; the content-type of the request is ${excerpt}. Set the header content-type: ${accepted}.`;
    throw new HttpError(415, message, { rule: "media-type", values: { accepted, sent: excerpt } });
  }
  const text = decode(raw);
  return accepted === JSON_TYPE ? parse(text) : text;
}

/** Returns the type without parameters, or undefined if it is malformed or has an encoding other than UTF-8. */
function readMediaType(value: string): string | undefined {
  const [, type, parameters = ""] = /^\s*([\w.+-]+\/[\w.+-]+)\s*((?:;[^;]*)*)$/.exec(value) ?? [];
  // RFC 8259 requires UTF-8, which includes US-ASCII.
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(parameters)?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset) ? type?.toLowerCase() : undefined;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(raw: Buffer): string {
  try {
    return decoder.decode(raw);
  } catch {
    throw createBodyError("encoding", "The body is not valid UTF-8. Send it encoded as UTF-8.");
  }
}

function parse(text: string): unknown {
  assertShallow(text);
  try {
    // A reviver takes several times as long, so it is used only where it may be needed.
    return MAYBE_PROTO.test(text) ? JSON.parse(text, rejectProto) : JSON.parse(text);
  } catch (reason) {
    if (reason instanceof HttpError) throw reason;
    const why = (reason as Error).message.slice(0, 200);
    throw createBodyError("syntax", `The body is not valid JSON: ${why}. Check it with a JSON validator.`);
  }
}

/** Matches the key, plain or with an escape. */
const MAYBE_PROTO = /__proto__|\\u00/;

function createBodyError(code: string, message: string): ContractError {
  return new ContractError([createViolation(["body"], code, message)]);
}

/** A text can't become a prototype, so metadata may have this key. */
function rejectProto(key: string, value: unknown): unknown {
  if (key !== "__proto__" || typeof value === "string") return value;
  throw createBodyError("propertyNames", "body: the key __proto__ is not accepted. Remove it.");
}

/** Counts brackets outside strings, so that a deep body costs no recursion anywhere. */
function assertShallow(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (quoted) {
      if (char === 92) i++;
      else if (char === 34) quoted = false;
    } else if (char === 34) quoted = true;
    else if (char === 123 || char === 91) depth++;
    else if (char === 125 || char === 93) depth--;
    if (depth > MAX_DEPTH)
      throw createBodyError("depth", `The body is nested deeper than ${MAX_DEPTH} levels. Flatten it.`);
  }
}
